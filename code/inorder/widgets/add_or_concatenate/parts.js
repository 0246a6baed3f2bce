// A vector as a row of cells, what is read back of it as bars, and how often that is right, against d.

import { chart, pathOf } from "../kit/chart.js";
import { divergingColour } from "../kit/colour.js";
import { html, nothing, svg } from "../kit/vendor/lit.js";
import { rate, winner } from "./read_back.js";

/** @typedef {ReturnType<typeof import("./read_back.js").compute>} Computed */

const FEWEST = 12; // columns: a narrower vector does not fill the row
const MOST_SIGNED = 24; // columns whose cells have room for a minus sign

// A row of cells. The line of position stands below the numbers that p has given: from `from` on; `isJoint`: beside others.
/** @type {(options: { name: string, words: string, row: number, vector: number[], from: number, isJoint?: boolean, largest: number, dark: boolean }) => unknown} */
export function strip({ name, words, row, vector, from, isJoint = false, largest, dark }) {
  const columns = Math.max(vector.length, FEWEST);
  return html`<div class="inorder-strip"><i>${name}</i> <span class="inorder-note">${words}</span>
    <svg viewBox="0 0 ${columns} 1" preserveAspectRatio="none" role="img" aria-label="${name}, as coloured numbers">
    ${vector.map((value, i) => {
      const { fill, ink } = divergingColour(value / largest, dark);
      const isMarked = value < 0 && columns <= MOST_SIGNED;
      return svg`<polygon points=${`${i},0 ${i + 1},0 ${i + 1},1 ${i},1`} fill=${fill} data-name="vectors" data-row=${row}
        data-col=${i} data-value=${value}/>${isMarked ? svg`<path d="M${i + 0.37} 0.5h0.26" stroke=${ink}/>` : nothing}`;
    })}
    ${from < vector.length ? svg`<path class="is-position" d="M${from} 1H${vector.length}"/>` : nothing}
    ${isJoint && from < vector.length ? svg`<path class="is-border" d="M${from} 0V1"/>` : nothing}</svg></div>`;
}

// A bar for each of the scores, the right one in ink; ✓ or ×, and dashed what has won instead.
/** @type {(options: { name: string, what: "token" | "position", names: string[], scores: number[], place: number }) => unknown} */
export function readOut({ name, what, names, scores, place }) {
  const { best, isRight } = winner(scores, place);
  const [high, low] = [Math.max(1.05, ...scores), Math.min(-0.25, ...scores)];
  const y = (/** @type {number} */ score) => ((high - score) / (high - low)) * 100;
  const step = 1000 / scores.length; // the drawing is stretched to the room that there is
  const verdict = isRight ? "right" : `wrong: it is ${names[place]}`;
  const tie = isRight || best !== place ? verdict : "tied with others";
  return html`<div class="is-${what}">
    <div class="inorder-question" aria-hidden="true">${what}? <span class="inorder-read">${names[best]}</span>
      <span class="inorder-sign is-${isRight ? "right" : "wrong"}">${isRight ? "✓" : "×"}</span></div>
    <div class="inorder-bars"><svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img"
      aria-label="Which ${what}? ${names[best]}, ${tie}: the highest of ${scores.length} bars">
      <path class="is-level" d="M0 ${y(1)}H1000"/>
      ${scores.map((score, i) => {
        const look = `${i === place ? "is-right" : ""} ${i === best && !isRight ? "is-winner" : ""}`;
        return svg`<path class="is-bar ${look}" data-name=${name} data-row="0" data-col=${i} data-value=${score}
          d=${`M${(i + 0.1) * step} ${y(0)}V${y(score)}H${(i + 0.9) * step}V${y(0)}Z`}/>`;
      })}
      <path class="is-zero" d="M0 ${y(0)}H1000"/></svg>
      <span class="inorder-one" aria-hidden="true" style="--at: ${y(1) / 100}">1</span>
      <span class="inorder-right" aria-hidden="true" style="--place: ${(place + 0.5) / scores.length}">${names[place]}</span>
    </div></div>`;
}

// The share of all pairs that is read back, against d: a dot for each d and way, a line for its range over the tables.
/** @type {(options: { room: import("../kit/chart.js").Room, computed: Computed, d: number, ends: Ends, onPick: (d: number) => void }) => unknown} */
export const rates = ({ room, computed: { counts, v, l, exact }, d, ends, onPick }) =>
  chart({
    room,
    x: ends,
    y: { low: 0, high: 1, ticks: [0, 0.5, 1].map((level) => [level, String(level)]) },
    label: "Share of all pairs read back, against d: both curves rise to 1",
    at: d,
    onPick,
    content: (xOf, yOf) =>
      /** @type {const} */ (["added", "side_by_side"]).map((way, k) => {
        const shift = 2 * k - 1; // of what would overprint each other
        const shares = counts[way].map((row) => rate(row, v * l));
        const [x, exactFrom] = [(/** @type {number} */ i) => xOf(i + ends.low) + 2 * shift, exact[way]];
        const isTie = exact.added === exact.side_by_side;
        return svg`<path class="is-curve is-${way}" d=${pathOf(shares.map(({ mean }, i) => [x(i), yOf(mean)]))}/>
          ${shares.map(({ mean, low, high }, i) => {
            const radius = k === 0 ? 2.8 : 0;
            return svg`<path class="is-range" d="M${x(i)} ${yOf(low)}V${yOf(high)}"/>
              <rect class="is-dot is-${way}" x=${x(i) - 2.6} y=${yOf(mean) - 2.6} width="5.2" height="5.2" rx=${radius}
                data-name="rate_${way}" data-row="0" data-col=${i} data-value=${mean} data-low=${low} data-high=${high}/>`;
          })}
          ${
            exactFrom === null
              ? nothing
              : svg`<path class="is-exact is-${way}" d="M${xOf(exactFrom) + (isTie ? 6 * shift : 0)} ${yOf(1) - 3}l-5 -8h10z"/>`
          }`;
      }),
  });
