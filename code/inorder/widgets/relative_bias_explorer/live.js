// What a distance does to a score: one scheme, one curve along which a key slides, and all pairs of query and key.

import { radios, select, slider, toggle } from "../kit/inputs.js";
import { held } from "../kit/limits.js";
import { LIVE } from "../kit/marks.js";
import { axis, heatMap, matrix, plane, shade } from "../kit/pictures.js";
import { alibiSlopes } from "../kit/transformer.js";
import { html } from "../kit/vendor/lit.js";
import { fill, formatNumber } from "../kit/words.js";
import { calculate, distancesOf, isSame } from "./kernels.js";

/** @typedef {RelativeBiasExplorerState} State */
/** @typedef {RelativeBiasExplorerSentences} Sentences */
/** @typedef {import("./kernels.js").Learned} Learned */
/** @typedef {Record<State["scheme"], string>} Labels */
/** @typedef {ReturnType<typeof calculate>} Computed */

const USUAL_DISTANCE = 128; // the slider's end; the box takes more
const WIDTHS = [2, 4, 8, 16, 32, 64, 128];

// A number in as many digits as a label has room for.
/** @type {(x: number) => string} */
function brief(x) {
  const size = Math.abs(x);
  return formatNumber(x, size < 10 ? 2 : size < 100 ? 1 : 0);
}

/** @type {(sentences: Sentences, state: State, numbers: Computed) => { words: string, sign: Sign }} */
function answerOf(sentences, { query, key, as_weights }, { row, across }) {
  const [r, value] = [key - query, row[key]];
  const number = as_weights ? fill(sentences.weight, { number: brief(value) }) : brief(value);
  if (r === 0) return { words: fill(sentences.own, { number }), sign: "" };
  const [here, there] = r < 0 ? ["left", "right"] : ["right", "left"];
  const parts = { distance: Math.abs(r), here, there, number };
  if (across === undefined) return { words: fill(sentences.alone, parts), sign: "" };
  if (isSame(value, across)) return { words: fill(sentences.same, parts), sign: "=" };
  return { words: fill(sentences.other, { ...parts, other: brief(across) }), sign: "≠" };
}

/** @type {(sentences: Sentences, state: State, learned: Learned) => string} of the chosen scheme */
function formulaOf(sentences, { scheme, head, n_heads, direction, d_model }, { queries }) {
  const half = n_heads / 2;
  const isSplit = direction === "split";
  const side = isSplit ? (head < half ? "left" : "right") : direction;
  const slope = isSplit ? alibiSlopes(half)[head % half] : alibiSlopes(n_heads)[head];
  const name = scheme === "alibi" && side !== "symmetric" ? /** @type {const} */ (`alibi_${side}`) : scheme;
  return fill(sentences[name], { slope: formatNumber(slope, 4), d_head: queries[0].length, d_model });
}

/** @type {(state: State, learned: Learned, labels: Labels, sentences: Sentences) => import("../interact/live.js").Shown} */
function picture(state, learned, labels, sentences) {
  const { n, query, key, scheme, as_weights } = state;
  const numbers = calculate(state, learned);
  const { kernel, row, map } = numbers;
  const all = as_weights ? row.map((_, place) => place - query) : distancesOf(n);
  const values = as_weights ? row : kernel;
  const isSeen = (/** @type {unknown} */ _, /** @type {number} */ i) => Number.isFinite(values[i]);
  const [x, y] = [all.filter(isSeen), values.filter(isSeen)]; // elsewhere there is no key, or it is hidden
  const [least, most] = [as_weights ? 0 : Math.min(...y), Math.max(...y)];
  const [low, high] = most > least ? [least, most] : [least - 1, most + 1];
  const curve = { x, y: { "": y }, handle: key - query, drag: ["key"] };
  const text = shade([-query, n - 1 - query], [low, high], 2 * low - high); // the line is out of sight
  const value = row[key];
  const point = {
    kind: "points",
    xy: Number.isFinite(value) ? matrix([[key - query, value]]) : { shape: [0, 2], values: new Float64Array(0) },
    labels: [],
    actor: "position",
    drag: [],
  };
  const line = plane([curve, text], {
    x_axis: "distance to the key; shaded: in the text",
    y_axis: "",
    x_limits: [1 - n, n - 1],
    y_limits: [low, high],
    title: `${labels[scheme]}: ${formulaOf(sentences, state, learned)}`,
  });
  const largest = Math.max(1e-12, ...map.values.filter(Number.isFinite).map(Math.abs));
  const pairs = heatMap([], [], {
    row_axis: "query",
    column_axis: "key",
    limits: [as_weights ? 0 : -largest, largest],
    digits: 2,
    drag: ["query", "key"],
  });
  return {
    panels: [
      { ...line, layers: [...Reflect.get(line, "layers"), point] },
      { ...pairs, values: map },
    ],
    answer: answerOf(sentences, state, numbers),
  };
}

/** @type {(state: State) => boolean} */
const agree = ({ direction, n_heads }) => !(direction === "split" && n_heads % 2);

LIVE.relative_bias_explorer = {
  agree,
  make({ model, limits, state: stateNow, change, notify }) {
    const [learned, labels, sentences] = ["learned", "labels", "sentences"].map((name) => model.get(name));
    const [scheme, direction, pairing] = [radios(), radios(), radios()];

    /** @type {(parts: Partial<State>) => void} */
    function ask(parts) {
      const isFit = agree({ ...stateNow(), ...parts });
      if (isFit) change(parts);
      notify(isFit ? "" : "Half the heads look each way, so their number must be even.");
    }
    /** @type {(name: string, label: string, state: State, more?: { high?: number, step?: number, scale?: "log", actor?: string, along?: (value: number) => Partial<State> }) => unknown} */
    function sliding(name, label, state, { along = () => ({}), ...more } = {}) {
      const { kind, low, below, ...limit } = limits[name];
      const high = below ? Number(Reflect.get(state, below)) - 1 : limit.high;
      return slider({
        label,
        value: Reflect.get(state, name),
        low,
        high,
        step: 1,
        ...more,
        onInput(next) {
          const value = held({ kind, low, high }, next);
          ask({ [name]: value, ...along(value) });
        },
      });
    }
    /** @type {<Value extends string>(options: Value[]) => [Value, string][]} */
    const texts = (options) => options.map((one) => [one, one]);

    // The settings that a scheme has of its own.
    /** @type {Record<State["scheme"], (state: State) => unknown>} */
    const settings = {
      alibi: ({ direction: value, n_heads }) =>
        direction({
          label: "Direction",
          value,
          options: /** @type {State["direction"][]} */ (limits.direction.options).map((one) => {
            return [one, one, undefined, one === "split" && n_heads % 2 === 1]; // it takes half of them each way
          }),
          onInput: (one) => ask({ direction: one }),
        }),
      t5: (state) => html`
        ${sliding("max_distance", "Max. distance", state, { high: Math.max(USUAL_DISTANCE, limits.max_distance.low + 1) })}
        ${toggle({ label: "both sides", value: state.bidirectional, onInput: (on) => ask({ bidirectional: on }) })}`,
      shaw: (state) => sliding("clip", "Clipped at", state),
      rotary: (state) =>
        html`${sliding("base", "Base", state, { scale: "log" })}${pairing({
          label: "Pairs",
          value: state.pairing,
          options: texts(/** @type {State["pairing"][]} */ (limits.pairing.options)),
          onInput: (value) => ask({ pairing: value }),
        })}`,
      sinusoidal: (state) =>
        html`${sliding("base", "Base", state, { scale: "log" })}${select({
          label: "Columns",
          value: String(state.d_model),
          options: texts([...new Set([...WIDTHS, state.d_model])].sort((a, b) => a - b).map(String)),
          onInput: (value) => ask({ d_model: Number(value) }),
        })}${sliding("sharpness", "Sharpness β", state, { high: 5, step: 0.1 })}`,
    };

    return {
      picture: (state) => picture(state, learned, labels, sentences),
      axes: ({ n }) => [axis("query", [...Array(n).keys()]), axis("key", [...Array(n).keys()])],
      controls: (/** @type {State} */ state) => html`
        ${scheme({
          label: "Scheme",
          value: state.scheme,
          options: /** @type {[State["scheme"], string][]} */ (Object.entries(labels)),
          onInput: (name) => ask({ scheme: name }),
        })}
        ${sliding("head", "Head", state)}${sliding("key", "Key at", state, { actor: "position" })}
        ${toggle({ label: "As weights", value: state.as_weights, onInput: (on) => ask({ as_weights: on }) })}`,
      folds: [
        [
          "Length, query, settings of the scheme",
          (/** @type {State} */ state) => html`<div class="inorder-settings">
            ${sliding("n", "Tokens", state, {
              along: (n) => ({ query: Math.min(state.query, n - 1), key: Math.min(state.key, n - 1) }),
            })}
            ${sliding("query", "Query at", state)}
            ${sliding("n_heads", "Heads", state, { along: (n) => ({ head: Math.min(state.head, n - 1) }) })}
            ${settings[state.scheme](state)}</div>`,
        ],
      ],
    };
  },
};
