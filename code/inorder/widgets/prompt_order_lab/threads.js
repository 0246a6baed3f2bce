// A line from each token of the first prompt to itself in the second. Where a token moves, its line goes with it.

import { setAttributes, svgNode } from "../kit/elements.js";

/**
 * @type {(n: number) => { root: SVGElement, draw: (prompt: number, at: number[]) => void, mark: (held: number | null) =>
 *   void }}
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
  /** @type {number[][]} */
  const ends = [[], []]; // where the middle of each token's tile is, in the first prompt and in the second

  /** @type {(prompt: number, at: number[]) => void} */
  function draw(prompt, at) {
    ends[prompt] = at;
    const [above, below] = ends;
    if (above.length !== below.length) return; // one of the two has yet to be drawn
    lines.forEach((line, token) => {
      const [from, to] = [above[token], below[token]];
      setAttributes(line, { d: `M ${from} 0 C ${from} 0.55 ${to} 0.45 ${to} 1` });
    });
  }

  // held: the token in the reader's hand, or null
  /** @type {(held: number | null) => void} */
  function mark(held) {
    lines.forEach((line, token) => line.classList.toggle("is-held", token === held));
  }
  return { root, draw, mark };
}
