// What a position scheme says about positions 0 … n − 1, by the kit's own functions, in the form that network.js takes:
// a vector for each position, an angle for each, a bias for each pair, or which learned row each pair looks up.

import { causalMask } from "../kit/arithmetic.js";
import { alibiBias, binaryEncoding, scalarEncoding, t5Bucket, waveEncoding } from "../kit/transformer.js";

const flat = (rows, Kind = Float64Array) => Kind.from(rows.flat());
const pairs = (n, value) => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => value(i, j)));

/** @type {(config: any, n: number, causal: boolean) => any} */
export function placesOf({ scheme, d_model, n_heads }, n, causal) {
  const positions = Array.from({ length: n }, (_, position) => position);
  const { name, ...settings } = scheme;
  const width = scheme.concatenate || d_model;
  const added = (rows, table = "") => ({ width, features: flat(rows), table });
  const byScheme = {
    none: () => ({}),
    sinusoidal: () => added(waveEncoding(positions, width, settings)),
    learned: () =>
      added(
        pairs(n, (i, j) => Number(i === j)).map((row) => [...row, ...rest(scheme.length - n)]),
        "position.rows",
      ),
    scalar: () => added(scalarEncoding(positions, scheme.length), "position.direction"),
    binary: () => added(binaryEncoding(positions, scheme.n_bits), "position.directions"),
    rotary: () => ({ turn: turns(positions, d_model / n_heads, scheme) }),
    alibi: () => ({ bias: flat(alibiBias(n_heads, positions, positions, settings).flat()) }),
    t5: () => ({
      buckets: flat(
        pairs(n, (i, j) => t5Bucket(j - i, t5Settings(scheme))),
        Int32Array,
      ),
    }),
    shaw: () => ({
      index: flat(
        pairs(n, (i, j) => clip(j - i, scheme.max_distance)),
        Int32Array,
      ),
    }),
  };
  const found = byScheme[name]();
  const bias = found.bias ?? new Float64Array(n_heads * n * n);
  if (causal) {
    const allowed = causalMask(n).flat();
    for (let at = 0; at < bias.length; at += 1) if (!allowed[at % (n * n)]) bias[at] = -Infinity;
  }
  return {
    width: 0,
    table: "",
    turn: null,
    buckets: null,
    index: null,
    features: null,
    ...found,
    bias,
    nHeads: n_heads,
  };
}

const rest = (count) => new Array(count).fill(0);
const clip = (distance, most) => Math.min(Math.max(distance, -most), most) + most;
const t5Settings = ({ n_buckets, max_distance, bidirectional }) => ({
  nBuckets: n_buckets,
  maxDistance: max_distance,
  bidirectional,
});

// Pair j of a head turns by the angle p · base^(−2j/d_head): rotaryEncoding, as the numbers that it multiplies by.
function turns(positions, dHead, { base, pairing }) {
  const columns = Array.from({ length: dHead / 2 }, (_, j) => j);
  const angles = positions.flatMap((p) => columns.map((j) => p * base ** ((-2 * j) / dHead)));
  const interleaved = pairing === "interleaved";
  return {
    cosines: Float64Array.from(angles, Math.cos),
    sines: Float64Array.from(angles, Math.sin),
    first: Int32Array.from(columns, (j) => (interleaved ? 2 * j : j)),
    second: Int32Array.from(columns, (j) => (interleaved ? 2 * j + 1 : j + dHead / 2)),
  };
}
