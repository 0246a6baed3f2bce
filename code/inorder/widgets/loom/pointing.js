// Which row, thread or stripe the pointer is on, and what it says.

import { D_MODEL, lastOf } from "./model.js";
import { isDrawn, rope, routeOf } from "./threads.js";
import { knotSays, stripeSays, threadSays } from "./words.js";

/** @typedef {import("./threads.js").Painting} Painting */

/** @typedef {import("./scene.js").Thread} Thread */

/** @typedef {{ says: string, focus: ((thread: Thread) => boolean) | null }} Found focus: the threads that belong to it */

const [NEAR, BESIDE] = [9, 22]; // pixels from the middle of a row, up or down, and to a side
const GENEROUS = 3; // pixels around a thread

/** @type {(painting: Painting, words: string[], reading: import("./model.js").Reading, x: number, y: number) => Found | null} */
export function under(painting, words, reading, x, y) {
  const { layout, scene } = painting;
  for (const [layer, middle] of layout.knots.entries()) {
    const word = scene.order.find((one) => Math.abs(x - scene.columns[one][layer].x) < BESIDE);
    if (Math.abs(y - middle) >= NEAR || word === undefined) continue;
    return {
      says: knotSays(words, layer, word),
      focus: ({ layer: own, query }) => own === layer - 1 && query === word,
    };
  }
  const thread = threadUnder(painting, x, y);
  if (thread) return { says: threadSays(words, reading, thread), focus: (one) => one === thread };
  if (y < layout.cloth || y > layout.seam) return null;
  for (const word of scene.order) {
    const column = Math.floor((x - lastOf(scene.columns[word]).x) / (layout.ribbon / D_MODEL) + D_MODEL / 2);
    if (column >= 0 && column < D_MODEL) return { says: stripeSays(words, reading, word, column), focus: null };
  }
  return null;
}

// Of several, the thinnest, which is the hardest to meet.
/** @type {(painting: Painting, x: number, y: number) => Thread | undefined} */
function threadUnder(painting, x, y) {
  const { pen, layout, scene, ratio } = painting;
  const layer = layout.knots.findLastIndex((knot) => knot < y);
  if (!scene.threads[layer]) return;
  const met = scene.threads[layer].flat().filter((thread) => {
    if (!isDrawn(painting, thread) || thread.goal.open === 0) return false;
    pen.beginPath();
    rope(pen, routeOf(layout, scene, thread), thread.now.width / 2 + GENEROUS);
    return pen.isPointInPath(x * ratio, y * ratio);
  });
  return met.sort((a, b) => a.now.width - b.now.width)[0];
}
