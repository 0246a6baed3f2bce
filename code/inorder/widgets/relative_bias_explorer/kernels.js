// What a distance does to a score, scheme by scheme. learned: { table, relative_keys, queries, keys }, from Python.

import { attentionScores, softmax } from "../kit/arithmetic.js";
import { kept } from "../kit/kept.js";
import { alibiBias, rotaryEncoding, shawBias, t5Bias, waveEncoding } from "../kit/transformer.js";

const MIRRORED = 1e-9; // numbers closer than this (times their size) count as the same

// r = (key position) − (query position), from −(n − 1) to n − 1.
export function distancesOf(n) {
  return Array.from({ length: 2 * n - 1 }, (_, k) => k + 1 - n);
}

// What each scheme adds to the score, or makes of it, at each of these distances, for the chosen head.
export function kernelsOf(state, { table, relative_keys, queries, keys }) {
  const { n, head, n_heads, direction, max_distance, bidirectional, clip, base, pairing, d_model, sharpness } = state;
  const [distances, h] = [distancesOf(n), head];
  const [query, key, middle] = [[queries[h]], keys[h], (relative_keys.length - 1) / 2];
  const near = relative_keys.slice(middle - clip, middle + clip + 1);
  const turned = rotaryEncoding(
    distances.map(() => key),
    distances,
    { base, pairing },
  );
  const waves = waveEncoding(
    distances.map((r) => r + n - 1),
    d_model,
    { base },
  ); // (distance, d_model)
  return {
    alibi: alibiBias(n_heads, [0], distances, { direction })[h][0],
    t5: t5Bias(table, [0], distances, { maxDistance: max_distance, bidirectional })[h][0],
    shaw: shawBias(query, near, [0], distances, { maxDistance: clip })[0],
    rotary: attentionScores(rotaryEncoding(query, [0], { base, pairing }), turned)[0],
    sinusoidal: attentionScores([waves[n - 1]], waves)[0].map((score) => sharpness * score),
  };
}

// The part of a kernel for which a query has a key: one number for each key of the text.
export function rowOf(kernel, query) {
  const n = (kernel.length + 1) / 2;
  return kernel.slice(n - 1 - query, 2 * n - 1 - query);
}

export function isMirrored(kernel) {
  const size = Math.max(1, ...kernel.filter(Number.isFinite).map(Math.abs));
  return kernel.every((x, k) => {
    const other = kernel[kernel.length - 1 - k];
    return x === other || Math.abs(x - other) <= MIRRORED * size; // −∞ − (−∞) is no number
  });
}

export function isSame(x, other) {
  return x === other || (Number.isFinite(x) && Math.abs(x - other) <= MIRRORED * Math.max(1, Math.abs(x)));
}

// What does not depend on the key, which the reader moves most.
const keptKernels = kept((settings, learned) => kernelsOf(settings, learned));
const keptNumbers = kept((kernels, { n, query, scheme, as_weights }) => {
  const finish = (row) => (as_weights ? softmax(row) : row);
  const each = (make) =>
    Object.fromEntries(Object.entries(kernels).map(([name, kernel]) => [name, make(name, kernel)]));
  const rows = each((_, kernel) => finish(rowOf(kernel, query)));
  const beyond = (count) => Array(count).fill(undefined);
  const padded = (row) => [...beyond(n - 1 - query), ...row, ...beyond(query)];
  const values = each((name, kernel) => (as_weights ? padded(rows[name]) : kernel));
  const map = Array.from({ length: n }, (_, i) => finish(rowOf(kernels[scheme], i)));
  const mirrored = Object.keys(kernels).filter((name) => isMirrored(kernels[name]));
  return { kernels, rows, values, map, mirrored };
});

// Of a state, by scheme: the kernel, its row, and its `values`, one for each distance, as it is drawn: undefined where a
// weight would need a key beyond the text; the map (query, key) of the chosen scheme; the mirrored ones; and what a key
// gets that is as far from the query on the other side: null as a weight, where the text has no such key.
export function calculate({ query, key, scheme, as_weights, ...settings }, learned) {
  const { n } = settings;
  const numbers = keptNumbers(keptKernels(settings, learned), { n, query, scheme, as_weights });
  const r = key - query;
  const across = as_weights ? (numbers.rows[scheme][query - r] ?? null) : numbers.kernels[scheme][n - 1 - r];
  return { ...numbers, across };
}
