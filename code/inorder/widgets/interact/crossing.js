// Words in one order above and in another below, and threads between; their rows as strips of colour.

import { divergingColour } from "../kit/colour.js";
import { make, svgNode } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { tileRow } from "../kit/tiles.js";
import { html, nothing, render, svg } from "../kit/vendor/lit.js";

/** @typedef {import("./states.js").CrossingPanel} CrossingPanel */

/** @type {MakeMark<CrossingPanel>} */
function crossingMark(place, hand) {
  const [above, below] = [make("div", { class: "inorder-side" }), make("div", { class: "inorder-side" })];
  const threads = svgNode("svg", { viewBox: "0 0 1000 60", preserveAspectRatio: "none", "aria-hidden": "true" });
  threads.setAttribute("class", "inorder-threads");
  /** @type {CrossingPanel} */
  let goal;
  /** @type {ReturnType<Hand["orders"]> | null} */
  let grasp = null; // to where a word in hand can go

  const order = () => Array.from(goal.order.values);
  // A lower word and what is noted of it, which are read as one.
  const withNote = (/** @type {string} */ word, /** @type {number} */ at) =>
    `“${word}”${goal.notes[at] && `, ${goal.notes[at]}`}`;
  const orders = () => hand.orders(goal.drag, placesOf(goal), placesOf);
  const tiles = tileRow({
    label: "The other order: drag a word, or move it with the arrow keys",
    describe: (word, at) => `${withNote(word, at)}, position ${at}: move it with the arrow keys`,
    order,
    onMove: (from, to) => (grasp ?? orders()).move(order()[from], to),
    onHold(_, isDragged) {
      grasp = isDragged ? orders() : null;
    },
    onGlide: (at) => draw(at.map((one) => one / at.length)),
  });
  const root = make("div", { class: "inorder-crossing", role: "group" }, above, threads, tiles.root, below);

  // `at`: where each upper word stands below, as a share of the width; none where it has gone.
  /** @type {(at: number[]) => void} */
  function draw(at) {
    const now = order();
    const paths = goal.upper.map((_, word) => {
      const [from, to] = [(1000 * (word + 0.5)) / goal.upper.length, 1000 * at[word]];
      if (!Number.isFinite(to)) return nothing;
      const look = goal.kept[now.indexOf(word)] ? "is-kept" : "is-changed";
      return svg`<path class=${look} d="M ${from} 0 C ${from} 30, ${to} 30, ${to} 60"/>`;
    });
    render(paths, /** @type {any} */ (threads));
  }

  // A column for each word: its name, its row, and what is noted of it.
  /** @type {(name: "above" | "below", words: string[], isJoined: (at: number) => boolean, dark: boolean) => unknown} */
  const columns = (name, words, isJoined, dark) =>
    words.map((word, at) => {
      const d = goal[name].shape[1];
      const largest = Math.max(...goal.limits.map(Math.abs));
      const strip = Array.from({ length: d }, (_, col) => {
        const value = goal[name].values[at * d + col];
        const { fill, ink } = divergingColour(value / largest, dark);
        return html`<span style="background: ${fill}; color: ${ink}" data-name="${place}.${name}" data-row=${at}
          data-col=${col} data-value=${value}>${value < 0 ? "−" : ""}</span>`;
      });
      const isTile = name === "below" && goal.drag.length > 0;
      const note = name === "below" && goal.notes[at];
      const isRead = note && !isTile;
      return html`<div class=${isJoined(at) ? "" : "is-faded"} role=${isRead ? "img" : nothing}
        aria-label=${isRead ? withNote(word, at) : nothing}>
        ${isTile ? nothing : html`<span class="inorder-word" dir="auto">${word}</span>`}
        ${d && isJoined(at) ? html`<span class="inorder-strip" aria-hidden="true">${strip}</span>` : nothing}
        ${note ? html`<span class="inorder-crossing-note" aria-hidden="true">${note}</span>` : nothing}</div>`;
    });

  /** @type {MarkOf<CrossingPanel>["update"]} */
  function update(_panel, _size, dark, next) {
    goal = next;
    const now = order();
    const isDragged = goal.drag.length > 0;
    render(
      columns("above", goal.upper, (at) => now.includes(at), dark),
      above,
    );
    render(
      columns("below", goal.lower, (at) => now[at] >= 0, dark),
      below,
    );
    tiles.root.hidden = !isDragged;
    if (isDragged) tiles.draw(now, goal.lower);
    else draw(goal.upper.map((_, word) => (now.includes(word) ? (now.indexOf(word) + 0.5) / now.length : Number.NaN)));
    const words = [...goal.upper, ...goal.lower];
    root.style.setProperty("--n", String(Math.max(goal.upper.length, goal.lower.length)));
    root.style.setProperty("--letters", String(Math.max(4, ...words.map((word) => [...word].length))));
    root.style.setProperty("--cells", String(goal.above.shape[1]));
    root.setAttribute("aria-label", goal.title || "Words above, the words below, and threads between them");
  }

  return { root, update };
}

// Where each upper word stands below.
/** @type {(panel: CrossingPanel) => number[]} */
const placesOf = ({ upper, order }) => upper.map((_, word) => order.values.indexOf(word));

MARKS.crossing = { make: crossingMark, narrowest: 300 };
