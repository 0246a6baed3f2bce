// What a distance does to a score, scheme by scheme. learned: { table, relative_keys, queries, keys }, from Python.

import { attentionScores, softmax } from "../kit/arithmetic.js";
import { kept } from "../kit/kept.js";
import { alibiBias, rotaryEncoding, shawBias, t5Bias, waveEncoding } from "../kit/transformer.js";

/** @typedef {RelativeBiasExplorerState} State */
/** @typedef {Record<State["scheme"], number[]>} Kernels by scheme, one number for each distance */
/** @typedef {{ table: Matrix, relative_keys: Matrix, queries: Matrix, keys: Matrix }} Learned */

const SAME = 1e-9; // numbers closer than this (times their size) count as the same

// r = (key position) − (query position), from −(n − 1) to n − 1.
/** @type {(n: number) => number[]} */
export function distancesOf(n) {
  return Array.from({ length: 2 * n - 1 }, (_, k) => k + 1 - n);
}

// What each scheme adds to the score, or makes of it, at each of these distances, for the chosen head.
/** @type {(state: Omit<State, "query" | "key" | "scheme" | "as_weights">, learned: Learned) => Kernels} */
function kernelsOf(state, { table, relative_keys, queries, keys }) {
  const { n, head, n_heads, direction, max_distance, bidirectional, clip, base, pairing, d_model, sharpness } = state;
  const distances = distancesOf(n);
  const [query, middle] = [[queries[head]], (relative_keys.length - 1) / 2];
  const near = relative_keys.slice(middle - clip, middle + clip + 1);
  const key = distances.map(() => keys[head]);
  const settings = { base, pairing };
  const places = distances.map((r) => r + n - 1);
  const waves = waveEncoding(places, d_model, { base }); // (distance, d_model)
  return {
    alibi: alibiBias(n_heads, [0], distances, { direction })[head][0],
    t5: t5Bias(table, [0], distances, { maxDistance: max_distance, bidirectional })[head][0],
    shaw: shawBias(query, near, [0], distances, { maxDistance: clip })[0],
    rotary: attentionScores(rotaryEncoding(query, [0], settings), rotaryEncoding(key, distances, settings))[0],
    sinusoidal: attentionScores([waves[n - 1]], waves)[0].map((score) => sharpness * score),
  };
}

// The part of a kernel for which a query has a key: one number for each key of the text.
/** @type {(kernel: number[], query: number) => number[]} */
export function rowOf(kernel, query) {
  const n = (kernel.length + 1) / 2;
  return kernel.slice(n - 1 - query, 2 * n - 1 - query);
}

/** @type {(x: number, other: number) => boolean} */
export function isSame(x, other) {
  return x === other || (Number.isFinite(x) && Math.abs(x - other) <= SAME * Math.max(1, Math.abs(x)));
}

/** @type {(kernel: number[], n: number, as_weights: boolean) => { shape: number[], values: Float64Array }} for all pairs, (query, key) */
function mapOf(kernel, n, as_weights) {
  const rows = Array.from({ length: n }, (_, i) => (as_weights ? softmax(rowOf(kernel, i)) : rowOf(kernel, i)));
  return { shape: [n, n], values: Float64Array.from(rows.flat()) };
}
const keptKernels = kept(kernelsOf); // at most steps only the key changes
const keptMap = kept(mapOf);

// Of the chosen scheme: its kernel; the row of the chosen query; `across`, what a key as far away on the other side gets,
// undefined for a weight that no key of the text has; the map, (query, key).
/** @type {(state: State, learned: Learned) => { kernel: number[], row: number[], across: number | undefined, map: ReturnType<typeof mapOf> }} */
export function calculate({ query, key, scheme, as_weights, ...settings }, learned) {
  const { n } = settings;
  const kernel = keptKernels(settings, learned)[scheme];
  const seen = rowOf(kernel, query);
  const row = as_weights ? softmax(seen) : seen;
  const r = key - query;
  return { kernel, row, across: as_weights ? row[query - r] : kernel[n - 1 - r], map: keptMap(kernel, n, as_weights) };
}
