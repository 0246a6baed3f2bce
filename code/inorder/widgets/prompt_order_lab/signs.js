// Where do the prompts diverge? A row of = and ≠: whose query, each layer, the next token. Press a layer to open it.

import { ROUNDING } from "../kit/arithmetic.js";
import { make, setAttributes, write } from "../kit/elements.js";
import { formatDifference } from "../kit/words.js";

/** @typedef {import("./reading.js").Computed} Computed */

/**
 * @type {(name: "span" | "button", text: string, attributes: Parameters<typeof make>[1]) => { root: HTMLElement,
 *   set: (differs: boolean) => void, measure: (words: string, value: number) => void }}
 */
function station(name, text, attributes) {
  const sign = make("span", { class: "inorder-sign", "aria-hidden": "true" });
  const label = make("span", {}, text);
  const root = make(name, { class: "inorder-lab-station", ...attributes }, sign, label);
  /** @type {(differs: boolean) => void} */
  function set(differs) {
    write(sign, differs ? "≠" : "=");
    sign.classList.toggle("is-different", differs);
    root.classList.toggle("is-after", differs);
  }
  /** @type {(words: string, value: number) => void} */
  function measure(words, value) {
    setAttributes(root, { "data-value": value, title: `${words} ${formatDifference(value)}` });
  }
  return { root, set, measure };
}

// onOpen(layer): the reader wants to see that layer in full, or to close it.
/**
 * @type {(nLayers: number, onOpen: (layer: number) => void) => { root: HTMLElement, update: (computed: Computed,
 *   depth: number, opened: number | null) => void }}
 */
export function signRow(nLayers, onOpen) {
  const cell = (/** @type {string} */ name, /** @type {number} */ row) => ({
    "data-name": name,
    "data-row": row,
    "data-col": 0,
  });
  const asker = station("span", "whose query", { role: "img" });
  const layers = Array.from({ length: nLayers }, (_, layer) =>
    station("button", `layer ${layer}`, { type: "button", onclick: () => onOpen(layer), ...cell("changes", layer) }),
  );
  const next = station("span", "next token", { role: "img", ...cell("distance", 0) });
  const root = make(
    "div",
    { class: "inorder-lab-signs", role: "group", "aria-label": "Where do they diverge?" },
    ...[asker, ...layers, next].map((one) => one.root),
  );

  // opened: the layer that is shown in full, or null
  /** @type {(computed: Computed, depth: number, opened: number | null) => void} */
  function update({ read, layers: comparisons, distance }, depth, opened) {
    const inWords = (/** @type {boolean} */ differs) => (differs ? "different" : "the same");
    const other = read[0].prompt.at(-1) !== read[1].prompt.at(-1);
    asker.set(other);
    asker.root.setAttribute("aria-label", `Whose query: ${inWords(other)}`);
    next.set(distance > ROUNDING);
    next.measure("total variation distance", distance);
    next.root.setAttribute("aria-label", `Next token: ${inWords(distance > ROUNDING)}`);
    layers.forEach(({ root, set, measure }, layer) => {
      const button = /** @type {HTMLButtonElement} */ (root);
      if (button.hidden !== layer >= depth) button.hidden = layer >= depth; // written again, it costs its styles
      if (button.hidden) return;
      const differs = comparisons[layer].differing.length > 0;
      set(differs);
      measure("largest difference", comparisons[layer].change);
      button.setAttribute("aria-label", `Layer ${layer}: ${inWords(differs)}; show it in full`);
      button.setAttribute("aria-pressed", String(layer === opened));
    });
  }
  return { root, update };
}
