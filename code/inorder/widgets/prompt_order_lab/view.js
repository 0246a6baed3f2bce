// Two prompts made of the same tokens: who asks, what the last query finds in each layer, which token comes next.

import { moveWithin, ROUNDING } from "../kit/arithmetic.js";
import { radios, select } from "../kit/controls.js";
import { make } from "../kit/elements.js";
import { answersOfPython } from "../kit/in_python.js";
import { figureShell } from "../kit/shell.js";
import { pairedBars } from "./bars.js";
import { layerPanel } from "./layer.js";
import { ordersPanel } from "./orders.js";
import { promptRows } from "./prompts.js";
import { calculate, rememberPrompt } from "./reading.js";
import { signRow } from "./signs.js";
import { PROMPTS, summarise, verdict } from "./words.js";

/** @typedef {import("./reading.js").Given} Given */

/** @typedef {{ asked: unknown[], read: import("./reading.js").Decoded[] }} InPython */

/** @typedef {Given & { in_python: InPython }} Sent */

/** @typedef {PromptOrderLabState} State */

const LAYER = "Press a layer’s sign to see it in full";

/**
 * @type {(shell: Shell<State, Sent>, transformer: TransformerState) => Record<"depth" | "mask" | "prefix" |
 *   "position" | "head", { root: HTMLElement }> & { set: (state: State) => void }}
 */
function settings({ limits, change }, { config, schemes }) {
  /** @type {(limit: Ends) => [string, string][]} */
  const count = ({ low, high }) => Array.from({ length: high - low + 1 }, (_, i) => [String(low + i), String(low + i)]);
  const number = (/** @type {"depth" | "n_prefix" | "head"} */ name) => (/** @type {string} */ value) =>
    change({ [name]: Number(value) });
  // A row of numbers is pressed at once; of more than a few, one is chosen from a list.
  const many = limits.depth.high > 6 ? select : radios;
  const depth = many({ label: "Layers", options: count(limits.depth), onInput: number("depth") });
  const mask = radios({
    label: "Mask",
    options: /** @type {State["mask"][]} */ (limits.mask.options).map(
      (name) => /** @type {[State["mask"], string]} */ ([name, name]),
    ),
    onInput: (value) => change({ mask: value }),
  });
  const prefix = select({ label: "Prefix length", options: count(limits.n_prefix), onInput: number("n_prefix") });
  const position = select({
    label: "Positions",
    options: limits.position.options.map((name) => [name, schemes[name].label]),
    onInput: (value) => change({ position: value }),
  });
  const head = select({ label: "Head shown", options: count(limits.head), onInput: number("head") });
  head.root.hidden = config.n_heads === 1;

  let drawnMask = "";
  /** @type {(state: State) => void} */
  function set(state) {
    depth.set(String(state.depth));
    mask.set(state.mask);
    prefix.set(String(state.n_prefix));
    if (state.mask !== drawnMask) prefix.root.hidden = state.mask !== "prefix";
    drawnMask = state.mask;
    position.set(state.position);
    head.set(String(state.head));
  }
  return { depth, mask, prefix, position, head, set };
}

/** @type {(context: Context<State, Sent>) => () => void} */
function render({ model, el, page }) {
  const given = {
    transformer: model.get("transformer"),
    tokens: model.get("tokens"),
    vocabulary: model.get("vocabulary"),
    sentences: model.get("sentences"),
  };
  const { transformer, tokens, vocabulary } = given;
  const n = tokens.length;
  const agree = (/** @type {State} */ state) => PROMPTS.every((which) => state[`${which}_order`].length === n);
  const shell = figureShell({ model, el, page, agree });
  const readers = PROMPTS.map((which) => rememberPrompt(which, given));
  const python = answersOfPython({
    newest: () => model.get("in_python"),
    page,
    notify: shell.notify,
    schemes: transformer.schemes,
  });
  /** @type {(prompt: number, from: number, to: number) => void} */
  const onMove = (prompt, from, to) => {
    const name = /** @type {const} */ (`${PROMPTS[prompt]}_order`);
    shell.change({ [name]: moveWithin(shell.state()[name], from, to) });
  };

  const controls = settings(shell, transformer);
  shell.controls.append(
    controls.depth.root,
    make("span", { class: "inorder-lab-together" }, controls.mask.root, controls.prefix.root),
  );

  const orders = ordersPanel({
    tokens,
    firstOrder: () => shell.state().first_order,
    onOrder: (order) => shell.change({ second_order: order }),
    onMove,
  });
  const ordersNow = () => PROMPTS.map((which) => shell.state()[`${which}_order`]);
  const prompts = promptRows(n, { ordersNow, onMove, onHold: orders.hold });
  const signs = signRow(transformer.config.n_layers, openLayer);
  const bars = pairedBars(vocabulary);
  const panel = layerPanel(given);
  shell.stage.append(
    prompts.root,
    make(
      "div",
      { class: "inorder-lab-parting" },
      make("p", { "aria-hidden": "true" }, "Where do they diverge?"),
      signs.root,
    ),
    bars.root,
  );
  const fold = shell.fold(LAYER, panel.root);
  shell.fold(
    "Positions, heads",
    make("div", { class: "inorder-lab-settings" }, controls.position.root, controls.head.root),
  );
  shell.fold("Other orders", orders.root);
  shell.root.style.setProperty("--n", String(n));

  let opened = 0; // the layer in the fold: where the prompts diverge, until the sign of another one is pressed
  /** @type {(layer: number) => void} */
  function openLayer(layer) {
    fold.open = !(fold.open && layer === opened);
    opened = layer;
    redraw();
  }

  let isNamed = false; // the fold, after the layer in it
  /** @type {(state: State, dark: boolean) => void} */
  function draw(state, dark) {
    controls.set(state);
    const { first_order, second_order, position, mask, n_prefix, depth } = state;
    const answer = python.answer(position, [first_order, second_order, position, mask, n_prefix, depth]);
    if (answer === undefined) return;
    const all = calculate(readers.map((readFor, prompt) => readFor(state, answer?.read[prompt])));
    const now = ordersNow();
    const read = all.read.map(({ prompt }) => prompt);
    if (!fold.open || opened >= state.depth) opened = all.parted < 0 ? state.depth - 1 : all.parted;
    prompts.update(
      now,
      read,
      all.written.map((row) => vocabulary[row]),
      state.position !== "none",
    );
    signs.update(all, state.depth, fold.open ? opened : null);
    bars.update(all);
    orders.update(read);
    if (fold.open !== isNamed) {
      isNamed = fold.open;
      /** @type {Element} */ (fold.firstChild).replaceChildren(
        ...(isNamed ? panel.heading.flatMap((part) => [part, " "]) : [LAYER]),
      );
    }
    if (fold.open) panel.update(all, { layer: opened, head: state.head, orders: now, dark });
    shell.answer(summarise(state, all, given), {
      sign: all.distance > ROUNDING ? "≠" : "=",
      note: verdict(given.sentences, all),
    });
  }
  const redraw = shell.follow(draw, ["in_python"]);
  return () => {
    python.close();
    prompts.stop();
    shell.close();
  };
}

export default { render };
