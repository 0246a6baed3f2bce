// A sentence and its reshuffle through one small attention model, told apart or not.

import { matmul, numbersFromText, ROUNDING, scaledDotProductAttention, sinusoidalEncoding } from "../kit/arithmetic.js";
import { button, toggle, wordsBox } from "../kit/inputs.js";
import { LIVE } from "../kit/marks.js";
import { crossing, heatMap } from "../kit/pictures.js";
import { html } from "../kit/vendor/lit.js";
import { fill, formatDifference } from "../kit/words.js";

/** @typedef {SameOrNotState} State */

const D_MODEL = 16;
const N_LAYERS = 2;
const COLUMNS = Array.from({ length: D_MODEL }, (_, column) => column);
const SCALE = Math.sqrt(6 / D_MODEL);

/** @type {(name: string) => Matrix} */
const weights = (name) => COLUMNS.map((row) => numbersFromText(`${name}, row ${row}`, D_MODEL).map((x) => x * SCALE));
const LAYERS = Array.from({ length: N_LAYERS }, (_, layer) =>
  ["query", "key", "value"].map((name) => weights(`layer ${layer}, ${name}`)),
);

/** @type {(a: Matrix, b: Matrix) => Matrix} */
const add = (a, b) => a.map((row, i) => row.map((value, j) => value + b[i][j]));

// What the model makes of a sentence: the mean of its rows, (d_model,).
/** @type {(words: string[], positions: boolean) => number[]} */
function vectorOf(words, positions) {
  let x = words.map((word) => numbersFromText(word, D_MODEL)); // (n, d_model)
  if (positions) x = add(x, sinusoidalEncoding([...words.keys()], D_MODEL));
  for (const layer of LAYERS) {
    const [query, key, value] = layer.map((w) => matmul(x, w));
    x = add(x, scaledDotProductAttention(query, key, value));
  }
  return COLUMNS.map((column) => x.reduce((sum, row) => sum + row[column] / words.length, 0));
}

/** @type {(state: State, sentences: SameOrNotSentences) => import("../interact/live.js").Shown} */
function picture({ words, order, positions }, sentences) {
  const reshuffle = order.map((i) => words[i]);
  const vectors = [words, reshuffle].map((some) => vectorOf(some, positions));
  const differences = COLUMNS.map((column) => Math.abs(vectors[0][column] - vectors[1][column]));
  const difference = Math.max(...differences);
  const changed = differences.filter((one) => one > ROUNDING).length;
  const { unmoved, none, some, all, different, same } = sentences;
  const said = fill(changed === 0 ? none : changed === D_MODEL ? all : some, { changed, total: D_MODEL });
  const largest = Math.max(...vectors.flat().map(Math.abs));
  const nothing = words.map(() => []);
  return {
    panels: [
      crossing(words, reshuffle, order, {
        above: nothing,
        below: nothing,
        limits: [-1, 1],
        kept: words.map(() => true),
        notes: words.map((_, place) => (positions ? String(place) : "–")),
        drag: ["order"],
      }),
      heatMap(vectors, ["as given", "as moved"], {
        limits: [-largest, largest],
        digits: null,
        title: `${D_MODEL} numbers of the model`,
      }),
    ],
    answer: {
      words: words.every((word, i) => word === reshuffle[i]) ? unmoved : said,
      sign: difference > ROUNDING ? "≠" : "=",
      note: fill(difference > ROUNDING ? different : same, {
        sentence: words.join(" "),
        difference: formatDifference(difference),
      }),
    },
  };
}

// The same reshuffle for a sentence of another length: new words come last.
/** @type {(n: number, order: number[]) => number[]} */
function orderOf(n, order) {
  const known = order.filter((i) => i < n);
  return [...known, ...Array.from({ length: n - known.length }, (_, i) => known.length + i)];
}

// Another order that neither the sentence nor its reshuffle has; backwards, where nothing else is left.
/** @type {(state: State) => number[]} */
function shuffled({ words, order }) {
  const reading = (/** @type {number[]} */ some) => some.map((i) => words[i]).join(" ");
  const taken = new Set([reading(order), words.join(" ")]);
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const keys = order.map(() => Math.random());
    const candidate = [...order].sort((a, b) => keys[a] - keys[b]);
    if (!taken.has(reading(candidate))) return candidate;
  }
  return [...order].reverse();
}

LIVE.same_or_not = {
  make({ model, limits, state, change, notify }) {
    const sentences = model.get("sentences");
    return {
      picture: (now) => picture(now, sentences),
      controls: (/** @type {State} */ { positions }) => html`
        ${button({ label: "Shuffle", onClick: () => change({ order: shuffled(state()) }) })}
        ${toggle({ label: "Give it the positions", value: positions, actor: "position", onInput: (on) => change({ positions: on }) })}`,
      folds: [
        [
          "Another sentence",
          (/** @type {State} */ { words, order }) =>
            wordsBox({
              label: "Sentence",
              words,
              limits: limits.words,
              claim: "A sentence here has",
              notify,
              onInput: (typed) => change({ words: typed, order: orderOf(typed.length, order) }),
            }),
        ],
      ],
    };
  },
};
