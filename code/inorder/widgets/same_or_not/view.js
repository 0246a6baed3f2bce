// A sentence and its reshuffle through one small attention model, told apart or not.

import {
  matmul,
  moveWithin,
  numbersFromText,
  ROUNDING,
  scaledDotProductAttention,
  sinusoidalEncoding,
} from "../kit/arithmetic.js";
import { button, toggle, wordsBox } from "../kit/controls.js";
import { make, svgNode, write } from "../kit/elements.js";
import { figureShell } from "../kit/shell.js";
import { tileRow } from "../kit/tiles.js";
import { fill, formatDifference, formatNumber } from "../kit/words.js";

/**
 * @typedef {{ reshuffle: string[], parts: Matrix, vectors: Matrix, differences: number[], isSame: boolean, difference: number }} Reading
 */

/** @typedef {SameOrNotSentences} Sentences */

const D_MODEL = 16;
const N_LAYERS = 2;
const COLUMNS = Array.from({ length: D_MODEL }, (_, column) => column);

// -------------------------------------------------------------------------------------------- the arithmetic

const SCALE = Math.sqrt(6 / D_MODEL);
/** @type {(name: string) => Matrix} */
const weights = (/** @type {string} */ name) =>
  COLUMNS.map((row) => numbersFromText(`${name}, row ${row}`, D_MODEL).map((x) => x * SCALE));
const LAYERS = Array.from({ length: N_LAYERS }, (_, layer) =>
  ["query", "key", "value"].map((name) => weights(`layer ${layer}, ${name}`)),
);

/** @type {(a: Matrix, b: Matrix) => Matrix} */
const add = (a, b) => a.map((row, i) => row.map((value, j) => value + b[i][j]));

/** @type {(words: string[], positions: boolean) => Matrix} */
function sentenceRows(words, positions) {
  let x = words.map((/** @type {string} */ word) => numbersFromText(word, D_MODEL)); // (n, d_model)
  if (positions) x = add(x, sinusoidalEncoding([...words.keys()], D_MODEL));
  for (const layer of LAYERS) {
    const [query, key, value] = layer.map((w) => matmul(x, w));
    x = add(x, scaledDotProductAttention(query, key, value));
  }
  return x; // (n, d_model)
}

/** @type {(rows: Matrix) => number[]} */
const sumOf = (rows) => COLUMNS.map((column) => rows.reduce((sum, row) => sum + row[column], 0)); // (d_model,)

/** @type {(state: SameOrNotState) => Reading} */
function calculate({ words, order, positions }) {
  const reshuffle = order.map((/** @type {number} */ i) => words[i]);
  const partsOf = (/** @type {string[]} */ sentence) =>
    sentenceRows(sentence, positions).map((row) => row.map((/** @type {number} */ x) => x / words.length));
  const [given, parts] = [words, reshuffle].map(partsOf);
  const vectors = [given, parts].map(sumOf); // (2, d_model)
  const differences = vectors[0].map((value, i) => Math.abs(value - vectors[1][i]));
  const isSame = words.every((word, i) => word === reshuffle[i]);
  return { reshuffle, parts, vectors, differences, isSame, difference: Math.max(...differences) };
}

// ------------------------------------------------------------------------------------------------- the words

/** @type {(sentences: Sentences, reading: Reading) => string} */
function summarise({ unmoved, none, some, all }, { isSame, differences }) {
  if (isSame) return unmoved;
  const changed = differences.filter((/** @type {number} */ difference) => difference > ROUNDING).length;
  if (changed > 0 && changed < D_MODEL) return fill(some, { changed, total: D_MODEL });
  return fill(changed === 0 ? none : all, { total: D_MODEL });
}

/** @type {(sentences: Sentences, state: SameOrNotState, reading: Reading) => string} */
function noteOf({ different, same }, { words }, { difference }) {
  const parts = { sentence: words.join(" "), difference: formatDifference(difference) };
  return fill(difference > ROUNDING ? different : same, parts);
}

// -------------------------------------------------------------------------------------------------- its parts

// What each word adds to each number, as lines, and the sums, as bars; dashed, the bars of the sentence as given. The
// drawing is stretched to the width that it has; its lines are not.
function flows() {
  const [width, top, zero, half] = [1000, 150, 210, 58]; // of the drawing: where lines end, where bars begin
  const lines = svgNode("g", { class: "inorder-flows" });
  const bars = COLUMNS.map((column) => svgNode("rect", { "data-name": "bars", "data-row": 0, "data-col": column }));
  const ghosts = COLUMNS.map(() => svgNode("rect", { class: "inorder-ghost" }));
  const root = svgNode("svg", {
    viewBox: `0 0 ${width} 270`,
    preserveAspectRatio: "none",
    class: "inorder-drawing",
    role: "img",
    "aria-label": `${D_MODEL} bars, one for each number; dashed, those of the sentence as given`,
  });
  root.append(lines, ...bars, svgNode("path", { d: `M 0 ${zero} H ${width}`, class: "inorder-zero" }), ...ghosts);
  const step = width / D_MODEL;

  /** @type {(rect: SVGRectElement, column: number, value: number, largest: number, share: number) => void} */
  function place(rect, column, value, largest, share) {
    const length = (Math.abs(value) / largest) * half;
    const box = { x: (column + (1 - share) / 2) * step, width: share * step, height: length };
    for (const [name, number] of Object.entries(box)) rect.setAttribute(name, String(number));
    rect.setAttribute("y", String(value < 0 ? zero : zero - length));
  }

  /** @type {(reading: Reading) => void} */
  function draw({ parts, vectors }) {
    const n = parts.length;
    const biggest = Math.max(...parts.flat().map(Math.abs));
    const largest = Math.max(...vectors.flat().map(Math.abs));
    lines.replaceChildren(
      ...parts.flatMap((row, slot) =>
        row.map((/** @type {number} */ value, /** @type {number} */ column) => {
          const from = ((slot + 0.14 + (0.72 * (column + 0.5)) / D_MODEL) / n) * width;
          const to = (column + 0.5) * step;
          const d = `M ${from} 0 C ${from} ${0.6 * top}, ${to} ${0.35 * top}, ${to} ${top}`;
          return svgNode("path", { d, "stroke-width": 0.4 + (2.6 * Math.abs(value)) / biggest });
        }),
      ),
    );
    COLUMNS.forEach((column) => {
      place(bars[column], column, vectors[1][column], largest, 0.8);
      place(ghosts[column], column, vectors[0][column], largest, 0.92);
      bars[column].dataset.value = String(vectors[1][column]);
      bars[column].setAttribute("class", vectors[1][column] < 0 ? "inorder-bar is-negative" : "inorder-bar");
    });
  }
  return { root, draw };
}

// The same in figures: both sentences, and what lies between them.
function numbersTable() {
  const rowOf = (/** @type {string | Node} */ label, /** @type {string} */ name, /** @type {number} */ row) => {
    const cells = COLUMNS.map((column) => make("td", { "data-name": name, "data-row": row, "data-col": column }));
    return { cells, root: make("tr", {}, make("th", { scope: "row" }, label), ...cells) };
  };
  const rows = [
    rowOf("as given", "vectors", 0),
    rowOf("as moved", "vectors", 1),
    rowOf("difference", "differences", 0),
  ];
  const table = make(
    "table",
    {},
    make("caption", {}, "The numbers: the mean of the last layer’s rows"),
    make("tbody", {}, ...rows.map(({ root }) => root)),
  );
  const root = make(
    "div",
    { class: "inorder-numbers", tabindex: 0, role: "region", "aria-label": "The numbers" },
    table,
  );

  /** @type {(reading: Reading) => void} */
  function draw({ vectors, differences }) {
    [...vectors, differences].forEach((values, row) => {
      values.forEach((/** @type {number} */ value, /** @type {number} */ column) => {
        const cell = rows[row].cells[column];
        write(cell, row === 2 ? formatDifference(value) : formatNumber(value));
        cell.dataset.value = String(value);
      });
    });
  }
  return { root, draw };
}

// ------------------------------------------------------------------------------------------------ the figure

// The same reshuffle for a sentence of another length: new words come last.
/** @type {(n: number, order: number[]) => number[]} */
function orderOf(n, order) {
  const known = order.filter((/** @type {number} */ i) => i < n);
  return [...known, ...Array.from({ length: n - known.length }, (_, i) => known.length + i)];
}

// Another order that neither the sentence nor its reshuffle has; backwards, where nothing else is left.
/** @type {(state: SameOrNotState) => number[]} */
function shuffled({ words, order }) {
  const reading = (/** @type {number[]} */ some) => some.map((/** @type {number} */ i) => words[i]).join(" ");
  const taken = new Set([reading(order), words.join(" ")]);
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const candidate = order
      .map((place) => ({ place, key: Math.random() }))
      .sort((/** @type {{ key: number; }} */ a, /** @type {{ key: number; }} */ b) => a.key - b.key)
      .map(({ place }) => place);
    if (!taken.has(reading(candidate))) return candidate;
  }
  return [...order].reverse();
}

/** @type {(context: Context<SameOrNotState, { sentences: Sentences }>) => () => void} */
function render({ model, el, page }) {
  const shell = figureShell({ model, el, page });
  const sentences = model.get("sentences");

  const positions = toggle({
    label: "Give it the positions",
    actor: "position",
    onInput: (on) => shell.change({ positions: on }),
  });
  const shuffle = button({ label: "Shuffle", onClick: () => shell.change({ order: shuffled(shell.state()) }) });
  shell.controls.append(shuffle, positions.root);

  const sign = make("span", { class: "inorder-sign", "aria-hidden": "true" });
  const reading = make("span", { class: "inorder-reading" });
  const tiles = tileRow({
    label: "The other order: drag a word, or move it with the arrow keys",
    describe: (word, place) => `“${word}”, position ${place}: move it with the arrow keys`,
    order: () => shell.state().order,
    onMove: (from, to) => shell.change({ order: moveWithin(shell.state().order, from, to) }),
  });
  const drawing = flows();
  shell.stage.append(
    make("div", { class: "inorder-read" }, make("span", { class: "inorder-note" }, "You read"), sign, reading),
    make("div", { class: "inorder-canvas" }, tiles.root, drawing.root),
    shell.answerBox,
  );

  const sentence = wordsBox({
    label: "Sentence",
    limits: shell.limits.words,
    claim: "A sentence here has",
    words: () => shell.state().words,
    notify: shell.notify,
    onInput: (words) => shell.change({ words, order: orderOf(words.length, shell.state().order) }),
  });
  const table = numbersTable();
  shell.fold("Another sentence", sentence.root);
  shell.fold("The numbers", table.root);

  shell.follow((state) => {
    const all = calculate(state);
    sentence.set(state.words);
    positions.set(state.positions);
    shell.root.classList.toggle("is-told", state.positions);
    write(sign, all.isSame ? "=" : "≠");
    sign.classList.toggle("is-different", !all.isSame);
    write(reading, all.reshuffle.join(" "));
    tiles.draw(state.order, all.reshuffle);
    drawing.draw(all);
    table.draw(all);
    const note = noteOf(sentences, state, all);
    shell.answer(summarise(sentences, all), { sign: all.difference > ROUNDING ? "≠" : "=", note });
  });
  shell.whenClosed(tiles.stop);
  return shell.close;
}

export default { render };
