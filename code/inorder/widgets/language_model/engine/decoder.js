// The forward pass of a Llama: RMS norm, grouped heads, rotary positions, a gated feed-forward, a tied output.
//
// As inorder.pretrained.decoder, number by number. Rows are tokens; a Float32Array holds them one after the other.

import { F32, Q4_1, Q8_0, readGguf } from "./gguf.js";

const TRAINED = { scale: 1, offset: 0, restarted: false, pairing: /** @type {Pairing} */ ("interleaved") };
/** What a reader can do to the positions, by name, as in inorder.pretrained.decoder. @type {Record<string, PlacementRule>} */
export const PLACEMENTS = {
  trained: TRAINED,
  unrotated: { ...TRAINED, scale: 0 },
  shifted: { ...TRAINED, offset: 1000 },
  stretched: { ...TRAINED, scale: 2 },
  reversed: { ...TRAINED, scale: -1 },
  restarted: { ...TRAINED, restarted: true },
  mispaired: { ...TRAINED, pairing: "halves" },
};

/**
 * The model in the file that `kernel` holds, and what the file's header says.
 * @param {Kernel} kernel
 * @returns {DecoderModel & { metadata: Gguf["metadata"] }}
 */
export function readModel(kernel) {
  const { metadata, tensors } = readGguf(kernel.file);
  const architecture = metadata.get("general.architecture");
  if (architecture !== "llama")
    throw new Error(`The model’s file holds a model of the kind "${architecture}". This page can run "llama".`);
  const setting = (/** @type {string} */ name) => Number(metadata.get(`llama.${name}`));
  const find = (/** @type {string} */ name, /** @type {number[]} */ kinds) => {
    const tensor = tensors.get(`${name}.weight`);
    if (!tensor || !kinds.includes(tensor.kind))
      throw new Error(`The model’s file has no tensor ${name}.weight of type ${kinds.join(" or ")}.`);
    return tensor;
  };
  const dModel = setting("embedding_length");
  const nHeads = setting("attention.head_count");
  const shape = {
    dModel,
    nHeads,
    nKeyHeads: setting("attention.head_count_kv"),
    dHead: dModel / nHeads,
    nLayers: setting("block_count"),
    base: setting("rope.freq_base"),
    eps: setting("attention.layer_norm_rms_epsilon"),
  };
  /** @type {(name: string) => Weights} */
  const weights = (name) => {
    const {
      kind,
      offset,
      shape: [nInputs, nOutputs],
    } = find(name, [Q4_1, Q8_0]);
    return { kind, offset, nInputs, nOutputs };
  };
  const gain = (/** @type {string} */ name) => {
    const { offset } = find(name, [F32]);
    return new Float32Array(kernel.file.slice(offset, offset + 4 * dModel).buffer);
  };
  const block = (/** @type {unknown} */ _, /** @type {number} */ layer) => {
    const name = `blk.${layer}`;
    return {
      attentionNorm: gain(`${name}.attn_norm`),
      feedForwardNorm: gain(`${name}.ffn_norm`),
      query: weights(`${name}.attn_q`),
      key: weights(`${name}.attn_k`),
      value: weights(`${name}.attn_v`),
      output: weights(`${name}.attn_output`),
      gate: weights(`${name}.ffn_gate`),
      up: weights(`${name}.ffn_up`),
      down: weights(`${name}.ffn_down`),
    };
  };
  return {
    kernel,
    shape,
    metadata,
    embedding: weights("token_embd"),
    outputNorm: gain("output_norm"),
    blocks: Array.from({ length: shape.nLayers }, block),
  };
}

/**
 * Where the tokens of a text stand, and which columns turn together: `at(start, end)` for tokens start … end − 1 of a
 * text whose prompt has n tokens. `positions` is a name of PLACEMENTS, a rule, or numbers: one for each token of the
 * prompt, perhaps of those after it too; the others go on one by one.
 * @param {Positions} positions @param {number} n
 * @returns {{ pairing: Pairing, at: (start: number, end: number) => number[] }}
 */
export function placement(positions, n) {
  if (Array.isArray(positions)) {
    const numbers = positions.length >= n && positions.every(Number.isFinite);
    if (!numbers) throw new Error(`The ${n} tokens of the text need ${n} positions, each a number.`);
    const [last, length] = [positions[positions.length - 1], positions.length];
    return {
      pairing: TRAINED.pairing,
      at: (start, end) => range(start, end, (i) => positions[i] ?? last + 1 + i - length),
    };
  }
  const rule = typeof positions === "string" ? PLACEMENTS[positions] : { ...TRAINED, ...positions };
  const { scale, offset, restarted, pairing } = rule;
  return { pairing, at: (start, end) => range(start, end, (i) => (restarted && i >= n ? offset : scale * i + offset)) };
}

/** @param {number} start @param {number} end @param {(i: number) => number} f */
const range = (start, end, f) => Array.from({ length: end - start }, (_, i) => f(start + i));

/** A text of which nothing is read yet. @type {(model: DecoderModel, pairing: Pairing) => ReadText} */
export function newText({ blocks }, pairing) {
  const none = () => blocks.map(() => new Float32Array(0));
  return { length: 0, keys: none(), values: none(), pairing, positions: [], rows: [] };
}

/**
 * Reads more tokens of a text, all at once, each at its position. A generator: it yields after each block, so that
 * another can have its turn, and returns the logits after the last token. The text is as before until it is through. Of
 * the prompt, which is read first, the text keeps the rows.
 * @param {DecoderModel} model @param {ReadText} text @param {number[]} ids @param {number[]} positions
 * @returns {Generator<number, Float32Array, void>}
 */
export function* readTokens(model, text, ids, positions) {
  const { kernel, shape, blocks, embedding, outputNorm } = model;
  const { dModel, nKeyHeads, dHead } = shape;
  const [n, start, width] = [ids.length, text.length, nKeyHeads * dHead];
  const isPrompt = start === 0;
  const turns = angles(positions, shape);
  const x = new Float32Array(n * dModel);
  ids.forEach((id, i) => x.set(kernel.row(embedding, id), i * dModel));
  const rows = [];
  for (const [layer, block] of blocks.entries()) {
    if (isPrompt) rows.push(x.slice());
    const normed = rmsNorm(x, block.attentionNorm, shape.eps);
    const query = rotate(kernel.multiply(block.query, normed, n), turns, text.pairing, shape);
    const key = rotate(kernel.multiply(block.key, normed, n), turns, text.pairing, shape);
    const keys = append(text.keys, layer, key, start * width);
    const values = append(text.values, layer, kernel.multiply(block.value, normed, n), start * width);
    add(x, kernel.multiply(block.output, attend(query, keys, values, start, shape), n));
    const between = rmsNorm(x, block.feedForwardNorm, shape.eps);
    const gate = kernel.multiply(block.gate, between, n);
    const up = kernel.multiply(block.up, between, n);
    for (let i = 0; i < up.length; i++) up[i] *= gate[i] / (1 + Math.exp(-gate[i])); // SiLU
    add(x, kernel.multiply(block.down, up, n));
    yield layer;
  }
  if (isPrompt) {
    text.rows = [...rows, x];
    text.positions = positions;
  }
  text.length = start + n;
  return kernel.multiply(embedding, rmsNorm(x.subarray((n - 1) * dModel), outputNorm, shape.eps), 1);
}

/** What each head makes of the prompt, layer by layer: (query, key), row after row. @type {(model: DecoderModel, text: ReadText) => Float32Array[]} */
export function attentionWeights({ kernel, shape, blocks }, text) {
  const { nHeads, nKeyHeads, dHead, dModel, eps } = shape;
  const n = text.positions.length;
  const turns = angles(text.positions, shape);
  return blocks.flatMap((block, layer) => {
    const normed = rmsNorm(text.rows[layer], block.attentionNorm, eps);
    const query = rotate(kernel.multiply(block.query, normed, n), turns, text.pairing, shape);
    return Array.from({ length: nHeads }, (_, head) => {
      const keyAt = Math.floor((head * nKeyHeads) / nHeads) * dHead;
      const weights = new Float32Array(n * n);
      for (let i = 0; i < n; i++) {
        const row = weights.subarray(i * n, i * n + i + 1);
        rowWeights(query, i * dModel + head * dHead, text.keys[layer], keyAt, nKeyHeads * dHead, dHead, row);
      }
      return weights;
    });
  });
}

/** The k likeliest tokens of some logits, the likeliest first, and their probabilities among all. @param {Float32Array} logits @param {number} k */
export function likeliest(logits, k) {
  const largest = logits.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY);
  const total = logits.reduce((sum, each) => sum + Math.exp(each - largest), 0);
  /** @type {number[]} */
  const best = []; // in order; of equal ones the first
  for (let id = 0; id < logits.length; id++) {
    if (best.length === k && !(logits[id] > logits[best[k - 1]])) continue;
    let place = best.length;
    while (place > 0 && logits[id] > logits[best[place - 1]]) place--;
    best.splice(place, 0, id);
    best.length = Math.min(best.length, k);
  }
  return best.map((id) => ({ id, probability: Math.exp(logits[id] - largest) / total }));
}

// Row by row

/** @param {Float32Array} x @param {Float32Array} gain @param {number} eps */
function rmsNorm(x, gain, eps) {
  const [d, out] = [gain.length, new Float32Array(x.length)];
  for (let start = 0; start < x.length; start += d) {
    let sum = 0;
    for (let i = start; i < start + d; i++) sum += x[i] * x[i];
    const scale = 1 / Math.sqrt(sum / d + eps);
    for (let i = 0; i < d; i++) out[start + i] = x[start + i] * scale * gain[i];
  }
  return out;
}

/** @param {Float32Array} x @param {Float32Array} part */
function add(x, part) {
  for (let i = 0; i < x.length; i++) x[i] += part[i];
}

/** Cosine and sine of what each pair turns by: (position, pair). @param {number[]} positions @param {ModelShape} shape */
function angles(positions, { dHead, base }) {
  const frequencies = Array.from({ length: dHead / 2 }, (_, pair) => base ** ((-2 * pair) / dHead));
  const turns = positions.flatMap((position) => frequencies.map((frequency) => position * frequency));
  return { cosines: Float64Array.from(turns, Math.cos), sines: Float64Array.from(turns, Math.sin) };
}

/**
 * Each head of each row, turned in place.
 * @param {Float32Array} x @param {ReturnType<typeof angles>} turns @param {Pairing} pairing @param {ModelShape} shape
 */
function rotate(x, { cosines, sines }, pairing, { dHead }) {
  const pairs = dHead / 2;
  const [step, apart] = pairing === "halves" ? [1, pairs] : [2, 1];
  const perRow = (x.length / cosines.length) * pairs; // numbers: rows × pairs angles there are
  for (let start = 0; start < x.length; start += dHead) {
    const turn = Math.floor(start / perRow) * pairs;
    for (let pair = 0; pair < pairs; pair++) {
      const [i, cosine, sine] = [start + pair * step, cosines[turn + pair], sines[turn + pair]];
      const [a, b] = [x[i], x[i + apart]];
      x[i] = a * cosine - b * sine;
      x[i + apart] = a * sine + b * cosine;
    }
  }
  return x;
}

/** The layer's rows with more at `at`; room is doubled when it is full. @param {Float32Array[]} layers @param {number} layer @param {Float32Array} rows @param {number} at */
function append(layers, layer, rows, at) {
  if (at + rows.length > layers[layer].length) {
    const larger = new Float32Array(Math.max(2 * layers[layer].length, at + rows.length));
    larger.set(layers[layer].subarray(0, at));
    layers[layer] = larger;
  }
  layers[layer].set(rows, at);
  return layers[layer];
}

/**
 * What the heads read: row i sees the keys up to its own, start + i.
 * @param {Float32Array} query @param {Float32Array} keys @param {Float32Array} values @param {number} start
 * @param {ModelShape} shape
 */
function attend(query, keys, values, start, { nHeads, nKeyHeads, dHead, dModel }) {
  const out = new Float32Array(query.length);
  const [n, width] = [query.length / dModel, nKeyHeads * dHead];
  const weights = new Float32Array(start + n);
  const mixed = new Float64Array(dHead);
  for (let i = 0; i < n; i++)
    for (let head = 0; head < nHeads; head++) {
      const [at, keyAt] = [i * dModel + head * dHead, Math.floor((head * nKeyHeads) / nHeads) * dHead];
      const seen = weights.subarray(0, start + i + 1);
      rowWeights(query, at, keys, keyAt, width, dHead, seen);
      mixed.fill(0);
      for (let j = 0; j < seen.length; j++) {
        const [weight, from] = [seen[j], j * width + keyAt];
        for (let k = 0; k < dHead; k++) mixed[k] += weight * values[from + k];
      }
      out.set(mixed, at);
    }
  return out;
}

/**
 * Softmax of one query's products with as many keys as `weights` has room for.
 * @param {Float32Array} query @param {number} at @param {Float32Array} keys @param {number} keyAt @param {number} width
 * @param {number} dHead @param {Float32Array} weights
 */
function rowWeights(query, at, keys, keyAt, width, dHead, weights) {
  let [largest, total] = [Number.NEGATIVE_INFINITY, 0];
  const scale = 1 / Math.sqrt(dHead);
  for (let j = 0; j < weights.length; j++) {
    const from = j * width + keyAt;
    let sum = 0;
    for (let k = 0; k < dHead; k++) sum += query[at + k] * keys[from + k];
    weights[j] = sum * scale;
    if (weights[j] > largest) largest = weights[j];
  }
  for (let j = 0; j < weights.length; j++) {
    weights[j] = Math.exp(weights[j] - largest);
    total += weights[j];
  }
  for (let j = 0; j < weights.length; j++) weights[j] /= total;
}
