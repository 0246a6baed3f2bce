// Tiles that the hand puts into another order, by mouse, touch or keyboard. The one in hand follows the pointer and
// trades places with a neighbour once the two overlap by 40 %; the others glide aside; let go, it glides to its place.

import { clamp, moveWithin } from "./arithmetic.js";

const OVERLAP = 0.4; // of the shorter of two tiles
const TURN = 8; // pixels that the hand goes back before it has turned round: where it trembles, nothing swaps
const PRESS = 5; // pixels: less is a press, not a drag
const SLACK = 12; // pixels that a tile may be carried past the row's end
const STIFFNESS = 16; // per second: a glide takes a third of one
const STILL = 0.002; // of a tile: so near to its place, it has arrived

/** @typedef {{ at: number, size: number }} Slot where the middle of a tile rests, and how long the tile is */

/** @typedef {{ at: number, speed: number }} Body */

// A critically damped spring, solved exactly: however late a frame comes, nothing overshoots from rest.
/** @type {(body: Body, goal: number, seconds: number) => void} */
function glideTo(body, goal, seconds) {
  const way = body.at - goal;
  const pull = (body.speed + STIFFNESS * way) * seconds;
  const fade = Math.exp(-STIFFNESS * seconds);
  body.at = goal + (way + pull) * fade;
  body.speed = (body.speed - STIFFNESS * pull) * fade;
}

/**
 * Lengths are in any unit along the row, of which `unit()` says the pixels when a tile is taken in hand.
 *
 *   box          the element from whose left edge (or top) places are counted
 *   isColumn()   are the tiles one below the other?
 *   along(event) where on the row the hand is, in pixels: for tiles on several lines
 *   order()      the token at each place, now
 *   slotsOf(order)           by token
 *   isLoose(token)           can it be moved?
 *   move(token, to)          asks for the token at another place; what grants it calls `follow`
 *   draw(at, lifted, seconds)  at each frame: the middles by token, and the tile in hand or on its way home. Returns true
 *                            while the figure itself goes on moving
 *   hold(token, isHeld)      a tile is taken in hand, or let go
 *   tap(token)               a tile is pressed, not dragged
 *
 * take(tile, token) makes a tile one of them. follow() draws, and lets all go to where the order has them; at once with
 * { jump: true }, as after a change of size. kick(token, speed) gives a tile a push. wake() begins to call draw.
 * @param {{ box: HTMLElement, isColumn?: () => boolean, along?: (event: PointerEvent) => number, unit?: () => number, order: () => number[],
 *   slotsOf: (order: number[]) => Slot[], isLoose?: (token: number) => boolean, move: (token: number, to: number) => void,
 *   draw: (at: number[], lifted: number | null, seconds: number) => boolean | void,
 *   hold?: (token: number, isHeld: boolean) => void, tap?: (token: number) => void }} options
 */
export function dragTiles({
  box,
  isColumn = () => false,
  along = (event) => spotIn(box, event)[isColumn() ? 1 : 0],
  unit = () => 1,
  order,
  slotsOf,
  isLoose = () => true,
  move,
  draw,
  hold = () => {},
  tap = () => {},
}) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {Body[]} */
  let bodies = [];
  /** @type {Slot[]} */
  let slots = [];
  /** @type {number | null} */
  let lifted = null;
  // shift: from the pointer to the tile's middle; way: where the hand goes, −1 or 1; furthest: how far it got
  /** @type {{ token: number, pointer: number, unit: number, shift: number, way: number, furthest: number } | null} */
  let held = null;
  let wasDragged = false;
  let request = 0;
  let last = 0;

  const places = () => bodies.map(({ at }) => at);

  /** @type {(seconds: number) => boolean} */
  function glide(seconds) {
    let isMoving = false;
    bodies.forEach((body, token) => {
      if (token === held?.token) return;
      const { at, size } = slots[token];
      if (!calm.matches) glideTo(body, at, seconds);
      const near = STILL * size;
      if (!calm.matches && (Math.abs(body.at - at) > near || Math.abs(body.speed) > STIFFNESS * near)) isMoving = true;
      else Object.assign(body, { at, speed: 0 });
    });
    if (!isMoving && !held) lifted = null;
    return isMoving;
  }

  /** @type {(now: number) => void} */
  function frame(now) {
    const seconds = clamp(now - last, 0, 50) / 1000; // a frame may have begun before the hand that it shows
    last = now;
    const isMoving = glide(seconds);
    const isOther = draw(places(), lifted, seconds);
    request = isMoving || isOther ? requestAnimationFrame(frame) : 0;
  }

  function wake() {
    if (request) return;
    last = performance.now();
    request = requestAnimationFrame(frame);
  }

  /** @type {(options?: { jump?: boolean }) => void} */
  function follow({ jump = false } = {}) {
    slots = slotsOf(order());
    if (bodies.length !== slots.length) {
      bodies = slots.map(({ at }) => ({ at, speed: 0 }));
      letGo();
    }
    if (jump) {
      bodies.forEach((body, token) => {
        if (token !== held?.token) Object.assign(body, { at: slots[token].at, speed: 0 });
      });
    }
    glide(0);
    draw(places(), lifted, 0);
    wake();
  }

  // The place to which the hand has carried its tile.
  /** @type {(token: number, at: number, way: number) => number} */
  function placeUnder(token, at, way) {
    let next = order();
    for (;;) {
      const place = next.indexOf(token);
      const rest = slotsOf(next);
      const [own, other] = [rest[token], rest[next[place + way]]];
      if (!other || way === 0) return place;
      const overlap = (own.size + other.size) / 2 - (other.at - at) * way;
      if (overlap < OVERLAP * Math.min(own.size, other.size)) return place;
      next = moveWithin(next, place, place + way);
    }
  }

  /** @type {(event: PointerEvent) => void} */
  function carry(event) {
    if (held?.pointer !== event.pointerId) return;
    const { token } = held;
    const turn = TURN / held.unit;
    const slack = SLACK / held.unit;
    const low = Math.min(...slots.map(({ at, size }) => at - size / 2)) - slack;
    const high = Math.max(...slots.map(({ at, size }) => at + size / 2)) + slack;
    const half = slots[token].size / 2;
    const at = clamp(along(event) / held.unit + held.shift, low + half, high - half);
    const gone = (at - held.furthest) * (held.way || 1);
    if (held.way === 0 || gone <= -turn) held.way = Math.sign(at - held.furthest);
    if (gone > 0 || gone <= -turn) held.furthest = at;
    if (Math.abs(at - slots[token].at) * held.unit >= PRESS) wasDragged = true;
    bodies[token] = { at, speed: 0 };
    const to = placeUnder(token, at, held.way);
    if (to !== order().indexOf(token)) move(token, to);
    wake();
  }

  function letGo() {
    if (!held) return;
    const { token } = held;
    held = null;
    if (calm.matches) glide(0);
    hold(token, false);
    wake();
  }

  /** @type {(event: KeyboardEvent, token: number) => void} */
  function moveByKey(event, token) {
    const now = order();
    const from = now.indexOf(token);
    const final = now.length - 1;
    const [back, on] = [Math.max(from - 1, 0), Math.min(from + 1, final)];
    /** @type {Record<string, number>} */
    const targets = { ArrowLeft: back, ArrowUp: back, ArrowRight: on, ArrowDown: on, Home: 0, End: final };
    if (!Object.hasOwn(targets, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (targets[event.key] !== from) move(token, targets[event.key]);
  }

  /** @type {(tile: HTMLElement, token: number) => void} */
  function take(tile, token) {
    tile.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || held) return;
      wasDragged = false;
      if (!isLoose(token)) return;
      const pixels = unit();
      slots = slotsOf(order());
      const { at } = bodies[token];
      const shift = at - along(event) / pixels;
      held = { token, pointer: event.pointerId, unit: pixels, shift, way: 0, furthest: at };
      lifted = token;
      tile.setPointerCapture(event.pointerId); // a quick hand is off the tile with its first move
      hold(token, true);
      wake();
    });
    tile.addEventListener("pointermove", carry);
    for (const ending of ["pointerup", "pointercancel", "lostpointercapture"]) tile.addEventListener(ending, letGo);
    tile.addEventListener("click", () => {
      if (!wasDragged) tap(token);
    });
    tile.addEventListener("keydown", (event) => {
      wasDragged = false;
      if (isLoose(token)) moveByKey(event, token);
    });
  }

  return {
    take,
    follow,
    wake,
    kick(/** @type {number} */ token, /** @type {number} */ speed) {
      bodies[token].speed += speed;
      wake();
    },
    held: () => held?.token ?? null,
    isMoving: () => request !== 0,
    stop: () => cancelAnimationFrame(request),
  };
}

// Where the pointer is, in pixels from the corner of the element: its own pixels, for a slide is scaled as a whole.
/** @type {(element: HTMLElement, event: PointerEvent) => [x: number, y: number]} */
export function spotIn(element, { clientX, clientY }) {
  const { left, top, width } = element.getBoundingClientRect();
  const scale = width / element.offsetWidth || 1;
  return [(clientX - left) / scale, (clientY - top) / scale];
}

// The page's order is the reading order, for the Tab key and a screen reader. The element in hand or in focus stays where
// it is, or the hand would lose it, and it the focus; the others go around it, but only those that are not in place.
/** @type {(box: HTMLElement, elements: HTMLElement[], held: number) => void} held: its index, or −1 */
export function sortInPage(box, elements, held) {
  const focused = elements.findIndex((element) => element.contains(document.activeElement));
  const pivot = held >= 0 ? held : Math.max(focused, 0);
  /** @type {(some: HTMLElement[], end: Node | null) => void} */
  const line = (some, end) => {
    let next = end;
    for (const element of some.reverse()) {
      if (element.nextSibling !== next) box.insertBefore(element, next);
      next = element;
    }
  };
  line(elements.slice(pivot + 1), null); // first: with it, one that goes from before the pivot to behind it moves alone
  line(elements.slice(0, pivot), elements[pivot]);
}
