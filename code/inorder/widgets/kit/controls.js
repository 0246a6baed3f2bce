// What the reader presses and moves: native inputs with their labels. Each has `root`, to be placed, and `set`, which
// shows a value without reporting it.

import { make, setAttributes, uniqueId } from "./elements.js";
import { BREAKS, fits } from "./limits.js";

/** @param {{ label: string, text?: string, onClick: (event: Event) => void }} options */
export function button({ label, text = label, onClick }) {
  return make("button", { type: "button", class: "inorder-button", "aria-label": label, onclick: onClick }, text);
}

/**
 * A box for the reader's own words, cut at their spaces. `claim` begins what is told of words that do not fit: "A text
 * here has". `onInput` may return why it does not take them either.
 * @param {{ label: string, limits: Limit, claim: string, words: () => string[], notify: (text: string) => void,
 *   onInput: (words: string[]) => string | void }} options
 */
export function wordsBox({ label, limits, claim, words, notify, onInput }) {
  const { fewest, most, longest } = limits;
  const typed = () => root.value.split(BREAKS).filter(Boolean);
  const root = make("input", {
    type: "text",
    "aria-label": label,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    dir: "auto",
    oninput: () => {
      if (fits(limits, typed())) notify(onInput(typed()) ?? "");
      else notify(`${claim} ${fewest} to ${most} words of up to ${longest} letters each.`);
    },
    onchange: () => {
      root.value = words().join(" ");
      notify("");
    },
  });
  const set = (/** @type {string[]} */ next) => {
    const text = next.join(" ");
    if (typed().join(" ") !== text.split(BREAKS).join(" ")) root.value = text; // a space stays while it is being typed
  };
  return { root, set };
}

/**
 * A slider and, for exact values, a number box. `scale: "log"`: equal distances are equal factors.
 * @param {{ label: string, low: number, high: number, step?: number, scale?: "linear" | "log",
 *   onInput: (value: number) => void }} options
 */
export function slider({ label, low, high, step = 0.01, scale = "linear", onInput }) {
  const isLog = scale === "log";
  const toRange = (/** @type {number} */ value) => (isLog ? Math.log10(value) : value);
  const fromRange = (/** @type {number} */ way) => (isLog ? Number((10 ** way).toPrecision(3)) : way);
  const range = make("input", {
    type: "range",
    step: isLog ? "any" : step,
    "aria-label": label,
    oninput: () => onInput(fromRange(range.valueAsNumber)),
  });
  const box = make("input", {
    type: "number",
    step: "any",
    "aria-label": `${label}, as a number`,
    oninput: () => {
      if (box.value !== "" && box.validity.valid && (!isLog || box.valueAsNumber > 0)) onInput(box.valueAsNumber);
      markRefused();
    },
    onchange: () => set(shown), // a number that was refused does not stay
  });
  // A swipe that scrolls the page moves a slider on which it begins, until the browser knows that it is a scroll.
  let [shown, before] = [low, low];
  range.addEventListener("pointerdown", () => {
    before = shown;
  });
  range.addEventListener("pointercancel", () => {
    if (shown !== before) onInput(before);
  });
  const name = make("span", { class: "inorder-slider-name", "aria-hidden": "true" }, label); // both inputs are named already

  function limit(/** @type {{ low: number, high: number }} */ ends) {
    [low, high] = [ends.low, ends.high];
    setAttributes(range, { min: toRange(low), max: toRange(high) });
  }
  function set(/** @type {number} */ value) {
    shown = value;
    const [way, least, most] = [value, low, high].map(toRange);
    const ends = { min: way < least ? Math.floor(way) : least, max: way > most ? Math.ceil(way) : most };
    setAttributes(range, ends); // Python may set a value outside them
    range.value = String(way);
    range.style.setProperty("--at", `${(100 * (way - ends.min)) / (ends.max - ends.min)}%`);
    if (isLog) setAttributes(range, { "aria-valuetext": value });
    if (box.valueAsNumber !== value) box.value = String(value); // "1." must stay as it is while being typed
    markRefused();
  }
  // Marks the box while it holds a number that the figure does not take.
  function markRefused() {
    setAttributes(box, { "aria-invalid": box.value !== "" && box.valueAsNumber !== shown });
  }
  function rename(/** @type {string} */ text) {
    name.textContent = text;
    range.setAttribute("aria-label", text);
    box.setAttribute("aria-label", `${text}, as a number`);
  }
  limit({ low, high });
  return { root: make("div", { class: "inorder-slider" }, name, range, box), range, box, set, limit, rename };
}

/**
 * A switch. `actor`: the colour that it takes when it is on, as "position".
 * @param {{ label: string, actor?: string, onInput: (on: boolean) => void }} options
 */
export function toggle({ label, actor = "ink", onInput }) {
  const input = make("input", { type: "checkbox", role: "switch", onchange: () => onInput(input.checked) });
  const text = make("span", {}, label);
  const set = (/** @type {boolean} */ on) => {
    input.checked = on;
  };
  return { root: make("label", { class: `inorder-toggle is-${actor}` }, input, text), input, text, set };
}

/**
 * A choice among a few options, all in sight.
 * @template {string} Value
 * @param {{ label: string, options: [Value, string][], onInput: (value: Value) => void }} options as [value, text]
 */
export function radios({ label, options, onInput }) {
  const group = uniqueId("radios");
  const inputs = options.map(([value]) =>
    make("input", { type: "radio", name: group, value, onchange: () => onInput(value) }),
  );
  const labels = options.map(([, text], i) => make("label", {}, inputs[i], make("span", {}, text)));
  const legend = make("legend", {}, label);
  const set = (/** @type {string} */ value) => {
    for (const input of inputs) input.checked = input.value === value;
  };
  return { root: make("fieldset", { class: "inorder-radios" }, legend, ...labels), legend, inputs, set };
}

/**
 * A choice among many options.
 * @template {string} Value
 * @param {{ label: string, options: [Value, string][], onInput: (value: Value) => void }} options as [value, text]
 */
export function select({ label, options, onInput }) {
  const choices = options.map(([value, text]) => make("option", { value }, text));
  const input = make("select", { onchange: () => onInput(/** @type {Value} */ (input.value)) }, ...choices);
  const set = (/** @type {string} */ value) => {
    input.value = value;
  };
  return { root: make("label", { class: "inorder-select" }, label, input), input, set };
}
