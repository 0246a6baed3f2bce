// A line from each token of the first prompt to itself in the second. Where a token moves, its line goes with it.

import { setAttributes, svgNode } from "../kit/elements.js";
import { travel } from "../kit/motion.js";

export function threads(n) {
  const lines = Array.from({ length: n }, () => svgNode("path"));
  const root = svgNode("svg", {
    class: "inorder-lab-threads",
    "aria-hidden": "true",
    preserveAspectRatio: "none",
    viewBox: `0 0 ${n} 1`,
  });
  root.append(...lines);
  let ends = null; // where each token stands, in the first prompt and in the second
  const motions = [0, 1].map((prompt) =>
    travel((at) => {
      ends[prompt] = at;
      draw();
    }),
  );

  function draw() {
    lines.forEach((line, token) => {
      const [from, to] = ends.map((at) => at[token] + 0.5);
      setAttributes(line, { d: `M ${from} 0 C ${from} 0.55 ${to} 0.45 ${to} 1` });
    });
  }

  // orders: the tokens of each prompt, by their number
  function follow(orders) {
    if (!ends) {
      ends = orders.map((order) => order.map((_, token) => order.indexOf(token)));
      draw();
    }
    motions.forEach((motion, prompt) => motion.follow(orders[prompt]));
  }

  // held: the token in the reader's hand, or null
  function mark(held) {
    lines.forEach((line, token) => line.classList.toggle("is-held", token === held));
  }

  const stop = () => motions.forEach((motion) => motion.stop());
  return { root, follow, mark, stop };
}
