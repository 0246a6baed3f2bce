// One layer in full: what the last query finds at each token of both prompts, and whether its partner has the same.

import { ROUNDING } from "../kit/arithmetic.js";
import { numbersTable } from "../kit/inputs.js";
import { html, nothing } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { magnitude, PROMPTS } from "./reading.js";

const NAMES = { seen: "has seen", query: "query", key: "keys", weights: "weights", value: "values", sum: "sum" };

/** @type {(change: number | number[], name?: string) => unknown} */
const sign = (change, name) => {
  const differs = magnitude(change) > ROUNDING;
  return html`<strong data-sign=${name ?? nothing} role="img" aria-label=${differs ? "different" : "the same"}>${differs ? "≠" : "="}</strong>`;
};

/** @type {(computed: import("./reading.js").Computed, layer: number, head: number) => unknown} */
export function layerPanel({ read, layers }, layer, head) {
  const comparison = layers[layer];
  /** @type {(which: "first" | "second", prompt: number) => unknown} */
  function table(which, prompt) {
    const { seen, weights } = read[prompt].layers[layer];
    const tokens = read[prompt].prompt;
    // Changes are listed by the places of the second prompt.
    const places = tokens.map((_, place) => (prompt === 0 ? comparison.partner.indexOf(place) : place));
    const weight = (/** @type {number} */ x, /** @type {number} */ place) =>
      html`<td data-name="${which}-weights" data-row=${layer} data-col=${place} data-value=${x}>${formatNumber(x)}</td>`;
    return numbersTable(`What the query finds in the ${which} prompt, layer ${layer}`, tokens, [
      [NAMES.seen, seen.map((names) => html`<td>${names.join(" ")}</td>`)],
      [NAMES.key, places.map((at) => html`<td>${sign(comparison.key[at])}</td>`)],
      [NAMES.weights, weights[head].map(weight)],
      [NAMES.value, places.map((at) => html`<td>${sign(comparison.value[at])}</td>`)],
    ]);
  }
  const signs = /** @type {[keyof typeof NAMES, string][]} */ (Object.entries(NAMES)).map(
    ([name, text]) => html`<span>${text} ${sign(comparison[name], name)}</span>`,
  );
  return html`<div class="inorder-lab-layer"><p role="group" aria-label="Between the two prompts">${signs}</p>
    <div class="inorder-lab-tables">${PROMPTS.map(table)}</div></div>`;
}
