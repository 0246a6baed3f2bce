// The figure's sentences, the same as in words.py.

import { ROUNDING } from "../kit/arithmetic.js";
import { formatDifference } from "../kit/words.js";

export const PROMPTS = ["first", "second"];
export const quoted = (text) => `“${text}”`;

const listed = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words.join());

// Below the answer: equal, equal to rounding, or different.
export function verdict(distance) {
  if (distance === 0) return "Equal: total variation distance ½ Σ |p − q| = 0, exactly.";
  const word = distance <= ROUNDING ? "Equal to rounding" : "Different";
  return `${word}: total variation distance ½ Σ |p − q| = ${formatDifference(distance)}.`;
}

// The answer: why the two prompts are told apart, or why not.
export function summarise({ depth, mask, position }, { read, layers, distance, parted, same }, given) {
  const { vocabulary, transformer } = given;
  const [first, second] = read.map(({ prompt }) => prompt);
  if (same) return `Both prompts read ${quoted(first.join(" "))}: move a token.`;
  const asks = `${quoted(first.at(-1))} asks in both`;
  if (parted < 0) {
    const where = depth === 1 ? "" : " in every layer";
    return `${asks} and finds${where} the same keys and values in another order: a sum has no order.`;
  }
  if (distance <= ROUNDING) return `The prompts part in layer ${parted}, but the outputs do not show it.`;
  if (first.at(-1) !== second.at(-1)) {
    return `${quoted(first.at(-1))} asks in the first and ${quoted(second.at(-1))} in the second: another query.`;
  }
  const { differing, key, value } = layers[parted];
  if (parted === 0) {
    return `${asks}, but the positions (${transformer.schemes[position].label}) make the ${listed(differing)} differ in layer 0.`;
  }
  const changed = second.filter((_, j) => Math.max(key[j], value[j]) > ROUNDING);
  const names = listed(vocabulary.filter((token) => changed.includes(token)).map(quoted));
  const why =
    position === "none" ? `the ${mask} mask let ${names} see different tokens` : `the order has changed ${names}`;
  return `${asks}. In layer ${parted - 1} ${why}; layer ${parted} finds out.`;
}

export function layerWords({ layers, parted, same }, layer) {
  const { differing } = layers[layer];
  if (differing.length === 0) return same ? "the same in both prompts" : "the same set in another order";
  const here = layer === parted ? "here the prompts part: " : "";
  return `${here}${listed(differing)} differ${listed(differing) === "query" ? "s" : ""}`;
}
