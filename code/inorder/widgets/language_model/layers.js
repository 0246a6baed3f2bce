// By how much the last rows of the two prompts differ, before the first block and after each, as a curve.

import { clamp } from "../kit/arithmetic.js";
import { html, svg } from "../kit/vendor/lit.js";
import { formatDifference } from "../kit/words.js";

const DECADES = 8; // below 10: what is smaller is drawn at the bottom

/** @type {(layers: number[] | undefined) => unknown} */
export function layersCurve(layers) {
  if (!layers) return html`<p>These differences are not stored: only the model itself can tell.</p>`;
  const points = layers.map((x, layer) => {
    const y = clamp(1 - Math.log10(x), 0, DECADES); // of 0, the bottom
    return [layer / (layers.length - 1), y].map((each) => each.toFixed(3)).join(" ");
  });
  const [first, second, last] = [layers[1], layers[2], layers[layers.length - 1]].map(formatDifference);
  const label = `A curve of the differences: ${first} after block 1, ${second} after block 2, ${last} after the last`;
  return html`<p class="inorder-note">|a − b| / √(|a| |b|) of the two last rows, on a logarithmic scale; below 0.00001 it is
    only rounding</p>
    <div class="inorder-lm-chart" role="img" aria-label=${label}>
      <div class="inorder-lm-heights">${["10", "0.001", "0.0000001"].map((height) => html`<span>${height}</span>`)}</div>
      <svg viewBox="0 0 1 ${DECADES}" preserveAspectRatio="none" aria-hidden="true">
        <path class="inorder-lm-curve" d="M${points.join("L")}"/>
        ${points.map(
          (
            point,
            layer,
          ) => svg`<path class="inorder-lm-dot" d="M${point}h0" data-name="layers" data-row="0" data-col=${layer}
          data-value=${layers[layer]}><title>after block ${layer}: ${formatDifference(layers[layer])}</title></path>`,
        )}
      </svg>
      <div class="inorder-lm-ends"><span>before block 1</span><span>after block ${layers.length - 1}</span></div></div>`;
}
