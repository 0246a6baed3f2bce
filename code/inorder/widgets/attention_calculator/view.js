// Every number of softmax(QKᵀ/√d)V for three to six tokens, live: one row walks through two lines of matrices.

import { radios, slider, toggle } from "../kit/controls.js";
import { make, setAttributes, uniqueId, write } from "../kit/elements.js";
import { figureShell } from "../kit/shell.js";
import { formatNumber, shorten } from "../kit/words.js";
import { explanations, noteOf, rememberAll, summarise } from "./explain.js";
import { matrices } from "./matrices.js";
import { tokenBoxes } from "./tokens.js";

/** @typedef {import("./matrices.js").Place} Place */

/** @typedef {import("./explain.js").Editable} Editable */

/** @typedef {import("./explain.js").Name} Name */

/** @typedef {AttentionCalculatorState} State */

// On a phone, one step at a time: its name, the matrix that it makes, and those to see with it (style.css).
/** @type {[Name, string][]} */
const STEPS = [
  ["query", "Q K V"],
  ["scaled_scores", "S"],
  ["weights", "A"],
  ["output", "Y"],
];

// What limits cannot say: X times each W, and Q times Kᵀ.
/** @type {(state: State) => boolean} */
const agree = ({ x, w_query, w_key, w_value }) =>
  [w_query, w_key, w_value].every((w) => w.length === x[0].length) && w_query[0].length === w_key[0].length;

/** @type {(a: Place, b: Place) => boolean} */
const isSame = (a, b) => a.name === b.name && a.row === b.row && a.column === b.column;

// The token whose row is followed.
/** @type {(onChoose: (row: number) => void) => { root: HTMLElement, update: (state: State) => void }} */
function rowPicker(onChoose) {
  const root = make("div", { class: "inorder-rows" });
  /** @type {ReturnType<typeof radios> | null} */
  let choice = null;
  /** @type {(state: State) => void} */
  function update({ tokens, row }) {
    if (!choice || choice.inputs.length !== tokens.length) {
      /** @type {[string, string][]} */
      const options = tokens.map((_, i) => [String(i), ""]);
      choice = radios({ label: "Row", options, onInput: (value) => onChoose(Number(value)) });
      root.replaceChildren(choice.root);
    }
    choice.inputs.forEach((input, i) => {
      setAttributes(input, { "aria-label": `The row of “${tokens[i]}”` });
      write(/** @type {Node} */ (input.nextSibling), shorten(tokens[i], 8) || "␣");
    });
    choice.set(String(row));
  }
  return { root, update };
}

// What a number is and how it is made; for a number of the reader's own, a slider.
/**
 * @type {(onEdit: (value: number) => void) => { root: HTMLElement, id: string, entry: ReturnType<typeof slider>,
 *   update: (explanation: import("./explain.js").Explanation) => void }}
 */
function explanation(onEdit) {
  const id = uniqueId("inorder-explain");
  const text = make("div", { class: "inorder-explain", id });
  const entry = slider({ label: "entry", low: -2, high: 2, step: 0.1, onInput: onEdit });
  entry.root.dataset.picture = "skip";
  const root = make("div", { class: "inorder-explain-area" }, text, entry.root);
  /** @type {(explanation: import("./explain.js").Explanation) => void} */
  function update({ what, sum = [] }) {
    text.replaceChildren(make("p", {}, what), make("p", { class: "inorder-sum" }, ...sum));
  }
  return { root, id, entry, update };
}

/** @type {(context: Context<State, { sentences: AttentionCalculatorSentences }>) => () => void} */
function render({ model, el, page }) {
  const shell = figureShell({ model, el, page, agree });
  const sentences = model.get("sentences");
  const allOf = rememberAll();
  let all = allOf(shell.state());
  /** @type {Place} */
  let shown = { name: "weights", row: shell.state().row, column: 0 }; // the cell being explained
  let chosen = shown; // the cell that has, or last had, the focus

  const rows = rowPicker((row) => {
    chosen = shown = { ...(matrix.isWalked(chosen.name) ? chosen : { name: "weights", column: 0 }), row };
    shell.change({ row });
  });
  const scale = toggle({ label: "", onInput: (on) => shell.change({ scale: on }) });
  const mask = toggle({ label: "Causal mask", onInput: (on) => shell.change({ mask: on ? "causal" : "none" }) });
  const steps = radios({ label: "Step", options: STEPS, onInput: goTo });
  steps.root.classList.add("inorder-steps");
  shell.controls.append(rows.root, scale.root, mask.root, steps.root);

  /** @type {{ name: Editable, row: number, column: number } | null} */
  let edited = null; // the entry that the reader changed last
  /** @type {(name: Editable, row: number, column: number, value: number) => void} */
  function setEntry(name, row, column, value) {
    edited = { name, row, column };
    const { low, high } = shell.limits[name];
    const bounded = Math.min(Math.max(value, low), high);
    const values = shell
      .state()
      [name].map((line, i) => line.map((old, j) => (i === row && j === column ? bounded : old)));
    shell.change({ [name]: values });
  }

  /** @type {(state: State) => string} */
  function entryWords(state) {
    const value = edited && state[edited.name][edited.row]?.[edited.column];
    if (!edited || value === null || value === undefined) return "";
    return `${explanations[edited.name](state, all, edited.row, edited.column).name}: ${formatNumber(value)}.`;
  }

  const explain = explanation((value) =>
    setEntry(/** @type {Editable} */ (chosen.name), chosen.row, chosen.column, value),
  );
  explain.entry.box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === "Escape") {
      matrix.grids[chosen.name].focusCell(chosen.row, chosen.column);
    }
  });
  const matrix = matrices({
    onShow: show,
    onLeave: () => show(chosen, "hover"),
    onEdit: setEntry,
    onType: () => explain.entry.box.select(),
  });
  /** @type {(...names: Name[]) => HTMLElement} */
  const line = (...names) => make("div", { class: "inorder-line" }, ...names.map((name) => matrix.grids[name].root));
  const lines = [line("x", "query", "key", "value"), line("scaled_scores", "weights", "output")];
  const tokens = tokenBoxes(shell);
  const folds = [
    shell.fold("The three learned matrices", line("w_query", "w_key", "w_value")),
    shell.fold("The scores before scaling", line("scores")),
    shell.fold("The tokens", tokens.root),
  ];
  shell.stage.append(
    make("div", { class: "inorder-lines" }, ...lines),
    make(
      "div",
      { class: "inorder-aside" },
      explain.root,
      shell.answerBox,
      make("div", { class: "inorder-folds" }, ...folds),
    ),
  );

  /** @type {(name: Name) => void} */
  function goTo(name) {
    shell.stage.dataset.step = name;
    steps.set(name);
    chosen = shown = { name, row: shell.state().row, column: 0 };
    drawExplanation();
  }

  /** @type {(cell: Place, kind: "focus" | "hover") => void} */
  function show(cell, kind) {
    shown = cell;
    if (kind === "focus") chosen = cell;
    if (kind === "focus" && matrix.isWalked(cell.name) && cell.row !== shell.state().row)
      shell.change({ row: cell.row });
    else drawExplanation();
  }

  function drawExplanation() {
    const state = shell.state();
    const explained = explanations[shown.name](state, all, shown.row, shown.column);
    shell.stage.dataset.shown = shown.name;
    explain.update(explained);
    matrix.mark(shown, explained.marks ?? [], explain.id);
    const { name } = explained;
    const editable = isSame(shown, chosen) && name !== undefined;
    explain.entry.root.classList.toggle("is-hidden", !editable);
    if (editable) {
      explain.entry.rename(name);
      explain.entry.set(state[/** @type {Editable} */ (shown.name)][shown.row][shown.column]);
    }
  }

  /** @type {(cell: Place) => Place} */
  const clamp = (cell) => ({
    ...cell,
    row: Math.min(cell.row, all[cell.name].length - 1),
    column: Math.min(cell.column, all[cell.name][0].length - 1),
  });

  shell.stage.dataset.step = shown.name;
  steps.set(shown.name);
  shell.follow((state, dark) => {
    all = allOf(state);
    const { x, query, value, weights } = all;
    const widths = [x[0].length + 2 * query[0].length + value[0].length, 2 * weights.length + value[0].length];
    lines.forEach((each, i) => each.style.setProperty("--in-line", String(widths[i])));
    shell.stage.style.setProperty("--tokens", String(state.tokens.length));
    matrix.update(state, all, dark);
    rows.update(state);
    tokens.update(state);
    write(scale.text, `Divide by √${state.w_query[0].length}`);
    scale.set(state.scale);
    mask.set(state.mask === "causal");
    const note = noteOf(sentences, state);
    shell.answer(summarise(sentences, state, all), { note, reading: entryWords(state) });
    chosen = clamp(chosen);
    shown = clamp(shown);
    drawExplanation();
  });
  return shell.close;
}

export default { render };
