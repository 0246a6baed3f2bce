// What the figure computes, the same as in figure.py, and the sentences that say it.

import { causalMask, ROUNDING } from "../kit/arithmetic.js";
import { encode, permute, permuteMask, prefixMask } from "../kit/transformer.js";
import { fill, formatDifference } from "../kit/words.js";

/** @typedef {ReturnType<typeof calculate>} Computed */

/** @typedef {ReturnType<typeof encode>} Read what the model makes of a sentence */

/** @typedef {PermutationPlaygroundState} State */

/** @typedef {PermutationPlaygroundSentences} Sentences */

/** @type {(order: number[]) => boolean} */
export const inOrder = (order) => order.every((token, place) => token === place);

/** @type {(state: State) => Mask | null} */
function maskOf({ tokens, mask, n_prefix }) {
  if (mask === "none") return null;
  return mask === "causal" ? causalMask(tokens.length) : prefixMask(tokens.length, Math.min(n_prefix, tokens.length));
}

/** @type {(state: State, transformer: TransformerState) => [TransformerParameters, Config]} */
function modelOf({ position, depth, residual }, { config, parameters, schemes }) {
  const { scheme, tables } = schemes[position];
  const weight = residual ? config.residual || 1 : 0;
  return [
    { ...parameters, position: tables },
    { ...config, scheme, n_layers: depth, residual: weight },
  ];
}

/** @type {(matrix: Matrix) => number} */
export function largestEntry(matrix) {
  let largest = 0;
  for (const row of matrix) for (const x of row) largest = Math.max(largest, Math.abs(x));
  return largest;
}
/** @type {(a: Matrix, b: Matrix) => number} */
const largestChange = (a, b) => largestEntry(a.map((row, i) => row.map((x, j) => x - b[i][j])));
/** @type {(x: Matrix) => number[]} */
const meanRow = (x) => x[0].map((_, j) => x.reduce((sum, row) => sum + row[j], 0) / x.length);

// What the model makes of the tokens as given: the same for every order, so it is computed once and remembered.
/** @type {(transformer: TransformerState) => (state: State) => Read} */
export function rememberGiven(transformer) {
  let key = "";
  let read = /** @type {Read} */ ({});
  return (state) => {
    const { ids, position, mask, n_prefix, depth, residual } = state;
    const settings = JSON.stringify([ids, position, mask, n_prefix, depth, residual]);
    if (settings !== key) {
      const positions = [...ids.keys()];
      [key, read] = [settings, encode(ids, ...modelOf(state, transformer), { positions, mask: maskOf(state) })];
    }
    return read;
  };
}

// Everything in order of places: place i of the moved sentence holds token order[i]. `moved`: what Python has computed.
/**
 * @type {(state: State, transformer: TransformerState, given: Read, moved?: Read) => { mask: Mask | null, newMask: Mask | null,
 *   weights: Matrix, newWeights: Matrix, output: Matrix, newOutput: Matrix, pooled: Matrix, changed: boolean[][],
 *   weightsChange: number, error: number, pooledError: number }}
 */
export function calculate(state, transformer, given, moved) {
  const { ids, order, mask_moves } = state;
  const mask = maskOf(state);
  const newMask = mask && mask_moves ? permuteMask(mask, order) : mask;
  const positions = [...ids.keys()];
  const anew = moved ?? encode(permute(ids, order), ...modelOf(state, transformer), { positions, mask: newMask });
  const weightsIn = (/** @type {Read} */ { layers }) =>
    layers[Math.min(state.layer, state.depth - 1)].weights[state.head];
  const weights = weightsIn(given); // (n, n), like the next
  const newWeights = weightsIn(anew);
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

/** @type {(sentences: Sentences, state: State, error: number) => string} */
function lawOf({ law, law_mask_moves, law_mask_stays }, { mask, mask_moves }, error) {
  const sign = error <= ROUNDING ? "=" : "≠";
  if (mask === "none") return fill(law, { sign });
  return fill(mask_moves ? law_mask_moves : law_mask_stays, { sign });
}

/** @type {(sentences: Sentences, state: State, computed: Computed, transformer: TransformerState) => string} */
export function summarise(sentences, { order, position, mask, mask_moves }, { error, changed }, { schemes }) {
  if (inOrder(order)) return sentences.unmoved;
  if (error <= ROUNDING) return sentences.kept;
  const marks = changed.flat();
  const [total, fresh] = [marks.length, marks.filter(Boolean).length];
  const count = fresh === total ? fill(sentences.all, { total }) : fill(sentences.some, { new: fresh, total });
  if (position === "none") return fill(sentences.mask, { count, mask });
  const scheme = schemes[position].label;
  if (mask === "none" || mask_moves) return fill(sentences.positions, { count, scheme });
  return fill(sentences.both, { count, scheme, mask });
}

/** @type {(sentences: Sentences, state: State, computed: Computed) => string} */
export function noteOf(sentences, state, { error, pooledError }) {
  const sentence = pooledError > ROUNDING ? sentences.mean_changed : sentences.mean_stayed;
  return fill(sentence, { law: lawOf(sentences, state, error), error: formatDifference(error) });
}
