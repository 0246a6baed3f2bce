// inorder.transformer in the browser: encoder, causal decoder and position schemes, under the same names, one sequence
// at a time. `config` and `parameters` are what model_state.py writes: the field names are Python's. A figure that lets
// the reader turn a switch spreads the configuration, { ...config, n_layers: 2, residual: 0, scheme }; fewer layers than
// the parameters have blocks means the first ones. Everything is tested against inorder.transformer, to 1e-9.

import { attentionScores, attentionWeights, causalMask, clamp, matmul, sinusoidalEncoding } from "./arithmetic.js";

// --------------------------------------------------------------------------------- what acts on each row alone

// weight · x + change
/** @type {(x: Matrix, change: Matrix, weight?: number) => Matrix} */
const residual = (x, change, weight = 1) => x.map((row, i) => row.map((entry, j) => weight * entry + change[i][j]));

/** @type {(x: Matrix, weight: Matrix, bias?: number[] | null) => Matrix} */
function linear(x, weight, bias = null) {
  const product = matmul(x, weight); // (n, d_out)
  return bias ? product.map((row) => row.map((entry, j) => entry + bias[j])) : product;
}

/** @type {(x: Matrix, norm?: { gain?: number[] | null, bias?: number[] | null }, eps?: number) => Matrix} */
function layerNorm(x, { gain = null, bias = null } = {}, eps = 1e-5) {
  return x.map((row) => {
    let [sum, squares] = [0, 0];
    for (const entry of row) sum += entry;
    const mean = sum / row.length;
    for (const entry of row) squares += (entry - mean) ** 2;
    const deviation = Math.sqrt(squares / row.length + eps);
    return row.map((entry, j) => ((entry - mean) / deviation) * (gain ? gain[j] : 1) + (bias ? bias[j] : 0));
  });
}

/** @type {(x: number) => number} */
function relu(x) {
  return Math.max(0, x);
}

// erf(x) = 2/√π e^(−x²) Σ_k 2^k x^(2k+1) / (1·3·…·(2k+1)): terms of one sign, so nothing cancels.
/** @type {(x: number) => number} */
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x); // 1 − erf(6) is 2e-17
  let [term, sum] = [x, x];
  for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(sum); k += 1) {
    term *= (2 * x * x) / (2 * k + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** @type {(x: number) => number} */
function gelu(x) {
  return x * (0.5 + 0.5 * erf(x / Math.SQRT2));
}

/** @type {(x: Matrix, parameters: FeedForwardParameters, options?: Partial<Config>) => Matrix} */
function feedForward(x, { w_in, w_out, b_in, b_out }, { activation = "gelu" } = {}) {
  const activate = activation === "gelu" ? gelu : relu;
  const hidden = linear(x, w_in, b_in); // (n, d_ff)
  for (const row of hidden) for (let j = 0; j < row.length; j += 1) row[j] = activate(row[j]);
  return linear(hidden, w_out, b_out); // (n, d_model)
}

// ----------------------------------------------------------------------------------------- heads, masks, orders

/** @type {(x: Matrix, nHeads: number) => Heads} */
function splitHeads(x, nHeads) {
  const width = x[0].length / nHeads;
  return Array.from({ length: nHeads }, (_, head) => x.map((row) => row.slice(head * width, (head + 1) * width)));
}

/** @type {(heads: Heads) => Matrix} */
function mergeHeads(heads) {
  return heads[0].map((_, i) => heads.flatMap((rows) => rows[i])); // (n, d_model)
}

// The first nPrefix tokens see each other both ways, later ones look back.
/** @type {(n: number, nPrefix: number) => Mask} */
export function prefixMask(n, nPrefix) {
  return causalMask(n).map((row) => row.map((allowed, j) => allowed || j < nPrefix));
}

// P x: row i of the result is row order[i] of x.
/** @type {<Row>(x: Row[], order: number[]) => Row[]} */
export function permute(x, order) {
  return order.map((place) => x[place]);
}

// P M Pᵀ, for a mask, a bias or a matrix of weights.
/** @type {<Entry>(mask: Entry[][], order: number[]) => Entry[][]} */
export function permuteMask(mask, order) {
  return order.map((i) => order.map((j) => mask[i][j]));
}

// -------------------------------------------------------------------------------- positions as vectors and angles

/** @type {(positions: number[], length: number) => Matrix} */
function scalarEncoding(positions, length) {
  return positions.map((position) => [position / Math.max(length - 1, 1)]); // (position, 1)
}

/** @type {(positions: number[], nBits: number) => Matrix} */
function binaryEncoding(positions, nBits) {
  return positions.map((p) => Array.from({ length: nBits }, (_, bit) => Math.floor(p / 2 ** bit) % 2)); // (position, bit)
}

// The order of columns that leads from one layout, or pairing, to the other.
/** @type {(dModel: number, to?: Scheme["layout"]) => number[]} */
function layoutPermutation(dModel, to = "halves") {
  const [outer, inner] = to === "halves" ? [2, dModel / 2] : [dModel / 2, 2];
  return Array.from({ length: dModel }, (_, j) => (j % inner) * outer + Math.floor(j / inner));
}

// The sinusoids of arithmetic.js, in either layout.
/** @type {(positions: number[], dModel: number, options?: Partial<Pick<Scheme, "base" | "layout">>) => Matrix} */
export function waveEncoding(positions, dModel, { base = 10_000, layout = "interleaved" } = {}) {
  const encoding = sinusoidalEncoding(positions, dModel, { base });
  if (layout === "interleaved") return encoding;
  const columns = layoutPermutation(dModel, layout);
  return encoding.map((row) => columns.map((column) => row[column]));
}

// Pair j of the row at position p turns by the angle p · base^(−2j/d_head): { angles (position, pair), and the columns
// of each pair, first and second }.
/** @type {(positions: number[], dHead: number, options?: Partial<Pick<Scheme, "base" | "pairing">>) => Turns} */
function rotaryTurns(positions, dHead, { base = 10_000, pairing = "interleaved" } = {}) {
  const pairs = Array.from({ length: dHead / 2 }, (_, j) => j);
  const interleaved = pairing === "interleaved";
  return {
    angles: positions.map((p) => pairs.map((j) => p * base ** ((-2 * j) / dHead))),
    first: pairs.map((j) => (interleaved ? 2 * j : j)),
    second: pairs.map((j) => (interleaved ? 2 * j + 1 : j + dHead / 2)),
  };
}

/** @type {(x: Matrix, positions: number[], settings?: Partial<Pick<Scheme, "base" | "pairing">>) => Matrix} */
export function rotaryEncoding(x, positions, settings = {}) {
  return turned(x, rotaryTurns(positions, x[0].length, settings));
}

/** @type {(x: Matrix, turns: Turns) => Matrix} */
function turned(x, { angles, first, second }) {
  return x.map((row, i) => {
    const result = [...row];
    angles[i].forEach((angle, j) => {
      const [a, b] = [row[first[j]], row[second[j]]];
      result[first[j]] = a * Math.cos(angle) - b * Math.sin(angle);
      result[second[j]] = a * Math.sin(angle) + b * Math.cos(angle);
    });
    return result;
  });
}

// ------------------------------------------------------------------------------ positions as biases of the scores

/** @type {(nHeads: number) => number[]} */
export function alibiSlopes(nHeads) {
  const below = 2 ** Math.floor(Math.log2(nHeads));
  const slopes = Array.from({ length: below }, (_, h) => 2 ** ((-8 * (h + 1)) / below));
  for (let h = 1; slopes.length < nHeads; h += 2) slopes.push(2 ** ((-4 * h) / below));
  return slopes;
}

/** @type {(nHeads: number, queryPositions: number[], keyPositions: number[], options?: { direction?: Direction }) => Heads} */
export function alibiBias(nHeads, queryPositions, keyPositions, { direction = "symmetric" } = {}) {
  if (direction === "split") {
    const side = (/** @type {Direction} */ name) =>
      alibiBias(nHeads / 2, queryPositions, keyPositions, { direction: name });
    return [...side("left"), ...side("right")];
  }
  const hidden = (/** @type {number} */ r) => (direction === "left" ? r > 0 : direction === "right" && r < 0);
  const penalties = (/** @type {number} */ slope) =>
    byDistance(queryPositions, keyPositions, (r) => (hidden(r) ? -Infinity : -slope * Math.abs(r)));
  return alibiSlopes(nHeads).map(penalties); // (head, query, key)
}

/** @type {(relative: number, options?: { nBuckets?: number, maxDistance?: number, bidirectional?: boolean }) => number} */
function t5Bucket(relative, { nBuckets = 32, maxDistance = 128, bidirectional = true } = {}) {
  const n = bidirectional ? nBuckets / 2 : nBuckets;
  const exact = Math.floor(n / 2); // these distances have a bucket each
  const first = bidirectional && relative > 0 ? n : 0;
  const distance = bidirectional ? Math.abs(relative) : Math.max(0, -relative);
  if (distance < exact) return first + distance;
  const octave = Math.log(distance / exact) / Math.log(maxDistance / exact);
  const step = (n - exact) * octave + 1e-9; // on a border the step is whole, and rounding must not lower it
  return first + Math.min(n - 1, exact + Math.floor(step));
}

/** @type {(table: Matrix, queryPositions: number[], keyPositions: number[], options?: { maxDistance?: number, bidirectional?: boolean }) => Heads} */
export function t5Bias(table, queryPositions, keyPositions, { maxDistance = 128, bidirectional = true } = {}) {
  const settings = { nBuckets: table.length, maxDistance, bidirectional };
  const rows = byDistance(queryPositions, keyPositions, (r) => t5Bucket(r, settings));
  return lookUp(table, rows); // (head, query, key)
}

/** @type {(queryPositions: number[], keyPositions: number[], rowOf: (r: number) => number) => Matrix} */
function byDistance(queryPositions, keyPositions, rowOf) {
  return queryPositions.map((i) => keyPositions.map((j) => rowOf(j - i))); // (query, key), r negative to the left
}

// rows, (query, key), says which row of the table (row, head) each pair looks up.
/** @type {(table: Matrix, rows: Matrix) => Heads} */
function lookUp(table, rows) {
  return table[0].map((_, h) => rows.map((line) => line.map((row) => table[row][h])));
}

// For one head: query is (query, d_head).
/** @type {(query: Matrix, relativeKeys: Matrix, queryPositions: number[], keyPositions: number[], options: { maxDistance: number }) => Matrix} */
export function shawBias(query, relativeKeys, queryPositions, keyPositions, { maxDistance }) {
  const rows = byDistance(queryPositions, keyPositions, (r) => shawRow(r, maxDistance));
  return scoresLookedUp(query, relativeKeys, rows);
}

/** @type {(query: Matrix, table: Matrix, rows: Matrix) => Matrix} */
function scoresLookedUp(query, table, rows) {
  const scores = attentionScores(query, table); // (query, row of the table)
  return rows.map((line, i) => line.map((row) => scores[i][row]));
}

/** @type {(r: number, maxDistance: number) => number} */
const shawRow = (r, maxDistance) => clamp(r, -maxDistance, maxDistance) + maxDistance;

// ------------------------------------------------------------------------------------------------------ schemes

// A scheme is { name, and its settings in Python's names }; what it learns are its tables. One hook each, for the figures
// that compute a model (below) and for the one that trains it (training_playground/places.js). Python's registry says
// which are offered: in_browser. A hook has at most one of
//   features(positions, width, scheme)       (position, width): vectors, written in the rows before the first block; or,
//                                            with a table, what multiplies it
//   turns(positions, dHead, scheme)          what turns queries and keys, as rotaryTurns
//   bias(nHeads, queryPositions, keyPositions, scheme)                (head, query, key), added to the scores
//   row(r, scheme)                           which row of the table a pair looks up at the distance r: a number for each
//                                            head, or, with isKey, a key that is added to the pair's own
// and `table`, the name of what it learns.
/** @type {Record<string, Hooks>} */
export const HOOKS = {
  none: {},
  sinusoidal: { features: waveEncoding },
  learned: {
    features: (positions, _, { length }) =>
      positions.map((p) => Array.from({ length }, (_none, row) => Number(row === p))),
    table: "rows",
  },
  scalar: { features: (positions, _, { length }) => scalarEncoding(positions, length), table: "direction" },
  binary: { features: (positions, _, { n_bits }) => binaryEncoding(positions, n_bits), table: "directions" },
  rotary: { turns: rotaryTurns },
  alibi: { bias: alibiBias },
  t5: {
    row: (r, { n_buckets, max_distance, bidirectional }) =>
      t5Bucket(r, { nBuckets: n_buckets, maxDistance: max_distance, bidirectional }),
    table: "buckets",
  },
  shaw: { row: (r, { max_distance }) => shawRow(r, max_distance), table: "relative_keys", isKey: true },
};

// (head, query, key), or null.
/** @type {(query: Heads, positions: number[], tables: Tables, scheme: Scheme) => Heads | null} */
function biasOf(query, positions, tables, scheme) {
  const { bias, row, table = "", isKey } = HOOKS[scheme.name];
  if (bias) return bias(query.length, positions, positions, scheme);
  if (!row) return null;
  const rows = byDistance(positions, positions, (r) => row(r, scheme));
  return isKey ? query.map((head) => scoresLookedUp(head, tables[table], rows)) : lookUp(tables[table], rows);
}

// -------------------------------------------------------------------------------------------------- the model

// tokens: whole numbers, or rows of numbers that stand in for the vectors looked up.
/** @type {(tokens: (number | number[])[], parameters: TransformerParameters, config: Config, positions: number[]) => Matrix} */
function embed(tokens, parameters, { scheme, eps }, positions) {
  let x = tokens.map((token) => (Array.isArray(token) ? token : parameters.embedding[token])); // (n, d_token)
  const { features, table } = HOOKS[scheme.name];
  if (features) {
    const rows = features(positions, scheme.concatenate || x[0].length, scheme);
    const places = table ? matmul(rows, parameters.position[table]) : rows; // (position, width)
    x = scheme.concatenate ? x.map((row, i) => [...row, ...places[i]]) : residual(x, places); // (n, d_model)
  }
  return parameters.norm_embedding ? layerNorm(x, parameters.norm_embedding, eps) : x;
}

// One block, and all that it computes: query and key (rotated, if the scheme rotates) and value are (head, n, d_head),
// weights (head, query, key), attended what self-attention adds to the stream, hidden what leaves the block.
/** @type {(x: Matrix, parameters: BlockParameters, tables: Tables, config: Config, run: Run) => Layer} */
function block(x, parameters, tables, config, { positions, mask = null }) {
  const { n_heads, norm, eps, scheme, activation } = config;
  const { attention, norm_attention, norm_feed_forward, feed_forward } = parameters;
  const { turns } = HOOKS[scheme.name];
  const normed = (/** @type {Matrix} */ rows, /** @type {Norm} */ weights, /** @type {"pre" | "post"} */ place) =>
    norm === place ? layerNorm(rows, weights, eps) : rows;
  const turn = (/** @type {Heads} */ heads) =>
    turns ? heads.map((rows) => turned(rows, turns(positions, rows[0].length, scheme))) : heads;

  const source = normed(x, norm_attention, "pre");
  const query = turn(splitHeads(linear(source, attention.w_query, attention.b_query), n_heads));
  const key = turn(splitHeads(linear(source, attention.w_key, attention.b_key), n_heads));
  const value = splitHeads(linear(source, attention.w_value, attention.b_value), n_heads);
  const bias = biasOf(query, positions, tables, scheme); // (head, query, key)
  const weights = query.map((rows, h) => attentionWeights(rows, key[h], { mask, bias: bias?.[h] })); // (head, query, key)
  const heads = weights.map((rows, h) => matmul(rows, value[h])); // (head, n, d_value)
  const attended = linear(mergeHeads(heads), attention.w_output, attention.b_output);
  let hidden = normed(residual(x, attended, config.residual), norm_attention, "post");
  if (feed_forward) {
    const change = feedForward(normed(hidden, norm_feed_forward, "pre"), feed_forward, { activation });
    hidden = normed(residual(hidden, change, config.residual), norm_feed_forward, "post");
  }
  return { x, query, key, value, weights, attended, hidden };
}

// { hidden, layers }: the hidden state of every token after the last block (and, with norm "pre", one more layer norm),
// and what each block computes.
/** @type {(tokens: (number | number[])[], parameters: TransformerParameters, config: Config, run: Run) => { hidden: Matrix, layers: Layer[] }} */
export function encode(tokens, parameters, config, { positions, mask = null }) {
  const layers = [];
  let hidden = embed(tokens, parameters, config, positions); // (n, d_model)
  for (const weights of parameters.blocks.slice(0, config.n_layers)) {
    const layer = block(hidden, weights, parameters.position, config, { positions, mask });
    layers.push(layer);
    hidden = layer.hidden;
  }
  return { hidden: config.norm === "pre" ? layerNorm(hidden, parameters.norm_output, config.eps) : hidden, layers };
}

/** @type {(hidden: Matrix, parameters: Pick<TransformerParameters, "w_output" | "b_output">) => Matrix} */
export function unembed(hidden, parameters) {
  return linear(hidden, parameters.w_output, parameters.b_output); // (n, n_outputs)
}

// { logits, hidden, layers }: row i of the logits is about the token after token i. The mask is causal unless another is
// given (a prefix mask; null for none).
/** @type {(tokens: (number | number[])[], parameters: TransformerParameters, config: Config, run: Run) => { logits: Matrix, hidden: Matrix, layers: Layer[] }} */
export function decode(tokens, parameters, config, { positions, mask = causalMask(tokens.length) }) {
  const { hidden, layers } = encode(tokens, parameters, config, { positions, mask });
  return { logits: unembed(hidden, parameters), hidden, layers };
}
