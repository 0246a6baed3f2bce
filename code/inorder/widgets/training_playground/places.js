// What a position scheme says about positions 0 … n − 1, from the kit's hook of its name, in the form that network.js
// takes: a vector for each position, an angle for each, a bias for each pair, or which learned row each pair looks up.

import { causalMask } from "../kit/arithmetic.js";
import { HOOKS } from "../kit/transformer.js";

/** @typedef {ReturnType<typeof placesOf>} Places */

/** @typedef {{ cosines: Float64Array, sines: Float64Array, first: Int32Array, second: Int32Array }} Waves */

/** @type {(rows: Matrix) => Float64Array} */
const flat = (rows) => Float64Array.from(rows.flat());

/** @type {(config: import("./parameters.js").ModelConfig, n: number, causal: boolean) => { width: number,
 *   features: Float64Array | null, turn: Waves | null, bias: Float64Array, buckets: Int32Array | null,
 *   index: Int32Array | null, table: string, nHeads: number }} */
export function placesOf({ scheme, d_model, n_heads }, n, causal) {
  const positions = Array.from({ length: n }, (_, position) => position);
  const width = scheme.concatenate || d_model;
  const hook = HOOKS[scheme.name];
  const { row } = hook;
  const rows = row ? Int32Array.from(positions.flatMap((i) => positions.map((j) => row(j - i, scheme)))) : null;
  const bias = hook.bias
    ? flat(hook.bias(n_heads, positions, positions, scheme).flat())
    : new Float64Array(n_heads * n * n);
  if (causal) {
    const allowed = causalMask(n).flat();
    for (let at = 0; at < bias.length; at += 1) if (!allowed[at % (n * n)]) bias[at] = -Infinity;
  }
  return {
    width: hook.features ? width : 0,
    features: hook.features ? flat(hook.features(positions, width, scheme)) : null,
    turn: hook.turns ? waves(hook.turns(positions, d_model / n_heads, scheme)) : null,
    bias,
    buckets: hook.isKey ? null : rows,
    index: hook.isKey ? rows : null,
    table: hook.table ? `position.${hook.table}` : "", // of features, buckets or index
    nHeads: n_heads,
  };
}

// The angles as the numbers that they multiply by.
/** @type {(turns: Turns) => Waves} */
function waves({ angles, first, second }) {
  return {
    cosines: Float64Array.from(angles.flat(), Math.cos),
    sines: Float64Array.from(angles.flat(), Math.sin),
    first: Int32Array.from(first),
    second: Int32Array.from(second),
  };
}
