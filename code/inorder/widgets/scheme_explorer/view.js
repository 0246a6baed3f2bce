// What each position scheme can do: accuracy while learning, and at lengths never trained on.

import { radios, select } from "../kit/controls.js";
import { make, setAttributes, svgNode, write } from "../kit/elements.js";
import { kept } from "../kit/kept.js";
import { figureShell } from "../kit/shell.js";
import { formatNumber } from "../kit/words.js";
import { chart, DASHES } from "./chart.js";
import { accuracyAt, noteOf, summarise } from "./words.js";

/**
 * @typedef {{ data: Record<string, Task>, trained_on: [number, number], chosen: string,
 *   sentences: SchemeExplorerSentences }} Sent
 */

/** @typedef {import("./words.js").Task} Task */

// ------------------------------------------------------------------------------------------------------ its parts

// The names of the lines, and what each reaches at the chosen length. A pressed one fades the others.
/**
 * @type {(onPress: (name: string) => void) => { root: HTMLElement, draw: (state: SchemeExplorerState, there: Task,
 *   chosen: string) => void }}
 */
function readOuts(onPress) {
  const root = make("div", { class: "inorder-read-outs", role: "group", "aria-label": "Accuracy at this length" });
  /** @type {[string[], string]} */
  let [names, pressed] = [[], ""]; // of the schemes, and of the pressed one
  /** @type {ReturnType<typeof makeLine>[]} */
  const lines = [];

  /** @type {(number: number) => { root: HTMLElement, label: HTMLElement, value: HTMLElement, spread: HTMLElement }} */
  function makeLine(number) {
    const sample = svgNode("svg", { viewBox: "0 0 36 10", class: "inorder-sample", "aria-hidden": "true" });
    sample.append(svgNode("path", { d: "M 0 5 H 36", "stroke-dasharray": DASHES[number], class: "inorder-line" }));
    const label = make("span", {});
    const value = make("span", { "data-name": "accuracy", "data-row": number, "data-col": 0 });
    const spread = make("span", { class: "inorder-range" });
    const onclick = () => onPress(names[number] === pressed ? "" : names[number]);
    const attributes = { type: "button", class: "inorder-read-out", onclick };
    return { root: make("button", attributes, sample, label, " ", value, " ", spread), label, value, spread };
  }

  /** @type {(state: SchemeExplorerState, there: Task, chosen: string) => void} */
  function draw({ schemes, length }, there, chosen) {
    [names, pressed] = [schemes, chosen];
    while (lines.length > names.length) lines.pop()?.root.remove();
    while (lines.length < names.length) root.append(lines[lines.push(makeLine(lines.length)) - 1].root);
    lines.forEach(({ root: line, label, value, spread }, number) => {
      const scheme = there.schemes[names[number]];
      const { seeds, test } = scheme;
      const accuracy = accuracyAt(scheme, length);
      const at = test.x.indexOf(length);
      const range = at < 0 || seeds === 1 ? "" : ` (${formatNumber(test.low[at])} to ${formatNumber(test.high[at])})`;
      write(label, scheme.label);
      write(value, at < 0 ? "not tested" : formatNumber(accuracy));
      setAttributes(value, { "data-value": accuracy });
      write(spread, `${seeds} seed${seeds > 1 ? "s" : ""}${range}`);
      setAttributes(line, { "aria-pressed": names[number] === chosen });
      line.classList.toggle("is-faded", chosen !== "" && names[number] !== chosen);
    });
  }
  return { root, draw };
}

// Which schemes are drawn: all that there are, to be ticked.
/**
 * @type {(shell: Shell<SchemeExplorerState, Sent>) => { root: HTMLElement, draw: (state: SchemeExplorerState,
 *   there: Task | null) => void }}
 */
function picker(shell) {
  const root = make("div", { class: "inorder-picker" });
  const { fewest, most } = shell.limits.schemes;
  let shown = "";
  /** @type {{ name: string, input: HTMLInputElement, root: HTMLElement }[]} */
  let boxes = [];

  /** @type {(name: string, isOn: boolean) => void} */
  function pick(name, isOn) {
    const { schemes } = shell.state();
    const wanted = isOn ? [...schemes, name] : schemes.filter((one) => one !== name);
    const isFit = wanted.length >= fewest && wanted.length <= most;
    if (isFit) shell.change({ schemes: wanted });
    shell.notify(isFit ? "" : `The charts have room for ${fewest} to ${most} schemes.`);
    if (!isFit) draw(shell.state(), null);
  }

  /** @type {(state: SchemeExplorerState, there: Task | null) => void} */
  function draw({ task, schemes }, there) {
    if (there && shown !== task) {
      shown = task;
      boxes = Object.entries(there.schemes).map(([name, { label }]) => {
        const input = make("input", { type: "checkbox", onchange: () => pick(name, input.checked) });
        return { name, input, root: make("label", {}, input, label) };
      });
      root.replaceChildren(...boxes.map((box) => box.root));
    }
    for (const { name, input } of boxes) input.checked = schemes.includes(name);
  }
  return { root, draw };
}

// The means of what is drawn, by length.
function numbersTable() {
  const [head, body] = [make("tr", {}), make("tbody", {})];
  const caption = make("caption", {}, "Accuracy by length: the mean over seeds");
  const table = make("table", {}, caption, make("thead", {}, head), body);
  const root = make(
    "div",
    { class: "inorder-numbers", tabindex: 0, role: "region", "aria-label": "The numbers" },
    table,
  );

  const draw = kept((/** @type {string[]} */ schemes, /** @type {Task} */ there) => {
    const titles = there.lengths.map((length) => make("th", { scope: "col" }, String(length)));
    head.replaceChildren(make("td", {}, "tokens"), ...titles);
    /** @type {(label: string, row: number, values: number[]) => HTMLElement} */
    const rowOf = (label, row, values) => {
      const cells = values.map((value, column) => {
        const marks = { "data-name": "means", "data-row": row, "data-col": column, "data-value": value };
        return make("td", marks, Number.isNaN(value) ? "" : formatNumber(value));
      });
      return make("tr", {}, make("th", { scope: "row" }, label), ...cells);
    };
    const means = (/** @type {string} */ name) =>
      there.lengths.map((length) => accuracyAt(there.schemes[name], length));
    body.replaceChildren(
      ...schemes.map((name, row) => rowOf(there.schemes[name].label, row, means(name))),
      rowOf("floor: blind to order", schemes.length, there.floor),
      rowOf("ceiling: blind to direction", schemes.length + 1, there.ceiling),
    );
  });
  return { root, draw };
}

// ------------------------------------------------------------------------------------------------------ the figure

/** @type {(context: Context<SchemeExplorerState, Sent>) => () => void} */
function render({ model, el, page }) {
  const data = model.get("data");
  const agree = (/** @type {SchemeExplorerState} */ { task, schemes, length }) =>
    data[task].lengths.includes(length) &&
    new Set(schemes).size === schemes.length &&
    schemes.every((/** @type {PropertyKey} */ name) => Object.hasOwn(data[task].schemes, name));
  const shell = figureShell({ model, el, page, agree });
  const [trainedOn, sentences] = [model.get("trained_on"), model.get("sentences")];

  // Another task, keeping the schemes and the length if it has them.
  /** @type {(task: string) => void} */
  function goTo(task) {
    const { schemes, length } = shell.state();
    const [names, lengths] = [Object.keys(data[task].schemes), data[task].lengths];
    const kept = schemes.filter((name) => names.includes(name));
    shell.change({
      task,
      schemes: kept.length ? kept : names.slice(0, 3),
      length: lengths.includes(length) ? length : lengths[lengths.length - 1],
    });
  }
  const task = select({ label: "Task", options: Object.keys(data).map((name) => [name, name]), onInput: goTo });
  const lengthBox = make("div", {});
  /** @type {(ReturnType<typeof radios> & { texts: string[] }) | null} */
  let lengths = null;
  shell.controls.append(task.root, lengthBox);

  const learning = chart({
    label: "Accuracy while learning",
    unit: "by steps",
    axis: "training steps",
    name: "learning",
  });
  const reaching = chart({
    label: "Accuracy by length",
    unit: "in tokens",
    axis: "tokens; shaded: trained on",
    name: "reaching",
  });
  const list = readOuts((name) => {
    model.set("chosen", name);
    model.save_changes();
  });
  const key = make(
    "p",
    { class: "inorder-key-line" },
    make("span", { class: "inorder-bound-sample is-floor" }),
    "floor: blind to order ",
    make("span", { class: "inorder-bound-sample is-ceiling" }),
    "ceiling: blind to direction",
  );
  const aside = make("div", { class: "inorder-aside" }, list.root, key);
  shell.stage.append(learning.root, reaching.root, aside, shell.answerBox);
  const [which, numbers] = [picker(shell), numbersTable()];
  shell.fold("Which schemes", which.root);
  shell.fold("The numbers", numbers.root);

  /** @type {(state: SchemeExplorerState, there: Task) => void} */
  function drawLengths(state, there) {
    const texts = there.lengths.map(String);
    if (lengths?.texts.join() !== texts.join()) {
      const onInput = (/** @type {string} */ value) => shell.change({ length: Number(value) });
      lengths = { texts, ...radios({ label: "Tokens", options: texts.map((text) => [text, text]), onInput }) };
      lengthBox.replaceChildren(lengths.root);
    }
    lengths?.set(String(state.length));
  }

  // Another length moves nothing but the mark.
  /** @type {(state: SchemeExplorerState, there: Task, chosen: string) => void} */
  function drawCharts({ schemes, length }, there, chosen) {
    drawLines(schemes, there, chosen, learning.root.clientWidth, reaching.root.clientWidth);
    reaching.mark(length);
  }

  /** @type {(schemes: string[], there: Task, chosen: string, ...widths: number[]) => void} */
  const drawLines = kept((schemes, there, chosen, ..._widths) => {
    const lines = (/** @type {"curve" | "test"} */ part) =>
      schemes.map((name, number) => {
        const isFaded = Boolean(chosen) && name !== chosen;
        return { label: there.schemes[name].label, spread: there.schemes[name][part], number, isFaded };
      });
    const last = Math.max(1, ...schemes.flatMap((name) => there.schemes[name].curve.x));
    const flat = (/** @type {number} */ bound) => ({ x: [0, last], y: [bound, bound] });
    const bounds = there.training
      ? [
          { kind: "floor", ...flat(there.training[0]) },
          { kind: "ceiling", ...flat(there.training[1]) },
        ]
      : [];
    learning.draw({ lines: lines("curve"), bounds, high: last });
    const byLength = [
      { kind: "floor", x: there.lengths, y: there.floor },
      { kind: "ceiling", x: there.lengths, y: there.ceiling },
    ];
    const high = Math.max(...there.lengths, trainedOn[1]);
    reaching.draw({ lines: lines("test"), bounds: byLength, shaded: trainedOn, high });
  });

  shell.follow(
    (state) => {
      const there = data[state.task];
      const chosen = state.schemes.includes(model.get("chosen")) ? model.get("chosen") : "";
      drawCharts(state, there, chosen); // first: it asks for widths, which later would cost a layout
      task.set(state.task);
      drawLengths(state, there);
      list.draw(state, there, chosen);
      which.draw(state, there);
      numbers.draw(state.schemes, there);
      shell.answer(summarise(sentences, state, there), { note: noteOf(sentences, state, there, trainedOn) });
    },
    ["chosen"],
  );
  return shell.close;
}

export default { render };
