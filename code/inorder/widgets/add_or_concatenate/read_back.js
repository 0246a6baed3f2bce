// What the best affine map reads back from a token and a position that are added, or side by side. read_back.py gives
// the reasons. A table is an array of rows; a projector is a Float64Array, row after row.

import { numbersFromText } from "../kit/arithmetic.js";
import { kept } from "../kit/kept.js";

/** @typedef {{ added: number | null, side_by_side: number | null }} Exact */

/** @typedef {{ added: Matrix, side_by_side: Matrix }} Counts (d − 2, seed) */

/** @typedef {{ counts: number[], ranks: number[], basis: Float64Array[] }} Counted */

/** @typedef {{ words: string[], widest: number, n_seeds: number, answers: string[] }} Known */

const TIE = 1e-9; // a score that is no further ahead than this has not won
const SPANNED = 1e-9; // what rounding leaves of a column, relative to its norm, if the columns before it span it

// Box and Muller's normal numbers, two uniform ones for each.
/** @type {(text: string, n: number) => number[]} */
function normalNumbers(text, n) {
  const uniform = numbersFromText(text, 2 * n).map((x) => (x + 1) / 2);
  return Array.from(
    { length: n },
    (_, i) => Math.sqrt(-2 * Math.log(1 - uniform[2 * i])) * Math.cos(2 * Math.PI * uniform[2 * i + 1]),
  );
}

/** @type {Map<string, Matrix>} */
const drawn = new Map();
/** @type {(name: string, known: Known) => Matrix} */
function randomTable(name, { words, widest }) {
  let table = drawn.get(name);
  if (!table) {
    const numbers = normalNumbers(name, words.length * widest);
    table = words.map((_, i) => numbers.slice(i * widest, (i + 1) * widest));
    drawn.set(name, table);
  }
  return table;
}

// The first n rows of the tables of that name, one for each seed; or the reader's own.
/** @type {(name: string, n: number, own: Matrix, known: Known) => Matrix[]} */
function tablesOf(name, n, own, known) {
  if (own.length) return [own];
  return Array.from({ length: known.n_seeds }, (_, seed) => randomTable(`${name}, table ${seed}`, known).slice(0, n));
}

/** @type {(tables: Matrix[], ratio: number) => Matrix[]} */
const scaled = (tables, ratio) => tables.map((table) => table.map((row) => row.map((value) => ratio * value)));

/** @type {(table: Matrix, column: number, weight: number) => number[]} */
function centredColumn(table, column, weight) {
  const mean = table.reduce((sum, row) => sum + row[column], 0) / table.length;
  return table.map((row) => weight * (row[column] - mean));
}

/** @type {(table: Matrix) => Matrix} */
const centredColumns = (table) => table[0].map((_, column) => centredColumn(table, column, 1));

/** @type {(x: Matrix, p: Matrix) => Matrix} */
function weightedColumns(x, p) {
  const [a, b] = [Math.sqrt(p.length), Math.sqrt(x.length)];
  return x[0].map((_, column) => [...centredColumn(x, column, a), ...centredColumn(p, column, b)]);
}

/** @type {(a: ArrayLike<number>, b: ArrayLike<number>) => number} */
const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
};

// visit(projector, rank, width) for the first column, the first two, … The projector is changed in place. Returns an
// orthonormal basis of what all columns span: its first vectors, as many as the rank is, span the columns of that width.
/**
 * @type {(columns: Matrix, visit: (projector: Float64Array, rank: number, width: number) => void) => Float64Array[]}
 */
function eachWidth(columns, visit) {
  const n = columns[0].length;
  const projector = new Float64Array(n * n);
  /** @type {Float64Array[]} */
  const basis = [];
  columns.forEach((column, i) => {
    const rest = Float64Array.from(column);
    for (let pass = 0; pass < 2; pass += 1) {
      for (const q of basis) {
        const along = dot(q, rest);
        for (let k = 0; k < n; k += 1) rest[k] -= along * q[k];
      }
    }
    const length = Math.sqrt(dot(rest, rest));
    if (length > SPANNED * Math.sqrt(dot(column, column))) {
      const q = rest.map((value) => value / length);
      basis.push(q);
      for (let a = 0; a < n; a += 1) for (let b = 0; b < n; b += 1) projector[a * n + b] += q[a] * q[b];
    }
    visit(projector, basis.length, i + 1);
  });
  return basis;
}

// Is the right one of n scores ahead of all others? A score is a[i] + factor · b[i], counted from two offsets.
/** @type {(matrix: Float64Array, right: number, n: number, a: number, b?: number, factor?: number) => boolean} */
function wins(matrix, right, n, a, b = a, factor = 0) {
  const own = matrix[a + right] + factor * matrix[b + right] - TIE;
  for (let i = 0; i < n; i += 1) {
    if (i !== right && matrix[a + i] + factor * matrix[b + i] >= own) return false;
  }
  return true;
}

// For each width, how many pairs are read back from their sums; the rank; and the basis.
/** @type {(x: Matrix, p: Matrix) => Counted} */
function countSums(x, p) {
  const [v, l] = [x.length, p.length];
  const [toToken, toPosition] = [Math.sqrt(l / v), Math.sqrt(v / l)];
  /** @type {[number[], number[]]} */
  const [counts, ranks] = [[], []];
  const basis = eachWidth(weightedColumns(x, p), (projector, rank) => {
    let count = 0;
    for (let row = 0; row < v; row += 1) {
      for (let other = 0; other < l; other += 1) {
        const [t, k] = [row * (v + l), (v + other) * (v + l)];
        if (wins(projector, row, v, t, k, toToken) && wins(projector, other, l, k + v, t + v, toPosition)) count += 1;
      }
    }
    counts.push(count);
    ranks.push(rank);
  });
  return { counts, ranks, basis };
}

// For each width, how many rows of one table are read back; the rank; and the basis.
/** @type {(table: Matrix) => Counted} */
function countRows(table) {
  const n = table.length;
  /** @type {[number[], number[]]} */
  const [counts, ranks] = [[], []];
  const basis = eachWidth(centredColumns(table), (projector, rank) => {
    counts.push(table.filter((_, row) => wins(projector, row, n, row * n)).length);
    ranks.push(rank);
  });
  return { counts, ranks, basis };
}

// One row of the projector at that width, of n numbers.
/** @type {(counted: Counted, width: number, n: number, row: number) => Float64Array} */
function projectorRow({ basis, ranks }, width, n, row) {
  const entries = new Float64Array(n);
  for (const q of basis.slice(0, ranks[width - 1])) {
    for (let i = 0; i < n; i += 1) entries[i] += q[row] * q[i];
  }
  return entries;
}

// What the read-out says of the sum of a token and a position: { tokens, positions }.
/**
 * @type {(sum: Counted, width: number, v: number, l: number, token: number, position: number) => { tokens: number[],
 *   positions: number[] }}
 */
function readSum(sum, width, v, l, token, position) {
  const [t, k] = [token, v + position].map((row) => projectorRow(sum, width, v + l, row));
  /** @type {(n: number, own: Float64Array, other: Float64Array, factor: number, from: number) => number[]} */
  const list = (n, own, other, factor, from) =>
    Array.from({ length: n }, (_, i) => 1 / n + own[from + i] + factor * other[from + i]);
  return { tokens: list(v, t, k, Math.sqrt(l / v), 0), positions: list(l, k, t, Math.sqrt(v / l), v) };
}

// What it says of one row of a table that stands alone.
/** @type {(rows: Counted, width: number, n: number, row: number) => number[]} */
function readRow(rows, width, n, row) {
  return Array.from(projectorRow(rows, width, n, row), (value) => 1 / n + value);
}

/** @type {(d: number, share: number) => number} */
const split = (d, share) => Math.min(Math.max(Math.floor(share * d + 0.5), 1), d - 1);

// Over the widths d: the counts, (d − 2, seed), and from where on it is exact.
/**
 * @type {(sums: Counted[], tokens: Counted[], positions: Counted[], share: number, v: number, l: number) =>
 *   { counts: Counts, exact: Exact }}
 */
function countWidths(sums, tokens, positions, share, v, l) {
  /** @type {Counts} */
  const counts = { added: [], side_by_side: [] };
  /** @type {Exact} */
  const exact = { added: null, side_by_side: null };
  for (let d = sums[0].counts.length; d >= 2; d -= 1) {
    const a = split(d, share);
    counts.added.unshift(sums.map((each) => each.counts[d - 1]));
    counts.side_by_side.unshift(tokens.map((each, seed) => each.counts[a - 1] * positions[seed].counts[d - a - 1]));
    if (sums[0].ranks[d - 1] === v + l - 2) exact.added = d;
    if (tokens[0].ranks[a - 1] === v - 1 && positions[0].ranks[d - a - 1] === l - 1) exact.side_by_side = d;
  }
  return { counts, exact };
}

// Most steps change none of what the slow counts depend on.
const countEach = (/** @type {Matrix[]} */ tables) => tables.map(countRows);
const keptTokens = kept(tablesOf);
const keptPositions = kept(tablesOf);
const keptScaled = kept(scaled);
const countTokens = kept(countEach);
const countPositions = kept(countEach); // at any ratio
const countAllSums = kept((/** @type {Matrix[]} */ xs, /** @type {Matrix[]} */ ps) =>
  xs.map((x, seed) => countSums(x, ps[seed])),
);
const countAllWidths = kept(countWidths);

/**
 * @type {(state: AddOrConcatenateState, own: { tokens: Matrix, positions: Matrix }, known: Known) => { x: Matrix,
 *   p: Matrix, v: number, l: number, t: number, k: number, dToken: number, added: { tokens: number[],
 *   positions: number[] }, sideBySide: { tokens: number[], positions: number[] }, counts: Counts, exact: Exact }}
 */
export function compute(state, own, known) {
  const xs = keptTokens("tokens", state.n_tokens, own.tokens, known);
  const unscaled = keptPositions("positions", state.n_positions, own.positions, known);
  const ps = keptScaled(unscaled, state.ratio);
  const [x, p] = [xs[0], ps[0]];
  const [v, l] = [x.length, p.length];
  const [sums, tokens, positions] = [countAllSums(xs, ps), countTokens(xs), countPositions(unscaled)];
  const [t, k] = [Math.min(state.token, v - 1), Math.min(state.position, l - 1)];
  const dToken = split(state.d, state.share);
  const added = readSum(sums[0], state.d, v, l, t, k);
  const sideBySide = {
    tokens: readRow(tokens[0], dToken, v, t),
    positions: readRow(positions[0], state.d - dToken, l, k),
  };
  return { x, p, v, l, t, k, dToken, added, sideBySide, ...countAllWidths(sums, tokens, positions, state.share, v, l) };
}

// The mean over the tables of the part of n pairs that is read back, and its ends.
/** @type {(row: number[], n: number) => { mean: number, low: number, high: number }} */
export function rate(row, n) {
  const total = row.reduce((sum, count) => sum + count, 0);
  return { mean: total / (row.length * n), low: Math.min(...row) / n, high: Math.max(...row) / n };
}

// The place of the largest score, the first of several, and whether it is the right one and alone.
/** @type {(scores: number[], right: number) => { best: number, isRight: boolean }} */
export function winner(scores, right) {
  const largest = Math.max(...scores);
  const first = scores.findIndex((score) => score >= largest - TIE);
  const isAlone = scores.filter((score) => score >= largest - TIE).length === 1;
  return { best: first, isRight: isAlone && first === right };
}
