// All heads of the model as a field of dots, a column a layer: the redder, the further back a head looks; the larger, the
// less it rests on the first token. The head that is pointed at draws its arcs on the sentence.

import { clamp } from "../kit/arithmetic.js";
import { toggle } from "../kit/inputs.js";
import { html, nothing, ref, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { spell } from "./words.js";

/** @typedef {{ words: string[], nHeads: number, weights: Float32Array[] }} Looks weights: of each head, (query, key), layer by layer */

const FAR = 5; // tokens back: the reddest
const LEAST = 0.05; // of weight that an arc shows
const ENOUGH = 0.4; // of weight on what came next

/** As head_weights in trained_decoder.py stores them. @type {(stored: { words: string[], weights: string[] }) => Looks} */
export function unpacked({ words, weights }) {
  const n = words.length;
  const matrix = (/** @type {string} */ digits) => {
    const values = new Float32Array(n * n);
    let next = 0;
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++) values[i * n + j] = Number.parseInt(digits[next++], 36) / 35;
    return values;
  };
  return { words, nHeads: 9, weights: weights.map(matrix) };
}

/** How far back, on average, and how much of it, but for the first token. @type {(weights: Float32Array, n: number) => { back: number, part: number }} */
function distanceBack(weights, n) {
  let [total, steps] = [0, 0];
  for (let i = 1; i < n; i++)
    for (let j = 1; j <= i; j++) {
      total += weights[i * n + j];
      steps += weights[i * n + j] * (i - j);
    }
  return { back: steps / (total || 1), part: total / Math.max(n - 1, 1) };
}

/** The weight on what came next the last time, of the tokens that come again. @type {(weights: Float32Array, words: string[]) => number} */
function onWhatCameNext(weights, words) {
  const again = words.flatMap((word, i) => {
    const before = words.lastIndexOf(word, i - 1);
    return i > 0 && before >= 0 ? [weights[i * words.length + before + 1]] : [];
  });
  return again.reduce((sum, each) => sum + each, 0) / (again.length || 1);
}

/** @param {() => void} redraw */
export function headField(redraw) {
  /** @type {number | null} */
  let pointed = null;
  let isLit = false;
  let drawn = "";
  /** @type {{ back: number, part: number, next: number }[]} */
  let facts = [];
  /** @type {HTMLElement | null} */
  let sentence = null;

  const keep = (/** @type {Element | undefined} */ element) => {
    sentence = /** @type {HTMLElement | null} */ (element ?? null);
  };

  // From the top of one word to that of another, with room for the arc above; where the sentence goes on below, from the
  // top of the lower word to the foot of the upper.
  /** @type {(from: number, to: number) => string} */
  function arc(from, to) {
    const words = /** @type {HTMLElement[]} */ ([...(sentence?.querySelectorAll("span") ?? [])]);
    const [a, b] = [from, to].map((at) => ({
      x: words[at].offsetLeft + words[at].offsetWidth / 2,
      y: words[at].offsetTop,
      foot: words[at].offsetTop + words[at].offsetHeight,
    }));
    if (a.y !== b.y) {
      const [upper, lower] = a.y < b.y ? [a, b] : [b, a];
      const middle = (upper.foot + lower.y) / 2;
      return `M${lower.x} ${lower.y}C${lower.x} ${middle} ${upper.x} ${middle} ${upper.x} ${upper.foot}`;
    }
    const top = Math.min(a.y, b.y) - 12 - 0.22 * Math.abs(a.x - b.x);
    return `M${a.x} ${a.y}C${a.x} ${top} ${b.x} ${top} ${b.x} ${b.y}`;
  }

  /** @type {(looks: Looks, head: number) => unknown} */
  const arcs = ({ words: { length: n }, weights }, head) =>
    Array.from(weights[head], (weight, at) => {
      const [row, col] = [Math.floor(at / n), at % n];
      if (col === 0 || col >= row || weight < LEAST) return nothing;
      return svg`<path class="inorder-lm-arc" d=${arc(row, col)} stroke-width=${1 + 7 * weight} opacity=${0.25 + 0.75 * weight}
        data-name="weights" data-row=${row} data-col=${col} data-value=${weight}/>`;
    });

  /** @type {(looks: Looks | null, state: { layer: number, head: number }, width: number, choose: (layer: number, head: number) => void) => unknown} */
  const template = (looks, { layer, head }, width, choose) => {
    if (!looks) return html`<p>The model is reading …</p>`;
    const { words, nHeads, weights } = looks;
    const n = words.length;
    const nLayers = weights.length / nHeads;
    const drawing = JSON.stringify([words, width, weights.map((one) => one[one.length - 1])]);
    if (drawing !== drawn) {
      drawn = drawing;
      facts = weights.map((one) => ({ ...distanceBack(one, n), next: onWhatCameNext(one, words) }));
      queueMicrotask(redraw); // arcs go from word to word, which must stand first
    }
    const chosen = layer * nHeads + head;
    const shown = pointed ?? chosen;
    const at = (/** @type {PointerEvent} */ { clientX, clientY, currentTarget }) => {
      const { left, top, width: across, height } = /** @type {Element} */ (currentTarget).getBoundingClientRect();
      const place = (/** @type {number} */ share, /** @type {number} */ many) =>
        clamp(Math.floor(share * many), 0, many - 1);
      return place((clientX - left) / across, nLayers) * nHeads + place((clientY - top) / height, nHeads);
    };
    const point = (/** @type {number | null} */ next) => {
      if (next !== pointed) {
        pointed = next;
        redraw();
      }
    };
    const pick = (/** @type {PointerEvent} */ event) => choose(Math.floor(at(event) / nHeads), at(event) % nHeads);
    const step = (/** @type {KeyboardEvent} */ event) => {
      /** @type {Record<string, [number, number]>} */
      const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      const [x, y] = steps[event.key] ?? [0, 0];
      if (x === 0 && y === 0) return;
      event.preventDefault();
      choose(clamp(layer + x, 0, nLayers - 1), clamp(head + y, 0, nHeads - 1));
    };
    const last = weights[shown].subarray((n - 1) * n);
    const most = last.indexOf(Math.max(...last));
    const name = `Layer ${Math.floor(shown / nHeads)}, head ${shown % nHeads}`;
    const said = `“${spell(words[n - 1])}” gives ${formatNumber(last[most])} of its weight to “${spell(words[most])}”`;
    return html`<p class="inorder-lm-sentence" dir="auto" ${ref(keep)}><svg aria-hidden="true">${
      sentence && sentence.querySelectorAll("span").length === n ? arcs(looks, shown) : nothing
    }</svg>${words.map((word) => html`${/^\s/.test(word) ? " " : ""}<span>${spell(word)}</span>`)}</p>
      <svg class="inorder-lm-field" viewBox="0 0 ${nLayers} ${nHeads}" tabindex="0" role="slider" aria-label="The heads of the model"
        aria-valuemin="0" aria-valuemax=${weights.length - 1} aria-valuenow=${chosen} aria-valuetext="${name}: ${said}"
        @pointermove=${(/** @type {PointerEvent} */ event) => point(at(event))} @pointerleave=${() => point(null)}
        @click=${pick} @keydown=${step}>${facts.map(({ back, part, next }, one) => {
          const [x, y] = [Math.floor(one / nHeads) + 0.5, (one % nHeads) + 0.5];
          const isFaint = isLit && next < ENOUGH;
          return svg`<circle cx=${x} cy=${y} r=${0.14 + 0.28 * Math.sqrt(part)} opacity=${isFaint ? 0.15 : 1}
            style="fill: color-mix(in oklab, var(--position) ${Math.min((100 * back) / FAR, 100)}%, var(--edge))"
            data-name="back" data-row=${Math.floor(one / nHeads)} data-col=${one % nHeads} data-value=${back}/>${
              one === shown ? svg`<circle class="inorder-lm-ring" cx=${x} cy=${y} r="0.46"/>` : nothing
            }`;
        })}</svg>
      <div class="inorder-lm-key">${nLayers} layers, from left to right; ${nHeads} heads each. The redder, the further back; the
        smaller, the more it rests on the first token. ${toggle({
          label: "looks for what came next",
          value: isLit,
          onInput: (on) => {
            isLit = on;
            redraw();
          },
        })}</div>
      <p>${name}: ${said}. ${lit()}</p>`;
  };
  const lit = () =>
    isLit ? `${facts.filter(({ next }) => next >= ENOUGH).length} heads look for what came next.` : "";
  return { template, lit };
}
