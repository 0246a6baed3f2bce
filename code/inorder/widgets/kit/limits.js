// What the parts of a figure's state may be, as state.py declares it: for what the page's address says, which cannot
// be trusted, and for a state that is only half updated.

import { clamp } from "./arithmetic.js";

export const BREAKS = /[\s\p{Cc}]+/u; // white space and control characters

/** @type {(x: unknown, low?: number, high?: number) => boolean} */
const within = (x, low = -Infinity, high = Infinity) => typeof x === "number" && low <= x && x <= high;
/** @type {(x: any, limit: Pick<Limit, "high"> & Partial<Limit>) => boolean} */
const isInteger = (x, { low = 0, high, step = 1 }) =>
  Number.isInteger(x) && within(x, low, high) && (x - low) % step === 0;

/** @type {(x: unknown, limit: Limit) => boolean} */
function isText(x, { shortest, longest, spaces }) {
  return typeof x === "string" && within([...x].length, shortest, longest) && (spaces || !BREAKS.test(x));
}

/** @type {(x: unknown, limit: Limit) => boolean} */
function isMatrix(x, { low, high, rows = [1, Infinity], columns = [1, Infinity] }) {
  return (
    Array.isArray(x) &&
    within(x.length, ...rows) &&
    x.every(
      (row) => Array.isArray(row) && row.length === x[0].length && row.every((entry) => within(entry, low, high)),
    ) &&
    within(x[0].length, ...columns)
  );
}

/** @type {Record<string, (value: any, limit: Limit) => boolean>} */
const KINDS = {
  boolean: (value) => typeof value === "boolean",
  integer: isInteger,
  real: (value, { low, high }) => within(value, low, high),
  choice: (value, { options }) => typeof value === "string" && options.includes(value),
  texts: (value, limit) =>
    Array.isArray(value) && within(value.length, limit.fewest, limit.most) && value.every((one) => isText(one, limit)),
  integers: (value, limit) => Array.isArray(value) && value.every((one) => isInteger(one, limit)),
  permutation: (value) =>
    Array.isArray(value) &&
    value.every((place) => isInteger(place, { high: value.length - 1 })) &&
    new Set(value).size === value.length,
  matrix: isMatrix,
};

/**
 * Is the value within its own limits?
 * @param {Limit} limit
 * @param {unknown} value
 */
export function fits(limit, value) {
  return KINDS[limit.kind](value, limit);
}

// A number that is held at the end that it lies beyond, and is whole where it must be.
/** @type {(limit: Pick<Limit, "kind" | "low" | "high">, x: number) => number} */
export const held = ({ kind, low, high }, x) => clamp(kind === "integer" ? Math.round(x) : x, low, high);

/** @type {(value: any) => number} */
const sizeOf = (value) => (Array.isArray(value) ? value.length : value);

/**
 * Do the parts of a state fit each other? Each must fit alone.
 * @param {Record<string, Limit>} limits
 * @param {Record<string, any>} state
 */
export function fitTogether(limits, state) {
  return Object.entries(limits).every(([name, { like, below }]) => {
    const value = state[name];
    const isLong = !like || value.length === sizeOf(state[like]);
    return isLong && (!below || value < sizeOf(state[below]));
  });
}
