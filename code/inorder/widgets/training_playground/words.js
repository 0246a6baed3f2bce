// What the playground says: the sentences of words.py, with the numbers of a run.

import { fill, formatNumber } from "../kit/words.js";
import { taskOf } from "./run.js";

/** @typedef {import("./run.js").Found} Found */

/** @typedef {import("./run.js").Known} Known */

/** @typedef {TrainingPlaygroundState} State */

/** @typedef {TrainingPlaygroundSentences} Sentences */

/** @type {(state: State, known: Known) => string[]} */
export const labelsOf = ({ first, second }, { schemes }) => [first, second].map((name) => schemes[name].label);

/** @type {(sentences: Sentences, state: State, found: Found, known: Known) => string} */
export function summarise({ untrained, equal, unequal }, state, { tested, accuracies }, known) {
  const steps = tested[tested.length - 1];
  if (!steps) return untrained;
  const [one, other] = accuracies.map((row) => formatNumber(row[row.length - 1]));
  if (one === other) return fill(equal, { steps, right: one });
  const [first, second] = labelsOf(state, known);
  return fill(unequal, { steps, first, first_right: one, second, second_right: other });
}

/** @type {(found: Found) => Sign} */
export function signOf({ tested, accuracies }) {
  if (!tested.length || tested.at(-1) === 0) return "";
  const [one, other] = accuracies.map((row) => row[row.length - 1]);
  return Math.abs(one - other) >= 0.1 ? "≠" : "=";
}

// [floor, ceiling] at the length of the training.
/** @type {(state: State, known: Known) => [number, number]} */
export const boundsOf = (state, known) =>
  taskOf(state, known).bounds[known.training.test_lengths.indexOf(known.training.n)];

/** @type {(sentences: Sentences, state: State, known: Known) => string} */
export function noteOf({ bound, bounds }, state, known) {
  const [floor, ceiling] = boundsOf(state, known).map((one) => formatNumber(one));
  return floor === ceiling ? fill(bound, { bound: floor }) : fill(bounds, { floor, ceiling });
}
