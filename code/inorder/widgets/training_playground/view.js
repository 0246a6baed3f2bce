// Two small transformers learn the same task on the page, side by side: curves, heads, longer sequences.

import { button, radios, select, slider } from "../kit/controls.js";
import { make, write } from "../kit/elements.js";
import { figureShell } from "../kit/shell.js";
import { charts as allCharts } from "./charts.js";
import { exampleBatch, lettersOf } from "./example.js";
import { heads, readExample } from "./heads.js";
import { library } from "./library.js";
import { runOf, taskOf } from "./run.js";
import { labelsOf, noteOf, signOf, summarise } from "./words.js";

/** @typedef {Shell<State, import("./run.js").Sent>} Frame */

/** @typedef {import("./run.js").Found} Found */

/** @typedef {import("./run.js").Known} Known */

/** @typedef {TrainingPlaygroundState} State */

const PATIENCE = 200; // milliseconds between two drawings of the heads, while it trains
const REFUSED = "This browser won’t start a worker for this page, so training runs between frames, more slowly.";

/**
 * @type {(model: import("./run.js").Model, run: import("./run.js").Run) => { roots: HTMLElement[],
 *   play: HTMLElement, update: () => void, halt: () => void }}
 */
function buttons(model, run) {
  const turn = (/** @type {boolean} */ on) => {
    model.set("running", on);
    model.save_changes();
  };
  const play = button({ label: "Play", onClick: () => turn(!model.get("running")) });
  play.classList.add("inorder-play");
  const step = button({ label: "One step", onClick: run.step });
  const again = button({
    label: "Restart",
    onClick: () => {
      turn(false);
      run.reset();
    },
  });
  function update() {
    const on = model.get("running");
    write(play, on ? "Pause" : "Play");
    play.setAttribute("aria-label", on ? "Pause" : "Play");
    step.disabled = on;
  }
  return { roots: [play, step, again], play, update, halt: () => turn(false) };
}

// A select whose name is for screen readers: the row has room for no more words.
/**
 * @type {<Value extends string>(name: string, options: { options: [Value, string][], onInput: (value: Value) =>
 *   void }) => { root: HTMLElement, input: HTMLSelectElement, set: (value: string) => void }}
 */
function unlabelled(name, options) {
  const part = select({ label: "", ...options });
  part.input.setAttribute("aria-label", name);
  return part;
}

// A choice of positions, named by the line of its model.
/**
 * @type {(shell: Frame, known: Known, name: "first" | "second", line: string) => { root: HTMLElement,
 *   set: (value: string) => void }}
 */
function schemeChoice(shell, known, name, line) {
  const part = unlabelled(`Positions of the ${name} model, the ${line} line`, {
    options: Object.entries(known.schemes).map(([value, { label }]) => [value, label]),
    onInput: (value) => shell.change({ [name]: value }),
  });
  part.root.prepend(make("span", { class: `inorder-key is-${name}`, "aria-hidden": "true" }));
  return part;
}

/**
 * @type {(shell: Frame, known: Known) => Record<"task" | "first" | "second" | "mask" | "n_layers" | "seed",
 *   { root: HTMLElement }> & { update: (state: State) => void }}
 */
function settings(shell, known) {
  const number = (/** @type {"n_layers"} */ name) => (/** @type {string} */ value) =>
    shell.change({ [name]: Number(value) });
  /** @type {<Value extends string>(values: Value[]) => [Value, string][]} */
  const same = (values) => values.map((value) => [value, value]);
  const { mask, seed } = shell.limits;
  const parts = {
    task: unlabelled("Task", {
      options: /** @type {[State["task"], string][]} */ (Object.entries(known.questions)),
      onInput: (task) => shell.change({ task }),
    }),
    first: schemeChoice(shell, known, "first", "dashed"),
    second: schemeChoice(shell, known, "second", "solid"),
    mask: radios({
      label: "Mask",
      options: same(/** @type {State["mask"][]} */ (mask.options)),
      onInput: (value) => shell.change({ mask: value }),
    }),
    n_layers: radios({ label: "Layers", options: same(["1", "2"]), onInput: number("n_layers") }),
    seed: slider({ label: "Seed", ...seed, step: 1, onInput: (value) => shell.change({ seed: Math.round(value) }) }),
  };
  const update = (/** @type {State} */ state) => {
    const { task, first, second, mask: chosen, n_layers: layers, seed: drawn } = state;
    parts.task.set(task);
    parts.first.set(first);
    parts.second.set(second);
    parts.mask.set(chosen);
    parts.n_layers.set(String(layers));
    parts.seed.set(drawn);
  };
  return { ...parts, update };
}

// The reader's letters: what does not fit is not taken.
/** @type {(shell: Frame, known: Known) => { root: HTMLElement, set: (letters: string[]) => void }} */
function exampleBox(shell, known) {
  const box = make("input", {
    type: "text",
    "aria-label": "Example: letters A to J",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => {
      const letters = lettersOf(box.value, known);
      const { fewest, most } = shell.limits.example;
      if (letters && letters.length >= fewest && letters.length <= most) shell.change({ example: letters });
    },
  });
  const root = make("label", { class: "inorder-example" }, "Example", box);
  const set = (/** @type {string[]} */ letters) => {
    if (lettersOf(box.value, known)?.join("") !== letters.join("")) box.value = letters.join(" ");
  };
  box.onchange = () => {
    box.value = shell.state().example.join(" ");
  };
  return { root, set };
}

/** @type {(context: Context<State, import("./run.js").Sent>) => () => void} */
function render({ model, el, page }) {
  const known = model.get("known");
  const [isSmall, sentences] = [model.get("small"), model.get("sentences")];
  const agree = (/** @type {State} */ { example }) => example.every((letter) => known.letters.includes(letter));
  const onReset = () => {
    press.halt();
    run.reset();
  };
  const shell = figureShell({ model, el, page, agree, onReset });
  const run = runOf(model);
  const press = buttons(model, run);
  const choices = settings(shell, known);
  const charts = allCharts(known);
  const example = exampleBox(shell, known);
  const both = [heads(0), heads(1)];
  shell.root.classList.toggle("is-small", isSmall);
  if (isSmall) {
    shell.controls.append(press.play);
    shell.stage.append(charts.accuracy, shell.answerBox);
  } else {
    shell.controls.append(
      make("div", { class: "inorder-buttons" }, ...press.roots),
      choices.task.root,
      choices.first.root,
      choices.second.root,
    );
    shell.stage.append(
      charts.accuracy,
      shell.answerBox,
      make("div", { class: "inorder-two" }, charts.loss, charts.longer),
      make("div", { class: "inorder-examples" }, example.root, ...both.map(({ root }) => root)),
    );
    const { mask, n_layers, seed } = choices;
    shell.fold("Mask, layers, seed", make("div", { class: "inorder-settings" }, mask.root, n_layers.root, seed.root));
  }

  /** @type {(state: State, found: Found, dark: boolean) => void} */
  function drawExample(state, found, dark) {
    const task = taskOf(state, known);
    const batch = exampleBatch(state.example, task, known, library);
    const letters = task.name === "which-first" && !task.pooled ? [...state.example, "?"] : state.example;
    const names = labelsOf(state, known);
    both.forEach((each, which) => {
      const read = readExample(batch, found.trees[which], found.models[which].config, state.mask === "causal");
      write(each.label, names[which]);
      each.drawMaps(read, letters, names[which], dark);
      each.say(read, batch, task, known.letters, library.IGNORED);
    });
  }

  let shown = -Infinity; // when the heads were drawn last,
  let drawn = ""; // and for what: after as many steps with the same settings they are the same
  const redraw = shell.follow(
    (state, dark) => {
      const found = run.found();
      press.update();
      choices.update(state);
      charts.draw(state, found, isSmall);
      const note = noteOf(sentences, state, known);
      shell.answer(summarise(sentences, state, found, known), { sign: signOf(found), note });
      if (run.isRefused()) shell.notify(REFUSED);
      if (isSmall) return;
      example.set(state.example);
      const drawing = JSON.stringify([state, found.nSteps, dark, shell.stage.clientWidth]);
      if (drawing === drawn || (model.get("running") && performance.now() - shown < PATIENCE)) return;
      [shown, drawn] = [performance.now(), drawing];
      drawExample(state, found, dark);
    },
    ["running"],
  );
  let frame = 0; // reports come faster than frames
  const leave = run.follow(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(redraw);
  });
  shell.whenClosed(leave);
  shell.whenClosed(() => cancelAnimationFrame(frame));
  return shell.close;
}

export default { render };
