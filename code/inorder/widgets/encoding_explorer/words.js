// What the figure says; figure.py says the same.

import { formatDifference, formatNumber, subscript } from "../kit/words.js";
import { waveFrequencies, waveOf } from "./encoding.js";

// A wavelength: one digit after the point, none from a hundred on.
export function formatLength(x) {
  return formatNumber(x, x >= 99.95 ? 0 : 1);
}

// A number at the end of an axis.
export function formatLabel(x) {
  const size = Math.abs(x);
  return x === 0 ? "0" : formatNumber(x, size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4);
}

export function angles(nPairs) {
  return nPairs === 1 ? "this angle" : `these ${nPairs} angles`;
}

// The answer: is the row one of a kind?
export function answerOf({ d_model }, given, { nearest, distance }) {
  if (distance === 0) return `Position ${nearest} has the same row.`;
  return given ? "No other position has this row." : `No other position has ${angles(d_model / 2)}.`;
}

export function noteOf({ nearest, distance }) {
  return distance === 0 ? "" : `The nearest is that of position ${nearest}, ${formatDifference(distance)} away.`;
}

// What stands in a cell, in three parts: the number is in the middle.
export function cellWords(state, given, { row, column, value }) {
  const place = `Position ${row}, column ${column}: `;
  if (given) return [place, formatNumber(value, 4), ""];
  const { wave, pair } = waveOf(column, state);
  const turn = (2 * Math.PI) / state.base ** ((-2 * pair) / state.d_model);
  return [
    `${place}${wave}(${row} ω${subscript(pair)}) = `,
    formatNumber(value, 4),
    `, one turn in ${formatLength(turn)} positions.`,
  ];
}

// What is to be seen of the table, for who does not see it.
export function viewWords({ row, column, nRows, nColumns }) {
  return `positions ${row} to ${row + nRows - 1}, columns ${column} to ${column + nColumns - 1}`;
}

export function speedWords({ length, d_model, base }) {
  const omega = waveFrequencies(d_model, base);
  const slow = omega.filter((w) => w * (length - 1) < Math.PI / 2).length;
  return (
    `The fastest hand turns once in ${formatLength(2 * Math.PI)} positions, the slowest in ` +
    `${formatLength((2 * Math.PI) / omega.at(-1))}; from position 0 to ${length - 1}, ${slow} of ${omega.length} ` +
    `${slow === 1 ? "makes" : "make"} less than a quarter turn.`
  );
}

export function likenessWords(position, given, products) {
  const digits = given ? 4 : 2; // learned tables hold small numbers
  const next = position + 1 < products.length ? position + 1 : position - 1;
  return (
    `The product of row ${position} with itself is ${formatNumber(products[position], digits)}, ` +
    `with row ${next} it is ${formatNumber(products[next], digits)}.`
  );
}
