// A token and a position, added or set side by side, and read back by the best affine map.

import { select, slider } from "../kit/controls.js";
import { make, write } from "../kit/elements.js";
import { figureShell } from "../kit/shell.js";
import { fill, formatNumber } from "../kit/words.js";
import { curve } from "./curve.js";
import { readOut, strips } from "./parts.js";
import { compute, rate, winner } from "./read_back.js";

/**
 * @typedef {{ known: import("./read_back.js").Known, token_table: Matrix, position_table: Matrix,
 *   sentences: Sentences }} Sent
 */

/** @typedef {AddOrConcatenateSentences} Sentences */

/** @typedef {ReturnType<typeof compute>} Computed */

/** @typedef {AddOrConcatenateState} State */

// ------------------------------------------------------------------------------------------------- the words

/** @type {(sentences: Sentences, computed: Computed, known: { answers: string[] }) => string} */
function summarise({ both_ways, each_way }, { t, k, added: sum, sideBySide }, { answers }) {
  const answerOf = (/** @type {Computed["added"]} */ { tokens, positions }) =>
    answers[2 * Number(winner(tokens, t).isRight) + Number(winner(positions, k).isRight)];
  const [added, beside] = [answerOf(sum), answerOf(sideBySide)];
  return added === beside ? fill(both_ways, { answer: added }) : fill(each_way, { added, beside });
}

/** @type {(sentences: Sentences, state: State, computed: Computed) => string} */
function noteOf({ rates }, { d }, { v, l, counts }) {
  const pairs = v * l;
  const [added, beside] = [counts.added, counts.side_by_side].map((each) =>
    formatNumber(rate(each[d - 2], pairs).mean),
  );
  return fill(rates, { pairs, added, beside });
}

/** @type {(sentences: Sentences, computed: Computed) => string} */
function thresholdOf({ exact, exact_both_ways, from, nowhere }, { exact: widths }) {
  const [added, beside] = [widths.added, widths.side_by_side].map((d) => (d === null ? nowhere : fill(from, { d })));
  return added === beside ? fill(exact_both_ways, { from_width: added }) : fill(exact, { added, beside });
}

// ------------------------------------------------------------------------------------------------ the figure

// The sliders by the names of what they set; a number beyond the ends is held at the end.
/**
 * @type {(shell: Shell<State, Sent>) => Record<"d" | "n_tokens" | "n_positions" | "ratio" | "share",
 *   ReturnType<typeof slider>>}
 */
function slidersOf(shell) {
  /** @type {(name: "d" | "n_tokens" | "n_positions" | "ratio" | "share", label: string, ends?: Partial<Ends> & { step?: number }) => ReturnType<typeof slider>} */
  const sliderOf = (name, label, { step = 1, low, high } = {}) => {
    const limit = shell.limits[name];
    const isWhole = limit.kind === "integer";
    return slider({
      label,
      low: low ?? limit.low,
      high: high ?? limit.high,
      step,
      onInput: (value) => {
        const held = Math.min(Math.max(isWhole ? Math.round(value) : value, limit.low), limit.high);
        shell.change({ [name]: held });
      },
    });
  };
  return {
    d: sliderOf("d", "Width d"),
    n_tokens: sliderOf("n_tokens", "Number of tokens"),
    n_positions: sliderOf("n_positions", "Number of positions"),
    ratio: sliderOf("ratio", "Position scale", { low: 0.1, high: 4, step: 0.1 }),
    share: sliderOf("share", "Tokens’ share of d", { low: 0.05, high: 0.95, step: 0.05 }),
  };
}

// One of the first n names.
/**
 * @type {(label: string, names: string[], onPick: (place: number) => void) => { root: HTMLElement, set: (n: number,
 *   chosen: number) => void }}
 */
function picker(label, names, onPick) {
  const root = make("span", {});
  /** @type {ReturnType<typeof select> | null} */
  let current = null;
  /** @type {(n: number, chosen: number) => void} */
  function set(n, chosen) {
    if (!current || current.input.options.length !== n) {
      /** @type {[string, string][]} */
      const options = names.slice(0, n).map((name, i) => [String(i), name]);
      current = select({ label, options, onInput: (value) => onPick(Number(value)) });
      current.input.setAttribute("aria-label", label);
      root.replaceChildren(current.root);
    }
    current.set(String(chosen));
  }
  return { root, set };
}

/** @type {(context: Context<State, Sent>) => () => void} */
function render({ model, el, page }) {
  const shell = figureShell({ model, el, page });
  const [known, sentences] = [model.get("known"), model.get("sentences")];
  const places = known.words.map((_, i) => String(i));
  const own = () => ({ tokens: model.get("token_table"), positions: model.get("position_table") });

  const sliders = slidersOf(shell);
  const token = picker("Token", known.words, (value) => shell.change({ token: value }));
  const position = picker("Position", places, (value) => shell.change({ position: value }));
  shell.controls.append(sliders.d.root, token.root, position.root);

  const vectors = strips();
  const ways = ["added", "side_by_side"].map((way) => {
    const head = make("div", { class: "inorder-way" });
    const tokens = readOut(`${way}_tokens`, "token", known.words);
    const positions = readOut(`${way}_positions`, "position", places);
    positions.root.classList.add("is-position");
    return { way, head, tokens, positions };
  });
  shell.stage.append(
    vectors.root,
    make(
      "div",
      { class: "inorder-ways" },
      ...ways.flatMap((each) => [each.head, each.tokens.root, each.positions.root]),
    ),
    shell.answerBox,
  );
  const right = known.answers[3];

  const rates = curve({ low: shell.limits.d.low, high: shell.limits.d.high, onPick: (d) => shell.change({ d }) });
  const threshold = make("p", { class: "inorder-threshold" });
  const { d: _, ...others } = sliders;
  const allPairs = shell.fold("All pairs against d", rates.root, threshold);
  shell.fold(
    "Sizes and scale",
    make("div", { class: "inorder-sizes" }, ...Object.values(others).map(({ root }) => root)),
  );

  shell.follow(
    (state, dark, room) => {
      const tables = own();
      const isOwn = tables.tokens.length > 0;
      const found = compute(state, tables, known);
      if (allPairs.open) rates.draw(found, state.d, room); // first: it asks how large the letters are
      for (const name of /** @type {(keyof typeof sliders)[]} */ (Object.keys(sliders))) sliders[name].set(state[name]);
      for (const { root } of [sliders.n_tokens, sliders.n_positions]) root.hidden = isOwn;
      token.set(found.v, found.t);
      position.set(found.l, found.k);
      vectors.draw(found, { d: state.d, words: known.words, dark, room });
      const widths = [state.d, `${found.dToken} + ${state.d - found.dToken}`];
      const reads = [found.added, found.sideBySide];
      ways.forEach(({ head, tokens, positions }, i) => {
        write(head, `${["Added", "Side by side"][i]}: ${widths[i]} numbers`);
        tokens.draw(reads[i].tokens, found.t);
        positions.draw(reads[i].positions, found.k);
      });
      write(
        threshold,
        `${thresholdOf(sentences, found)}${isOwn ? "" : ` Means and ranges over ${known.n_seeds} pairs of random tables.`}`,
      );
      const answer = summarise(sentences, found, known);
      const isRight = answer === fill(sentences.both_ways, { answer: right });
      shell.answer(answer, { sign: isRight ? "✓" : "×", note: noteOf(sentences, state, found) });
    },
    ["token_table", "position_table"],
  );
  return shell.close;
}

export default { render };
