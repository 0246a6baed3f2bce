// The sentences of words.py, with what is shown.

import { fill } from "../kit/words.js";

/** @typedef {[token: string, probability: number][]} Next */

/** @typedef {{ next: Next[], texts: string[], distance?: number, layers?: number[], stored: boolean }} Results */

/** A token as it is shown: without the space that it begins with, never empty. @param {string} token */
export const spell = (token) => token.replace(/\n+/g, "↵").replaceAll("\t", "⇥").trim() || "␣";

/** @type {(sentences: LanguageModelSentences, prompts: string[], results: Results | null) => string} */
export function summarise(sentences, prompts, results) {
  if (!results) return sentences.missing;
  const [first, second] = results.next.map(([[token]]) => spell(token));
  if (prompts[0] === prompts[1]) return fill(sentences.unmoved, { token: first });
  return first === second ? fill(sentences.same, { token: first }) : fill(sentences.other, { first, second });
}

/** @type {(sentences: LanguageModelSentences, results: Results | null) => string} */
export function noteOf({ stored, computed }, results) {
  if (!results) return "";
  return results.stored ? stored : computed;
}
