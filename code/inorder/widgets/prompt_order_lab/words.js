// The sentences of words.py, with what a state computes.

import { ROUNDING } from "../kit/arithmetic.js";
import { fill, formatDifference, listed } from "../kit/words.js";
import { lastOf } from "./reading.js";

/** @typedef {import("./reading.js").Computed} Computed */
/** @typedef {PromptOrderLabSentences} Sentences */

/** @type {(text: string) => string} */
export const quoted = (text) => `“${text}”`;

// Below the answer: equal, equal up to rounding, or different.
/** @type {(sentences: Sentences, computed: Computed) => string} */
export function verdict({ equal, rounding, different }, { distance, same }) {
  if (same) return equal;
  return distance <= ROUNDING ? rounding : fill(different, { distance: formatDifference(distance) });
}

// The answer: why the two prompts are told apart, or why not.
/** @type {(state: PromptOrderLabState, computed: Computed, given: import("./reading.js").Given) => string} */
export function summarise({ depth, mask, position }, { read, layers, distance, parted, same }, given) {
  const { vocabulary, transformer, sentences } = given;
  const [first, second] = read.map(({ prompt }) => prompt);
  if (same) return fill(sentences.unmoved, { prompt: first.join(" ") });
  const token = lastOf(first);
  if (parted < 0) return fill(depth === 1 ? sentences.one_layer : sentences.every_layer, { token });
  if (distance <= ROUNDING) return fill(sentences.rounded_away, { layer: parted });
  if (token !== lastOf(second)) return fill(sentences.queries, { first: token, second: lastOf(second) });
  const { differing, key, value } = layers[parted];
  if (parted === 0) {
    const scheme = transformer.schemes[position].label;
    return fill(sentences.positions, { token, scheme, parts: listed(differing) });
  }
  const others = second.filter((_, j) => Math.max(key[j], value[j]) > ROUNDING);
  const changed = listed(vocabulary.filter((name) => others.includes(name)).map(quoted));
  const parts = { token, before: parted - 1, changed, layer: parted };
  return position === "none" ? fill(sentences.mask, { ...parts, mask }) : fill(sentences.order, parts);
}

/** @type {(sentences: Sentences, computed: Computed, layer: number) => string} */
export function layerWords(sentences, { layers, parted, same }, layer) {
  const { differing } = layers[layer];
  if (differing.length === 0) return same ? sentences.same_prompt : sentences.same_set;
  const parts = listed(differing);
  const words = fill(parts === "query" ? sentences.differs : sentences.differ, { parts });
  return layer === parted ? fill(sentences.part_here, { words }) : words;
}
