// A text and its mirror image, and a table of numbers for each: one table where the two are equal, else torn in two.

import { divergingColour } from "../kit/colour.js";
import { make, setAttributes, svgNode } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { tileRow } from "../kit/tiles.js";
import { html, render } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";

/** @typedef {import("./states.js").MirrorPanel} MirrorPanel */
/** @typedef {"left" | "right"} Side */

const CORDS = { joined: ["M25 0C25 30 50 10 50 40", "M75 0C75 30 50 10 50 40"], torn: ["M25 0V40", "M75 0V40"] };

/** @type {MakeMark<MirrorPanel>} */
function mirrorMark(place, hand) {
  /** @type {MirrorPanel} */
  let goal;
  /** @type {ReturnType<Hand["orders"]> | null} */
  let grasp = null; // to where a word in hand can go
  const orderOf = (/** @type {MirrorPanel} */ panel) => Array.from(panel.order.values);
  const placesOf = (/** @type {MirrorPanel} */ panel) => panel.labels.map((_, word) => orderOf(panel).indexOf(word));
  const orders = () => hand.orders(goal.drag, placesOf(goal), placesOf);

  // A row of tiles; in the mirror, all places run the other way.
  /** @type {(label: string, inMirror: boolean) => ReturnType<typeof tileRow>} */
  const rowOf = (label, inMirror) => {
    const order = () => (inMirror ? orderOf(goal).reverse() : orderOf(goal));
    return tileRow({
      label,
      describe: (word, at) => `${label}, “${word}”, position ${at}: move it with the arrow keys`,
      order,
      onMove: (from, to) => (grasp ?? orders()).move(order()[from], inMirror ? goal.labels.length - 1 - to : to),
      onHold(_, isDragged) {
        grasp = isDragged ? orders() : null;
      },
    });
  };
  const rows = { left: rowOf("The text", false), right: rowOf("Its mirror image", true) };
  const cords = svgNode("svg", { class: "inorder-cords", viewBox: "0 0 100 40", preserveAspectRatio: "none" });
  setAttributes(cords, { "aria-hidden": "true" });
  for (const [state, paths] of Object.entries(CORDS))
    for (const d of paths) cords.append(svgNode("path", { d, class: `is-${state}` }));
  const tables = { left: make("div", { class: "is-left" }), right: make("div", { class: "is-right" }) };
  const root = make(
    "div",
    { class: "inorder-mirror", role: "group" },
    make("div", { class: "inorder-texts" }, make("div", {}, rows.left.root), make("div", {}, rows.right.root)),
    cords,
    make("div", { class: "inorder-tables" }, tables.left, tables.right),
  );

  /** @type {(side: Side, dark: boolean) => unknown} */
  function tableOf(side, dark) {
    const { labels, limits } = goal;
    const n = labels.length;
    const { values } = goal[side];
    const largest = Math.max(...limits.map(Math.abs)) || 1;
    const cells = labels.map((word, row) => {
      const numbers = labels.map((_, col) => {
        const value = values[row * n + col];
        const { fill, ink } = divergingColour(value / largest, dark);
        return html`<td style="background: ${fill}; color: ${ink}" data-name="${place}.${side}" data-row=${row}
          data-col=${col} data-value=${value}>${formatNumber(value, goal.digits)}</td>`;
      });
      return html`<tr><th scope="row">${word}</th>${numbers}</tr>`;
    });
    return html`<table><tr><td></td>${labels.map((word) => html`<th scope="col">${word}</th>`)}</tr>${cells}</table>`;
  }

  /** @type {MarkOf<MirrorPanel>["update"]} */
  function update(_panel, _size, dark, next) {
    goal = next;
    const order = orderOf(goal);
    const word = (/** @type {number} */ one) => goal.labels[one];
    const isTorn = goal.left.values.some((value, i) => value !== goal.right.values[i]);
    root.classList.toggle("is-torn", isTorn);
    const isLoose = goal.drag.length > 0;
    rows.left.draw(order, order.map(word), isLoose);
    rows.right.draw(order.toReversed(), order.toReversed().map(word), isLoose);
    root.style.setProperty("--columns", String(goal.labels.length + 1));
    render(tableOf("left", dark), tables.left);
    render(tableOf("right", dark), tables.right);
    tables.right.toggleAttribute("aria-hidden", !isTorn);
    root.setAttribute(
      "aria-label",
      goal.title || `A text and its mirror image, with ${isTorn ? "two tables" : "one table"}`,
    );
  }

  return { root, update };
}

MARKS.mirror = { make: mirrorMark, narrowest: 320 };
