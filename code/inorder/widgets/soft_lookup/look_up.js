// The look-up: its arithmetic, as figure.py has it, and its words.

import { attentionScores, matmul, softmax } from "../kit/arithmetic.js";
import { fill, formatNumber } from "../kit/words.js";

/** @typedef {ReturnType<typeof lookUp>} LookUp */
/** @typedef {{ kind: "q" | "k" | "x", index: number }} Handle a point that the reader may move */
/** @typedef {SoftLookupState} State */
/** @typedef {{ attention: Record<State["attention"], string>, matching: Record<State["matching"], string> }} Labels */

const TIE = 1e-9; // scores closer than this are equal to the hard look-up

/** @type {(query: Matrix, key: Matrix) => Matrix} */
const distanceScores = (query, key) =>
  query.map((q) => key.map((k) => -0.5 * q.reduce((sum, x, axis) => sum + (x - k[axis]) ** 2, 0)));

// What softmax(β · scores) tends to as β grows: the best alone, or equal shares for several best.
/** @type {(scores: number[]) => number[]} */
function hardmax(scores) {
  const best = scores.map((score) => score >= Math.max(...scores) - TIE);
  const count = best.filter(Boolean).length;
  return best.map((isBest) => (isBest ? 1 / count : 0));
}

/** @type {(state: State) => { query: Matrix, key: Matrix, value: Matrix, scores: Matrix, weights: Matrix, output: Matrix, row: number }} */
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

/** @type {(text: string) => string} */
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// The query, by a name that can stand in a sentence.
/** @type {(sentences: SoftLookupSentences, state: State, i: number) => string} */
export const queryName = ({ query, query_of }, { attention, tokens }, i) =>
  attention === "cross" ? fill(query, { i }) : fill(query_of, { token: tokens[i] });

// The answer: what the chosen query finds; and how it was found, in Python's names of the choices.
/** @type {(sentences: SoftLookupSentences, state: State, found: LookUp, labels: Labels) => { text: string, note: string }} */
export function answerOf(sentences, state, { weights, output: outputs, row: i }, labels) {
  const row = weights[i];
  const [name, output] = [capital(queryName(sentences, state, i)), formatNumber(outputs[i][0])];
  const largest = Math.max(...row);
  const count = row.filter((weight) => weight >= largest - TIE).length;
  const token = state.tokens[row.indexOf(largest)];
  const { attention, matching, sharpness, hard, tied } = state;
  return {
    text:
      count > 1
        ? fill(count === row.length ? sentences.all : sentences.several, { name, count, output })
        : fill(sentences.one, { name, weight: formatNumber(largest), token, output }),
    note: fill(attention === "self" && tied ? sentences.note_tied : sentences.note, {
      attention: capital(labels.attention[attention]),
      matching: labels.matching[matching],
      sharpness: hard ? sentences.hard : fill(sentences.beta, { beta: formatNumber(sharpness) }),
    }),
  };
}

// A value beside its key.
/** @type {(value: number) => string} */
export const brief = (value) => formatNumber(value, Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 1);

// The points that the reader may move, in drawing order.
/** @type {(state: State) => Handle[]} */
export function handlesOf({ attention, q, k, x }) {
  /** @type {(kind: Handle["kind"], rows: Matrix) => Handle[]} */
  const handles = (kind, rows) => rows.map((_, index) => ({ kind, index }));
  return attention === "self" ? handles("x", x) : [...handles("k", k), ...handles("q", q)];
}

/** @type {(tokens: string[], point: Handle) => string} */
export const handleName = (tokens, { kind, index }) =>
  kind === "q" ? `query ${index}` : kind === "k" ? `key of “${tokens[index]}”` : `“${tokens[index]}”`;
