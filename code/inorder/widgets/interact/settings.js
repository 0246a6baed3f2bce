// The controls of a figure, each a template of the place of its state among its keys: a slider over states, a choice, a
// switch. What is typed comes with boxes.js.

import { clamp } from "../kit/arithmetic.js";
import { button, radios, select, slider, toggle } from "../kit/inputs.js";
import { PARTS } from "../kit/marks.js";
import { html, nothing } from "../kit/vendor/lit.js";

/** @typedef {(at: number, beside?: unknown) => unknown} Setting `beside`: what stands beside a slider */
/** @typedef {(key: Key) => void} Change */
const WALK = 6000; // milliseconds that a walk through a slider takes
const SHORTEST_STEP = 60;
const LONGEST_STEP = 900;
const MOST_LETTERS_IN_A_ROW = 40; // choices with more stand in a list

/** @type {(control: Control, change: Change, around: import("./boxes.js").Around) => Setting} */
export function settingOf(control, change, around) {
  const plain = plainSetting(control, change, around);
  return (control.typed && PARTS.boxes?.[control.kind]?.(control, change, plain, around)) || plain;
}

/** @type {(control: Control, change: Change, around: import("./boxes.js").Around) => Setting} */
function plainSetting(control, change, { notify }) {
  const { kind, label, ends, by_hand } = control;
  if (by_hand && !control.typed) return () => nothing;
  if (kind === "slider") {
    const width = Math.max(...control.texts.map((text) => text.length));
    return (at, beside) => {
      const text = control.texts[at];
      const value = html`<span class="inorder-slider-value" aria-hidden="true" style="min-width: ${width}ch">${text}</span>`;
      return html`<div class="inorder-setting is-wide">${slider({
        label,
        value: at,
        low: 0,
        high: control.keys.length - 1,
        step: 1,
        text,
        ends,
        beside: beside ?? value,
        onInput(next) {
          if (control.typed) notify("");
          change(control.keys[next]);
        },
      })}</div>`;
    };
  }
  if (kind === "switch") return (at) => toggle({ label, value: at === 1, onInput: change });
  const choice = () => ({
    label,
    options: control.texts.map((text, i) => /** @type {[string, string]} */ ([String(i), text])),
    onInput: (/** @type {string} */ i) => change(control.keys[Number(i)]),
  });
  const letters = control.texts.join("").length + 3 * control.texts.length;
  const isRow = letters <= MOST_LETTERS_IN_A_ROW && kind === "choice";
  const choose = isRow ? radios() : select;
  return (at) => choose({ ...choice(), value: String(at) });
}

/**
 * A walk through a slider from where it is, now(), to its end. It rests where the reader asked for less motion. pace(): the
 * milliseconds that a step takes, while it walks; it waits for a state that has not come.
 * @param {{ control: Control, now: () => number, change: Change, isWaiting: () => boolean, redraw: () => void }} options
 */
export function walk({ control: { keys, label }, now, change, isWaiting, redraw }) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const interval = clamp(WALK / keys.length, SHORTEST_STEP, LONGEST_STEP);
  function stop() {
    if (!timer) return;
    clearInterval(timer);
    timer = undefined;
    redraw();
  }
  function step() {
    if (isWaiting()) return;
    const next = now() + 1;
    if (next < keys.length) change(keys[next]);
    if (next >= keys.length - 1) stop();
  }
  function start() {
    if (now() === keys.length - 1) change(keys[0]);
    timer = setInterval(step, interval);
    redraw();
  }
  function rest() {
    stop();
    redraw();
  }
  calm.addEventListener("change", rest);
  return {
    stop,
    pace: () => (timer ? interval : undefined),
    close() {
      clearInterval(timer);
      calm.removeEventListener("change", rest);
    },
    button() {
      const text = timer ? "Pause" : "Play";
      return calm.matches ? nothing : button({ label: `${text} ${label}`, text, onClick: timer ? stop : start });
    },
  };
}
