// The two prompts as rows of tiles, a line from each token to itself, and the token that each last query generates.

import { make, setAttributes, svgNode, write } from "../kit/elements.js";
import { tileRow } from "../kit/tiles.js";
import { threads } from "./threads.js";
import { PROMPTS } from "./words.js";

// A query, whose line is dash-dot, as long as there is room: ◆–·–▸
function arrow() {
  const end = (/** @type {string} */ x, /** @type {string} */ d) => {
    const sign = svgNode("svg", { x, y: "50%", width: "1em", height: "1em", viewBox: "0 0 1 1", overflow: "visible" });
    sign.append(svgNode("path", { d }));
    return sign;
  };
  const root = svgNode("svg", { class: "inorder-lab-asks", "aria-hidden": "true" });
  root.append(
    svgNode("line", { x2: "100%", y1: "50%", y2: "50%" }),
    end("0", "M-.35 0L.16-.51L.67 0L.16.51z"),
    end("100%", "M-.05-.4L.55 0L-.05.4z"),
  );
  return root;
}

// ordersNow(): the tokens of each prompt, by their number; onMove(prompt, from, to) asks for one to be moved;
// onHold(prompt, place): another tile has the focus.
/**
 * @type {(n: number, options: { ordersNow: () => number[][], onMove: (prompt: number, from: number, to: number) => void, onHold: (prompt: number,
 *   place: number) => void }) => { root: HTMLElement, update: (orders: number[][], prompts: string[][],
 *   next: string[], isTold: boolean) => void, stop: () => void }}
 */
export function promptRows(n, { ordersNow, onMove, onHold }) {
  const rows = PROMPTS.map((which, prompt) =>
    tileRow({
      label: `The ${which} prompt`,
      describe: (token, place) => `“${token}”, token ${place + 1} of ${n} in the ${which} prompt; arrow keys move it`,
      order: () => ordersNow()[prompt],
      onMove: (from, to) => onMove(prompt, from, to),
      onGlide: (at) => between.draw(prompt, at),
      onHold: (place, isDragged) => {
        held = isDragged ? { prompt, place } : null;
        markHeld();
        onHold(prompt, place);
      },
    }),
  );
  const written = PROMPTS.map(() => make("span", { class: "inorder-lab-written" }));
  const writes = written.map((token) => make("span", { class: "inorder-lab-writes", role: "img" }, arrow(), token));
  const between = threads(n);
  const name = (/** @type {string} */ which) =>
    make("span", { class: "inorder-lab-name", "aria-hidden": "true" }, which);
  const [first, second] = rows.map((row) => make("div", { class: "inorder-lab-tiles" }, row.root));
  const root = make(
    "div",
    { class: "inorder-lab-prompts" },
    ...[name("first"), first, writes[0]],
    ...[between.root, make("span", { class: "inorder-lab-whose", "aria-hidden": "true" }, "its query generates")],
    ...[name("second"), second, writes[1]],
  );
  /** @type {{ prompt: number, place: number } | null} */
  let held = null; // while a tile is dragged
  /** @type {number[][] | null} */
  let drawn = null; // the orders

  function markHeld() {
    root.classList.toggle("is-holding", held !== null);
    between.mark(held && drawn ? drawn[held.prompt][held.place] : null);
  }

  // orders: the tokens of each prompt by their number, which lines join; prompts: their names
  /** @type {(orders: number[][], prompts: string[][], next: string[], isTold: boolean) => void} */
  function update(orders, prompts, next, isTold) {
    root.classList.toggle("is-told", isTold);
    rows.forEach((row, prompt) => row.draw(orders[prompt], prompts[prompt]));
    written.forEach((node, prompt) => {
      write(node, next[prompt]);
      setAttributes(node, { title: next[prompt] });
      const words = `The last query of the ${PROMPTS[prompt]} prompt generates “${next[prompt]}”`;
      setAttributes(writes[prompt], { "aria-label": words });
    });
    drawn = orders;
    markHeld();
  }
  const stop = () => rows.forEach((row) => row.stop());
  return { root, update, stop };
}
