// What a distance does to a score: one scheme, one curve along which a key slides, and all pairs of query and key.

import { chart, pathOf, roomOf } from "../kit/chart.js";
import { make } from "../kit/elements.js";
import { colourScale, paintHeatMap, wholeView } from "../kit/heat_map.js";
import { cellAt, cellStyle } from "../kit/heat_map_view.js";
import { radios, select, slider, toggle } from "../kit/inputs.js";
import { kept } from "../kit/kept.js";
import { colourLegend } from "../kit/legend.js";
import { fits } from "../kit/limits.js";
import { pressed } from "../kit/press.js";
import { figureShell } from "../kit/shell.js";
import { html, nothing, render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { calculate, distancesOf } from "./kernels.js";
import { answerOf, brief, formulasOf, noteOf } from "./words.js";

/** @typedef {{ learned: import("./kernels.js").Learned, labels: Labels, sentences: RelativeBiasExplorerSentences }} Sent */
/** @typedef {import("./words.js").Labels} Labels */
/** @typedef {RelativeBiasExplorerState} State */
/** @typedef {ReturnType<typeof calculate>} Computed */
/** @typedef {"n" | "query" | "key" | "n_heads" | "head" | "max_distance" | "clip" | "base" | "sharpness"} Limited */

const USUAL_DISTANCE = 128; // the slider's end; the box takes more
const WIDTHS = [2, 4, 8, 16, 32, 64, 128];

/** @type {(state: State) => boolean} */
const agree = ({ direction, n_heads }) => !(direction === "split" && n_heads % 2);

// The numbers of one scheme against the distance. `name`, `row`: of the numbers that its dots carry.
/** @type {(options: { room: import("../kit/chart.js").Room, state: State, numbers: Computed, scheme: State["scheme"], label: string, name: string, row: number, onPick: (key: number) => void }) => unknown} */
function curve({ room, state, numbers, scheme, label, name, row, onPick }) {
  const { n, query, key, as_weights } = state;
  const distances = distancesOf(n);
  /** @type {(r: number) => number | undefined} a weight needs a key of the text */
  const valueAt = (r) => (as_weights ? numbers.rows[scheme][query + r] : numbers.kernels[scheme][r + n - 1]);
  const finite = distances.map(valueAt).filter((value) => value !== undefined && Number.isFinite(value));
  const values = /** @type {number[]} */ (finite);
  const [low, high] = [as_weights ? 0 : Math.min(...values), Math.max(...values)];
  const hidden = distances.filter((r) => valueAt(r) === -Infinity);
  const ends = high > low ? { low, high } : { low: low - 1, high: low + 1 };
  return chart({
    room,
    x: { low: 1 - n, high: n - 1 },
    y: { ...ends, ticks: [...new Set([low, high])].map((value) => [value, brief(value)]) },
    label: `${label}: ${as_weights ? "weights" : "numbers"} from ${brief(low)} to ${brief(high)} against the distance`,
    at: key - query,
    value: valueAt(key - query),
    onPick: (r) => onPick(Math.min(Math.max(query + r, 0), n - 1)),
    content(xOf, yOf) {
      const isHere = (/** @type {number} */ r) => r >= -query && r <= n - 1 - query;
      const point = (/** @type {number} */ r) => {
        const value = valueAt(r);
        return value !== undefined && Number.isFinite(value) ? [xOf(r), yOf(value)] : null;
      };
      const half = (xOf(1) - xOf(0)) / 2;
      const [from, to] = [xOf(hidden[0]) - half, xOf(hidden[hidden.length - 1]) + half];
      const radius = Math.min(0.22 * room.em, Math.max(1, 0.8 * half));
      return svg`<path class="is-axis" stroke-dasharray="3 3" d="M${xOf(0)} 2V${room.height - 2 * room.em}"/>
        ${
          hidden.length
            ? svg`<rect class="inorder-hidden" x=${from} y="2" width=${to - from} height=${room.height - 2.4 * room.em}/>
              <text x=${(from + to) / 2} y=${room.height / 2} text-anchor="middle">−∞: not seen</text>`
            : nothing
        }
        <path class="is-curve is-elsewhere" d=${pathOf(as_weights ? [] : distances.map(point))}/>
        <path class="is-curve" d=${pathOf(distances.map((r) => (isHere(r) ? point(r) : null)))}/>
        ${distances.map((r, k) => {
          const [value, at] = [valueAt(r), point(r)];
          if (value === undefined) return nothing;
          return svg`<circle class="is-dot ${isHere(r) ? "" : "is-elsewhere"}" r=${at ? radius : 0} cx=${at?.[0] ?? 0}
            cy=${at?.[1] ?? 0} data-name=${name} data-row=${row} data-col=${k} data-value=${value}/>`;
        })}`;
    },
  });
}

/** @type {(context: Context<State, Sent>) => () => void} */
function view({ model, el, page }) {
  const [learned, labels, sentences] = [model.get("learned"), model.get("labels"), model.get("sentences")];
  const shell = figureShell({ model, el, page, agree });
  const { limits } = shell;
  const names = /** @type {(keyof Labels)[]} */ (Object.keys(labels));
  const [scheme, direction, pairing] = [radios(), radios(), radios()];
  const [plot, ...plots] = ["curve", ...names].map(() => make("div", { class: "inorder-plot" }));
  const canvas = make("canvas", { role: "img" });
  const legend = colourLegend();
  const paint = kept((map, n, scale, side, _density) => {
    paintHeatMap(canvas, { values: map, nRows: n, nColumns: n, scale, width: side, height: side });
  });

  // What the reader asks for, if the figure can show it; `along` is what has to change with it.
  /** @type {<Name extends keyof State>(name: Name, value: State[Name], along?: Partial<State>) => void} */
  function ask(name, value, along = {}) {
    const state = { ...shell.state(), ...along, [name]: value };
    const { kind, low, high, below } = limits[name];
    const least = below && Number(state[/** @type {keyof State} */ (below)]); // the first number that is too large
    if (!fits(limits[name], value) || (least && Number(value) >= least)) {
      const number = kind === "integer" ? "a whole number" : "a number";
      shell.notify(`It must be ${number} from ${low} to ${least ? least - 1 : high}.`);
    } else if (!agree(state)) {
      shell.notify("Half the heads look each way, so their number must be even.");
    } else {
      shell.change({ ...along, [name]: value });
      shell.notify("");
    }
  }
  const toKey = (/** @type {number} */ key) => ask("key", key);
  /** @type {(name: Limited, label: string, value: number, more?: { high?: number, step?: number, scale?: "log", actor?: string, along?: (value: number) => Partial<State> }) => unknown} */
  const sliding = (name, label, value, { along = () => ({}), ...more } = {}) =>
    slider({ label, value, ...limits[name], step: 1, ...more, onInput: (next) => ask(name, next, along(next)) });
  /** @type {<Value extends string>(options: string[]) => [Value, string][]} */
  const texts = (options) => options.map((one) => /** @type {any} */ ([one, one]));

  const pairs = pressed((event) => {
    const { n } = shell.state();
    const cell = cellAt(canvas, wholeView({ nRows: n, nColumns: n }), event);
    if (cell) shell.change({ query: cell.row, key: cell.column });
  });
  /** @type {(state: State, map: Float64Array) => unknown} */
  function board({ n, query, key, scheme: chosen, as_weights }, map) {
    const all = wholeView({ nRows: n, nColumns: n });
    const value = map[query * n + key];
    canvas.ariaLabel =
      `Heat map, query by key: ${labels[chosen]}, all pairs${as_weights ? ": weights" : ""}, ${n} by ${n}; ` +
      `the row of query ${query} is framed`;
    return html`<div class="inorder-pairs">
      <div class="inorder-axis" aria-hidden="true">key →</div>
      <div class="inorder-axis is-upright" aria-hidden="true">← query</div>
      <div class="inorder-board" @pointerdown=${pairs} @pointermove=${pairs} @pointerup=${pairs} @pointercancel=${pairs}>
        ${canvas}<div class="inorder-cell-mark is-row" style=${cellStyle(all, { row: query })}></div>
        <div class="inorder-cell-mark is-position" style=${cellStyle(all, { row: query, column: key })}></div></div>
      <div class="inorder-key">${legend.root}<p class="inorder-readout">Query ${query}, key ${key}: <span
        class="inorder-number" data-name="cell" data-row=${query} data-col=${key}
        data-value=${value}>${formatNumber(value, 3)}</span></p></div></div>`;
  }

  // The settings that a scheme has of its own.
  /** @type {(state: State) => unknown} */
  function settingsOf(state) {
    const base = sliding("base", "Base", state.base, { scale: "log" });
    switch (state.scheme) {
      case "alibi":
        return direction({
          label: "Direction",
          value: state.direction,
          options: /** @type {Direction[]} */ (limits.direction.options).map((one) => {
            return [one, one, undefined, one === "split" && state.n_heads % 2 === 1]; // it takes half of them each way
          }),
          onInput: (value) => ask("direction", value),
        });
      case "t5": {
        const high = Math.max(USUAL_DISTANCE, limits.max_distance.low + 1);
        return html`${sliding("max_distance", "Max. distance", state.max_distance, { high })}
          ${toggle({ label: "both sides", value: state.bidirectional, onInput: (on) => ask("bidirectional", on) })}`;
      }
      case "shaw":
        return sliding("clip", "Clipped at", state.clip);
      case "rotary":
        return html`${base}${pairing({
          label: "Pairs",
          value: state.pairing,
          options: texts(limits.pairing.options),
          onInput: (value) => ask("pairing", /** @type {State["pairing"]} */ (value)),
        })}`;
      default: {
        const widths = [...new Set([...WIDTHS, state.d_model])].sort((a, b) => a - b).map(String);
        return html`${base}${select({
          label: "Columns",
          value: String(state.d_model),
          options: texts(widths),
          onInput: (value) => ask("d_model", Number(value)),
        })}${sliding("sharpness", "Sharpness β", state.sharpness, { high: 5, step: 0.1 })}`;
      }
    }
  }
  /** @type {(state: State) => unknown} */
  const settings = (state) => html`<div class="inorder-settings">
    ${sliding("n", "Tokens", state.n, {
      along: (n) => ({ query: Math.min(state.query, n - 1), key: Math.min(state.key, n - 1) }),
    })}
    ${sliding("query", "Query at", state.query, { high: state.n - 1 })}
    ${sliding("n_heads", "Heads", state.n_heads, { along: (n) => ({ head: Math.min(state.head, n - 1) }) })}
    ${settingsOf(state)}</div>`;

  /** @type {(state: State, numbers: Computed, formulas: Labels) => unknown} */
  const schemes = (state, numbers, formulas) =>
    html`<div class="inorder-schemes">${names.map((name, row) => {
      const value = numbers.rows[name][state.key];
      return html`<div class="inorder-scheme ${name === state.scheme ? "is-chosen" : ""}">
      <p class="inorder-scheme-head"><strong>${labels[name]}</strong> <span class="inorder-value" data-name="value"
        data-row=${row} data-col="0" data-value=${value}>${brief(value)}</span></p>
      <p class="inorder-formula">${formulas[name]}</p>${plots[row]}</div>`;
    })}</div>`;

  const folds = ["All five side by side", "As weights", "Length, query, settings of the scheme"].map((label) =>
    shell.fold(label),
  );
  shell.follow((state, dark) => {
    const numbers = calculate(state, learned);
    const formulas = formulasOf(sentences, state, learned);
    const { n, as_weights } = state;
    const options = /** @type {[keyof Labels, string][]} */ (Object.entries(labels));
    const controls = html`
      ${scheme({ label: "Scheme", value: state.scheme, options, onInput: (name) => ask("scheme", name) })}
      ${sliding("head", "Head", state.head, { high: Math.max(state.n_heads - 1, 0) })}`;
    render(controls, shell.controls);
    const stage = html`<div class="inorder-slide"><p class="inorder-formula">${formulas[state.scheme]}</p>${plot}
      <p class="inorder-axis" aria-hidden="true">distance from the query to the key</p>
      <div data-picture="skip">${sliding("key", "Key at", state.key, { high: n - 1, actor: "position" })}</div></div>
      ${board(state, numbers.map)}`;
    render(stage, shell.stage);
    const weights = html`<div class="inorder-settings">
      ${toggle({ label: "As weights", value: as_weights, onInput: (on) => ask("as_weights", on) })}
      The softmax of these numbers over the keys of the text, as if the rest of each score were 0.</div>`;
    const isOpen = folds[0].open;
    [isOpen ? schemes(state, numbers, formulas) : nothing, weights, settings(state)].forEach((content, i) => {
      render(content, /** @type {HTMLElement} */ (folds[i].lastElementChild));
    });
    const { text, sign } = answerOf(sentences, state, numbers);
    shell.answer(text, { sign, note: noteOf(sentences, state, numbers, labels) });

    const largest = Math.max(1e-12, ...numbers.map.filter(Number.isFinite).map(Math.abs));
    const scale = colourScale({ kind: as_weights ? "sequential" : "diverging", largest, dark });
    const ends = as_weights ? ["0", brief(largest)] : [brief(-largest), "0", brief(largest)];
    legend.set({ scale, words: ends, missing: numbers.map.includes(-Infinity) ? "−∞" : "" });
    // The rooms are measured once all words stand, and before anything is drawn.
    const [room, ...rooms] = [plot, ...(isOpen ? plots : [])].map(roomOf);
    const side = /** @type {HTMLElement} */ (canvas.parentElement).clientWidth;
    if (side > 0) paint(numbers.map, n, scale, side, devicePixelRatio);
    const drawn = { state, numbers, onPick: toKey };
    const own = { ...drawn, room, scheme: state.scheme, label: labels[state.scheme], name: "curve", row: 0 };
    render(curve(own), plot);
    rooms.forEach((one, row) => {
      const [name, label] = [names[row], labels[names[row]]];
      render(curve({ ...drawn, room: one, scheme: name, label, name: "shown", row }), plots[row]);
    });
  });
  return shell.close;
}

export default { render: view };
