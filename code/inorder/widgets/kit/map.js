// A matrix of any size on a canvas, with labels beside it: a press or the arrow keys choose a cell, and it can be zoomed.

import { clamp } from "./arithmetic.js";
import { tintBetween } from "./colour.js";
import { make, penOf } from "./elements.js";
import { paintHeatMap, pixelDensity, wholeView } from "./heat_map.js";
import { cellAt, cellStyle, panView, zoomView } from "./heat_map_view.js";
import { kept } from "./kept.js";
import { html, nothing, render } from "./vendor/lit.js";
import { formatNumber } from "./words.js";

/**
 * @typedef {object} Content
 * @property {Shape} cells
 * @property {Table} table what is painted: the cells, or a smaller picture of all of them
 * @property {View | null} window the part in sight; null: all
 * @property {ColourScale} scale
 * @property {boolean} dark
 * @property {number} width of the canvas, like the next in pixels
 * @property {number} height
 * @property {number} em
 * @property {Cell | null} chosen
 * @property {boolean} [isCrossed] its row and its column are framed, too
 * @property {string} label
 * @property {string} [tag] its data-name
 * @property {Numbers | null} [numbers] what is written where there is room: of the cells, row after row
 * @property {number} [digits]
 * @property {string[]} [rows] names, where the map has labels
 * @property {string[]} [columns]
 * @property {number} [left] room for the rows' names
 * @property {Float32Array | null} [odd] 1 for each row that is marked as odd
 * @property {(table: Table, view: View, shape: Shape) => Table} [reduce] where there are more cells than pixels; else their mean
 */

const LABEL_HEIGHT = 5.6; // em, at most
const GUTTER = 7; // pixels, for the marks of odd rows
const SLACK = 6; // pixels that a hand which only presses may move
const SPEAKS = 0.05; // a smaller number is not written: its tint says enough
const LABEL_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** @type {Record<string, number>} */
const ZOOMS = { "+": 2, "=": 2, "-": 0.5, "−": 0.5, 0: 0 };

/**
 * choose(cell): the reader's choice; point(cell): what is under the mouse, or null; show(view): the part in sight, null for
 * all. zoom(factor) is for buttons; 0 shows all.
 * @param {{ choose: (cell: Cell) => void, point: (cell: Cell | null) => void, show: (view: View | null) => void }} actions
 */
export function mapView({ choose, point, show }) {
  const canvas = make("canvas", {
    class: "inorder-heat",
    role: "application",
    tabindex: 0,
    "aria-roledescription": "heat map",
  });
  const gutter = make("canvas", { class: "inorder-gutter", "aria-hidden": "true" });
  const root = make("div", { class: "inorder-canvas-map" });
  let now = /** @type {Content} */ ({});
  /** @type {Cell | null} */
  let pointed = null;

  const view = () => now.window ?? wholeView(now.cells);
  const isWhole = () => !now.window;
  /** @type {(next: View) => void} */
  function showView(next) {
    const { nRows, nColumns } = now.cells;
    show(next.nRows === nRows && next.nColumns === nColumns ? null : next);
  }
  /** @type {(factor: number, at?: Cell) => void} */
  function zoom(factor, at = now.chosen ?? undefined) {
    if (factor === 0) show(null);
    else showView(zoomView(now.cells, view(), factor, at));
  }
  /** @type {(cell: Cell) => void} */
  function chooseInSight(cell) {
    choose(cell);
    if (isWhole()) return;
    const { row, column, nRows, nColumns } = view();
    const down = cell.row < row ? cell.row - row : Math.max(0, cell.row - (row + nRows - 1));
    const right = cell.column < column ? cell.column - column : Math.max(0, cell.column - (column + nColumns - 1));
    if (down || right) showView(panView(now.cells, view(), down, right));
  }

  canvas.addEventListener("keydown", (event) => {
    const { row, column } = now.chosen ?? { row: 0, column: -1 };
    const [lastRow, lastColumn] = [now.cells.nRows - 1, now.cells.nColumns - 1];
    const all = event.ctrlKey || event.metaKey;
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [row - 10, column],
      PageDown: [row + 10, column],
      Home: [all ? 0 : row, 0],
      End: [all ? lastRow : row, lastColumn],
    };
    if (Object.hasOwn(moves, event.key)) {
      event.preventDefault();
      const [toRow, toColumn] = moves[event.key];
      chooseInSight({ row: clamp(toRow, 0, lastRow), column: clamp(toColumn, 0, lastColumn) });
    } else if (!all && !event.altKey && Object.hasOwn(ZOOMS, event.key)) {
      event.preventDefault();
      zoom(ZOOMS[event.key]);
    }
  });

  // A press chooses a cell; where the map is zoomed, dragging moves it. A mouse chooses at once and while it is held; a
  // finger once it has moved, or when it leaves: one that goes up or down scrolls the page.
  /** @type {{ x: number, y: number, isMoved: boolean, view: View } | null} */
  let start = null;
  /** @type {(event: PointerEvent) => void} */
  function press(event) {
    const { type, clientX: x, clientY: y } = event;
    const isTouch = event.pointerType === "touch";
    if (type === "pointerdown" && event.button === 0) {
      start = { x, y, isMoved: false, view: view() };
      canvas.setPointerCapture(event.pointerId);
    }
    if (!start) return;
    start.isMoved ||= Math.hypot(x - start.x, isTouch && isWhole() ? 0 : y - start.y) > SLACK;
    const at = cellAt(canvas, view(), event);
    if (!isWhole() && start.isMoved && type !== "pointercancel") {
      const down = Math.round(((start.y - y) / now.height) * start.view.nRows);
      const right = Math.round(((start.x - x) / now.width) * start.view.nColumns);
      showView(panView(now.cells, start.view, down, right));
    } else if (type === "pointerup" || (type !== "pointercancel" && isWhole() && (!isTouch || start.isMoved))) {
      if (at) choose(at);
    }
    if (type === "pointerup" || type === "pointercancel") start = null;
  }
  for (const name of /** @type {const} */ (["pointerdown", "pointermove", "pointerup", "pointercancel"])) {
    canvas.addEventListener(name, press);
  }
  /** @type {(cell: Cell | null) => void} */
  function pointAt(cell) {
    pointed = cell;
    drawMarks();
    point(cell);
  }
  canvas.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && !event.buttons) pointAt(cellAt(canvas, view(), event));
  });
  canvas.addEventListener("pointerleave", () => pointAt(null));
  canvas.addEventListener("dblclick", (event) => zoom(2, cellAt(canvas, view(), event) ?? undefined));
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return; // a pinch on a touch pad comes as ctrl + wheel; the wheel alone scrolls the page
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.25 : 0.8, cellAt(canvas, view(), event) ?? undefined);
    },
    { passive: false },
  );

  const paint = kept(
    /** @type {(...parts: [Table, Shape, View, ColourScale, number, number, Content["numbers"], Content["odd"]]) => void} */
    (table, cells, part, scale, width, height, numbers, odd) => {
      const isPicture = table.nRows !== cells.nRows || table.nColumns !== cells.nColumns;
      const most = (/** @type {number} */ n, /** @type {number} */ length) =>
        Math.min(n, Math.round(length * pixelDensity()));
      const shape = { nRows: most(part.nRows, height), nColumns: most(part.nColumns, width) };
      const isReduced = shape.nRows < part.nRows || shape.nColumns < part.nColumns;
      const whole = isPicture ? table : { ...table, view: part };
      const painted = isReduced && !isPicture && now.reduce ? now.reduce(table, part, shape) : whole;
      paintHeatMap(canvas, { ...painted, scale, width, height });
      if (numbers && !isPicture) writeNumbers(table, numbers, part, width / part.nColumns, height / part.nRows);
      if (odd) {
        const marks = { values: odd, nRows: cells.nRows, nColumns: 1, view: { ...part, column: 0, nColumns: 1 } };
        paintHeatMap(gutter, { ...marks, scale: { ...scale, largest: 0.1 }, width: GUTTER - 2, height });
      }
    },
  );

  /** @type {(table: Table, numbers: Numbers, part: View, cellWidth: number, cellHeight: number) => void} */
  function writeNumbers({ values, nColumns }, numbers, part, cellWidth, cellHeight) {
    const { em, scale, dark, digits = 2 } = now;
    if (cellWidth < 2.2 * em || cellHeight < em) return;
    const pen = penOf(canvas);
    const density = pixelDensity();
    pen.setTransform(density, 0, 0, density, 0, 0);
    const font = `${0.74 * em}px ${getComputedStyle(canvas).fontFamily}`;
    Object.assign(pen, { font, textAlign: "center", textBaseline: "middle" });
    const tint = tintBetween(scale.smallest, scale.largest, dark);
    for (let row = 0; row < part.nRows; row += 1) {
      for (let column = 0; column < part.nColumns; column += 1) {
        const i = (part.row + row) * nColumns + part.column + column;
        if (!values[i] || !(Math.abs(numbers[i]) >= SPEAKS)) continue; // blank, or NaN, too
        pen.fillStyle = tint(values[i]).ink;
        pen.fillText(formatNumber(numbers[i], digits), (column + 0.5) * cellWidth, (row + 0.5) * cellHeight + 0.5);
      }
    }
  }

  // From one label to the next: names where there is room for each, else numbers.
  /** @type {(cell: number) => number} */
  const stepFor = (cell) => LABEL_STEPS.find((step) => step * cell >= 0.87 * now.em) ?? 1000;

  /** @type {(names: string[], first: number, n: number, cell: number, place: (middle: number) => string) => unknown} */
  function labels(names, first, n, cell, place) {
    const step = stepFor(cell);
    const start = Math.ceil(first / step) * step;
    const isOdd = (/** @type {number} */ index) => names === now.rows && now.odd?.[index];
    return Array.from({ length: Math.max(0, Math.ceil((first + n - start) / step)) }, (_, i) => {
      const index = start + i * step;
      return html`<span style=${place((index - first + 0.5) * cell)} title="${index}: ${names[index]}">${
        isOdd(index) ? html`<b>≠1 </b>` : nothing
      }<bdi>${step === 1 ? names[index] : index}</bdi></span>`;
    });
  }

  function drawMarks() {
    const { chosen, rows, isCrossed } = now;
    const marks = [
      chosen && (rows || isCrossed) && { kind: "row", cell: { row: chosen.row } },
      chosen && isCrossed && { kind: "row", cell: { column: chosen.column } },
      chosen && { kind: "cell", cell: chosen },
      pointed && { kind: "hover", cell: pointed },
    ].filter((mark) => mark !== null && mark !== undefined && mark !== false);
    const { cells, rows: names = [], columns = [], left = 0, width, height, odd, em } = now;
    const part = view();
    const gap = odd ? GUTTER : 0;
    const cellWidth = width / part.nColumns;
    const longest = stepFor(cellWidth) > 1 ? 4 : Math.max(0, ...columns.map((name) => name.length));
    root.style.gridTemplate = `${columns.length ? Math.min(LABEL_HEIGHT, 0.7 + 0.47 * longest) * em : 0}px ${height}px / ${left}px ${gap}px ${width}px`;
    render(
      html`<div class="inorder-column-labels" aria-hidden="true">${
        columns.length === cells.nColumns
          ? labels(
              columns,
              part.column,
              part.nColumns,
              cellWidth,
              (x) => `left: ${left + gap + x}px; max-height: ${LABEL_HEIGHT - 0.4}em`,
            )
          : nothing
      }</div><div class="inorder-row-labels" aria-hidden="true">${
        names.length === cells.nRows
          ? labels(names, part.row, part.nRows, height / part.nRows, (y) => `top: ${y}px; max-width: ${left - 6}px`)
          : nothing
      }</div>${odd ? gutter : nothing}<div class="inorder-heat-box">${canvas}${marks.map(
        ({ kind, cell }) => html`<div class="inorder-map-mark is-${kind}" style=${cellStyle(part, cell)}></div>`,
      )}</div>`,
      root,
    );
  }

  /** @type {(next: Content) => void} */
  function draw(next) {
    now = next;
    const { table, cells, scale, width, height, numbers, odd } = now;
    if (width <= 0 || height <= 0) return; // nowhere on the page, as when a notebook changes its theme
    canvas.style.touchAction = isWhole() ? "pan-y" : "none";
    canvas.ariaLabel = now.label;
    if (now.tag) canvas.dataset.name = now.tag;
    drawMarks();
    paint(table, cells, view(), scale, width, height, numbers, odd);
  }
  return { root, draw, zoom, isWhole };
}
