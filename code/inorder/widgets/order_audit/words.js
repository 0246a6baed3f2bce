// What OrderAudit says: the sentences of figure.py, with the numbers of a state.

import { fill } from "../kit/words.js";

/** @typedef {OrderAuditState["question"]} Question */

/** @type {Record<Question, string>} */
export const LAWS = { order: "P", move: "S", future: "C" };
/** @type {[Question, string][]} */
export const QUESTIONS = [
  ["order", "another order"],
  ["move", "moved"],
  ["future", "a new ending"],
];

/**
 * @type {(sentences: OrderAuditSentences, state: OrderAuditState, layer: { laws: string, verdict: string },
 *   computed: { kept: number, asked: number, isSame: boolean }) => string}
 */
export function summarise(sentences, { question }, { laws, verdict }, { kept: following, asked, isSame }) {
  if (isSame) return sentences.unchanged;
  const isEveryone = following === asked;
  const which = isEveryone ? (asked === 2 ? "both" : "all") : following ? "some" : "none";
  const outputs = fill(sentences[which], { following, asked });
  const happens = fill(sentences[following === 1 ? /** @type {const} */ (`${question}_one`) : question], { outputs });
  const isLuck = isEveryone && !laws.includes(LAWS[question]);
  return fill(sentences[isLuck ? "by_luck" : "always"], { happens, verdict });
}
