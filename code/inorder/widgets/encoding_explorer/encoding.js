// The table and what is read from it. All cells are computed, not only those in view: row after row, each pair
// (sin, cos) turned by its ω with the angle-addition formulas, and computed directly by Math.sin and Math.cos at every
// 64th row so that rounding cannot pile up (the error stays below 1e-13).
// A matrix here is { values, nRows, nColumns }, row after row.

import { panView } from "../kit/heat_map_view.js";
import { kept } from "../kit/kept.js";

/** @typedef {EncodingExplorerState} State */
/** @typedef {Pick<State, "zoom" | "top" | "left">} Window */

const FRESH_EVERY = 64;
const AS_NEAR = 1e-9; // a distance that is larger by less counts as the same

// inorder.encodings.frequencies: ω_j = base^(−2j/d_model).
/** @type {(dModel: number, base: number) => Float64Array} */
export function waveFrequencies(dModel, base) {
  return Float64Array.from({ length: dModel / 2 }, (_, j) => base ** ((-2 * j) / dModel));
}

// The sine of pair j is in column j · stride, its cosine `step` columns further.
/** @type {(dModel: number, layout: State["column_layout"]) => { stride: number, step: number }} */
function pairColumns(dModel, layout) {
  return layout === "interleaved" ? { stride: 2, step: 1 } : { stride: 1, step: dModel / 2 };
}

/** @type {(column: number, state: State) => { wave: "sin" | "cos", pair: number }} */
export function waveOf(column, { d_model, column_layout }) {
  if (column_layout === "halves") return { wave: column < d_model / 2 ? "sin" : "cos", pair: column % (d_model / 2) };
  return { wave: column % 2 ? "cos" : "sin", pair: Math.floor(column / 2) };
}

// inorder.encodings.sinusoidal_encoding of positions 0 … length − 1, row after row.
/** @type {(length: number, dModel: number, options: { base: number, layout: State["column_layout"] }) => Float64Array} */
export function encodingTable(length, dModel, { base, layout }) {
  const table = new Float64Array(length * dModel);
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

// The reader's own table travels as the bytes of a Float64Array in base 64.
/** @type {(given: { n_rows: number, n_columns: number, float64: string }) => Table} */
export function tableFromText({ n_rows, n_columns, float64 }) {
  const bytes = Uint8Array.from(atob(float64), (letter) => letter.charCodeAt(0));
  return { values: new Float64Array(bytes.buffer), nRows: n_rows, nColumns: n_columns };
}

// The cells of a state, as an array of a picture, computed where they have changed, and the largest of their sizes.
/** @type {(given: Table | null) => (state: State) => Table & { largest: number, array: { shape: number[], values: Numbers } }} */
export function tableOf(given) {
  const largest = Array.from(given?.values ?? []).reduce((most, x) => Math.max(most, Math.abs(x)), 0) || 1;
  const cells = kept((length, d_model, base, layout) => {
    const values = given?.values.subarray(0, length * d_model) ?? encodingTable(length, d_model, { base, layout });
    return { values, nRows: length, nColumns: d_model, largest, array: { shape: [length, d_model], values } };
  });
  return ({ length, d_model, base, column_layout }) => cells(length, d_model, base, column_layout);
}

// p_row · p_other for every other row, over the columns `first`, `first` + `step`, …, `count` of them.
/** @type {(matrix: Table, row: number, columns?: { first?: number, step?: number, count?: number }) => Float64Array} */
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
/** @type {(state: State) => { first?: number, step?: number, count?: number }} */
export function columnsRead({ d_model, column_layout, product }) {
  if (product === "all") return {};
  return { first: 0, step: column_layout === "interleaved" ? 2 : 1, count: d_model / 2 };
}

// The other row that is nearest to this one, the last of those that are equally near, and |p_row − p_nearest|.
/** @type {(matrix: Table, row: number) => { nearest: number, distance: number }} */
export function nearestRow({ values, nRows, nColumns }, row) {
  const own = values.slice(row * nColumns, (row + 1) * nColumns);
  let [nearest, least] = [-1, Infinity];
  for (let other = 0; other < nRows; other += 1) {
    if (other === row) continue;
    let sum = 0;
    for (let column = 0; column < nColumns; column += 1) sum += (own[column] - values[other * nColumns + column]) ** 2;
    const distance = Math.sqrt(sum);
    if (distance > least + AS_NEAR) continue;
    nearest = other;
    least = Math.min(least, distance);
  }
  return { nearest, distance: least };
}

// ------------------------------------------------------------------------------------------- the part in view

// At zoom 1 all, at zoom 2 half of the rows and half of the columns; cut to what is there.
/** @type {(matrix: Shape, window: Window) => View} */
export function viewOf(matrix, { zoom, top, left }) {
  const { nRows, nColumns } = matrix;
  return panView(matrix, { row: top, column: left, nRows: nRows / zoom, nColumns: nColumns / zoom }, 0, 0);
}
