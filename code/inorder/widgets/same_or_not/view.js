// A sentence and its reshuffle through one small attention model, told apart or not.

import {
  matmul,
  moveWithin,
  numbersFromText,
  ROUNDING,
  scaledDotProductAttention,
  sinusoidalEncoding,
} from "../kit/arithmetic.js";
import { button, toggle } from "../kit/controls.js";
import { make, svgNode, write } from "../kit/elements.js";
import { BREAKS, fits } from "../kit/limits.js";
import { figureShell } from "../kit/shell.js";
import { tileRow } from "../kit/tiles.js";
import { formatDifference, formatNumber } from "../kit/words.js";

const D_MODEL = 16;
const N_LAYERS = 2;
const COLUMNS = Array.from({ length: D_MODEL }, (_, column) => column);

// -------------------------------------------------------------------------------------------- the arithmetic

const SCALE = Math.sqrt(6 / D_MODEL);
const weights = (name) => COLUMNS.map((row) => numbersFromText(`${name}, row ${row}`, D_MODEL).map((x) => x * SCALE));
const LAYERS = Array.from({ length: N_LAYERS }, (_, layer) =>
  ["query", "key", "value"].map((name) => weights(`layer ${layer}, ${name}`)),
);

const add = (a, b) => a.map((row, i) => row.map((value, j) => value + b[i][j]));

function sentenceRows(words, positions) {
  let x = words.map((word) => numbersFromText(word, D_MODEL)); // (n, d_model)
  if (positions) x = add(x, sinusoidalEncoding([...words.keys()], D_MODEL));
  for (const layer of LAYERS) {
    const [query, key, value] = layer.map((w) => matmul(x, w));
    x = add(x, scaledDotProductAttention(query, key, value));
  }
  return x; // (n, d_model)
}

const sumOf = (rows) => COLUMNS.map((column) => rows.reduce((sum, row) => sum + row[column], 0)); // (d_model,)

function calculate({ words, order, positions }) {
  const reshuffle = order.map((i) => words[i]);
  const partsOf = (sentence) => sentenceRows(sentence, positions).map((row) => row.map((x) => x / words.length));
  const [given, parts] = [words, reshuffle].map(partsOf);
  const vectors = [given, parts].map(sumOf); // (2, d_model)
  const differences = vectors[0].map((value, i) => Math.abs(value - vectors[1][i]));
  const isSame = words.every((word, i) => word === reshuffle[i]);
  return { reshuffle, parts, vectors, differences, isSame, difference: Math.max(...differences) };
}

// ------------------------------------------------------------------------------------------------- the words

const NOTHING_MOVED = "The same sentence: move a word."; // the longest

function summarise({ isSame, differences }) {
  if (isSame) return NOTHING_MOVED;
  const changed = differences.filter((difference) => difference > ROUNDING).length;
  if (changed === 0) return `Attention reads the same ${D_MODEL} numbers.`;
  return changed === D_MODEL ? `All ${D_MODEL} numbers change.` : `${changed} of ${D_MODEL} numbers change.`;
}

function noteOf({ words }, { difference }) {
  const given = `“${words.join(" ")}”`;
  if (difference > ROUNDING) return `Largest difference from ${given}: ${formatDifference(difference)}.`;
  return `As in ${given}, up to rounding: ${formatDifference(difference)}.`;
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

  function place(rect, column, value, largest, share) {
    const length = (Math.abs(value) / largest) * half;
    const box = { x: (column + (1 - share) / 2) * step, width: share * step, height: length };
    for (const [name, number] of Object.entries(box)) rect.setAttribute(name, number);
    rect.setAttribute("y", value < 0 ? zero : zero - length);
  }

  function draw({ parts, vectors }) {
    const n = parts.length;
    const biggest = Math.max(...parts.flat().map(Math.abs));
    const largest = Math.max(...vectors.flat().map(Math.abs));
    lines.replaceChildren(
      ...parts.flatMap((row, slot) =>
        row.map((value, column) => {
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
  const rowOf = (label, name, row) => {
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

  function draw({ vectors, differences }) {
    [...vectors, differences].forEach((values, row) => {
      values.forEach((value, column) => {
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
function orderOf(n, order) {
  const known = order.filter((i) => i < n);
  return [...known, ...Array.from({ length: n - known.length }, (_, i) => known.length + i)];
}

// Another order that neither the sentence nor its reshuffle has; backwards, where nothing else is left.
function shuffled({ words, order }) {
  const reading = (some) => some.map((i) => words[i]).join(" ");
  const taken = new Set([reading(order), words.join(" ")]);
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const candidate = order
      .map((place) => [Math.random(), place])
      .sort(([a], [b]) => a - b)
      .map(([, place]) => place);
    if (!taken.has(reading(candidate))) return candidate;
  }
  return [...order].reverse();
}

function render({ model, el, page }) {
  const shell = figureShell({ model, el, page });

  const positions = toggle({
    label: "Tell it the positions",
    actor: "position",
    onInput: (on) => shell.change({ positions: on }),
  });
  const shuffle = button({ label: "Shuffle", onClick: () => shell.change({ order: shuffled(shell.state()) }) });
  shell.controls.append(shuffle, positions.root);

  const sign = make("span", { class: "inorder-sign", "aria-hidden": "true" });
  const reading = make("span", { class: "inorder-reading" });
  const tiles = tileRow({
    label: "The other order: drag a word, or move it with the arrow keys",
    describe: (word, place) => `“${word}”, place ${place}: move it with the arrow keys`,
    onMove: (from, to) => shell.change({ order: moveWithin(shell.state().order, from, to) }),
  });
  const drawing = flows();
  shell.stage.append(
    make("div", { class: "inorder-read" }, make("span", { class: "inorder-note" }, "You read"), sign, reading),
    make("div", { class: "inorder-canvas" }, tiles.root, drawing.root),
    shell.answerBox,
  );

  shell.keepRoomFor(NOTHING_MOVED);

  const { fewest, most, longest } = shell.limits.words;
  const typed = () => sentence.value.split(BREAKS).filter(Boolean);
  const sentence = make("input", {
    type: "text",
    "aria-label": "Sentence",
    autocomplete: "off",
    spellcheck: "false",
    dir: "auto",
    oninput: () => {
      const words = typed();
      const isFit = fits(shell.limits.words, words);
      if (isFit) shell.change({ words, order: orderOf(words.length, shell.state().order) });
      shell.notify(isFit ? "" : `A sentence here has ${fewest} to ${most} words, each of up to ${longest} letters.`);
    },
    onchange: () => {
      sentence.value = shell.state().words.join(" ");
      shell.notify("");
    },
  });
  const table = numbersTable();
  shell.fold("Another sentence", sentence);
  shell.fold("The numbers", table.root);

  shell.follow((state) => {
    const all = calculate(state);
    const said = summarise(all);
    if (typed().join(" ") !== state.words.join(" ")) sentence.value = state.words.join(" ");
    positions.set(state.positions);
    shell.root.classList.toggle("is-told", state.positions);
    write(sign, all.isSame ? "=" : "≠");
    sign.classList.toggle("is-different", !all.isSame);
    write(reading, all.reshuffle.join(" "));
    tiles.draw(all.reshuffle);
    drawing.draw(all);
    table.draw(all);
    shell.answer(said, { sign: all.difference > ROUNDING ? "≠" : "=", note: noteOf(state, all) });
  });
  return shell.close;
}

export default { render };
