// A drawing of a run as a template: two models in one drawing, the first dashed, the second solid; what no training can pass
// as dotted lines with their words.

import { html, nothing, svg } from "../kit/vendor/lit.js";

/** @typedef {[number, number]} Pair */

/** @typedef {{ width: number, height: number, em: number }} Room */

/**
 * @typedef {{ title: string, name: string, unit: string, label: string, room: Room, lines: { points: Pair[], word?: string }[],
 *   levels: { points: Pair[], word: string }[], across: Pair, up: Pair, ticks: number[], heights: number[], dots?: boolean }} Drawing
 *   across, up: the ends of the axes, which carry numbers at ticks and heights; name: of the numbers at the dots, which are at
 *   every point or only at the last
 */

const MOST_POINTS = 240; // of a line: more are averaged, several to a point

/** A piece of the line of a model, beside its name. @type {(which: string) => unknown} */
export const lineKey = (which) =>
  html`<svg class="inorder-key is-${which}" aria-hidden="true"><line x2="100%" y1="50%" y2="50%"/></svg>`;

// [x, y] of a line of many values, each point the mean of as many as it takes.
/** @type {(values: number[], xs: (place: number) => number) => Pair[]} */
export function thinned(values, xs) {
  const size = Math.ceil(values.length / MOST_POINTS) || 1;
  /** @type {Pair[]} */
  const points = [];
  for (let from = 0; from < values.length; from += size) {
    const some = values.slice(from, from + size);
    points.push([xs(from + (some.length - 1) / 2), some.reduce((sum, value) => sum + value, 0) / some.length]);
  }
  return points;
}

/** @type {(drawing: Drawing) => unknown} */
export function curves({ title, name, unit, label, room, lines, levels, across, up, ticks, heights, dots = false }) {
  const { width, height, em } = room;
  const [left, right, top, bottom] = [2.1 * em, width - 0.6 * em, 0.6 * em, height - 1.6 * em];
  const x = (/** @type {number} */ value) => left + ((value - across[0]) / (across[1] - across[0])) * (right - left);
  const y = (/** @type {number} */ value) =>
    bottom - ((Math.min(value, up[1]) - up[0]) / (up[1] - up[0])) * (bottom - top);
  const path = (/** @type {Pair[]} */ points) =>
    points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
  const last = ticks[ticks.length - 1];
  return html`<div class="inorder-chart is-${name}"><div class="inorder-chart-title" aria-hidden="true">${title}</div>
    <svg class="inorder-chart-drawing" role="img" aria-label=${label} width=${width} height=${height}>
    ${heights.map(
      (at) => svg`<path class="inorder-rule" d="M ${left} ${y(at)} H ${right}"/>
        <text x=${left - 0.4 * em} y=${y(at) + 0.33 * em} text-anchor="end">${at}</text>`,
    )}
    ${ticks.map(
      (at) =>
        svg`<text x=${x(at)} y=${height - 0.3 * em} text-anchor=${at === last ? "end" : "middle"}>${
          at === last ? `${at} ${unit}` : at
        }</text>`,
    )}
    ${levels.map(
      ({ points, word }) => svg`<polyline class="inorder-level" points=${path(points)} data-level=${points[0][1]}/>
        <text class="inorder-level-word" x=${right} y=${y(points[points.length - 1][1]) + 1.1 * em} text-anchor="end">${word}</text>`,
    )}
    ${lines.map(({ points, word = "" }, which) => {
      const look = which ? "is-second" : "is-first";
      const [a, b] = points[points.length - 1] ?? [0, 0];
      const other = lines[0].points.at(-1);
      const isNear = which > 0 && other && Math.abs(y(other[1]) - y(b)) < 1.3 * em; // both words would stand above
      return svg`<polyline class="inorder-line ${look}" points=${path(points)}/>
        ${points.map(([at, value], i) =>
          dots || i === points.length - 1
            ? svg`<circle class="inorder-end ${look}" cx=${x(at)} cy=${y(value)} r=${0.24 * em} data-name=${name}
                data-row=${which} data-col=${dots ? i : 0} data-value=${value}/>`
            : nothing,
        )}
        <text class="inorder-level-word" x=${Math.max(x(a), left + 0.5 * em)} y=${y(b) + (isNear || b > 0.9 ? 1.5 : -0.6) * em}
          text-anchor=${a > (across[0] + across[1]) / 2 ? "end" : "start"}>${points.length ? word : ""}</text>`;
    })}</svg></div>`;
}
