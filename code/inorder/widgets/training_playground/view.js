// Two small transformers learn the same task on the page, side by side: curves, heads, longer sequences.

import { write } from "../kit/elements.js";
import { button, radios, select, slider } from "../kit/inputs.js";
import { figureShell } from "../kit/shell.js";
import { render as draw, html, nothing, ref } from "../kit/vendor/lit.js";
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

const HEADS_EVERY = 200; // milliseconds, while it trains
const REFUSED = "This browser won’t start a worker for this page, so training runs between frames, more slowly.";

// Play, one step, restart; with a small figure, Play alone.
/** @type {(model: import("./run.js").Model, run: import("./run.js").Run, turn: (on: boolean) => void) => unknown} */
function buttons(model, run, turn) {
  const on = model.get("running");
  const play = html`<button type="button" class="inorder-button inorder-play" @click=${() => turn(!on)}>${on ? "Pause" : "Play"}</button>`;
  if (model.get("small")) return play;
  const again = () => {
    turn(false);
    run.reset();
  };
  return html`<div class="inorder-buttons">${play}${button({ label: "One step", isDisabled: on, onClick: run.step })}${button({ label: "Restart", onClick: again })}</div>`;
}

// The task, and the positions of each model, by the line that it draws: the row has no room for more words.
/** @type {(shell: Frame, known: Known, state: State) => unknown} */
function choices(shell, known, state) {
  const lines = /** @type {const} */ ([
    ["first", "dashed"],
    ["second", "solid"],
  ]);
  /** @type {[string, string][]} */
  const schemes = Object.entries(known.schemes).map(([value, { label }]) => [value, label]);
  const questions = /** @type {[State["task"], string][]} */ (Object.entries(known.questions));
  return [
    select({
      label: "",
      name: "Task",
      value: state.task,
      options: questions,
      onInput: (task) => shell.change({ task }),
    }),
    ...lines.map(([which, line]) =>
      select({
        label: html`<span class="inorder-key is-${which}" aria-hidden="true"></span>`,
        name: `Positions of the ${which} model, the ${line} line`,
        value: state[which],
        options: schemes,
        onInput: (value) => shell.change({ [which]: value }),
      }),
    ),
  ];
}

/** @type {(shell: Frame) => (state: State) => unknown} */
function settings(shell) {
  const masks = radios();
  const depths = radios();
  const { mask: limit, seed: ends } = shell.limits;
  const options = /** @type {[State["mask"], string][]} */ (limit.options.map((one) => [one, one]));
  return ({ mask, n_layers, seed }) => html`<div class="inorder-settings">
    ${masks({ label: "Mask", value: mask, options, onInput: (value) => shell.change({ mask: value }) })}
    ${depths({
      label: "Layers",
      value: String(n_layers),
      options: [
        ["1", "1"],
        ["2", "2"],
      ],
      onInput: (value) => shell.change({ n_layers: Number(value) }),
    })}
    ${slider({ label: "Seed", value: seed, ...ends, step: 1, onInput: (value) => shell.change({ seed: Math.round(value) }) })}</div>`;
}

// The reader's letters: what does not fit is not taken.
/** @type {(shell: Frame, known: Known, state: State) => unknown} */
function exampleBox({ limits, change }, known, { example }) {
  const lettersIn = (/** @type {Event | Element} */ box) =>
    lettersOf(/** @type {HTMLInputElement} */ (box instanceof Event ? box.target : box).value, known);
  return html`<label class="inorder-example">Example<input type="text" aria-label="Example: letters A to J"
    autocomplete="off" spellcheck="false"
    ${ref((box) => {
      if (box instanceof HTMLInputElement && lettersIn(box)?.join("") !== example.join(""))
        box.value = example.join(" ");
    })}
    @input=${(/** @type {Event} */ event) => {
      const letters = lettersIn(event);
      const { fewest, most } = limits.example;
      if (letters && letters.length >= fewest && letters.length <= most) change({ example: letters });
    }}
    @change=${(/** @type {Event} */ event) => {
      /** @type {HTMLInputElement} */ (event.target).value = example.join(" ");
    }}></label>`;
}

/** @type {(context: Context<State, import("./run.js").Sent>) => () => void} */
function render({ model, el, page }) {
  const known = model.get("known");
  const [isSmall, sentences] = [model.get("small"), model.get("sentences")];
  const agree = (/** @type {State} */ { example }) => example.every((letter) => known.letters.includes(letter));
  const turn = (/** @type {boolean} */ on) => {
    model.set("running", on);
    model.save_changes();
  };
  const onReset = () => {
    turn(false);
    run.reset();
  };
  const shell = figureShell({ model, el, page, agree, onReset });
  const run = runOf(model);
  const charts = allCharts(known);
  const both = [heads(0), heads(1)];
  const drawSettings = settings(shell);
  const fold = isSmall ? null : shell.fold("Mask, layers, seed");
  shell.root.classList.toggle("is-small", isSmall);

  /** @type {(state: State) => void} */
  function drawParts(state) {
    draw(html`${buttons(model, run, turn)}${isSmall ? nothing : choices(shell, known, state)}`, shell.controls);
    if (fold) draw(drawSettings(state), /** @type {HTMLElement} */ (fold.lastElementChild));
    const more = html`<div class="inorder-two">${charts.loss}${charts.longer}</div>
      <div class="inorder-examples">${exampleBox(shell, known, state)}${both.map(({ root }) => root)}</div>`;
    draw(html`${charts.accuracy}${shell.answerBox}${isSmall ? nothing : more}`, shell.stage);
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
      drawParts(state);
      charts.draw(state, found, isSmall);
      const note = noteOf(sentences, state, known);
      shell.answer(summarise(sentences, state, found, known), { sign: signOf(found), note });
      if (run.isRefused()) shell.notify(REFUSED);
      if (isSmall) return;
      const drawing = JSON.stringify([state, found.nSteps, dark, shell.stage.clientWidth]);
      if (drawing === drawn || (model.get("running") && performance.now() - shown < HEADS_EVERY)) return;
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
