// What the loom computes, as figure.py has it: three layers of attention, one head, residual sums and norms.

import { causalMask, numbersFromText } from "../kit/arithmetic.js";
import { encode } from "../kit/transformer.js";

/** @typedef {{ rows: Heads, weights: Heads }} Cloth rows: (layer + 1, word, number), weights: (layer, word, word) */

/** @typedef {{ now: Cloth, firstRows: Heads, nails: number[], dyes: Heads, firstDyes: Matrix, changed: Mask,
 *   since: number[], heads: number[] | null }} Reading
 * of a record the last rows alone. nails: the place in the first order with which each word is compared, and firstRows, (layer + 1, word, number), what was
 * there; dyes: what share of each word is in each row, (layer + 1, word, word), and firstDyes in the last ones then;
 * changed: (word, number), of the last rows; since: by word, where its row is another for the first
 * time: 0 as it enters, 1 as it leaves layer 0, …, or −1; heads: of a record, whose weights these are, by layer */

export const D_MODEL = 16;
export const N_LAYERS = 3;
const NAME = "loom 9352";
const SHARPNESS = 2.4;
const SAME = 1e-9;

/** @type {<Made>(n: number, make: (i: number) => Made) => Made[]} */
export const listOf = (n, make) => Array.from({ length: n }, (_, i) => make(i));

/** @type {<One>(list: One[]) => One} */
export const lastOf = (list) => list[list.length - 1];

/** @type {(name: string, scale: number) => Matrix} */
const matrix = (name, scale) =>
  listOf(D_MODEL, (row) =>
    numbersFromText(`${name}, row ${row}`, D_MODEL).map((number) => number * Math.sqrt(3 / D_MODEL) * scale),
  );

const ONES = { gain: listOf(D_MODEL, () => 1), bias: listOf(D_MODEL, () => 0) };
const IDENTITY = listOf(D_MODEL, (i) => listOf(D_MODEL, (j) => Number(i === j)));

/** @type {(layer: number) => BlockParameters} */
const block = (layer) => ({
  attention: {
    w_query: matrix(`${NAME}, layer ${layer}, query`, SHARPNESS),
    w_key: matrix(`${NAME}, layer ${layer}, key`, 1),
    w_value: matrix(`${NAME}, layer ${layer}, value`, 1),
    w_output: IDENTITY,
    b_query: null,
    b_key: null,
    b_value: null,
    b_output: null,
  },
  feed_forward: null,
  norm_attention: ONES,
  norm_feed_forward: ONES,
});

const PARAMETERS = /** @type {TransformerParameters} */ ({
  position: {},
  blocks: listOf(N_LAYERS, block),
  norm_embedding: null,
});
const CONFIG = /** @type {Config} */ ({
  d_model: D_MODEL,
  n_heads: 1,
  n_layers: N_LAYERS,
  norm: "post",
  eps: 1e-5,
  residual: 1,
});

/** @type {(words: string[], order: number[], mask: boolean, positions: boolean) => Cloth} */
export function weave(words, order, mask, positions) {
  const rows = order.map((word) => numbersFromText(words[word], D_MODEL).map((number) => number * Math.sqrt(3)));
  const scheme = /** @type {Scheme} */ ({ name: positions ? "sinusoidal" : "none" });
  const { layers } = encode(
    rows,
    PARAMETERS,
    { ...CONFIG, scheme },
    {
      positions: [...order.keys()],
      mask: mask ? causalMask(order.length) : null,
    },
  );
  const places = words.map((_, word) => order.indexOf(word));
  /** @type {<Row>(byPlace: Row[]) => Row[]} */
  const byWord = (byPlace) => places.map((place) => byPlace[place]);
  return {
    rows: [layers[0].x, ...layers.map(({ hidden }) => hidden)].map(byWord),
    weights: layers.map(({ weights: [head] }) => byWord(head).map(byWord)),
  };
}

// A row takes half of its dye from itself, and half from what it looks at; what it gives to no word dyes nothing.
/** @type {(weights: Heads) => Heads} */
function dyesOf(weights) {
  let shares = listOf(weights[0].length, (word) => listOf(weights[0].length, (other) => Number(word === other)));
  const all = [shares];
  for (const layer of weights) {
    const before = shares;
    shares = before.map((row, i) =>
      row.map((own, word) => own + layer[i].reduce((sum, weight, j) => sum + weight * (before[j][word] - own), 0) / 2),
    );
    all.push(shares);
  }
  return all;
}

// Of equal words nobody can say which is which: the first of them now is compared with the first of them then.
/** @type {(words: string[], order: number[]) => number[]} */
function nailsOf(words, order) {
  const nails = [...order];
  for (const text of new Set(words)) {
    const alike = order.filter((word) => words[word] === text);
    const sorted = [...alike].sort((a, b) => a - b);
    alike.forEach((word, i) => {
      nails[word] = sorted[i];
    });
  }
  return nails;
}

/** @type {(state: LoomState) => Reading} */
export function read({ words, order, mask, positions }) {
  const now = weave(words, order, mask, positions);
  const first = weave(words, [...words.keys()], mask, positions);
  const nails = nailsOf(words, order);
  const firstRows = first.rows.map((rows) => nails.map((nail) => rows[nail]));
  const differs = now.rows.map((rows, layer) =>
    rows.map((row, word) => row.map((number, d) => Math.abs(number - firstRows[layer][word][d]) > SAME)),
  );
  const lastDyes = lastOf(dyesOf(first.weights));
  return {
    now,
    firstRows,
    nails,
    dyes: dyesOf(now.weights),
    firstDyes: nails.map((nail) => lastDyes[nail]),
    changed: differs[N_LAYERS],
    since: words.map((_, word) => differs.findIndex((rows) => rows[word].some(Boolean))),
    heads: null,
  };
}

// In every order but the first each number is another, by more than rounding, if less than the bytes may show.
/** @type {(order: number[], recording: import("./record.js").Recording) => Reading} */
export function readRecording(order, { heads, runOf }) {
  const [now, first] = [order, [...order.keys()]].map(runOf);
  const isFirst = order.every((word, place) => word === place);
  return {
    now: { rows: [now.rows], weights: now.weights },
    firstRows: [first.rows],
    nails: [...order.keys()],
    dyes: dyesOf(now.weights),
    firstDyes: lastOf(dyesOf(first.weights)),
    changed: now.rows.map((row) => row.map(() => !isFirst)),
    since: now.since.map((since) => (isFirst ? -1 : since)),
    heads,
  };
}
