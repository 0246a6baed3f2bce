// The controls of a figure: a slider over states, a choice, a switch. Each has set(place), which shows the state at that
// place of its keys without reporting it. What is typed comes with boxes.js.

import { make, uniqueId } from "../kit/elements.js";
import { PARTS } from "../kit/marks.js";

/** @typedef {{ root: HTMLElement, set: (at: number) => void }} Setting */

/** @typedef {(key: import("./states.js").Key) => void} Change */

/** @typedef {import("./states.js").Control} Control */

const WALK = 6000; // milliseconds that a walk through a slider takes
const SHORTEST_STEP = 60;
const LONGEST_STEP = 900;
const MOST_LETTERS_IN_A_ROW = 40; // choices with more stand in a list

/** @type {(control: Control, change: Change, around: import("./boxes.js").Around) => Setting} */
export function settingOf(control, change, around) {
  const plain = plainSetting(control, change);
  return (control.typed && PARTS.boxes?.[control.kind]?.(control, change, plain, around)) || plain;
}

/** @type {(control: Control, change: Change) => Setting} */
function plainSetting(control, change) {
  if (control.kind === "slider") return slider(control, change);
  if (control.kind === "switch") return toggle(control, change);
  const letters = control.texts.join("").length + 3 * control.texts.length;
  return (letters <= MOST_LETTERS_IN_A_ROW && control.kind === "choice" ? row : list)(control, change);
}

/** @type {(control: Control, change: Change) => Setting} */
function slider({ label, keys, texts, ends, by_hand }, change) {
  const id = uniqueId("inorder-setting");
  const last = keys.length - 1;
  const range = make("input", {
    type: "range",
    id,
    min: 0,
    max: last,
    step: 1,
    oninput: () => change(keys[range.valueAsNumber]),
  });
  const value = make("span", { class: "inorder-setting-value", "aria-hidden": "true" });
  value.style.minWidth = `${Math.max(...texts.map((text) => text.length))}ch`;
  const names = make(
    "span",
    { class: "inorder-ends", "aria-hidden": "true" },
    ...ends.map((end) => make("span", {}, end)),
  );
  const root = make(
    "div",
    { class: `inorder-setting is-slider ${by_hand ? "is-beside" : ""}` },
    make("label", { for: id }, label),
    range,
    value,
    names,
  );
  /** @type {(at: number) => void} */
  const set = (at) => {
    range.value = String(at);
    range.style.setProperty("--at", `${(100 * at) / last}%`);
    range.setAttribute("aria-valuetext", texts[at]);
    if (value.textContent !== texts[at]) value.textContent = texts[at];
  };
  return { root, set };
}

/** @type {(control: Control, change: Change) => Setting} */
function toggle({ label }, change) {
  const box = make("input", { type: "checkbox", role: "switch", onchange: () => change(box.checked) });
  const root = make("label", { class: "inorder-setting is-switch" }, box, make("span", {}, label));
  return {
    root,
    set: (at) => {
      box.checked = at === 1;
    },
  };
}

/** @type {(control: Control, change: Change) => Setting} */
function row({ label, keys, texts }, change) {
  const group = uniqueId("inorder-setting");
  const boxes = keys.map((key) => make("input", { type: "radio", name: group, onchange: () => change(key) }));
  const choices = boxes.map((box, i) => make("label", {}, box, make("span", {}, texts[i])));
  const root = make(
    "div",
    { class: "inorder-setting is-row", role: "radiogroup", "aria-label": label },
    make("span", { class: "inorder-setting-name", "aria-hidden": "true" }, label),
    make("div", {}, ...choices),
  );
  return {
    root,
    set: (at) => {
      boxes[at].checked = true;
    },
  };
}

/** @type {(control: Control, change: Change) => Setting} */
function list({ label, keys, texts, by_hand }, change) {
  const input = make(
    "select",
    { onchange: () => change(keys[input.selectedIndex]) },
    ...texts.map((text) => make("option", {}, text)),
  );
  const root = make("label", { class: "inorder-setting is-list", hidden: by_hand }, make("span", {}, label), input);
  return {
    root,
    set: (at) => {
      input.selectedIndex = at;
    },
  };
}

// A button that walks a slider from where it is, now(), to its end. It rests where the reader asked for less motion.
// pace(): the milliseconds that a step takes, while it walks; it waits for a state that has not come.
/**
 * @type {(control: Control, now: () => number, change: Change, isWaiting: () => boolean) => { root: HTMLElement, stop: () => void,
 *   pace: () => number | undefined, close: () => void }}
 */
export function playButton({ keys, label }, now, change, isWaiting) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const button = make("button", { type: "button", class: "inorder-play", "aria-label": `Play ${label}` });
  const interval = Math.min(Math.max(WALK / keys.length, SHORTEST_STEP), LONGEST_STEP);
  const show = () => {
    button.textContent = timer ? "Pause" : "Play";
    button.setAttribute("aria-label", `${button.textContent} ${label}`);
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    show();
  };
  const step = () => {
    if (isWaiting()) return;
    const next = now() + 1;
    if (next < keys.length) change(keys[next]);
    if (next >= keys.length - 1) stop();
  };
  button.addEventListener("click", () => {
    if (timer) return stop();
    if (now() === keys.length - 1) change(keys[0]);
    timer = setInterval(step, interval);
    return show();
  });
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const rest = () => {
    button.hidden = calm.matches;
    if (calm.matches) stop();
  };
  calm.addEventListener("change", rest);
  rest();
  show();
  const close = () => {
    stop();
    calm.removeEventListener("change", rest);
  };
  return { root: button, stop, pace: () => (timer ? interval : undefined), close };
}
