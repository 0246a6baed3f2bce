// One layer in full: a column for each token of both prompts, as the last query finds it.

import { ROUNDING } from "../kit/arithmetic.js";
import { divergingColour, sequentialColour } from "../kit/colour.js";
import { html, nothing } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { magnitude, PROMPTS } from "./reading.js";
import { quoted } from "./words.js";

/** @typedef {import("./reading.js").Comparison} Comparison */
/** @typedef {import("./reading.js").LayerRead} LayerRead */

const MOST_ENTRIES = 16; // of a vector, in sight
const NAMES = {
  seen: "has seen",
  query: "query",
  key: "keys",
  weights: "weights",
  letter: "",
  number: "",
  value: "values",
  sum: "sum",
};

/** @type {(name: string, colours: string[], differs?: boolean) => unknown} */
const strip = (name, colours, differs = false) => html`<span
  class="inorder-lab-strip is-${name} ${differs ? "is-different" : ""}">${colours.map(
    (colour) => html`<i style="background-color: ${colour}"></i>`,
  )}</span>`;

// The names of the rows. Those of the second, between the prompts, carry signs.
/** @type {(which: string, comparison: Comparison) => unknown} */
function rowNames(which, comparison) {
  const lines = Object.entries(NAMES).map(([name, text]) => {
    if (name === "letter") return html`<span class="is-prompt" aria-hidden="true">${which}</span>`;
    if (which === "first" || !text) return html`<span aria-hidden="true">${text}</span>`;
    const differs = magnitude(comparison[/** @type {"query"} */ (name)]) > ROUNDING;
    return html`<span>${text} <strong data-sign=${name} role="img"
      aria-label=${differs ? "different" : "the same"}>${differs ? "≠" : "="}</strong></span>`;
  });
  const role = which === "second" ? "group" : nothing;
  const label = which === "second" ? "Between the two prompts" : nothing;
  return html`<div class="inorder-lab-names is-${which}" role=${role} aria-label=${label}>${lines}</div>`;
}

/** @type {(computed: import("./reading.js").Computed, layer: number, head: number, everyone: string[], dark: boolean) => unknown} */
export function layerPanel({ read, layers }, layer, head, everyone, dark) {
  const comparison = layers[layer];
  const pair = read.map((reading) => reading.layers[layer]);
  const largest = magnitude(pair.map(({ query, key, value, sum }) => [query[head], key[head], value[head], sum[head]]));
  const strongest = magnitude(pair.map(({ weights }) => weights[head]));
  /** @type {(name: "query" | "key" | "value" | "sum", vector: number[], change: number) => unknown} */
  const vector = (name, numbers, change) =>
    strip(
      name,
      numbers.slice(0, MOST_ENTRIES).map((x) => divergingColour(x / largest, dark).fill),
      change > ROUNDING,
    );

  /** @type {(prompt: number, token: string, place: number) => unknown} */
  function column(prompt, token, place) {
    const { seen, query, key, value, sum, weights } = pair[prompt];
    const isLast = place === weights[head].length - 1;
    const [inFirst, inSecond] =
      prompt === 0 ? [place, comparison.partner.indexOf(place)] : [comparison.partner[place], place];
    const weight = weights[head][place];
    const other = pair[1 - prompt].weights[head][prompt === 0 ? inSecond : inFirst];
    const unseen = [...seen[place]];
    const marks = everyone.map((one) => {
      const at = unseen.indexOf(one);
      if (at >= 0) unseen.splice(at, 1);
      return sequentialColour(at >= 0 ? 1 : 0.15, dark).fill;
    });
    const label = `${quoted(token)} in the ${PROMPTS[prompt]} prompt, layer ${layer}: weight ${formatNumber(weight)}, has seen ${seen[place].join(" ")}`;
    return html`<div class="inorder-lab-column" role="img" aria-label=${label}>
      ${strip("seen", marks)}
      ${isLast ? vector("query", query[head], comparison.query) : nothing}
      ${vector("key", key[head][place], comparison.key[inSecond])}
      <span class="inorder-lab-strip is-weights" style="--share: ${weight / strongest}; --other: ${other / strongest}"></span>
      <span class="is-letter">${token}</span>
      <span class="is-number" data-name="${PROMPTS[prompt]}-weights" data-row=${layer} data-col=${place}
        data-value=${weight}>${formatNumber(weight)}</span>
      ${vector("value", value[head][place], comparison.value[inSecond])}
      ${isLast ? vector("sum", sum[head], comparison.sum) : nothing}</div>`;
  }
  const sides = PROMPTS.map(
    (which, prompt) => html`${rowNames(which, comparison)}<div class="inorder-lab-side" role="group"
      aria-label="What the query finds in the ${which} prompt">${read[prompt].prompt.map((token, place) => column(prompt, token, place))}</div>`,
  );
  return html`<div class="inorder-lab-layer" style="--n: ${everyone.length}"><div class="inorder-lab-sides">${sides}</div>
    <p class="inorder-lab-legend">Dark marks: the tokens seen so far. The line in a bar: the weight in the other prompt.
      A thick frame: different.</p></div>`;
}
