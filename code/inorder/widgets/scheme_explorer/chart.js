// Accuracy over steps, or over lengths: lines with their bands, and the two bounds.

import { make, setAttributes, svgNode } from "../kit/elements.js";

/**
 * @typedef {{ lines: { label: string, spread: Spread, number: number, isFaded: boolean }[], bounds: { kind: string, x: number[], y: number[] }[], shaded?: number[], high: number }} Content
 */

/** @typedef {{ x: number[], mean: number[], low: number[], high: number[] }} Spread */

export const DASHES = ["none", "9 3", "3 3", "10 3 3 3", "1.5 2.5", "16 4"];
const [WIDTH, HEIGHT, TOP, RIGHT] = [340, 240, 8, 8];
const LETTER = 11.5; // pixels
const STEPS = [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

// draw({ lines: [{ label, spread: { x, mean, low, high }, number, isFaded }], bounds: [{ kind, x, y }], shaded, high }):
// number picks the dash; shaded is a range of x. mark(x) puts a line there, in what is drawn.
/**
 * @type {(options: { label: string, unit: string, axis: string, name: string }) => { root: HTMLElement,
 *   draw: (content: Content) => void, mark: (x: number) => void }}
 */
export function chart({ label, unit, axis, name }) {
  const root = svgNode("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "inorder-chart", role: "img" });
  const box = make("div", { class: "inorder-chart-box", "data-chart": name }, root);
  const marked = svgNode("path", { class: "inorder-marked" });
  let pathAt = (/** @type {number} */ _) => ""; // from the bottom to the top

  /** @type {(x: number, y: number, words: string, anchor: string) => SVGTextElement} */
  const text = (x, y, words, anchor) => {
    const node = svgNode("text", { x, y, "text-anchor": anchor });
    node.textContent = words;
    return node;
  };

  /** @type {(content: Content) => void} */
  function draw({ lines, bounds, shaded, high }) {
    const letter = Math.min(Math.max((LETTER * WIDTH) / box.clientWidth, 12.5), 25); // on the screen the same on all widths
    const [left, bottom, isSmall] = [14 + 1.3 * letter, 8 + 2.24 * letter, letter > 18];
    root.setAttribute("font-size", String(letter));
    const yOf = (/** @type {number} */ accuracy) => TOP + (1 - accuracy) * (HEIGHT - TOP - bottom);
    const xOf = (/** @type {number} */ x) => left + (x / high) * (WIDTH - left - RIGHT);
    const path = (/** @type {number[]} */ xs, /** @type {number[]} */ ys) =>
      xs.map((x, i) => `${i ? "L" : "M"} ${xOf(x)} ${yOf(ys[i])}`).join(" ");
    /** @type {SVGElement[]} */
    const parts = [];
    if (shaded) {
      const [from, to] = shaded.map(xOf);
      const size = { width: to - from, height: yOf(0) - yOf(1) };
      parts.push(svgNode("rect", { x: from, y: yOf(1), ...size, class: "inorder-shaded" }));
    }
    for (const y of [0, 0.5, 1]) {
      parts.push(svgNode("path", { d: `M ${left} ${yOf(y)} H ${WIDTH - RIGHT}`, class: "inorder-rule" }));
      parts.push(text(left - 6, yOf(y) + letter / 3, y === 0.5 ? "0.5" : String(y), "end"));
    }
    const step = STEPS.find((one) => high / one <= (isSmall ? 3 : 6)) ?? high;
    for (let x = 0; x <= high; x += step) parts.push(text(xOf(x), HEIGHT - bottom + 1.2 * letter, String(x), "middle"));
    parts.push(text(WIDTH - RIGHT, HEIGHT - 4, axis, "end"));
    pathAt = (x) => `M ${xOf(x)} ${yOf(0)} V ${yOf(1)}`;
    parts.push(marked);
    for (const { kind, x, y } of bounds)
      parts.push(svgNode("path", { d: path(x, y), class: `inorder-bound is-${kind}` }));
    for (const { spread, isFaded } of lines) {
      const there = path(spread.x, spread.high);
      const back = path([...spread.x].reverse(), [...spread.low].reverse()).replace("M", "L");
      const d = spread.x.length ? `${there} ${back} Z` : "";
      parts.push(svgNode("path", { d, class: `inorder-spread ${isFaded ? "is-faded" : ""}` }));
    }
    for (const { spread, number, isFaded } of lines) {
      const style = { "stroke-dasharray": DASHES[number], class: `inorder-line ${isFaded ? "is-faded" : ""}` };
      parts.push(svgNode("path", { d: path(spread.x, spread.mean), ...style }));
    }
    root.replaceChildren(...parts);
    const ends = (/** @type {Spread} */ { x, mean }) =>
      x.length
        ? `${mean[0].toFixed(2)} at ${x[0]} and ${mean[mean.length - 1].toFixed(2)} at ${x[x.length - 1]}`
        : "not known";
    const told = lines.map((line) => `${line.label} ${ends(line.spread)}`);
    root.setAttribute("aria-label", `${label}, ${unit}: ${told.join("; ")}`);
  }

  /** @type {(x: number) => void} */
  const mark = (x) => setAttributes(marked, { d: pathAt(x) });
  return { root: box, draw, mark };
}
