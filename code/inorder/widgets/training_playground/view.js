// Two small transformers learn the same task on the page, side by side: their curves, and what each says of one text.

import { button, select } from "../kit/inputs.js";
import { figureShell } from "../kit/shell.js";
import { render as draw, html } from "../kit/vendor/lit.js";
import { accuracyChart, lineKey } from "./chart.js";
import { runOf, taskOf } from "./run.js";
import { oneText, verdicts } from "./text.js";
import { labelsOf, noteOf, signOf, summarise } from "./words.js";

/** @typedef {Shell<State, import("./run.js").Sent>} Frame */

/** @typedef {import("./run.js").Known} Known */

/** @typedef {TrainingPlaygroundState} State */

const SAID_EVERY = 100; // milliseconds, while it trains
const WIDE = 700; // pixels: the text beside the curve
const REFUSED = "This page may not start a worker, so nothing can be trained here.";

// Play, one step, another start.
/** @type {(isOn: boolean, run: import("./run.js").Run, turn: (on: boolean) => void, restart: () => void) => unknown} */
const buttons = (isOn, run, turn, restart) => html`<div class="inorder-buttons"><button type="button"
  class="inorder-button inorder-play" @click=${() => turn(!isOn)}>${isOn ? "Pause" : "Play"}</button>
  ${button({ label: "One step", isDisabled: isOn, onClick: run.step })}
  ${button({ label: "Another start", onClick: restart })}</div>`;

// The task, and the positions of each model, by the line that it draws.
/** @type {(shell: Frame, known: Known, state: State) => unknown} */
function choices(shell, known, state) {
  /** @type {[string, string][]} */
  const schemes = Object.entries(known.schemes).map(([value, { label }]) => [value, label]);
  const questions = /** @type {[State["task"], string][]} */ (Object.entries(known.questions));
  const task = select({
    label: "Task",
    value: state.task,
    options: questions,
    onInput: (value) => shell.change({ task: value }),
  });
  const models = /** @type {const} */ (["first", "second"]).map((which) =>
    select({
      label: lineKey(which),
      name: `Positions of the ${which} model, the ${which === "first" ? "dashed" : "solid"} line`,
      value: state[which],
      options: schemes,
      onInput: (value) => shell.change({ [which]: value }),
    }),
  );
  return [task, models];
}

/** @type {(context: Context<State, import("./run.js").Sent>) => () => void} */
function render({ model, el, page }) {
  const known = model.get("known");
  const sentences = model.get("sentences");
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
  const text = oneText((example) => shell.change({ example }));
  const restart = () => {
    const { low, high } = shell.limits.seed;
    const { seed } = shell.state();
    turn(false);
    shell.change({ seed: seed < high ? seed + 1 : low });
  };

  let asked = -Infinity; // when the models were asked last,
  let question = ""; // and for what: after as many steps with the same settings they say the same
  /** @type {ReturnType<typeof verdicts>[] | null} */
  let said = null;
  /** @type {(state: State) => void} */
  function ask(state) {
    const found = run.found();
    const next = JSON.stringify([state, found.nSteps]);
    const isSoon = model.get("running") && performance.now() - asked < SAID_EVERY;
    if (next === question || isSoon || found.numbers.length === 0) return;
    asked = performance.now();
    question = next;
    const task = taskOf(state, known);
    said = found.models.map((one, which) =>
      verdicts(state.example, task, known.letters, one, found.numbers[which], state.mask === "causal"),
    );
  }

  const redraw = shell.follow(
    (state, _dark, width) => {
      const found = run.found();
      const em = Number.parseFloat(getComputedStyle(shell.root).fontSize);
      const half = width < WIDE ? width : (width - 2.4 * em) / 2;
      ask(state);
      draw(html`${buttons(model.get("running"), run, turn, restart)}${choices(shell, known, state)}`, shell.controls);
      const curve = accuracyChart(state, found, known, { width: half, height: 14 * em, em });
      draw(
        html`${curve}${text.template(state.example, labelsOf(state, known), said, state.task === "which-first", found.nSteps > 0)}`,
        shell.stage,
      );
      text.draw();
      shell.answer(summarise(sentences, state, found, known), {
        sign: signOf(found),
        note: noteOf(sentences, state, known),
      });
      if (run.isRefused()) shell.notify(REFUSED);
    },
    ["running"],
  );
  let frame = 0; // reports come faster than frames
  const leave = run.follow(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(redraw);
  });
  shell.whenClosed(leave);
  shell.whenClosed(text.stop);
  shell.whenClosed(() => cancelAnimationFrame(frame));
  return shell.close;
}

export default { render };
