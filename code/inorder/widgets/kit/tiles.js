// Words as tiles in a row, to be put into another order: drag one past another, or move it with the keyboard.

import { make, setAttributes, write } from "./elements.js";

const FAR_ENOUGH = 5; // pixels: less is a press, not a drag
const NEAR = 1; // pixel: a middle that is as near has been reached

/**
 * describe: what a screen reader is told of a tile. onHold(place, isDragged): the focus is on another tile, or a drag
 * begins, goes on or ends.
 * @param {{ label: string, describe: (text: string, place: number, n: number) => string,
 *   onMove: (from: number, to: number) => void, onHold?: (place: number, isDragged: boolean) => void }} options
 */
export function tileRow({ label, describe, onMove, onHold = () => {} }) {
  const root = make("div", { class: "inorder-tiles", role: "group", "aria-label": label });
  /** @type {HTMLElement[]} */
  let tiles = [];
  /** @type {{ place: number, x: number, y: number } | null} where the pointer went down */
  let pressed = null;
  /** @type {number | null} the place of the tile being dragged */
  let dragged = null;

  function makeTile(/** @type {number} */ place) {
    const onkeydown = (/** @type {KeyboardEvent} */ event) => {
      const last = tiles.length - 1;
      /** @type {Record<string, number>} */
      const moves = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: last };
      const to = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      if (to < 0 || to > last || to === place) return;
      tiles[to].focus({ preventScroll: true }); // first: after the move, it would have the page laid out at once
      onMove(place, to);
    };
    return make(
      "button",
      { type: "button", class: "inorder-tile", onkeydown, onfocus: () => onHold(place, dragged !== null) },
      make("span", { class: "inorder-word", dir: "auto" }),
      make("span", { class: "inorder-place" }, String(place)),
    );
  }

  function mark() {
    tiles.forEach((tile, place) => tile.classList.toggle("is-dragged", place === dragged));
  }

  function draw(/** @type {string[]} */ texts) {
    if (tiles.length !== texts.length) {
      tiles = texts.map((_, place) => makeTile(place));
      root.replaceChildren(...tiles);
    }
    root.style.setProperty("--n", String(texts.length));
    root.style.setProperty("--letters", String(Math.max(4, ...texts.map((text) => [...text].length))));
    tiles.forEach((tile, place) => {
      const text = texts[place];
      write(/** @type {Node} */ (tile.firstChild), text);
      setAttributes(tile, { title: text, "aria-label": describe(text, place, texts.length) });
    });
    mark();
  }

  // The place whose neighbours' middles the pointer stands between. The layout says where they are, because a tile may be
  // gliding.
  function placeAt(/** @type {number} */ x, /** @type {number} */ from) {
    const { left } = root.getBoundingClientRect();
    const middles = tiles.map((tile) => left + tile.offsetLeft + tile.offsetWidth / 2);
    const passed = (/** @type {number} */ middle, /** @type {number} */ place) =>
      place < from ? middle < x - NEAR : middle <= x + NEAR;
    return middles.filter((middle, place) => place !== from && passed(middle, place)).length;
  }

  root.addEventListener("pointerdown", (event) => {
    const { target } = event;
    const place = tiles.findIndex((tile) => target instanceof Node && tile.contains(target));
    if (place >= 0 && event.button === 0) pressed = { place, x: event.clientX, y: event.clientY };
  });
  root.addEventListener("pointermove", (event) => {
    if (!pressed) return;
    if (dragged === null) {
      if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < FAR_ENOUGH) return;
      dragged = pressed.place;
      root.setPointerCapture(event.pointerId);
      mark();
      onHold(dragged, true);
    }
    const [from, to] = [dragged, placeAt(event.clientX, dragged)];
    if (to === from) return;
    dragged = to;
    onMove(from, to);
    tiles[to].focus({ preventScroll: true });
  });
  for (const end of ["pointerup", "pointercancel"]) {
    root.addEventListener(end, () => {
      const held = dragged;
      pressed = dragged = null;
      mark();
      if (held !== null) onHold(held, false);
    });
  }
  return { root, tiles: () => tiles, draw };
}
