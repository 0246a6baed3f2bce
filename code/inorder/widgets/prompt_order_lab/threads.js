// A line from each token of the first prompt to itself in the second. Where a token moves, its line goes with it.

import { setAttributes, svgNode } from "../kit/elements.js";
import { travel } from "../kit/motion.js";

/**
 * @type {(n: number) => { root: SVGElement, follow: (orders: number[][]) => void, mark: (held: number | null) =>
 *   void, stop: () => void }}
 */
export function threads(n) {
  const lines = Array.from({ length: n }, () => svgNode("path"));
  const root = svgNode("svg", {
    class: "inorder-lab-threads",
    "aria-hidden": "true",
    preserveAspectRatio: "none",
    viewBox: `0 0 ${n} 1`,
  });
  root.append(...lines);
  /** @type {number[][] | null} */
  let ends = null; // where each token stands, in the first prompt and in the second
  const motions = [0, 1].map((prompt) =>
    travel((at) => {
      if (!ends) return;
      ends[prompt] = at;
      draw(ends);
    }),
  );

  function draw(/** @type {number[][]} */ places) {
    lines.forEach((line, token) => {
      const [from, to] = places.map((at) => at[token] + 0.5);
      setAttributes(line, { d: `M ${from} 0 C ${from} 0.55 ${to} 0.45 ${to} 1` });
    });
  }

  // orders: the tokens of each prompt, by their number
  /** @type {(orders: number[][]) => void} */
  function follow(orders) {
    if (!ends) {
      ends = orders.map((order) => order.map((_, token) => order.indexOf(token)));
      draw(ends);
    }
    motions.forEach((motion, prompt) => motion.follow(orders[prompt]));
  }

  // held: the token in the reader's hand, or null
  /** @type {(held: number | null) => void} */
  function mark(held) {
    lines.forEach((line, token) => line.classList.toggle("is-held", token === held));
  }

  const stop = () => motions.forEach((motion) => motion.stop());
  return { root, follow, mark, stop };
}
