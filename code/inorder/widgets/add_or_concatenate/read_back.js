// What the best affine map reads back from a token and a position that are added, or side by side. read_back.py gives
// the reasons. A table is an array of rows; a projector is a Float64Array, row after row.

import { numbersFromText } from "../kit/arithmetic.js";
import { kept } from "../kit/kept.js";

/** @typedef {{ projector: Float64Array, rank: number, count: number }} Width of a table's first columns; count: what is read back */
/** @typedef {{ tokens: number[], positions: number[] }} Scores */
/** @typedef {"added" | "side_by_side"} Way */

const N_SEEDS = 10;
const LARGEST_TABLE = 24; // rows
const WIDEST = 64;
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
/** @type {(name: "tokens" | "positions") => Matrix[]} one table for each seed */
function randomTables(name) {
  drawn[name] ??= Array.from({ length: N_SEEDS }, (_, seed) => {
    const numbers = normalNumbers(`${name}, table ${seed}`, LARGEST_TABLE * WIDEST);
    return Array.from({ length: LARGEST_TABLE }, (_row, i) => numbers.slice(i * WIDEST, (i + 1) * WIDEST));
  });
  return drawn[name];
}

/** @type {(table: Matrix, weight?: number) => Matrix} its columns, centred */
const centredColumns = (table, weight = 1) =>
  table[0].map((_, column) => {
    const mean = table.reduce((sum, row) => sum + row[column], 0) / table.length;
    return table.map((row) => weight * (row[column] - mean));
  });

/** @type {(a: number[], b: number[]) => number} */
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

// For the first column, the first two, …: the projector on what they span. Gram and Schmidt, twice.
/** @type {(columns: Matrix, count: (projector: Float64Array) => number) => Width[]} */
function columnSpace(columns, count) {
  const n = columns[0].length;
  /** @type {Matrix} */
  const basis = [];
  let projector = new Float64Array(n * n);
  return columns.map((column) => {
    let rest = column;
    for (const q of [...basis, ...basis]) {
      const along = dot(q, rest);
      rest = rest.map((value, k) => value - along * q[k]);
    }
    const length = Math.sqrt(dot(rest, rest));
    if (length > SPANNED * Math.sqrt(dot(column, column))) {
      const q = rest.map((value) => value / length);
      basis.push(q);
      projector = projector.map((value, i) => value + q[Math.floor(i / n)] * q[i % n]);
    }
    return { projector, rank: basis.length, count: count(projector) };
  });
}

// Is the right one of n scores ahead of all others? A score is a[i] + factor · b[i], counted from two offsets.
/** @type {(matrix: ArrayLike<number>, right: number, n: number, a?: number, b?: number, factor?: number) => boolean} */
export function wins(matrix, right, n, a = 0, b = a, factor = 0) {
  const own = matrix[a + right] + factor * matrix[b + right] - TIE;
  for (let i = 0; i < n; i += 1) {
    if (i !== right && matrix[a + i] + factor * matrix[b + i] >= own) return false;
  }
  return true;
}

/** @type {(x: Matrix, p: Matrix) => Width[]} their sums; count: the pairs that are read back */
function spaceOfSums(x, p) {
  const [v, l] = [x.length, p.length];
  const positions = centredColumns(p, Math.sqrt(v));
  const columns = centredColumns(x, Math.sqrt(l)).map((column, i) => [...column, ...positions[i]]);
  return columnSpace(columns, (projector) => {
    let count = 0;
    for (let token = 0; token < v; token += 1) {
      for (let position = 0; position < l; position += 1) {
        const [t, k] = [token * (v + l), (v + position) * (v + l)];
        const isRead =
          wins(projector, token, v, t, k, Math.sqrt(l / v)) &&
          wins(projector, position, l, k + v, t + v, Math.sqrt(v / l));
        count += Number(isRead);
      }
    }
    return count;
  });
}

/** @type {(table: Matrix) => Width[]} a table alone; count: its rows that are read back */
const spaceOfRows = (table) =>
  columnSpace(
    centredColumns(table),
    (projector) => table.filter((_, row) => wins(projector, row, table.length, row * table.length)).length,
  );

/** @type {(width: Width, n: number, row: number) => number[]} what is said of one row of a table alone */
const readRow = ({ projector }, n, row) =>
  Array.from(projector.subarray(row * n, (row + 1) * n), (value) => 1 / n + value);

/** @type {(width: Width, v: number, l: number, token: number, position: number) => Scores} and of a sum */
function readSum({ projector }, v, l, token, position) {
  const [t, k] = [token, v + position].map((row) => projector.subarray(row * (v + l), (row + 1) * (v + l)));
  return {
    tokens: Array.from(t.subarray(0, v), (own, i) => 1 / v + own + Math.sqrt(l / v) * k[i]),
    positions: Array.from(k.subarray(v), (own, i) => 1 / l + own + Math.sqrt(v / l) * t[v + i]),
  };
}

/** @type {(d: number, share: number) => number} */
const split = (d, share) => Math.min(Math.max(Math.floor(share * d + 0.5), 1), d - 1);

// Most steps change none of what the slow counts depend on.
/** @type {(name: "tokens" | "positions", own: Matrix, n: number) => Matrix[]} the reader's own table, or n rows of the random ones */
const tablesOf = (name, own, n) => (own.length ? [own] : randomTables(name).map((table) => table.slice(0, n)));
const tokenTables = kept(tablesOf);
const positionTables = kept(tablesOf);
const tokenSpaces = kept((/** @type {Matrix[]} */ xs) => xs.map(spaceOfRows));
const positionSpaces = kept((/** @type {Matrix[]} */ ps) => ps.map(spaceOfRows)); // at any ratio
const sumSpaces = kept((/** @type {Matrix[]} */ xs, /** @type {Matrix[]} */ ps, /** @type {number} */ ratio) =>
  xs.map((x, seed) => spaceOfSums(x, scaled(ps[seed], ratio))),
);
/** @type {(table: Matrix, ratio: number) => Matrix} */
const scaled = (table, ratio) => table.map((row) => row.map((value) => ratio * value));

// rates: (d − 2, seed); exact: the width from which on the read-out is exact, or null; dToken: the token's columns side by
// side.
/** @type {(state: AddOrConcatenateState, own: { tokens: Matrix, positions: Matrix }) => { x: Matrix, p: Matrix, t: number, k: number, dToken: number, added: Scores, side_by_side: Scores, rates: Record<Way, Matrix>, exact: Record<Way, number | null> }} */
export function compute({ d, token, position, n_tokens, n_positions, ratio, share }, own) {
  const xs = tokenTables("tokens", own.tokens, n_tokens);
  const ps = positionTables("positions", own.positions, n_positions);
  const [v, l] = [xs[0].length, ps[0].length];
  const [sums, tokens, positions] = [sumSpaces(xs, ps, ratio), tokenSpaces(xs), positionSpaces(ps)];
  const rates = /** @type {Record<Way, Matrix>} */ ({ added: [], side_by_side: [] });
  const exact = /** @type {Record<Way, number | null>} */ ({ added: null, side_by_side: null });
  for (let width = sums[0].length; width >= 2; width -= 1) {
    const [a, b] = [split(width, share), width - split(width, share)];
    rates.added.unshift(sums.map((space) => space[width - 1].count / (v * l)));
    rates.side_by_side.unshift(tokens.map((space, s) => (space[a - 1].count * positions[s][b - 1].count) / (v * l)));
    if (sums[0][width - 1].rank === v + l - 2) exact.added = width;
    if (tokens[0][a - 1].rank === v - 1 && positions[0][b - 1].rank === l - 1) exact.side_by_side = width;
  }
  const [t, k] = [Math.min(token, v - 1), Math.min(position, l - 1)];
  const dToken = split(d, share);
  const beside = {
    tokens: readRow(tokens[0][dToken - 1], v, t),
    positions: readRow(positions[0][d - dToken - 1], l, k),
  };
  const added = readSum(sums[0][d - 1], v, l, t, k);
  return { x: xs[0], p: scaled(ps[0], ratio), t, k, dToken, added, side_by_side: beside, rates, exact };
}
