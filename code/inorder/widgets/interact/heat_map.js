// A heat map: a table of cells where there are few, a picture with a read-out where there are many.

import { tintBetween } from "../kit/colour.js";
import { make } from "../kit/elements.js";
import { colourScale } from "../kit/heat_map.js";
import { kept } from "../kit/kept.js";
import { legend } from "../kit/legend.js";
import { mapView } from "../kit/map.js";
import { MARKS } from "../kit/marks.js";
import { html, nothing, render } from "../kit/vendor/lit.js";
import { formatNumber, shorten } from "../kit/words.js";
import { named } from "./actors.js";

/** @typedef {import("./states.js").HeatMapPanel} HeatMapPanel */

const MOST_CELLS_OF_A_TABLE = 400;
const LETTER = 7.6; // what a letter or a digit takes, nearly, in the units of view.js
const LONGEST_NAME = 12; // of a row, and of a column whose name stands upright
const SPEAKS = 0.05; // a smaller number is written only where it is pointed at, in a map that reaches one half
const NAME = 16; // from a name to the one beside it, where names stand upright, or below each other
const FEWEST_LETTERS = 4; // of a column's name that lies; with room for fewer it stands upright

/** @type {MakeMark<HeatMapPanel>} */
function heatMapMark(place, hand) {
  const root = make("div", { class: "inorder-heat-map" });
  const few = tableOfCells(place, hand);
  const many = pictureOfCells(place, hand);

  /** @type {MarkOf<HeatMapPanel>["update"]} */
  function update(panel, size, dark, goal) {
    const [nRows, nColumns] = panel.values.shape;
    const part = nRows * nColumns <= MOST_CELLS_OF_A_TABLE && !panel.part ? few : many;
    if (root.firstChild !== part.root) root.replaceChildren(part.root);
    part.update(panel, size, dark, goal);
  }

  return { root, update };
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

// The places of the arguments that a drag along rows, and along columns, sets.
/** @type {(hand: Hand, drag: string[]) => number[]} */
const placesOf = (hand, drag) => {
  const now = hand.places();
  return drag.map((name) => now[hand.controls.findIndex((control) => control.name === name)]);
};

/** @type {(hand: Hand, drag: string[], cell: Cell) => void} */
function goTo(hand, drag, { row, column }) {
  const now = hand.places();
  hand.set(hand.controls.map(({ name }, i) => (name === drag[0] ? row : name === drag[1] ? column : now[i])));
}

/** @type {MakeMark<HeatMapPanel>} */
function tableOfCells(place, hand) {
  const table = make("table", { class: "inorder-cells" });
  const root = make("div", { class: "inorder-handles" }, table);
  const read = hand.readerOver(root, table);
  /** @type {string[]} */
  let drag = []; // the arguments that the row and the column of a cell under the pointer set

  /** @type {(event: PointerEvent) => void} */
  function take({ buttons, clientX, clientY }) {
    const cell = document.elementFromPoint(clientX, clientY)?.closest(".inorder-cell-of");
    if (!drag.length || !cell || !root.contains(cell) || !(buttons & 1)) return;
    const { row, col } = /** @type {HTMLElement} */ (cell).dataset;
    goTo(hand, drag, { row: Number(row), column: Number(col) });
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

  /** @type {MarkOf<HeatMapPanel>["update"]} */
  function update(panel, { width, height, unit }, dark, goal) {
    const { values, rows, columns, digits, row_axis, row_actor, column_axis, column_actor } = panel;
    const [nRows, nColumns] = values.shape;
    const room = width - (rows.length ? Math.min(longest(rows), LONGEST_NAME) * LETTER + 12 : 0);
    const longestColumn = Math.min(longest(columns), LONGEST_NAME);
    const isUpright = Math.floor((room / nColumns - 4) / LETTER) < Math.min(longestColumn, FEWEST_LETTERS);
    const headHeight = isUpright ? 30 + longestColumn * LETTER : 30;
    const side = Math.min(room / nColumns, (height - headHeight) / nRows, 56);
    const across = Math.max(Math.min(room / nColumns, Math.max(side, 68)), 3);
    const up = Math.max(side, rows.length ? Math.min(NAME, (height - headHeight) / nRows) : 3);
    const every = isUpright ? Math.ceil(NAME / across) : 1; // of so many columns one is named
    const letters = isUpright ? LONGEST_NAME : Math.max(1, Math.floor((across - 4) / LETTER));
    const texts = Array.from(values.values, (value) => formatNumber(value, digits ?? 2));
    const isWritten = digits !== null && across >= 4 + LETTER * longest(texts) && side >= 16;
    const tint = tintBetween(...panel.limits, dark);
    /** @type {typeof tint} */
    const colour = (value) => (Number.isFinite(value) ? tint(value) : { fill: "", ink: "" });
    const largest = Math.max(...panel.limits.map(Math.abs));
    const quiet = digits ? SPEAKS * Math.min(1, 2 * largest) : 0; // whole numbers all speak
    drag = panel.drag; // in every state the same
    const marked = placesOf(hand, drag);

    /** @type {(scope: string, actor: Actor, name: string, most: number) => unknown} */
    const heading = (scope, actor, name, most) =>
      html`<th scope=${scope} title=${name} class="is-text-of-${actor}">${most ? shorten(name, most) : html`<span class="inorder-unseen">${name}</span>`}</th>`;
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
    table.style.setProperty("--up", `${Math.floor(up * unit)}px`);
    render(
      html`<caption ?hidden=${isWritten && !row_axis && !column_axis}>${row_axis || column_axis ? html`<span>${axes}</span>` : nothing}${isWritten ? nothing : shades(panel, colour)}</caption>
        <thead><tr class=${isUpright ? "is-upright" : ""}>${columns.length && rows.length ? html`<td></td>` : nothing}${columns.map((name, i) => heading("col", column_actor, name, i % every ? 0 : letters))}</tr></thead>
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

// The axes, as far as they have names.
/** @type {(panel: HeatMapPanel) => string[]} */
const axesOf = ({ row_axis, column_axis }) =>
  [row_axis && `rows: ${row_axis}`, column_axis && `columns: ${column_axis}`].filter(Boolean);

// What is chosen and in sight is the map's own, or what a drag sets and the panel says.
/** @type {MakeMark<HeatMapPanel>} */
function pictureOfCells(place, hand) {
  const readout = make("p", { class: "inorder-readout", "aria-live": "polite" });
  const colours = make("div");
  let content = /** @type {import("../kit/map.js").Content} */ ({ chosen: null, window: null });
  let goal = /** @type {HeatMapPanel} */ ({});
  const map = mapView({
    choose: (chosen) => (goal.drag.length ? goTo(hand, goal.drag, chosen) : show({ chosen })),
    point: (cell) => tell(cell ?? content.chosen),
    show: (window) => (goal.part ? hand.view?.show(window) : show({ window })),
  });
  const root = make("div", {}, map.root, colours, readout);
  const scaleOf = kept((low, high, dark) =>
    colourScale({ kind: low < 0 ? "diverging" : "sequential", smallest: low, largest: high, dark }),
  );

  /** @type {(cell: Cell | null) => void} */
  function tell(cell) {
    if (!cell) return render(axesOf(goal).join(", "), readout);
    const [at, value, text] = wordsOfCell(goal, cell.row, cell.column);
    const number = html`<span data-name="${place}.chosen" data-row=${cell.row} data-col=${cell.column} data-value=${value}>${text}</span>`;
    render(html`${at}${number}`, readout);
  }

  /** @type {(parts: Partial<import("../kit/map.js").Content>) => void} */
  function show(parts) {
    content = { ...content, ...parts };
    map.draw(content);
    tell(content.chosen);
  }

  // The part in sight, if it is not all.
  /** @type {(nRows: number, nColumns: number) => View | null} */
  function windowOf(nRows, nColumns) {
    const [row, column, rows, columns] = goal.part ?? [0, 0, nRows, nColumns];
    const part = goal.part ? { row, column, nRows: rows, nColumns: columns } : content.window;
    const isInside = part && part.row + part.nRows <= nRows && part.column + part.nColumns <= nColumns;
    return isInside && (part.nRows < nRows || part.nColumns < nColumns) ? part : null;
  }

  /** @type {MarkOf<HeatMapPanel>["update"]} */
  function update({ values, limits: [low, high], digits, drag, part }, { width, height, unit }, dark, next) {
    const [nRows, nColumns] = values.shape;
    const cell = unit * Math.min(width / nColumns, (height - 50) / nRows);
    const scale = scaleOf(low, high, dark);
    const marks = [low, (low + high) / 2, high];
    const words = marks.map((value) => formatNumber(value, digits ?? 2));
    render(
      legend(
        marks.map(tintBetween(low, high, dark)).map(({ fill }) => fill),
        words,
      ),
      colours,
    );
    goal = next;
    readout.ariaLive = drag.length ? "off" : "polite"; // what a drag sets, the answer tells
    const [row, column = 0] = placesOf(hand, drag);
    const chosen = drag.length ? { row, column } : content.chosen;
    show({
      cells: { nRows, nColumns },
      table: { values: values.values, nRows, nColumns },
      window: windowOf(nRows, nColumns),
      chosen: chosen && { row: Math.min(chosen.row, nRows - 1), column: Math.min(chosen.column, nColumns - 1) },
      isCrossed: drag.length > 1,
      scale,
      dark,
      width: part ? unit * width : cell * nColumns, // a part fills the room
      height: part ? unit * (height - 50) : cell * nRows,
      em: 15 * unit,
      label: `${[`${nRows} × ${nColumns} cells`, ...axesOf(goal)].join(", ")}. Arrow keys read the cells, plus and minus zoom.`,
      tag: `${place}.values`,
      numbers: digits === null ? null : values.values,
      digits: digits ?? 2,
    });
  }

  return { root, update };
}

MARKS.heat_map = { make: heatMapMark, narrowest: 260 };
