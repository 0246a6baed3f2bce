// What a distance does to a score: one scheme, one curve along which a key slides, and all pairs of query and key.

import { radios, slider } from "../kit/controls.js";
import { make, setAttributes, write } from "../kit/elements.js";
import { fits } from "../kit/limits.js";
import { figureShell } from "../kit/shell.js";
import { curve } from "./curve.js";
import { calculate } from "./kernels.js";
import { pairMap } from "./map.js";
import { settings } from "./settings.js";
import { answerOf, brief, formulasOf, noteOf } from "./words.js";

/**
 * @typedef {{ learned: import("./kernels.js").Learned, labels: Labels, sentences: RelativeBiasExplorerSentences }} Sent
 */

/** @typedef {Record<State["scheme"], string>} Labels */

/** @typedef {RelativeBiasExplorerState} State */

/** @type {(state: State) => boolean} */
const agree = ({ direction, n_heads }) => !(direction === "split" && n_heads % 2);

// All schemes side by side: drawn while the fold is open.
/**
 * @type {(shell: Shell<State, Sent>, labels: Labels, onPick: (key: number) => void) => { update: (state: State,
 *   numbers: ReturnType<typeof calculate>, formulas: Labels) => void }}
 */
function sideBySide(shell, labels, onPick) {
  const names = /** @type {(keyof Labels)[]} */ (Object.keys(labels));
  const panels = names.map((name, row) => {
    const drawing = curve({ name: "shown", row, onPick });
    const number = make("span", { class: "inorder-value", "data-name": "value", "data-row": row, "data-col": 0 });
    const head = make("p", { class: "inorder-scheme-head" }, make("strong", {}, labels[name]), " ", number);
    const formula = make("p", { class: "inorder-formula" });
    return {
      name,
      drawing,
      number,
      formula,
      root: make("div", { class: "inorder-scheme" }, head, formula, drawing.root),
    };
  });
  const all = make("div", { class: "inorder-schemes" }, ...panels.map(({ root }) => root));
  const fold = shell.fold("All five side by side", all);
  /** @type {(state: State, numbers: ReturnType<typeof calculate>, formulas: Labels) => void} */
  function update(state, numbers, formulas) {
    if (!fold.open) return;
    for (const { name, number, formula, root } of panels) {
      root.classList.toggle("is-chosen", name === state.scheme);
      write(formula, formulas[name]);
      const value = numbers.rows[name][state.key];
      write(number, brief(value));
      setAttributes(number, { "data-value": value });
    }
    const rooms = panels.map(({ drawing }) => drawing.measure());
    panels.forEach(({ name, drawing }, i) => drawing.update(state, numbers.values[name], labels[name], rooms[i]));
  }
  return { update };
}

/** @type {(context: Context<State, Sent>) => () => void} */
function render({ model, el, page }) {
  const learned = model.get("learned");
  const [labels, sentences] = [model.get("labels"), model.get("sentences")];
  const shell = figureShell({ model, el, page, agree });
  const { limits } = shell;

  // What the reader asks for, if the figure can show it; `along` is what has to change with it.
  /** @type {<Name extends keyof State>(name: Name, value: State[Name], along?: Partial<State>) => void} */
  function ask(name, value, along = {}) {
    const state = { ...shell.state(), ...along, [name]: value };
    const { kind, low, high, below } = limits[name];
    const least = below && Number(state[/** @type {keyof State} */ (below)]); // the first number that is too large
    if (!fits(limits[name], value) || (least && Number(value) >= least)) {
      const number = kind === "integer" ? "a whole number" : "a number";
      shell.notify(`It must be ${number} from ${low} to ${least ? least - 1 : high}.`);
    } else if (!agree(state)) {
      shell.notify("Half the heads look each way, so their number must be even.");
    } else {
      shell.change({ ...along, [name]: value });
      shell.notify("");
    }
  }

  const options = /** @type {[keyof Labels, string][]} */ (Object.entries(labels));
  const scheme = radios({ label: "Scheme", options, onInput: (name) => ask("scheme", name) });
  const head = slider({ label: "Head", low: 0, high: 1, step: 1, onInput: (value) => ask("head", value) });
  shell.controls.append(scheme.root, head.root);

  /** @type {(key: number) => void} */
  const toKey = (key) => ask("key", key);
  const drawing = curve({ name: "curve", row: 0, onPick: toKey });
  const formula = make("p", { class: "inorder-formula" });
  const key = slider({ label: "Key at", low: 0, high: 1, step: 1, onInput: toKey });
  key.root.classList.add("is-position");
  const slide = make("div", { "data-picture": "skip" }, key.root);
  const axis = make("p", { class: "inorder-axis", "aria-hidden": "true" }, "distance from the query to the key");
  const pairs = pairMap({ onPick: (query, place) => shell.change({ query, key: place }) });
  const left = make("div", { class: "inorder-slide" }, formula, drawing.root, axis, slide);
  shell.stage.append(left, shell.answerBox, pairs.root);

  const all = sideBySide(shell, labels, toKey);
  const more = settings(shell, ask);

  shell.follow((state, dark) => {
    const numbers = calculate(state, learned);
    const formulas = formulasOf(sentences, state, learned);
    const label = labels[state.scheme];
    scheme.set(state.scheme);
    head.limit({ low: 0, high: Math.max(state.n_heads - 1, 0) });
    head.set(state.head);
    key.limit({ low: 0, high: state.n - 1 });
    key.set(state.key);
    more.update(state);
    write(formula, formulas[state.scheme]);
    const { text, sign } = answerOf(sentences, state, numbers);
    shell.answer(text, { sign, note: noteOf(sentences, state, numbers, labels) });
    pairs.tell(state, numbers.map, label, dark);
    const [room, side] = [drawing.measure(), pairs.measure()]; // once all words stand, and before anything is drawn
    drawing.update(state, numbers.values[state.scheme], label, room);
    pairs.draw(state, side);
    all.update(state, numbers, formulas);
  });
  return shell.close;
}

export default { render };
