// Tints of numbers, and the page's theme.

import { clamp } from "./arithmetic.js";
import { DARK, LIGHT } from "./palette.js";

/** @type {(hex: string) => number[]} */
const channels = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

const [BY_DAY, BY_NIGHT] = [LIGHT, DARK].map((colours) =>
  Object.fromEntries(Object.entries(colours).map(([name, hex]) => [name, channels(hex)])),
);

/**
 * The colours of the book by their names, as [red, green, blue].
 * @param {boolean} dark
 */
export const palette = (dark) => (dark ? BY_NIGHT : BY_DAY);

/**
 * The tint of a number by its sign: towards "negative" below zero, towards "positive" above.
 * @param {number} amount from -1 to 1
 * @param {boolean} dark
 */
export function divergingColour(amount, dark) {
  const { raised, negative, positive } = palette(dark);
  return blend(raised, amount < 0 ? negative : positive, Math.abs(amount));
}

/**
 * The tint of a weight: the larger it is, the more ink.
 * @param {number} amount from 0 to 1
 * @param {boolean} dark
 */
export function sequentialColour(amount, dark) {
  const { raised, ink } = palette(dark);
  return blend(raised, ink, amount);
}

// The tint of a number on a scale: by its sign where that begins below zero, else the larger the more ink.
/** @type {(low: number, high: number, dark: boolean) => (value: number) => Tint} */
export const tintBetween = (low, high, dark) => (value) =>
  low < 0 ? divergingColour(value / Math.max(-low, high), dark) : sequentialColour((value - low) / (high - low), dark);

/**
 * The fill so far from one colour to the other; `ink` is black or white, whichever reads better on it (4.58 to 1 at least).
 * @param {number[]} from
 * @param {number[]} to
 * @param {number} amount
 */
function blend(from, to, amount) {
  const share = clamp(amount, 0, 1);
  const fill = from.map((channel, i) => Math.round(channel + (to[i] - channel) * share));
  const [red, green, blue] = fill.map((c) => (c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return { fill: `rgb(${fill.join(" ")})`, ink: luminance > 0.1791 ? "#000" : "#fff" };
}

/** Asks the book first, then JupyterLab, VS Code and the reader's system; where that forces its colours, it alone. */
export function isDark() {
  const isSystemDark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (matchMedia("(forced-colors: active)").matches) return isSystemDark;
  const theme = document.documentElement.dataset.theme;
  if (theme) return theme === "dark";
  if (document.body.dataset.jpThemeLight) return document.body.dataset.jpThemeLight === "false";
  if (document.body.classList.contains("vscode-light")) return false;
  if (document.body.classList.contains("vscode-dark")) return true;
  return isSystemDark;
}

/**
 * Calls onChange when the page's theme changes. Returns the function that stops it.
 * @param {() => void} onChange
 */
export function watchTheme(onChange) {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  observer.observe(document.body, { attributes: true, attributeFilter: ["class", "data-jp-theme-light"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", onChange);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", onChange);
  };
}

// The red, green and blue, 0 to 255, of Björn Ottosson's OKLab.
/** @type {(lab: number[]) => number[]} */
export function fromOklab([lightness, a, b]) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((light) => {
    const linear = clamp(light, 0, 1);
    return Math.round(255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055));
  });
}
