// Colours that mix: a hue for each source, all of the same lightness and strength, so that equal parts make grey.

const LIGHTNESS = { day: 0.6, night: 0.7 }; // in OKLab: 3 to 1 and more against the plate
const STRENGTH = 0.125;

/** @type {(share: number) => number} */
const toChannel = (share) => {
  const linear = Math.min(Math.max(share, 0), 1);
  return Math.round(255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055));
};

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
  return toRgb(lightness, a * strength, b * strength);
}

/** @type {(lightness: number, a: number, b: number) => number[]} */
function toRgb(lightness, a, b) {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(toChannel);
}
