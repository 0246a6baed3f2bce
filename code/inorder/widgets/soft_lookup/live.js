// Attention as a soft dictionary: queries and keys are points in the plane, values are numbers.

import { attentionScores, matmul, softmax } from "../kit/arithmetic.js";
import { numberBox, numbersTable, radios, slider, toggle } from "../kit/inputs.js";
import { held } from "../kit/limits.js";
import { LIVE } from "../kit/marks.js";
import { bars, places, square, vector } from "../kit/pictures.js";
import { html, nothing } from "../kit/vendor/lit.js";
import { fill, formatNumber, shorten, tidy } from "../kit/words.js";

/** @typedef {SoftLookupState} State */
/** @typedef {"q" | "k" | "v" | "x" | "w_query" | "w_key" | "w_value"} Name of a matrix of the state */
/** @typedef {{ attention: Record<State["attention"], string>, matching: Record<State["matching"], string> }} Labels */

const TIE = 1e-9; // scores closer than this are equal to the hard look-up
const REACH = 3.5; // what the plane shows at least, to each side
const EMPTY = "␣"; // how a token of no letters is shown
const LONGEST = 8; // letters of a token that stand in the plane
const HARD_STOP = 100; // of the slider, at which β is infinite; at the stop before, it is 20
const GROWTH = Math.log(201) / (HARD_STOP - 1);
/** @type {[Name, string, boolean][]} */
const MATRICES = [
  ["q", "Queries", false],
  ["k", "Keys", false],
  ["v", "Values", false],
  ["x", "Tokens", true],
  ["w_query", "W Q", true],
  ["w_key", "W K", true],
  ["w_value", "W V", true],
];

/** @type {(stop: number) => Partial<State>} */
const sharpnessAt = (stop) =>
  stop === HARD_STOP ? { hard: true } : { hard: false, sharpness: tidy(Math.expm1(GROWTH * stop) / 10) };
/** @type {(state: State) => number} */
const stopOf = ({ hard, sharpness }) =>
  hard ? HARD_STOP : Math.min(Math.round(Math.log1p(10 * sharpness) / GROWTH), HARD_STOP - 1);

/** @type {(scores: number[]) => number[]} */
function hardmax(scores) {
  const best = scores.map((score) => score >= Math.max(...scores) - TIE);
  return best.map((isBest) => (isBest ? 1 / best.filter(Boolean).length : 0));
}

/** @type {(state: State) => { query: Matrix, key: Matrix, value: Matrix, weights: Matrix, output: Matrix, row: number }} */
function lookUp({ q, k, v, x, w_query, w_key, w_value, attention, matching, sharpness, hard, tied, chosen }) {
  const isSelf = attention === "self";
  const query = isSelf ? matmul(x, tied ? w_key : w_query) : q; // (query, 2)
  const key = isSelf ? matmul(x, w_key) : k; // (key, 2)
  const value = isSelf ? matmul(x, w_value) : v; // (key, 1)
  const apart = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
    -0.5 * ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2);
  const scores =
    matching === "dot" ? attentionScores(query, key, { scale: 1 }) : query.map((a) => key.map((b) => apart(a, b)));
  const weights = scores.map((row) => (hard ? hardmax(row) : softmax(row.map((score) => sharpness * score))));
  return { query, key, value, weights, output: matmul(weights, value), row: Math.min(chosen, query.length - 1) };
}

/** @type {(sentences: SoftLookupSentences, state: State, i: number) => string} */
const queryName = ({ query, query_of }, { attention, tokens }, i) =>
  attention === "cross" ? fill(query, { i }) : fill(query_of, { token: tokens[i] || EMPTY });
/** @type {(text: string) => string} */
const capital = (text) => text[0].toUpperCase() + text.slice(1);
/** @type {(tokens: string[]) => string[]} */
const shortNames = (tokens) => tokens.map((token) => shorten(token, LONGEST) || EMPTY);

/** @type {(sentences: SoftLookupSentences, state: State, all: ReturnType<typeof lookUp>, labels: Labels) => { words: string, note: string }} */
function answerOf(sentences, state, { weights, output: outputs, row: i }, labels) {
  const { attention, matching, sharpness, hard, tied, tokens } = state;
  const row = weights[i];
  const [name, output] = [capital(queryName(sentences, state, i)), formatNumber(outputs[i][0])];
  const largest = Math.max(...row);
  const count = row.filter((weight) => weight >= largest - TIE).length;
  const token = tokens[row.indexOf(largest)] || EMPTY;
  const several = count === row.length ? sentences.all : sentences.several;
  const one = fill(sentences.one, { name, weight: formatNumber(largest), token, output });
  return {
    words: count > 1 ? fill(several, { name, count, output }) : one,
    note: fill(attention === "self" && tied ? sentences.note_tied : sentences.note, {
      attention: capital(labels.attention[attention]),
      matching: labels.matching[matching],
      sharpness: hard ? sentences.hard : fill(sentences.beta, { beta: formatNumber(sharpness) }),
    }),
  };
}

// `reach`: what the plane shows at least; while a point is in the hand, it does not shrink.
/** @type {(state: State, sentences: SoftLookupSentences, labels: Labels, reach?: number) => import("../interact/live.js").Shown} */
function picture(state, sentences, labels, reach = REACH) {
  const all = lookUp(state);
  const { query, key, value, weights, row } = all;
  const isSelf = state.attention === "self";
  const x = isSelf ? state.x : [];
  const names = shortNames(state.tokens);
  const most = Math.max(reach, Math.ceil(Math.max(...[...query, ...key, ...x].flat().map(Math.abs))));
  const layers = [
    places("threads", key, {
      labels: names,
      tails: key.map(() => query[row]),
      shares: weights[row],
      drag: isSelf ? [] : ["k"],
    }),
    places("arrows", isSelf ? [key[row], query[row]] : [], { tails: isSelf ? [x[row], x[row]] : [] }),
    places("points", x, { labels: isSelf ? names.map((name) => `x of ${name}`) : [], drag: ["x"] }),
    places("points", query, {
      labels: query.map((_, i) => (isSelf ? (i === row ? "query" : "") : queryName(sentences, state, i))),
      actor: "query",
      drag: isSelf ? [] : ["q"],
    }),
  ];
  const list = bars({ "": weights[row] }, names, {
    columns: { value: vector(value.map(([one]) => one)) },
    column_names: ["value"],
    axis: "weight",
    limits: [0, 1],
    actor: "key",
  });
  return {
    panels: [square(layers, [-most, most]), list],
    answer: { sign: "", ...answerOf(sentences, state, all, labels) },
  };
}

LIVE.soft_lookup = {
  make({ model, limits, state: now, change, stage }) {
    const [sentences, labels] = [model.get("sentences"), model.get("labels")];
    const [queries, inputs, matching] = [radios(), radios(), radios()];
    let reach = REACH;

    /** @type {(name: Name, row: number, line: number[]) => void} */
    function setRow(name, row, line) {
      const next = line.map((value) => held(limits[name], value));
      const rows = now()[name].map((/** @type {number[]} */ old, /** @type {number} */ i) => (i === row ? next : old));
      change({ [name]: rows, ...((name === "q" || name === "x") && { chosen: row }) });
    }

    /** @type {(state: State, name: Name, label: string) => unknown} */
    function numbers(state, name, label) {
      const heads = name === "v" || name === "w_value" ? [label] : [`${label}: across`, "up"];
      const names = ["k", "v", "x"].includes(name) ? shortNames(state.tokens) : state[name].map((_, i) => String(i));
      const rows = state[name].map((line, i) => {
        const cells = line.map((value, j) => {
          const onInput = (/** @type {number} */ next) => setRow(name, i, line.with(j, next));
          return html`<td>${numberBox({ label: `${label}, ${names[i]}, column ${j}`, value, onInput })}</td>`;
        });
        return /** @type {[unknown, unknown[]]} */ ([names[i], cells]);
      });
      return numbersTable(label, heads, rows);
    }

    return {
      picture(/** @type {State} */ state) {
        const isHeld = stage.querySelector(".inorder-handle.is-held") !== null;
        const shown = picture(state, sentences, labels, isHeld ? reach : REACH);
        [, reach] = Reflect.get(shown.panels[0], "x_limits");
        return shown;
      },
      move: ([name], row, place) => setRow(/** @type {Name} */ (name), row, place),
      controls: (/** @type {State} */ state) => html`
        ${slider({
          label: "Sharpness β",
          value: stopOf(state),
          low: 0,
          high: HARD_STOP,
          step: 1,
          text: state.hard ? "hard look-up" : formatNumber(state.sharpness),
          ends: ["0: uniform", "∞: hard"],
          beside: numberBox({
            label: "Sharpness β, as a number",
            value: state.sharpness,
            ...limits.sharpness,
            ...(state.hard && { shown: "", hint: "∞" }),
            onInput: (sharpness) => change({ hard: false, sharpness }),
          }),
          onInput: (stop) => change(sharpnessAt(stop)),
        })}
        ${queries({
          label: "Query",
          value: String(lookUp(state).row),
          options: (state.attention === "self" ? shortNames(state.tokens) : state.q.map((_, i) => String(i))).map(
            (name, i) => [String(i), name],
          ),
          onInput: (i) => change({ chosen: Number(i) }),
        })}`,
      folds: [
        [
          "Inputs and match",
          (/** @type {State} */ state) => html`<div class="inorder-tables">
            ${inputs({
              label: "Inputs",
              value: state.attention,
              options: /** @type {[State["attention"], string][]} */ (Object.entries(labels.attention)),
              onInput: (attention) => change({ attention }),
            })}
            ${matching({
              label: "Match by",
              value: state.matching,
              options: /** @type {[State["matching"], string][]} */ (Object.entries(labels.matching)),
              onInput: (value) => change({ matching: value }),
            })}
            ${state.attention === "self" ? toggle({ label: "Tie W Q = W K", value: state.tied, onInput: (tied) => change({ tied }) }) : nothing}</div>`,
        ],
        [
          "Numbers",
          (/** @type {State} */ state) =>
            html`<div class="inorder-tables">${MATRICES.filter(
              ([name, , isSelf]) => isSelf === (state.attention === "self") && !(state.tied && name === "w_query"),
            ).map(([name, label]) => numbers(state, name, label))}</div>`,
        ],
      ],
    };
  },
};
