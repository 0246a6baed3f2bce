// The two prompts as rows of tiles, a line from each token to itself, and the token that each last query generates.

import { svgNode } from "../kit/elements.js";
import { tileRow } from "../kit/tiles.js";
import { html, render, svg } from "../kit/vendor/lit.js";
import { PROMPTS } from "./reading.js";

// ordersNow(): the tokens of each prompt, by their number; onMove(prompt, from, to) asks for one to be moved.
/** @param {{ ordersNow: () => number[][], onMove: (prompt: number, from: number, to: number) => void }} options */
export function promptRows({ ordersNow, onMove }) {
  const lines = svgNode("svg", { class: "inorder-lab-threads", "aria-hidden": "true", preserveAspectRatio: "none" });
  /** @type {number[][]} */
  const middles = [[], []]; // of each token's tile, in both prompts
  /** @type {number | null} */
  let held = null; // the token in the reader's hand

  function drawLines() {
    const [above, below] = middles;
    if (above.length !== below.length) return; // one of the two has yet to be drawn
    lines.setAttribute("viewBox", `0 0 ${above.length} 1`);
    lines.classList.toggle("is-holding", held !== null);
    const paths = above.map((from, token) => {
      const bend = `M ${from} 0 C ${from} 0.55 ${below[token]} 0.45 ${below[token]} 1`;
      return svg`<path class=${token === held ? "is-held" : ""} d=${bend}/>`;
    });
    render(paths, /** @type {any} */ (lines));
  }

  const rows = PROMPTS.map((which, prompt) =>
    tileRow({
      label: `The ${which} prompt`,
      describe: (token, place, n) =>
        `“${token}”, token ${place + 1} of ${n} in the ${which} prompt; arrow keys move it`,
      order: () => ordersNow()[prompt],
      onMove: (from, to) => onMove(prompt, from, to),
      onGlide(at) {
        middles[prompt] = at;
        drawLines();
      },
      onHold(place, isDragged) {
        held = isDragged ? ordersNow()[prompt][place] : null;
        drawLines();
      },
    }),
  );

  // orders: of the tokens in both prompts; prompts: their names; next: the token after each
  /** @type {(orders: number[][], prompts: string[][], next: string[], hasPositions: boolean) => unknown} */
  function view(orders, prompts, next, hasPositions) {
    rows.forEach((row, prompt) => row.draw(orders[prompt], prompts[prompt]));
    const [first, second] = PROMPTS.map(
      (which, prompt) => html`<span class="inorder-lab-name" aria-hidden="true">${which}</span>
        <div class="inorder-lab-tiles">${rows[prompt].root}</div>
        <span class="inorder-lab-writes" role="img" aria-label="The last query of the ${which} prompt generates “${next[prompt]}”">
          <span class="inorder-lab-asks" aria-hidden="true">◆<i></i>▸</span>
          <span class="inorder-lab-written" title=${next[prompt]}>${next[prompt]}</span></span>`,
    );
    return html`<div class="inorder-lab-prompts ${hasPositions ? "is-told" : ""}">${first}${lines}
      <span class="inorder-lab-whose" aria-hidden="true">its query generates</span>${second}</div>`;
  }
  return { view, stop: () => rows.forEach(({ stop }) => stop()) };
}
