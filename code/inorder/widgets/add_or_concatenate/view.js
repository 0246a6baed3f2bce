// A token and a position, added or set side by side, and read back by the best affine map.

import { roomOf } from "../kit/chart.js";
import { make } from "../kit/elements.js";
import { numberSelect, select, slider } from "../kit/inputs.js";
import { figureShell } from "../kit/shell.js";
import { html, nothing, render } from "../kit/vendor/lit.js";
import { fill, formatNumber } from "../kit/words.js";
import { rates, readOut, strip } from "./parts.js";
import { compute, rate, winner } from "./read_back.js";

/** @typedef {{ known: import("./read_back.js").Known, token_table: Matrix, position_table: Matrix, sentences: Sentences }} Sent */
/** @typedef {AddOrConcatenateSentences} Sentences */
/** @typedef {ReturnType<typeof compute>} Computed */
/** @typedef {AddOrConcatenateState} State */

/** @type {(sentences: Sentences, computed: Computed, answers: string[]) => string} */
function summarise({ both_ways, each_way }, { t, k, added: sum, sideBySide }, answers) {
  const answerOf = (/** @type {Computed["added"]} */ { tokens, positions }) =>
    answers[2 * Number(winner(tokens, t).isRight) + Number(winner(positions, k).isRight)];
  const [added, beside] = [answerOf(sum), answerOf(sideBySide)];
  return added === beside ? fill(both_ways, { answer: added }) : fill(each_way, { added, beside });
}

/** @type {(sentences: Sentences, state: State, computed: Computed) => string} */
function noteOf({ rates: sentence }, { d }, { v, l, counts }) {
  const pairs = v * l;
  const [added, beside] = [counts.added, counts.side_by_side].map((each) =>
    formatNumber(rate(each[d - 2], pairs).mean),
  );
  return fill(sentence, { pairs, added, beside });
}

/** @type {(sentences: Sentences, computed: Computed) => string} */
function thresholdOf({ exact, exact_both_ways, from, nowhere }, { exact: widths }) {
  const [added, beside] = [widths.added, widths.side_by_side].map((d) => (d === null ? nowhere : fill(from, { d })));
  return added === beside ? fill(exact_both_ways, { from_width: added }) : fill(exact, { added, beside });
}

/** @type {(context: Context<State, Sent>) => () => void} */
function view({ model, el, page }) {
  const shell = figureShell({ model, el, page });
  const { limits, change } = shell;
  const [known, sentences] = [model.get("known"), model.get("sentences")];
  const { words } = known;
  const places = words.map((_, i) => String(i));
  const plot = make("div", { class: "inorder-plot" });
  const folds = ["All pairs against d", "Sizes and scale"].map((label) => shell.fold(label));

  // A number beyond the ends is held at the end.
  /** @type {(name: "d" | "n_tokens" | "n_positions" | "ratio" | "share", label: string, value: number, ends?: Ends & { step: number }) => unknown} */
  const sliding = (name, label, value, ends) => {
    const { kind, low, high } = limits[name];
    return slider({
      label,
      value,
      low,
      high,
      step: 1,
      ...ends,
      onInput: (next) =>
        change({ [name]: Math.min(Math.max(kind === "integer" ? Math.round(next) : next, low), high) }),
    });
  };

  /** @type {(state: State, computed: Computed) => unknown} */
  const controls = ({ d }, { v, l, t, k }) => html`${sliding("d", "Width d", d)}
    ${select({
      label: "Token",
      value: String(t),
      options: words.slice(0, v).map((word, i) => [String(i), word]),
      onInput: (token) => change({ token: Number(token) }),
    })}
    ${numberSelect({
      label: "Position",
      value: k,
      low: 0,
      high: l - 1,
      onInput: (position) => change({ position }),
    })}`;

  /** @type {(state: State, computed: Computed, dark: boolean) => unknown} */
  function stage({ d }, { x, p, t, k, dToken, added, sideBySide }, dark) {
    const [token, position] = [x[t].slice(0, d), p[k].slice(0, d)];
    const sum = token.map((value, i) => value + position[i]);
    const beside = [...token.slice(0, dToken), ...position.slice(0, d - dToken)];
    const look = { largest: Math.max(...[...token, ...position, ...sum, ...beside].map(Math.abs)), dark };
    /** @type {(name: string, read: Computed["added"]) => unknown} */
    const read = (name, { tokens, positions }) => html`<div class="inorder-read-outs">
      ${readOut({ name: `${name}_tokens`, what: "token", names: words, scores: tokens, place: t })}
      ${readOut({ name: `${name}_positions`, what: "position", names: places, scores: positions, place: k })}</div>`;
    return html`
      ${strip({ ...look, name: "x", words: `“${words[t]}”`, row: 0, vector: token, from: d })}
      ${strip({ ...look, name: "p", words: String(k), row: 1, vector: position, from: 0 })}
      <div>${strip({ ...look, name: "x + p", words: `added: ${d} numbers`, row: 2, vector: sum, from: d })}
        ${read("added", added)}</div>
      <div>${strip({
        ...look,
        name: "[x; p]",
        words: `side by side: ${dToken} + ${d - dToken} numbers`,
        row: 3,
        vector: beside,
        from: dToken,
        isJoint: true,
      })}${read("side_by_side", sideBySide)}</div>`;
  }

  /** @type {(state: State, isOwn: boolean) => unknown} */
  const sizes = ({ n_tokens, n_positions, ratio, share }, isOwn) => html`<div class="inorder-sizes">
    ${
      isOwn
        ? nothing
        : html`${sliding("n_tokens", "Number of tokens", n_tokens)}
          ${sliding("n_positions", "Number of positions", n_positions)}`
    }
    ${sliding("ratio", "Position scale", ratio, { low: 0.1, high: 4, step: 0.1 })}
    ${sliding("share", "Tokens’ share of d", share, { low: 0.05, high: 0.95, step: 0.05 })}</div>`;

  shell.follow(
    (state, dark) => {
      const own = { tokens: model.get("token_table"), positions: model.get("position_table") };
      const isOwn = own.tokens.length > 0;
      const computed = compute(state, own, known);
      const tables = isOwn ? "" : ` Means and ranges over ${known.n_seeds} pairs of random tables.`;
      render(controls(state, computed), shell.controls);
      render(stage(state, computed, dark), shell.stage);
      const [curves, others] = folds.map((fold) => /** @type {HTMLElement} */ (fold.lastElementChild));
      const allPairs = html`<p>Share of all pairs read back. ● Added. □ Side by side. ▼ Exact from here on.</p>${plot}
        <p class="inorder-threshold">${thresholdOf(sentences, computed)}${tables}</p>`;
      render(allPairs, curves);
      render(sizes(state, isOwn), others);
      const answer = summarise(sentences, computed, known.answers);
      const isRight = answer === fill(sentences.both_ways, { answer: known.answers[3] });
      shell.answer(answer, { sign: isRight ? "✓" : "×", note: noteOf(sentences, state, computed) });
      if (!folds[0].open) return;
      const ends = { low: limits.d.low, high: limits.d.high };
      render(rates({ room: roomOf(plot), computed, d: state.d, ends, onPick: (d) => change({ d }) }), plot);
    },
    ["token_table", "position_table"],
  );
  return shell.close;
}

export default { render: view };
