// A layer, and a text that is put into another order, moved, or given a new ending: which of the outputs follow?

import { radios, select, slider } from "../kit/inputs.js";
import { kept } from "../kit/kept.js";
import { LIVE } from "../kit/marks.js";
import { crossing } from "../kit/pictures.js";
import { html } from "../kit/vendor/lit.js";
import { fill, formatDifference } from "../kit/words.js";

/** @typedef {OrderAuditState} State */
/** @typedef {{ name: string, laws: string, why: string, verdict: string, codes: DataView, places: number, low: number, step: number, nWords: number, dOutput: number }} Packed */
/** @typedef {{ layers: Packed[], places: DataView[], words: string[], others: string[] }} Data as runs.py packs it */

const MOST_MOVED = 3;
const LAWS = { order: "P", move: "S", future: "C" };
/** @type {[State["question"], string][]} */
const QUESTIONS = [
  ["order", "another order"],
  ["move", "moved"],
  ["future", "a new ending"],
];

/** @type {(view: DataView) => Uint16Array} */
const shorts = (view) => new Uint16Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));

/** @type {(n: number) => number} */
const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));

// The number of an order among all, counted as Python's itertools.permutations does.
/** @type {(order: number[]) => number} */
function rankOf(order) {
  return order.reduce((rank, one, place) => {
    const smaller = order.slice(place + 1).filter((other) => other < one).length;
    return rank + smaller * factorial(order.length - 1 - place);
  }, 0);
}

// The words' output rows before and after the change, by place, and which distinct row of the layer each is.
/** @type {(layer: Packed, patterns: DataView[], change: number) => { rows: Matrix, numbers: number[] }} */
function outputs({ codes, places, low, step, nWords, dOutput }, patterns, change) {
  const distinct = shorts(codes);
  const numbers = [...shorts(patterns[places]).subarray(change * nWords, (change + 1) * nWords)];
  const rows = numbers.map((number) =>
    Array.from(distinct.subarray(number * dOutput, (number + 1) * dOutput), (code) => low + step * code),
  );
  return { rows, numbers };
}

/** @type {(state: State, data: Data, sentences: OrderAuditSentences) => import("../interact/live.js").Shown} */
function picture(state, data, sentences) {
  const { words, question, moved } = state;
  const layer = /** @type {Packed} */ (data.layers.find(({ name }) => name === state.layer));
  const n = words.length;
  const order = question === "order" ? state.order : [...words.keys()];
  const asked = question === "future" ? state.new_from : n;
  const later = {
    order: rankOf(state.order),
    move: factorial(n) + moved - 1,
    future: factorial(n) + MOST_MOVED + asked - 2,
  };
  const before = outputs(layer, data.places, 0);
  const after = outputs(layer, data.places, later[question]);
  const size = Math.max(...before.rows.flat().map(Math.abs));
  const largest = Math.max(size, ...after.rows.flat().map(Math.abs));

  const columns = order.map((word, place) => {
    const isKept = word < asked && after.numbers[place] === before.numbers[word];
    const away = Math.max(...after.rows[place].map((value, k) => Math.abs(value - before.rows[word][k]))) / size;
    const note = isKept ? "= 0" : `≠ ${formatDifference(away)}`;
    return word < asked
      ? { text: words[word], from: word, row: after.rows[place], isKept, note }
      : { text: data.others[word], from: -1, row: after.rows[place], isKept, note: "" };
  });
  const following = columns.filter(({ isKept }) => isKept).length;
  const zeros = question === "move" ? MOST_MOVED : 0; // rows of zeros after the text, and then around it
  const nothing = { text: "0", from: -1, row: before.rows[0].map(() => 0), isKept: false, note: "" };
  const lower = [...Array(zeros && moved).fill(nothing), ...columns, ...Array(zeros && zeros - moved).fill(nothing)];
  const line = crossing(
    [...words, ...Array(zeros).fill("0")],
    lower.map(({ text }) => text),
    lower.map(({ from }) => from),
    {
      above: [...before.rows, ...Array(zeros).fill(nothing.row)],
      below: lower.map(({ row }) => row),
      limits: [-largest, largest],
      kept: lower.map(({ isKept }) => isKept),
      notes: lower.map(({ note }) => note),
      drag: question === "order" ? ["order"] : [],
    },
  );
  const isSame = question === "order" && order.every((word, place) => word === place);
  const sentence = following === asked && !layer.laws.includes(LAWS[question]) ? sentences.by_luck : sentences.always;
  const said = fill(sentence, { kept: following, asked, happened: sentences[question], verdict: layer.verdict });
  return {
    panels: [line],
    answer: { words: isSame ? sentences.unchanged : said, sign: following === asked ? "=" : "≠", note: layer.why },
  };
}

LIVE.order_audit = {
  agree: ({ words }, model) => words.join(" ") === model.get("data").words.join(" "), // the outputs are those of its words
  make(shell) {
    const [questions, drawn] = [radios(), kept(picture)];
    const [data, sentences] = [() => shell.model.get("data"), shell.model.get("sentences")];
    /** @type {(name: "moved" | "new_from", label: string, value: number, high: number) => unknown} */
    const number = (name, label, value, high) =>
      slider({
        label,
        value,
        low: shell.limits[name].low,
        high,
        step: 1,
        onInput: (to) => shell.change({ [name]: to }),
      });
    return {
      others: ["data"],
      picture: (state) => drawn(state, data(), sentences),
      controls: (/** @type {State} */ { layer, question, moved, new_from, words }) => html`
        ${select({
          label: "Layer",
          value: layer,
          options: shell.limits.layer.options.map((name) => /** @type {[string, string]} */ ([name, name])),
          onInput: (name) => shell.change({ layer: name }),
        })}
        ${questions({
          label: "Ask",
          value: question,
          options: QUESTIONS,
          onInput: (name) => shell.change({ question: name }),
        })}
        ${question === "move" ? number("moved", "Rows moved by", moved, MOST_MOVED) : ""}
        ${question === "future" ? number("new_from", "New words from", new_from, words.length - 1) : ""}`,
    };
  },
};
