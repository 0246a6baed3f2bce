// One curve over whole numbers, with a mark on it. The axis says its ends.

import { svgNode } from "../kit/elements.js";
import { formatNumber } from "../kit/words.js";
import { formatLabel } from "./words.js";

// All from `start` to `end`, or, where two or more would share a pixel, the lowest and the highest of those that do:
// the picture is the same, and the browser has less to draw.
/** @type {(ys: ArrayLike<number>, start: number, end: number, nPixels: number) => number[]} */
function placesToDraw(ys, start, end, nPixels) {
  const share = Math.max(1, Math.floor((2 * (end - start + 1)) / nPixels));
  const places = [];
  for (let from = start; from <= end; from += share) {
    let [low, high] = [from, from];
    for (let i = from + 1; i < Math.min(from + share, end + 1); i += 1) {
      if (ys[i] < ys[low]) low = i;
      if (ys[i] >= ys[high]) high = i;
    }
    places.push(Math.min(low, high));
    if (low !== high) places.push(Math.max(low, high));
  }
  return places;
}

const tenth = (/** @type {number} */ pixels) => Math.round(10 * pixels) / 10; // toFixed takes twice as long

// `update` fills the room that style.css gives it. ys[0] stands at x = first; the axes run from `from` to `to` and from
// `low` to `high`; `at` is the x of the mark.
export function curvePlot() {
  const root = svgNode("svg", { class: "inorder-plot", role: "img" });
  const zero = svgNode("path", { class: "inorder-plot-zero" });
  const curve = svgNode("path", { class: "inorder-plot-curve" });
  const dots = svgNode("path", { class: "inorder-plot-dots" });
  const stem = svgNode("path", { class: "inorder-plot-stem" });
  const mark = svgNode("circle", { class: "inorder-plot-mark" });
  const words = ["start", "middle", "end", "end", "end"].map((anchor) => svgNode("text", { "text-anchor": anchor }));
  root.append(zero, stem, curve, dots, mark, ...words);

  /**
   * @type {(plot: { ys: Float64Array, first: number, from: number, to: number, low: number, high: number,
   *   at: number, label: string }) => void}
   */
  function update({ ys, first, from, to, low, high, at, label }) {
    root.setAttribute("aria-label", label);
    const { width, height } = root.getBoundingClientRect();
    if (width === 0) return;
    const em = parseFloat(getComputedStyle(root).fontSize);
    const [left, right, top, bottom] = [3.6 * em, 0.7 * em, 0.7 * em, 1.5 * em];
    root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const xOf = (/** @type {number} */ x) => left + ((x - from) / Math.max(to - from, 1)) * (width - left - right);
    const yOf = (/** @type {number} */ y) => top + ((high - y) / (high - low || 1)) * (height - top - bottom);
    const [start, end] = [Math.max(from, first), Math.min(to, first + ys.length - 1)];
    const points = placesToDraw(ys, start - first, end - first, width).map(
      (i) => `${tenth(xOf(i + first))} ${tenth(yOf(ys[i]))}`,
    );
    curve.setAttribute("d", `M${points.join("L")}`);
    dots.setAttribute("d", points.length > 48 ? "" : points.map((point) => `M${point}h0`).join(""));
    zero.setAttribute("d", `M${left} ${tenth(yOf(0))}H${width - right}`);
    const shown = at >= start && at <= end;
    for (const node of [mark, stem]) node.setAttribute("display", shown ? "inline" : "none");
    if (shown) {
      for (const [name, x] of Object.entries({ cx: xOf(at), cy: yOf(ys[at - first]), r: 0.4 * em })) {
        mark.setAttribute(name, String(tenth(x)));
      }
      stem.setAttribute("d", `M${tenth(xOf(at))} ${top}V${height - bottom}`);
    }
    const middle = Math.round((from + to) / 2);
    const base = height - 0.4 * em;
    /** @type {[number, number, string][]} */
    const places = [
      [left, base, formatNumber(from, 0)],
      [xOf(middle), base, middle > from && middle < to ? formatNumber(middle, 0) : ""],
      [width - right, base, to > from ? formatNumber(to, 0) : ""],
      [left - 0.45 * em, top + 0.6 * em, formatLabel(high)],
      [left - 0.45 * em, height - bottom, formatLabel(low)],
    ];
    places.forEach(([x, y, text], i) => {
      words[i].setAttribute("x", String(x));
      words[i].setAttribute("y", String(y));
      words[i].textContent = text;
    });
  }
  return { root, update };
}
