// What each actor looks like besides its colour: a shape for places and names, a dash for curves.

import { html, nothing, svg } from "../kit/vendor/lit.js";

/** @type {Record<Actor, string>} */
const SHAPES = {
  query: "M0-6.2L6.2 0L0 6.2L-6.2 0Z",
  key: "M-5.4 0A5.4 5.4 0 1 1 5.4 0A5.4 5.4 0 1 1-5.4 0Z",
  value: "M-5-5H5V5H-5Z",
  position: "M0-5.8L6 4.8H-6Z",
  ink: "M-4.6 0A4.6 4.6 0 1 1 4.6 0A4.6 4.6 0 1 1-4.6 0Z",
};
/** @type {Partial<Record<Actor, string>>} */
const DASHES = { query: "9 3 2 3", key: "2 3", value: "", position: "7 4" };
const INK_DASHES = ["", "7 4", "2 3", "10 3 2 3", "1.5 2.5", "16 4"]; // of the curves in ink, one by one

/** @type {(actor: Actor, transform?: string) => unknown} */
export const shape = (actor, transform) =>
  svg`<path d=${SHAPES[actor]} class="is-filled is-${actor}" transform=${transform ?? nothing}/>`;

/** @type {(actor: Actor, nthInInk: number) => string | undefined} */
export function dashOf(actor, nthInInk) {
  return actor === "ink" ? INK_DASHES[nthInInk % INK_DASHES.length] : DASHES[actor];
}

// A name after the shape of its actor: ● animal.
/** @type {(actor: Actor, name: string) => unknown} */
export const named = (actor, name) =>
  actor === "ink"
    ? name
    : html`<svg viewBox="-7 -7 14 14" width="12" height="12" aria-hidden="true">${shape(actor)}</svg><span
        class="is-text-of-${actor}">${name}</span>`;
