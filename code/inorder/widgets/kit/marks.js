// The marks that `interact` can draw, by kind: those that its view has always, and the extras of a figure, which enter
// themselves. `narrowest` is what such a picture needs beside another, in the units of the view.

/** @typedef {(place: number, hand: import("../interact/handles.js").Hand) => import("../interact/states.js").MarkOf} MakeMark */

/** @type {Record<string, { make: MakeMark, narrowest: number }>} */
export const MARKS = {};
