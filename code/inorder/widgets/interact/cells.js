// A heat map: a table of cells where there are few, a picture with a read-out where there are many.

import { divergingColour, sequentialColour } from "../kit/colour.js";
import { make } from "../kit/elements.js";
import { colourScale, paintHeatMap, wholeView } from "../kit/heat_map.js";
import { cellAt, cellBox } from "../kit/heat_map_view.js";
import { colourLegend } from "../kit/legend.js";
import { html, nothing, render } from "../kit/vendor/lit.js";
import { formatNumber, shorten } from "../kit/words.js";
import { named } from "./actors.js";
import { readerOver } from "./reader.js";

/** @typedef {{ root: HTMLElement, update: (panel: HeatMapPanel, size: Size, dark: boolean, goal: HeatMapPanel) => void }} CellsMark */

/** @typedef {import("./handles.js").Hand} Hand */

/** @typedef {import("./states.js").Size} Size */

/** @typedef {import("./states.js").HeatMapPanel} HeatMapPanel */

/** @typedef {import("./states.js").Actor} Actor */

const MOST_CELLS_OF_A_TABLE = 400;
const LETTER = 7.6; // what a letter or a digit takes, nearly, in the units of view.js
const LONGEST_NAME = 12; // of a row, and of a column whose name stands upright
const SPEAKS = 0.05; // a smaller number is written only where it is pointed at, in a map that reaches one half
const FEWEST_LETTERS = 4; // of a column's name that lies; with room for fewer it stands upright

/** @type {(place: number, hand: Hand) => CellsMark} */
export function heatMapMark(place, hand) {
  const root = make("div", { class: "inorder-heat-map" });
  const few = tableOfCells(place, hand);
  const many = pictureOfCells(place);

  /** @type {CellsMark["update"]} */
  function update(panel, size, dark, goal) {
    const [nRows, nColumns] = panel.values.shape;
    const part = nRows * nColumns <= MOST_CELLS_OF_A_TABLE ? few : many;
    if (root.firstChild !== part.root) root.replaceChildren(part.root);
    part.update(panel, size, dark, goal);
  }

  return { root, update };
}

/** @type {(limits: [number, number], dark: boolean) => (value: number) => Tint} */
function colourOf([low, high], dark) {
  return (value) => {
    if (!Number.isFinite(value)) return { fill: "", ink: "" };
    if (low < 0) return divergingColour(value / Math.max(-low, high), dark);
    return sequentialColour((value - low) / (high - low), dark);
  };
}

/** @type {(names: string[]) => number} */
const longest = (names) => Math.max(0, ...names.map((name) => name.length));

// A cell's place and number.
/** @type {(panel: HeatMapPanel, row: number, column: number) => [place: string, value: number, text: string]} */
function wordsOfCell({ values, rows, columns, row_axis, column_axis, digits }, row, column) {
  const value = values.values[row * values.shape[1] + column];
  const across = `${column_axis || "column"} ${columns[column] ?? column}`;
  return [`${row_axis || "row"} ${rows[row] ?? row}, ${across}: `, value, formatNumber(value, digits ?? 2)];
}

/** @type {(place: number, hand: Hand) => CellsMark} */
function tableOfCells(place, hand) {
  const table = make("table", { class: "inorder-cells" });
  const root = make("div", { class: "inorder-handles" }, table);
  const read = readerOver(root, table);
  /** @type {string[]} */
  let drag = []; // the arguments that the row and the column of a cell under the pointer set

  /** @type {(event: PointerEvent) => void} */
  function take({ buttons, clientX, clientY }) {
    const cell = document.elementFromPoint(clientX, clientY)?.closest(".inorder-cell-of");
    if (!drag.length || !cell || !root.contains(cell) || !(buttons & 1)) return;
    const { row, col } = /** @type {HTMLElement} */ (cell).dataset;
    const now = hand.places();
    const next = hand.controls.map(({ name }, i) =>
      name === drag[0] ? Number(row) : name === drag[1] ? Number(col) : now[i],
    );
    if (String(next) !== String(now)) hand.set(next);
  }
  table.addEventListener("pointerdown", take);
  table.addEventListener("pointermove", take);

  // What the reader is told of cells that are too small to show their numbers.
  /** @type {(panel: HeatMapPanel) => import("./reader.js").Reading[][]} */
  function readingsOf(panel) {
    const corner = root.getBoundingClientRect();
    return [...table.tBodies[0].rows].map((line, row) =>
      [...line.querySelectorAll("td")].map((cell, column) => {
        const { left, top, width, height } = cell.getBoundingClientRect();
        const [at, , text] = wordsOfCell(panel, row, column);
        return {
          at: [left - corner.left + width / 2, top - corner.top + height / 2],
          reach: [width / 2, height / 2],
          words: at + text,
        };
      }),
    );
  }

  // What the shades stand for, where no cell has its number.
  /** @type {(panel: HeatMapPanel, colour: (value: number) => Tint) => unknown} */
  function shades({ limits: [low, high], digits }, colour) {
    const [from, through, to] = [low, (low + high) / 2, high].map((value) => colour(value).fill);
    return html`<span class="inorder-scale" aria-hidden="true">${formatNumber(low, digits ?? 2)}<i
      style="background: linear-gradient(90deg, ${from}, ${through}, ${to})"></i>${formatNumber(high, digits ?? 2)}</span>`;
  }

  /** @type {CellsMark["update"]} */
  function update(panel, { width, height, unit }, dark, goal) {
    const { values, rows, columns, digits, row_axis, row_actor, column_axis, column_actor } = panel;
    const [nRows, nColumns] = values.shape;
    const room = width - (rows.length ? Math.min(longest(rows), LONGEST_NAME) * LETTER + 12 : 0);
    const longestColumn = Math.min(longest(columns), LONGEST_NAME);
    const isUpright = Math.floor((room / nColumns - 4) / LETTER) < Math.min(longestColumn, FEWEST_LETTERS);
    const headHeight = isUpright ? 30 + longestColumn * LETTER : 30;
    const side = Math.min(room / nColumns, (height - headHeight) / nRows, 56);
    const across = Math.max(Math.min(room / nColumns, Math.max(side, 68)), 3);
    const letters = isUpright ? LONGEST_NAME : Math.max(1, Math.floor((across - 4) / LETTER));
    const texts = Array.from(values.values, (value) => formatNumber(value, digits ?? 2));
    const isWritten = digits !== null && across >= 4 + LETTER * longest(texts) && side >= 16;
    const colour = colourOf(panel.limits, dark);
    const largest = Math.max(...panel.limits.map(Math.abs));
    const quiet = digits ? SPEAKS * Math.min(1, 2 * largest) : 0; // whole numbers all speak
    drag = panel.drag; // in every state the same
    const now = hand.places();
    const marked = drag.map((name) => now[hand.controls.findIndex((control) => control.name === name)]);

    /** @type {(scope: string, actor: Actor, name: string, most: number) => unknown} */
    const heading = (scope, actor, name, most) =>
      html`<th scope=${scope} title=${name} class="is-text-of-${actor}">${shorten(name, most)}</th>`;
    /** @type {(row: number, col: number) => unknown} */
    function cell(row, col) {
      const i = row * nColumns + col;
      const value = values.values[i];
      const { fill, ink } = colour(value);
      const isChosen = drag.length > 0 && row === marked[0] && (drag.length < 2 || col === marked[1]);
      const isQuiet = Math.abs(value) < quiet;
      const written = isQuiet ? html`<span>${texts[i]}</span>` : texts[i];
      const look = `${Number.isFinite(value) ? "" : "is-infinite"} ${isChosen ? "is-chosen" : ""}`;
      return html`<td class="inorder-cell-of ${look}" style="background-color: ${fill}; color: ${ink}"
        data-name="${place}.values" data-row=${row} data-col=${col} data-value=${goal.values.values[i]}
        aria-label=${isWritten && !isQuiet ? nothing : texts[i]}>${isWritten ? written : value < 0 && side >= 12 ? "−" : ""}</td>`;
    }
    const axes = [
      row_axis ? html`rows: ${named(row_actor, row_axis)}` : nothing,
      row_axis && column_axis ? ", " : nothing,
      column_axis ? html`columns: ${named(column_actor, column_axis)}` : nothing,
    ];
    table.classList.toggle("is-drawn-on", drag.length > 0);
    table.style.setProperty("--across", `${Math.floor(across * unit)}px`);
    table.style.setProperty("--up", `${Math.max(Math.floor(side * unit), 3)}px`);
    render(
      html`<caption ?hidden=${isWritten && !row_axis && !column_axis}>${row_axis || column_axis ? html`<span>${axes}</span>` : nothing}${isWritten ? nothing : shades(panel, colour)}</caption>
        <thead><tr class=${isUpright ? "is-upright" : ""}>${columns.length && rows.length ? html`<td></td>` : nothing}${columns.map((name) => heading("col", column_actor, name, letters))}</tr></thead>
        <tbody>${Array.from(
          { length: nRows },
          (_, row) =>
            html`<tr>${rows.length ? heading("row", row_actor, rows[row], LONGEST_NAME) : nothing}${Array.from({ length: nColumns }, (_, col) => cell(row, col))}</tr>`,
        )}</tbody>`,
      table,
    );
    read(isWritten ? null : () => readingsOf(goal));
  }

  return { root, update };
}

/** @type {(place: number) => CellsMark} */
function pictureOfCells(place) {
  const canvas = make("canvas", {
    class: "inorder-picture",
    role: "application",
    tabindex: 0,
    "data-name": `${place}.values`,
  });
  const marker = make("span", { class: "inorder-marker", hidden: true });
  const readout = make("p", { class: "inorder-readout", "aria-live": "polite" });
  const legend = colourLegend();
  const root = make("div", {}, make("div", { class: "inorder-picture-frame" }, canvas, marker), legend.root, readout);
  /** @type {{ panel: HeatMapPanel, view: View } | null} */
  let drawn = null;
  /** @type {Cell | null} */
  let chosen = null;

  function tell() {
    if (!drawn) return;
    if (!chosen) {
      const { row_axis, column_axis } = drawn.panel;
      const axes = [row_axis && `rows: ${row_axis}`, column_axis && `columns: ${column_axis}`]
        .filter(Boolean)
        .join(", ");
      if (readout.textContent !== axes) readout.textContent = axes;
      return;
    }
    const [nRows, nColumns] = drawn.panel.values.shape;
    chosen = { row: Math.min(chosen.row, nRows - 1), column: Math.min(chosen.column, nColumns - 1) };
    const [at, value, text] = wordsOfCell(drawn.panel, chosen.row, chosen.column);
    readout.textContent = at;
    readout.append(
      make(
        "span",
        { "data-name": `${place}.chosen`, "data-row": chosen.row, "data-col": chosen.column, "data-value": value },
        text,
      ),
    );
    marker.hidden = false;
    Object.assign(marker.style, cellBox(canvas, drawn.view, chosen));
  }

  canvas.addEventListener("pointermove", (event) => {
    const at = drawn && cellAt(canvas, drawn.view, event);
    if (at) {
      chosen = at;
      tell();
    }
  });
  canvas.addEventListener("keydown", (event) => {
    /** @type {Record<string, [number, number]>} */
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (!drawn || !Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    const [down, right] = steps[event.key];
    const { row, column } = chosen ?? { row: 0, column: -1 };
    chosen = { row: Math.max(0, row + down), column: Math.max(0, column + right) };
    tell();
  });

  /** @type {CellsMark["update"]} */
  function update(panel, { width, height, unit }, dark, goal) {
    const [nRows, nColumns] = panel.values.shape;
    const [low, high] = panel.limits;
    const matrix = { values: panel.values.values, nRows, nColumns };
    const cell = unit * Math.min(width / nColumns, (height - 50) / nRows);
    const colours = colourScale({ kind: low < 0 ? "diverging" : "sequential", smallest: low, largest: high, dark });
    const view = wholeView(matrix);
    paintHeatMap(canvas, { ...matrix, view, scale: colours, width: cell * nColumns, height: cell * nRows });
    const digits = panel.digits ?? 2;
    legend.set({ scale: colours, words: [low, (low + high) / 2, high].map((value) => formatNumber(value, digits)) });
    const axes = [
      `${nRows} × ${nColumns} cells`,
      panel.row_axis && `rows: ${panel.row_axis}`,
      panel.column_axis && `columns: ${panel.column_axis}`,
    ];
    canvas.setAttribute("aria-label", `${axes.filter(Boolean).join(", ")}. Arrow keys read the cells.`);
    drawn = { panel: goal, view };
    tell();
  }

  return { root, update };
}
