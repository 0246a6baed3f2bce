// The two prompts as rows of tiles, a line from each token to itself, and the token that each prompt's last query writes.

import { make, setAttributes, svgNode, write } from "../kit/elements.js";
import { tileRow } from "../kit/tiles.js";
import { PROMPTS } from "./words.js";

const GLIDE = 220; // milliseconds

// onMove(prompt, from, to) asks for a token to be moved; onHold(prompt, place): another tile has the focus.
export function promptRows(n, { onMove, onHold }) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const rows = PROMPTS.map((which, prompt) =>
    tileRow({
      label: `The ${which} prompt`,
      describe: (token, place) => `“${token}”, place ${place + 1} of ${n} in the ${which} prompt; arrow keys move it`,
      onMove: (from, to) => onMove(prompt, from, to),
      onHold: (place, isDragged) => {
        held = isDragged ? { prompt, place } : null;
        markHeld();
        onHold(prompt, place);
      },
    }),
  );
  const written = PROMPTS.map(() => make("span", { class: "inorder-lab-written" }));
  const writes = written.map((token) =>
    make("span", { class: "inorder-lab-writes", role: "img" }, make("span", { class: "inorder-lab-asks" }), token),
  );
  const lines = Array.from({ length: n }, () => svgNode("path"));
  const threads = svgNode("svg", {
    class: "inorder-lab-threads",
    "aria-hidden": "true",
    preserveAspectRatio: "none",
    viewBox: `0 0 ${n} 1`,
  });
  threads.append(...lines);
  threads.style.setProperty("--glide", `${GLIDE}ms`); // the lines take as long as the tiles
  const name = (which) => make("span", { class: "inorder-lab-name", "aria-hidden": "true" }, which);
  const [first, second] = rows.map((row) => make("div", { class: "inorder-lab-tiles" }, row.root));
  const root = make(
    "div",
    { class: "inorder-lab-prompts" },
    ...[name("first"), first, writes[0]],
    ...[threads, make("span", { class: "inorder-lab-whose", "aria-hidden": "true" }, "its query writes")],
    ...[name("second"), second, writes[1]],
  );
  let held = null; // while a tile is dragged: { prompt, place }
  let shown = null; // the orders drawn last
  let [movedAt, gliding] = [-GLIDE, []];

  function markHeld() {
    const token = held && shown ? shown[held.prompt][held.place] : null;
    root.classList.toggle("is-holding", held !== null);
    lines.forEach((line, i) => line.classList.toggle("is-held", i === token));
  }

  // A tile glides from where its token was, but not in quick succession, where each step would wait for the one before.
  function glide(orders) {
    const moves = orders.flatMap((order, prompt) =>
      order.map((token, place) => ({
        tile: rows[prompt].tiles()[place],
        by: (shown ?? orders)[prompt].indexOf(token) - place,
      })),
    );
    const moved = moves.filter(({ by }) => by !== 0);
    if (moved.length === 0 || still.matches) return;
    for (const one of gliding) one.cancel();
    const isQuick = performance.now() - movedAt < GLIDE;
    movedAt = performance.now();
    gliding = (isQuick ? [] : moved).map(({ tile, by }) => {
      const from = `translateX(calc(${by} * (100% + var(--gap))))`;
      return tile.animate({ transform: [from, "none"] }, { duration: GLIDE, easing: "ease-out" });
    });
  }

  // orders: the tokens of each prompt by their number, which lines join; prompts: their names
  function update(orders, prompts, next, isTold) {
    root.classList.toggle("is-told", isTold);
    rows.forEach((row, prompt) => row.draw(prompts[prompt]));
    lines.forEach((line, token) => {
      const [from, to] = orders.map((order) => order.indexOf(token) + 0.5);
      const bend = `M ${from} 0 C ${from} 0.55 ${to} 0.45 ${to} 1`;
      setAttributes(line, { d: bend });
    });
    written.forEach((node, prompt) => {
      write(node, next[prompt]);
      setAttributes(node, { title: next[prompt] });
      const words = `The last query of the ${PROMPTS[prompt]} prompt writes “${next[prompt]}”`;
      writes[prompt].setAttribute("aria-label", words);
    });
    glide(orders);
    shown = orders;
    markHeld();
  }
  return { root, update };
}
