// One curve over whole numbers, with a mark on it.

import { chart, pathOf } from "../kit/chart.js";
import { nothing, svg } from "../kit/vendor/lit.js";
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

// ys[0] stands at x = first; the axis runs from x.low to x.high.
/** @type {(options: { room: import("../kit/chart.js").Room, ys: Float64Array, first?: number, x: Ends, y: Ends, at: number, label: string, onPick?: (x: number) => void }) => unknown} */
export const curve = ({ room, ys, first = 0, x, y, at, label, onPick = () => {} }) =>
  chart({
    room,
    x,
    label,
    at,
    onPick,
    value: ys[at - first],
    y: { ...y, ticks: [y.high, y.low].map((value) => [value, formatLabel(value)]) },
    content(xOf, yOf) {
      const [start, end] = [Math.max(x.low, first), Math.min(x.high, first + ys.length - 1)];
      const places = placesToDraw(ys, start - first, end - first, room.width);
      const points = places.map((i) => [xOf(i + first), yOf(ys[i])]);
      const dots = points.length > 48 ? [] : points;
      return svg`<path class="is-curve" d=${pathOf(points)}/>${
        dots.length ? svg`<path class="is-dots" d=${dots.map((point) => `${pathOf([point])}h0`).join("")}/>` : nothing
      }`;
    },
  });
