// A sinusoidal encoding, or a table of the reader's own: one row of it is so many hands that turn.

import { zoomView } from "../kit/heat_map_view.js";
import { button, radios, slider } from "../kit/inputs.js";
import { kept } from "../kit/kept.js";
import { fits } from "../kit/limits.js";
import { LIVE } from "../kit/marks.js";
import { axis, clocks, heatMap, plane, vector } from "../kit/pictures.js";
import { html, nothing } from "../kit/vendor/lit.js";
import { fill, formatDifference, formatNumber, subscript } from "../kit/words.js";
import {
  columnsRead,
  nearestRow,
  rowProducts,
  tableFromText,
  tableOf,
  viewOf,
  waveFrequencies,
  waveOf,
} from "./encoding.js";

/** @typedef {EncodingExplorerState} State */
/** @typedef {EncodingExplorerSentences} Sentences */
/** @typedef {{ n_rows: number, n_columns: number, float64: string } | { float64?: undefined }} Given */

const MOST_NAMES = 16; // of hands

// A wavelength: one digit after the point, none from a hundred on.
/** @type {(x: number) => string} */
const formatLength = (x) => formatNumber(x, x >= 99.95 ? 0 : 1);

/** @type {(sentences: Sentences, state: State, given: Table | null, value: number) => string} what is in the chosen cell */
function cellWords(sentences, state, given, value) {
  const { position: row, column, base, d_model } = state;
  const { wave, pair } = waveOf(column, state);
  const turn = formatLength((2 * Math.PI) / base ** ((-2 * pair) / d_model));
  const parts = { row, column, value: formatNumber(value, 4) };
  return given ? fill(sentences.entry, parts) : fill(sentences.wave, { ...parts, wave, pair: subscript(pair), turn });
}

/** @type {(sentences: Sentences, state: State) => string} */
function speedWords({ speeds }, { length, d_model, base }) {
  const omega = waveFrequencies(d_model, base);
  const slow = omega.filter((w) => w * (length - 1) < Math.PI / 2).length;
  return fill(speeds, {
    fastest: formatLength(2 * Math.PI),
    slowest: formatLength((2 * Math.PI) / omega[omega.length - 1]),
    last: length - 1,
    slow,
    pairs: omega.length,
    make: slow === 1 ? "makes" : "make",
  });
}

/** @type {(sentences: Sentences, row: number, given: Table | null, products: Float64Array) => string} */
function likenessWords({ likeness }, row, given, products) {
  const digits = given ? 4 : 2; // learned tables hold small numbers
  const other = row + 1 < products.length ? row + 1 : row - 1;
  const [own, product] = [row, other].map((i) => formatNumber(products[i], digits));
  return fill(likeness, { row, own, other, product });
}

/** @type {(first: number, count: number) => number[]} */
const places = (first, count) => Array.from({ length: count }, (_, i) => first + i);

// What there is to see, panel by panel; a panel alone is what a handle asks for.
/** @param {Given} sent */
function pictures(sent) {
  const given = sent.float64 ? tableFromText(sent) : null;
  const calculate = tableOf(given);
  const omegas = kept(waveFrequencies);
  /** @type {(values: Numbers, nColumns: number, column: number, top: number, rows: number) => any} */
  const columnAlone = (values, nColumns, column, top, rows) => {
    const x = places(top, rows);
    const look = { x_axis: "position", y_axis: "", x_limits: [top - 0.5, top + rows - 0.5] };
    return plane([{ x, y: { "": x.map((row) => values[row * nColumns + column]) } }], look);
  };
  const waves = kept(columnAlone);

  /** @type {((state: State) => object)[]} */
  const panels = [
    function map(state) {
      const { array, largest, ...matrix } = calculate(state);
      const { row, column, nRows, nColumns } = viewOf(matrix, state);
      const look = { row_axis: "position", column_axis: "column", limits: [-largest, largest] };
      const drag = ["position", "column"];
      return { ...heatMap([], [], { ...look, drag, part: [row, column, nRows, nColumns] }), values: array };
    },
    function hands({ position, d_model, base }) {
      const omega = omegas(d_model, base);
      const labels = omega.length > MOST_NAMES ? [] : Array.from(omega, (_, pair) => `ω${subscript(pair)}`);
      const title = `Position ${position}: fast hands count positions, slow ones their turns`;
      return clocks(
        omega.map((one) => position * one),
        { labels, drag: ["position"], title },
      );
    },
    function wave(state) {
      const { values, largest, ...matrix } = calculate(state);
      const { position, column } = state;
      const { row: top, nRows: rows } = viewOf(matrix, state);
      const { wave: form, pair } = waveOf(column, state);
      const { layers, ...rest } = waves(values, matrix.nColumns, column, top, rows);
      const isSeen = top <= position && position < top + rows;
      const handle = isSeen ? { handle: vector([position]), drag: ["position"] } : {};
      const title = `Column ${column}${given ? "" : `, ${form} ω${subscript(pair)}p`}`;
      return { ...rest, title, y_limits: [-largest, largest], layers: [{ ...layers[0], ...handle }] };
    },
    function likeness(state) {
      const matrix = calculate(state);
      const { position: row } = state;
      const reach = Math.max(viewOf(matrix, state).nRows - 1, 1);
      const [first, end] = [Math.max(row - reach, 0), Math.min(row + reach + 1, matrix.nRows)];
      const products = [...rowProducts(matrix, row, columnsRead(state)).subarray(first, end)];
      const [low, high] = products.reduce(([least, most], y) => [Math.min(least, y), Math.max(most, y)], [0, 0]);
      return plane([{ x: places(first - row, end - first), y: { "": products } }], {
        x_axis: "distance from the row",
        y_axis: "",
        x_limits: [-reach, reach],
        y_limits: [low, high > low ? high : low + 1],
        title: "Dot product with the others",
      });
    },
  ];
  return { given, calculate, panels: given ? panels.toSpliced(1, 1) : panels };
}

/** @type {(state: State, sent: Given, sentences: Sentences, made?: ReturnType<typeof pictures>) => import("../interact/live.js").Shown} */
function picture(state, sent, sentences, { given, calculate, panels } = pictures(sent)) {
  const matrix = calculate(state);
  const { position, column, d_model } = state;
  const { nearest, distance } = nearestRow(matrix, position);
  const unlike = d_model === 2 ? sentences.no_other_angle : fill(sentences.no_other_angles, { pairs: d_model / 2 });
  const words = given ? sentences.no_other_row : unlike;
  const cell = cellWords(sentences, state, given, matrix.values[position * d_model + column]);
  const away = { row: nearest, distance: formatDifference(distance) };
  return {
    panels: panels.map((panel) => panel(state)),
    answer: {
      words: distance === 0 ? fill(sentences.same_row, { row: nearest }) : words,
      sign: distance === 0 ? "=" : "≠",
      note: distance === 0 ? cell : `${cell} ${fill(sentences.nearest, away)}`,
    },
  };
}

LIVE.encoding_explorer = {
  make({ model, limits, state: stateNow, change }) {
    const sent = /** @type {Given} */ (model.get("given"));
    const sentences = /** @type {Sentences} */ (model.get("sentences"));
    const made = pictures(sent);
    const { given } = made;
    const drawn = kept((/** @type {State} */ state) => picture(state, sent, sentences, made));
    const [product, layout] = [radios(), radios()];
    const axes = kept((length, d_model) => [axis("position", places(0, length)), axis("column", places(0, d_model))]);

    // The view goes along with a cell that it would leave behind.
    /** @type {(state: State) => State} */
    function settle(state) {
      const { row, column, nRows, nColumns } = viewOf(made.calculate(state), state);
      /** @type {(at: number, first: number, count: number) => number} */
      const beyond = (at, first, count) => first + Math.min(at - first, 0) + Math.max(at - (first + count - 1), 0);
      if (nRows === state.length && nColumns === state.d_model) return state;
      return { ...state, top: beyond(state.position, row, nRows), left: beyond(state.column, column, nColumns) };
    }
    // Both directions are as close: the longer one says how.
    /** @type {(part: View | null) => void} */
    function show(part) {
      const { length, d_model } = stateNow();
      if (!part) return change({ zoom: 1, top: 0, left: 0 });
      const zoom = length > d_model ? length / part.nRows : d_model / part.nColumns;
      change({ zoom: Math.max(zoom, 1), top: part.row, left: part.column });
    }
    /** @type {(factor: number) => void} */
    function zoomBy(factor) {
      const state = stateNow();
      const matrix = made.calculate(state);
      show(zoomView(matrix, viewOf(matrix, state), factor, { row: state.position, column: state.column }));
    }
    // `shorter`: the part that must stay below this one. What does not fit is left alone.
    /** @type {(name: "length" | "d_model" | "base" | "column_layout", shorter?: "position" | "column") => (value: string | number) => void} */
    const setter = (name, shorter) => (value) => {
      if (!fits(limits[name], value)) return;
      change({ [name]: value, ...(shorter && { [shorter]: Math.min(stateNow()[shorter], Number(value) - 1) }) });
    };
    /** @type {(name: "position" | "column", label: string, value: number, last: number, actor?: string) => unknown} */
    const place = (name, label, value, last, actor) =>
      slider({
        label,
        value,
        low: 0,
        high: last,
        step: 1,
        actor,
        onInput: (next) =>
          Number.isInteger(next) && next >= 0 && next <= last && change(settle({ ...stateNow(), [name]: next })),
      });
    /** @type {(label: string, factor: number, isDisabled: boolean) => unknown} */
    const zoom = (label, factor, isDisabled) => button({ label, isDisabled, onClick: () => zoomBy(factor) });

    return {
      picture: drawn,
      panelAt: (state, at) => made.panels[at](state),
      settle,
      view: { show },
      axes: ({ length, d_model }) => axes(length, d_model),
      controls: (/** @type {State} */ { position, column, length, d_model }) => html`
        ${place("position", "Position", position, length - 1, "position")}
        ${place("column", "Column", column, d_model - 1)}`,
      folds: [
        [
          "Dot products",
          (/** @type {State} */ state) => {
            const products = rowProducts(made.calculate(state), state.position, columnsRead(state));
            return html`${
              given
                ? nothing
                : product({
                    label: "Read",
                    value: state.product,
                    options: [
                      ["all", "all columns (W = 1)"],
                      ["sines", "the sines only"],
                    ],
                    onInput: (next) => change({ product: next }),
                  })
            }<p>${likenessWords(sentences, state.position, given, products)}</p>`;
          },
        ],
        [
          given ? "Length" : "Length, width, base, order of columns",
          (/** @type {State} */ state) => html`<div class="inorder-settings">
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
            }</div>${given ? nothing : html`<p>${speedWords(sentences, state)}</p>`}`,
        ],
        [
          "Zoom",
          (/** @type {State} */ state) => {
            const matrix = made.calculate(state);
            const { row, column, nRows, nColumns } = viewOf(matrix, state);
            const isAll = nRows === state.length && nColumns === state.d_model;
            return html`<div class="inorder-settings">
              ${zoom("Zoom in", 2, nRows === 1 && nColumns === 1)}${zoom("Zoom out", 0.5, isAll)}
              ${button({ label: "Whole table", isDisabled: isAll, onClick: () => show(null) })}
              <span>In view: positions ${row} to ${row + nRows - 1}, columns ${column} to ${column + nColumns - 1}. Drag the
                map to move the view.</span></div>`;
          },
        ],
      ],
    };
  },
};
