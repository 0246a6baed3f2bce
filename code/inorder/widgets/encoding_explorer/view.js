// EncodingExplorer: a sinusoidal encoding, or a table of the reader's own: one row of it is so many hands that turn.

import { button, radios, slider } from "../kit/controls.js";
import { make, write } from "../kit/elements.js";
import { fits } from "../kit/limits.js";
import { figureShell } from "../kit/shell.js";
import { subscript } from "../kit/words.js";
import { curvePlot } from "./curve.js";
import {
  columnsRead,
  encodingTable,
  nearestRow,
  pairColumns,
  rowProducts,
  tableFromText,
  viewOf,
  waveOf,
} from "./encoding.js";
import { handDials } from "./hands.js";
import { encodingMap } from "./map.js";
import { answerOf, cellWords, likenessWords, noteOf, speedWords, viewWords } from "./words.js";

/**
 * @typedef {{ given: { n_rows: number, n_columns: number, float64: string } | { float64?: undefined }, sentences: EncodingExplorerSentences }} Sent
 */

/** @typedef {Shell<EncodingExplorerState, Sent>} Frame */

const WHOLE = { zoom: 1, top: 0, left: 0 };

// The cells of a state, computed where they have changed: { matrix, key, largest }.
/**
 * @type {(given: Table | null) => (state: EncodingExplorerState) => { matrix: Table, key: string, largest: number }}
 */
function tableOf(given) {
  const largest = given ? Array.from(given.values).reduce((most, x) => Math.max(most, Math.abs(x)), 0) || 1 : 1;
  let memory = new Float64Array(0); // used again at each step
  /** @type {{ matrix: Table, key: string, largest: number }} */
  let table = { matrix: { values: memory, nRows: 0, nColumns: 0 }, key: "", largest };
  return ({ length, d_model, base, column_layout }) => {
    const key = given ? `${length}` : `${length} ${d_model} ${base} ${column_layout}`;
    if (key === table.key) return table;
    if (!given && memory.length < length * d_model) memory = new Float64Array(length * d_model);
    const values = (given ? given.values : memory).subarray(0, length * d_model);
    if (!given) encodingTable(length, d_model, { base, layout: column_layout }, values);
    table = { matrix: { values, nRows: length, nColumns: d_model }, key, largest };
    return table;
  };
}

// The cell under the mouse, or the chosen one, as a sentence.
/**
 * @type {(sentences: EncodingExplorerSentences, given: Table | null) => { root: HTMLElement,
 *   update: (matrix: Table, cell: Cell, state: EncodingExplorerState) => void }}
 */
function cellLine(sentences, given) {
  const number = make("span", { class: "inorder-number", "data-name": "encoding" });
  const [before, after] = [document.createTextNode(""), document.createTextNode("")];
  const root = make("p", { class: "inorder-readout" }, before, number, after);
  /** @type {(matrix: Table, cell: Cell, state: EncodingExplorerState) => void} */
  function update({ values, nColumns }, { row, column }, state) {
    const value = values[row * nColumns + column];
    const [start, middle, end] = cellWords(sentences, state, given, { row, column, value });
    write(before, start);
    write(number, middle);
    write(after, end);
    Object.assign(number.dataset, { row, col: column, value });
  }
  return { root, update };
}

// The row's product with every other, against their distance: computed while the fold is open.
/**
 * @type {(shell: Frame, sentences: EncodingExplorerSentences, given: Table | null) => {
 *   update: (matrix: Table, row: number, state: EncodingExplorerState) => void, reading: () => string }}
 */
function likeness(shell, sentences, given) {
  const plot = curvePlot();
  const words = make("p", { class: "inorder-likeness-words" });
  const read = radios({
    label: "Read",
    options: [
      ["all", "all columns (W = 1)"],
      ["sines", "the sines only"],
    ],
    onInput: (product) => shell.change({ product }),
  });
  const text = make("div", {}, ...(given ? [] : [read.root]), words);
  const fold = shell.fold("Similarity against distance", make("div", { class: "inorder-likeness" }, text, plot.root));
  /** @type {(matrix: Table, row: number, state: EncodingExplorerState) => void} */
  function update(matrix, row, state) {
    read.set(state.product);
    if (!fold.open) return;
    const ys = rowProducts(matrix, row, columnsRead(state));
    const reach = Math.max(viewOf(matrix, state).nRows - 1, 1);
    const [low, high] = ys.reduce(([least, most], y) => [Math.min(least, y), Math.max(most, y)], [0, 0]);
    const label = `Dot product of row ${row} with the others, by distance`;
    plot.update({ ys, first: -row, from: -reach, to: reach, low, high, at: 0, label });
    plot.root.dataset.value = JSON.stringify([...ys]);
    write(words, likenessWords(sentences, row, given, ys));
  }
  const reading = () => (fold.open ? ` ${words.textContent}` : "");
  return { update, reading };
}

// How long, how wide, how fast, in which order.
/**
 * @type {(shell: Frame, sentences: EncodingExplorerSentences, given: Table | null) => {
 *   update: (state: EncodingExplorerState) => void }}
 */
function settings(shell, sentences, given) {
  const { limits } = shell;
  // `held`: the part that must stay below this one
  /** @type {(name: keyof EncodingExplorerState, held?: "position" | "column") => (value: string | number) => void} */
  const onInput = (name, held) => (value) => {
    if (!fits(limits[name], value)) return;
    shell.change({ [name]: value, ...(held && { [held]: Math.min(shell.state()[held], Number(value) - 1) }) });
  };
  const length = slider({ label: "Length", ...limits.length, step: 1, onInput: onInput("length", "position") });
  const width = slider({ label: "d_model", ...limits.d_model, onInput: onInput("d_model", "column") });
  width.box.step = String(limits.d_model.step); // its arrow keys go from one even number to the next
  const base = slider({ label: "Base", ...limits.base, scale: "log", onInput: onInput("base") });
  const layout = radios({
    label: "Order of columns",
    options: [
      ["interleaved", "sin, cos, sin, cos …"],
      ["halves", "all sin, then all cos"],
    ],
    onInput: onInput("column_layout"),
  });
  const speeds = make("p", {});
  const row = make("div", { class: "inorder-settings" }, length.root);
  if (!given) row.append(width.root, base.root, layout.root);
  shell.fold(given ? "Length" : "Length, width, base, order of columns", row, ...(given ? [] : [speeds]));
  /** @type {(state: EncodingExplorerState) => void} */
  function update(state) {
    length.set(state.length);
    width.set(state.d_model);
    base.set(state.base);
    layout.set(state.column_layout);
    if (!given) write(speeds, speedWords(sentences, state));
  }
  return { update };
}

/** @type {(shell: Frame, map: ReturnType<typeof encodingMap>) => { update: (view: View) => void }} */
function zoomButtons(shell, map) {
  const closer = button({ label: "Zoom in", onClick: () => map.zoom(2) });
  const farther = button({ label: "Zoom out", onClick: () => map.zoom(0.5) });
  const whole = button({ label: "Whole table", onClick: () => shell.change(WHOLE) });
  const hint = "Centred on the chosen cell; drag the map to move the view.";
  const row = make("div", { class: "inorder-settings" }, closer, farther, whole, make("span", {}, hint));
  shell.fold("Zoom", row);
  /** @type {(view: View) => void} */
  function update(view) {
    farther.disabled = map.isWhole();
    whole.disabled = map.isWhole();
    closer.disabled = view.nRows === 1 && view.nColumns === 1;
  }
  return { update };
}

/** @type {(context: Context<EncodingExplorerState, Sent>) => () => void} */
function render({ model, el, page }) {
  const shell = figureShell({ model, el, page });
  const [sent, sentences] = [model.get("given"), model.get("sentences")];
  const given = sent.float64 ? tableFromText(sent) : null;
  const calculate = tableOf(given);
  let seen = /** @type {Cell & { matrix: Table, view: View }} */ ({}); // of the state on the page: nothing as yet
  /** @type {Cell | null} */
  let pointed = null; // the cell under the mouse

  // To a cell, and the view after it if it would be left behind.
  /** @type {(toRow: number, toColumn: number) => void} */
  function go(toRow, toColumn) {
    const { matrix, view } = seen;
    const [position, column] = [
      Math.min(Math.max(Math.round(toRow), 0), matrix.nRows - 1),
      Math.min(Math.max(Math.round(toColumn), 0), matrix.nColumns - 1),
    ];
    const beyond = (/** @type {number} */ at, /** @type {number} */ first, /** @type {number} */ count) =>
      Math.min(at - first, 0) + Math.max(at - (first + count - 1), 0);
    const [down, right] = [beyond(position, view.row, view.nRows), beyond(column, view.column, view.nColumns)];
    pointed = null;
    shell.change({
      position,
      column,
      ...((down || right) && { top: view.row + down, left: view.column + right }),
    });
  }
  const within = (/** @type {Limit} */ limit, /** @type {number} */ count, /** @type {number} */ value) =>
    Number.isInteger(value) && value >= limit.low && value < count;

  const position = slider({
    label: "Position",
    low: 0,
    high: 1,
    step: 1,
    onInput: (value) => within(shell.limits.position, seen.matrix.nRows, value) && go(value, seen.column),
  });
  position.root.classList.add("is-position");
  shell.controls.append(position.root);

  const map = encodingMap({
    onGo: go,
    onPoint: (cell) => {
      pointed = cell;
      line.update(seen.matrix, pointed ?? seen, shell.state());
    },
    onView: (view) => shell.change(view),
  });
  const line = cellLine(sentences, given);
  const hands = given
    ? null
    : handDials({
        onPick: (/** @type {number} */ pair) => {
          const { d_model, column_layout } = shell.state();
          go(seen.row, pair * pairColumns(d_model, column_layout).stride);
        },
      });
  const wave = curvePlot();
  const waveName = make("p", { class: "inorder-plot-name", "aria-hidden": "true" }); // the plot has it in its name
  const column = slider({
    label: "Column",
    low: 0,
    high: 1,
    step: 1,
    onInput: (value) => within(shell.limits.column, seen.matrix.nColumns, value) && go(seen.row, value),
  });
  const side = make("div", { class: "inorder-side" }, map.key);
  if (hands)
    side.append(
      hands.root,
      make("p", { class: "inorder-plot-name" }, "Fast hands count positions; slow hands count their turns."),
    );
  const chooseColumn = make("div", { "data-picture": "skip" }, column.root);
  side.append(make("div", { class: "inorder-wave" }, waveName, wave.root, chooseColumn), shell.answerBox);
  shell.stage.append(map.root, line.root, side);
  shell.root.classList.toggle("is-table", given !== null);

  const like = likeness(shell, sentences, given);
  const setting = settings(shell, sentences, given);
  const zoom = zoomButtons(shell, map);

  shell.follow((state, dark) => {
    const { position: row, column: chosen } = state;
    const table = calculate(state);
    const { matrix, largest } = table;
    const view = map.update({ ...table, row, column: chosen }, state, dark);
    seen = { row, column: chosen, matrix, view };
    if (pointed && (pointed.row >= matrix.nRows || pointed.column >= matrix.nColumns)) pointed = null;
    line.update(matrix, pointed ?? seen, state);

    position.limit({ low: 0, high: matrix.nRows - 1 });
    position.set(row);
    column.limit({ low: 0, high: matrix.nColumns - 1 });
    column.set(chosen);

    const ys = Float64Array.from({ length: matrix.nRows }, (_, p) => matrix.values[p * matrix.nColumns + chosen]);
    const last = view.row + view.nRows - 1;
    const { wave: name, pair } = waveOf(chosen, state);
    write(waveName, `Column ${chosen}${given ? "" : `, ${name} ω${subscript(pair)}p`}, along the positions`);
    const label = `${waveName.textContent}, from ${view.row} to ${last}`;
    wave.update({ ys, first: 0, from: view.row, to: last, low: -largest, high: largest, at: row, label });

    like.update(matrix, row, state);
    setting.update(state);
    zoom.update(view);
    const near = nearestRow(matrix, row);
    const cell = cellWords(sentences, state, given, { row, column: chosen, value: ys[row] }).join("");
    shell.answer(answerOf(sentences, state, given, near), {
      sign: near.distance === 0 ? "=" : "≠",
      note: noteOf(sentences, near),
      reading: `${cell}${map.isWhole() ? "" : ` In view: ${viewWords(view)}.`}${like.reading()}`,
    });
    hands?.update(matrix, row, chosen, state, dark); // last: they fill the room that is left
  });
  return shell.close;
}

export default { render };
