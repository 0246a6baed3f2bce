import { html, nothing } from "../kit/vendor/lit.js";
import { formatNumber, shorten, tidy } from "../kit/words.js";

// A labelled matrix of numbers, one tab stop; arrow keys move inside it.
//   name        goes on each cell as data-name, beside data-row, data-col and data-value (full precision)
//   words       a plain-language name; label, the matrix in words for a screen reader
//   describedBy the id of the element that explains the cell under pointer or focus
//   onShow(row, column, kind)   kind: "focus" or "hover"; onLeave() when the mouse leaves
//   onEdit(row, column, value)  present: cells can be dragged sideways, and + and − change them; step, by how much
//
// It returns view({ values, equation, rows, columns, colour, marks, walking }), a template. `marks`: the cells that are
// marked, of which the target alone is then described; `walking`: the row that is followed.
/**
 * @typedef {{ kind: "target" | "first" | "second", row?: number, column?: number }} Mark a missing row or column means all
 * @typedef {{ values: Matrix, equation: unknown, rows: string[], columns: string[], colour?: (value: number) => Tint, marks?: Mark[], walking?: number }} Content
 */

const PIXELS = 6; // of a drag, for one step
const SIGNS = /** @type {Record<string, number>} */ ({ "+": 1, "=": 1, "-": -1, "−": -1 });
const letters = (/** @type {string} */ text) => shorten(text, 6) || "␣"; // a reader may empty a token

/** @type {(target: EventTarget | null) => [number, number] | null} */
function placeOf(target) {
  const cell = target instanceof Element ? target.closest(".inorder-cell") : null;
  return cell instanceof HTMLElement ? [Number(cell.dataset.row), Number(cell.dataset.col)] : null;
}

/** @param {{ name: string, label: string, words: string, describedBy?: string, onShow?: (row: number, column: number, kind: "focus" | "hover") => void, onLeave?: () => void, onEdit?: (row: number, column: number, value: number) => void, step?: number }} options */
export function matrixGrid({ name, label, words, describedBy, onShow, onLeave, onEdit, step = 0.1 }) {
  let values = /** @type {Matrix} */ ([[0]]);
  /** @type {[number, number]} */
  let active = [0, 0]; // the cell that Tab reaches
  /** @type {{ at: [number, number], x: number, from: number, moved: boolean } | null} */
  let drag = null;

  /** @type {(event: FocusEvent) => void} */
  function focus({ currentTarget, target }) {
    const grid = /** @type {Element} */ (currentTarget);
    grid.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    active = placeOf(target) ?? active;
    if (target instanceof HTMLElement) target.tabIndex = 0;
    onShow?.(...active, "focus");
  }
  /** @type {(event: PointerEvent) => void} */
  function hover({ target, pointerType }) {
    const at = placeOf(target);
    if (at && pointerType === "mouse") onShow?.(...at, "hover");
  }
  /** @type {(event: KeyboardEvent) => void} */
  function press(event) {
    const [row, column] = placeOf(event.target) ?? active;
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
    const command = event.ctrlKey || event.metaKey || event.altKey;
    if (Object.hasOwn(moves, event.key)) {
      event.preventDefault();
      const [toRow, toColumn] = moves[event.key];
      const grid = /** @type {Element} */ (event.currentTarget);
      const cell = grid.querySelector(`[data-row="${toRow}"][data-col="${toColumn}"]`);
      if (cell instanceof HTMLElement) cell.focus();
    } else if (onEdit && !command && Object.hasOwn(SIGNS, event.key)) {
      event.preventDefault();
      onEdit(row, column, tidy(values[row][column] + SIGNS[event.key] * step));
    }
  }
  // Drag sideways. A vertical move still scrolls the page (touch-action in style.css).
  /** @type {(event: PointerEvent) => void} */
  function grab({ target, button, clientX, pointerId }) {
    const at = placeOf(target);
    if (!onEdit || !at || button !== 0) return;
    drag = { at, x: clientX, from: values[at[0]][at[1]], moved: false };
    /** @type {Element} */ (target).setPointerCapture(pointerId);
  }
  /** @type {(event: PointerEvent) => void} */
  function pull({ clientX }) {
    if (!drag || !onEdit) return;
    const steps = Math.round((clientX - drag.x) / PIXELS);
    drag.moved ||= steps !== 0;
    if (drag.moved) onEdit(...drag.at, tidy(drag.from + steps * step));
  }
  const drop = () => {
    drag = null;
  };

  /** @type {(content: Content) => unknown} */
  return ({ values: next, equation, rows, columns, colour, marks, walking }) => {
    values = next;
    active = [Math.min(active[0], values.length - 1), Math.min(active[1], values[0].length - 1)];
    const shape = [values.length, values[0].length];
    const longest = Math.max(...values.flat().map((value) => formatNumber(value).length));
    /** @type {(value: number, row: number, column: number) => unknown} */
    function cell(value, row, column) {
      const hits = (marks ?? []).filter((mark) => (mark.row ?? row) === row && (mark.column ?? column) === column);
      const looks = new Set(hits.map(({ kind }) => `is-${kind}`));
      const isDescribed = describedBy && (!marks || looks.has("is-target"));
      const tint = colour?.(value);
      return html`<div role="gridcell" class="inorder-cell ${[...looks].join(" ")} ${value === -Infinity ? "is-masked" : ""}"
        tabindex=${row === active[0] && column === active[1] ? 0 : -1} data-name=${name} data-row=${row} data-col=${column}
        data-value=${value} aria-describedby=${isDescribed ? describedBy : nothing}
        style=${tint ? `background-color: ${tint.fill}; color: ${tint.ink}` : nothing}>${formatNumber(value)}</div>`;
    }
    return html`<div class="inorder-matrix ${onEdit ? "is-editable" : ""}" data-matrix=${name}
      style="--signs: ${longest}; --columns: ${columns.length}">
      <div class="inorder-equation" aria-hidden="true">${equation}</div>
      <div class="inorder-words" aria-hidden="true">${words}, ${shape.join(" × ")}</div>
      <div class="inorder-grid" role="grid" aria-readonly=${!onEdit} aria-label="${label}, ${shape.join(" by ")}"
        @focusin=${focus} @pointerover=${hover} @keydown=${press} @pointerdown=${grab} @pointermove=${pull}
        @pointerup=${drop} @pointercancel=${drop}
        @pointerleave=${(/** @type {PointerEvent} */ { pointerType }) => pointerType === "mouse" && onLeave?.()}>
        <div role="row" class="inorder-row"><div role="gridcell" class="inorder-corner"></div>${columns.map(
          (text) => html`<div role="columnheader" class="inorder-head" title=${text}>${letters(text)}</div>`,
        )}</div>
        ${values.map(
          (line, row) => html`<div role="row" class="inorder-row ${row === walking ? "is-walking" : ""}">
            <div role="rowheader" class="inorder-label" title=${rows[row]}>${letters(rows[row])}</div>
            ${line.map((value, column) => cell(value, row, column))}</div>`,
        )}</div></div>`;
  };
}
