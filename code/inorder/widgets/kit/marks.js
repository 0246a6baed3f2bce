// The marks that `interact` can draw, by kind: those that its view has always, and the extras of a figure, which enter
// themselves. `narrowest` is what such a picture needs beside another, in the units of the view.

/** @type {Record<string, { make: MakeMark, narrowest: number }>} */
export const MARKS = {};

// Other parts of `interact` that not every figure has, and that enter themselves likewise: what the reader types into,
// by the kind of the control, and states that Python computes as they are asked for.

/**
 * @typedef {object} Parts
 * @property {Record<string, import("../interact/boxes.js").MakeBox>} [boxes]
 * @property {(around: import("../interact/asking.js").Around) => import("../interact/asking.js").Asking} [asking]
 */

/** @type {Parts} */
export const PARTS = {};

// Figures of marks whose states the page itself computes (`interact/live.js`), by their names. They enter themselves.

/** @type {Record<string, import("../interact/live.js").Live>} */
export const LIVE = {};
