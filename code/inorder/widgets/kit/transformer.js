// inorder.transformer in the browser: encoder, causal decoder and position schemes, under the same names, one sequence
// at a time. `config` and `parameters` are what model_state.py writes: the field names are Python's. A figure that lets
// the reader turn a switch spreads the configuration, { ...config, n_layers: 2, residual: 0, scheme }; fewer layers than
// the parameters have blocks means the first ones. Everything is tested against inorder.transformer, to 1e-9.

import { attentionScores, attentionWeights, causalMask, matmul, sinusoidalEncoding } from "./arithmetic.js";

// --------------------------------------------------------------------------------- what acts on each row alone

const addRows = (a, b) => a.map((row, i) => row.map((entry, j) => entry + b[i][j]));

export function linear(x, weight, bias = null) {
  const product = matmul(x, weight); // (n, d_out)
  return bias ? product.map((row) => row.map((entry, j) => entry + bias[j])) : product;
}

export function layerNorm(x, { gain = null, bias = null } = {}, eps = 1e-5) {
  return x.map((row) => {
    let [sum, squares] = [0, 0];
    for (const entry of row) sum += entry;
    const mean = sum / row.length;
    for (const entry of row) squares += (entry - mean) ** 2;
    const deviation = Math.sqrt(squares / row.length + eps);
    return row.map((entry, j) => ((entry - mean) / deviation) * (gain ? gain[j] : 1) + (bias ? bias[j] : 0));
  });
}

export function relu(x) {
  return Math.max(0, x);
}

// erf(x) = 2/√π e^(−x²) Σ_k 2^k x^(2k+1) / (1·3·…·(2k+1)): terms of one sign, so nothing cancels.
export function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x); // 1 − erf(6) is 2e-17
  let [term, sum] = [x, x];
  for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(sum); k += 1) {
    term *= (2 * x * x) / (2 * k + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

export function gelu(x) {
  return x * (0.5 + 0.5 * erf(x / Math.SQRT2));
}

export function feedForward(x, { w_in, w_out, b_in, b_out }, { activation = "gelu" } = {}) {
  const activate = activation === "gelu" ? gelu : relu;
  const hidden = linear(x, w_in, b_in); // (n, d_ff)
  for (const row of hidden) for (let j = 0; j < row.length; j += 1) row[j] = activate(row[j]);
  return linear(hidden, w_out, b_out); // (n, d_model)
}

export function residual(x, change, { weight = 1 } = {}) {
  return x.map((row, i) => row.map((entry, j) => weight * entry + change[i][j]));
}

// ----------------------------------------------------------------------------------------- heads, masks, orders

export function splitHeads(x, nHeads) {
  const width = x[0].length / nHeads;
  return Array.from({ length: nHeads }, (_, head) => x.map((row) => row.slice(head * width, (head + 1) * width)));
}

export function mergeHeads(heads) {
  return heads[0].map((_, i) => heads.flatMap((rows) => rows[i])); // (n, d_model)
}

// bias is (head, query, key)
export function multiHeadAttention(xQuery, xKeyValue, parameters, nHeads, { mask = null, bias = null } = {}) {
  const query = splitHeads(linear(xQuery, parameters.w_query, parameters.b_query), nHeads); // (head, query, d_head)
  const key = splitHeads(linear(xKeyValue, parameters.w_key, parameters.b_key), nHeads);
  const value = splitHeads(linear(xKeyValue, parameters.w_value, parameters.b_value), nHeads);
  return attendByHead(query, key, value, parameters, { mask, bias }).attended;
}

function attendByHead(query, key, value, parameters, { mask, bias }) {
  const weights = query.map((rows, h) => attentionWeights(rows, key[h], { mask, bias: bias?.[h] })); // (head, query, key)
  const heads = weights.map((rows, h) => matmul(rows, value[h])); // (head, query, d_value)
  return { weights, attended: linear(mergeHeads(heads), parameters.w_output, parameters.b_output) };
}

// The first nPrefix tokens see each other both ways, later ones look back.
export function prefixMask(n, nPrefix) {
  return causalMask(n).map((row) => row.map((allowed, j) => allowed || j < nPrefix));
}

// P x: row i of the result is row order[i] of x.
export function permute(x, order) {
  return order.map((place) => x[place]);
}

// P M Pᵀ, for a mask, a bias or a matrix of weights.
export function permuteMask(mask, order) {
  return order.map((i) => order.map((j) => mask[i][j]));
}

// -------------------------------------------------------------------------------- positions as vectors and angles

export function scalarEncoding(positions, length) {
  return positions.map((position) => [position / Math.max(length - 1, 1)]); // (position, 1)
}

export function binaryEncoding(positions, nBits) {
  return positions.map((p) => Array.from({ length: nBits }, (_, bit) => Math.floor(p / 2 ** bit) % 2)); // (position, bit)
}

// The order of columns that leads from one layout, or pairing, to the other.
export function layoutPermutation(dModel, to = "halves") {
  const [outer, inner] = to === "halves" ? [2, dModel / 2] : [dModel / 2, 2];
  return Array.from({ length: dModel }, (_, j) => (j % inner) * outer + Math.floor(j / inner));
}

// The sinusoids of arithmetic.js, in either layout.
export function waveEncoding(positions, dModel, { base = 10_000, layout = "interleaved" } = {}) {
  const encoding = sinusoidalEncoding(positions, dModel, { base });
  if (layout === "interleaved") return encoding;
  const columns = layoutPermutation(dModel, layout);
  return encoding.map((row) => columns.map((column) => row[column]));
}

// Pair j of the row at position p turns by the angle p · base^(−2j/d_head).
export function rotaryEncoding(x, positions, { base = 10_000, pairing = "interleaved" } = {}) {
  const dHead = x[0].length;
  const [one, other] = pairing === "interleaved" ? [(j) => 2 * j, 1] : [(j) => j, dHead / 2];
  return x.map((row, i) => {
    const turned = [...row];
    for (let j = 0; j < dHead / 2; j += 1) {
      const angle = positions[i] * base ** ((-2 * j) / dHead);
      const [first, second] = [one(j), one(j) + other];
      turned[first] = row[first] * Math.cos(angle) - row[second] * Math.sin(angle);
      turned[second] = row[first] * Math.sin(angle) + row[second] * Math.cos(angle);
    }
    return turned;
  });
}

// ------------------------------------------------------------------------------ positions as biases of the scores

function relativePositions(queryPositions, keyPositions) {
  return queryPositions.map((i) => keyPositions.map((j) => j - i)); // (query, key), negative to the left
}

export function alibiSlopes(nHeads) {
  const below = 2 ** Math.floor(Math.log2(nHeads));
  const slopes = Array.from({ length: below }, (_, h) => 2 ** ((-8 * (h + 1)) / below));
  for (let h = 1; slopes.length < nHeads; h += 2) slopes.push(2 ** ((-4 * h) / below));
  return slopes;
}

export function alibiBias(nHeads, queryPositions, keyPositions, { direction = "symmetric" } = {}) {
  if (direction === "split") {
    const side = (name) => alibiBias(nHeads / 2, queryPositions, keyPositions, { direction: name });
    return [...side("left"), ...side("right")];
  }
  const hidden = { symmetric: () => false, left: (r) => r > 0, right: (r) => r < 0 }[direction];
  const relative = relativePositions(queryPositions, keyPositions);
  const penalty = (slope) => (r) => (hidden(r) ? -Infinity : -slope * Math.abs(r));
  return alibiSlopes(nHeads).map((slope) => relative.map((row) => row.map(penalty(slope)))); // (head, query, key)
}

export function t5Bucket(relative, { nBuckets = 32, maxDistance = 128, bidirectional = true } = {}) {
  const n = bidirectional ? nBuckets / 2 : nBuckets;
  const exact = Math.floor(n / 2); // these distances have a bucket each
  const first = bidirectional && relative > 0 ? n : 0;
  const distance = bidirectional ? Math.abs(relative) : Math.max(0, -relative);
  if (distance < exact) return first + distance;
  const octave = Math.log(distance / exact) / Math.log(maxDistance / exact);
  const step = (n - exact) * octave + 1e-9; // on a border the step is whole, and rounding must not lower it
  return first + Math.min(n - 1, exact + Math.floor(step));
}

export function t5Bias(table, queryPositions, keyPositions, { maxDistance = 128, bidirectional = true } = {}) {
  const settings = { nBuckets: table.length, maxDistance, bidirectional };
  const buckets = relativePositions(queryPositions, keyPositions).map((row) => row.map((r) => t5Bucket(r, settings)));
  return table[0].map((_, h) => buckets.map((row) => row.map((bucket) => table[bucket][h]))); // (head, query, key)
}

// For one head: query is (query, d_head).
export function shawBias(query, relativeKeys, queryPositions, keyPositions, { maxDistance }) {
  const scores = attentionScores(query, relativeKeys); // (query, 2·maxDistance + 1)
  const clipped = (r) => Math.min(Math.max(r, -maxDistance), maxDistance) + maxDistance;
  return relativePositions(queryPositions, keyPositions).map((row, i) => row.map((r) => scores[i][clipped(r)]));
}

// ------------------------------------------------------------------------------------------------------ schemes

// A scheme is { name, and its settings in Python's names }; what it learns are its tables. At most one hook each:
//   vectors(positions, width, tables, scheme)                          written in the rows, before the first block
//   rotate(queryOrKey, positions, scheme)                              for one head
//   bias(query, queryPositions, keyPositions, tables, scheme)          (head, query, key), from the queries of all heads
const HOOKS = {
  none: {},
  sinusoidal: { vectors: (positions, width, _, scheme) => waveEncoding(positions, width, scheme) },
  learned: { vectors: (positions, _, { rows }) => positions.map((position) => rows[position]) },
  scalar: {
    vectors: (positions, _, { direction }, { length }) => matmul(scalarEncoding(positions, length), direction),
  },
  binary: {
    vectors: (positions, _, { directions }, { n_bits }) => matmul(binaryEncoding(positions, n_bits), directions),
  },
  rotary: { rotate: (queryOrKey, positions, scheme) => rotaryEncoding(queryOrKey, positions, scheme) },
  alibi: { bias: (query, from, to, _, scheme) => alibiBias(query.length, from, to, scheme) },
  t5: {
    bias: (_, from, to, { buckets }, { max_distance, bidirectional }) =>
      t5Bias(buckets, from, to, { maxDistance: max_distance, bidirectional }),
  },
  shaw: {
    bias: (query, from, to, { relative_keys }, { max_distance }) =>
      query.map((rows) => shawBias(rows, relative_keys, from, to, { maxDistance: max_distance })),
  },
};

// -------------------------------------------------------------------------------------------------- the model

// tokens: whole numbers, or rows of numbers that stand in for the vectors looked up.
export function embed(tokens, parameters, { scheme, eps }, { positions }) {
  let x = tokens.map((token) => (Array.isArray(token) ? token : parameters.embedding[token])); // (n, d_token)
  const { vectors } = HOOKS[scheme.name];
  if (vectors) {
    const places = vectors(positions, scheme.concatenate || x[0].length, parameters.position, scheme);
    x = scheme.concatenate ? x.map((row, i) => [...row, ...places[i]]) : addRows(x, places); // (n, d_model)
  }
  return parameters.norm_embedding ? layerNorm(x, parameters.norm_embedding, eps) : x;
}

// One block, and all that it computes: query and key (rotated, if the scheme rotates) and value are (head, n, d_head),
// weights (head, query, key), attended what self-attention adds to the stream, hidden what leaves the block.
/** @type {(x: any, parameters: any, config: any, options: { positions: any, tables?: any, mask?: boolean[][] | null }) => any} */
export function block(x, parameters, config, { positions, tables = {}, mask = null }) {
  const { n_heads, norm, eps, scheme, activation } = config;
  const { attention, norm_attention, norm_feed_forward, feed_forward } = parameters;
  const { rotate, bias } = HOOKS[scheme.name];
  const normed = (rows, weights, place) => (norm === place ? layerNorm(rows, weights, eps) : rows);
  const add = (rows, change) => residual(rows, change, { weight: config.residual });
  const turn = (heads) => (rotate ? heads.map((rows) => rotate(rows, positions, scheme)) : heads);

  const source = normed(x, norm_attention, "pre");
  const query = turn(splitHeads(linear(source, attention.w_query, attention.b_query), n_heads));
  const key = turn(splitHeads(linear(source, attention.w_key, attention.b_key), n_heads));
  const value = splitHeads(linear(source, attention.w_value, attention.b_value), n_heads);
  const added = bias ? bias(query, positions, positions, tables, scheme) : null; // (head, query, key)
  const { weights, attended } = attendByHead(query, key, value, attention, { mask, bias: added });
  let hidden = normed(add(x, attended), norm_attention, "post");
  if (feed_forward) {
    const change = feedForward(normed(hidden, norm_feed_forward, "pre"), feed_forward, { activation });
    hidden = normed(add(hidden, change), norm_feed_forward, "post");
  }
  return { x, query, key, value, weights, attended, hidden };
}

// What each block computes, one after the other.
/** @type {(tokens: any, parameters: any, config: any, options: { positions: any, mask?: boolean[][] | null }) => any} */
export function layerStates(tokens, parameters, config, { positions, mask = null }) {
  const states = [];
  let x = embed(tokens, parameters, config, { positions }); // (n, d_model)
  for (const weights of parameters.blocks.slice(0, config.n_layers)) {
    states.push(block(x, weights, config, { positions, tables: parameters.position, mask }));
    x = states.at(-1).hidden;
  }
  return states;
}

// { hidden, layers }: the hidden state of every token after the last block (and, with norm "pre", one more layer norm),
// and what each block computed.
/** @type {(tokens: any, parameters: any, config: any, options: { positions: any, mask?: boolean[][] | null }) => any} */
export function encode(tokens, parameters, config, { positions, mask = null }) {
  const layers = layerStates(tokens, parameters, config, { positions, mask });
  const { hidden } = layers.at(-1);
  return { hidden: config.norm === "pre" ? layerNorm(hidden, parameters.norm_output, config.eps) : hidden, layers };
}

export function unembed(hidden, parameters) {
  return linear(hidden, parameters.w_output, parameters.b_output); // (n, n_outputs)
}

// { logits, hidden, layers }: row i of the logits is about the token after token i. The mask is causal unless another is
// given (a prefix mask; null for none).
/** @type {(tokens: any, parameters: any, config: any, options: { positions: any, mask?: boolean[][] | null }) => any} */
export function decode(tokens, parameters, config, { positions, mask = causalMask(tokens.length) }) {
  const { hidden, layers } = encode(tokens, parameters, config, { positions, mask });
  return { logits: unembed(hidden, parameters), hidden, layers };
}
