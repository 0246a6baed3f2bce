// What a distance does to a score, scheme by scheme. learned: { table, relative_keys, queries, keys }, from Python.

import { attentionScores, softmax } from "../kit/arithmetic.js";
import { kept } from "../kit/kept.js";
import { alibiBias, rotaryEncoding, shawBias, t5Bias, waveEncoding } from "../kit/transformer.js";

/** @typedef {Pick<State, "n" | "query" | "scheme" | "as_weights">} Choice */

/** @typedef {Record<State["scheme"], number[]>} Kernels by scheme, one number for each distance */

/** @typedef {RelativeBiasExplorerState} State */

/** @typedef {{ table: Matrix, relative_keys: Matrix, queries: Matrix, keys: Matrix }} Learned */

const MIRRORED = 1e-9; // numbers closer than this (times their size) count as the same

// r = (key position) − (query position), from −(n − 1) to n − 1.
/** @type {(n: number) => number[]} */
export function distancesOf(n) {
  return Array.from({ length: 2 * n - 1 }, (_, k) => k + 1 - n);
}

// What each scheme adds to the score, or makes of it, at each of these distances, for the chosen head.
/** @type {(state: Omit<State, "query" | "key" | "scheme" | "as_weights">, learned: Learned) => Kernels} */
function kernelsOf(state, { table, relative_keys, queries, keys }) {
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
/** @type {(kernel: number[], query: number) => number[]} */
function rowOf(kernel, query) {
  const n = (kernel.length + 1) / 2;
  return kernel.slice(n - 1 - query, 2 * n - 1 - query);
}

/** @type {(kernel: number[]) => boolean} */
function isMirrored(kernel) {
  const size = Math.max(1, ...kernel.filter(Number.isFinite).map(Math.abs));
  return kernel.every((x, k) => {
    const other = kernel[kernel.length - 1 - k];
    return x === other || Math.abs(x - other) <= MIRRORED * size; // −∞ − (−∞) is no number
  });
}

/** @type {(x: number, other: number) => boolean} */
export function isSame(x, other) {
  return x === other || (Number.isFinite(x) && Math.abs(x - other) <= MIRRORED * Math.max(1, Math.abs(x)));
}

// What does not depend on the key, which the reader moves most.
const keptKernels = kept(kernelsOf);
const keptNumbers = kept((/** @type {Kernels} */ kernels, /** @type {Choice} */ { n, query, scheme, as_weights }) => {
  const finish = (/** @type {number[]} */ row) => (as_weights ? softmax(row) : row);
  const names = /** @type {(keyof Kernels)[]} */ (Object.keys(kernels));
  /** @type {<Row>(make: (name: keyof Kernels) => Row) => Record<keyof Kernels, Row>} */
  const each = (make) => ({
    alibi: make("alibi"),
    t5: make("t5"),
    shaw: make("shaw"),
    rotary: make("rotary"),
    sinusoidal: make("sinusoidal"),
  });
  const rows = each((name) => finish(rowOf(kernels[name], query)));
  const beyond = (/** @type {number} */ count) => Array(count).fill(undefined);
  const padded = (/** @type {number[]} */ row) => [...beyond(n - 1 - query), ...row, ...beyond(query)];
  const values = each(
    (name) => /** @type {(number | undefined)[]} */ (as_weights ? padded(rows[name]) : kernels[name]),
  );
  const map = Array.from({ length: n }, (_, i) => finish(rowOf(kernels[scheme], i)));
  const mirrored = names.filter((name) => isMirrored(kernels[name]));
  return { kernels, rows, values, map, mirrored };
});

// Of a state, by scheme: the kernel, its row, and its `values`, one for each distance, as it is drawn: undefined where a
// weight would need a key beyond the text; the map (query, key) of the chosen scheme; the mirrored ones; and what a key
// as far from the query gets on the other side: null for a weight that no key of the text has.
/** @type {(state: State, learned: Learned) => ReturnType<typeof keptNumbers> & { across: number | null }} */
export function calculate({ query, key, scheme, as_weights, ...settings }, learned) {
  const { n } = settings;
  const numbers = keptNumbers(keptKernels(settings, learned), { n, query, scheme, as_weights });
  const r = key - query;
  const across = as_weights ? (numbers.rows[scheme][query - r] ?? null) : numbers.kernels[scheme][n - 1 - r];
  return { ...numbers, across };
}
