// What the last query of each of two prompts finds, layer by layer, and by how much that differs between them.
// Tested against PromptOrderLab.readings, .comparisons and .distributions, to 1e-9.

import { causalMask, matmul, ROUNDING, softmax } from "../kit/arithmetic.js";
import { decode, prefixMask } from "../kit/transformer.js";

/** @typedef {number[] | Matrix | (number[] | Matrix)[] | Heads | (number[] | Matrix)[][]} Nest */

/** @typedef {(number | Nest)[]} Nested a vector, or a list of them, to any depth */

/** @typedef {ReturnType<typeof calculate>} Computed */

/** @typedef {ReturnType<typeof compareLayer>} Comparison */

/** @typedef {Reading["layers"][number]} LayerRead */

/** @typedef {ReturnType<typeof readPrompt>} Reading what the last query of a prompt finds */

/**
 * @typedef {{ transformer: TransformerState, tokens: string[], vocabulary: string[],
 *   sentences: PromptOrderLabSentences }} Given
 */

/** @typedef {PromptOrderLabState} State */

/** @typedef {Pick<ReturnType<typeof decode>, "logits"> & { layers: Pick<Layer, "query" | "key" | "value" | "weights">[] }} Decoded */

// computed: by Python, with a scheme that the browser does not have
/**
 * @type {(order: number[], state: Pick<State, "depth" | "mask" | "n_prefix" | "position">, given: Given,
 *   computed?: Decoded) =>
 *   { prompt: string[], probabilities: number[], layers: { seen: string[][], query: Matrix, key: Heads,
 *   value: Heads, sum: Matrix, weights: Matrix, largest: Record<"query" | "key" | "value" | "sum", number> }[] }}
 */
function readPrompt(order, state, { transformer, tokens, vocabulary }, computed) {
  const { config, parameters, schemes } = transformer;
  const { scheme, tables } = schemes[state.position];
  const prompt = order.map((place) => tokens[place]);
  const ids = prompt.map((token) => vocabulary.indexOf(token));
  const masks = {
    causal: () => causalMask(ids.length),
    prefix: () => prefixMask(ids.length, state.n_prefix),
    none: () => null,
  };
  const mask = masks[state.mask]();
  /** @type {() => Decoded} */
  const decoded = () =>
    decode(
      ids,
      { ...parameters, position: tables },
      { ...config, scheme, n_layers: state.depth },
      { positions: [...ids.keys()], mask },
    );
  const { logits, layers } = computed ?? decoded();
  const itself = prompt.map((token) => [token]); // what each has seen before the first layer, and before the others
  const others = prompt.map((_, i) =>
    prompt.filter((__, j) => !mask || mask[i][j]).sort((a, b) => vocabulary.indexOf(a) - vocabulary.indexOf(b)),
  );
  return {
    prompt,
    probabilities: softmax(lastOf(logits)),
    layers: layers.map(({ query, key, value, weights }, layer) => {
      const last = weights.map(lastOf); // (head, key)
      const sum = last.map((row, h) => matmul([row], value[h])[0]); // (head, d_head)
      const vectors = { query: query.map(lastOf), key, value, sum };
      const largest = {
        query: magnitude(vectors.query),
        key: magnitude(key),
        value: magnitude(value),
        sum: magnitude(sum),
      };
      return { seen: layer === 0 ? itself : others, ...vectors, weights: last, largest };
    }),
  };
}

/** @type {<Entry>(list: Entry[]) => Entry} */
export const lastOf = (list) => list[list.length - 1];

// The largest |x| in a vector or in a list of them, to any depth.
/** @type {(numbers: Nested) => number} */
export function magnitude(numbers) {
  let largest = 0;
  for (const x of numbers) largest = Math.max(largest, Array.isArray(x) ? magnitude(x) : Math.abs(x));
  return largest;
}

/** @type {(a: number[], b: number[]) => number} */
function furthest(a, b) {
  let most = 0;
  for (let i = 0; i < a.length; i += 1) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
}

// For each place of the second prompt the place of the same token in the first; of equal tokens, the nearest rows.
/** @type {(first: string[], second: string[], one: LayerRead, other: LayerRead) => number[]} */
function partnersOf(first, second, one, other) {
  const away = (/** @type {number} */ i, /** @type {number} */ j) =>
    Math.max(
      ...one.key.map((_, h) =>
        Math.max(furthest(one.key[h][i], other.key[h][j]), furthest(one.value[h][i], other.value[h][j])),
      ),
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
/**
 * @type {(one: LayerRead, other: LayerRead, first: string[], second: string[]) => { partner: number[],
 *   query: number, key: number[], weights: number[], value: number[], sum: number, seen: number[], change: number,
 *   differing: string[] }}
 */
function compareLayer(one, other, first, second) {
  const partner = partnersOf(first, second, one, other);
  const scale = (/** @type {keyof typeof one.largest} */ name) => Math.max(1, one.largest[name], other.largest[name]);
  const rows = (/** @type {"key" | "value"} */ name) =>
    partner.map(
      (i, j) => Math.max(...one[name].map((_, h) => furthest(one[name][h][i], other[name][h][j]))) / scale(name),
    );
  const single = (/** @type {"query" | "sum"} */ name) =>
    Math.max(...one[name].map((_, h) => furthest(one[name][h], other[name][h]))) / scale(name);
  const weights = partner.map((i, j) =>
    Math.max(...one.weights.map((_, h) => Math.abs(one.weights[h][i] - other.weights[h][j]))),
  );
  const changes = { query: single("query"), key: rows("key"), weights, value: rows("value"), sum: single("sum") };
  const names = { query: "query", key: "keys", weights: "weights", value: "values" };
  const compared = /** @type {(keyof typeof names)[]} */ (Object.keys(names));
  return {
    partner,
    ...changes,
    seen: partner.map((i, j) => Number(one.seen[i].join("\n") !== other.seen[j].join("\n"))),
    change: Math.max(...Object.values(changes).flat()),
    differing: compared.filter((name) => Math.max(...[changes[name]].flat()) > ROUNDING).map((name) => names[name]),
  };
}

// A prompt stays as it is while the reader moves the other one.
/** @type {(which: "first" | "second", given: Given) => (state: State, computed?: Decoded) => Reading} */
export function rememberPrompt(which, given) {
  let key = "";
  let reading = /** @type {Reading} */ ({});
  return (state, computed) => {
    const { [/** @type {const} */ (`${which}_order`)]: order, depth, mask, n_prefix, position } = state;
    const settings = JSON.stringify([order, depth, mask, n_prefix, position]);
    if (settings !== key) [key, reading] = [settings, readPrompt(order, state, given, computed)];
    return reading;
  };
}

/**
 * @type {(read: Reading[]) => { read: Reading[], layers: Comparison[], distance: number, parted: number,
 *   written: number[], same: boolean }}
 */
export function calculate(read) {
  const [first, second] = read;
  const layers = first.layers.map((one, layer) => compareLayer(one, second.layers[layer], first.prompt, second.prompt));
  const distance = first.probabilities.reduce((sum, p, row) => sum + Math.abs(p - second.probabilities[row]), 0) / 2;
  const parted = layers.findIndex(({ differing }) => differing.length > 0); // −1 if nowhere
  const written = read.map(({ probabilities }) => probabilities.indexOf(Math.max(...probabilities)));
  return { read, layers, distance, parted, written, same: first.prompt.join("\n") === second.prompt.join("\n") };
}
