// Reads a picture out: the numbers under the pointer, or those that the arrow keys have come to, in a small tag, which
// is spoken, too.

import { clamp } from "../kit/arithmetic.js";
import { make, write } from "../kit/elements.js";

/** @typedef {{ at: Spot, reach: Spot, words: string }} Reading of a mark, which a pointer finds as far from it as `reach` */

/** @typedef {() => Reading[][]} Readings rows of them, for the arrow keys to walk through; asked anew for another size */

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const ABOVE = 45; // pixels that a tag needs above what it names
const RING = 9; // pixels, at most, from the middle of what is read

// reader(readings) reads these from now on; reader(null) reads nothing.
/** @type {(root: HTMLElement, picture: HTMLElement | SVGElement) => (next: Readings | null) => void} */
export function readerOver(root, picture) {
  const tag = make("div", { class: "inorder-tag", "aria-live": "polite", "data-picture": "skip" });
  const ring = make("span", { class: "inorder-ring", "data-picture": "skip", hidden: true });
  root.append(ring, tag);
  /** @type {Readings | null} */
  let readings = null;
  /** @type {Reading[][] | null} */
  let known = null; // what they gave: to measure each cell at each step of a pointer takes its time
  const rowsNow = () => {
    known ??= readings?.().filter((row) => row.length) ?? [];
    return known;
  };
  const forget = () => {
    known = null;
  };
  new ResizeObserver(forget).observe(root); // it ends with the root
  /** @type {[row: number, column: number] | null} */
  let chosen = null;
  let isHand = false; // one that has moved something and not yet left: a tag would cover what it has moved

  function choose(/** @type {typeof chosen} */ next) {
    const rows = next ? rowsNow() : [];
    chosen = null;
    ring.hidden = !rows.length;
    if (!next || !rows.length) return write(tag, "");
    const row = rows[clamp(next[0], 0, rows.length - 1)];
    chosen = [rows.indexOf(row), clamp(next[1], 0, row.length - 1)];
    const { at, reach, words } = row[chosen[1]];
    const side = `${2 * Math.min(RING, ...reach)}px`;
    Object.assign(ring.style, { left: `${at[0]}px`, top: `${at[1]}px`, width: side, height: side });
    write(tag, words);
    // Beside what it names, so that it covers nothing of it: a clock, a cell.
    const isBelow = at[1] - reach[1] < ABOVE;
    Object.assign(tag.style, {
      left: `${at[0]}px`,
      top: `${at[1] + (isBelow ? reach[1] : -reach[1])}px`,
      transform: `translate(${(-100 * at[0]) / root.clientWidth}%, ${isBelow ? 0 : -100}%)`,
    });
  }

  /** @type {(event: PointerEvent) => void} */
  function find({ clientX, clientY, buttons }) {
    isHand ||= buttons > 0;
    if (isHand) return choose(null);
    const { left, top } = root.getBoundingClientRect();
    const [x, y] = [clientX - left, clientY - top];
    let nearest = 1;
    /** @type {typeof chosen} */
    let found = null;
    rowsNow().forEach((row, r) => {
      row.forEach(({ at, reach }, column) => {
        const distance = Math.max(Math.abs(x - at[0]) / reach[0], Math.abs(y - at[1]) / reach[1]);
        if (distance <= nearest) [nearest, found] = [distance, [r, column]];
      });
    });
    choose(found);
  }

  const isByKeys = () => picture.matches(":focus-visible");
  const leave = () => {
    isHand = false;
    choose(null);
  };
  root.addEventListener("pointerdown", leave, true); // even where the mark keeps the event for itself
  root.addEventListener("pointermove", find);
  root.addEventListener("pointerleave", () => isByKeys() || leave());
  root.addEventListener("click", find); // a finger has left by then
  root.addEventListener("focusout", () => choose(null));
  picture.addEventListener("focus", () => isByKeys() && choose(chosen ?? [0, 0]));
  picture.addEventListener("keydown", (event) => {
    const { key } = /** @type {KeyboardEvent} */ (event);
    if (!readings || event.target !== picture) return;
    if (key === "Escape") choose(null);
    if (!Object.hasOwn(STEPS, key)) return;
    event.preventDefault();
    const [down, right] = STEPS[key];
    choose(chosen ? [chosen[0] + down, chosen[1] + right] : [0, 0]);
  });

  return (next) => {
    readings = next;
    forget();
    if (next) picture.setAttribute("tabindex", "0");
    else picture.removeAttribute("tabindex");
    if (chosen) choose(chosen);
  };
}
