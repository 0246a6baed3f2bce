// Where names stand in a drawing: beside their marks, and not on one another.

/** @typedef {[number, number]} Pair */

const LETTER = 7.2; // of the drawing: about what a letter of a name takes
const HEIGHT = 17;

/** @type {(a: Box, b: Box) => number} */
const overlap = (a, b) => {
  const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return wide > 0 && high > 0 ? wide * high : 0;
};

/**
 * The middle of each name's baseline.
 * @param {{ at: Pair, away: number, text: string }[]} names `away` from the middle of their marks
 * @param {{ at: Pair, radius: number }[]} marks
 * @param {number} size of the square that they stay in
 * @returns {{ x: number, y: number }[]}
 */
export function placeLabels(names, marks, size) {
  const taken = marks.map(({ at: [x, y], radius }) => box(x, y, 2 * radius, 2 * radius));
  return names.map(({ at: [x, y], away, text }) => {
    const width = LETTER * [...text].length;
    const side = away + width / 2;
    const sides = [
      [x, y - away - HEIGHT / 2],
      [x, y + away + HEIGHT / 2],
      [x + side, y],
      [x - side, y],
    ];
    const boxes = sides.map(([u, v]) =>
      box(
        Math.min(Math.max(u, width / 2), size - width / 2),
        Math.min(Math.max(v, HEIGHT / 2), size - HEIGHT / 2),
        width,
        HEIGHT,
      ),
    );
    const cover = (/** @type {{ x: number; y: number; width: number; height: number; }} */ one) =>
      taken.reduce((sum, other) => sum + overlap(one, other), 0);
    const best = boxes.reduce((least, one) => (cover(one) < cover(least) ? one : least));
    taken.push(best);
    return { x: best.x + best.width / 2, y: best.y + HEIGHT / 2 + 5 };
  });
}

/** @type {(x: number, y: number, width: number, height: number) => Box} */
const box = (x, y, width, height) => ({ x: x - width / 2, y: y - height / 2, width, height });
