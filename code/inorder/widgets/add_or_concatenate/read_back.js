// What the best affine map reads back from a token and a position that are added, or side by side. read_back.py gives
// the reasons. A table is an array of rows; a projector is a Float64Array, row after row.

import { numbersFromText } from "../kit/arithmetic.js";
import { kept } from "../kit/kept.js";

/** @typedef {{ added: Matrix, side_by_side: Matrix }} Counts (d − 2, seed) */
/** @typedef {{ counts: number[], ranks: number[], basis: Float64Array[] }} Counted for each width: pairs read back, rank */
/** @typedef {{ words: string[], widest: number, n_seeds: number, answers: string[] }} Known */
/** @typedef {{ tokens: number[], positions: number[] }} Scores */

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

/** @type {Record<string, Matrix[]>} */
const drawn = {};
// The random tables of that name, one for each seed, of as many rows as there are words.
/** @type {(name: string, known: Known) => Matrix[]} */
function randomTables(name, { words, widest, n_seeds }) {
  drawn[name] ??= Array.from({ length: n_seeds }, (_, seed) => {
    const numbers = normalNumbers(`${name}, table ${seed}`, words.length * widest);
    return words.map((_word, i) => numbers.slice(i * widest, (i + 1) * widest));
  });
  return drawn[name];
}

/** @type {(table: Matrix, weight?: number) => Matrix} its columns, centred */
const centredColumns = (table, weight = 1) =>
  table[0].map((_, column) => {
    const mean = table.reduce((sum, row) => sum + row[column], 0) / table.length;
    return table.map((row) => weight * (row[column] - mean));
  });

/** @type {(x: Matrix, p: Matrix) => Matrix} */
function weightedColumns(x, p) {
  const [tokens, positions] = [centredColumns(x, Math.sqrt(p.length)), centredColumns(p, Math.sqrt(x.length))];
  return tokens.map((column, i) => [...column, ...positions[i]]);
}

/** @type {(a: ArrayLike<number>, b: ArrayLike<number>) => number} */
function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}

// count(projector) for the first column, the first two, … The projector is changed in place. `basis` is an orthonormal
// basis of what all columns span: its first vectors, as many as the rank is, span the columns of that width.
/** @type {(columns: Matrix, count: (projector: Float64Array) => number) => Counted} */
function eachWidth(columns, count) {
  const n = columns[0].length;
  const projector = new Float64Array(n * n);
  const found = /** @type {Counted} */ ({ counts: [], ranks: [], basis: [] });
  for (const column of columns) {
    const rest = Float64Array.from(column);
    for (let pass = 0; pass < 2; pass += 1) {
      for (const q of found.basis) {
        const along = dot(q, rest);
        for (let k = 0; k < n; k += 1) rest[k] -= along * q[k];
      }
    }
    const length = Math.sqrt(dot(rest, rest));
    if (length > SPANNED * Math.sqrt(dot(column, column))) {
      const q = rest.map((value) => value / length);
      found.basis.push(q);
      for (let a = 0; a < n; a += 1) for (let b = 0; b < n; b += 1) projector[a * n + b] += q[a] * q[b];
    }
    found.counts.push(count(projector));
    found.ranks.push(found.basis.length);
  }
  return found;
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

// How many pairs are read back from their sums.
/** @type {(x: Matrix, p: Matrix) => Counted} */
function countSums(x, p) {
  const [v, l] = [x.length, p.length];
  const [toToken, toPosition] = [Math.sqrt(l / v), Math.sqrt(v / l)];
  return eachWidth(weightedColumns(x, p), (projector) => {
    let count = 0;
    for (let row = 0; row < v; row += 1) {
      for (let other = 0; other < l; other += 1) {
        const [t, k] = [row * (v + l), (v + other) * (v + l)];
        if (wins(projector, row, v, t, k, toToken) && wins(projector, other, l, k + v, t + v, toPosition)) count += 1;
      }
    }
    return count;
  });
}

// How many rows of one table are read back.
/** @type {(table: Matrix) => Counted} */
const countRows = (table) =>
  eachWidth(
    centredColumns(table),
    (projector) => table.filter((_, row) => wins(projector, row, table.length, row * table.length)).length,
  );

// One row of the projector at that width, of n numbers.
/** @type {(counted: Counted, width: number, n: number, row: number) => number[]} */
function projectorRow({ basis, ranks }, width, n, row) {
  const part = basis.slice(0, ranks[width - 1]);
  return Array.from({ length: n }, (_, i) => part.reduce((sum, q) => sum + q[row] * q[i], 0));
}

// What the read-out says of the sum of a token and a position.
/** @type {(sum: Counted, width: number, v: number, l: number, token: number, position: number) => Scores} */
function readSum(sum, width, v, l, token, position) {
  const [t, k] = [token, v + position].map((row) => projectorRow(sum, width, v + l, row));
  /** @type {(n: number, own: number[], other: number[], factor: number, from: number) => number[]} */
  const list = (n, own, other, factor, from) =>
    Array.from({ length: n }, (_, i) => 1 / n + own[from + i] + factor * other[from + i]);
  return { tokens: list(v, t, k, Math.sqrt(l / v), 0), positions: list(l, k, t, Math.sqrt(v / l), v) };
}

// What it says of one row of a table that stands alone.
/** @type {(rows: Counted, width: number, n: number, row: number) => number[]} */
const readRow = (rows, width, n, row) => projectorRow(rows, width, n, row).map((value) => 1 / n + value);

/** @type {(d: number, share: number) => number} */
const split = (d, share) => Math.min(Math.max(Math.floor(share * d + 0.5), 1), d - 1);

// Most steps change none of what the slow counts depend on.
/** @type {(name: string, own: Matrix, n: number, known: Known) => Matrix[]} the reader's own table, or n rows of the random ones */
const tablesOf = (name, own, n, known) =>
  own.length ? [own] : randomTables(name, known).map((table) => table.slice(0, n));
const tokenTables = kept(tablesOf);
const positionTables = kept(tablesOf);
const countTokens = kept((/** @type {Matrix[]} */ tables) => tables.map(countRows));
const countPositions = kept((/** @type {Matrix[]} */ tables) => tables.map(countRows)); // at any ratio
const countAllSums = kept((/** @type {Matrix[]} */ xs, /** @type {Matrix[]} */ ps, /** @type {number} */ ratio) =>
  xs.map((x, seed) => countSums(x, scaled(ps[seed], ratio))),
);
/** @type {(table: Matrix, ratio: number) => Matrix} */
const scaled = (table, ratio) => table.map((row) => row.map((value) => ratio * value));

// `exact`: the width from which on the read-out is exact, or null; dToken: how many columns the token takes side by side.
/** @type {(state: AddOrConcatenateState, own: { tokens: Matrix, positions: Matrix }, known: Known) => { x: Matrix, p: Matrix, v: number, l: number, t: number, k: number, dToken: number, added: Scores, sideBySide: Scores, counts: Counts, exact: Record<keyof Counts, number | null> }} */
export function compute({ d, token, position, n_tokens, n_positions, ratio, share }, own, known) {
  const xs = tokenTables("tokens", own.tokens, n_tokens, known);
  const ps = positionTables("positions", own.positions, n_positions, known);
  const [v, l] = [xs[0].length, ps[0].length];
  const [sums, tokens, positions] = [countAllSums(xs, ps, ratio), countTokens(xs), countPositions(ps)];
  const counts = /** @type {Counts} */ ({ added: [], side_by_side: [] });
  const exact = /** @type {Record<keyof Counts, number | null>} */ ({ added: null, side_by_side: null });
  for (let width = sums[0].counts.length; width >= 2; width -= 1) {
    const [a, b] = [split(width, share), width - split(width, share)];
    counts.added.unshift(sums.map((each) => each.counts[width - 1]));
    counts.side_by_side.unshift(tokens.map((each, seed) => each.counts[a - 1] * positions[seed].counts[b - 1]));
    if (sums[0].ranks[width - 1] === v + l - 2) exact.added = width;
    if (tokens[0].ranks[a - 1] === v - 1 && positions[0].ranks[b - 1] === l - 1) exact.side_by_side = width;
  }
  const [t, k] = [Math.min(token, v - 1), Math.min(position, l - 1)];
  const dToken = split(d, share);
  const added = readSum(sums[0], d, v, l, t, k);
  const sideBySide = { tokens: readRow(tokens[0], dToken, v, t), positions: readRow(positions[0], d - dToken, l, k) };
  return { x: xs[0], p: scaled(ps[0], ratio), v, l, t, k, dToken, added, sideBySide, counts, exact };
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
