// What a reader types into: a number for a slider with many stops, and a text. Only figures with such a control load
// this file. `notify` says what became of a number that is not a stop.

import { make, setAttributes, uniqueId } from "../kit/elements.js";
import { PARTS } from "../kit/marks.js";

/** @typedef {import("./states.js").Control} Control */

/** @typedef {import("./settings.js").Setting} Setting */

/** @typedef {import("./settings.js").Change} Change */

/** @typedef {{ notify: (text: string) => void, onPage: boolean }} Around onPage: there is no kernel */

/** @typedef {(control: Control, change: Change, plain: Setting, around: Around) => Setting} MakeBox in place of `plain` */

// A number as a reader types it: "−1,5" is −1.5.
/** @type {(typed: string) => number} */
const numberOf = (typed) => (typed.trim() === "" ? Number.NaN : Number(typed.replace("−", "-").replace(",", ".")));

/** @type {MakeBox} */
function number({ label, keys, texts }, change, slider, { notify }) {
  const last = keys.length - 1;
  let shown = 0;
  let hasTold = false;
  /** @type {(text: string) => void} */
  const tell = (text) => {
    if (text || hasTold) notify(text);
    hasTold = text !== "";
  };
  /** @type {(at: number) => void} */
  const go = (at) => {
    if (at !== shown) change(keys[at]);
    box.value = texts[at];
  };
  function take() {
    const typed = box.value.trim();
    if (typed === texts[shown]) return;
    const value = numberOf(typed);
    if (Number.isNaN(value)) {
      box.value = texts[shown];
      tell(`“${typed}” is not a number: ${label} goes from ${texts[0]} to ${texts[last]}.`);
      return;
    }
    const distances = keys.map((key) => Math.abs(Number(key) - value));
    const at = distances.indexOf(Math.min(...distances));
    const isOutside = value < Number(keys[0]) || value > Number(keys[last]);
    const nearest = isOutside ? `${label} goes from ${texts[0]} to ${texts[last]}` : `${label} has no stop there`;
    go(at);
    tell(Number(keys[at]) === value ? "" : `${typed} became ${texts[at]}: ${nearest}.`);
  }
  const box = make("input", {
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    class: "inorder-box",
    "aria-label": `${label}, as a number from ${texts[0]} to ${texts[last]}`,
    onchange: take,
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter") take(); // JupyterLab takes it from the browser, which would report a change
      const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      go(Math.min(Math.max(shown + step, 0), last));
    },
    onfocus: () => box.select(),
  });
  box.style.width = `${Math.max(...texts.map((text) => text.length)) + 2}ch`;
  slider.root.querySelector(".inorder-setting-value")?.replaceWith(box);
  slider.root.addEventListener("input", ({ target }) => {
    if (target !== box) tell("");
  });
  return {
    root: slider.root,
    set(at) {
      slider.set(at);
      if (at !== shown || document.activeElement !== box) box.value = texts[at];
      shown = at;
    },
  };
}

// With a kernel the box takes any text; a page has only those that it stores, and says so.
/** @type {MakeBox} */
function text(control, change, list, { onPage }) {
  if (onPage) {
    list.root.append(
      make("span", { class: "inorder-box-note" }, "This page offers the texts that it stores; a notebook takes any."),
    );
    return list;
  }
  const id = uniqueId("inorder-texts");
  const suggestions = make("datalist", { id });
  let shown = "";
  const box = make("input", {
    type: "text",
    list: id,
    autocomplete: "off",
    spellcheck: "false",
    class: "inorder-box",
    onchange: take,
    onkeydown: (/** @type {KeyboardEvent} */ { key }) => key === "Enter" && take(),
  });
  function take() {
    const { keys, texts } = control;
    if (box.value === shown) return;
    if (!keys.includes(box.value)) Object.assign(control, { keys: [...keys, box.value], texts: [...texts, box.value] });
    change(box.value);
  }
  const root = make("label", { class: "inorder-setting is-text" }, make("span", {}, control.label), box, suggestions);
  return {
    root,
    set(at) {
      const { texts } = control;
      if (suggestions.childElementCount !== texts.length)
        suggestions.replaceChildren(...texts.map((value) => make("option", { value })));
      shown = texts[at];
      if (box.value !== shown) box.value = shown;
      setAttributes(box, { size: Math.min(Math.max(shown.length + 2, 24), 60) });
    },
  };
}

PARTS.boxes = { slider: number, text };
