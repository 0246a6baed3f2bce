// A token and a position, added or set side by side, and read back by the best affine map.

import { numberSelect, select, slider } from "../kit/inputs.js";
import { kept } from "../kit/kept.js";
import { held } from "../kit/limits.js";
import { LIVE } from "../kit/marks.js";
import { axis, heatMap, plane } from "../kit/pictures.js";
import { html, nothing } from "../kit/vendor/lit.js";
import { fill } from "../kit/words.js";
import { compute, wins } from "./read_back.js";

/** @typedef {AddOrConcatenateState} State */
/** @typedef {AddOrConcatenateSentences} Sentences */

/** @type {readonly ["added", "side_by_side"]} */
const WAYS = ["added", "side_by_side"];

/** @type {(numbers: number[]) => number} */
const largestOf = (numbers) => Math.max(...numbers.map(Math.abs));

/** @type {(state: State, words: string[], tokens: Matrix, positions: Matrix, sentences: Sentences) => import("../interact/live.js").Shown} */
export function picture(state, words, tokens, positions, sentences) {
  const { d } = state;
  const computed = compute(state, { tokens, positions });
  const { x, p, t, k, dToken, rates, exact } = computed;
  const [token, position] = [x[t].slice(0, d), p[k].slice(0, d)];
  const sum = token.map((value, i) => value + position[i]);
  const vectors = [token, position, sum, [...token.slice(0, dToken), ...position.slice(0, d - dToken)]];
  const names = ["x + p", "[x; p]"];
  const largest = largestOf(vectors.flat());
  const numbers = heatMap(vectors, [`x: ${words[t]}`, `p: ${k}`, ...names], {
    limits: [-largest, largest],
    digits: null,
    title: `${d} numbers`,
  });

  const questions = /** @type {const} */ ([
    ["token", t, words.slice(0, x.length)],
    ["position", k, p.map((_, i) => String(i))],
  ]);
  const isRight = questions.map(([what, right]) =>
    WAYS.map((way) => wins(computed[way][`${what}s`], right, computed[way][`${what}s`].length)),
  );
  const readOuts = questions.map(([what, right, labels], q) => {
    const scores = WAYS.map((way) => [...computed[way][`${what}s`]]);
    const most = Math.max(1, largestOf(scores.flat()));
    const rows = names.map((name, w) => `${name} ${isRight[q][w] ? "✓" : "×"}`);
    const title = `Which ${what}? Should be ${labels[right]}`;
    return heatMap(scores, rows, { columns: labels, limits: [-most, most], title });
  });

  const curves = {
    x: rates.added.map((_, i) => i + 2),
    y: Object.fromEntries(WAYS.map((way) => [way.replaceAll("_", " "), rates[way]])),
    handle: d,
    drag: ["d"],
  };
  const chart = plane([curves], {
    x_axis: "d",
    y_axis: "share of all pairs",
    x_limits: [2, rates.added.length + 1],
    y_limits: [0, 1],
    log: "x",
  });

  const { neither, no_token, no_position, both } = sentences;
  const [added, beside] = WAYS.map(
    (_, w) => [neither, no_token, no_position, both][2 * Number(isRight[0][w]) + Number(isRight[1][w])],
  );
  const [from, fromBeside] = WAYS.map((way) =>
    exact[way] === null ? sentences.nowhere : fill(sentences.from, { d: exact[way] }),
  );
  const note =
    from === fromBeside
      ? fill(sentences.exact_both_ways, { from_width: from })
      : fill(sentences.exact, { added: from, beside: fromBeside });
  return {
    panels: [numbers, ...readOuts, chart],
    answer: {
      words:
        added === beside ? fill(sentences.both_ways, { answer: added }) : fill(sentences.each_way, { added, beside }),
      sign: isRight.flat().every(Boolean) ? "✓" : "×",
      note,
    },
  };
}

LIVE.add_or_concatenate = {
  make({ model, limits, change }) {
    const drawn = kept(picture);
    const [words, tokens, positions] = ["words", "token_table", "position_table"].map((name) => model.get(name));
    /** @type {(name: keyof State, label: string, state: State, ends?: Ends & { step: number }) => unknown} */
    const sliding = (name, label, state, ends) => {
      const { low, high } = limits[name];
      const onInput = (/** @type {number} */ next) => change({ [name]: held(limits[name], next) });
      return slider({ label, value: state[name], low, high, step: 1, ...ends, onInput });
    };
    /** @type {(state: State) => unknown} */
    const sizes = (state) => html`<div class="inorder-settings">
      ${
        limits.n_tokens.low === limits.n_tokens.high
          ? nothing
          : [sliding("n_tokens", "Number of tokens", state), sliding("n_positions", "Number of positions", state)]
      }
      ${sliding("ratio", "Position scale", state, { low: 0.1, high: 4, step: 0.1 })}
      ${sliding("share", "Tokens’ share of d", state, { low: 0.05, high: 0.95, step: 0.05 })}</div>`;
    return {
      picture: (state) => drawn(state, words, tokens, positions, model.get("sentences")),
      axes: () => [
        axis(
          "d",
          Array.from({ length: limits.d.high - limits.d.low + 1 }, (_, i) => limits.d.low + i),
        ),
      ],
      controls: (/** @type {State} */ state) => html`${sliding("d", "Width d", state)}
        ${select({
          label: "Token",
          value: String(Math.min(state.token, state.n_tokens - 1)),
          options: words
            .slice(0, state.n_tokens)
            .map((/** @type {string} */ word, /** @type {number} */ i) => [String(i), word]),
          onInput: (token) => change({ token: Number(token) }),
        })}
        ${numberSelect({
          label: "Position",
          value: Math.min(state.position, state.n_positions - 1),
          low: 0,
          high: state.n_positions - 1,
          onInput: (position) => change({ position }),
        })}`,
      folds: [["Sizes and scale", sizes]],
    };
  },
};
