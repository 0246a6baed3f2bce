// The small pictures of heads.

import { largestOf } from "./data.js";

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
  const largest = scale === "one" ? 1 : largestOf(values, 0, values.length);
  for (let row = 0; row < rows; row += 1) {
    const start = row * columns;
    const full = (scale === "row" ? largestOf(values, start, start + columns) : largest) || 1;
    const lastQuery = Math.floor(((row + 1) * nQuery) / rows) - 1;
    for (let column = 0; column < columns; column += 1) {
      const isLater = triangle && Math.floor((column * nKey) / columns) > ahead + lastQuery;
      const x = values[start + column];
      values[start + column] = isLater ? NaN : x >= threshold ? x / full : 0;
    }
  }
  return values;
}
