// The table as a heat map: the chosen row and column marked on it, cells chosen by pointer and keyboard, zoom.

import { make, write } from "../kit/elements.js";
import { colourScale, paintHeatMap } from "../kit/heat_map.js";
import { cellAt, cellBox, panView } from "../kit/heat_map_view.js";
import { colourLegend } from "../kit/legend.js";
import { viewOf, zoomedBy } from "./encoding.js";
import { formatLabel } from "./words.js";

/** @typedef {{ matrix: Table, key: string, largest: number, row: number, column: number }} Drawn */

// onGo(row, column): a cell was chosen; onPoint(cell | null): the mouse is over one, or has left; onView({ zoom, top,
// left }): the part in view shall change. `update(table, state, dark)` returns that part.
/**
 * @param {{ onGo: (row: number, column: number) => void, onPoint: (cell: Cell | null) => void,
 *   onView: (view: Partial<Pick<EncodingExplorerState, "zoom" | "top" | "left">>) => void }} options
 */
export function encodingMap({ onGo, onPoint, onView }) {
  const canvas = make("canvas", { class: "inorder-encoding-map", role: "application", tabindex: 0 });
  const rowMarker = make("div", { class: "inorder-marker is-row" });
  const columnMarker = make("div", { class: "inorder-marker" });
  const frame = make("div", { class: "inorder-map-frame" }, canvas, columnMarker, rowMarker);
  const [firstRow, lastRow, firstColumn, lastColumn] = Array.from({ length: 4 }, () => make("span", {}));
  const rowNumber = make("span", { class: "inorder-row-number" });
  const legend = colourLegend();
  const averaged = make("span", { class: "inorder-averaged" });
  const root = make(
    "div",
    { class: "inorder-map" },
    make(
      "div",
      { class: "inorder-across", "aria-hidden": "true" },
      firstColumn,
      make("span", {}, "column →"),
      lastColumn,
    ),
    make(
      "div",
      { class: "inorder-down", "aria-hidden": "true" },
      firstRow,
      make("span", {}, "← position"),
      lastRow,
      rowNumber,
    ),
    frame,
  );
  const key = make("div", { class: "inorder-key" }, legend.root, averaged);
  // What was drawn; there is nothing before the first `update`.
  let now = /** @type {Cell & { matrix: Table, view: View, state: EncodingExplorerState }} */ ({});

  const isWhole = () => now.view.nRows === now.matrix.nRows && now.view.nColumns === now.matrix.nColumns;
  const zoom = (/** @type {number} */ factor, at = { row: now.row, column: now.column }) =>
    onView(zoomedBy(factor, at, now.matrix, now.state));

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { row, column, view, matrix } = now;
    const pageful = Math.max(1, Math.round(view.nRows / 8));
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [row - pageful, column],
      PageDown: [row + pageful, column],
      Home: [row, 0],
      End: [row, matrix.nColumns - 1],
    };
    /** @type {Record<string, number>} */
    const factors = { "+": 2, "=": 2, "-": 0.5, "−": 0.5 };
    if (!Object.hasOwn(moves, event.key) && !Object.hasOwn(factors, event.key)) return;
    event.preventDefault();
    if (Object.hasOwn(moves, event.key)) onGo(...moves[event.key]);
    else zoom(factors[event.key]);
  });
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return; // two fingers apart; the wheel alone scrolls the page
      event.preventDefault();
      zoom(2 ** (-event.deltaY / 100), cellAt(canvas, now.view, event) ?? undefined);
    },
    { passive: false },
  );

  // A press chooses a cell. A drag chooses on, while all is in view; it moves the view where only a part is.
  /** @type {(Point & { view: View, dragged: boolean }) | null} */
  let grip = null;
  const choose = (/** @type {PointerEvent} */ event) => {
    const cell = cellAt(canvas, now.view, event);
    if (cell) onGo(cell.row, cell.column);
  };
  /** @type {(event: PointerEvent) => void} */
  function drag(event) {
    if (!grip) return;
    grip.dragged ||= Math.hypot(event.clientX - grip.x, event.clientY - grip.y) > 5;
    if (!grip.dragged) return;
    if (isWhole()) {
      choose(event);
      return;
    }
    const { width, height } = canvas.getBoundingClientRect();
    const down = Math.round(((grip.y - event.clientY) / height) * grip.view.nRows);
    const right = Math.round(((grip.x - event.clientX) / width) * grip.view.nColumns);
    const moved = panView(now.matrix, grip.view, down, right);
    if (moved.row !== now.view.row || moved.column !== now.view.column) onView({ top: moved.row, left: moved.column });
  }
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    grip = { x: event.clientX, y: event.clientY, view: now.view, dragged: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (grip) drag(event);
    else if (event.pointerType === "mouse") onPoint(cellAt(canvas, now.view, event));
  });
  canvas.addEventListener("pointerup", (event) => {
    if (grip && !grip.dragged) choose(event);
    grip = null;
  });
  canvas.addEventListener("pointercancel", () => {
    grip = null;
  });
  canvas.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") onPoint(null);
  });

  // Nothing is painted twice.
  let [painted, legendOf, scale] = ["", "", colourScale({ kind: "diverging", largest: 1, dark: false })];
  /** @type {(table: Drawn, view: View, dark: boolean) => void} */
  function paint({ matrix, key: matrixKey, largest }, view, dark) {
    if (legendOf !== `${largest} ${dark}`) {
      legendOf = `${largest} ${dark}`;
      scale = colourScale({ kind: "diverging", largest, dark });
      legend.set({ scale, words: [formatLabel(-largest), "0", formatLabel(largest)] });
    }
    const [width, height] = [frame.clientWidth, frame.clientHeight];
    const wanted = [matrixKey, ...Object.values(view), width, height, legendOf, devicePixelRatio].join();
    if (painted === wanted || width === 0) return;
    painted = wanted;
    const isAveraged = paintHeatMap(canvas, { ...matrix, view, scale, width, height }).averaged;
    write(averaged, isAveraged ? "A pixel is the mean of its cells." : "");
    write(firstRow, String(view.row));
    write(lastRow, String(view.row + view.nRows - 1));
    write(firstColumn, String(view.column));
    write(lastColumn, String(view.column + view.nColumns - 1));
    canvas.style.touchAction = isWhole() ? "pan-y" : "none";
  }

  /** @type {(table: Drawn, state: EncodingExplorerState, dark: boolean) => View} */
  function update(table, state, dark) {
    const { matrix, row, column } = table;
    const view = viewOf(matrix, state);
    now = { matrix, row, column, view, state };
    paint(table, view, dark);
    const rowBox = cellBox(canvas, view, { row });
    const columnBox = cellBox(canvas, view, { column });
    for (const { marker, box } of [
      { marker: rowMarker, box: rowBox },
      { marker: columnMarker, box: columnBox },
    ]) {
      marker.style.display = box ? "block" : "none";
      Object.assign(marker.style, box ?? {});
    }
    write(rowNumber, rowBox ? String(row) : "");
    rowNumber.style.top = rowBox ? `calc(${rowBox.top} + ${rowBox.height} / 2)` : "0";
    const ends = [firstRow, lastRow].map((end) => Number(end.textContent));
    root.classList.toggle("is-at-start", rowBox !== null && (row - ends[0]) / view.nRows < 0.06);
    root.classList.toggle("is-at-end", rowBox !== null && (ends[1] - row) / view.nRows < 0.06);
    canvas.setAttribute(
      "aria-label",
      `Heat map, positions down, columns across. Position ${row}, column ${column} is chosen; ` +
        "arrow keys choose another, plus and minus zoom",
    );
    return view;
  }
  return { root, key, update, zoom, isWhole };
}
