// Drag words, and see whether the two roads to their rows meet.

import { moveWithin } from "../kit/arithmetic.js";
import { answersOfPython } from "../kit/in_python.js";
import { button, numberSelect, select, toggle, wordsBox } from "../kit/inputs.js";
import { figureShell } from "../kit/shell.js";
import { html, nothing, render } from "../kit/vendor/lit.js";
import { calculate, inOrder, noteOf, summarise } from "./arithmetic.js";
import { square } from "./square.js";

/** @typedef {import("./arithmetic.js").Encoded} Encoded */
/** @typedef {{ asked: unknown[], given: Encoded, moved: Encoded }} InPython */
/** @typedef {{ transformer: TransformerState, sentences: PermutationPlaygroundSentences, in_python: InPython }} Sent */
/** @typedef {PermutationPlaygroundState} State */

/** @type {(order: number[]) => number[]} */
function otherOrder(order) {
  const shuffled = order.map((token) => ({ token, key: Math.random() })).sort((a, b) => a.key - b.key);
  const other = shuffled.map(({ token }) => token);
  return other.some((token, place) => token !== order[place]) ? other : otherOrder(order);
}

// Another sentence: a word that stays keeps its vector; a new word takes the first that is free.
/** @type {(words: string[], state: State, nVectors: number) => Partial<State> | null} */
function rewritten(words, { tokens, ids, order }, nVectors) {
  /** @type {Map<string, number>} */
  const known = new Map();
  tokens.forEach((token, i) => words.includes(token) && known.set(token, ids[i]));
  const taken = new Set(known.values());
  const free = [...Array(nVectors).keys()].filter((id) => !taken.has(id));
  for (const word of new Set(words)) if (!known.has(word)) known.set(word, free.shift() ?? -1);
  if ([...known.values()].includes(-1)) return null;
  const remaining = order.filter((token) => token < words.length);
  return {
    tokens: words,
    ids: words.map((word, i) => (word === tokens[i] ? ids[i] : Number(known.get(word)))),
    order: [...remaining, ...[...words.keys()].slice(remaining.length)],
  };
}

/** @type {(context: Context<State, Sent>) => () => void} */
function view({ model, el, page }) {
  const [transformer, sentences] = [model.get("transformer"), model.get("sentences")];
  const { config, schemes } = transformer;
  const shell = figureShell({ model, el, page });
  const { limits, change, state: stateNow, notify } = shell;
  const python = answersOfPython({ newest: () => model.get("in_python"), page, notify, schemes });
  const order = () => stateNow().order;
  const picture = square(shell.stage, {
    order,
    onMove: (from, to) => change({ order: moveWithin(order(), from, to) }),
    onLetGo: () => redraw(),
  });
  const settingsFold = shell.fold("Another sentence, depth, mask, residual");
  const settingsBox = /** @type {HTMLElement} */ (settingsFold.lastElementChild);

  // Where a model must have positions, or has none, there is nothing to switch.
  const named = limits.position.options.filter((name) => name !== "none");
  const isSwitch = named.length > 0 && named.length < limits.position.options.length;
  let scheme = named[0]; // the one that the switch turns on
  /** @type {(state: State) => unknown} */
  const controls = ({ order: tokens, position }) => html`
    ${button({ label: "Shuffle", onClick: () => change({ order: otherOrder(tokens) }) })}
    ${button({
      label: "Back in order",
      isDisabled: inOrder(tokens),
      onClick: () => change({ order: [...tokens.keys()] }),
    })}
    ${
      isSwitch
        ? toggle({
            label: "Give it the positions",
            actor: "position",
            value: position !== "none",
            onInput: (on) => change({ position: on ? scheme : "none" }),
          })
        : nothing
    }
    ${
      position !== "none" && named.length > 1
        ? select({
            label: "Scheme",
            value: position,
            options: named.map((name) => [name, schemes[name].label]),
            onInput: (name) => change({ position: name }),
          })
        : nothing
    }`;

  const sentenceBox = (/** @type {string[]} */ words) =>
    wordsBox({
      label: "Sentence",
      limits: limits.tokens,
      claim: "A sentence here has",
      words,
      notify,
      onInput(typed) {
        const parts = rewritten(typed, stateNow(), config.vocabulary_size);
        if (parts) change(parts);
        return parts ? "" : `This model knows ${config.vocabulary_size} different words.`;
      },
    });
  /** @type {(label: string, name: "depth" | "n_prefix", value: number, most?: number) => unknown} */
  const number = (label, name, value, most = limits[name].high) =>
    numberSelect({ label, value, low: limits[name].low, high: most, onInput: (next) => change({ [name]: next }) });
  const masks = /** @type {[State["mask"], string][]} */ (limits.mask.options.map((name) => [name, name]));
  /** @type {(state: State) => unknown} */
  const settings = ({ tokens, depth, residual, mask, n_prefix, mask_moves }) => html`
    <div class="inorder-settings">
      <label>Sentence ${sentenceBox(tokens)}</label>
      ${number("Depth", "depth", depth)}
      ${toggle({ label: "Residual", value: residual, onInput: (on) => change({ residual: on }) })}
      ${select({ label: "Mask", value: mask, options: masks, onInput: (name) => change({ mask: name }) })}
      ${mask === "prefix" ? number("Prefix length", "n_prefix", n_prefix, limits.tokens.most) : nothing}
      ${
        mask === "none"
          ? nothing
          : toggle({
              label: "Mask moves with the words",
              value: mask_moves,
              onInput: (on) => change({ mask_moves: on }),
            })
      }</div>`;

  const redraw = shell.follow(
    (state) => {
      if (state.position !== "none") scheme = state.position;
      render(controls(state), shell.controls);
      render(settings(state), settingsBox);
      const { ids, position, mask, n_prefix, mask_moves, depth, residual } = state;
      const asked = [ids, state.order, position, mask, n_prefix, mask_moves, depth, residual];
      const answer = python.answer(position, asked);
      if (answer === undefined) return;
      const all = calculate(state, transformer, answer);
      picture.update(state, all);
      if (picture.isHeld()) return; // the answer waits for the hand
      const sign = all.changed.flat().some(Boolean) ? "≠" : "=";
      shell.answer(summarise(sentences, state, all, transformer), { sign, note: noteOf(sentences, state, all) });
    },
    ["in_python"],
  );
  shell.whenClosed(picture.stop);
  shell.whenClosed(python.close);
  return shell.close;
}

export default { render: view };
