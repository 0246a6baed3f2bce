import { make } from "./elements.js";
import { html, nothing, render } from "./vendor/lit.js";
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
  const formula = make("div", { class: "inorder-equation", "aria-hidden": "true" }, ...equation);
  const caption = make("div", { class: "inorder-words", "aria-hidden": "true" });
  const grid = make("div", { class: "inorder-grid", role: "grid", "aria-readonly": String(!onEdit) });
  const root = make("div", { class: onEdit ? "inorder-matrix is-editable" : "inorder-matrix" }, formula, caption, grid);
  /** @typedef {{ values: Matrix, rows: string[], columns: string[], colour: (value: number) => Tint }} Content */
  /** @type {Content} */
  let content = { values: [[]], rows: [], columns: [], colour: () => ({ fill: "", ink: "" }) };
  /** @type {Mark[]} */
  let marks = [];
  /** @type {[number, number]} */
  let active = [0, 0]; // the cell that Tab reaches

  /** @type {(role: string, look: string, text: string) => unknown} */
  const heading = (role, look, text) =>
    html`<div role=${role} class=${look} title=${text}>${shorten(text, 6) || "␣"}</div>`; // a reader may empty a token
  /** @type {(row: number, column: number) => unknown} */
  function cell(row, column) {
    const value = content.values[row][column];
    const { fill, ink } = content.colour(value); // both "" in a matrix without colour: style.css decides
    // A missing row or column of a mark means all of them.
    const kinds = marks.filter((mark) => (mark.row ?? row) === row && (mark.column ?? column) === column);
    const look = [...kinds.map(({ kind }) => `is-${kind}`), value === -Infinity ? "is-masked" : ""].join(" ");
    return html`<div role="gridcell" class="inorder-cell ${look}" style="background-color: ${fill}; color: ${ink}"
      tabindex=${row === active[0] && column === active[1] ? 0 : -1} aria-describedby=${describedBy ?? nothing}
      data-name=${name} data-row=${row} data-col=${column} data-value=${value}>${formatNumber(value)}</div>`;
  }
  function draw() {
    const { values, rows, columns } = content;
    const shape = [values.length, values[0].length];
    active = [Math.min(active[0], shape[0] - 1), Math.min(active[1], shape[1] - 1)];
    grid.style.setProperty("--columns", String(shape[1]));
    grid.setAttribute("aria-label", `${label}, ${shape.join(" by ")}`);
    // A style sheet may make room for the longest number.
    root.style.setProperty("--signs", String(Math.max(...values.flat().map((value) => formatNumber(value).length))));
    render(`${words}, ${shape.join(" × ")}`, caption);
    render(
      html`<div role="row" class="inorder-row"><div role="gridcell" class="inorder-corner"></div>${columns.map((text) =>
        heading("columnheader", "inorder-head", text),
      )}</div>
      ${values.map(
        (line, row) =>
          html`<div role="row" class="inorder-row">${heading("rowheader", "inorder-label", rows[row])}${line.map(
            (_, column) => cell(row, column),
          )}</div>`,
      )}`,
      grid,
    );
  }

  /** @type {(next: Content) => void} */
  function update(next) {
    const hadFocus = grid.contains(document.activeElement);
    content = next;
    draw();
    if (hadFocus && !grid.contains(document.activeElement)) focusCell(...active); // the cell in focus is gone
  }

  /** @type {(next: Mark[]) => void} */
  function mark(next) {
    marks = next;
    if (grid.hasChildNodes()) draw();
  }

  /** @type {(target: EventTarget | null) => [number, number] | null} */
  function place(target) {
    const cell = target instanceof Element ? target.closest(".inorder-cell") : null;
    return cell instanceof HTMLElement ? [Number(cell.dataset.row), Number(cell.dataset.col)] : null;
  }

  /** @type {(row: number, column: number) => void} */
  function focusCell(row, column) {
    const cell = grid.querySelector(`[data-row="${row}"][data-col="${column}"]`);
    if (cell instanceof HTMLElement) cell.focus();
  }

  grid.addEventListener("focusin", (event) => {
    active = place(event.target) ?? active;
    draw();
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
    const { values } = content;
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
      focusCell(toRow, toColumn);
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
    drag = { at, x: event.clientX, from: content.values[at[0]][at[1]], moved: false };
    /** @type {Element} */ (event.target).setPointerCapture(event.pointerId);
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
