// A layer, and a text that is put into another order, moved, or given a new ending: which of the outputs follow?

import { moveWithin } from "../kit/arithmetic.js";
import { button, radios, select, slider } from "../kit/controls.js";
import { make, setAttributes, setChildren, write } from "../kit/elements.js";
import { figureShell } from "../kit/shell.js";
import { tileRow } from "../kit/tiles.js";
import { formatDifference, formatNumber } from "../kit/words.js";
import { band, crossing, middles } from "./bands.js";
import { calculate, unpack } from "./runs.js";
import { LAWS, QUESTIONS, summarise } from "./words.js";

/** @typedef {{ data: import("./runs.js").Data, sentences: OrderAuditSentences }} Sent */

// ---------------------------------------------------------------------------------------------------- on demand

// Each word's row before and after, back in the old order.
function numbersTable() {
  const head = make("tr", {});
  const rows = { before: make("tr", {}), after: make("tr", {}) };
  const caption = "The words’ output rows; those of the changed text are moved back to where the words were";
  const body = make("tbody", {}, ...Object.values(rows));
  const table = make("table", {}, make("caption", {}, caption), make("thead", {}, head), body);
  const root = make(
    "div",
    { class: "inorder-numbers", tabindex: 0, role: "region", "aria-label": "The numbers" },
    table,
  );

  /** @type {(state: OrderAuditState, all: ReturnType<typeof calculate>) => void} */
  function draw({ words }, all) {
    const n = all.before[0].length;
    const faded = (/** @type {number} */ word) => (word < all.asked ? "" : "is-faded");
    const titles = words.map((word, i) => make("th", { scope: "colgroup", colspan: n, class: faded(i) }, word));
    head.replaceChildren(make("td", {}), ...titles);
    for (const name of /** @type {("before" | "after")[]} */ (Object.keys(rows))) {
      const cell = (/** @type {number} */ word) => (/** @type {number} */ value, /** @type {number} */ column) => {
        const marks = { "data-name": name, "data-row": word, "data-col": column, "data-value": value };
        return make("td", { ...marks, class: faded(word) }, formatNumber(value));
      };
      const cells = words.flatMap((_, word) => all[name][word].map(cell(word)));
      rows[name].replaceChildren(make("th", { scope: "row" }, name), ...cells);
    }
  }
  return { root, draw };
}

// What the audit says of the layer.
function lawsTable() {
  const asks = {
    order: "Do the outputs follow every permutation?",
    move: "Do they move with the text through rows of zeros?",
    future: "Do they stay the same when later rows are redrawn?",
  };
  const questions = /** @type {(keyof typeof LAWS)[]} */ (Object.keys(LAWS));
  const lines = questions.map((question, row) => {
    const sign = make("span", { class: "inorder-sign", role: "img" });
    const error = make("td", { "data-name": "errors", "data-row": row, "data-col": 0 });
    return { question, sign, error, root: make("tr", {}, make("th", { scope: "row" }, asks[question]), error) };
  });
  for (const { sign, root } of lines) root.insertBefore(make("td", {}, sign), root.lastChild);
  const caption =
    "The audit’s own questions, asked of 24 rows of 8 numbers: the largest difference as a share of the largest output";
  const body = make("tbody", {}, ...lines.map(({ root }) => root));
  const root = make(
    "div",
    { class: "inorder-numbers inorder-laws" },
    make("table", {}, make("caption", {}, caption), body),
  );

  /** @type {(layer: import("./runs.js").Facts) => void} */
  function draw({ laws, errors }) {
    lines.forEach(({ question, sign, error }, i) => {
      const holds = laws.includes(LAWS[question]);
      write(sign, holds ? "✓" : "×");
      setAttributes(sign, {
        class: `inorder-sign ${holds ? "is-right" : "is-wrong"}`,
        "aria-label": holds ? "yes" : "no",
      });
      write(error, formatDifference(errors[i]));
      setAttributes(error, { "data-value": errors[i] });
    });
  }
  return { root, draw };
}

// ---------------------------------------------------------------------------------------------------- the figure

// What the hand may do to the text, by question; one of them is shown.
/** @type {(shell: Shell<OrderAuditState, Sent>) => { root: HTMLElement, update: (state: OrderAuditState) => void }} */
function changers(shell) {
  /** @type {(label: string, change: (order: number[]) => number[]) => HTMLElement} */
  const reorder = (label, change) =>
    button({ label, onClick: () => shell.change({ order: change(shell.state().order) }) });
  const order = make(
    "div",
    { class: "inorder-changer" },
    reorder("Swap two", ([first, second, third, ...rest]) => [third, second, first, ...rest]),
    reorder("Reverse", (all) => [...all].reverse()),
    reorder("Rotate", (all) => [...all.slice(1), all[0]]),
    reorder("Original order", (all) => [...all].sort((a, b) => a - b)),
  );
  const moved = slider({
    ...{ label: "Rows moved by", ...shell.limits.moved, step: 1 },
    onInput: (value) => shell.change({ moved: value }),
  });
  const newFrom = slider({
    ...{ label: "New words from", low: 2, high: shell.state().words.length - 1, step: 1 },
    onInput: (value) => shell.change({ new_from: value }),
  });
  const parts = { order, move: moved.root, future: newFrom.root };
  const root = make("div", { class: "inorder-changers" });

  /** @type {(state: OrderAuditState) => void} */
  function update(state) {
    setChildren(root, [parts[state.question]]);
    moved.set(state.moved);
    newFrom.limit({ low: 2, high: state.words.length - 1 });
    newFrom.set(state.new_from);
  }
  return { root, update };
}

/** @type {(context: Context<OrderAuditState, Sent>) => () => void} */
function render({ model, el, page }) {
  const isPacked = (/** @type {OrderAuditState} */ { words }) => words.join(" ") === model.get("data").words.join(" ");
  const shell = figureShell({ model, el, page, agree: isPacked });
  const sentences = model.get("sentences");
  const names = shell.limits.layer.options;
  const layer = select({
    label: "Layer",
    options: names.map((name) => /** @type {[string, string]} */ ([name, name])),
    onInput: (value) => shell.change({ layer: value }),
  });
  const question = radios({ label: "Ask", options: QUESTIONS, onInput: (value) => shell.change({ question: value }) });
  const changer = changers(shell);
  shell.controls.append(layer.root, question.root, changer.root);

  const above = band({ label: "Output rows before", name: "" });
  const lines = crossing();
  const tiles = tileRow({
    label: "The other order: drag a word, or move it with the arrow keys",
    describe: (word, place) => `“${word}”, position ${place}: move it with the arrow keys`,
    order: () => shell.state().order,
    onMove: (from, to) => shell.change({ order: moveWithin(shell.state().order, from, to) }),
  });
  const below = band({ label: "Output rows after", name: "differences" });
  shell.stage.append(above.root, lines.root, tiles.root, below.root);

  const [numbers, laws] = [numbersTable(), lawsTable()];
  shell.fold("The three questions", laws.root);
  const numbersFold = shell.fold("The numbers", numbers.root);

  /** @type {[import("./runs.js").Data | null, Record<string, import("./runs.js").Layer>]} */
  let [packed, layers] = [null, {}];
  shell.follow(
    (state, dark) => {
      const data = model.get("data");
      if (data !== packed) [packed, layers] = [data, unpack(data)];
      const all = calculate(state, layers[state.layer], data, shell.limits.moved.high);
      const { before, after, zeros, moved, asked, follows, largest } = all;
      const zerosAfter = [zeros[0] + moved, zeros[1] - moved];
      layer.set(state.layer);
      question.set(state.question);
      changer.update(state);
      const isOrder = state.question === "order";
      tiles.root.hidden = !isOrder;
      if (isOrder) {
        const texts = state.order.map((word) => state.words[word]);
        tiles.draw(state.order, texts);
      }
      above.draw(
        state.words.map((text, word) => ({ text, row: before[word] })),
        zeros,
        largest,
        dark,
        true,
      );
      const at = middles(state.words.length, zeros);
      const to = middles(state.words.length, zerosAfter);
      lines.draw({ from: at.slice(0, asked), to: all.placeAfter.map((place) => to[place]), follows });
      const standing = state.words.map((_, place) => all.placeAfter.indexOf(place));
      const slots = standing.map((word) => {
        const slot = { word, text: all.wordsAfter[word], row: after[word] };
        const isAsked = word < asked;
        return isAsked
          ? { ...slot, difference: all.differences[word], follows: follows[word] }
          : { ...slot, isFaded: true };
      });
      below.draw(slots, zerosAfter, largest, dark, !isOrder);
      if (numbersFold.open) numbers.draw(state, all);
      laws.draw(layers[state.layer]);
      const sign = all.kept === asked ? "=" : "≠";
      shell.answer(summarise(sentences, state, layers[state.layer], all), { sign, note: layers[state.layer].why });
    },
    ["data"],
  );
  shell.whenClosed(tiles.stop);
  return shell.close;
}

export default { render };
