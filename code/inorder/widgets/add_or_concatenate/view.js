// A token and a position, added or set side by side, and read back by the best affine map.

import { select, slider } from "../kit/controls.js";
import { make, write } from "../kit/elements.js";
import { figureShell } from "../kit/shell.js";
import { formatNumber } from "../kit/words.js";
import { curve } from "./curve.js";
import { readOut, strips } from "./parts.js";
import { compute, rate, winner } from "./read_back.js";

// ------------------------------------------------------------------------------------------------- the words

function summarise({ t, k, added, sideBySide }, { answers }) {
  const said = ({ tokens, positions }) =>
    answers[2 * Number(winner(tokens, t).isRight) + Number(winner(positions, k).isRight)];
  const [sum, beside] = [said(added), said(sideBySide)];
  return sum === beside ? `Both ways, ${sum}.` : `Added, ${sum}; side by side, ${beside}.`;
}

function noteOf({ d }, { v, l, counts }) {
  const [sum, beside] = [counts.added, counts.side_by_side].map((each) => formatNumber(rate(each[d - 2], v * l).mean));
  return `Of all ${v * l} pairs, ${sum} are read back when added, ${beside} side by side.`;
}

function thresholdOf({ exact }) {
  const [sum, beside] = [exact.added, exact.side_by_side].map((d) =>
    d === null ? "at no width here" : `from d = ${d} on`,
  );
  return sum === beside ? `Exact ${sum}, both ways.` : `Exact ${sum} when added, ${beside} side by side.`;
}

// ------------------------------------------------------------------------------------------------ the figure

// The sliders by the names of what they set; a number beyond the ends is held at the end.
function slidersOf(shell) {
  const make = (name, label, { step = 1, low, high } = {}) => {
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
    d: make("d", "Width d"),
    n_tokens: make("n_tokens", "Tokens V"),
    n_positions: make("n_positions", "Positions L"),
    ratio: make("ratio", "Positions times", { low: 0.1, high: 4, step: 0.1 }),
    share: make("share", "Tokens’ part of d", { low: 0.05, high: 0.95, step: 0.05 }),
  };
}

// One of the first n names.
function picker(label, names, onPick) {
  const root = make("span", {});
  let current = { input: { options: [] }, set: () => {} };
  function set(n, chosen) {
    if (current.input.options.length !== n) {
      const options = names.slice(0, n).map((name, i) => [String(i), name]);
      current = select({ label, options, onInput: (value) => onPick(Number(value)) });
      current.input.setAttribute("aria-label", label);
      root.replaceChildren(current.root);
    }
    current.set(String(chosen));
  }
  return { root, set };
}

function render({ model, el, page }) {
  const shell = figureShell({ model, el, page });
  const known = model.get("known");
  const places = known.words.map((_, i) => String(i));
  const own = () => ({ tokens: model.get("token_table"), positions: model.get("position_table") });

  const sliders = slidersOf(shell);
  const token = picker("Token", known.words, (value) => shell.change({ token: value }));
  const position = picker("Position", places, (value) => shell.change({ position: value }));
  shell.controls.append(sliders.d.root, token.root, position.root);

  const vectors = strips();
  const ways = ["added", "side_by_side"].map((way) => {
    const head = make("div", { class: "inorder-way" });
    const [tokens, positions] = [
      readOut(`${way}_tokens`, "token", known.words),
      readOut(`${way}_positions`, "position", places),
    ];
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
  shell.keepRoomFor(`Added, ${known.answers[3]}; side by side, ${known.answers[2]}.`);

  const rates = curve({ low: shell.limits.d.low, high: shell.limits.d.high, onPick: (d) => shell.change({ d }) });
  const threshold = make("p", { class: "inorder-threshold" });
  const { d: _, ...others } = sliders;
  const allPairs = shell.fold("All pairs against d", rates.root, threshold);
  shell.fold(
    "Sizes and strength",
    make("div", { class: "inorder-sizes" }, ...Object.values(others).map(({ root }) => root)),
  );

  shell.follow(
    (state, dark, room) => {
      const tables = own();
      const isOwn = tables.tokens.length > 0;
      const found = compute(state, tables, known);
      if (allPairs.open) rates.draw(found, state.d, room); // first: it asks how large the letters are
      for (const [name, each] of Object.entries(sliders)) each.set(state[name]);
      for (const name of ["n_tokens", "n_positions"]) sliders[name].root.hidden = isOwn;
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
        `${thresholdOf(found)}${isOwn ? "" : ` Means and ranges over ${known.n_seeds} pairs of random tables.`}`,
      );
      const said = summarise(found, known);
      const isRight = said === `Both ways, ${known.answers[3]}.`;
      shell.answer(said, { sign: isRight ? "✓" : "×", note: noteOf(state, found) });
    },
    ["token_table", "position_table"],
  );
  return shell.close;
}

export default { render };
