// What the figure says: the sentences of figure.py, with the numbers of a state.

import { alibiSlopes } from "../kit/transformer.js";
import { fill, formatNumber } from "../kit/words.js";
import { isMirrored, isSame } from "./kernels.js";

/** @typedef {ReturnType<typeof import("./kernels.js").calculate>} Computed */
/** @typedef {RelativeBiasExplorerState} State */
/** @typedef {RelativeBiasExplorerSentences} Sentences */
/** @typedef {Record<State["scheme"], string>} Labels */

// A number in as many digits as a label has room for.
/** @type {(x: number) => string} */
export function brief(x) {
  const size = Math.abs(x);
  return formatNumber(x, size < 10 ? 2 : size < 100 ? 1 : 0);
}

/** @type {(sentences: Sentences, state: State, numbers: Computed) => { text: string, sign: Sign }} */
export function answerOf(sentences, { scheme, query, key, as_weights }, { rows, across }) {
  const [r, value] = [key - query, rows[scheme][key]];
  const number = as_weights ? fill(sentences.weight, { number: brief(value) }) : brief(value);
  if (r === 0) return { text: fill(sentences.own, { number }), sign: "" };
  const [here, there] = r < 0 ? ["left", "right"] : ["right", "left"];
  const parts = { distance: Math.abs(r), here, there, number };
  if (across === undefined) return { text: fill(sentences.alone, parts), sign: "" };
  if (isSame(value, across)) return { text: fill(sentences.same, parts), sign: "=" };
  return { text: fill(sentences.other, { ...parts, other: brief(across) }), sign: "≠" };
}

/** @type {(sentences: Sentences, state: State, numbers: Computed, labels: Labels) => string} */
export function noteOf({ note }, { head }, { kernels }, labels) {
  const names = /** @type {(keyof Labels)[]} */ (Object.keys(kernels)).filter((name) => isMirrored(kernels[name]));
  return fill(note, { head, schemes: names.map((name) => labels[name]).join(", ") || "none" });
}

/** @type {(sentences: Sentences, state: State, learned: import("./kernels.js").Learned) => Labels} */
export function formulasOf(sentences, { head, n_heads, direction, d_model }, { queries }) {
  const half = n_heads / 2;
  const isSplit = direction === "split";
  const side = isSplit ? (head < half ? "left" : "right") : direction;
  const slope = isSplit ? alibiSlopes(half)[head % half] : alibiSlopes(n_heads)[head];
  const { alibi, alibi_left: left, alibi_right: right, t5, shaw, rotary, sinusoidal } = sentences;
  const d_head = queries[0].length;
  return {
    alibi: fill({ symmetric: alibi, left, right }[side], { slope: formatNumber(slope, 4) }),
    t5,
    shaw: fill(shaw, { d_head }),
    rotary: fill(rotary, { d_head }),
    sinusoidal: fill(sinusoidal, { d_model }),
  };
}
