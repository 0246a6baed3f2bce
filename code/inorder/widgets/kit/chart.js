// A chart over whole numbers, as a template: its axes, one place marked on them, which a hand moves, and what the figure
// draws between them. It fills a box whose size style sheets set.

import { pressed } from "./press.js";
import { html, nothing, svg } from "./vendor/lit.js";
import { formatNumber } from "./words.js";

/** @typedef {{ width: number, height: number, em: number }} Room */
/** @typedef {(value: number) => number} Scale from a number to pixels */

const STEPS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** @type {(box: HTMLElement) => Room} */
export const roomOf = (box) => ({
  width: box.clientWidth,
  height: box.clientHeight,
  em: Number.parseFloat(getComputedStyle(box).fontSize),
});

const tenth = (/** @type {number} */ pixels) => Math.round(10 * pixels) / 10; // toFixed takes twice as long

// A line through the points, broken where one is missing.
/** @type {(points: (number[] | null)[]) => string} */
export const pathOf = (points) =>
  points
    .map((point, i) => (point ? `${i > 0 && points[i - 1] ? "L" : "M"}${tenth(point[0])} ${tenth(point[1])}` : ""))
    .join("");

/**
 * `at` is marked, `value` with a ring; onPick(x) asks for another place. `ticks` of y: [value, text] each.
 * @param {{ room: Room, x: Ends, y: Ends & { ticks: [number, string][] }, label: string, at: number, value?: number,
 *   onPick: (x: number) => void, content: (xOf: Scale, yOf: Scale) => unknown }} options
 */
export function chart({ room: { width, height, em }, x, y, label, at, value = Number.NaN, onPick, content }) {
  if (width === 0) return nothing;
  const [left, right, top, bottom] = [3.4 * em, width - 0.9 * em, 0.9 * em, height - 2.1 * em];
  const rail = bottom + 0.4 * em;
  /** @type {Scale} */
  const xOf = (one) => left + ((one - x.low) / Math.max(x.high - x.low, 1)) * (right - left);
  /** @type {Scale} */
  const yOf = (one) => bottom - ((one - y.low) / (y.high - y.low || 1)) * (bottom - top);
  const step = STEPS.find((each) => xOf(each) - xOf(0) >= 2.4 * em) ?? 1024;
  const ticks = [];
  for (let tick = Math.ceil(x.low / step) * step; tick <= x.high; tick += step) ticks.push(tick);
  const marked = tenth(xOf(at));
  const isMarked = at >= x.low && at <= x.high;
  const press = pressed(({ clientX, currentTarget }) => {
    const share =
      (clientX - /** @type {Element} */ (currentTarget).getBoundingClientRect().left - left) / (right - left);
    onPick(Math.min(Math.max(Math.round(x.low + share * (x.high - x.low)), x.low), x.high));
  });
  return html`<svg class="inorder-line-chart" viewBox="0 0 ${width} ${height}" role="img" aria-label=${label}
    @pointerdown=${press} @pointermove=${press} @pointerup=${press} @pointercancel=${press}>
    <path class="is-axis" d="M${left} ${rail}H${right}"/>
    ${y.low < 0 && y.high > 0 ? svg`<path class="is-axis" d="M${left} ${tenth(yOf(0))}H${right}"/>` : nothing}
    ${ticks.map((tick) => {
      const isFree = !isMarked || Math.abs(xOf(tick) - marked) > 2.2 * em; // of the number of the marked place
      return svg`<path class="is-axis" d="M${tenth(xOf(tick))} ${rail - 3}v6"/>
        <text x=${tenth(xOf(tick))} y=${height - 0.3 * em} text-anchor="middle">${isFree ? formatNumber(tick, 0) : ""}</text>`;
    })}
    ${y.ticks.map(([one, text]) => svg`<text x=${left - 0.5 * em} y=${yOf(one) + 0.3 * em} text-anchor="end">${text}</text>`)}
    ${content(xOf, yOf)}
    ${
      isMarked
        ? svg`<path class="is-marker" d="M${marked} 2V${rail}"/>
          <path class="is-place" d="M${marked} ${rail - 0.2 * em}l${0.5 * em} ${0.7 * em}h${-em}z"/>
          <text class="is-place" x=${marked} y=${height - 0.3 * em} text-anchor="middle">${formatNumber(at, 0)}</text>`
        : nothing
    }
    ${isMarked && Number.isFinite(value) ? svg`<circle class="is-ring" cx=${marked} cy=${yOf(value)} r=${0.55 * em}/>` : nothing}
  </svg>`;
}
