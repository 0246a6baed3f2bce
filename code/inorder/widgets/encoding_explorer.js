// EncodingExplorer: a sinusoidal encoding, or a table of the reader's own, as heat map, waves, clock hands and products.
// All cells are computed, not only those in view: row after row, each pair (sin, cos) turned by its ω with the angle-
// addition formulas, and computed afresh by Math.sin and Math.cos at every 64th row so that rounding cannot pile up
// (the error stays below 1e-13). Where cells outnumber pixels, heat_map.js shows their means.

import {
  button, figureShell, followState, followWidth, formatNumber, make, select, slider, subscript, svgNode,
} from "./kit.js";
import { cellAt, cellBox, colourLegend, colourScale, paintHeatMap, panView, zoomView } from "./heat_map.js";

const MOST_POSITIONS = 2048;
const MOST_DIMENSIONS = 512;
const LARGEST_BASE = 1e6;
const LAYOUTS = ["interleaved", "halves"];
const PRODUCTS = ["all", "sines"];
const FRESH_EVERY = 64;

// ---------------------------------------------------------------------------------------------------- arithmetic

// inorder.encodings.frequencies: ω_j = base^(−2j/d_model).
export function waveFrequencies(dModel, base) {
  return Float64Array.from({ length: dModel / 2 }, (_, j) => base ** ((-2 * j) / dModel));
}

// The sine of pair j is in column j · stride, its cosine `step` columns further.
export function pairColumns(dModel, layout) {
  return layout === "interleaved" ? { stride: 2, step: 1 } : { stride: 1, step: dModel / 2 };
}

// inorder.encodings.sinusoidal_encoding of positions 0 … length − 1, row after row, into `table` if one is given.
export function encodingTable(length, dModel, { base, layout }, table = new Float64Array(length * dModel)) {
  const omega = waveFrequencies(dModel, base);
  const { stride, step } = pairColumns(dModel, layout);
  const [turnSin, turnCos] = [omega.map(Math.sin), omega.map(Math.cos)];
  for (let p = 0; p < length; p += 1) {
    let at = p * dModel;
    if (p % FRESH_EVERY === 0) {
      for (let j = 0; j < omega.length; j += 1, at += stride) {
        table[at] = Math.sin(p * omega[j]);
        table[at + step] = Math.cos(p * omega[j]);
      }
      continue;
    }
    for (let j = 0; j < omega.length; j += 1, at += stride) {
      const sin = table[at - dModel];
      const cos = table[at - dModel + step];
      table[at] = sin * turnCos[j] + cos * turnSin[j];
      table[at + step] = cos * turnCos[j] - sin * turnSin[j];
    }
  }
  return table; // (position, d_model)
}

// p_row · p_other for every other row, over the columns `first`, `first` + `step`, …, `count` of them.
export function rowProducts({ values, nRows, nColumns }, row, { first = 0, step = 1, count = nColumns } = {}) {
  const products = new Float64Array(nRows);
  const own = values.slice(row * nColumns, (row + 1) * nColumns);
  const end = first + step * count;
  for (let other = 0; other < nRows; other += 1) {
    let sum = 0;
    for (let column = first; column < end; column += step) sum += own[column] * values[other * nColumns + column];
    products[other] = sum;
  }
  return products;
}

// Which columns the score reads: all of them, W = 1, or the sines only.
export function columnsRead({ d_model, column_layout, product }) {
  if (product === "all") return {};
  return { first: 0, step: column_layout === "interleaved" ? 2 : 1, count: d_model / 2 };
}

// The reader's own table travels as the bytes of a Float64Array in base 64.
export function tableFromText({ n_rows, n_columns, float64 }) {
  const bytes = Uint8Array.from(atob(float64), (letter) => letter.charCodeAt(0));
  return { values: new Float64Array(bytes.buffer), nRows: n_rows, nColumns: n_columns };
}

// -------------------------------------------------------------------------------------------------------- words

function formatLength(x) {
  return formatNumber(x, x >= 99.95 ? 0 : 1);
}

// encoding_explorer.py says the same.
function summarise(state, given, { position, column, value, products }) {
  const digits = given ? 4 : 2; // learned tables hold small numbers
  const [self, next] = [position, position + 1 < state.length ? position + 1 : position - 1];
  const falls = `Its product with itself is ${formatNumber(products[self], digits)}, `
    + `with the row ${next > self ? "after" : "before"} it ${formatNumber(products[next], digits)}`;
  if (given) {
    return `A table of ${state.length} positions × ${state.d_model} dimensions. `
      + `Position ${position}, column ${column}: ${formatNumber(value, digits)}. ${falls}.`;
  }
  const omega = waveFrequencies(state.d_model, state.base);
  const { wave, pair } = waveOf(column, state);
  const slow = omega.filter((w) => w * (state.length - 1) < Math.PI / 2).length;
  const read = state.product === "all" ? "" : " (sines only)";
  return `${state.length} positions × ${state.d_model} dimensions, base ${formatLength(state.base)}, `
    + `${state.column_layout}. Position ${position}, column ${column}: ${wave}(${position} ω${subscript(pair)}) = `
    + `${formatNumber(value)}, `
    + `a wavelength of ${formatLength((2 * Math.PI) / omega[pair])} positions. `
    + `The longest is ${formatLength((2 * Math.PI) / omega.at(-1))}; from the first position to the last, `
    + `${slow} of ${omega.length} hands make less than a quarter turn. ${falls}${read}.`;
}

function waveOf(column, { d_model, column_layout }) {
  if (column_layout === "halves") return { wave: column < d_model / 2 ? "sin" : "cos", pair: column % (d_model / 2) };
  return { wave: column % 2 ? "cos" : "sin", pair: Math.floor(column / 2) };
}

// What the address bar may say.
function checksFor(given) {
  const whole = (least, most) => (value) => Number.isInteger(value) && value >= least && value <= most;
  const row = whole(0, MOST_POSITIONS - 1);
  const column = whole(0, MOST_DIMENSIONS - 1);
  const [nRows, nColumns] = [whole(1, MOST_POSITIONS), whole(1, MOST_DIMENSIONS)];
  const isView = ([r, c, rows, columns]) => row(r) && column(c) && nRows(rows) && nColumns(columns);
  return {
    position: row,
    length: whole(2, given ? given.nRows : MOST_POSITIONS),
    d_model: (value) => (given ? value === given.nColumns : whole(2, MOST_DIMENSIONS)(value) && value % 2 === 0),
    base: (value) => typeof value === "number" && value >= 1 && value <= LARGEST_BASE,
    column_layout: (value) => LAYOUTS.includes(value),
    column,
    view: (value) => Array.isArray(value) && value.length === 4 && isView(value),
    product: (value) => PRODUCTS.includes(value) && !(given && value !== "all"),
  };
}

// ---------------------------------------------------------------------------------------------------- the plots

// One curve over whole numbers, with a mark on it. The axis says its ends, and 0 where the curve crosses it.
function curvePlot() {
  const svg = svgNode("svg", { class: "inorder-plot", role: "img" });
  const zero = svgNode("path", { class: "inorder-plot-zero" });
  const curve = svgNode("path", { class: "inorder-plot-curve" });
  const dots = svgNode("path", { class: "inorder-plot-dots" });
  const stem = svgNode("path", { class: "inorder-plot-stem" });
  const mark = svgNode("circle", { class: "inorder-plot-mark", r: 4.5 });
  const words = ["start", "middle", "end", "end", "end"].map((anchor) => svgNode("text", { "text-anchor": anchor }));
  svg.append(zero, stem, curve, dots, mark, ...words);
  const [left, right, top, bottom, height] = [46, 8, 8, 18, 120];

  // ys[0] stands at x = first; the axes run from `from` to `to` and from `low` to `high`; `at` is the x of the mark.
  function draw({ ys, first, from, to, low, high, at, width }) {
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    const xOf = (x) => left + ((x - from) / Math.max(to - from, 1)) * (width - left - right);
    const yOf = (y) => top + ((high - y) / (high - low || 1)) * (height - top - bottom);
    const [start, end] = [Math.max(from, first), Math.min(to, first + ys.length - 1)];
    const tenth = (pixels) => Math.round(10 * pixels) / 10; // toFixed takes twice as long
    const points = placesToDraw(ys, start - first, end - first, width)
      .map((i) => `${tenth(xOf(i + first))} ${tenth(yOf(ys[i]))}`);
    curve.setAttribute("d", `M${points.join("L")}`);
    dots.setAttribute("d", points.length > 48 ? "" : points.map((point) => `M${point}h0`).join(""));
    zero.setAttribute("d", `M${left} ${yOf(0).toFixed(1)}H${width - right}`);
    const shown = at >= start && at <= end;
    for (const node of [mark, stem]) node.setAttribute("display", shown ? "inline" : "none");
    if (shown) {
      mark.setAttribute("cx", xOf(at));
      mark.setAttribute("cy", yOf(ys[at - first]));
      stem.setAttribute("d", `M${xOf(at).toFixed(1)} ${top}V${height - bottom}`);
    }
    const middle = Math.round((from + to) / 2);
    const base = height - 4;
    const places = [[left, base, from], [xOf(middle), base, middle], [width - right, base, to],
      [left - 5, top + 8, formatLabel(high)], [left - 5, height - bottom, formatLabel(low)]];
    places.forEach(([x, y, text], i) => {
      words[i].setAttribute("x", x);
      words[i].setAttribute("y", y);
      words[i].textContent = typeof text === "number" ? formatNumber(text, 0) : text;
    });
  }
  return { svg, draw };
}

// All from `start` to `end`, or, where two or more would share a pixel, the lowest and the highest of those that do:
// the picture is the same, and the browser has less to draw.
export function placesToDraw(ys, start, end, nPixels) {
  const share = Math.max(1, Math.floor((2 * (end - start + 1)) / nPixels));
  const places = [];
  for (let from = start; from <= end; from += share) {
    let [low, high] = [from, from];
    for (let i = from + 1; i < Math.min(from + share, end + 1); i += 1) {
      if (ys[i] < ys[low]) low = i;
      if (ys[i] >= ys[high]) high = i;
    }
    places.push(Math.min(low, high));
    if (low !== high) places.push(Math.max(low, high));
  }
  return places;
}

function formatLabel(x) {
  const size = Math.abs(x);
  return x === 0 ? "0" : formatNumber(x, size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4);
}

// A dial for each pair: the hand starts at twelve and turns clockwise by ω_j a position, so its tip is (sin, cos).
function clockFace() {
  const canvas = make("canvas", { class: "inorder-clocks", role: "img" });
  let [across, cell] = [1, 1];

  function draw({ values, nColumns, row, layout, pair, width, paint }) {
    const nPairs = nColumns / 2;
    const { stride, step } = pairColumns(nColumns, layout);
    cell = Math.min(64, Math.max(16, Math.floor(Math.sqrt((width * 150) / nPairs))));
    across = Math.max(1, Math.min(nPairs, Math.floor(width / cell)));
    const height = Math.ceil(nPairs / across) * cell;
    const density = Math.min(devicePixelRatio || 1, 2);
    const [pixelWidth, pixelHeight] = [Math.round(across * cell * density), Math.round(height * density)];
    if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
      [canvas.width, canvas.height] = [pixelWidth, pixelHeight];
      canvas.style.width = `${across * cell}px`;
      canvas.style.height = `${height}px`;
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.clearRect(0, 0, across * cell, height);
    const radius = cell / 2 - 2;
    const centre = (j) => [(j % across) * cell + cell / 2, Math.floor(j / across) * cell + cell / 2];
    pen.beginPath();
    for (let j = 0; j < nPairs; j += 1) {
      const [x, y] = centre(j);
      pen.moveTo(x + radius, y);
      pen.arc(x, y, radius, 0, 2 * Math.PI);
    }
    pen.strokeStyle = paint.line;
    pen.lineWidth = 1;
    pen.stroke();
    pen.beginPath();
    for (let j = 0; j < nPairs; j += 1) {
      const [x, y] = centre(j);
      pen.moveTo(x, y);
      const sine = row * nColumns + j * stride;
      pen.lineTo(x + radius * values[sine], y - radius * values[sine + step]);
    }
    pen.strokeStyle = paint.ink;
    pen.lineWidth = Math.max(1.25, cell / 20);
    pen.stroke();
    const [x, y] = centre(pair);
    pen.strokeStyle = paint.accent;
    pen.lineWidth = 2.5;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.stroke();
  }

  function pairAt({ clientX, clientY }) {
    const { left, top } = canvas.getBoundingClientRect();
    const column = Math.floor((clientX - left) / cell);
    return column < across ? Math.floor((clientY - top) / cell) * across + column : -1;
  }
  return { canvas, draw, pairAt };
}

// The slider runs over the logarithm, the box shows the number itself.
function logarithmicSlider({ label, min, max, onInput }) {
  const report = (value) => {
    if (value >= min && value <= max) onInput(value);
  };
  const rounded = (exponent) => Math.min(Math.max(Number((10 ** exponent).toPrecision(3)), min), max);
  const ends = { min: Math.log10(min), max: Math.log10(max) };
  const range = make("input", { type: "range", ...ends, step: 0.01, "aria-label": label,
    oninput: () => report(rounded(range.valueAsNumber)) });
  const box = make("input", { type: "number", min, max, step: "any", "aria-label": `${label}, as a number`,
    oninput: () => report(box.valueAsNumber) });
  const name = make("span", { class: "inorder-slider-name" }, label);
  const set = (value) => {
    range.value = Math.log10(value);
    range.setAttribute("aria-valuetext", String(value));
    if (box.valueAsNumber !== value) box.value = value;
  };
  return { root: make("div", { class: "inorder-slider" }, name, range, box), range, box, set };
}

// --------------------------------------------------------------------------------------------------- the figure

function render({ model, el, page }) {
  const travelled = model.get("given");
  const given = travelled.float64 ? tableFromText(travelled) : null;
  const shell = figureShell({ model, el, page, checks: checksFor(given) });
  let memory = new Float64Array(0); // of the cells, used again at each step
  let matrix = null; // { values, nRows, nColumns }, all cells of the state on the page
  let seen = null; // { position, column, view } of the state on the page: inside the matrix
  let pointed = null; // the cell under the mouse

  // What stands beyond the table, as after `length` became smaller, stands for its end.
  function inside(state) {
    const view = { row: state.view[0], column: state.view[1], nRows: state.view[2], nColumns: state.view[3] };
    return {
      position: Math.min(state.position, matrix.nRows - 1),
      column: Math.min(state.column, matrix.nColumns - 1),
      view: panView(matrix, view, 0, 0),
    };
  }
  const written = ({ row, column, nRows, nColumns }) => [row, column,
    nRows === matrix.nRows ? MOST_POSITIONS : nRows, nColumns === matrix.nColumns ? MOST_DIMENSIONS : nColumns];

  // To a cell, and the view after it if it would be left behind.
  function go(row, column) {
    const position = Math.min(Math.max(Math.round(row), 0), matrix.nRows - 1);
    const wanted = Math.min(Math.max(Math.round(column), 0), matrix.nColumns - 1);
    const { view } = seen;
    const beyond = (at, first, count) => Math.min(at - first, 0) + Math.max(at - (first + count - 1), 0);
    const [down, right] = [beyond(position, view.row, view.nRows), beyond(wanted, view.column, view.nColumns)];
    const moved = panView(matrix, view, down, right);
    const isMoved = moved.row !== view.row || moved.column !== view.column;
    pointed = null;
    shell.change({ position, column: wanted, ...(isMoved && { view: written(moved) }) });
  }

  // controls
  const clamped = (value, most) => Math.min(Math.max(Math.round(value), 2), most);
  const position = slider({ label: "Position", min: 0, max: 1, step: 1, onInput: (value) => go(value, seen.column) });
  const length = slider({ label: "Length", min: 2, max: given ? given.nRows : MOST_POSITIONS, step: 1,
    onInput: (value) => shell.change({ length: clamped(value, given ? given.nRows : MOST_POSITIONS) }) });
  const width = slider({ label: "d_model", min: 2, max: MOST_DIMENSIONS, step: 2,
    onInput: (value) => shell.change({ d_model: clamped(2 * Math.round(value / 2), MOST_DIMENSIONS) }) });
  const base = logarithmicSlider({ label: "Base", min: 1, max: LARGEST_BASE,
    onInput: (value) => shell.change({ base: value }) });
  const layouts = [["interleaved", "interleaved"], ["halves", "halves: sines, then cosines"]];
  const layout = select({ label: "Layout", options: layouts,
    onInput: (value) => shell.change({ column_layout: value }) });
  shell.controls.append(position.root, length.root, ...(given ? [] : [width.root, base.root, layout.root]));

  // the heat map
  const canvas = make("canvas", { class: "inorder-encoding-map", role: "application", tabindex: 0 });
  const rowMarker = make("div", { class: "inorder-marker" });
  const columnMarker = make("div", { class: "inorder-marker" });
  const frame = make("div", { class: "inorder-map-frame" }, canvas, rowMarker, columnMarker);
  const [firstRow, lastRow, firstColumn, lastColumn] = Array.from({ length: 4 }, () => make("span", {}));
  const legend = colourLegend();
  const zoomed = (factor) => () => zoom(factor, { row: seen.position, column: seen.column });
  const closer = button({ label: "Zoom in", onClick: zoomed(2) });
  const farther = button({ label: "Zoom out", onClick: zoomed(0.5) });
  const whole = button({ label: "Whole table",
    onClick: () => shell.change({ view: [0, 0, MOST_POSITIONS, MOST_DIMENSIONS] }) });
  const averaged = make("span", { class: "inorder-averaged" });
  const readout = make("p", { class: "inorder-readout" });
  shell.stage.append(
    make("div", { class: "inorder-map" },
      make("div", { class: "inorder-across" }, firstColumn, make("span", {}, "column →"), lastColumn),
      make("div", { class: "inorder-down" }, firstRow, make("span", {}, "position ↓"), lastRow), frame),
    make("div", { class: "inorder-map-tools" }, legend.root, averaged,
      make("span", { class: "inorder-zoom", "data-picture": "skip" }, closer, farther, whole)),
    readout);

  function zoom(factor, at) {
    shell.change({ view: written(zoomView(matrix, seen.view, factor, at)) });
  }

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { position: row, column, view } = seen;
    const pageful = Math.max(1, Math.round(view.nRows / 8));
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      PageUp: [row - pageful, column], PageDown: [row + pageful, column],
      Home: [row, 0], End: [row, matrix.nColumns - 1],
    };
    const factors = { "+": 2, "=": 2, "-": 0.5, "−": 0.5 };
    if (!Object.hasOwn(moves, event.key) && !Object.hasOwn(factors, event.key)) return;
    event.preventDefault();
    if (Object.hasOwn(moves, event.key)) go(...moves[event.key]);
    else zoomed(factors[event.key])();
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // two fingers apart; the wheel alone scrolls the page
    event.preventDefault();
    zoom(2 ** (-event.deltaY / 100), cellAt(canvas, seen.view, event) ?? undefined);
  }, { passive: false });

  // A press chooses a cell, a drag moves the view.
  let grip = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    grip = { x: event.clientX, y: event.clientY, view: seen.view, dragged: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!grip) {
      if (event.pointerType === "mouse") point(cellAt(canvas, seen.view, event));
      return;
    }
    const { width: w, height: h } = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - grip.x, event.clientY - grip.y];
    grip.dragged ||= Math.hypot(x, y) > 5;
    if (!grip.dragged) return;
    const [down, right] = [Math.round((-y / h) * grip.view.nRows), Math.round((-x / w) * grip.view.nColumns)];
    const moved = panView(matrix, grip.view, down, right);
    if (moved.row !== seen.view.row || moved.column !== seen.view.column) shell.change({ view: written(moved) });
  });
  canvas.addEventListener("pointerup", (event) => {
    const cell = grip && !grip.dragged ? cellAt(canvas, seen.view, event) : null;
    grip = null;
    if (cell) go(cell.row, cell.column);
  });
  canvas.addEventListener("pointercancel", () => {
    grip = null;
  });
  canvas.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") point(null);
  });

  function point(cell) {
    pointed = cell;
    drawReadout(shell.state());
  }

  // waves, products, hands
  const wave = curvePlot();
  const products = curvePlot();
  const waveName = make("div", { class: "inorder-panel-name" });
  const productName = make("div", { class: "inorder-panel-name" });
  const column = slider({ label: "Column", min: 0, max: 1, step: 1, onInput: (value) => go(seen.position, value) });
  const product = select({ label: "Read", options: [["all", "all columns (W = 1)"], ["sines", "the sines only"]],
    onInput: (value) => shell.change({ product: value }) });
  const chooseColumn = make("div", { "data-picture": "skip" }, column.root);
  const chooseProduct = make("div", { "data-picture": "skip" }, product.root);
  const panel = (...parts) => make("div", { class: "inorder-panel" }, ...parts);
  const plots = make("div", { class: "inorder-plots" }, panel(waveName, wave.svg, chooseColumn),
    panel(productName, products.svg, ...(given ? [] : [chooseProduct])));
  shell.stage.append(plots);
  const clocks = clockFace();
  const clockName = make("div", { class: "inorder-panel-name" });
  if (!given) shell.stage.append(panel(clockName, clocks.canvas));
  clocks.canvas.addEventListener("click", (event) => {
    const pair = clocks.pairAt(event);
    const state = shell.state();
    if (pair < 0 || pair >= state.d_model / 2) return;
    go(seen.position, pair * pairColumns(state.d_model, state.column_layout).stride);
  });

  function drawReadout(state) {
    const cell = pointed && pointed.row < matrix.nRows && pointed.column < matrix.nColumns
      ? pointed
      : { row: seen.position, column: seen.column };
    const value = matrix.values[cell.row * matrix.nColumns + cell.column];
    const number = make("span", { class: "inorder-number", "data-name": "encoding", "data-row": cell.row,
      "data-col": cell.column, "data-value": String(value) }, formatNumber(value, 4));
    const place = `Position ${cell.row}, column ${cell.column}: `;
    if (given) {
      readout.replaceChildren(place, number);
      return;
    }
    const { wave: name, pair } = waveOf(cell.column, state);
    const omega = state.base ** ((-2 * pair) / state.d_model);
    const turn = `one turn in ${formatLength((2 * Math.PI) / omega)} positions`;
    readout.replaceChildren(place, `${name}(${cell.row} ω${subscript(pair)}) = `, number,
      `, where ω${subscript(pair)} = ${omega.toPrecision(4)}: ${turn}`);
  }

  // drawing: nothing is computed or painted twice
  const keys = { matrix: "", map: "", scale: "" };
  function isNew(name, key) {
    const changed = keys[name] !== key;
    keys[name] = key;
    return changed;
  }
  let largest = 1;
  let scale = null;

  function calculate({ length: n, d_model: d, base: b, column_layout: l }) {
    if (!isNew("matrix", given ? `${n}` : `${n} ${d} ${b} ${l}`)) return;
    if (!given && memory.length < n * d) memory = new Float64Array(n * d);
    const values = (given ? given.values : memory).subarray(0, n * d);
    if (!given) encodingTable(n, d, { base: b, layout: l }, values);
    matrix = { values, nRows: n, nColumns: d };
    if (given) largest = given.values.reduce((most, x) => Math.max(most, Math.abs(x)), 0) || 1;
  }

  function draw(state, dark) {
    calculate(state);
    seen = inside(state);
    const { position: row, column: chosen, view } = seen;
    const room = shell.stage.clientWidth || 640; // 0 while the page hides the figure
    const mapWidth = room - 46;
    const mapHeight = Math.min(360, Math.max(180, Math.round(0.55 * mapWidth)));
    if (isNew("scale", `${largest} ${dark}`)) {
      scale = colourScale({ kind: "diverging", largest, dark });
      legend.set({ scale, words: [formatLabel(-largest), "0", formatLabel(largest)] });
    }
    if (isNew("map", [keys.matrix, written(view), mapWidth, mapHeight, keys.scale, devicePixelRatio].join())) {
      const painted = paintHeatMap(canvas, { ...matrix, view, scale, width: mapWidth, height: mapHeight });
      averaged.textContent = painted.averaged ? "a pixel is the mean of its cells" : "";
      [firstRow.textContent, lastRow.textContent] = [view.row, view.row + view.nRows - 1];
      [firstColumn.textContent, lastColumn.textContent] = [view.column, view.column + view.nColumns - 1];
      const isWhole = view.nRows === matrix.nRows && view.nColumns === matrix.nColumns;
      canvas.style.touchAction = isWhole ? "pan-y" : "none";
      farther.disabled = isWhole;
      whole.disabled = isWhole;
      closer.disabled = view.nRows === 1 && view.nColumns === 1;
    }
    for (const [marker, cell] of [[rowMarker, { row }], [columnMarker, { column: chosen }]]) {
      const box = cellBox(canvas, view, cell);
      marker.style.display = box ? "block" : "none";
      Object.assign(marker.style, box ?? {});
    }
    canvas.setAttribute("aria-label", `Heat map, positions down, columns across. Position ${row}, column ${chosen} is `
      + "chosen; arrow keys choose another, plus and minus zoom");

    position.set(row);
    position.range.max = matrix.nRows - 1;
    length.set(state.length);
    width.set(state.d_model);
    base.set(state.base);
    layout.set(state.column_layout);
    column.set(chosen);
    column.range.max = matrix.nColumns - 1;
    product.set(state.product);

    const plotWidth = room >= 620 ? (room - 24) / 2 : room;
    const ys = Float64Array.from({ length: matrix.nRows }, (_, p) => matrix.values[p * matrix.nColumns + chosen]);
    const lastSeen = view.row + view.nRows - 1;
    wave.draw({ ys, first: 0, from: view.row, to: lastSeen, low: -largest, high: largest, at: row, width: plotWidth });
    const { wave: name, pair } = waveOf(chosen, state);
    const formula = given ? "" : `, ${name} ω${subscript(pair)}p`;
    waveName.textContent = `Column ${chosen}${formula}, against position p`;
    wave.svg.setAttribute("aria-label", `${waveName.textContent}, from ${view.row} to ${lastSeen}`);
    const dots = rowProducts(matrix, row, columnsRead(given ? { product: "all" } : state));
    const reach = Math.max(view.nRows - 1, 1);
    let [low, high] = [0, 0];
    for (const x of dots) {
      if (x < low) low = x;
      if (x > high) high = x;
    }
    products.draw({ ys: dots, first: -row, from: -reach, to: reach, low, high, at: 0, width: plotWidth });
    productName.textContent = `Product of row ${row} with the others, by distance`;
    products.svg.setAttribute("aria-label", productName.textContent);
    if (!given) drawClocks(state, row, chosen, room);
    drawReadout(state);
    const value = ys[row];
    shell.summary(summarise(state, given, { position: row, column: chosen, value, products: dots }));
  }

  function drawClocks(state, row, chosen, room) {
    const style = getComputedStyle(shell.root);
    const colour = (name) => style.getPropertyValue(name).trim();
    const paint = { ink: colour("--ink"), line: colour("--line"), accent: colour("--accent") };
    const { pair } = waveOf(chosen, state);
    clocks.draw({ ...matrix, row, layout: state.column_layout, pair, width: room, paint });
    const words = `Clock hands at position ${row}: one for each of the ${state.d_model / 2} frequencies, fastest first`;
    clockName.textContent = words;
    clocks.canvas.setAttribute("aria-label", `${words}. The tip of each is at (sin, cos); hand ${pair} is marked`);
  }

  const stop = followState(shell, draw);
  const stopWidth = followWidth(shell, draw);
  return () => {
    stop();
    stopWidth();
    shell.close();
  };
}

export default { render };
