// What the reader takes hold of in a picture: dragged, it sets the arguments that its mark names.

import { clamp } from "../kit/arithmetic.js";
import { make } from "../kit/elements.js";
import { html, nothing, render } from "../kit/vendor/lit.js";
import { formatNumber, tidy } from "../kit/words.js";

/** @typedef {{ places: number[], at: Spot }} State where a grip is in a state */
/**
 * @typedef {{ names: string[], label: string, at: Spot, of: (panel: AnyPanel, places: number[]) => Spot,
 *   isOwn?: (places: number[]) => boolean, isDown?: boolean, word?: string, row?: number, value?: Spot,
 *   valueAt?: (spot: Spot) => Spot, spotAt?: (value: Spot) => Spot, isBare?: boolean }} Grip where
 *   it is, and in another state; isOwn: among which it goes; isDown: later states lie below; word: what it holds; of a
 *   point, its row, its coordinates, those of another spot, within the plane, and back; a bare one has no ring */
/** @typedef {{ show: (part: View | null) => void }} MovesView the part of a heat map that is in sight; null: all */
/**
 * @typedef {{ view?: MovesView, controls: Control[], places: () => number[], panelAt: (places: number[]) => AnyPanel,
 *   statesOf: (names: string[]) => number[][], set: (places: number[]) => void, orders: Orders,
 *   readerOver: typeof import("./reader.js").readerOver, handlesOver: typeof handlesOver,
 *   between: typeof import("./glide.js").between,
 *   move?: (names: string[], row: number, value: Spot) => void }} Hand the arguments, and their
 *   states now; all states of these arguments, the others as they are: a place of each control; what an extra mark would
 *   otherwise have to bring along; and, where a point goes anywhere, what takes it there
 */

/**
 * @typedef {(names: string[], starts: number[], orderOf: (panel: AnyPanel) => number[]) => { isLoose: (word: number) => boolean,
 *   move: (word: number, to: number) => void }} Orders what moves words, from where each stands
 */

// By the states of an argument that are orders of the words: to the one in which the word stands nearest to that place,
// and of those to the one that moves the others least.
/** @type {(hand: Omit<Hand, "orders">) => Orders} */
export const ordersBy = (hand) => (names, starts, orderOf) => {
  const states = hand
    .statesOf(names)
    .map((places) => ({ places, order: orderOf(hand.panelAt(places)) }))
    .filter(({ order }) => order.length === starts.length);
  return {
    isLoose: (word) => new Set(states.map(({ order }) => order[word])).size > 1,
    move(word, to) {
      const costs = states.map(({ order }) =>
        order.reduce((sum, at, i) => sum + (at - starts[i]) ** 2, 1e4 * Math.abs(order[word] - to)),
      );
      const { places } = states[costs.indexOf(Math.min(...costs))];
      hand.set(places);
    },
  };
};

const [STEP, LONG_STEP] = [0.1, 0.5]; // of a point that goes anywhere, by an arrow key, and with Shift
const GRID = 20; // to the unit, on which the hand lets it down
const LET_GO = -1;
const LANDING = 0.3; // of the way that is left, in each frame
/** @type {Record<string, [axis: number, step: number]>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1] };

/** @type {(spots: Spot[], spot: Spot) => number} the index of the one nearest to the spot; of equals the last, which is on top */
function nearest(spots, [x, y]) {
  const distances = spots.map((at) => Math.hypot(at[0] - x, at[1] - y));
  return distances.lastIndexOf(Math.min(...distances));
}

/** @type {(value: number, values: number[]) => number} */
const within = (value, values) => clamp(value, Math.min(...values), Math.max(...values));

// `whenMoved` draws the picture of a mark that goes with the hand; spotOf(i): where it has grip i, null if it has not.
/** @type {(picture: HTMLElement | SVGElement, hand: Hand, whenMoved?: () => void) => { root: HTMLElement, set: (grips: Grip[]) => void, spotOf: (i: number) => Spot | null }} */
export function handlesOver(picture, hand, whenMoved) {
  const box = make("div", { class: "inorder-grips", "data-picture": "skip" });
  const root = make("div", { class: "inorder-handles" }, picture, box);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {Grip[]} */
  let grips = [];
  /** @type {{ i: number, pointer: number, shift: Spot, states: State[], spot: Spot } | null} pointer −1: let go, on its way to its state */
  let held = null;

  /** @type {(event: PointerEvent) => Spot} */
  const pointerAt = ({ clientX, clientY }) => {
    const { left, top } = root.getBoundingClientRect();
    return [clientX - left, clientY - top];
  };
  box.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || (held?.pointer ?? LET_GO) !== LET_GO) return;
    event.preventDefault(); // of the mouse: it would select text, and take the focus from the nearest
    const [x, y] = pointerAt(event);
    const i = nearest(
      grips.map(({ at }) => at),
      [x, y],
    );
    const { at, of, names, isOwn = () => true } = grips[i];
    const own = hand.move ? [] : hand.statesOf(names).filter(isOwn);
    const states = own.map((places) => ({ places, at: of(hand.panelAt(places), places) }));
    held = { i, pointer: event.pointerId, shift: [at[0] - x, at[1] - y], states, spot: at };
    const handle = /** @type {HTMLElement} */ (box.children[i]);
    handle.setPointerCapture(event.pointerId);
    handle.focus(/** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: false }));
    draw();
  });
  box.addEventListener("pointermove", (event) => {
    if (held?.pointer !== event.pointerId) return;
    const { shift, states } = held;
    const [x, y] = pointerAt(event).map((value, axis) => value + shift[axis]);
    const { valueAt, spotAt, names, row = 0 } = grips[held.i];
    if (hand.move && valueAt && spotAt) {
      const value = valueAt([x, y]);
      held.spot = spotAt(value);
      const place = value.map((one) => Math.round(one * GRID) / GRID);
      hand.move(names, row, /** @type {Spot} */ (place));
      return draw();
    }
    const spots = states.map(({ at }) => at);
    const { places } = states[nearest(spots, [x, y])];
    const [across, down] = [0, 1].map((axis) => spots.map((at) => at[axis]));
    held.spot = [within(x, across), within(y, down)]; // under the hand; the mark goes to the nearest state
    hand.set(places);
    draw();
    whenMoved?.();
  });
  for (const ending of /** @type {const} */ (["pointerup", "pointercancel"])) {
    box.addEventListener(ending, (event) => {
      if (held?.pointer !== event.pointerId) return;
      held = { ...held, pointer: LET_GO };
      land();
    });
  }
  function land() {
    if (held?.pointer !== LET_GO) return;
    const { at } = grips[held.i];
    held.spot = /** @type {Spot} */ (held.spot.map((x, axis) => x + LANDING * (at[axis] - x)));
    if (calm.matches || Math.hypot(at[0] - held.spot[0], at[1] - held.spot[1]) < 1) held = null;
    else requestAnimationFrame(land);
    draw();
    whenMoved?.();
  }

  /** @type {(event: KeyboardEvent, grip: Grip) => void} */
  function press(event, { names, isDown = false, row = 0, value }) {
    const { key } = event;
    const [axis, step] = STEPS[key] ?? [0, 0];
    if (hand.move && value) {
      if (!step) return;
      event.preventDefault();
      const by = step * (event.shiftKey ? LONG_STEP : STEP);
      return hand.move(names, row, /** @type {Spot} */ (value.map((x, i) => (i === axis ? tidy(x + by) : x))));
    }
    if (!step && key !== "Home" && key !== "End") return;
    event.preventDefault();
    const which = hand.controls.findIndex(({ name }) => name === names[Math.min(axis, names.length - 1)]);
    const last = hand.controls[which].keys.length - 1;
    const place = hand.places()[which];
    const ahead = isDown && axis === 1 ? -step : step;
    const next = step ? clamp(place + ahead, 0, last) : key === "Home" ? 0 : last;
    hand.set(hand.places().with(which, next));
  }

  /** @type {(grip: Grip, i: number) => unknown} */
  function handle(grip, i) {
    const { names, label, at, value } = grip;
    const isFirst = grips.findIndex((other) => String(other.names) === String(names)) === i;
    const isHeld = held?.i === i && held.pointer !== LET_GO;
    const [x, y] = spotOf(i) ?? at;
    const own = hand.controls
      .map((control, c) => ({ ...control, place: hand.places()[c] }))
      .filter(({ name }) => names.includes(name));
    const isFree = hand.move && value;
    const states = isFree
      ? `across ${formatNumber(value[0])}, up ${formatNumber(value[1])}`
      : own.map((one) => `${one.label} ${one.texts[one.place]}`).join(", ");
    return html`<div class="inorder-handle ${isHeld ? "is-held" : ""} ${grip.isBare ? "is-bare" : ""}" role="slider"
      tabindex=${isFirst || isFree ? 0 : -1} style="translate: ${x}px ${y}px" aria-label=${label ? `Drag ${label}` : "Drag"}
      aria-valuemin=${isFree ? nothing : 0} aria-valuemax=${isFree ? nothing : own[0].keys.length - 1}
      aria-valuenow=${isFree ? value[0] : own[0].place} aria-valuetext=${states} data-word=${grip.word ?? nothing}
      @keydown=${(/** @type {KeyboardEvent} */ event) => press(event, grip)}></div>`;
  }
  const draw = () => render(grips.map(handle), box);
  const spotOf = (/** @type {number} */ i) => (held?.i === i ? held.spot : null);

  /** @type {(next: Grip[]) => void} */
  function set(next) {
    if (!next.length && !grips.length) return;
    grips = next;
    if (held && held.i >= grips.length) held = null;
    draw();
  }

  return { root, set, spotOf };
}
