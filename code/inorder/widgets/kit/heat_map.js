// A matrix of any size as a picture: typed array in, pixels out. map.js draws labels, a marker and a zoom around it.
//
//     const scale = colourScale({ kind: "diverging", largest: 1, dark });     // orange −1, blank 0, blue +1
//     paintHeatMap(canvas, { values, nRows: 2048, nColumns: 512, scale, width: 640, height: 400 });   // CSS pixels
//
// Where there are more cells than pixels, a pixel shows the mean of its cells. (Picking one of them would be faster,
// but a fast wave, picked at every fourth place, looks like a slow one.) NaN, ∞ and −∞ are left out of the mean; a
// pixel with nothing else is hatched. Zero is exactly in the middle of a diverging scale; what is beyond the scale takes
// its last colour.
//
// 2,048 × 512 cells on 1,200 × 400 pixels take about 4 ms.

import { divergingColour, sequentialColour } from "./colour.js";

const LAST_COLOUR = 254; // even, so that zero has a colour of its own; one more entry is for what is not a number
const NOT_A_NUMBER = 255;
const HATCH_SPACING = 6;

// "diverging" runs from −largest to largest, "sequential" from 0 or `smallest` to largest. If all is 0, 1 will do.
//   { kind, smallest, largest, colours: 256 pixels, hatch: the pixel of a hatching line }
/** @type {(options: { kind: string, largest: number, smallest?: number, dark: boolean }) => ColourScale} */
export function colourScale({ kind, largest, smallest = kind === "diverging" ? -largest : 0, dark }) {
  if (!(largest > smallest)) return colourScale({ kind, largest: kind === "diverging" ? 1 : smallest + 1, dark });
  const hatch = pixelOf(dark ? "rgb(120 128 138)" : "rgb(150 156 164)");
  return { kind, smallest, largest, colours: coloursOf(kind, dark), hatch };
}

/** @type {Map<string, Uint32Array>} */
const knownColours = new Map(); // by kind and theme: four at most, which every step needs

/** @type {(kind: string, dark: boolean) => Uint32Array} */
function coloursOf(kind, dark) {
  const known = knownColours.get(`${kind} ${dark}`);
  if (known) return known;
  const signed = (/** @type {number} */ share) => divergingColour(2 * share - 1, dark);
  const colourOf = kind === "diverging" ? signed : (/** @type {number} */ share) => sequentialColour(share, dark);
  const colours = new Uint32Array(256);
  for (let i = 0; i <= LAST_COLOUR; i += 1) colours[i] = pixelOf(colourOf(i / LAST_COLOUR).fill);
  colours[NOT_A_NUMBER] = pixelOf(sequentialColour(0, dark).fill);
  knownColours.set(`${kind} ${dark}`, colours);
  return colours;
}

// "rgb(1 2 3)" as the bytes of an ImageData: red, green, blue, opaque, on the little-endian machines browsers run on.
/** @type {(fill: string) => number} */
function pixelOf(fill) {
  const [red, green, blue] = (fill.match(/\d+/g) ?? []).map(Number);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** @type {(matrix: Shape) => View} */
export function wholeView({ nRows, nColumns }) {
  return { row: 0, column: 0, nRows, nColumns };
}

// Paints `view` (by default all) of the matrix over the whole canvas, `width` × `height` CSS pixels. Reuses the canvas's
// memory from one call to the next.
/** @type {(canvas: HTMLCanvasElement, heatMap: Table & { view?: View, scale: ColourScale, width: number, height: number }) => void} */
export function paintHeatMap(canvas, { width, height, ...heatMap }) {
  const density = pixelDensity();
  const image = imageOf(canvas, Math.max(1, Math.round(width * density)), Math.max(1, Math.round(height * density)));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  paintImage(image, heatMap);
  canvas.getContext("2d")?.putImageData(image, 0, 0);
}

export const pixelDensity = () => Math.min(devicePixelRatio || 1, 2);

// The same over a whole image, which several maps on one canvas share.
/** @type {(image: ImageData, heatMap: Table & { view?: View, scale: ColourScale }) => void} */
export function paintImage(image, { values, nRows, nColumns, view, scale }) {
  view ??= wholeView({ nRows, nColumns });
  if (values.length !== nRows * nColumns) throw new Error(`${nRows} × ${nColumns} cells, but ${values.length} values`);
  const density = pixelDensity();
  const pixels = new Uint32Array(image.data.buffer);
  const rows = cellsOfPixels(view.row, view.nRows, image.height);
  const columns = cellsOfPixels(view.column, view.nColumns, image.width);
  const [sums, counts] = [new Float64Array(nColumns), new Float64Array(nColumns)];
  const indices = new Uint8Array(image.width);
  const spacing = Math.round(HATCH_SPACING * density);
  for (let y = 0; y < image.height; y += 1) {
    if (y === 0 || rows.first[y] !== rows.first[y - 1]) {
      sumRows(
        values,
        nColumns,
        rows.first[y],
        rows.end[y],
        columns.first[0],
        columns.end[image.width - 1],
        sums,
        counts,
      );
      indexLine(sums, counts, columns.first, columns.end, scale, indices);
    }
    colourLine(indices, scale.colours, pixels, y * image.width);
    hatchLine(indices, scale.hatch, pixels, y, spacing, density);
  }
}

/** @type {WeakMap<HTMLCanvasElement, ImageData>} */
const imagesOfCanvases = new WeakMap(); // canvas → its ImageData

/** @type {(canvas: HTMLCanvasElement, width: number, height: number) => ImageData} */
function imageOf(canvas, width, height) {
  const known = imagesOfCanvases.get(canvas);
  const fits = (/** @type {{ width: number, height: number }} */ other) =>
    other.width === width && other.height === height;
  if (known && fits(known) && fits(canvas)) return known;
  [canvas.width, canvas.height] = [width, height];
  const image = new ImageData(width, height);
  imagesOfCanvases.set(canvas, image);
  return image;
}

// Pixel p shows the cells from first[p] up to, not including, end[p]: at least one.
/** @type {(offset: number, nCells: number, nPixels: number) => { first: Int32Array, end: Int32Array }} */
function cellsOfPixels(offset, nCells, nPixels) {
  const [first, end] = [new Int32Array(nPixels), new Int32Array(nPixels)];
  for (let p = 0; p < nPixels; p += 1) {
    first[p] = offset + Math.floor((p * nCells) / nPixels);
    end[p] = Math.max(first[p] + 1, offset + Math.floor(((p + 1) * nCells) / nPixels));
  }
  return { first, end };
}

// Row after row, as the values lie in memory: at 2,048 × 512 there are a million. Checking whether each is a number
// takes twice as long, so it is done only where a sum turns out not to be one.
/**
 * @type {(values: Numbers, nColumns: number, firstRow: number, endRow: number, firstColumn: number,
 *   endColumn: number, sums: Float64Array, counts: Float64Array) => void}
 */
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
/**
 * @type {(sums: Float64Array, counts: Float64Array, first: Int32Array, end: Int32Array, scale: ColourScale,
 *   indices: Uint8Array) => void}
 */
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

/** @type {(indices: Uint8Array, colours: Uint32Array, pixels: Uint32Array, start: number) => void} */
function colourLine(indices, colours, pixels, start) {
  for (let x = 0; x < indices.length; x += 1) pixels[start + x] = colours[indices[x]];
}

/**
 * @type {(indices: Uint8Array, hatch: number, pixels: Uint32Array, y: number, spacing: number, thickness: number) =>
 *   void}
 */
function hatchLine(indices, hatch, pixels, y, spacing, thickness) {
  for (let x = 0; x < indices.length; x += 1) {
    if (indices[x] === NOT_A_NUMBER && (x + y) % spacing < thickness) pixels[y * indices.length + x] = hatch;
  }
}
