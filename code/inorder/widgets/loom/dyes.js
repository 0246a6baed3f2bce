// The dyes of the words, and how they mix: in OKLab, as [lightness, a, b].

import { fromOklab } from "../kit/colour.js";

/** @typedef {number[]} Lab */

// Logwood, woad, weld, verdigris, indigo, walnut. Any two, and any of them and vermilion, are at least 12 apart
// (OKLab × 100) for normal, protan, deutan and tritan sight.
const BY_DAY = ["#8444ac", "#3aa3d2", "#d19512", "#22806f", "#28287a", "#5d2310"];
const BY_NIGHT = ["#a65686", "#a2d9fb", "#fec76c", "#4cb8ab", "#5c79d5", "#5a6600"];
const CHROMA = 0.55; // a plain mean greys the dyes, so a mixture gets back this share of the chroma that it lost

/** @type {(channel: number) => number} */
const toLinear = (channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);

// Björn Ottosson's OKLab, from red, green and blue of 0 to 255.
/** @type {(channels: Channels) => Lab} */
export function toLab(channels) {
  const [r, g, b] = channels.map((channel) => toLinear(channel / 255));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** @type {(lab: Lab) => string} */
export const toCss = (lab) => `rgb(${fromOklab(lab).join(" ")})`;

/** @type {(hex: string) => Lab} */
const fromHex = (hex) => toLab([1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)));
const [DAY, NIGHT] = [BY_DAY, BY_NIGHT].map((hexes) => hexes.map(fromHex));

// One for each word; a word that occurs again has the dye that it has.
/** @type {(words: string[], dark: boolean) => Lab[]} */
export const dyesFor = (words, dark) => words.map((word) => (dark ? NIGHT : DAY)[words.indexOf(word)]);

/** @type {(shares: number[], dyes: Lab[]) => Lab} */
export function mix(shares, dyes) {
  let [lightness, a, b, whole] = [0, 0, 0, 0];
  shares.forEach((share, word) => {
    const dye = dyes[word];
    lightness += share * dye[0];
    a += share * dye[1];
    b += share * dye[2];
    whole += share * Math.hypot(dye[1], dye[2]);
  });
  const chroma = Math.hypot(a, b) || 1;
  const back = (chroma + (whole - chroma) * CHROMA) / chroma;
  return [lightness, a * back, b * back];
}

// A stripe: the dye of its row, as deep as its number is large.
/** @type {(dye: Lab, number: number, dark: boolean) => Lab} */
export function shade([, a, b], number, dark) {
  const depth = 0.5 + 0.5 * Math.tanh(number * 0.9);
  const chroma = dark ? 0.3 + 0.7 * depth : 0.22 + 0.9 * depth;
  return [dark ? 0.27 + 0.53 * depth : 0.945 - 0.56 * depth, a * chroma, b * chroma];
}

// The gaps between the yarns of a thread.
/** @type {(lab: Lab, dark: boolean) => Lab} */
export const yarn = ([lightness, a, b], dark) => [lightness + (dark ? -0.16 : 0.17), a * 0.8, b * 0.8];

/** @type {(from: Lab, to: Lab, share: number) => Lab} */
export const between = (from, to, share) => from.map((part, i) => part + (to[i] - part) * share);
