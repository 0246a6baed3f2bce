// What the reader takes hold of in a picture: dragged, it sets the arguments that its mark names.

import { make } from "../kit/elements.js";

/** @typedef {import("./states.js").AnyPanel} AnyPanel */

/** @typedef {import("./states.js").Control} Control */

/** @typedef {[x: number, y: number]} Spot pixels from the picture's corner */

/**
 * @typedef {{ names: string[], label: string, at: Spot,
 *   of: (panel: AnyPanel, places: number[]) => Spot }} Grip where it is, and in another state */

/**
 * @typedef {{ controls: Control[], places: () => number[], panelAt: (places: number[]) => AnyPanel,
 *   statesOf: (names: string[]) => number[][], set: (places: number[]) => void,
 *   readerOver: typeof import("./reader.js").readerOver, handlesOver: typeof handlesOver }} Hand the arguments, and their
 *   states now; all states of these arguments, the others as they are: a place of each control; and what an extra mark
 *   would otherwise have to bring along
 */

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1] };

/** @type {(picture: HTMLElement | SVGElement, hand: Hand) => { root: HTMLElement, set: (grips: Grip[]) => void }} */
export function handlesOver(picture, hand) {
  const root = make("div", { class: "inorder-handles" }, picture);
  /** @type {Grip[]} */
  let grips = [];
  /** @type {HTMLElement[]} */
  let handles = [];

  /** @type {(i: number) => HTMLElement} */
  function handleOf(i) {
    const isFirst = grips.findIndex(({ names }) => String(names) === String(grips[i].names)) === i;
    const handle = make("div", {
      class: "inorder-handle",
      role: "slider",
      tabindex: isFirst ? 0 : -1,
      "data-picture": "skip",
    });
    /** @type {{ pointer: number, shift: Spot, states: { places: number[], at: Spot }[] } | null} */
    let held = null;
    /** @type {(event: PointerEvent) => Spot} */
    const spotOf = ({ clientX, clientY }) => {
      const { left, top } = root.getBoundingClientRect();
      return [clientX - left, clientY - top];
    };
    handle.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const [x, y] = spotOf(event);
      const { at, of, names } = grips[i];
      const states = hand.statesOf(names).map((places) => ({ places, at: of(hand.panelAt(places), places) }));
      held = { pointer: event.pointerId, shift: [at[0] - x, at[1] - y], states };
      handle.setPointerCapture(event.pointerId);
      handle.classList.add("is-held");
    });
    handle.addEventListener("pointermove", (event) => {
      if (!held || held.pointer !== event.pointerId) return;
      const { shift } = held;
      const [x, y] = spotOf(event).map((value, axis) => value + shift[axis]);
      const distances = held.states.map(({ at }) => Math.hypot(at[0] - x, at[1] - y));
      const nearest = held.states[distances.indexOf(Math.min(...distances))].places;
      if (String(nearest) !== String(hand.places())) hand.set(nearest);
    });
    for (const ending of ["pointerup", "pointercancel"]) {
      handle.addEventListener(ending, () => {
        held = null;
        handle.classList.remove("is-held");
      });
    }
    handle.addEventListener("keydown", (event) => {
      const { names } = grips[i];
      const step = STEPS[/** @type {keyof typeof STEPS} */ (event.key)];
      if (!step && event.key !== "Home" && event.key !== "End") return;
      event.preventDefault();
      const which = hand.controls.findIndex(({ name }) => name === names[Math.min(step?.[0] ?? 0, names.length - 1)]);
      const last = hand.controls[which].keys.length - 1;
      const place = hand.places()[which];
      const next = step ? Math.min(Math.max(place + step[1], 0), last) : event.key === "Home" ? 0 : last;
      if (next !== place) hand.set(hand.places().with(which, next));
    });
    return handle;
  }

  /** @type {(next: Grip[]) => void} */
  function set(next) {
    const isSame =
      next.length === grips.length && next.every(({ names }, i) => String(names) === String(grips[i].names));
    grips = next;
    if (!isSame) {
      for (const handle of handles) handle.remove();
      handles = grips.map((_, i) => handleOf(i));
      root.append(...handles);
    }
    const places = hand.places();
    grips.forEach(({ names, label, at }, i) => {
      const own = hand.controls.flatMap((control, c) =>
        names.includes(control.name) ? [{ control, place: places[c] }] : [],
      );
      const words = own.map(({ control, place }) => `${control.label} ${control.texts[place]}`).join(", ");
      Object.assign(handles[i].style, { left: `${at[0]}px`, top: `${at[1]}px` });
      const [{ control, place }] = own;
      /** @type {Record<string, string | number>} */
      const said = {
        "aria-label": label ? `Drag ${label}` : "Drag",
        "aria-valuetext": words,
        "aria-valuemin": 0,
        "aria-valuemax": control.keys.length - 1,
        "aria-valuenow": place,
      };
      for (const [name, value] of Object.entries(said)) handles[i].setAttribute(name, String(value));
    });
  }

  return { root, set };
}
