// Where the parts of the loom are, in units of its stage: pixels, where letters have their usual size.

import { listOf } from "./model.js";

const NARROW = 600; // below, all is as on a phone

/**
 * @typedef {ReturnType<typeof layoutFor>} Layout
 * pitch: from one place to the next; thread: the width of a thread whose weight is 1; gap: from one layer's rows to the next;
 * pad: from a row to the first thread across; knots: the middle of each layer's rows; cloth to seam: the cloth; seam to hem: the crossing; hem to end: the first cloth
 */

/** @type {(width: number, n: number, nLayers: number) => { isNarrow: boolean, width: number, n: number, left: number, pitch: number,
 *   tileHeight: number, tileWidth: number, thread: number, knot: number, ribbon: number, gap: number, pad: number,
 *   knots: number[], cloth: number, seam: number, hem: number, end: number, height: number }} */
export function layoutFor(width, n, nLayers) {
  const isNarrow = width < NARROW;
  const left = isNarrow ? 16 : 62;
  const pitch = (width - left - (isNarrow ? 0 : 10)) / n;
  const tileHeight = isNarrow ? 48 : 54;
  const isDeep = nLayers > 3;
  const gap = isDeep ? 48 : isNarrow ? 78 : 72;
  const knots = listOf(nLayers + 1, (layer) => tileHeight + (isNarrow ? 38 : 40) + layer * gap);
  const cloth = knots[nLayers] + 28;
  const seam = cloth + (isNarrow ? 66 : 62);
  const hem = seam + (isNarrow ? 54 : 48);
  const end = hem + (isNarrow ? 26 : 22);
  return {
    isNarrow,
    width,
    n,
    left,
    pitch,
    tileHeight,
    tileWidth: Math.min(pitch - (isNarrow ? 5 : Math.min(44, pitch / 4)), 150),
    thread: isNarrow ? 6 : 10,
    knot: 8,
    ribbon: Math.min(pitch * (isNarrow ? 0.9 : 0.88), 220),
    gap,
    pad: gap / 8,
    knots,
    cloth,
    seam,
    hem,
    end,
    height: end + 22,
  };
}

/** @type {(layout: Layout, place: number) => number} */
export const middleOf = ({ left, pitch }, place) => left + (place + 0.5) * pitch;
