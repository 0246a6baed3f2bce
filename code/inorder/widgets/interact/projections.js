// One row of a table on its way: through three matrices, into the plane of queries and keys and into that of values.

import { sequentialColour } from "../kit/colour.js";
import { sizeDrawing, svgNode } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { nothing, render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { dashOf, shape } from "./actors.js";
import { alongCurve, arrow, clearSide, lengthOf, label as nameOf, sidesOf } from "./drawing.js";

/** @typedef {import("./states.js").ProjectionsPanel} ProjectionsPanel */
const ACTORS = /** @type {const} */ (["query", "key", "value"]);
const PLANES = [0, 0, 1]; // in which of the two each lands
const WIDE = { cell: 21, pitch: 34, gap: 84, between: 26, word: 22, beside: 66 };
const NARROW = { cell: 16, pitch: 27, gap: 24, between: 24, word: 17, beside: 34 };
const NARROWEST = 480; // at which it is wide
const LETTER = 0.57; // of a word, to its size
const NAME = 14; // the height of a name
const RING = 12; // from a row to the middle of its ring, where the threads begin

/** @type {(from: Spot, to: Spot, actor: (typeof ACTORS)[number]) => unknown} */
function thread([x1, y1], [x2, y2], actor) {
  const middle = (x1 + x2) / 2;
  return svg`<path class="inorder-projection-path is-line-of-${actor}" stroke-dasharray=${dashOf(actor, 0) || "none"}
    d="M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}"/>`;
}

/** @type {MakeMark<ProjectionsPanel>} */
function projectionsMark(place, hand) {
  const picture = svgNode("svg", { class: "inorder-projections", role: "img" });
  const { root, set: setHandles } = hand.handlesOver(picture, hand);

  /** @type {(panel: ProjectionsPanel, row: number) => void} */
  function take({ drag, chosen }, row) {
    if (!drag.length || row === chosen.values[0]) return;
    const next = hand.statesOf(drag).find((one) => hand.panelAt(one).chosen.values[0] === row);
    if (next) hand.set(next);
  }

  /** @type {MarkOf<ProjectionsPanel>["update"]} */
  function update(panel, { width, unit }, dark, goal) {
    const { labels, row_axes: names, axes } = panel;
    const { cell, pitch, gap, between, word, beside } = width < NARROWEST ? NARROW : WIDE;
    const [n, d] = panel.rows.shape;
    const chosen = goal.chosen.values[0];
    const largest = Math.max(...panel.rows.values, ...panel.matrices.values);
    const height = 3 * (d * cell + between);
    const above = 0.9 * Math.max(...names.map(lengthOf)) + 10;
    const left = Math.max(...labels.map((text) => text.length)) * word * LETTER + 12;
    const rowsTop = Math.max(0, (height - above - n * pitch) / 2) + above;
    const matrixLeft = left + d * cell + gap;
    const planeLeft = matrixLeft + 2 * cell + gap;
    const side = { width: width - planeLeft - 2, height: height / 2 - 2 * NAME - 8 };
    const middleOf = (/** @type {number} */ row) => rowsTop + pitch * (row + 0.5);
    const matrixTop = (/** @type {number} */ k) => k * (d * cell + between) + between - 4;
    const row = (/** @type {number} */ i) => Array.from(panel.rows.values.subarray(i * d, (i + 1) * d));
    const spoken = (/** @type {string} */ label, /** @type {number} */ i) =>
      `${label}, ${names.map((name, j) => `${name} ${row(i)[j]}`).join(", ")}`;
    const lit = row(chosen).map((value) => value !== 0);

    /** @type {(value: number, x: number, y: number, isWritten: boolean) => unknown} */
    function box(value, x, y, isWritten) {
      const { fill, ink } = sequentialColour(value / largest, dark);
      const text = value === 0 ? "0" : formatNumber(value, Number.isInteger(value) ? 0 : 1);
      const number = svg`<text x=${x + cell / 2} y=${y + cell / 2 + 4.5} style="fill: ${ink}">${text}</text>`;
      return svg`<rect x=${x} y=${y} width=${cell} height=${cell} style="fill: ${fill}"/>${isWritten ? number : nothing}`;
    }

    const rows = labels.map((label, i) => {
      const y = middleOf(i);
      return svg`<g class="inorder-row-of ${i === chosen ? "is-lit" : ""}" @click=${() => take(goal, i)}
        @pointermove=${(/** @type {PointerEvent} */ { buttons }) => buttons && take(goal, i)}><rect class="inorder-row-ground" x="0" y=${y - pitch / 2} width=${left + d * cell + 4} height=${pitch} rx="5"/>
        <text class="inorder-row-word" x="4" y=${y + 0.3 * word} style="font-size: ${word}px">${label}</text>
        ${row(i).map((value, j) => box(value, left + j * cell, y - cell / 2, i === chosen))}</g>`;
    });
    const heads = names.map(
      (name, j) => svg`<text class="inorder-row-axis ${lit[j] ? "is-lit" : ""}"
        transform="translate(${left + (j + 0.5) * cell + 5} ${rowsTop - 8}) rotate(-90)">${name}</text>`,
    );

    const matrices = ACTORS.map((actor, k) => {
      const top = matrixTop(k);
      const cells = lit.map((isLit, j) => {
        const values = panel.matrices.values.subarray((k * d + j) * 2, (k * d + j) * 2 + 2);
        return svg`<g class=${isLit ? "is-lit" : "is-unlit"}>${Array.from(values, (value, c) =>
          box(value, matrixLeft + c * cell, top + j * cell, isLit),
        )}</g>`;
      });
      return svg`<text class="inorder-matrix-name is-text-of-${actor}" x=${matrixLeft + cell} y=${top - 7}>W<tspan
        dy="4" class="inorder-index">${actor[0].toUpperCase()}</tspan></text>${cells}`;
    });

    // The planes begin at 0 and end where all that lands in them does.
    const made = (/** @type {number} */ k) =>
      Array.from({ length: n }, (_, i) => {
        const [x, y] = panel.made.values.subarray((k * n + i) * 2, (k * n + i) * 2 + 2);
        return /** @type {Spot} */ ([x, y]);
      });
    const spans = [0, 1].map((plane) =>
      [0, 1].map((axis) => {
        const all = ACTORS.flatMap((_, k) => (PLANES[k] === plane ? made(k).map((pair) => pair[axis]) : []));
        return [Math.min(0, ...all), Math.max(...all)];
      }),
    );
    const planeTop = (/** @type {number} */ plane) => plane * (height / 2) + NAME + 4;
    /** @type {(plane: number, pair: Spot) => Spot} */
    function at(plane, [x, y]) {
      const [[x0, x1], [y0, y1]] = spans[plane];
      const scale = Math.min((side.width - beside) / (x1 - x0), (side.height - 34) / (y1 - y0));
      return [planeLeft + 20 + (x - x0) * scale, planeTop(plane) + side.height - 14 - (y - y0) * scale];
    }
    const grounds = [0, 1].map((plane) => {
      const [top, bottom] = [planeTop(plane), planeTop(plane) + side.height];
      // An axis and its arrow are one text: alone, an arrow is read out.
      return svg`<path class="inorder-plane-axes" d="M${planeLeft} ${top}V${bottom}H${planeLeft + side.width}"/>
        <text class="inorder-plane-axis" x=${planeLeft} y=${top - 6}>${`↑ ${axes[2 * plane + 1]}`}</text>
        <text class="inorder-plane-axis is-end" x=${planeLeft + side.width} y=${bottom + NAME + 2}>${`${axes[2 * plane]} →`}</text>`;
    });
    // What can be found: the keys and the values of all words, with their names, which keep clear of each other.
    const found = ACTORS.slice(1).flatMap((actor, k) => {
      const spots = made(k + 1).flatMap((pair, i) => (pair.some(Boolean) ? [{ at: at(PLANES[k + 1], pair), i }] : []));
      /** @type {import("./drawing.js").Edges[]} */
      const taken = spots.map(({ at: [x, y] }) => [x - 7, y - 7, x + 7, y + 7]);
      const foot = planeTop(PLANES[k + 1]) + side.height;
      taken.push([planeLeft - 2, foot, width, foot + 20], [0, 0, planeLeft, height]);
      taken.push(...spots.flatMap((spot) => alongCurve([at(PLANES[k + 1], [0, 0]), spot.at])));
      return spots.map(({ at: spot, i }) => {
        const sides = sidesOf(labels[i], spot, false);
        const { anchor, at: name } = sides[clearSide(labels[i], spot, false, taken, { width: width - 12, height })];
        return svg`<g class="inorder-landed-of">${shape(actor, `translate(${spot[0]} ${spot[1]})`)}</g>${nameOf(labels[i], "ink", name[0], name[1], anchor)}`;
      });
    });

    const landed = ACTORS.map((actor, k) => {
      const end = /** @type {Spot} */ (Array.from(panel.landed.values.subarray(2 * k, 2 * k + 2)));
      const [origin, tip] = [at(PLANES[k], [0, 0]), at(PLANES[k], end)];
      const middle = matrixTop(k) + (d * cell) / 2;
      const into = thread([left + d * cell + RING, middleOf(panel.chosen.values[0])], [matrixLeft - 4, middle], actor);
      const out = thread([matrixLeft + 2 * cell + 4, middle], origin, actor);
      const numbers = [0, 1].map((c) => {
        const value = goal.landed.values[2 * k + c];
        return svg`<g data-name="${place}.landed" data-row=${k} data-col=${c} data-value=${value}></g>`;
      });
      return svg`<g>${into}${out}${arrow(origin, tip, actor)}${shape(actor, `translate(${tip[0]} ${tip[1]})`)}${numbers}</g>`;
    });

    sizeDrawing(picture, width, height + 4, unit, {
      "aria-label": `Three matrices, and a row for each word: ${labels.map(spoken).join("; ")}.`,
    });
    render(svg`${heads}${rows}${grounds}${matrices}${found}${landed}`, picture);
    /** @type {(one: { chosen: { values: Numbers } }) => Spot} */
    const of = ({ chosen: { values } }) => [unit * (left + d * cell + RING), unit * middleOf(values[0])];
    setHandles(goal.drag.length ? [{ names: goal.drag, label: "the row", at: of(panel), of, isDown: true }] : []);
  }

  return { root, update };
}

MARKS.projections = { make: projectionsMark, narrowest: 300 };
