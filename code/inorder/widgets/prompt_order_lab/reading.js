// What the last query of each of two prompts finds, layer by layer, and by how much that differs between them.
// Tested against PromptOrderLab.readings, .comparisons and .distributions, to 1e-9.

import { causalMask, matmul, ROUNDING, softmax } from "../kit/arithmetic.js";
import { decode, prefixMask } from "../kit/transformer.js";

/** @typedef {ReturnType<typeof calculate>} Computed */
/** @typedef {ReturnType<typeof compareLayer>} Comparison */
/** @typedef {ReturnType<typeof readPrompt>} Reading what the last query of a prompt finds */
/** @typedef {Reading["layers"][number]} LayerRead */
/** @typedef {{ transformer: TransformerState, tokens: string[], vocabulary: string[], sentences: PromptOrderLabSentences }} Given */
/** @typedef {Pick<PromptOrderLabState, "depth" | "mask" | "n_prefix" | "position">} Settings */
/** @typedef {Pick<ReturnType<typeof decode>, "logits"> & { layers: Pick<Layer, "query" | "key" | "value" | "weights">[] }} Decoded */

export const PROMPTS = /** @type {const} */ (["first", "second"]);
const PARTS = /** @type {const} */ ({ query: "query", key: "keys", weights: "weights", value: "values" });

/** @type {<Entry>(list: Entry[]) => Entry} */
export const lastOf = (list) => list[list.length - 1];
// The largest |x|, and the largest |x − y|, of numbers in lists to any depth.
/** @type {(x: any) => number} */
export const magnitude = (x) => (Array.isArray(x) ? Math.max(...x.map(magnitude)) : Math.abs(x));
/** @type {(x: any, y: any) => number} */
const difference = (x, y) =>
  Array.isArray(x) ? Math.max(...x.map((one, i) => difference(one, y[i]))) : Math.abs(x - y);
/** @type {(heads: Heads, place: number) => Matrix} */
const rowsAt = (heads, place) => heads.map((rows) => rows[place]);

// decoded: by Python, with a scheme that the browser does not have
/** @type {(order: number[], settings: Settings, given: Given, decoded?: Decoded) => { prompt: string[], probabilities: number[], layers: { seen: string[][], query: Matrix, key: Heads, value: Heads, sum: Matrix, weights: Matrix }[] }} */
export function readPrompt(order, { depth, mask: name, n_prefix, position }, given, decoded) {
  const { config, parameters, schemes } = given.transformer;
  const { scheme, tables } = schemes[position];
  const prompt = order.map((place) => given.tokens[place]);
  const ids = prompt.map((token) => given.vocabulary.indexOf(token));
  const n = ids.length;
  const mask = name === "none" ? null : name === "causal" ? causalMask(n) : prefixMask(n, n_prefix);
  const { logits, layers } =
    decoded ??
    decode(
      ids,
      { ...parameters, position: tables },
      { ...config, scheme, n_layers: depth },
      { positions: [...ids.keys()], mask },
    );
  const others = prompt.map((_, i) =>
    ids
      .filter((__, j) => !mask || mask[i][j])
      .sort((a, b) => a - b)
      .map((id) => given.vocabulary[id]),
  );
  return {
    prompt,
    probabilities: softmax(lastOf(logits)),
    layers: layers.map(({ query, key, value, weights }, layer) => {
      const last = weights.map(lastOf); // (head, key)
      const sum = last.map((row, head) => matmul([row], value[head])[0]); // (head, d_head)
      const seen = layer === 0 ? prompt.map((token) => [token]) : others;
      return { seen, query: query.map(lastOf), key, value, sum, weights: last };
    }),
  };
}

// For each place of the second prompt the place of the same token in the first; of equal tokens, the nearest rows.
/** @type {(prompts: string[][], one: LayerRead, other: LayerRead) => number[]} */
function partnersOf([first, second], one, other) {
  const away = (/** @type {number} */ i, /** @type {number} */ j) =>
    Math.max(
      difference(rowsAt(one.key, i), rowsAt(other.key, j)),
      difference(rowsAt(one.value, i), rowsAt(other.value, j)),
    );
  const pairs = first.flatMap((token, i) =>
    second.flatMap((same, j) => (token === same ? [{ away: away(i, j), i, j }] : [])),
  );
  const partners = second.map(() => -1);
  for (const { i, j } of pairs.sort((a, b) => a.away - b.away)) {
    if (partners[j] < 0 && !partners.includes(i)) partners[j] = i;
  }
  return partners;
}

// Changes over all heads, max|Δ|, divided by the largest entry compared if that is above 1. Those of seen, key, weights
// and value are lists, by the place in the second prompt.
/** @type {(prompts: string[][], one: LayerRead, other: LayerRead) => { partner: number[], query: number, key: number[], weights: number[], value: number[], sum: number, seen: number[], change: number, differing: string[] }} */
function compareLayer(prompts, one, other) {
  const partner = partnersOf(prompts, one, other);
  const scale = (/** @type {"query" | "key" | "value" | "sum"} */ name) =>
    Math.max(1, magnitude([one[name], other[name]]));
  const rows = (/** @type {"key" | "value"} */ name) =>
    partner.map((i, j) => difference(rowsAt(one[name], i), rowsAt(other[name], j)) / scale(name));
  const changes = {
    query: difference(one.query, other.query) / scale("query"),
    key: rows("key"),
    weights: partner.map((i, j) =>
      difference(
        one.weights.map((row) => row[i]),
        other.weights.map((row) => row[j]),
      ),
    ),
    value: rows("value"),
    sum: difference(one.sum, other.sum) / scale("sum"),
  };
  const compared = /** @type {(keyof typeof PARTS)[]} */ (Object.keys(PARTS));
  return {
    partner,
    ...changes,
    seen: partner.map((i, j) => Number(one.seen[i].join("\n") !== other.seen[j].join("\n"))),
    change: magnitude(Object.values(changes)),
    differing: compared.filter((name) => magnitude(changes[name]) > ROUNDING).map((name) => PARTS[name]),
  };
}

/** @type {(read: Reading[]) => { read: Reading[], layers: Comparison[], distance: number, parted: number, generated: number[], same: boolean }} */
export function calculate(read) {
  const [first, second] = read;
  const prompts = read.map(({ prompt }) => prompt);
  const layers = first.layers.map((one, layer) => compareLayer(prompts, one, second.layers[layer]));
  const distance = first.probabilities.reduce((sum, p, row) => sum + Math.abs(p - second.probabilities[row]), 0) / 2;
  const parted = layers.findIndex(({ differing }) => differing.length > 0); // −1 if nowhere
  const generated = read.map(({ probabilities }) => probabilities.indexOf(Math.max(...probabilities)));
  return { read, layers, distance, parted, generated, same: first.prompt.join("\n") === second.prompt.join("\n") };
}
