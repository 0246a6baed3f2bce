// Where numbers stand on an axis, and which of them are written there.

/** @typedef {[value: number, text: string]} Tick */

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

// scale(limits, log, length) → { at(value) in pixels from the axis's start, ticks: [[value, text]] }
/**
 * @type {(limits: [number, number], log: boolean, length: number, spacing: number) => { at: (value: number) =>
 *   number, ticks: Tick[] }}
 */
export function scale([low, high], log, length, spacing) {
  const warp = log ? Math.log10 : (/** @type {number} */ value) => value;
  const [from, to] = [warp(low), warp(high)];
  const at = (/** @type {number} */ value) => ((warp(value) - from) / (to - from)) * length;
  return { at, ticks: log ? logTicks(from, to) : linearTicks(low, high, Math.max(2, Math.floor(length / spacing))) };
}

/** @type {(low: number, high: number, most: number) => Tick[]} */
function linearTicks(low, high, most) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((width) => width >= rough * 0.999) ?? power;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, i) => [(first + i) * step, tickText((first + i) * step, digits)]);
}

/** @type {(value: number, digits: number) => string} */
function tickText(value, digits) {
  if (Math.abs(value) >= 1e5 || digits > 4) return value === 0 ? "0" : powerText(value);
  return value.toFixed(digits).replace(/^-/, "−");
}

/** @type {(exponent: number) => string} */
const raised = (exponent) =>
  `${exponent < 0 ? "⁻" : ""}${[...String(Math.abs(exponent))].map((d) => SUPERSCRIPTS[Number(d)]).join("")}`;

/** @type {(value: number) => string} */
function powerText(value) {
  const [digits, exponent] = value.toExponential(1).replace(".0", "").replace(/^-/, "−").split("e");
  return digits === "1" ? `10${raised(Number(exponent))}` : `${digits}·10${raised(Number(exponent))}`;
}

/** @type {(from: number, to: number) => Tick[]} */
function logTicks(from, to) {
  const decades = Array.from(
    { length: Math.floor(to + 1e-9) - Math.ceil(from - 1e-9) + 1 },
    (_, i) => Math.ceil(from - 1e-9) + i,
  );
  const every = Math.ceil(decades.length / 7);
  /** @type {(power: number) => string} */
  const name = (power) => (power >= -2 && power <= 4 ? String(Number(`1e${power}`)) : `10${raised(power)}`);
  if (decades.length >= 3)
    return decades.filter((power) => power % every === 0).map((power) => [10 ** power, name(power)]);
  const powers = Array.from({ length: Math.ceil(to) - Math.floor(from) + 1 }, (_, i) => Math.floor(from) + i);
  return powers
    .flatMap((power) => [1, 2, 5].map((factor) => factor * 10 ** power))
    .filter((value) => Math.log10(value) >= from - 1e-9 && Math.log10(value) <= to + 1e-9)
    .map((value) => [value, String(Number(value.toPrecision(3)))]);
}
