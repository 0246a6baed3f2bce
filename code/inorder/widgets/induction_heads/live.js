// Two heads built by hand continue a text that the reader types.

import { attentionWeights, causalMask, matmul, sinusoidalEncoding } from "../kit/arithmetic.js";
import { button, radios, wordsBox } from "../kit/inputs.js";
import { LIVE } from "../kit/marks.js";
import { ink } from "../kit/pictures.js";
import { html } from "../kit/vendor/lit.js";
import { fill, formatNumber } from "../kit/words.js";

/** @typedef {InductionHeadsState} State */
/** @typedef {{ tokens: string[], notes: Matrix, weights: number[], shares: [string, number][] }} Reading */

const D_MODEL = 64;
const SHARPNESS = 8;
const SURE = 0.95; // a share that decides
const LEVEL = 1e-3; // weights that count as equal
const MOST_SHARES = 3;
const nameOf = (/** @type {string} */ token) => token || "start";

/** @type {(firstHead: string, n: number) => Matrix} */
function firstWeights(firstHead, n) {
  const places = Array.from({ length: n }, (_, place) => place);
  const mask = causalMask(n);
  if (firstHead === "off") return places.map(() => places.map(() => 0));
  if (firstHead === "no positions") {
    const nothing = places.map(() => [0]);
    return attentionWeights(nothing, nothing, { mask });
  }
  const before = places.map((place) => place - 1); // turned back by one step: the place before
  const [query, key] = [before, places].map((some) => sinusoidalEncoding(some, D_MODEL));
  return attentionWeights(query, key, { mask, scale: 16 });
}

/** @type {(state: State) => Reading} */
function calculate({ words, first_head: firstHead, back }) {
  const names = ["", ...words]; // the start token has no name
  const tokens = [...new Set(names)];
  const oneHot = names.map((name) => tokens.map((token) => Number(token === name))); // (position, token)
  const notes = matmul(firstWeights(firstHead, names.length), oneHot);
  const mask = causalMask(names.length);
  const weights = attentionWeights(oneHot, notes, { mask, scale: SHARPNESS })[words.length - back];
  const [brought] = matmul([weights], oneHot);
  const rounded = (/** @type {number} */ share) => Math.round(share * 1e9);
  const shares = tokens
    .map((token, i) => /** @type {[string, number]} */ ([token, brought[i]]))
    .sort(([, one], [, other]) => rounded(other) - rounded(one));
  return { tokens, notes, weights, shares };
}

/** @type {(note: number[], tokens: string[]) => string} */
function noteInWords(note, tokens) {
  const most = Math.max(...note);
  if (most === 0) return "–";
  return most > SURE ? nameOf(tokens[note.indexOf(most)]) : "a mix";
}

/** @type {(sentences: InductionHeadsSentences, state: State, reading: Reading) => { words: string, sign: Sign }} */
function answerOf({ none, one, several }, { words, back }, { weights, shares }) {
  const last = words[words.length - 1 - back];
  const seen = weights.slice(0, weights.length - back);
  if (Math.max(...seen) - Math.min(...seen) < LEVEL) {
    return { words: fill(none, { last, count: seen.length }), sign: "×" };
  }
  const [word, share] = shares[0];
  if (share > SURE) return { words: fill(one, { last, word: nameOf(word), share: formatNumber(share) }), sign: "✓" };
  const first = shares.slice(0, MOST_SHARES).filter(([, part]) => part > 1 - SURE);
  const leads = first.map(([token, part]) => `“${nameOf(token)}” (${formatNumber(part)})`);
  return { words: fill(several, { last, words: leads.join(", ") }), sign: "×" };
}

/** @type {(state: State, sentences: InductionHeadsSentences) => import("../interact/live.js").Shown} */
function picture(state, sentences) {
  const reading = calculate(state);
  const { tokens, notes, weights } = reading;
  const asks = state.words.length - state.back;
  const line = ink(["start", ...state.words], weights, {
    asks,
    absent: weights.flatMap((_, i) => (i > asks ? [i] : [])),
    notes: notes.map((note) => noteInWords(note, tokens)),
    drag: ["back"],
  });
  return { panels: [line], answer: answerOf(sentences, state, reading) };
}

// ◆ stands on any word but the start token, the first of them the farthest back.
/** @type {(state: State) => Control[]} */
function axes({ words }) {
  const keys = words.map((_, i) => words.length - 1 - i);
  return [
    { name: "back", label: "the word that asks", kind: "slider", keys, texts: words, ends: ["", ""], by_hand: true },
  ];
}

LIVE.induction_heads = {
  make(shell) {
    const [sentences, firstHead] = [shell.model.get("sentences"), radios()];
    const { limits, change, notify } = shell;
    return {
      picture: (state) => picture(state, sentences),
      axes,
      controls: (/** @type {State} */ state) => html`
        <label class="inorder-typed">Text ${wordsBox({
          label: "Text",
          words: state.words,
          limits: limits.words,
          claim: "A text here has",
          notify,
          onInput: (words) => change({ words, back: 0 }),
        })}</label>
        ${button({
          label: "Append the next word",
          isDisabled: state.words.length >= limits.words.most,
          onClick() {
            const [next] = calculate({ ...state, back: 0 }).shares.find(([token]) => token) ?? [""];
            change({ words: [...state.words, next], back: 0 });
          },
        })}
        ${firstHead({
          label: "First head",
          value: state.first_head,
          options: limits.first_head.options.map((one) => /** @type {[string, string]} */ ([one, one])),
          onInput: (one) => change({ first_head: one }),
        })}`,
    };
  },
};
