// What the figure computes, the same as in figure.py, and the sentences that say it.

import { causalMask, ROUNDING } from "../kit/arithmetic.js";
import { encode, permute, permuteMask, prefixMask } from "../kit/transformer.js";
import { fill, formatDifference } from "../kit/words.js";

/** @typedef {ReturnType<typeof calculate>} Computed */
/** @typedef {{ hidden: Matrix }} Encoded what the model makes of a sentence */
/** @typedef {PermutationPlaygroundState} State */
/** @typedef {PermutationPlaygroundSentences} Sentences */

/** @type {(order: number[]) => boolean} */
export const inOrder = (order) => order.every((token, place) => token === place);

/** @type {(...matrices: Matrix[]) => number} */
export const largestEntry = (...matrices) => Math.max(...matrices.flat(2).map(Math.abs));
/** @type {(a: Matrix, b: Matrix) => number} */
const largestChange = (a, b) => largestEntry(a.map((row, i) => row.map((x, j) => x - b[i][j])));
/** @type {(x: Matrix) => number[]} */
const meanRow = (x) => x[0].map((_, j) => x.reduce((sum, row) => sum + row[j], 0) / x.length);

/** @type {(state: State) => Mask | null} */
function maskOf({ tokens, mask, n_prefix }) {
  if (mask === "none") return null;
  return mask === "causal" ? causalMask(tokens.length) : prefixMask(tokens.length, Math.min(n_prefix, tokens.length));
}

/** @type {(ids: number[], mask: Mask | null, state: State, transformer: TransformerState) => Encoded} */
function encoded(ids, mask, { position, depth, residual }, { config, parameters, schemes }) {
  const { scheme, tables } = schemes[position];
  const settings = { ...config, scheme, n_layers: depth, residual: residual ? config.residual || 1 : 0 };
  return encode(ids, { ...parameters, position: tables }, settings, { positions: [...ids.keys()], mask });
}

// Everything in order of places: place i of the moved sentence holds token order[i]. `answer`: what Python has computed.
/** @type {(state: State, transformer: TransformerState, answer?: { given: Encoded, moved: Encoded } | null) => { output: Matrix, newOutput: Matrix, changed: boolean[][], error: number, pooledError: number }} */
export function calculate(state, transformer, answer) {
  const { ids, order, mask_moves } = state;
  const mask = maskOf(state);
  const newMask = mask && mask_moves ? permuteMask(mask, order) : mask;
  const { hidden: output } = answer?.given ?? encoded(ids, mask, state, transformer); // (n, d_model)
  const { hidden: newOutput } = answer?.moved ?? encoded(permute(ids, order), newMask, state, transformer);
  const movedOutput = permute(output, order);
  const [mean, newMean] = [meanRow(output), meanRow(newOutput)]; // (d_model,)
  const largest = largestEntry(output);
  return {
    output,
    newOutput,
    changed: newOutput.map((row, i) => row.map((x, j) => Math.abs(x - movedOutput[i][j]) / largest > ROUNDING)),
    error: largestChange(newOutput, movedOutput) / largest,
    pooledError: largestChange([newMean], [mean]) / largestEntry([mean]),
  };
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
export function noteOf(sentences, { mask, mask_moves }, { error, pooledError }) {
  const name = mask === "none" ? "law" : mask_moves ? "law_mask_moves" : "law_mask_stays";
  const law = fill(sentences[name], { sign: error <= ROUNDING ? "=" : "≠" });
  const sentence = pooledError > ROUNDING ? sentences.mean_changed : sentences.mean_stayed;
  return fill(sentence, { law, error: formatDifference(error) });
}
