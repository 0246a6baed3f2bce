// The plane: queries ◆ and keys ● that the reader moves, and from the chosen query to each key a line as thick as its
// weight. In self-attention the tokens are moved, and queries and keys follow.

import { html, nothing, svg } from "../kit/vendor/lit.js";
import { formatNumber, shorten, tidy } from "../kit/words.js";
import { placeLabels } from "./labels.js";
import { brief, handleName, handlesOf, queryName } from "./look_up.js";

/** @typedef {[number, number]} Pair */
/** @typedef {import("./look_up.js").Handle} Handle */
/** @typedef {SoftLookupState} State */

const SIZE = 420; // of the drawing; a point of the plane at distance `reach` from the middle is at its edge
const GRIP = 24; // how near a finger must come to a point
const RING = 12; // of what the hand moves
const LOOKS = { q: "query", k: "key", x: "token" };
/** @type {Record<string, Pair>} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** @type {(size: number) => string} */
const diamond = (size) => `M0 ${-size}L${size} 0L0 ${size}L${-size} 0Z`;
/** @type {(reach: number) => number} */
const tickStep = (reach) => (reach < 6 ? 1 : reach < 12 ? 2 : 10 ** Math.floor(Math.log10(reach)));
/** @type {(...matrices: Matrix[]) => number} */
const largestOf = (...matrices) => Math.max(3, ...matrices.flat(2).map(Math.abs));

// A dashed line whose head ends `gap` before its target, where the target's mark begins.
/** @type {(from: Pair, to: Pair, gap: number, look: string) => unknown} */
function arrow([a, b], [c, d], gap, look) {
  const length = Math.hypot(c - a, d - b);
  if (length <= gap + RING) return nothing;
  const [u, v] = [(c - a) / length, (d - b) / length];
  const [x, y] = [c - gap * u, d - gap * v];
  const wing = (/** @type {number} */ side) => `${x - 9 * u + side * 4 * v} ${y - 9 * v - side * 4 * u}`;
  return svg`<g class="inorder-arrow ${look}"><line x1=${a} y1=${b} x2=${x} y2=${y} stroke-dasharray="5 3"/>
    <path d="M${x} ${y}L${wing(1)}L${wing(-1)}Z"/></g>`;
}

/** @type {(reach: number, at: (point: Pair) => Pair) => unknown} */
function ground(reach, at) {
  const step = tickStep(reach);
  const count = Math.floor(reach / step);
  return Array.from({ length: 2 * count + 1 }, (_, i) => {
    const tick = (i - count) * step;
    const [u, v] = at([tick, tick]);
    const look = tick === 0 ? "is-axis" : "is-grid";
    const text = (/** @type {number} */ x, /** @type {number} */ y) =>
      tick === 0 ? nothing : svg`<text x=${x} y=${y} text-anchor="middle">${formatNumber(tick, 0)}</text>`;
    return svg`<line x1=${u} x2=${u} y1="0" y2=${SIZE} class=${look}/><line x1="0" x2=${SIZE} y1=${v} y2=${v}
      class=${look}/>${text(u, SIZE - 5)}${text(12, v + 4)}`;
  });
}

/**
 * onMove(point, [across, up]) asks for a point to be moved; onChoose(point) says which one has the focus; redraw() follows
 * the hand.
 * @param {{ limits: Ends, sentences: SoftLookupSentences, onMove: (point: Handle, place: number[]) => void, onChoose: (point: Handle) => void, redraw: () => void }} options
 */
export function plane({ limits: { low, high }, sentences, onMove, onChoose, redraw }) {
  let state = /** @type {State} */ ({});
  let reach = 0;
  /** @type {{ point: Handle, offset: Pair, limit: number } | null} */
  let held = null;
  /** @type {(point: number[]) => Pair} */
  const at = ([across, up]) => [(SIZE / 2) * (1 + across / reach), (SIZE / 2) * (1 - up / reach)];
  const placeOf = (/** @type {Handle} */ { kind, index }) => state[kind][index];

  /** @type {(event: PointerEvent) => Pair} */
  function spotOf({ currentTarget, clientX, clientY }) {
    const { x, y, width, height } = /** @type {Element} */ (currentTarget).getBoundingClientRect();
    return [((clientX - x) / width) * SIZE, ((clientY - y) / height) * SIZE];
  }
  /** @type {(event: PointerEvent) => void} */
  function grab(event) {
    const [x, y] = spotOf(event);
    const away = (/** @type {Handle} */ point) => Math.hypot(at(placeOf(point))[0] - x, at(placeOf(point))[1] - y);
    const all = handlesOf(state);
    const point = all.reduce((best, one) => (away(one) <= away(best) ? one : best)); // of equals, the upper
    if (away(point) > GRIP || event.button !== 0) return;
    event.preventDefault();
    const [u, v] = at(placeOf(point));
    held = { point, offset: [u - x, v - y], limit: largestOf(all.map(placeOf)) };
    const root = /** @type {Element} */ (event.currentTarget);
    root.setPointerCapture(event.pointerId);
    const group = root.querySelector(`[data-kind="${point.kind}"][data-index="${point.index}"]`);
    /** @type {SVGElement} */ (group).focus(/** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: false }));
  }
  /** @type {(event: PointerEvent) => void} */
  function drag(event) {
    if (!held) return;
    const { point, offset, limit } = held;
    const [x, y] = spotOf(event);
    const place = [((x + offset[0]) / (SIZE / 2) - 1) * reach, (1 - (y + offset[1]) / (SIZE / 2)) * reach];
    onMove(
      point,
      place.map((one) => Math.min(Math.max(Math.round(one * 20) / 20, -limit), limit)),
    );
  }
  function drop() {
    held = null; // the drawing may now fit itself to the points
    redraw();
  }
  // A finger on a point moves it, beside all points it scrolls the page. (touch-action is not reliable inside an SVG.)
  const touch = { handleEvent: (/** @type {Event} */ event) => held && event.preventDefault(), passive: false };
  /** @type {(event: KeyboardEvent, point: Handle) => void} */
  function press(event, point) {
    if (!Object.hasOwn(STEPS, event.key)) return;
    event.preventDefault();
    const size = event.shiftKey ? 0.5 : 0.1;
    const place = placeOf(point).map((x, axis) => tidy(x + size * STEPS[event.key][axis]));
    onMove(
      point,
      place.map((x) => Math.min(Math.max(x, low), high)),
    );
  }

  /** @type {(now: State, found: import("./look_up.js").LookUp) => unknown} */
  return (now, { query, key, value, weights, output, row }) => {
    state = now;
    const self = state.attention === "self";
    if (!held) reach = 1.15 * Math.ceil(self ? largestOf(state.x, query, key) : largestOf(query, key));
    const tokens = state.tokens.map((token) => shorten(token, 8));
    // While a query or a token is dragged, the others fade: the numbers shown are not theirs.
    const isFaded = (/** @type {Handle} */ { kind, index }) =>
      held !== null && kind !== "k" && kind === held.point.kind && index !== held.point.index;
    const faded = (/** @type {Handle} */ point) => (isFaded(point) ? "is-faded" : "");
    const shift = (/** @type {number[]} */ point) => `translate(${at(point).join(" ")})`;
    const keyMark = (where = "") => svg`<circle class="inorder-mark is-key" r="5.5" transform=${where || nothing}/>`;
    const queryMark = (/** @type {number} */ i, where = "") =>
      svg`<path class="inorder-mark is-query" d=${diamond(i === row ? 8 : 5.5)} transform=${where || nothing}
        data-name="output" data-row=${i} data-col="0" data-value=${output[i][0]}/>`;

    const names = [
      ...key.map((point, j) => ({
        ...{ point, away: self ? 6 : RING, look: "key" },
        words: [`${self ? "key: " : ""}${tokens[j]} `, `■ ${brief(value[j][0])}`],
      })),
      ...query.map((point, i) => ({
        ...{ point, away: self ? 9 : RING, look: "query" },
        words: [self ? (i === row ? `query: ${tokens[i]}` : "") : queryName(sentences, state, i)],
      })),
      ...(self ? state.x.map((point, i) => ({ point, away: RING, look: "token", words: [tokens[i]] })) : []),
    ];
    const places = placeLabels(
      names.map(({ point, away, words }) => ({ at: at(point), away, text: words.join("") })),
      names.map(({ point, away }) => ({ at: at(point), radius: away })),
      SIZE,
    );
    const grips = handlesOf(state).map((point) => {
      const { kind, index } = point;
      const [across, up] = placeOf(point).map((x) => formatNumber(x));
      const isChosen = kind !== "k" && index === row ? "is-chosen" : "";
      return svg`<g class="inorder-grip is-${LOOKS[kind]} ${isChosen} ${faded(point)}" tabindex="0" role="slider"
        data-kind=${kind} data-index=${index} aria-roledescription="point in the plane" aria-valuemin=${low}
        aria-valuemax=${high} aria-label=${handleName(state.tokens, point)} aria-valuenow=${placeOf(point)[0]}
        aria-valuetext="across ${across}, up ${up}" transform=${shift(placeOf(point))}
        @focus=${() => onChoose(point)} @keydown=${(/** @type {KeyboardEvent} */ event) => press(event, point)}>
        <circle r=${GRIP} class="inorder-reach"/><circle r=${RING} class="inorder-ring"/>
        ${kind === "k" ? keyMark() : kind === "q" ? queryMark(index) : svg`<rect x="-4.5" y="-4.5" width="9" height="9"/>`}</g>`;
    });
    const [x1, y1] = at(query[row]);
    const chosenLast = [...query.keys()].sort((a, b) => Number(a === row) - Number(b === row));
    return html`<div class="inorder-field"><svg viewBox="0 0 ${SIZE} ${SIZE}" class="inorder-plane" role="group"
      aria-label="${self ? "Tokens, their queries and keys" : "Queries and keys"} in the plane" @pointerdown=${grab}
      @pointermove=${drag} @pointerup=${drop} @pointercancel=${drop} @touchstart=${touch}>
      <g aria-hidden="true">${ground(reach, at)}</g>
      <g aria-hidden="true">
        ${key.map((point, j) => {
          const [x2, y2] = at(point);
          const width = 0.5 + 11 * weights[row][j];
          return svg`<line class="inorder-line" x1=${x1} y1=${y1} x2=${x2} y2=${y2} stroke-width=${width}/>`;
        })}
        ${
          self
            ? [
                ...state.x.map((point, i) =>
                  arrow(at(point), at(key[i]), 9, `${i === row ? "is-strong" : ""} ${faded({ kind: "x", index: i })}`),
                ),
                arrow(at(state.x[row]), at(query[row]), 11, "is-strong"),
                ...key.map((point) => keyMark(shift(point))),
                ...chosenLast.map((i) => queryMark(i, shift(query[i]))),
              ]
            : nothing
        }</g>
      <g aria-hidden="true" class="inorder-names">${names.map(
        ({ look, words: [name, worth] }, i) => svg`<text class="is-${look}" x=${places[i].x} y=${places[i].y}
          paint-order="stroke" stroke-width="3.5" stroke-linejoin="round" text-anchor="middle">${name}${
            worth ? svg`<tspan class="is-value">${worth}</tspan>` : nothing
          }</text>`,
      )}</g>
      <g>${grips}</g>
    </svg></div>`;
  };
}
