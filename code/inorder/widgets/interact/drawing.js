// What planes and spaces are drawn with: names that keep clear of each other, and arrows.

import { nothing, svg } from "../kit/vendor/lit.js";

/** @typedef {[left: number, top: number, right: number, bottom: number]} Edges */

const LETTER = 7.4; // what a letter of a label takes, nearly, in the units of view.js
const WIDE_LETTER = 11.5; // a capital, an m or a w

/** @type {(text: string) => number} */
export const lengthOf = (text) =>
  [...text].reduce((sum, one) => sum + (/[A-Z_mw]/.test(one) ? WIDE_LETTER : LETTER), 0);

/** @type {(text: string, actor: Actor, x: number, y: number, anchor: string) => unknown} */
export const label = (text, actor, x, y, anchor) => svg`<text x=${x} y=${y} text-anchor=${anchor}
  class="inorder-label-of is-text-of-${actor}" paint-order="stroke" stroke-width="4" stroke-linejoin="round">${text}</text>`;

// Small boxes along a curve, near enough to each other that no label fits between. The nearer, the less a label crosses it.
/** @type {(corners: Spot[], step?: number) => Edges[]} */
export function alongCurve(corners, step = 10) {
  return corners.slice(1).flatMap(([x2, y2], i) => {
    const [x1, y1] = corners[i];
    const count = Math.min(Math.ceil(Math.hypot(x2 - x1, y2 - y1) / step), 100);
    return Array.from({ length: count }, (_, k) => {
      const [x, y] = [x1 + ((x2 - x1) * k) / count, y1 + ((y2 - y1) * k) / count];
      return /** @type {Edges} */ ([x - 1, y - 1, x + 1, y + 1]);
    });
  });
}

// Where a place's name may stand: to its right, above, to its left, below, or at a corner; clear of the ring by which
// the place is dragged, if it is.
/** @type {(text: string, at: Spot, isDragged: boolean) => { anchor: string, at: Spot, box: Edges }[]} */
export function sidesOf(text, [x, y], isDragged) {
  const more = isDragged ? 6 : 0;
  const length = lengthOf(text);
  /** @type {[x: number, y: number, anchor: string, shift: number][]} */
  const sides = [
    [x + 10 + more, y + 5, "start", 0],
    [x, y - 11 - more, "middle", -length / 2],
    [x - 10 - more, y + 5, "end", -length],
    [x, y + 21 + more, "middle", -length / 2],
    [x + 8, y - 10, "start", 0],
    [x + 8, y + 20, "start", 0],
    [x - 8, y - 10, "end", -length],
    [x - 8, y + 20, "end", -length],
  ];
  return sides.map(([left, base, anchor, shift]) => ({
    anchor,
    at: /** @type {Spot} */ ([left, base]),
    box: /** @type {Edges} */ ([left + shift, base - 12, left + shift + length, base + 3]),
  }));
}

// The first of these sides on which the name keeps clear of the others, or of most of them; it is taken then.
/** @type {(text: string, at: Spot, isDragged: boolean, taken: Edges[], room: { width: number, height: number }) => number} */
export function clearSide(text, at, isDragged, taken, { width, height }) {
  const sides = sidesOf(text, at, isDragged);
  const crossed = sides.map(({ box: [left, top, right, bottom] }) => {
    const isInside = left >= -4 && right <= width + 12 && top >= -8 && bottom <= height + 8;
    const others = taken.filter(([l, t, r, b]) => right > l && left < r && bottom > t && top < b);
    return isInside ? others.length : Number.POSITIVE_INFINITY;
  });
  const chosen = crossed.indexOf(Math.min(...crossed));
  taken.push(sides[chosen].box);
  return chosen;
}

/** @type {(tail: Spot, head: Spot, actor: Actor) => unknown} */
export function arrow([x1, y1], [x2, y2], actor) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 1) return nothing;
  const [u, v] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.min(12, length);
  /** @type {(side: number) => string} */
  const wing = (side) => `${x2 - head * u + side * 0.42 * head * v} ${y2 - head * v - side * 0.42 * head * u}`;
  return svg`<line x1=${x1} y1=${y1} x2=${x2 - 0.8 * head * u} y2=${y2 - 0.8 * head * v}
      class="inorder-shaft is-line-of-${actor}"/>
    <path d="M${x2} ${y2}L${wing(1)}L${wing(-1)}Z" class="is-filled is-${actor}"/>`;
}
