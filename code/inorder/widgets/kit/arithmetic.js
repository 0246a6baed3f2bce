// What the figures compute. Matrices are arrays of rows. This file repeats inorder.attention, under the same names, and
// is tested against it. What runs at every step of a figure is a plain loop, which takes a third to a fifth of the time
// of map and reduce.

/** @typedef {{ mask?: Mask | null, bias?: Matrix | null, scale?: number }} Options mask: true may attend */

/** @type {(a: number[], b: number[]) => number} */
function dot(a, b) {
  let sum = 0;
  for (let k = 0; k < a.length; k += 1) sum += a[k] * b[k];
  return sum;
}

/** @type {(rows: Matrix, columns: Matrix, scale?: number) => Matrix} */
function dots(rows, columns, scale = 1) {
  const products = [];
  for (const row of rows) {
    const product = [];
    for (const column of columns) product.push(dot(row, column) * scale);
    products.push(product);
  }
  return products;
}

/** @type {(a: Matrix, b: Matrix) => Matrix} */
export function matmul(a, b) {
  const width = b[0].length;
  const products = [];
  for (const row of a) {
    const product = [];
    for (let j = 0; j < width; j += 1) {
      let sum = 0;
      for (let k = 0; k < row.length; k += 1) sum += row[k] * b[k][j];
      product.push(sum);
    }
    products.push(product);
  }
  return products;
}

/** @type {(x: number[]) => number[]} */
export function softmax(x) {
  let largest = -Infinity;
  for (let i = 0; i < x.length; i += 1) largest = Math.max(largest, x[i]);
  if (largest === -Infinity) throw new Error("softmax: every entry is masked");
  const shares = [];
  let total = 0;
  for (let i = 0; i < x.length; i += 1) {
    const power = Math.exp(x[i] - largest); // exp of a difference cannot overflow
    shares.push(power);
    total += power;
  }
  for (let i = 0; i < x.length; i += 1) shares[i] /= total;
  return shares;
}

/** @type {(query: Matrix, key: Matrix, options?: { scale?: number }) => Matrix} */
export function attentionScores(query, key, { scale = 1 / Math.sqrt(query[0].length) } = {}) {
  return dots(query, key, scale); // (query, key)
}

/** @type {(scores: Matrix, options?: Options) => Matrix} */
export function maskedScores(scores, { mask = null, bias = null } = {}) {
  return scores.map((row, i) =>
    row.map((score, j) => (mask && !mask[i][j] ? -Infinity : score + (bias ? bias[i][j] : 0))),
  );
}

/** @type {(query: Matrix, key: Matrix, options?: Options) => Matrix} */
export function attentionWeights(query, key, { mask, bias, scale } = {}) {
  return maskedScores(attentionScores(query, key, { scale }), { mask, bias }).map(softmax); // (query, key)
}

/** @type {(query: Matrix, key: Matrix, value: Matrix, options?: Options) => Matrix} */
export function scaledDotProductAttention(query, key, value, { mask, bias, scale } = {}) {
  return matmul(attentionWeights(query, key, { mask, bias, scale }), value); // (query, d_value)
}

/** @type {(nQuery: number, nKey?: number) => boolean[][]} */
export function causalMask(nQuery, nKey = nQuery) {
  const rows = Array.from({ length: nQuery }, (_, i) => nKey - nQuery + i); // the last query sits at the last key
  return rows.map((position) => Array.from({ length: nKey }, (_, j) => j <= position));
}

// PE(p)_2j = sin(p ω_j), PE(p)_2j+1 = cos(p ω_j), ω_j = base^(−2j/d_model)
/** @type {(positions: number[], dModel: number, options?: { base?: number }) => Matrix} */
export function sinusoidalEncoding(positions, dModel, { base = 10_000 } = {}) {
  const angle = (/** @type {number} */ position, /** @type {number} */ column) =>
    position * base ** ((-2 * Math.floor(column / 2)) / dModel);
  const wave = (/** @type {number} */ position, /** @type {number} */ column) =>
    (column % 2 ? Math.cos : Math.sin)(angle(position, column));
  return positions.map((position) => Array.from({ length: dModel }, (_, column) => wave(position, column))); // (position, d_model)
}

// n numbers in [−1, 1) that look random and are always the same for the same text: a vector for any word.
// An FNV-1a hash starts a 32-bit SplitMix generator; numbers_from_text in model_state.py gives the same.
/** @type {(text: string, n: number) => number[]} */
export function numbersFromText(text, n) {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return Array.from({ length: n }, () => {
    state = (state + 0x9e3779b9) | 0;
    let bits = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return (2 * ((bits ^ (bits >>> 15)) >>> 0)) / 2 ** 32 - 1;
  });
}

// Adding the same numbers in a different order may leave a difference of this size, so a smaller one counts as zero.
export const ROUNDING = 1e-12;

/** @type {(x: number, low: number, high: number) => number} */
export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

// The list with the entry at one place moved to another.
/** @type {<T>(list: T[], from: number, to: number) => T[]} */
export function moveWithin(list, from, to) {
  const rest = list.filter((_, place) => place !== from);
  return [...rest.slice(0, to), list[from], ...rest.slice(to)];
}

/** @type {(...matrices: Matrix[]) => number} */
export function largestMagnitude(...matrices) {
  return Math.max(1, ...matrices.flat(2).filter(Number.isFinite).map(Math.abs));
}
