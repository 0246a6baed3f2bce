// Numbers and words, as the figures print them; what the address bar may say in their place.

/** @type {(x: number, digits?: number) => string} */
export function formatNumber(x, digits = 2) {
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const text = Math.abs(x).toFixed(digits);
  return x < 0 && Number(text) !== 0 ? `−${text}` : text;
}

// Two decimals, or one digit and a power of ten where those would hide it.
/** @type {(x: number) => string} */
export function formatDifference(x) {
  if (x === 0) return "0";
  return x >= 0.005 ? formatNumber(x) : x.toExponential(0);
}

// 0.1 + 0.2 is 0.3 to a reader who moves by steps.
/** @type {(x: number) => number} */
export function tidy(x) {
  return Math.round(x * 1000) / 1000;
}

/** @type {(x: number, digits?: number) => string} */
export function equalsOrNearly(x, digits = 2) {
  return Math.abs(x - Number(x.toFixed(digits))) < 1e-9 ? "=" : "≈";
}

/** @type {(n: number) => string} */
export function subscript(n) {
  return String(n).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);
}

/** @type {(text: string, length: number) => string} */
export function shorten(text, length) {
  const letters = [...text];
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : text;
}

/** @type {(value: unknown, longest: number) => boolean} */
export function isText(value, longest) {
  return typeof value === "string" && [...value].length <= longest;
}

/** @type {(value: any, largest: number) => boolean} */
export function isMatrix(value, largest) {
  const isNumber = (x) => typeof x === "number" && Math.abs(x) <= largest;
  const isRow = (row) => Array.isArray(row) && row.length === value[0].length && row.every(isNumber);
  return (
    Array.isArray(value) && value.length > 0 && Array.isArray(value[0]) && value[0].length > 0 && value.every(isRow)
  );
}
