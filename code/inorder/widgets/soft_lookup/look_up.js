// The look-up: its arithmetic and its words, as figure.py has them.

import { attentionScores, matmul, softmax } from "../kit/arithmetic.js";
import { setAttributes, write } from "../kit/elements.js";
import { formatNumber } from "../kit/words.js";

const TIE = 1e-9; // scores closer than this are equal to the hard look-up

function distanceScores(query, key) {
  return query.map((q) => key.map((k) => -0.5 * q.reduce((sum, x, axis) => sum + (x - k[axis]) ** 2, 0)));
}

// What softmax(β · scores) tends to as β grows: the best alone, or equal shares for several best.
function hardmax(scores) {
  const largest = Math.max(...scores);
  const best = scores.map((score) => score >= largest - TIE);
  const count = best.filter(Boolean).length;
  return best.map((isBest) => (isBest ? 1 / count : 0));
}

export function lookUp({ q, k, v, x, w_query, w_key, w_value, attention, matching, sharpness, hard, tied, chosen }) {
  const self = attention === "self";
  const query = self ? matmul(x, tied ? w_key : w_query) : q; // (query, 2)
  const key = self ? matmul(x, w_key) : k; // (key, 2)
  const value = self ? matmul(x, w_value) : v; // (key, 1)
  const scores = matching === "dot" ? attentionScores(query, key, { scale: 1 }) : distanceScores(query, key);
  const weights = scores.map((row) => (hard ? hardmax(row) : softmax(row.map((score) => sharpness * score))));
  const output = matmul(weights, value); // (query, 1)
  return { query, key, value, scores, weights, output, row: Math.min(chosen, query.length - 1) };
}

// The query, by a name that can stand in a sentence.
export function queryName({ attention, tokens }, i) {
  return attention === "cross" ? `query ${i}` : `the query of “${tokens[i]}”`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// The answer: what the chosen query finds.
export function summarise(state, { weights, output, row: i }) {
  const row = weights[i];
  const name = capital(queryName(state, i));
  const result = formatNumber(output[i][0]);
  const largest = Math.max(...row);
  const best = row.filter((weight) => weight >= largest - TIE).length;
  if (best === row.length) return `${name} weighs all ${row.length} keys equally and gets their mean, ${result}.`;
  if (best > 1) return `${name} weighs ${best} keys equally, above the rest, and gets ${result}.`;
  const target = `“${state.tokens[row.indexOf(largest)]}”`;
  return `${name} puts ${formatNumber(largest)} of its weight on ${target} and gets ${result}.`;
}

// How it was found. `labels` are Python's names of the choices.
export function noteOf({ attention, matching, sharpness, hard, tied }, labels) {
  const same = attention === "self" && tied ? ", W_Q = W_K" : "";
  const beta = hard ? "hard look-up" : `β = ${formatNumber(sharpness)}`;
  return `${capital(labels.attention[attention])}${same}, by ${labels.matching[matching]}, ${beta}.`;
}

// A value beside its key.
export function brief(value) {
  return formatNumber(value, Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 1);
}

// The points that the reader may move, in drawing order.
export function handlesOf({ attention, q, k, x }) {
  const kinds = attention === "self" ? { x } : { k, q };
  return Object.entries(kinds).flatMap(([kind, rows]) => rows.map((_, index) => ({ kind, index })));
}

export function handleName({ tokens }, { kind, index }) {
  if (kind === "q") return `query ${index}`;
  return kind === "k" ? `key of “${tokens[index]}”` : `“${tokens[index]}”`;
}

// A number of the figure: rounded to read, and in full for whoever asks the page.
export function showNumber(node, name, row, col, value, text = formatNumber(value)) {
  write(node, text);
  setAttributes(node, { "data-name": name, "data-row": row, "data-col": col, "data-value": value });
  return node;
}
