// The small pictures of heads.

import { fullColour, largestOf } from "./data.js";

/** @type {(now: import("./data.js").Now, layer: number, head: number) => Float64Array} */
export function pictureOfHead(
  {
    data: {
      shape: [, nHeads],
      thumbnails: { rows, columns, largest },
    },
    thumbnails,
  },
  layer,
  head,
) {
  const first = (layer * nHeads + head) * rows * columns;
  const scale = largest[layer][head] / 255;
  return Float64Array.from(
    (thumbnails ?? new Uint8Array()).subarray(first, first + rows * columns),
    (code) => code * scale,
  );
}

// As visibleShares, of a picture: a block is later if all its tokens are.
/** @type {(now: import("./data.js").Now, layer: number, head: number) => Float64Array} */
export function shadedPicture(now, layer, head) {
  const {
    state: { threshold, triangle, scale },
    data: {
      shape: [, , nQuery, nKey],
      thumbnails: { rows, columns },
    },
    ahead,
  } = now;
  const values = pictureOfHead(now, layer, head);
  const full = scale === "one" ? 1 : fullColour(largestOf(values, 0, values.length), nKey);
  for (let row = 0; row < rows; row += 1) {
    const start = row * columns;
    const top = scale === "row" ? fullColour(largestOf(values, start, start + columns), nKey) : full;
    const lastQuery = Math.floor(((row + 1) * nQuery) / rows) - 1;
    for (let column = 0; column < columns; column += 1) {
      const isLater = triangle && Math.floor((column * nKey) / columns) > ahead + lastQuery;
      const x = values[start + column];
      values[start + column] = isLater ? NaN : x >= threshold ? x / top : 0;
    }
  }
  return values;
}
