// A matrix of any size as a picture: typed array in, pixels out. And what a heat map needs besides: a legend, the cell
// under the pointer, the place of a cell, and a window that zooms and pans.
//
//     import { cellAt, cellBox, colourLegend, colourScale, paintHeatMap, wholeView, zoomView } from "./heat_map.js";
//
//     const canvas = make("canvas", { role: "img", "aria-label": "…" });
//     const legend = colourLegend();                              // put legend.root beside the canvas
//     const matrix = { values, nRows: 2048, nColumns: 512 };      // Float64Array or Float32Array, row after row
//     let view = wholeView(matrix);                               // or a part of it: { row, column, nRows, nColumns }
//
//     const scale = colourScale({ kind: "diverging", largest: 1, dark });     // orange −1, blank 0, blue +1
//     const { averaged } = paintHeatMap(canvas, { ...matrix, view, scale, width: 640, height: 400 });   // CSS pixels
//     legend.set({ scale, words: ["−1", "0", "1"] });
//
//     canvas.onpointermove = (event) => show(cellAt(canvas, view, event));    // { row, column } of the matrix, or null
//     Object.assign(marker.style, cellBox(canvas, view, { row: 3, column: 8 }));   // left, top, width, height
//     view = zoomView(matrix, view, 2, { row: 3, column: 8 });                // twice as close, that cell in its place
//
// Where there are more cells than pixels, a pixel shows the mean of its cells. (Picking one of them would be faster,
// but a fast wave, picked at every fourth place, looks like a slow one.) NaN, ∞ and −∞ are left out of the mean; a
// pixel with nothing else is hatched. Zero is exactly in the middle of a diverging scale; what is beyond the scale takes
// its last colour.
//
// 2,048 × 512 cells on 1,200 × 400 pixels take about 4 ms.

import { divergingColour, sequentialColour } from "./colour.js";
import { make } from "./elements.js";

const LAST_COLOUR = 254; // even, so that zero has a colour of its own; one more entry is for what is no number
const NOT_A_NUMBER = 255;
const HATCH_SPACING = 6;

// "diverging" runs from −largest to largest, "sequential" from 0 to largest, or from `smallest`. Where all is 0, 1 will do.
//   { kind, smallest, largest, colours: 256 pixels, hatch: the pixel of a hatching line }
export function colourScale({ kind, largest, smallest = kind === "diverging" ? -largest : 0, dark }) {
  if (!(largest > smallest)) return colourScale({ kind, largest: kind === "diverging" ? 1 : smallest + 1, dark });
  const hatch = pixelOf(dark ? "rgb(120 128 138)" : "rgb(150 156 164)");
  return { kind, smallest, largest, colours: coloursOf(kind, dark), hatch };
}

const knownColours = new Map(); // by kind and theme: four at most, which every step needs

function coloursOf(kind, dark) {
  const known = knownColours.get(`${kind} ${dark}`);
  if (known) return known;
  const signed = (share) => divergingColour(2 * share - 1, dark);
  const colourOf = kind === "diverging" ? signed : (share) => sequentialColour(share, dark);
  const colours = new Uint32Array(256);
  for (let i = 0; i <= LAST_COLOUR; i += 1) colours[i] = pixelOf(colourOf(i / LAST_COLOUR).fill);
  colours[NOT_A_NUMBER] = pixelOf(sequentialColour(0, dark).fill);
  knownColours.set(`${kind} ${dark}`, colours);
  return colours;
}

// "rgb(1 2 3)" as the bytes of an ImageData: red, green, blue, opaque, on the little-endian machines browsers run on.
function pixelOf(fill) {
  const [red, green, blue] = fill.match(/\d+/g).map(Number);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export function wholeView({ nRows, nColumns }) {
  return { row: 0, column: 0, nRows, nColumns };
}

/**
 * @typedef {{ row: number, column: number, nRows: number, nColumns: number }} View
 * @typedef {{ kind: string, smallest: number, largest: number, colours: Uint32Array, hatch: number }} Scale
 * @typedef {{ values: Float64Array | Float32Array, nRows: number, nColumns: number, view?: View, scale: Scale,
 *   width: number, height: number }} HeatMap
 */

// Paints `view` (by default all) of the matrix over the whole canvas, `width` × `height` CSS pixels. `averaged`: are
// there more cells than pixels, one way or the other? Reuses the canvas's memory from one call to the next.
/** @type {(canvas: HTMLCanvasElement, heatMap: HeatMap) => { averaged: boolean }} */
export function paintHeatMap(canvas, { values, nRows, nColumns, view, scale, width, height }) {
  view ??= wholeView({ nRows, nColumns });
  if (values.length !== nRows * nColumns) throw new Error(`${nRows} × ${nColumns} cells, but ${values.length} values`);
  const density = Math.min(devicePixelRatio || 1, 2);
  const image = imageOf(canvas, Math.max(1, Math.round(width * density)), Math.max(1, Math.round(height * density)));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;

  const pixels = new Uint32Array(image.data.buffer);
  const rows = cellsOfPixels(view.row, view.nRows, image.height);
  const columns = cellsOfPixels(view.column, view.nColumns, image.width);
  const [sums, counts] = [new Float64Array(nColumns), new Float64Array(nColumns)];
  const indices = new Uint8Array(image.width);
  const spacing = Math.round(HATCH_SPACING * density);
  for (let y = 0; y < image.height; y += 1) {
    if (y === 0 || rows.first[y] !== rows.first[y - 1]) {
      sumRows(values, nColumns, rows.first[y], rows.end[y], columns.first[0], columns.end.at(-1), sums, counts);
      indexLine(sums, counts, columns.first, columns.end, scale, indices);
    }
    colourLine(indices, scale.colours, pixels, y * image.width);
    hatchLine(indices, scale.hatch, pixels, y, spacing, density);
  }
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return { averaged: view.nRows > image.height || view.nColumns > image.width };
}

const imagesOfCanvases = new WeakMap(); // canvas → its ImageData

function imageOf(canvas, width, height) {
  const known = imagesOfCanvases.get(canvas);
  const fits = (other) => other.width === width && other.height === height;
  if (known && fits(known) && fits(canvas)) return known;
  [canvas.width, canvas.height] = [width, height];
  const image = canvas.getContext("2d").createImageData(width, height);
  imagesOfCanvases.set(canvas, image);
  return image;
}

// Pixel p shows the cells from first[p] up to, not including, end[p]: at least one.
function cellsOfPixels(offset, nCells, nPixels) {
  const [first, end] = [new Int32Array(nPixels), new Int32Array(nPixels)];
  for (let p = 0; p < nPixels; p += 1) {
    first[p] = offset + Math.floor((p * nCells) / nPixels);
    end[p] = Math.max(first[p] + 1, offset + Math.floor(((p + 1) * nCells) / nPixels));
  }
  return { first, end };
}

// Row after row, as the values lie in memory: at 2,048 × 512 there are a million. Looking at each whether it is a number
// takes twice as long, and is only done where a sum is none.
function sumRows(values, nColumns, firstRow, endRow, firstColumn, endColumn, sums, counts) {
  sums.fill(0);
  for (let row = firstRow; row < endRow; row += 1) {
    const start = row * nColumns;
    for (let column = firstColumn; column < endColumn; column += 1) sums[column] += values[start + column];
  }
  counts.fill(endRow - firstRow);
  for (let column = firstColumn; column < endColumn; column += 1) {
    if (Number.isFinite(sums[column])) continue;
    sums[column] = 0;
    counts[column] = 0;
    for (let row = firstRow; row < endRow; row += 1) {
      const x = values[row * nColumns + column];
      if (!Number.isFinite(x)) continue;
      sums[column] += x;
      counts[column] += 1;
    }
  }
}

// The colour of the mean at each pixel of the line.
function indexLine(sums, counts, first, end, { smallest, largest }, indices) {
  const perUnit = LAST_COLOUR / (largest - smallest);
  for (let x = 0; x < indices.length; x += 1) {
    if (x > 0 && first[x] === first[x - 1]) {
      indices[x] = indices[x - 1];
      continue;
    }
    let sum = 0;
    let count = 0;
    for (let column = first[x]; column < end[x]; column += 1) {
      sum += sums[column];
      count += counts[column];
    }
    const step = (sum / count - smallest) * perUnit + 0.5; // Math.round takes ten times as long
    indices[x] = count === 0 ? NOT_A_NUMBER : Math.min(Math.max(step, 0), LAST_COLOUR);
  }
}

function colourLine(indices, colours, pixels, start) {
  for (let x = 0; x < indices.length; x += 1) pixels[start + x] = colours[indices[x]];
}

function hatchLine(indices, hatch, pixels, y, spacing, thickness) {
  for (let x = 0; x < indices.length; x += 1) {
    if (indices[x] === NOT_A_NUMBER && (x + y) % spacing < thickness) pixels[y * indices.length + x] = hatch;
  }
}

// ------------------------------------------------------------------------------------- from pixels to cells and back

// The cell of the matrix under a pointer event (or anything with clientX and clientY), null outside the canvas.
export function cellAt(canvas, view, { clientX, clientY }) {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const down = Math.floor(((clientY - top) / height) * view.nRows);
  const across = Math.floor(((clientX - left) / width) * view.nColumns);
  const inside = down >= 0 && down < view.nRows && across >= 0 && across < view.nColumns;
  return inside ? { row: view.row + down, column: view.column + across } : null;
}

// Where a cell lies on the canvas, for the style of a marker above it; a missing row or column stands for all of them.
// null outside the view.
export function cellBox(canvas, view, { row, column }) {
  const [width, height] = [parseFloat(canvas.style.width), parseFloat(canvas.style.height)]; // set by paintHeatMap
  const [down, across] = [row === undefined ? 0 : row - view.row, column === undefined ? 0 : column - view.column];
  if (down < 0 || across < 0 || down >= view.nRows || across >= view.nColumns) return null;
  const [cellWidth, cellHeight] = [width / view.nColumns, height / view.nRows];
  const box = {
    left: across * cellWidth,
    top: down * cellHeight,
    width: column === undefined ? width : cellWidth,
    height: row === undefined ? height : cellHeight,
  };
  return Object.fromEntries(Object.entries(box).map(([name, length]) => [name, `${length}px`]));
}

// `factor` times as close, as far as there is something to see: at least one cell, at most all. The cell `at`
// keeps its place on the canvas, as nearly as whole cells allow; without it, the middle does.
export function zoomView(matrix, view, factor, at = middleOf(view)) {
  const nRows = clampCount(view.nRows / factor, matrix.nRows);
  const nColumns = clampCount(view.nColumns / factor, matrix.nColumns);
  const row = at.row - ((at.row - view.row) / view.nRows) * nRows;
  const column = at.column - ((at.column - view.column) / view.nColumns) * nColumns;
  const zoomed = { row: Math.ceil(row), column: Math.ceil(column), nRows, nColumns }; // up: `at` stays in view
  return panView(matrix, zoomed, 0, 0);
}

function middleOf({ row, column, nRows, nColumns }) {
  return { row: row + nRows / 2, column: column + nColumns / 2 };
}

// Moved by whole cells, as far as the matrix reaches. With 0, 0: the view, made to lie inside the matrix.
export function panView(matrix, view, down, right) {
  const [nRows, nColumns] = [clampCount(view.nRows, matrix.nRows), clampCount(view.nColumns, matrix.nColumns)];
  const row = Math.min(Math.max(view.row + down, 0), matrix.nRows - nRows);
  const column = Math.min(Math.max(view.column + right, 0), matrix.nColumns - nColumns);
  return { row, column, nRows, nColumns };
}

function clampCount(count, most) {
  return Math.min(Math.max(Math.round(count), 1), most);
}

// --------------------------------------------------------------------------------------------------------- the legend

// A strip of the scale's colours with two or more words spread below it, and, if `missing` is given, a hatched box
// with that word. (The kit's style.css knows nothing of it: its few lines of style are here.)
export function colourLegend() {
  const strip = make("canvas", { style: "display: block", "aria-hidden": "true" });
  const box = make("canvas", { "aria-hidden": "true" });
  const words = make("div", { style: "display: flex; justify-content: space-between; gap: 8px" });
  const missingWord = make("span", {});
  const numbers = make("div", { style: "width: 13em; max-width: 100%" }, strip, words);
  const missing = make("div", { style: "display: flex; align-items: center; gap: 5px" }, box, missingWord);
  const style =
    "display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: start; color: var(--muted); font-size: max(12px, 0.85em)";
  const root = make("div", { class: "inorder-legend", style, role: "img" }, numbers, missing);
  let shown = "";

  function set({ scale, words: texts, missing: text = "" }) {
    const wanted = JSON.stringify([scale.kind, scale.hatch, scale.smallest, scale.largest, texts, text]);
    if (wanted === shown) return;
    shown = wanted;
    const nColumns = LAST_COLOUR + 1;
    const step = (scale.largest - scale.smallest) / LAST_COLOUR;
    const values = Float64Array.from({ length: nColumns }, (_, i) => scale.smallest + step * i);
    paintHeatMap(strip, { values, nRows: 1, nColumns, scale, width: 160, height: 10 });
    Object.assign(strip.style, { width: "100%", height: "0.8em" }); // however large the figure's type is
    paintHeatMap(box, { values: new Float64Array([NaN]), nRows: 1, nColumns: 1, scale, width: 14, height: 10 });
    words.replaceChildren(...texts.map((word) => make("span", {}, word)));
    missingWord.textContent = text;
    missing.style.display = text ? "flex" : "none";
    root.setAttribute("aria-label", `Colours: ${[...texts, ...(text ? [`hatched, ${text}`] : [])].join(", ")}`);
  }
  return { root, set };
}
