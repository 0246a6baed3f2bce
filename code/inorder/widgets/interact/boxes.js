// What a reader types into: a number for a slider with many stops, and a text. Only figures with such a control load
// this file. `notify` says what became of a number that is not a stop.

import { clamp } from "../kit/arithmetic.js";
import { uniqueId } from "../kit/elements.js";
import { PARTS } from "../kit/marks.js";
import { html, live, ref } from "../kit/vendor/lit.js";

/** @typedef {import("./settings.js").Setting} Setting */
/** @typedef {import("./settings.js").Change} Change */
/** @typedef {{ notify: (text: string) => void, onPage: boolean }} Around onPage: there is no kernel */
/** @typedef {(control: Control, change: Change, plain: Setting, around: Around) => Setting} MakeBox in place of `plain` */

/** @type {(event: Event) => HTMLInputElement} */
const from = ({ target }) => /** @type {HTMLInputElement} */ (target);
// JupyterLab takes Enter from the browser, which would report a change.
/** @type {(take: (event: Event) => void) => (event: KeyboardEvent) => void} */
const onEnter = (take) => (event) => event.key === "Enter" && take(event);

// A number as a reader types it: "−1,5" is −1.5.
/** @type {(typed: string) => number} */
const numberOf = (typed) => (typed.trim() === "" ? Number.NaN : Number(typed.replace("−", "-").replace(",", ".")));

/** @type {MakeBox} */
function number({ label, keys, texts }, change, slider, { notify }) {
  const last = keys.length - 1;
  const range = `${label} goes from ${texts[0]} to ${texts[last]}`;
  const width = Math.max(...texts.map((text) => text.length)) + 2;
  let shown = 0;
  /** @type {(box: HTMLInputElement, at: number) => void} */
  function go(box, at) {
    if (at !== shown) change(keys[at]);
    box.value = texts[at];
  }
  /** @type {(event: Event) => void} */
  function take(event) {
    const box = from(event);
    const typed = box.value.trim();
    if (typed === texts[shown]) return;
    const value = numberOf(typed);
    if (Number.isNaN(value)) {
      box.value = texts[shown];
      notify(`“${typed}” is not a number: ${range}.`);
      return;
    }
    const distances = keys.map((key) => Math.abs(Number(key) - value));
    const at = distances.indexOf(Math.min(...distances));
    const isOutside = value < Number(keys[0]) || value > Number(keys[last]);
    go(box, at);
    const reason = isOutside ? range : `${label} has no stop there`;
    notify(Number(keys[at]) === value ? "" : `${typed} became ${texts[at]}: ${reason}.`);
  }
  /** @type {(event: KeyboardEvent) => void} */
  function press(event) {
    onEnter(take)(event);
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    go(from(event), clamp(shown + step, 0, last));
  }
  return (at) =>
    slider(
      at,
      html`<input type="text" inputmode="decimal" autocomplete="off" class="inorder-box" style="width: ${width}ch"
        aria-label="${label}, as a number from ${texts[0]} to ${texts[last]}" @change=${take} @keydown=${press}
        @focus=${(/** @type {Event} */ event) => from(event).select()}
        ${ref((box) => {
          if (!(box instanceof HTMLInputElement)) return;
          if (at !== shown || document.activeElement !== box) box.value = texts[at];
          shown = at;
        })}>`,
    );
}

// With a kernel the box takes any text; a page has only those that it stores, and says so.
/** @type {MakeBox} */
function text(control, change, list, { onPage }) {
  if (onPage) {
    return (at) => html`${list(at)}<span class="inorder-box-note">This page offers the texts that it stores; a notebook
      takes any.</span>`;
  }
  const id = uniqueId("inorder-texts");
  let shown = "";
  /** @type {(event: Event) => void} */
  function take(event) {
    const { value } = from(event);
    const { keys, texts } = control;
    if (value === shown) return;
    if (!keys.includes(value)) Object.assign(control, { keys: [...keys, value], texts: [...texts, value] });
    change(value);
  }
  return (at) => {
    shown = control.texts[at];
    return html`<label class="inorder-select is-text">${control.label}<input type="text" list=${id} autocomplete="off"
      spellcheck="false" class="inorder-box" size=${clamp(shown.length + 2, 24, 60)} .value=${live(shown)}
      @change=${take} @keydown=${onEnter(take)}><datalist id=${id}>${control.texts.map(
        (value) => html`<option value=${value}></option>`,
      )}</datalist></label>`;
  };
}

PARTS.boxes = { slider: number, text };
