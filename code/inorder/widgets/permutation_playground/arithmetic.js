// What the figure computes, and the sentences that say it; the same as in figure.py.

import { causalMask, ROUNDING } from "../kit/arithmetic.js";
import { encode, permute, permuteMask, prefixMask } from "../kit/transformer.js";
import { formatDifference } from "../kit/words.js";

export const inOrder = (order) => order.every((token, place) => token === place);

function maskOf({ tokens, mask, n_prefix }) {
  if (mask === "none") return null;
  return mask === "causal" ? causalMask(tokens.length) : prefixMask(tokens.length, Math.min(n_prefix, tokens.length));
}

function modelOf({ position, depth, residual }, { config, parameters, schemes }) {
  const { scheme, tables } = schemes[position];
  const weight = residual ? config.residual || 1 : 0;
  return [
    { ...parameters, position: tables },
    { ...config, scheme, n_layers: depth, residual: weight },
  ];
}

export function largestEntry(matrix) {
  let largest = 0;
  for (const row of matrix) for (const x of row) largest = Math.max(largest, Math.abs(x));
  return largest;
}
const largestChange = (a, b) => largestEntry(a.map((row, i) => row.map((x, j) => x - b[i][j])));
const meanRow = (x) => x[0].map((_, j) => x.reduce((sum, row) => sum + row[j], 0) / x.length);

// What the model makes of the tokens as given: the same for every order, so it is computed once and remembered.
export function rememberGiven(transformer) {
  let [key, given] = ["", null];
  return (state) => {
    const { ids, position, mask, n_prefix, depth, residual } = state;
    const asked = JSON.stringify([ids, position, mask, n_prefix, depth, residual]);
    if (asked !== key) {
      const positions = [...ids.keys()];
      [key, given] = [asked, encode(ids, ...modelOf(state, transformer), { positions, mask: maskOf(state) })];
    }
    return given;
  };
}

// Everything in order of places: place i of the moved sentence holds token order[i].
export function calculate(state, transformer, given) {
  const { ids, order, mask_moves } = state;
  const mask = maskOf(state);
  const newMask = mask && mask_moves ? permuteMask(mask, order) : mask;
  const positions = [...ids.keys()];
  const anew = encode(permute(ids, order), ...modelOf(state, transformer), { positions, mask: newMask });
  const shown = ({ layers }) => layers[Math.min(state.layer, state.depth - 1)].weights[state.head];
  const weights = shown(given); // (n, n), like the next
  const newWeights = shown(anew);
  const output = given.hidden; // (n, d_model), like the next two
  const movedOutput = permute(output, order);
  const newOutput = anew.hidden;
  const pooled = [meanRow(output), meanRow(newOutput)]; // (2, d_model)
  const largest = largestEntry(output);
  return {
    mask,
    newMask,
    weights,
    newWeights,
    output,
    newOutput,
    pooled,
    changed: newOutput.map((row, i) => row.map((x, j) => Math.abs(x - movedOutput[i][j]) / largest > ROUNDING)),
    weightsChange: largestChange(newWeights, permuteMask(weights, order)),
    error: largestChange(newOutput, movedOutput) / largest,
    pooledError: largestChange([pooled[1]], [pooled[0]]) / largestEntry([pooled[0]]),
  };
}

// ------------------------------------------------------------------------------------------------- the words

function lawOf({ mask, mask_moves }, error) {
  const sign = error <= ROUNDING ? "=" : "≠";
  if (mask === "none") return `f(PX) ${sign} P f(X)`;
  return mask_moves ? `f(PX; PMPᵀ) ${sign} P f(X; M)` : `f(PX; M) ${sign} P f(X; M)`;
}

export function summarise({ order, position, mask, mask_moves }, { error, changed }, { schemes }) {
  if (inOrder(order)) return "Nothing has moved yet: drag a word on the right.";
  if (error <= ROUNDING) return "Each word has kept its row of numbers, and taken it along.";
  const places = position === "none" ? [] : [`the positions (${schemes[position].label})`];
  const fixed = mask === "none" || mask_moves ? places : [...places, `the ${mask} mask`];
  const stay = places.length > 0 ? "stay where they are" : "stays where it is";
  const marks = changed.flat();
  const n = marks.filter(Boolean).length;
  const count = n === marks.length ? `All ${n}` : `${n} of ${marks.length}`;
  return `${count} numbers are new: ${fixed.join(" and ")} ${stay}.`;
}

export function noteOf(state, { error, pooledError }) {
  const mean = pooledError > ROUNDING ? "changed" : "stayed";
  return `${lawOf(state, error)}, error ${formatDifference(error)}; the mean of the rows ${mean}.`;
}
