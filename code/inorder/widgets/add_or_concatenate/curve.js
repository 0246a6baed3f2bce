// The share of all pairs that is read back, against d: a dot for each d and way, a line for its range over the tables.

import { make, setAttributes, svgNode, write } from "../kit/elements.js";
import { rate } from "./read_back.js";

/** @typedef {import("./read_back.js").Counts} Counts */

/** @typedef {ReturnType<typeof import("./read_back.js").compute>} Computed */

/** @type {Record<keyof Counts, { label: string, shift: number, tag: "circle" | "rect" }>} */
const WAYS = {
  added: { label: "added", shift: -1, tag: "circle" },
  side_by_side: { label: "side by side", shift: 1, tag: "rect" },
};
const TAP = 6; // pixels: a finger that moves less has pressed

/** A press or a drag picks d; a finger that swipes up or down scrolls the page. */
/**
 * @type {(options: Ends & { onPick: (d: number) => void }) => { root: HTMLElement,
 *   draw: (computed: Computed, d: number, room: number) => void }}
 */
export function curve({ low, high, onPick }) {
  const svg = svgNode("svg", { class: "inorder-curve", role: "img" });
  svg.setAttribute("aria-label", "Share of all pairs read back, against d: both curves rise to 1");
  const key = make(
    "p",
    { class: "inorder-note" },
    "Share of all pairs read back. ● Added. □ Side by side. ▲ Exact from here on.",
  );
  const root = make("div", {}, key, svg);
  const [axis, curves] = [svgNode("g"), svgNode("g")];
  const here = svgNode("path", { class: "inorder-here" });
  const width = svgNode("text", { "text-anchor": "middle" });
  svg.append(axis, here, width, curves);
  let [left, right] = [0, 0]; // of the axis, in pixels
  /** @type {{ counts?: Counts, room?: number, em?: number }} */
  let drawn = {}; // what axis and curves were drawn from

  /** @type {(event: PointerEvent) => void} */
  const pick = ({ clientX }) => {
    const part = (clientX - svg.getBoundingClientRect().x - left) / (right - left);
    onPick(Math.min(Math.max(Math.round(low + part * (high - low)), low), high));
  };
  /** @type {number | null} */
  let pressed = null; // where
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    pressed = event.clientX;
    svg.setPointerCapture(event.pointerId);
    if (event.pointerType !== "touch") pick(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (pressed === null) return;
    if (event.pointerType !== "touch" || Math.abs(event.clientX - pressed) > TAP) pick(event);
  });
  svg.addEventListener("pointerup", (event) => {
    if (pressed !== null) pick(event);
    pressed = null;
  });
  svg.addEventListener("pointercancel", () => {
    pressed = null;
  });

  // `room`: the width that it has.
  /** @type {(computed: Computed, d: number, room: number) => void} */
  function draw({ counts, v, l, exact }, d, room) {
    const em = Number.parseFloat(getComputedStyle(/** @type {Element} */ (root.parentElement)).fontSize);
    const height = 8 * em;
    [left, right] = [2.2 * em, room - 0.8 * em];
    const across = (/** @type {number} */ at) => left + ((at - low) / Math.max(high - low, 1)) * (right - left);
    const up = (/** @type {number} */ share) => height - 2.2 * em - share * (height - 3.6 * em);
    setAttributes(here, { d: `M ${across(d)} ${1.2 * em} V ${up(0)}` });
    const middle = Math.min(Math.max(across(d), 3 * em), right - 2 * em);
    setAttributes(width, { x: middle, y: 0.9 * em, "font-size": 0.92 * em });
    write(width, `d = ${d}`);
    if (drawn.counts === counts && drawn.room === room && drawn.em === em) return;
    drawn = { counts, room, em };
    svg.setAttribute("viewBox", `0 0 ${room} ${height}`);
    /** @type {SVGElement[]} */
    let nodes = [];
    /** @type {(tag: keyof SVGElementTagNameMap, attributes: Record<string, string | number>) => SVGElement} */
    const put = (tag, attributes) => nodes[nodes.push(svgNode(tag, attributes)) - 1];
    const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ words, anchor = "middle") => {
      put("text", { x, y, "text-anchor": anchor, "font-size": 0.92 * em }).textContent = words;
    };
    for (const level of [0, 0.5, 1]) {
      put("path", { d: `M ${left} ${up(level)} H ${right}`, class: "inorder-level" });
      text(left - 0.4 * em, up(level) + 0.32 * em, String(level), "end");
    }
    for (const tick of new Set([low, ...[16, 32, 48, 64].filter((each) => each < high), high])) {
      text(across(tick), height - 0.3 * em, String(tick));
    }
    axis.replaceChildren(...nodes);
    nodes = [];
    for (const name of /** @type {(keyof typeof WAYS)[]} */ (Object.keys(WAYS))) {
      const { label, shift, tag } = WAYS[name];
      const rates = counts[name].map((/** @type {number[]} */ row) => rate(row, v * l));
      const points = rates.map(({ mean }, /** @type {number} */ i) => [across(i + low) + 2 * shift, up(mean)]);
      put("polyline", { points: points.map((at) => at.join()).join(" "), class: `inorder-rate is-${tag}` });
      rates.forEach((share, i) => {
        const [x, y] = points[i];
        if (share.high > share.low)
          put("path", { d: `M ${x} ${up(share.low)} V ${up(share.high)}`, class: "inorder-range" });
        put(tag, {
          ...(tag === "circle" ? { cx: x, cy: y, r: 2.8 } : { x: x - 2.5, y: y - 2.5, width: 5, height: 5 }),
          class: "inorder-dot",
          "data-name": `rate_${name}`,
          "data-row": 0,
          "data-col": i,
          "data-value": share.mean,
          "data-low": share.low,
          "data-high": share.high,
        });
      });
      const threshold = exact[name];
      if (threshold !== null) {
        const x = across(threshold) + (exact.added === exact.side_by_side ? 6 * shift : 0);
        const title = svgNode("title");
        title.textContent = `exact from here on: ${label}`;
        put("path", { d: `M ${x} ${up(0) + 2} l -5 8 h 10 Z`, class: `inorder-exact is-${tag}` }).append(title);
      }
    }
    curves.replaceChildren(...nodes);
  }
  return { root, draw };
}
