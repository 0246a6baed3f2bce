// The head's arithmetic, and each number's own: what it is, and which cells it is made of.

import { attentionScores, causalMask, maskedScores, matmul, softmax } from "../kit/arithmetic.js";
import { html } from "../kit/vendor/lit.js";
import { equalsOrNearly, fill, formatNumber, subscript } from "../kit/words.js";

/** @typedef {{ what: string, name?: string, sum?: unknown[], marks?: (import("./matrix_grid.js").Mark & { in: Name })[] }} Explanation */
/** @typedef {"x" | "w_query" | "w_key" | "w_value"} Editable */
/** @typedef {Editable | "query" | "key" | "value" | "scaled_scores" | "weights" | "output"} Name of a matrix */
/** @typedef {Record<Name, Matrix> & { scores: Matrix }} All */
/** @typedef {AttentionCalculatorState} State */
/** @typedef {AttentionCalculatorSentences} Sentences */

const YOURS = "yours to change: drag it sideways, or press + and −.";

/** @type {(state: State) => All} */
export function calculate({ tokens, x, w_query, w_key, w_value, scale, mask }) {
  const query = matmul(x, w_query); // (n, d_head)
  const key = matmul(x, w_key); // (n, d_head)
  const value = matmul(x, w_value); // (n, d_value)
  const scores = attentionScores(query, key, { scale: 1 }); // (query, key)
  const allowed = mask === "causal" ? causalMask(tokens.length) : null;
  const scaled = maskedScores(scale ? attentionScores(query, key) : scores, { mask: allowed });
  const weights = scaled.map(softmax); // (query, key)
  const output = matmul(weights, value); // (n, d_value)
  return { x, w_query, w_key, w_value, query, key, value, scores, scaled_scores: scaled, weights, output };
}

// The answer: what the chosen row attends to.
/** @type {(sentences: Sentences, state: State, all: All) => string} */
export function summarise({ alone, equally, tied, itself, other }, { tokens, mask, row: i }, { weights }) {
  const row = mask === "causal" ? weights[i].slice(0, i + 1) : weights[i];
  const token = tokens[i];
  if (row.length === 1) return fill(alone, { token });
  const high = Math.max(...row);
  const weight = formatNumber(high);
  const count = row.filter((share) => high - share < 1e-9).length;
  if (count > 1) return fill(count === row.length ? equally : tied, { token, count, weight });
  const most = row.indexOf(high);
  return most === i ? fill(itself, { token, weight }) : fill(other, { token, other: tokens[most], weight });
}

/** @type {(sentences: Sentences, state: State) => string} */
export function noteOf({ scaled, unscaled, ...masks }, { w_query, scale, mask: name }) {
  const mask = masks[name];
  return scale ? fill(scaled, { d_head: w_query[0].length, mask }) : fill(unscaled, { mask });
}

const first = (/** @type {string} */ text) => html`<span class="is-first">${text}</span>`;
const second = (/** @type {string} */ text) => html`<span class="is-second">${text}</span>`;
const strong = (/** @type {string} */ text) => html`<strong>${text}</strong>`;
/** @type {(x: number) => string} */
const signed = (x) => (x < 0 ? `(${formatNumber(x)})` : formatNumber(x));

// a · b written out, its value, and how exact the printed value is
/** @type {(a: number[], b: number[], result: number) => unknown[]} */
function dot(a, b, result) {
  const terms = a.flatMap((x, k) => [k ? " + " : "", first(signed(x)), " × ", second(signed(b[k]))]);
  return [...terms, ` ${equalsOrNearly(result)} `, strong(formatNumber(result))];
}

/** @type {(matrix: Matrix, j: number) => number[]} */
const column = (matrix, j) => matrix.map((row) => row[j]);

// For the cell (i, j) of a matrix: what it is, its arithmetic, and which cells it is made of.
/** @type {Record<Name, (state: State, all: All, i: number, j: number) => Explanation>} */
export const explanations = {
  x: (state, _, i, j) => ({
    what: `Entry ${j} of the embedding of “${state.tokens[i]}”: ${YOURS}`,
    name: `X, “${state.tokens[i]}”, entry ${j}`,
  }),
  w_query: (_, __, i, j) => ({ what: `An entry of the queries’ matrix: ${YOURS}`, name: entryName("W_Q", i, j) }),
  w_key: (_, __, i, j) => ({ what: `An entry of the keys’ matrix: ${YOURS}`, name: entryName("W_K", i, j) }),
  w_value: (_, __, i, j) => ({ what: `An entry of the values’ matrix: ${YOURS}`, name: entryName("W_V", i, j) }),
  query: (state, all, i, j) => project(state, all, "query", "w_query", "Q", i, j),
  key: (state, all, i, j) => project(state, all, "key", "w_key", "K", i, j),
  value: (state, all, i, j) => project(state, all, "value", "w_value", "V", i, j),
  scaled_scores: (state, all, i, j) => ({
    ...match(state, all, i, j),
    marks: [
      { in: "query", kind: "first", row: i },
      { in: "key", kind: "second", row: j },
    ],
  }),
  weights: ({ tokens }, { scaled_scores, weights }, i, j) => ({
    what: `The share of its attention that “${tokens[i]}” gives to “${tokens[j]}”. Each row sums to 1.`,
    sum: softmaxSum(scaled_scores[i], i, j, weights[i][j]),
    marks: [
      { in: "scaled_scores", kind: "second", row: i },
      { in: "scaled_scores", kind: "first", row: i, column: j },
    ],
  }),
  output: ({ tokens }, { weights, value, output }, i, j) => ({
    what: `The values of all tokens, entry ${j}, averaged with the weights of “${tokens[i]}”.`,
    sum: [`Y${at(i, j)} = `, ...dot(weights[i], column(value, j), output[i][j])],
    marks: [
      { in: "weights", kind: "first", row: i },
      { in: "value", kind: "second", column: j },
    ],
  }),
};

/** @type {(i: number, j: number) => string} */
const at = (i, j) => `${subscript(i)}${subscript(j)}`;
/** @type {(matrix: string, i: number, j: number) => string} */
const entryName = (matrix, i, j) => `${matrix}, row ${i}, column ${j}`;

/** @type {(state: State, all: All, name: Name, weight: Name, letter: string, i: number, j: number) => Explanation} */
function project({ tokens }, all, name, weight, letter, i, j) {
  return {
    what: `Entry ${j} of the ${name} of “${tokens[i]}”: its embedding times column ${j} of W${letter}.`,
    sum: [`${letter}${at(i, j)} = `, ...dot(all.x[i], column(all[weight], j), all[name][i][j])],
    marks: [
      { in: "x", kind: "first", row: i },
      { in: weight, kind: "second", column: j },
    ],
  };
}

// How well a query matches a key.
/** @type {(state: State, all: All, i: number, j: number) => Explanation} */
function match({ tokens, w_query, scale }, { query, key, scores, scaled_scores }, i, j) {
  const name = `S${at(i, j)} = `;
  if (scaled_scores[i][j] === -Infinity)
    return { what: `“${tokens[j]}” comes after “${tokens[i]}”, so it is masked.`, sum: [name, strong("−∞")] };
  const what = `How well the query of “${tokens[i]}” matches the key of “${tokens[j]}”`;
  if (!scale) return { what: `${what}, not scaled.`, sum: [name, ...dot(query[i], key[j], scores[i][j])] };
  const root = `√${w_query[0].length}`;
  const divided = dot(query[i], key[j], scaled_scores[i][j]);
  const sum = [name, "(", ...divided.slice(0, -2), `) / ${root}`, ...divided.slice(-2)];
  return { what: `${what}, divided by ${root}: the root of a query’s width.`, sum };
}

/** @type {(row: number[], i: number, j: number, weight: number) => unknown[]} */
function softmaxSum(row, i, j, weight) {
  const visible = row.filter((score) => score !== -Infinity);
  if (row[j] === -Infinity) return [`A${at(i, j)} = exp(−∞) / … = `, strong("0.00")];
  const terms = visible.flatMap((score, k) => [k ? " + " : "", second(`exp(${formatNumber(score)})`)]);
  return [
    `A${at(i, j)} = `,
    first(`exp(${formatNumber(row[j])})`),
    " / (",
    ...terms,
    `) ${equalsOrNearly(weight)} `,
    strong(formatNumber(weight)),
  ];
}
