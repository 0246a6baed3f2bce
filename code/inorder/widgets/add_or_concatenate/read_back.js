// What the best affine map reads back from a token and a position that are added, or side by side. read_back.py gives
// the reasons. A table is an array of rows; a projector is a Float64Array, row after row.

import { clamp, numbersFromText } from "../kit/arithmetic.js";
import { kept } from "../kit/kept.js";

/** @typedef {{ basis: Float64Array[], count: number }} Width what a table's first columns span; count: what is read back */
/** @typedef {{ tokens: Float64Array, positions: Float64Array }} Scores */
/** @typedef {"added" | "side_by_side"} Way */

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

/** @type {(name: "tokens" | "positions") => Matrix} */
function randomTable(name) {
  const numbers = normalNumbers(`${name}, table 0`, LARGEST_TABLE * WIDEST);
  return Array.from({ length: LARGEST_TABLE }, (_row, i) => numbers.slice(i * WIDEST, (i + 1) * WIDEST));
}

/** @type {(table: Matrix, weight?: number) => Matrix} its columns, centred */
const centredColumns = (table, weight = 1) =>
  table[0].map((_, column) => {
    const mean = table.reduce((sum, row) => sum + row[column], 0) / table.length;
    return table.map((row) => weight * (row[column] - mean));
  });

// For the first column, the first two, …, none of which takes the rank above the most: what they span, and what counts the
// projector on it. Gram and Schmidt, twice. In plain loops, because each step of a slider does it anew.
/** @type {(columns: Matrix, most: number, countOf: (projector: Float64Array) => number) => Width[]} */
function columnSpace(columns, most, countOf) {
  const n = columns[0].length;
  const projector = new Float64Array(n * n);
  let width = /** @type {Width} */ ({ basis: [], count: 0 });
  return columns.map((column) => {
    if (width.basis.length === most) return width;
    const rest = Float64Array.from(column);
    for (let pass = 0; pass < 2; pass += 1) {
      const before = rest.slice();
      for (let i = 0; i < n; i += 1) {
        let along = 0;
        for (let j = 0; j < n; j += 1) along += projector[i * n + j] * before[j];
        rest[i] -= along;
      }
    }
    const length = Math.hypot(...rest);
    if (length <= SPANNED * Math.hypot(...column)) return width;
    for (let i = 0; i < n; i += 1) rest[i] /= length;
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) projector[i * n + j] += rest[i] * rest[j];
    }
    width = { basis: [...width.basis, rest], count: countOf(projector) };
    return width;
  });
}

// A row of the projector on a basis.
/** @type {(width: Width, n: number, row: number) => Float64Array} */
const rowOf = ({ basis }, n, row) =>
  Float64Array.from({ length: n }, (_, i) => basis.reduce((sum, q) => sum + q[row] * q[i], 0));

// The largest of n numbers from an offset on, but for the one at `own`.
/** @type {(numbers: Float64Array, start: number, n: number, own: number) => number} */
function largestOther(numbers, start, n, own) {
  let most = -Infinity;
  for (let i = start; i < start + n; i += 1) if (i !== own && numbers[i] > most) most = numbers[i];
  return most;
}

// Is the right one of n scores ahead of all others? A score is a[i] + factor · b[i], counted from two offsets.
/** @type {(scores: Float64Array, right: number, n: number, a?: number, b?: number, factor?: number) => boolean} */
export function wins(scores, right, n, a = 0, b = a, factor = 0) {
  const own = scores[a + right] + factor * scores[b + right] - TIE;
  for (let i = 0; i < n; i += 1) {
    if (i !== right && scores[a + i] + factor * scores[b + i] >= own) return false;
  }
  return true;
}

/** @type {(x: Matrix, p: Matrix) => Width[]} their sums; count: the pairs that are read back */
function spaceOfSums(x, p) {
  const [v, l] = [x.length, p.length];
  const positions = centredColumns(p, Math.sqrt(v));
  const columns = centredColumns(x, Math.sqrt(l)).map((column, i) => [...column, ...positions[i]]);
  const [n, toToken, toPosition] = [v + l, Math.sqrt(l / v), Math.sqrt(v / l)];
  return columnSpace(columns, n - 2, (projector) => {
    // Most pairs are ahead even of what no other score exceeds: the sum of the largest numbers of their two rows.
    const rows = Array.from({ length: n }, (_, row) => row * n);
    const tokens = rows.map((start, row) => largestOther(projector, start, v, start + row));
    const positions = rows.map((start, row) => largestOther(projector, start + v, l, start + row));
    let count = 0;
    for (let t = 0; t < v; t += 1) {
      for (let k = v; k < n; k += 1) {
        const token = projector[t * n + t] + toToken * projector[k * n + t] - TIE;
        const position = projector[k * n + k] + toPosition * projector[t * n + k] - TIE;
        const isRead =
          (token > tokens[t] + toToken * tokens[k] || wins(projector, t, v, t * n, k * n, toToken)) &&
          (position > positions[k] + toPosition * positions[t] ||
            wins(projector, k - v, l, k * n + v, t * n + v, toPosition));
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
    table.length - 1,
    (projector) => table.filter((_, row) => wins(projector, row, table.length, row * table.length)).length,
  );

/** @type {(width: Width, n: number, row: number) => Float64Array} what is said of one row of a table alone */
const readRow = (width, n, row) => rowOf(width, n, row).map((value) => 1 / n + value);

/** @type {(width: Width, v: number, l: number, token: number, position: number) => Scores} and of a sum */
function readSum(width, v, l, token, position) {
  const [t, k] = [token, v + position].map((row) => rowOf(width, v + l, row));
  return {
    tokens: t.slice(0, v).map((own, i) => 1 / v + own + Math.sqrt(l / v) * k[i]),
    positions: k.slice(v).map((own, i) => 1 / l + own + Math.sqrt(v / l) * t[v + i]),
  };
}

/** @type {(d: number, share: number) => number} */
const split = (d, share) => clamp(Math.floor(share * d + 0.5), 1, d - 1);

/** @type {(table: Matrix, ratio: number) => Matrix} */
const scaled = (table, ratio) => table.map((row) => row.map((value) => ratio * value));

// Most steps change none of what the slow counts depend on.
const [tokenRows, positionRows] = [kept(randomTable), kept(randomTable)];
/** @type {(own: Matrix, random: Matrix, n: number) => Matrix} the reader's own table, or n rows of the random one */
const tableOf = (own, random, n) => (own.length ? own : random.slice(0, n));
const [tokenTable, positionTable] = [kept(tableOf), kept(tableOf)];
const tokenSpace = kept(spaceOfRows);
const positionSpace = kept(spaceOfRows); // at any ratio
const sumSpace = kept((/** @type {Matrix} */ x, /** @type {Matrix} */ p, /** @type {number} */ ratio) =>
  spaceOfSums(x, scaled(p, ratio)),
);

// rates: by d − 2; exact: the width from which on the read-out is exact, or null; dToken: the token's columns side by side.
/** @type {(state: AddOrConcatenateState, own: { tokens: Matrix, positions: Matrix }) => { x: Matrix, p: Matrix, t: number, k: number, dToken: number, added: Scores, side_by_side: Scores, rates: Record<Way, number[]>, exact: Record<Way, number | null> }} */
export function compute({ d, token, position, n_tokens, n_positions, ratio, share }, own) {
  const x = tokenTable(own.tokens, tokenRows("tokens"), n_tokens);
  const p = positionTable(own.positions, positionRows("positions"), n_positions);
  const [v, l] = [x.length, p.length];
  const [sums, tokens, positions] = [sumSpace(x, p, ratio), tokenSpace(x), positionSpace(p)];
  const rates = /** @type {Record<Way, number[]>} */ ({ added: [], side_by_side: [] });
  const exact = /** @type {Record<Way, number | null>} */ ({ added: null, side_by_side: null });
  for (let width = sums.length; width >= 2; width -= 1) {
    const [ofToken, ofPosition] = [tokens[split(width, share) - 1], positions[width - split(width, share) - 1]];
    rates.added.unshift(sums[width - 1].count / (v * l));
    rates.side_by_side.unshift((ofToken.count * ofPosition.count) / (v * l));
    if (sums[width - 1].basis.length === v + l - 2) exact.added = width;
    if (ofToken.basis.length === v - 1 && ofPosition.basis.length === l - 1) exact.side_by_side = width;
  }
  const [t, k] = [Math.min(token, v - 1), Math.min(position, l - 1)];
  const dToken = split(d, share);
  const beside = {
    tokens: readRow(tokens[dToken - 1], v, t),
    positions: readRow(positions[d - dToken - 1], l, k),
  };
  const added = readSum(sums[d - 1], v, l, t, k);
  return { x, p: scaled(p, ratio), t, k, dToken, added, side_by_side: beside, rates, exact };
}
