// Numbers and words, as the figures print them.

import { ROUNDING } from "./arithmetic.js";

/** @type {(x: number, digits?: number) => string} */
export function formatNumber(x, digits = 2) {
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const text = Math.abs(x).toFixed(digits);
  return x < 0 && Number(text) !== 0 ? `−${text}` : text;
}

// Two decimals, or one digit and a power of ten where those would hide it; 0 for rounding.
/** @type {(x: number) => string} */
export function formatDifference(x) {
  if (x <= ROUNDING) return "0";
  return x >= 0.005 ? formatNumber(x) : x.toExponential(0);
}

// 0.1 + 0.2 is 0.3 to a reader who moves by steps.
/** @type {(x: number) => number} */
export function tidy(x) {
  return Math.round(x * 1000) / 1000;
}

// ["query", "keys", "values"] as "query, keys and values".
/** @type {(words: string[]) => string} */
export function listed(words) {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}` : words.join();
}

// A sentence of `templates` in Python, its parts filled in: what stands in braces is a part's name.
/** @type {<Part extends string>(sentence: Sentence<Part>, parts: Record<NoInfer<Part>, string | number>) => string} */
export function fill(sentence, parts) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(Reflect.get(parts, name)));
}

/** @type {(x: number, digits?: number) => string} */
export function equalsOrNearly(x, digits = 2) {
  return Math.abs(x - Number(x.toFixed(digits))) < 1e-9 ? "=" : "≈";
}

/** @type {(n: number) => string} */
export function subscript(n) {
  return String(n).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);
}

/** @type {(text: string, length: number) => string} */
export function shorten(text, length) {
  const letters = [...text];
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : text;
}
