// The sentences of words.py, with what is shown; and what a reader is told of a prompt that can't be read.

import { fill, formatDifference } from "../kit/words.js";

/** @typedef {[token: string, probability: number][]} Next */

/** @typedef {{ next: Next[], texts: string[], distance?: number, layers?: number[], stored: boolean }} Results */

export const MOST_TOKENS = 64;

/** A token as it is shown: without the space that it begins with, never empty. @param {string} token */
export const spell = (token) => token.replaceAll("\n", "⏎").replaceAll("\t", "⇥").trim() || "␣";

/** @type {(sentences: LanguageModelSentences, prompts: string[], results: Results | null) => string} */
export function summarise(sentences, prompts, results) {
  if (!results) return sentences.missing;
  const [first, second] = results.next.map(([[token]]) => spell(token));
  if (prompts[0] === prompts[1]) return fill(sentences.unmoved, { token: first });
  return first === second ? fill(sentences.same, { token: first }) : fill(sentences.other, { first, second });
}

/** @type {(sentences: LanguageModelSentences, results: Results | null) => string} */
export function noteOf(sentences, results) {
  if (!results) return "";
  const source = results.stored ? sentences.stored : sentences.computed;
  if (results.distance === undefined) return source;
  return fill(sentences.distance, { distance: formatDifference(results.distance), source });
}

/** Why a text can't be a prompt; "" if it can, as far as the page knows. @type {(text: string, longest: number) => string} */
export function refusal(text, longest) {
  const length = [...text].length;
  if (text.trim() === "") return "There is nothing to read yet: type a word or more.";
  if (length > longest) return `This text has ${length} characters; a prompt here has at most ${longest}.`;
  if (/\p{Surrogate}/u.test(text)) return "This text holds half a character, which no model can read.";
  return "";
}
