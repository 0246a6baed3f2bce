// What the best affine map reads back from a token and a position that are added, or side by side. The reasons stand in
// read_back.py. A table is an array of rows; a projector is a Float64Array, row after row.

import { numbersFromText } from "../kit/arithmetic.js";

const TIE = 1e-9; // a score that is no further ahead than this has not won
const SPANNED = 1e-9; // what is left of a column, as a part of it, when the columns before it span it already

// Box and Muller's normal numbers, two uniform ones for each.
function normalNumbers(text, n) {
  const uniform = numbersFromText(text, 2 * n).map((x) => (x + 1) / 2);
  return Array.from(
    { length: n },
    (_, i) => Math.sqrt(-2 * Math.log(1 - uniform[2 * i])) * Math.cos(2 * Math.PI * uniform[2 * i + 1]),
  );
}

const drawn = new Map();
function randomTable(name, { words, widest }) {
  if (!drawn.has(name)) {
    const numbers = normalNumbers(name, words.length * widest);
    drawn.set(
      name,
      words.map((_, i) => numbers.slice(i * widest, (i + 1) * widest)),
    );
  }
  return drawn.get(name);
}

// [[x, p], …], one pair for each seed.
function tablesOf({ n_tokens, n_positions, ratio }, own, known) {
  const longer = (p) => p.map((row) => row.map((value) => ratio * value));
  if (own.tokens.length) return [[own.tokens, longer(own.positions)]];
  return Array.from({ length: known.n_seeds }, (_, seed) => [
    randomTable(`tokens, table ${seed}`, known).slice(0, n_tokens),
    longer(randomTable(`positions, table ${seed}`, known).slice(0, n_positions)),
  ]);
}

function centredColumn(table, column, weight) {
  const mean = table.reduce((sum, row) => sum + row[column], 0) / table.length;
  return table.map((row) => weight * (row[column] - mean));
}

const centredColumns = (table) => table[0].map((_, column) => centredColumn(table, column, 1));

function weightedColumns(x, p) {
  const [a, b] = [Math.sqrt(p.length), Math.sqrt(x.length)];
  return x[0].map((_, column) => [...centredColumn(x, column, a), ...centredColumn(p, column, b)]);
}

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
};

// visit(projector, rank, width) for the first column, the first two, … The projector is changed in place.
function eachWidth(columns, visit) {
  const n = columns[0].length;
  const projector = new Float64Array(n * n);
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
}

// Is the right one of n scores ahead of all others? A score is a[i] + factor · b[i], counted from two offsets.
function wins(matrix, right, n, a, b = a, factor = 0) {
  const own = matrix[a + right] + factor * matrix[b + right] - TIE;
  for (let i = 0; i < n; i += 1) {
    if (i !== right && matrix[a + i] + factor * matrix[b + i] >= own) return false;
  }
  return true;
}

// What the read-out says of the sum of a token and a position: { tokens, positions }.
function readSum(projector, v, l, token, position) {
  const [t, k] = [token * (v + l), (v + position) * (v + l)]; // where their rows begin
  const list = (n, a, b, factor) =>
    Array.from({ length: n }, (_, i) => 1 / n + projector[a + i] + factor * projector[b + i]);
  return { tokens: list(v, t, k, Math.sqrt(l / v)), positions: list(l, k + v, t + v, Math.sqrt(v / l)) };
}

// For each width, how many pairs are read back from their sums; and the rank.
function countSums(x, p) {
  const [v, l] = [x.length, p.length];
  const [toToken, toPosition] = [Math.sqrt(l / v), Math.sqrt(v / l)];
  const found = { counts: [], ranks: [] };
  eachWidth(weightedColumns(x, p), (projector, rank) => {
    let count = 0;
    for (let row = 0; row < v; row += 1) {
      for (let other = 0; other < l; other += 1) {
        const [t, k] = [row * (v + l), (v + other) * (v + l)];
        if (wins(projector, row, v, t, k, toToken) && wins(projector, other, l, k + v, t + v, toPosition)) count += 1;
      }
    }
    found.counts.push(count);
    found.ranks.push(rank);
  });
  return found;
}

// For each width, how many rows of one table are read back; and the rank.
function countRows(table) {
  const n = table.length;
  const found = { counts: [], ranks: [] };
  eachWidth(centredColumns(table), (projector, rank) => {
    found.counts.push(table.filter((_, row) => wins(projector, row, n, row * n)).length);
    found.ranks.push(rank);
  });
  return found;
}

function projectorAt(columns, width) {
  let found = null;
  eachWidth(columns.slice(0, width), (projector) => {
    found = projector;
  });
  return found;
}

const split = (d, share) => Math.min(Math.max(Math.floor(share * d + 0.5), 1), d - 1);

// What is slow to count is kept until one of the numbers it depends on changes.
const kept = {};
function keep(name, key, count) {
  const text = JSON.stringify(key);
  if (kept[name]?.text !== text) kept[name] = { text, value: count() };
  return kept[name].value;
}

export function compute(state, own, known) {
  const tables = tablesOf(state, own, known);
  const [x, p] = tables[0];
  const [v, l] = [x.length, p.length];
  const sums = keep("sums", [v, l, state.ratio, own], () => tables.map(([a, b]) => countSums(a, b)));
  const tokens = keep("tokens", [v, own], () => tables.map(([a]) => countRows(a)));
  const positions = keep("positions", [l, own], () => tables.map(([, b]) => countRows(b))); // at any ratio
  const [t, k] = [Math.min(state.token, v - 1), Math.min(state.position, l - 1)];
  const dToken = split(state.d, state.share);
  const added = readSum(projectorAt(weightedColumns(x, p), state.d), v, l, t, k);
  const beside = (table, width, row) => {
    const n = table.length;
    const projector = projectorAt(centredColumns(table), width);
    return Array.from({ length: n }, (_, i) => 1 / n + projector[row * n + i]);
  };
  const sideBySide = { tokens: beside(x, dToken, t), positions: beside(p, state.d - dToken, k) };

  const counts = { added: [], side_by_side: [] }; // (d − 2, seed)
  const exact = { added: null, side_by_side: null };
  for (let d = x[0].length; d >= 2; d -= 1) {
    const a = split(d, state.share);
    counts.added.unshift(sums.map((each) => each.counts[d - 1]));
    counts.side_by_side.unshift(tokens.map((each, seed) => each.counts[a - 1] * positions[seed].counts[d - a - 1]));
    if (sums[0].ranks[d - 1] === v + l - 2) exact.added = d;
    if (tokens[0].ranks[a - 1] === v - 1 && positions[0].ranks[d - a - 1] === l - 1) exact.side_by_side = d;
  }
  return { x, p, v, l, t, k, dToken, added, sideBySide, counts, exact };
}

// The mean over the tables of the part of n pairs that is read back, and its ends.
export function rate(row, n) {
  const total = row.reduce((sum, count) => sum + count, 0);
  return { mean: total / (row.length * n), low: Math.min(...row) / n, high: Math.max(...row) / n };
}

// The place of the largest score, the first of several, and whether it is the right one and alone.
export function winner(scores, right) {
  const largest = Math.max(...scores);
  const first = scores.findIndex((score) => score >= largest - TIE);
  const isAlone = scores.filter((score) => score >= largest - TIE).length === 1;
  return { best: first, isRight: isAlone && first === right };
}
