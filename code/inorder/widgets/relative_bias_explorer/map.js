// One scheme for all pairs of query and key.

import { make, setAttributes, write } from "../kit/elements.js";
import { colourScale, paintHeatMap, wholeView } from "../kit/heat_map.js";
import { cellAt, cellBox } from "../kit/heat_map_view.js";
import { kept } from "../kit/kept.js";
import { colourLegend } from "../kit/legend.js";
import { formatNumber } from "../kit/words.js";
import { brief } from "./words.js";

// `onPick(query, key)`: a pair was pressed.
/**
 * @type {(options: { onPick: (query: number, key: number) => void }) => { root: HTMLElement,
 *   tell: (state: RelativeBiasExplorerState, map: Matrix, label: string, dark: boolean) => void, measure: () =>
 *   number, draw: (state: RelativeBiasExplorerState, side: number) => void }}
 */
export function pairMap({ onPick }) {
  const canvas = make("canvas", { class: "inorder-bias-map", role: "img" });
  const rowMark = make("div", { class: "inorder-row-mark", "aria-hidden": "true" });
  const cellMark = make("div", { class: "inorder-cell-mark", "aria-hidden": "true" });
  const board = make("div", { class: "inorder-board" }, canvas, rowMark, cellMark);
  const legend = colourLegend();
  const number = make("span", { class: "inorder-number", "data-name": "cell" });
  const where = document.createTextNode("");
  const axis = (/** @type {string | Node} */ text, more = "") =>
    make("div", { class: `inorder-map-axis ${more}`, "aria-hidden": "true" }, text);
  const root = make(
    "div",
    { class: "inorder-pairs" },
    axis("key →"),
    axis("← query", "is-upright"),
    board,
    make("div", { class: "inorder-key" }, legend.root, make("p", { class: "inorder-readout" }, where, number)),
  );
  let n = 1;
  let colours = /** @type {ReturnType<typeof colour> | null} */ (null);
  const view = () => wholeView({ nRows: n, nColumns: n });

  /** @type {(event: PointerEvent) => void} */
  function pick(event) {
    const cell = cellAt(canvas, view(), event);
    if (cell) onPick(cell.row, cell.column);
  }
  board.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    board.setPointerCapture(event.pointerId);
    pick(event);
  });
  board.addEventListener("pointermove", (event) => {
    if (board.hasPointerCapture(event.pointerId)) pick(event);
  });

  const colour = kept((/** @type {Matrix} */ map, /** @type {boolean} */ as_weights, /** @type {boolean} */ dark) => {
    const values = Float64Array.from(map.flat());
    const largest = Math.max(1e-12, ...values.filter(Number.isFinite).map(Math.abs));
    const scale = colourScale({ kind: as_weights ? "sequential" : "diverging", largest, dark });
    const ends = as_weights ? ["0", brief(largest)] : [brief(-largest), "0", brief(largest)];
    legend.set({ scale, words: ends, missing: values.includes(-Infinity) ? "−∞" : "" });
    return { values, scale };
  });
  // The density of the pixels is that of the screen, or of the page's zoom.
  /** @type {(colours: { values: Numbers, scale: ColourScale }, side: number, density: number) => void} */
  const paint = kept(({ values, scale }, side, _density) => {
    paintHeatMap(canvas, { values, nRows: n, nColumns: n, scale, width: side, height: side });
  });

  // Words and legend; map: (query, key).
  /** @type {(state: RelativeBiasExplorerState, map: Matrix, label: string, dark: boolean) => void} */
  function tell(state, map, label, dark) {
    const { query, key, as_weights } = state;
    n = state.n;
    const value = map[query][key];
    write(where, `Query ${query}, key ${key}: `);
    write(number, formatNumber(value, 3));
    setAttributes(number, { "data-row": query, "data-col": key, "data-value": value });
    const what = `${label}, all pairs${as_weights ? ": weights" : ""}`;
    const told = `Heat map, query by key: ${what}, ${n} by ${n}; the row of query ${query} is framed`;
    setAttributes(canvas, { "aria-label": told });
    colours = colour(map, as_weights, dark);
  }

  // What they leave for the picture.
  const measure = () => Math.floor(Math.min(board.clientWidth, board.clientHeight));

  /** @type {(state: RelativeBiasExplorerState, side: number) => void} */
  function draw({ query, key }, side) {
    if (side <= 0 || !colours) return;
    paint(colours, side, devicePixelRatio);
    Object.assign(rowMark.style, cellBox(canvas, view(), { row: query }));
    Object.assign(cellMark.style, cellBox(canvas, view(), { row: query, column: key }));
  }
  return { root, tell, measure, draw };
}
