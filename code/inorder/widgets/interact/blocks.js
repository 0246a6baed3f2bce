// A table that is read block by block and never stands there as a whole: one block is lit, and beside it is what is kept.

import { clamp } from "../kit/arithmetic.js";
import { sequentialColour } from "../kit/colour.js";
import { sizeDrawing, svgNode } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { nothing, render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";

/** @typedef {import("./states.js").BlocksPanel} BlocksPanel */

const EDGE = { left: 26, top: 26 }; // for the names of the two sides
const KEPT = { least: 52, most: 84, gap: 18 }; // a column of what is kept, and its distance from the table
const CELL = { across: 9, least: 16, most: 30 }; // wide at least; high
const TALLER = 1.35; // than other pictures: all of it is one

/** @type {MakeMark<BlocksPanel>} */
function blocksMark(place, hand) {
  const picture = svgNode("svg", { class: "inorder-blocks", role: "application" });
  const { root, set: setHandles } = hand.handlesOver(picture, hand);
  root.classList.add("is-of-blocks");
  const read = hand.readerOver(root, picture);
  /** @type {BlocksPanel | null} */
  let settled = null;

  /** @type {MarkOf<BlocksPanel>["update"]} */
  function update(panel, size, dark, goal) {
    const { values, at, kept, names, counts } = goal;
    const [high, wide] = values.shape;
    const [nRows, nColumns] = [counts[0] * high, counts[1] * wide];
    const down = clamp((size.height * TALLER - EDGE.top) / nRows, CELL.least, CELL.most);
    const column = clamp((0.4 * size.width) / names.length, KEPT.least, KEPT.most); // of what is kept
    const beside = names.length * column;
    const room = size.width - EDGE.left - KEPT.gap - beside - 4;
    const across = clamp(room / nColumns, CELL.across, down);
    const [width, height] = [nColumns * across, nRows * down];
    const right = EDGE.left + width + KEPT.gap;
    const fontSize = Math.min(14, 0.85 * down);
    const whole = EDGE.top + height + 2;
    // Where a block has its corner, in cells; on its way from one place to the next, between the two.
    /** @type {(panel: BlocksPanel) => [x: number, y: number]} */
    const cornerOf = ({ at: { values: from } }) => [
      EDGE.left + from[1] * wide * across,
      EDGE.top + from[0] * high * down,
    ];
    const [x, y] = cornerOf(panel);
    const [row] = at.values;
    const isLit = (/** @type {number} */ line) => Math.floor(line / high) === row;

    const cells = Array.from(panel.values.values, (value, i) => {
      const [line, col] = [Math.floor(i / wide), i % wide];
      return svg`<rect x=${x + col * across} y=${y + line * down} width=${across} height=${down}
        fill=${sequentialColour(value / panel.limits[1], dark).fill} data-name="${place}.values" data-row=${line}
        data-col=${col} data-value=${values.values[i]}/>`;
    });
    const grid = [
      ...Array.from(
        { length: counts[1] - 1 },
        (_, i) => svg`<path d="M${EDGE.left + (i + 1) * wide * across} ${EDGE.top}v${height}"/>`,
      ),
      ...Array.from(
        { length: counts[0] - 1 },
        (_, i) => svg`<path d="M${EDGE.left} ${EDGE.top + (i + 1) * high * down}h${width}"/>`,
      ),
    ];
    // Of a row that has not begun, nothing is kept yet.
    const numbers = names.map((_, k) =>
      Array.from({ length: nRows }, (_, line) => {
        if (Math.floor(line / high) > row) return nothing;
        const value = kept.values[k * nRows + line];
        return svg`<text x=${right + (k + 0.9) * column} y=${EDGE.top + (line + 0.5) * down + 4.5} text-anchor="end"
          class=${isLit(line) ? "is-lit" : ""} style="font-size: ${fontSize}px" data-name="${place}.kept"
          data-row=${k} data-col=${line} data-value=${value}>${formatNumber(value)}</text>`;
      }),
    );
    sizeDrawing(picture, right + beside + 4, whole, size.unit);
    render(
      svg`<g aria-hidden="true">
        <rect class="is-table" x=${EDGE.left} y=${EDGE.top} width=${width} height=${height}/><g class="is-grid">${grid}</g>
        <rect class="is-row" x=${EDGE.left} y=${y} width=${width + KEPT.gap + beside} height=${high * down}/>
        ${cells}<rect class="is-lit" x=${x} y=${y} width=${wide * across} height=${high * down}/>
        <text class="is-of-keys" x=${EDGE.left} y="15">● keys</text>
        <text class="is-of-queries" transform="translate(15 ${EDGE.top + height}) rotate(-90)">◆ queries</text>
        ${names.map((name, k) => svg`<text x=${right + (k + 0.9) * column} y="15" text-anchor="end">${name}</text>`)}
        <rect class="is-kept" x=${right} y=${EDGE.top} width=${beside} height=${height}/>${numbers}</g>`,
      picture,
    );
    if (settled === goal) return;
    settled = goal;
    root.style.setProperty("--wide", `${wide * across * size.unit}px`);
    root.style.setProperty("--high", `${high * down * size.unit}px`);
    picture.setAttribute("aria-label", describe(goal));

    /** @type {(line: number) => import("./reader.js").Reading} */
    const keptOf = (line) => ({
      at: [size.unit * (right + beside / 2), size.unit * (EDGE.top + (line + 0.5) * down)],
      reach: [(size.unit * beside) / 2, (size.unit * down) / 2],
      words: `queries ${line}: ${names.map((name, k) => `${name} ${formatNumber(kept.values[k * nRows + line])}`).join(", ")}`,
    });
    read(() => Array.from({ length: (row + 1) * high }, (_, line) => [keptOf(line)]));
    if (!goal.drag.length) return setHandles([]);
    /** @type {(panel: BlocksPanel) => [number, number]} */
    const middleOf = (one) => {
      const [left, top] = cornerOf(one);
      return [size.unit * (left + (wide * across) / 2), size.unit * (top + (high * down) / 2)];
    };
    const { label } = hand.controls[hand.controls.findIndex(({ name }) => name === goal.drag[0])];
    setHandles([{ names: goal.drag, label, at: middleOf(goal), of: middleOf }]);
  }

  return { root, update };
}

/** @type {(panel: BlocksPanel) => string} */
function describe({ title, at, counts, values: { shape }, names }) {
  const [row, column] = at.values;
  return `${title ? `${title}: ` : ""}a table of ${counts[0] * shape[0]} queries and ${counts[1] * shape[1]} keys, of which only block ${row}, ${column} is there; of each of the queries it keeps ${names.join(", ")}. Arrow keys read them.`;
}

MARKS.blocks = { make: blocksMark, narrowest: 300 };
