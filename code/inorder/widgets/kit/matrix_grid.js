import { make, setAttributes, write } from "./elements.js";
import { formatNumber, shorten, tidy } from "./words.js";

// A labelled matrix of numbers, one tab stop; arrow keys move inside it.
//   name        goes on each cell as data-name, beside data-row, data-col and data-value (full precision)
//   equation    nodes above the matrix; words, a plain-language name below them; label, both in words for a screen reader
//   describedBy the id of the element that explains the cell under pointer or focus
//   onShow(row, column, kind)   kind: "focus" or "hover"; onLeave() when the mouse leaves
//   onEdit(row, column, value)  present: cells can be dragged sideways, and + and − change them; step, by how much
//   onType()                    present: Enter or a digit calls for a box to type a number in
/**
 * @typedef {{ kind: "target" | "first" | "second", row?: number, column?: number }} Mark
 * @param {{ name: string, label: string, equation: (Node | string)[], words: string, describedBy?: string,
 *   onShow: (row: number, column: number, kind: "focus" | "hover") => void, onLeave: () => void,
 *   onEdit?: (row: number, column: number, value: number) => void, onType?: () => void, step?: number }} options
 */
export function matrixGrid({ name, label, equation, words, describedBy, onShow, onLeave, onEdit, onType, step = 0.1 }) {
  const shape = make("span", { class: "inorder-shape" });
  const formula = make("div", { class: "inorder-equation", "aria-hidden": "true" }, ...equation);
  const caption = make("div", { class: "inorder-words", "aria-hidden": "true" }, `${words}, `, shape);
  const grid = make("div", { class: "inorder-grid", role: "grid", "aria-readonly": String(!onEdit) });
  const root = make("div", { class: onEdit ? "inorder-matrix is-editable" : "inorder-matrix" }, formula, caption, grid);
  /** @type {number[][]} */
  let values = [];
  /** @type {HTMLElement[][]} */
  let cells = [];
  /** @type {[number, number]} */
  let active = [0, 0]; // the cell that Tab reaches

  /** @type {(nRows: number, nColumns: number) => void} */
  function build(nRows, nColumns) {
    const corner = make("div", { role: "gridcell", class: "inorder-corner" });
    const heads = Array.from({ length: nColumns }, () => make("div", { role: "columnheader", class: "inorder-head" }));
    const rows = [make("div", { role: "row", class: "inorder-row" }, corner, ...heads)];
    cells = [];
    for (let row = 0; row < nRows; row += 1) {
      const label = make("div", { role: "rowheader", class: "inorder-label" });
      cells.push(Array.from({ length: nColumns }, (_, column) => makeCell(row, column)));
      rows.push(make("div", { role: "row", class: "inorder-row" }, label, ...cells[row]));
    }
    grid.style.setProperty("--columns", String(nColumns));
    grid.replaceChildren(...rows);
    active = [Math.min(active[0], nRows - 1), Math.min(active[1], nColumns - 1)];
    cells[active[0]][active[1]].tabIndex = 0;
  }

  /** @type {(row: number, column: number) => HTMLElement} */
  function makeCell(row, column) {
    const attributes = { role: "gridcell", class: "inorder-cell", tabindex: -1, "aria-describedby": describedBy };
    return make("div", { ...attributes, "data-name": name, "data-row": row, "data-col": column });
  }

  /**
   * @type {(content: { values: Matrix, rows: string[], columns: string[], colour: (value: number) => Tint }) => void}
   */
  function update({ values: next, rows, columns, colour }) {
    const hadFocus = grid.contains(document.activeElement);
    const sameShape = next.length === cells.length && next[0].length === cells[0].length;
    values = next;
    if (!sameShape) build(values.length, values[0].length);
    grid.querySelectorAll(".inorder-label").forEach((label, row) => setLabel(label, rows[row]));
    grid.querySelectorAll(".inorder-head").forEach((head, column) => setLabel(head, columns[column]));
    let longest = 0;
    cells.forEach((line, row) =>
      line.forEach((cell, column) => {
        const value = values[row][column];
        const { fill, ink } = colour(value);
        const text = formatNumber(value);
        longest = Math.max(longest, text.length);
        write(cell, text);
        setAttributes(cell, { "data-value": value });
        cell.style.backgroundColor = fill; // both "" in a matrix without colour: style.css decides
        cell.style.color = ink;
        cell.classList.toggle("is-masked", value === -Infinity);
      }),
    );
    root.style.setProperty("--signs", String(longest)); // a style sheet may make room for them
    write(shape, `${values.length} × ${values[0].length}`);
    setAttributes(grid, { "aria-label": `${label}, ${values.length} by ${values[0].length}` });
    if (!sameShape && hadFocus) cells[active[0]][active[1]].focus();
  }

  /** @type {(node: Element, text: string) => void} */
  function setLabel(node, text) {
    write(node, shorten(text, 6) || "␣"); // a reader may empty a token
    setAttributes(node, { title: text });
  }

  // A missing row or column means all of them.
  /** @type {(marks: Mark[]) => void} */
  function mark(marks) {
    cells.forEach((line, row) =>
      line.forEach((cell, column) => {
        const hit = (/** @type {Mark} */ m) => (m.row ?? row) === row && (m.column ?? column) === column;
        for (const kind of ["target", "first", "second"]) {
          cell.classList.toggle(
            `is-${kind}`,
            marks.some((m) => m.kind === kind && hit(m)),
          );
        }
      }),
    );
  }

  /** @type {(target: EventTarget | null) => [number, number] | null} */
  function place(target) {
    const cell = target instanceof Element ? target.closest(".inorder-cell") : null;
    return cell instanceof HTMLElement ? [Number(cell.dataset.row), Number(cell.dataset.col)] : null;
  }

  /** @type {(row: number, column: number) => void} */
  function focusCell(row, column) {
    cells[row][column].focus();
  }

  grid.addEventListener("focusin", (event) => {
    cells[active[0]][active[1]].tabIndex = -1;
    active = place(event.target) ?? active;
    cells[active[0]][active[1]].tabIndex = 0;
    onShow(...active, "focus");
  });

  grid.addEventListener("pointerover", (event) => {
    const at = place(event.target);
    if (at && event.pointerType === "mouse") onShow(...at, "hover");
  });

  grid.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") onLeave();
  });

  grid.addEventListener("keydown", (event) => {
    const [row, column] = place(event.target) ?? active;
    const [lastRow, lastColumn] = [values.length - 1, values[0].length - 1];
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: event.ctrlKey ? [0, 0] : [row, 0],
      End: event.ctrlKey ? [lastRow, lastColumn] : [row, lastColumn],
    };
    /** @type {Record<string, number>} */
    const signs = { "+": 1, "=": 1, "-": -1, "−": -1 };
    const command = event.ctrlKey || event.metaKey || event.altKey;
    if (Object.hasOwn(moves, event.key)) {
      event.preventDefault();
      const [toRow, toColumn] = moves[event.key];
      if (cells[toRow]?.[toColumn]) focusCell(toRow, toColumn);
    } else if (onEdit && !command && Object.hasOwn(signs, event.key)) {
      event.preventDefault();
      onEdit(row, column, tidy(values[row][column] + signs[event.key] * step));
    } else if (onType && !command && /^(Enter|[0-9.])$/.test(event.key)) {
      if (event.key === "Enter") event.preventDefault();
      onType(); // a digit then lands in the box
    }
  });

  // Drag sideways: 6 pixels make one step. A vertical move still scrolls the page (touch-action in style.css).
  /** @type {{ at: [number, number], x: number, from: number, moved: boolean } | null} */
  let drag = null;
  grid.addEventListener("pointerdown", (event) => {
    const at = place(event.target);
    if (!onEdit || !at || event.button !== 0) return;
    drag = { at, x: event.clientX, from: values[at[0]][at[1]], moved: false };
    cells[at[0]][at[1]].setPointerCapture(event.pointerId);
  });
  grid.addEventListener("pointermove", (event) => {
    if (!drag || !onEdit) return;
    const steps = Math.round((event.clientX - drag.x) / 6);
    drag.moved ||= steps !== 0;
    if (drag.moved) onEdit(...drag.at, tidy(drag.from + steps * step));
  });
  for (const end of ["pointerup", "pointercancel"]) {
    grid.addEventListener(end, () => {
      drag = null;
    });
  }

  return { root, formula, update, mark, focusCell };
}
