// The accuracy of both models over the steps, the first dashed, the second solid; what no training can pass as dotted lines
// with their words.

import { html, nothing, svg } from "../kit/vendor/lit.js";
import { boundsOf, labelsOf } from "./words.js";

const FEWEST_STEPS = 200; // that the axis shows

/** A piece of the line of a model, beside its name. @type {(which: string) => unknown} */
export const lineKey = (which) =>
  html`<svg class="inorder-key is-${which}" aria-hidden="true"><line x2="100%" y1="50%" y2="50%"/></svg>`;

/** @type {(state: TrainingPlaygroundState, found: import("./run.js").Found, known: import("./run.js").Known, room: { width: number, height: number, em: number }) => unknown} */
export function accuracyChart(state, { nSteps, tested, accuracies }, known, { width, height, em }) {
  const names = labelsOf(state, known);
  const bounds = boundsOf(state, known);
  const words = bounds[0] === bounds[1] ? ["blind to order or direction"] : ["blind to order", "blind to direction"];
  const latest = names.map((name, i) => `${name} ${accuracies[i].at(-1)?.toFixed(2) ?? "none yet"}`).join(", ");
  const most = Math.max(FEWEST_STEPS, Math.ceil(nSteps / 100) * 100);
  const [left, right, top, bottom] = [2.1 * em, width - 0.6 * em, 0.6 * em, height - 1.6 * em];
  const x = (/** @type {number} */ steps) => left + (steps / most) * (right - left);
  const y = (/** @type {number} */ share) => bottom - share * (bottom - top);
  return html`<div><div class="inorder-chart-title" aria-hidden="true">Share correct</div>
    <svg class="inorder-chart-drawing" role="img" aria-label="Accuracy over ${nSteps} steps: ${latest}" width=${width}
      height=${height}>
    ${[0, 0.5, 1].map(
      (share) => svg`<path class="inorder-rule" d="M ${left} ${y(share)} H ${right}"/>
        <text x=${left - 0.4 * em} y=${y(share) + 0.33 * em} text-anchor="end">${share}</text>
        <text x=${x(share * most)} y=${height - 0.3 * em} text-anchor=${share === 1 ? "end" : "middle"}>${
          share * most
        }${share === 1 ? " steps" : ""}</text>`,
    )}
    ${words.map((word, which) =>
      bounds[which] < 1
        ? svg`<path class="inorder-level" d="M ${left} ${y(bounds[which])} H ${right}"/>
          <text class="inorder-level-word" x=${right} y=${y(bounds[which]) + 1.1 * em} text-anchor="end">${word}</text>`
        : nothing,
    )}
    ${accuracies.map((row, which) => {
      const last = row.at(-1);
      if (last === undefined) return nothing;
      const look = which ? "is-second" : "is-first";
      const end = x(tested[row.length - 1]);
      const isNear = which > 0 && Math.abs(y(accuracies[0].at(-1) ?? 0) - y(last)) < 1.3 * em; // both words would stand above
      return svg`<polyline class="inorder-line ${look}" points=${row.map((share, i) => `${x(tested[i]).toFixed(1)},${y(share).toFixed(1)}`).join(" ")}/>
        <circle class="inorder-end ${look}" cx=${end} cy=${y(last)} r=${0.24 * em} data-name="accuracy" data-row=${which}
          data-col="0" data-value=${last}/>
        <text class="inorder-level-word" x=${Math.max(end, left + 0.5 * em)} y=${y(last) + (isNear || last > 0.9 ? 1.5 : -0.6) * em}
          text-anchor=${end > (left + right) / 2 ? "end" : "start"}>${names[which]}</text>`;
    })}</svg></div>`;
}
