// One head as a heat map between its labels. `now` and `actions` are as in grid.js.

import { palette, sequentialColour } from "../kit/colour.js";
import { make, penOf } from "../kit/elements.js";
import { colourScale, paintHeatMap, wholeView } from "../kit/heat_map.js";
import { cellAt, cellBox, panView, zoomView } from "../kit/heat_map_view.js";
import { largestOf, largestOfBlocks } from "./data.js";
import { pictureOfHead } from "./pictures.js";
import { clamp, once, spell } from "./words.js";

/** @typedef {import("./data.js").Now} Now */

const LABEL_HEIGHT = 5.6; // em, at most
const [ROOM, ON_A_PHONE] = [18, 11]; // em: its height without the labels, at most
const GUTTER = 7; // px, where rows that do not sum to 1 have their mark

/**
 * @type {(actions: import("./data.js").Actions) => { root: HTMLElement, draw: (now: Now) => void,
 *   zoom: (factor: number, at?: Cell) => void, isWhole: () => boolean }}
 */
export function matrixView(actions) {
  const canvas = make("canvas", {
    class: "inorder-heat",
    role: "application",
    tabindex: 0,
    "aria-roledescription": "heat map",
  });
  const gutter = make("canvas", { class: "inorder-gutter", "aria-hidden": "true" });
  const [rowMark, cellMark, hoverMark] = ["is-row", "is-cell", "is-hover"].map((kind) =>
    make("div", { class: `inorder-mark ${kind}`, hidden: true }),
  );
  const rowLabels = make("div", { class: "inorder-row-labels", "aria-hidden": "true" });
  const columnLabels = make("div", { class: "inorder-column-labels", "aria-hidden": "true" });
  const heat = make("div", { class: "inorder-heat-box" }, canvas, rowMark, cellMark, hoverMark);
  const root = make("div", { class: "inorder-matrix-view" }, columnLabels, rowLabels, gutter, heat);
  const [paint, relabel] = [once(), once()];
  let now = /** @type {Now} */ ({});
  let view = /** @type {View} */ ({}); // what is in sight; while it is dragged, ahead of state.window
  let size = /** @type {{ label: number, width: number, height: number }} */ ({});
  /** @type {(Point & { view: View, moved: boolean }) | null} */
  let drag = null;

  const matrix = () => ({ nRows: now.data.shape[2], nColumns: now.data.shape[3] });
  /** @type {(window: number[]) => View} */
  const inSight = ([row, column, nRows, nColumns]) => ({ row, column, nRows, nColumns });
  const isWhole = () => view.nRows === matrix().nRows && view.nColumns === matrix().nColumns;

  /** @type {(next: View) => void} */
  function show(next) {
    const { row, column, nRows, nColumns } = next;
    view = next;
    actions.choose({ window: isWhole() ? [] : [row, column, nRows, nColumns] });
  }

  /** @type {(factor: number, at?: Cell) => void} */
  function zoom(factor, at = { row: now.state.query, column: now.state.key }) {
    if (factor === 0) show(wholeView(matrix()));
    else show(zoomView(matrix(), view, factor, at));
  }

  /** @type {(query: number, key: number) => void} */
  function follow(query, key) {
    const down = query < view.row ? query - view.row : Math.max(0, query - (view.row + view.nRows - 1));
    const right = key < view.column ? key - view.column : Math.max(0, key - (view.column + view.nColumns - 1));
    if (down || right) show(panView(matrix(), view, down, right));
  }

  canvas.addEventListener("keydown", (event) => {
    const { query, key } = now.state;
    const { nRows, nColumns } = matrix();
    const all = event.ctrlKey || event.metaKey;
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowUp: [query - 1, key],
      ArrowDown: [query + 1, key],
      ArrowLeft: [query, key - 1],
      ArrowRight: [query, key + 1],
      PageUp: [query - 10, key],
      PageDown: [query + 10, key],
      Home: [all ? 0 : query, 0],
      End: [all ? nRows - 1 : query, nColumns - 1],
    };
    /** @type {Record<string, number>} */
    const zooms = { "+": 2, "=": 2, "-": 0.5, "−": 0.5, 0: 0 };
    if (Object.hasOwn(moves, event.key)) {
      event.preventDefault();
      const [to, along] = [clamp(moves[event.key][0], 0, nRows - 1), clamp(moves[event.key][1], 0, nColumns - 1)];
      actions.choose({ query: to, key: along });
      follow(to, along);
    } else if (!all && !event.altKey && Object.hasOwn(zooms, event.key)) {
      event.preventDefault();
      zoom(zooms[event.key]);
    }
  });

  // A press chooses a cell; where the matrix is zoomed, dragging moves it.
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, y: event.clientY, view, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag && !isWhole()) {
      const down = Math.round(((drag.y - event.clientY) / size.height) * view.nRows);
      const right = Math.round(((drag.x - event.clientX) / size.width) * view.nColumns);
      drag.moved ||= Math.hypot(drag.x - event.clientX, drag.y - event.clientY) > 5;
      if (drag.moved) {
        view = panView(matrix(), drag.view, down, right);
        redraw();
      }
      return;
    }
    const at = event.pointerType === "mouse" ? cellAt(canvas, view, event) : null;
    place(hoverMark, at);
    actions.point(at?.row ?? null, at?.column ?? null);
  });
  canvas.addEventListener("pointerup", (event) => {
    const at = cellAt(canvas, view, event);
    const moved = drag?.moved;
    drag = null;
    if (moved) show(view);
    else if (at) actions.choose({ query: at.row, key: at.column });
  });
  canvas.addEventListener("pointercancel", () => {
    drag = null;
  });
  canvas.addEventListener("pointerleave", () => {
    place(hoverMark, null);
    actions.point(null);
  });
  canvas.addEventListener("dblclick", (event) => zoom(2, cellAt(canvas, view, event) ?? undefined));
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return; // a pinch on a touch pad comes as ctrl + wheel; the wheel alone scrolls the page
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.25 : 0.8, cellAt(canvas, view, event) ?? undefined);
    },
    { passive: false },
  );

  /** @type {(mark: HTMLElement, at: Partial<Cell> | null) => void} */
  function place(mark, at) {
    const box = at && cellBox(canvas, view, at);
    mark.hidden = !box;
    if (box) Object.assign(mark.style, box);
  }

  function measure() {
    const { nRows, nColumns } = matrix();
    const { em } = now;
    const room = root.clientWidth;
    const isNarrow = room < 25 * em;
    const label = isNarrow ? 4.1 * em : 6.5 * em;
    const width = Math.floor(Math.min(room - label - GUTTER - 2, nColumns * 3.7 * em));
    const lowest = Math.min(nRows * 1.5, 9) * em;
    const height = clamp(
      Math.round(Math.min((width * nRows) / nColumns, nRows * 2.7 * em)),
      lowest,
      (isNarrow ? ON_A_PHONE : ROOM) * em,
    );
    size = { label, width, height };
    root.style.gridTemplateColumns = `${label}px ${GUTTER}px ${width}px`;
    const longest =
      stepFor(width / view.nColumns) > 1 ? 4 : Math.max(...now.keyTokens.map((token) => spell(token).length));
    root.style.gridTemplateRows = `${Math.min(LABEL_HEIGHT, 0.7 + 0.47 * longest)}em ${height}px`;
  }

  function redraw() {
    const { state, data, dark, shares, head } = now;
    measure();
    const { width, height } = size;
    if (width <= 0 || height <= 0) return; // nowhere on the page, as when a notebook changes its theme: it follows the room
    const { layer, head: h, combine, threshold, triangle, scale } = state;
    canvas.style.touchAction = isWhole() ? "pan-y" : "none";
    paint(
      [layer, h, combine, threshold, triangle, scale, dark, view, size, head ? "head" : Boolean(now.thumbnails)],
      () => {
        const density = Math.min(devicePixelRatio || 1, 2);
        const colours = colourScale({ kind: "sequential", largest: 1, dark });
        if (!shares) return paintBlocks(colours);
        const [nRows, nColumns] = [
          Math.min(view.nRows, Math.round(height * density)),
          Math.min(view.nColumns, Math.round(width * density)),
        ];
        const reduced = nRows < view.nRows || nColumns < view.nColumns;
        const source = reduced
          ? { values: largestOfBlocks(shares, data.shape[3], view, nRows, nColumns), nRows, nColumns }
          : { values: shares, ...matrix(), view };
        paintHeatMap(canvas, { ...source, scale: colours, width, height });
        if (head) writeNumbers(head, shares, width / view.nColumns, height / view.nRows);
        paintGutter();
      },
    );
    relabel([view, size, dark, Boolean(head), layer, h, combine], label);
    place(rowMark, { row: state.query });
    place(cellMark, { row: state.query, column: state.key });
    const what = combine === "none" ? `layer ${layer}, head ${h}` : `layer ${layer}, ${combine} of the heads`;
    canvas.setAttribute(
      "aria-label",
      `Weights of ${what}: arrow keys choose query and key, plus and minus zoom, 0 shows all`,
    );
  }

  // While the head itself is not here, its thumbnail.
  /** @type {(colours: ColourScale) => void} */
  function paintBlocks(colours) {
    const {
      thumbnails: { rows, columns },
    } = now.data;
    const values = now.thumbnails
      ? pictureOfHead(now, now.state.layer, now.state.head)
      : new Float64Array(rows * columns).fill(NaN);
    if (now.state.combine !== "none") values.fill(NaN);
    const largest = largestOf(values, 0, values.length) || 1;
    paintHeatMap(canvas, {
      values: values.map((x) => x / largest),
      nRows: rows,
      nColumns: columns,
      scale: colours,
      ...size,
    });
    gutter.width = 0;
  }

  /** @type {(head: import("./data.js").Head, shares: Float32Array, cellWidth: number, cellHeight: number) => void} */
  function writeNumbers(head, shares, cellWidth, cellHeight) {
    if (cellWidth < 2.2 * now.em || cellHeight < now.em) return;
    const pen = penOf(canvas);
    const density = canvas.width / size.width;
    pen.setTransform(density, 0, 0, density, 0, 0);
    Object.assign(pen, {
      font: `${0.74 * now.em}px ${getComputedStyle(canvas).fontFamily}`,
      textAlign: "center",
      textBaseline: "middle",
    });
    for (let row = 0; row < view.nRows; row += 1) {
      for (let column = 0; column < view.nColumns; column += 1) {
        const i = (view.row + row) * now.data.shape[3] + view.column + column;
        const share = shares[i];
        if (!(share > 0 && head.values[i] >= 0.05)) continue; // of smaller ones the tint says enough
        pen.fillStyle = sequentialColour(share, now.dark).ink;
        pen.fillText(
          head.values[i].toFixed(cellWidth < 2.8 * now.em ? 2 : 3),
          (column + 0.5) * cellWidth,
          (row + 0.5) * cellHeight + 0.5,
        );
      }
    }
  }

  /** @type {(query: number) => boolean} */
  const isOdd = (query) => Math.abs((now.head?.sums?.[query] ?? 1) - 1) > now.data.tolerance;

  function paintGutter() {
    const density = Math.min(devicePixelRatio || 1, 2);
    [gutter.width, gutter.height] = [GUTTER * density, Math.round(size.height * density)];
    Object.assign(gutter.style, { width: `${GUTTER}px`, height: `${size.height}px` });
    const pen = penOf(gutter);
    pen.fillStyle = `rgb(${palette(now.dark).ink.join(" ")})`;
    const height = gutter.height / view.nRows;
    for (let row = 0; row < view.nRows; row += 1) {
      if (isOdd(view.row + row)) pen.fillRect(0, row * height, (GUTTER - 2) * density, Math.max(height, density));
    }
  }

  // From one label to the next: tokens where there is room for each, else numbers.
  /** @type {(cell: number) => number} */
  const stepFor = (cell) =>
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => step * cell >= 0.87 * now.em) ?? 1000;

  function label() {
    const { label: left, width, height } = size;
    /** @type {(n: number, first: number, cell: number, list: string[], place: (middle: number) => string) => HTMLElement[]} */
    const names = (n, first, cell, list, place) => {
      const step = stepFor(cell);
      const start = Math.ceil(first / step) * step;
      return Array.from({ length: Math.max(0, Math.ceil((first + n - start) / step)) }, (_, i) => {
        const index = start + i * step;
        const text = make("bdi", {}, step === 1 ? spell(list[index]) : String(index));
        return make(
          "span",
          { style: place((index - first + 0.5) * cell), "data-index": index, title: `${index}: ${list[index]}` },
          text,
        );
      });
    };
    const rows = names(
      view.nRows,
      view.row,
      height / view.nRows,
      now.tokens,
      (y) => `top: ${y}px; max-width: ${left - 6}px`,
    );
    for (const span of rows)
      if (isOdd(Number(span.dataset.index))) span.prepend(make("b", { class: "inorder-odd" }, "≠1 "));
    rowLabels.replaceChildren(...rows);
    columnLabels.replaceChildren(
      ...names(
        view.nColumns,
        view.column,
        width / view.nColumns,
        now.keyTokens,
        (x) => `left: ${left + GUTTER + x}px; max-height: ${LABEL_HEIGHT - 0.4}em`,
      ),
    );
  }

  /** @type {(next: Now) => void} */
  function draw(next) {
    now = next;
    if (!drag?.moved) view = now.shares && now.state.window.length ? inSight(now.state.window) : wholeView(matrix());
    redraw();
  }
  return { root, draw, zoom, isWhole: () => !now.data || isWhole() };
}
