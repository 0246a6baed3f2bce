// What the playground says, as words.py says it in Python.

import { formatNumber } from "../kit/words.js";
import { taskOf } from "./run.js";

const NOT_YET = "Neither has learned anything yet: press Play.";
export const LONGEST = "After 1000 steps: sinusoids, concatenated 0.50 right; learned, concatenated 0.50.";

export const labelsOf = ({ first, second }, { schemes }) => [first, second].map((name) => schemes[name].label);

export function summarise(state, { tested, accuracies }, known) {
  if (!tested.length || tested.at(-1) === 0) return NOT_YET;
  const [one, other] = accuracies.map((row) => formatNumber(row.at(-1)));
  const [first, second] = labelsOf(state, known);
  const steps = `After ${tested.at(-1)} steps`;
  if (one === other) return `${steps} both are right in ${one} of the cases.`;
  return `${steps}: ${first} ${one} right; ${second} ${other}.`;
}

export function signOf({ tested, accuracies }) {
  if (!tested.length || tested.at(-1) === 0) return "";
  const [one, other] = accuracies.map((row) => row.at(-1));
  return Math.abs(one - other) >= 0.1 ? "≠" : "=";
}

// [floor, ceiling] at the length of the training.
export const boundsOf = (state, known) =>
  taskOf(state, known).bounds[known.training.test_lengths.indexOf(known.training.n)];

export function noteOf(state, known) {
  const [low, high] = boundsOf(state, known).map((bound) => formatNumber(bound));
  if (low === high) return `Blind to order or to direction, no model passes ${low}.`;
  return `Blind to order, no model passes ${low}; blind to direction, ${high}.`;
}
