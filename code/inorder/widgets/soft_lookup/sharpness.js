// β, from a uniform average to the hard look-up: a slider whose last stop is infinity.

import { make, uniqueId } from "../kit/elements.js";
import { formatNumber, tidy } from "../kit/words.js";

const HARD_STOP = 100; // the last stop of the slider; the one before it is β = 20
const GROWTH = Math.log(201) / (HARD_STOP - 1);
/** @type {(stop: number) => number} */
const stopToSharpness = (stop) => tidy(Math.expm1(GROWTH * stop) / 10);
/** @type {(sharpness: number) => number} */
const sharpnessToStop = (sharpness) => Math.min(Math.round(Math.log1p(10 * sharpness) / GROWTH), HARD_STOP - 1);

/**
 * @type {(options: Ends & { onInput: (parts: Partial<SoftLookupState>) => void }) => { root: HTMLElement,
 *   update: (state: SoftLookupState) => void }}
 */
export function sharpnessControl({ low, high, onInput }) {
  const id = uniqueId("inorder-sharpness");
  const range = make("input", {
    type: "range",
    min: 0,
    max: HARD_STOP,
    step: 1,
    "aria-labelledby": id,
    oninput: () => {
      const stop = range.valueAsNumber;
      onInput(stop === HARD_STOP ? { hard: true } : { hard: false, sharpness: stopToSharpness(stop) });
    },
  });
  // A swipe that scrolls the page moves a slider on which it begins, until the browser knows that it is a scroll.
  let [current, before] = [{}, {}]; // what was shown last, and when the swipe began
  range.addEventListener("pointerdown", () => {
    before = current;
  });
  range.addEventListener("pointercancel", () => onInput(before));
  const box = make("input", {
    type: "number",
    min: low,
    max: high,
    step: "any",
    "aria-label": "Sharpness β, as a number",
    oninput: () => {
      if (box.value !== "" && box.validity.valid) onInput({ hard: false, sharpness: box.valueAsNumber });
    },
  });
  const name = make("span", { class: "inorder-slider-name", id, "aria-hidden": "true" }, "Sharpness β");
  const ends = make(
    "span",
    { class: "inorder-ends", "aria-hidden": "true" },
    make("span", {}, "0: uniform"),
    make("span", {}, "∞: hard"),
  );
  const track = make("span", { class: "inorder-track" }, range, ends);
  const root = make("div", { class: "inorder-slider inorder-sharpness" }, name, track, box);

  /** @type {(state: SoftLookupState) => void} */
  function update({ sharpness, hard }) {
    current = { sharpness, hard };
    range.value = String(hard ? HARD_STOP : sharpnessToStop(sharpness));
    range.setAttribute("aria-valuetext", hard ? "hard look-up" : formatNumber(sharpness));
    if (hard) box.value = "";
    else if (box.valueAsNumber !== sharpness) box.value = String(sharpness); // "1." must stay while being typed
    box.placeholder = hard ? "∞" : "";
  }
  return { root, update };
}
