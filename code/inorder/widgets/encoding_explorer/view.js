// EncodingExplorer: a sinusoidal encoding, or a table of the reader's own: one row of it is so many hands that turn.

import { roomOf } from "../kit/chart.js";
import { make } from "../kit/elements.js";
import { colourScale } from "../kit/heat_map.js";
import { button, radios, slider } from "../kit/inputs.js";
import { colourLegend } from "../kit/legend.js";
import { fits } from "../kit/limits.js";
import { figureShell } from "../kit/shell.js";
import { html, nothing, render } from "../kit/vendor/lit.js";
import { subscript } from "../kit/words.js";
import { curve } from "./curve.js";
import {
  columnsRead,
  nearestRow,
  pairColumns,
  rowProducts,
  tableFromText,
  tableOf,
  viewOf,
  waveOf,
} from "./encoding.js";
import { handDials } from "./hands.js";
import { encodingMap, isWhole } from "./map.js";
import { answerOf, cellWords, formatLabel, likenessWords, noteOf, speedWords, viewWords } from "./words.js";

/** @typedef {EncodingExplorerState} State */
/** @typedef {{ given: { n_rows: number, n_columns: number, float64: string } | { float64?: undefined }, sentences: EncodingExplorerSentences }} Sent */

/** @type {(x: number, last: number) => number} */
const bounded = (x, last) => Math.min(Math.max(Math.round(x), 0), last);

/** @type {(context: Context<State, Sent>) => () => void} */
function view({ model, el, page }) {
  const shell = figureShell({ model, el, page });
  const { limits, change } = shell;
  const [sent, sentences] = [model.get("given"), model.get("sentences")];
  const given = sent.float64 ? tableFromText(sent) : null;
  const calculate = tableOf(given);
  let now = /** @type {import("./map.js").Now} */ ({}); // what the page shows: nothing as yet
  const [product, layout] = [radios(), radios()];
  const [wave, like] = ["wave", "likeness"].map(() => make("div", { class: "inorder-plot" }));
  const readout = make("p", { class: "inorder-readout" });
  const legend = colourLegend();

  // To a cell, and the view after it if it would be left behind.
  /** @type {(toRow: number, toColumn: number) => void} */
  function go(toRow, toColumn) {
    const { matrix, state } = now;
    const seen = viewOf(matrix, state);
    const [position, column] = [bounded(toRow, matrix.nRows - 1), bounded(toColumn, matrix.nColumns - 1)];
    /** @type {(at: number, first: number, count: number) => number} */
    const beyond = (at, first, count) => Math.min(at - first, 0) + Math.max(at - (first + count - 1), 0);
    const [down, right] = [beyond(position, seen.row, seen.nRows), beyond(column, seen.column, seen.nColumns)];
    change({ position, column, ...((down || right) && { top: seen.row + down, left: seen.column + right }) });
  }
  // `shorter`: the part that must stay below this one
  /** @type {(name: "length" | "d_model" | "base" | "column_layout", shorter?: "position" | "column") => (value: string | number) => void} */
  const setter = (name, shorter) => (value) => {
    if (!fits(limits[name], value)) return;
    change({ [name]: value, ...(shorter && { [shorter]: Math.min(shell.state()[shorter], Number(value) - 1) }) });
  };
  // The cell under the mouse, or the chosen one, as a sentence.
  /** @type {(pointed: Cell | null) => void} */
  function tell(pointed) {
    const { matrix, state } = now;
    const cell = pointed ?? { row: state.position, column: state.column };
    const value = matrix.values[cell.row * matrix.nColumns + cell.column];
    const [before, number, after] = cellWords(sentences, state, given, cell, value);
    const cellNumber = html`<span class="inorder-number" data-name="encoding" data-row=${cell.row} data-col=${cell.column}
      data-value=${value}>${number}</span>`;
    render(html`${before}${cellNumber}${after}`, readout);
  }
  const map = encodingMap({ now: () => now, onGo: go, onPoint: tell, onView: change });
  const hands = given
    ? null
    : handDials((pair) => {
        const { d_model, column_layout, position } = shell.state();
        go(position, pair * pairColumns(d_model, column_layout).stride);
      });
  shell.root.classList.toggle("is-table", given !== null);
  const folds = ["Similarity against distance", given ? "Length" : "Length, width, base, order of columns", "Zoom"].map(
    (label) => shell.fold(label),
  );

  /** @type {(label: string, value: number, last: number, use: (value: number) => void, actor?: string) => unknown} */
  const place = (label, value, last, use, actor) =>
    slider({
      label,
      value,
      low: 0,
      high: last,
      step: 1,
      actor,
      onInput: (next) => Number.isInteger(next) && next >= 0 && next <= last && use(next),
    });

  /** @type {(name: string, state: State) => unknown} */
  const stage = (name, { column, position }) => html`${map.frame()}${readout}<div class="inorder-side">
    <div class="inorder-key">${legend.root}<span class="inorder-averaged"></span></div>
    ${
      hands
        ? html`${hands.root}<p class="inorder-plot-name">Fast hands count positions; slow hands count their turns.</p>`
        : nothing
    }
    <div class="inorder-wave"><p class="inorder-plot-name" aria-hidden="true">${name}</p>${wave}
      <div data-picture="skip">${place("Column", column, now.matrix.nColumns - 1, (next) => go(position, next))}</div>
    </div></div>`;

  /** @type {(state: State, words: string) => unknown} */
  const likeness = ({ product: value }, words) =>
    html`<div class="inorder-likeness"><div>${
      given
        ? nothing
        : product({
            label: "Read",
            value,
            options: [
              ["all", "all columns (W = 1)"],
              ["sines", "the sines only"],
            ],
            onInput: (next) => change({ product: next }),
          })
    }<p class="inorder-likeness-words">${words}</p></div>${like}</div>`;

  /** @type {(state: State) => unknown} */
  const settings = (state) => html`<div class="inorder-settings">
    ${slider({ label: "Length", value: state.length, ...limits.length, step: 1, onInput: setter("length", "position") })}
    ${
      given
        ? nothing
        : html`
      ${slider({ label: "d_model", value: state.d_model, ...limits.d_model, onInput: setter("d_model", "column") })}
      ${slider({ label: "Base", value: state.base, ...limits.base, scale: "log", onInput: setter("base") })}
      ${layout({
        label: "Order of columns",
        value: state.column_layout,
        options: [
          ["interleaved", "sin, cos, sin, cos …"],
          ["halves", "all sin, then all cos"],
        ],
        onInput: setter("column_layout"),
      })}`
    }</div>${given ? nothing : html`<p>${speedWords(sentences, state)}</p>`}`;

  /** @type {(seen: View) => unknown} */
  const zooming = (seen) => html`<div class="inorder-settings">
    ${button({ label: "Zoom in", isDisabled: seen.nRows === 1 && seen.nColumns === 1, onClick: () => map.zoom(2) })}
    ${button({ label: "Zoom out", isDisabled: isWhole(now.matrix, seen), onClick: () => map.zoom(0.5) })}
    ${button({
      label: "Whole table",
      isDisabled: isWhole(now.matrix, seen),
      onClick: () => change({ zoom: 1, top: 0, left: 0 }),
    })}
    <span>Centred on the chosen cell; drag the map to move the view.</span></div>`;

  shell.follow((state, dark) => {
    const { position: row, column } = state;
    const matrix = calculate(state);
    now = { matrix, state };
    const { nRows, nColumns, values, largest } = matrix;
    const seen = viewOf(matrix, state);
    const ys = Float64Array.from({ length: nRows }, (_, p) => values[p * nColumns + column]);
    const products = folds[0].open ? rowProducts(matrix, row, columnsRead(state)) : null;
    const words = products ? likenessWords(sentences, row, given, products) : "";
    const { wave: form, pair } = waveOf(column, state);
    const name = `Column ${column}${given ? "" : `, ${form} ω${subscript(pair)}p`}, along the positions`;

    render(
      place("Position", row, nRows - 1, (next) => go(next, column), "position"),
      shell.controls,
    );
    render(stage(name, state), shell.stage);
    [likeness(state, words), settings(state), zooming(seen)].forEach((content, i) => {
      render(content, /** @type {HTMLElement} */ (folds[i].lastElementChild));
    });
    tell(null);
    const near = nearestRow(matrix, row);
    const cell = cellWords(sentences, state, given, { row, column }, ys[row]).join("");
    const inView = isWhole(matrix, seen) ? "" : ` In view: ${viewWords(seen)}.`;
    shell.answer(answerOf(sentences, state, given, near), {
      sign: near.distance === 0 ? "=" : "≠",
      note: noteOf(sentences, near),
      reading: `${cell}${inView}${words && ` ${words}`}`,
    });

    const scale = colourScale({ kind: "diverging", largest, dark });
    legend.set({ scale, words: [formatLabel(-largest), "0", formatLabel(largest)] });
    const isAveraged = map.draw(scale);
    /** @type {Element} */ (shell.stage.querySelector(".inorder-averaged")).textContent = isAveraged
      ? "A pixel is the mean of its cells."
      : "";
    const last = seen.row + seen.nRows - 1;
    const along = curve({
      room: roomOf(wave),
      ys,
      x: { low: seen.row, high: last },
      y: { low: -largest, high: largest },
      at: row,
      label: `${name}, from ${seen.row} to ${last}`,
      onPick: (p) => go(p, column),
    });
    render(along, wave);
    if (products) {
      const [low, high] = products.reduce(([least, most], y) => [Math.min(least, y), Math.max(most, y)], [0, 0]);
      const reach = Math.max(seen.nRows - 1, 1);
      const label = `Dot product of row ${row} with the others, by distance`;
      const x = { low: -reach, high: reach };
      render(curve({ room: roomOf(like), ys: products, first: -row, x, y: { low, high }, at: 0, label }), like);
      like.dataset.value = JSON.stringify([...products]);
    }
    hands?.draw(matrix, state, dark); // last: they fill the room that is left
  });
  return shell.close;
}

export default { render: view };
