// Colours that mix: a hue for each source, all of the same lightness and strength, so that equal parts make grey.

import { fromOklab } from "../kit/colour.js";

const LIGHTNESS = { day: 0.6, night: 0.7 }; // in OKLab: 3 to 1 and more against the plate
const STRENGTH = 0.125;

// The colour of a row that holds these shares of the sources, [red, green, blue]; twin.py mixes the same.
/** @type {(shares: ArrayLike<number>, dark: boolean) => number[]} */
export function dye(shares, dark) {
  let [a, b, sum] = [0, 0, 0];
  for (let k = 0; k < shares.length; k++) {
    const angle = (2 * Math.PI * k) / shares.length + 0.5;
    a += shares[k] * Math.cos(angle);
    b += shares[k] * Math.sin(angle);
    sum += shares[k];
  }
  const strength = STRENGTH / Math.max(sum, 1e-9);
  const lightness = dark ? LIGHTNESS.night : LIGHTNESS.day;
  return fromOklab([lightness, a * strength, b * strength]);
}
