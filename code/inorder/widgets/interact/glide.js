// From one state to the next: for a moment its numbers are on their way, so that the eye can follow them.

import { clamp } from "../kit/arithmetic.js";

const GLIDE = 180; // milliseconds
const MOST = 2 ** 15; // numbers that can be on their way
const LIMITS = ["limits", "x_limits", "y_limits"];

/** @type {(part: unknown) => part is ArrayOf} */
const isArrayOf = (part) =>
  typeof part === "object" && part !== null && ArrayBuffer.isView(Reflect.get(part, "values"));

// What lies between two parts of a state: `share` of the way for arrays of one shape; all else is that of `to`.
/** @type {<Part>(from: unknown, to: Part, share: number) => Part} */
export function between(from, to, share) {
  if (from === to || typeof to !== "object" || to === null || typeof from !== "object" || from === null) return to;
  if (isArrayOf(to)) {
    if (!isArrayOf(from) || String(from.shape) !== String(to.shape) || to.values.length > MOST) return to;
    const values = Float64Array.from(to.values, (end, i) => {
      const way = end - from.values[i];
      return Number.isFinite(way) ? from.values[i] + share * way : end;
    });
    return /** @type {typeof to} */ ({ shape: to.shape, values });
  }
  const parts = Object.entries(to).map(([name, part]) => [name, between(Reflect.get(from, name), part, share)]);
  return /** @type {typeof to} */ (Array.isArray(to) ? parts.map(([, part]) => part) : Object.fromEntries(parts));
}

// Under different limits the same number stands elsewhere, so a panel whose limits differ changes at once.
/** @type {(from: AnyPanel, to: AnyPanel) => boolean} */
const sameLimits = (from, to) =>
  LIMITS.every((name) => String(Reflect.get(from, name)) === String(Reflect.get(to, name)));

/** @type {(from: unknown, to: unknown) => boolean} */
function differs(from, to) {
  if (from === to || typeof to !== "object" || to === null || typeof from !== "object" || from === null) return false;
  if (isArrayOf(to)) return isArrayOf(from) && from.values !== to.values;
  return Object.entries(to).some(([name, part]) => differs(Reflect.get(from, name), part));
}

/**
 * glide.to(panels) has `paint(panels, goal)` draw the way from what is shown to these, which are the goal; at once where
 * the reader asked for less motion or does not look. With `ms`, the way takes that long, at an even pace.
 * @param {(panels: AnyPanel[], goal: AnyPanel[]) => void} paint
 */
export function glide(paint) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {AnyPanel[]} */
  let shown = [];
  /** @type {AnyPanel[]} */
  let start = [];
  /** @type {AnyPanel[]} */
  let goal = [];
  let frame = 0;
  let began = 0;
  let length = GLIDE;
  let isEven = false;

  function step(/** @type {number} */ now) {
    const passed = clamp((now - began) / length, 0, 1);
    const share = isEven ? passed : 1 - (1 - passed) ** 3;
    shown =
      passed === 1
        ? goal
        : goal.map((panel, i) => (sameLimits(start[i], panel) ? between(start[i], panel, share) : panel));
    paint(shown, goal);
    frame = passed === 1 ? 0 : requestAnimationFrame(step);
  }

  function stop() {
    cancelAnimationFrame(frame);
    frame = 0;
  }

  return {
    to(/** @type {AnyPanel[]} */ panels, /** @type {number | undefined} */ ms) {
      const isThere = shown.length === 0 || calm.matches || document.hidden || !differs(shown, panels);
      [start, goal, length, isEven] = [shown, panels, ms ?? GLIDE, ms !== undefined];
      if (isThere) {
        stop();
        shown = goal;
        paint(shown, goal);
        return;
      }
      began = performance.now();
      if (!frame) frame = requestAnimationFrame(step);
    },
    stop,
  };
}
