// Strips and bars as canvases one pixel wide or high, stretched by the style sheet: painting one costs the page's
// layout nothing, and each step paints many.

import { divergingColour, sequentialColour } from "../kit/colour.js";
import { penOf } from "../kit/elements.js";

/** @typedef {[from: number, to: number, colour: string]} Fill in pixels along the canvas */

const LONGEST = 120; // pixels of the longest bar, in its canvas
const FEW = 5; // tokens, up to which the marks of what was seen stand apart
/** @type {WeakMap<HTMLCanvasElement, string>} */
const pictures = new WeakMap(); // what each canvas shows

// fills: [from, to, colour], in pixels along the canvas
/**
 * @type {(canvas: HTMLCanvasElement, picture: string, side: "width" | "height", length: number, fills: Fill[]) =>
 *   void}
 */
function paint(canvas, picture, side, length, fills) {
  if (pictures.get(canvas) === picture) return;
  pictures.set(canvas, picture);
  canvas[side] = length; // this clears it, too
  const pen = penOf(canvas);
  for (const [from, to, colour] of fills) {
    pen.fillStyle = colour;
    if (side === "height") pen.fillRect(0, from, 1, to - from);
    else pen.fillRect(from, 0, to - from, 1);
  }
}

/** @type {(canvas: HTMLCanvasElement, colours: string[]) => void} */
function paintCells(canvas, colours) {
  const fills = colours.map((colour, i) => /** @type {Fill} */ ([i, i + 1, colour]));
  paint(canvas, colours.join(), "width", colours.length, fills);
}

// The numbers of a vector by their signs; full colour is `largest`.
/** @type {(canvas: HTMLCanvasElement, vector: number[], largest: number, dark: boolean) => void} */
export function paintVector(canvas, vector, largest, dark) {
  // In a hundred steps each way, so that a picture that looks the same is the same.
  const steps = vector.map((x) => Math.round((100 * x) / largest) / 100);
  paintCells(
    canvas,
    steps.map((amount) => divergingColour(amount, dark).fill),
  );
}

// A mark for each token of the prompt in the order of the vocabulary: ink if it was seen.
/** @type {(canvas: HTMLCanvasElement, seen: string[], everyone: string[], dark: boolean) => void} */
export function paintSeen(canvas, seen, everyone, dark) {
  const left = [...seen];
  const colours = everyone.flatMap((token) => {
    const known = left.includes(token);
    if (known) left.splice(left.indexOf(token), 1);
    const colour = sequentialColour(known ? 1 : 0.15, dark).fill;
    return everyone.length <= FEW ? [colour, colour, colour, "transparent"] : [colour];
  });
  paintCells(canvas, colours);
}

// A bar for a weight, pale where it falls short of the other prompt's, and a line there. Shares of the longest, upwards.
/** @type {(canvas: HTMLCanvasElement, share: number, other: number, dark: boolean) => void} */
export function paintWeight(canvas, share, other, dark) {
  const [mine, level] = [share, other].map((x) => Math.round(x * LONGEST));
  const [pale, bar] = [0.15, 0.75].map((amount) => sequentialColour(amount, dark).fill);
  /** @type {Fill[]} */
  const fills = [
    [LONGEST - level, LONGEST, pale],
    [LONGEST - mine, LONGEST, bar],
    [LONGEST - level, Math.min(LONGEST - level + 4, LONGEST), sequentialColour(1, dark).fill],
  ];
  paint(canvas, `${mine} ${level} ${bar}`, "height", LONGEST, fills);
}
