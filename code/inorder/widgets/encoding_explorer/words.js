// What the figure says: the sentences of figure.py, with the numbers of a state.

import { fill, formatDifference, formatNumber, subscript } from "../kit/words.js";
import { waveFrequencies, waveOf } from "./encoding.js";

/** @typedef {EncodingExplorerSentences} Sentences */
/** @typedef {{ nearest: number, distance: number }} Near */

// A wavelength: one digit after the point, none from a hundred on.
/** @type {(x: number) => string} */
const formatLength = (x) => formatNumber(x, x >= 99.95 ? 0 : 1);

// A number at the end of an axis.
/** @type {(x: number) => string} */
export function formatLabel(x) {
  const size = Math.abs(x);
  return x === 0 ? "0" : formatNumber(x, size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4);
}

// The answer: is the row one of a kind?
/** @type {(sentences: Sentences, state: EncodingExplorerState, given: Table | null, near: Near) => string} */
export function answerOf(sentences, { d_model }, given, { nearest, distance }) {
  if (distance === 0) return fill(sentences.same_row, { row: nearest });
  if (given) return sentences.no_other_row;
  return d_model === 2 ? sentences.no_other_angle : fill(sentences.no_other_angles, { pairs: d_model / 2 });
}

/** @type {(sentences: Sentences, near: Near) => string} */
export const noteOf = (sentences, { nearest, distance }) =>
  distance === 0 ? "" : fill(sentences.nearest, { row: nearest, distance: formatDifference(distance) });

// What is in a cell: the words before its number, the number, the words after it.
/** @type {(sentences: Sentences, state: EncodingExplorerState, given: Table | null, cell: Cell, value: number) => string[]} */
export function cellWords(sentences, state, given, cell, value) {
  const { wave, pair } = waveOf(cell.column, state);
  const turn = formatLength((2 * Math.PI) / state.base ** ((-2 * pair) / state.d_model));
  const hole = { ...cell, value: "{value}" };
  const sentence = given
    ? fill(sentences.entry, hole)
    : fill(sentences.wave, { ...hole, wave, pair: subscript(pair), turn });
  const [before, after] = sentence.split("{value}");
  return [before, formatNumber(value, 4), after];
}

// What is in view of the table, for a reader who can't see it.
/** @type {(view: View) => string} */
export const viewWords = ({ row, column, nRows, nColumns }) =>
  `positions ${row} to ${row + nRows - 1}, columns ${column} to ${column + nColumns - 1}`;

/** @type {(sentences: Sentences, state: EncodingExplorerState) => string} */
export function speedWords({ speeds }, { length, d_model, base }) {
  const omega = waveFrequencies(d_model, base);
  const slow = omega.filter((w) => w * (length - 1) < Math.PI / 2).length;
  return fill(speeds, {
    fastest: formatLength(2 * Math.PI),
    slowest: formatLength((2 * Math.PI) / omega[omega.length - 1]),
    last: length - 1,
    slow,
    pairs: omega.length,
    make: slow === 1 ? "makes" : "make",
  });
}

/** @type {(sentences: Sentences, row: number, given: Table | null, products: Float64Array) => string} */
export function likenessWords({ likeness }, row, given, products) {
  const digits = given ? 4 : 2; // learned tables hold small numbers
  const other = row + 1 < products.length ? row + 1 : row - 1;
  const [own, product] = [row, other].map((i) => formatNumber(products[i], digits));
  return fill(likeness, { row, own, other, product });
}
