// The table as a heat map: the chosen row and column marked on it, cells chosen by pointer and keyboard, zoom.

import { make } from "../kit/elements.js";
import { paintHeatMap } from "../kit/heat_map.js";
import { cellAt, cellStyle, panView } from "../kit/heat_map_view.js";
import { kept } from "../kit/kept.js";
import { pressed } from "../kit/press.js";
import { html } from "../kit/vendor/lit.js";
import { viewOf, zoomedBy } from "./encoding.js";

/** @typedef {{ matrix: Table & { largest: number }, state: EncodingExplorerState }} Now */

/** @type {(matrix: Shape, view: View) => boolean} */
export const isWhole = (matrix, view) => view.nRows === matrix.nRows && view.nColumns === matrix.nColumns;

/**
 * now() is what the page shows; onGo(row, column): a cell was chosen; onPoint(cell): the mouse is over one, or has left;
 * onView(window): the part in view shall change.
 * @param {{ now: () => Now, onGo: (row: number, column: number) => void, onPoint: (cell: Cell | null) => void,
 *   onView: (window: Partial<import("./encoding.js").Window>) => void }} options
 */
export function encodingMap({ now, onGo, onPoint, onView }) {
  const viewNow = () => viewOf(now().matrix, now().state);
  const cellOf = (/** @type {MouseEvent} */ event) => cellAt(canvas, viewNow(), event);
  /** @type {(factor: number, at?: Cell | null) => void} */
  function zoom(factor, at) {
    const { matrix, state } = now();
    onView(zoomedBy(factor, at ?? { row: state.position, column: state.column }, matrix, state));
  }

  /** @type {(event: KeyboardEvent) => void} */
  function type(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { matrix, state } = now();
    const { position: row, column } = state;
    const pageful = Math.max(1, Math.round(viewNow().nRows / 8));
    /** @type {Record<string, () => void>} */
    const uses = {
      ArrowUp: () => onGo(row - 1, column),
      ArrowDown: () => onGo(row + 1, column),
      ArrowLeft: () => onGo(row, column - 1),
      ArrowRight: () => onGo(row, column + 1),
      PageUp: () => onGo(row - pageful, column),
      PageDown: () => onGo(row + pageful, column),
      Home: () => onGo(row, 0),
      End: () => onGo(row, matrix.nColumns - 1),
      "+": () => zoom(2),
      "=": () => zoom(2),
      "-": () => zoom(0.5),
      "−": () => zoom(0.5),
    };
    if (!Object.hasOwn(uses, event.key)) return;
    event.preventDefault();
    uses[event.key]();
  }
  /** @type {(event: WheelEvent) => void} */
  function spin(event) {
    if (!event.ctrlKey) return; // two fingers apart; the wheel alone scrolls the page
    event.preventDefault();
    zoom(2 ** (-event.deltaY / 100), cellOf(event));
  }

  // While all is in view, a hand chooses cells; where only a part is, a press does, and a drag moves the view.
  const press = pressed((event, { x, y, isMoved, ...began }) => {
    const { matrix } = now();
    const view = viewNow();
    if (isWhole(matrix, view) || (event.type === "pointerup" && !isMoved)) {
      const cell = cellOf(event);
      if (cell) onGo(cell.row, cell.column);
      return;
    }
    const from = began.view ?? view;
    const { width, height } = canvas.getBoundingClientRect();
    const down = Math.round(((y - event.clientY) / height) * from.nRows);
    const right = Math.round(((x - event.clientX) / width) * from.nColumns);
    const moved = panView(matrix, from, down, right);
    if (isMoved && (moved.row !== view.row || moved.column !== view.column)) {
      onView({ top: moved.row, left: moved.column });
    }
  }, viewNow);
  const canvas = make("canvas", {
    class: "inorder-encoding-map",
    role: "application",
    tabindex: 0,
    onkeydown: type,
    onwheel: spin,
    onpointerdown: press,
    onpointermove(/** @type {PointerEvent} */ event) {
      press(event);
      if (event.pointerType === "mouse" && event.buttons === 0) onPoint(cellOf(event));
    },
    onpointerup: press,
    onpointercancel: press,
    onpointerleave: (/** @type {PointerEvent} */ event) => event.pointerType === "mouse" && onPoint(null),
  });

  const paint = kept((values, nRows, nColumns, view, scale, width, height, _density) => {
    return paintHeatMap(canvas, { values, nRows, nColumns, view, scale, width, height }).averaged;
  });
  // Fills the frame. Is a pixel a mean of cells?
  /** @type {(scale: ColourScale) => boolean} */
  function draw(scale) {
    const { values, nRows, nColumns } = now().matrix;
    const { clientWidth, clientHeight } = /** @type {HTMLElement} */ (canvas.parentElement);
    if (clientWidth === 0) return false;
    return paint(values, nRows, nColumns, viewNow(), scale, clientWidth, clientHeight, devicePixelRatio);
  }

  function frame() {
    const { matrix, state } = now();
    const { position: row, column } = state;
    const view = viewNow();
    const last = view.row + view.nRows - 1;
    const isSeen = row >= view.row && row <= last;
    // The chosen row's number stands in the place of an end that is near.
    const end = (/** @type {number} */ one) => (isSeen && Math.abs(row - one) / view.nRows < 0.06 ? "" : one);
    canvas.ariaLabel =
      `Heat map, positions down, columns across. Position ${row}, column ${column} is chosen; ` +
      "arrow keys choose another, plus and minus zoom";
    canvas.style.touchAction = isWhole(matrix, view) ? "pan-y" : "none";
    return html`<div class="inorder-map">
      <div class="inorder-across" aria-hidden="true"><span>${view.column}</span><span>column →</span><span>${view.column + view.nColumns - 1}</span></div>
      <div class="inorder-down" aria-hidden="true"><span>${end(view.row)}</span><span>← position</span><span>${end(last)}</span>
        <span class="inorder-row-number" style="top: ${(100 * (row - view.row + 0.5)) / view.nRows}%">${isSeen ? row : ""}</span></div>
      <div class="inorder-board">${canvas}<div class="inorder-cell-mark" style=${cellStyle(view, { column })}></div>
        <div class="inorder-cell-mark is-position" style=${cellStyle(view, { row })}></div></div></div>`;
  }
  return { frame, draw, zoom };
}
