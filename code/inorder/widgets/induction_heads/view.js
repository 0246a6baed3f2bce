// Two heads built by hand continue a text that the reader types.

import { attentionWeights, causalMask, matmul, sinusoidalEncoding } from "../kit/arithmetic.js";
import { button, radios, wordsBox } from "../kit/controls.js";
import { make, setChildren, svgNode, write } from "../kit/elements.js";
import { figureShell } from "../kit/shell.js";
import { fill, formatNumber } from "../kit/words.js";

/** @typedef {{ tokens: string[], looksBack: Matrix, notes: Matrix, weights: number[], shares: [string, number][] }} Reading */

const [D_MODEL, SHARPNESS] = [64, 8];
const [SURE, LEVEL, FAINT] = [0.95, 1e-3, 0.02]; // a share that decides; weights that count as equal; one that is not drawn
const MOST_SHARES = 3;
const ROW = 16; // of an arc's drawing: the height of a row, in tenths of an em
const nameOf = (/** @type {string} */ token) => token || "start";

// -------------------------------------------------------------------------------------------- the arithmetic

/** @type {(firstHead: string, n: number) => Matrix} */
function firstWeights(firstHead, n) {
  const places = Array.from({ length: n }, (_, place) => place);
  const mask = causalMask(n);
  if (firstHead === "off") return places.map(() => places.map(() => 0));
  if (firstHead === "no positions") {
    const nothing = places.map(() => [0]);
    return attentionWeights(nothing, nothing, { mask });
  }
  const before = places.map((place) => place - 1); // turned back by one step: the place before
  return attentionWeights(sinusoidalEncoding(before, D_MODEL), sinusoidalEncoding(places, D_MODEL), {
    mask,
    scale: 16,
  });
}

/** @type {(state: InductionHeadsState) => Reading} */
function calculate({ words, first_head: firstHead }) {
  const names = ["", ...words]; // the start token has no name
  const tokens = [...new Set(names)];
  const oneHot = names.map((name) => tokens.map((token) => Number(token === name))); // (position, token)
  const looksBack = firstWeights(firstHead, names.length);
  const notes = matmul(looksBack, oneHot);
  const mask = causalMask(names.length);
  const weights = attentionWeights(oneHot, notes, { mask, scale: SHARPNESS })[words.length];
  const [brought] = matmul([weights], oneHot);
  const rounded = (/** @type {number} */ share) => Math.round(share * 1e9);
  const shares = tokens
    .map((token, i) => /** @type {[string, number]} */ ([token, brought[i]]))
    .sort(([, one], [, other]) => rounded(other) - rounded(one));
  return { tokens, looksBack, notes, weights, shares };
}

// ------------------------------------------------------------------------------------------------- the words

/** @type {(note: number[], tokens: string[]) => string} */
function noteInWords(note, tokens) {
  const most = Math.max(...note);
  if (most === 0) return "–";
  return most > SURE ? `after ${nameOf(tokens[note.indexOf(most)])}` : "a mix";
}

/** @type {(sentences: InductionHeadsSentences, state: InductionHeadsState, reading: Reading) => [string, "✓" | "×"]} */
function answerOf(sentences, { words }, { weights, shares }) {
  const last = words[words.length - 1];
  if (Math.max(...weights) - Math.min(...weights) < LEVEL) {
    return [fill(sentences.none, { last, count: weights.length }), "×"];
  }
  const [word, share] = shares[0];
  if (share > SURE) {
    return [fill(sentences.one, { last, word: nameOf(word), share: formatNumber(share) }), "✓"];
  }
  const first = shares.slice(0, 3).filter(([, part]) => part > 1 - SURE);
  const leads = first.map(([token, part]) => `“${nameOf(token)}” (${formatNumber(part)})`);
  return [fill(sentences.several, { last, words: leads.join(", ") }), "×"];
}

// -------------------------------------------------------------------------------------------------- its parts

/** @type {(side: -1 | 1, weights: number[], from: number) => SVGPathElement[]} arcs from one row up to others */
const arcs = (side, weights, from) =>
  weights.flatMap((weight, to) => {
    if (weight < FAINT || to === from) return [];
    const [start, end] = [from, to].map((row) => (row + 0.5) * ROW);
    const edge = side < 0 ? 30 : 0;
    const reach = edge + side * Math.min(36, 12 + 4 * Math.abs(from - to));
    const d = `M ${edge} ${start} C ${reach} ${start}, ${reach} ${end}, ${edge} ${end}`;
    return [svgNode("path", { d, "stroke-width": 0.5 + 3 * weight, "data-weight": weight })];
  });

/** @type {(className: string, paths: SVGPathElement[], n: number) => HTMLTableCellElement} beside all rows */
function arcCell(className, paths, n) {
  const size = { viewBox: `0 0 30 ${ROW * n}`, preserveAspectRatio: "none" };
  const drawing = svgNode("svg", { ...size, class: className, "aria-hidden": "true" });
  drawing.append(...paths);
  return make("td", { rowspan: n, class: "inorder-arcs" }, drawing);
}

function headsTable() {
  const head = make(
    "tr",
    {},
    make("td", {}),
    make("th", { scope: "col" }, "word"),
    make("th", { scope: "col" }, "note"),
    make("td", {}),
    make("th", { scope: "col" }, "weight"),
  );
  const body = make("tbody", {});
  const caption = make("caption", {}, "The first head writes a note into each row; the second looks for the last word");
  const root = make("table", { class: "inorder-rows" }, caption, make("thead", {}, head), body);

  /** @type {(state: InductionHeadsState, reading: Reading) => void} */
  function draw({ words }, { tokens, looksBack, notes, weights }) {
    const n = weights.length;
    const left = arcCell(
      "is-first",
      looksBack.flatMap((row, from) => arcs(-1, row, from)),
      n,
    );
    const right = arcCell("is-second", arcs(1, weights, n - 1), n);
    const rows = ["", ...words].map((word, row) => {
      const weight = make("td", { "data-name": "weights", "data-row": 0, "data-col": row }, formatNumber(weights[row]));
      weight.dataset.value = String(weights[row]);
      const cells = [make("th", { scope: "row" }, nameOf(word)), make("td", {}, noteInWords(notes[row], tokens))];
      const isHit = weights[row] > 1.5 / n;
      const all = row === 0 ? [left, ...cells, right, weight] : [...cells, weight];
      return make("tr", { class: isHit ? "is-hit" : word ? "" : "is-start" }, ...all);
    });
    setChildren(body, rows);
  }
  return { root, draw };
}

// What comes next, as bars.
function sharesList() {
  const rows = Array.from({ length: MOST_SHARES }, () => {
    const [name, bar, number] = ["name", "bar", "number"].map((part) => make("span", { class: `inorder-${part}` }));
    return { root: make("li", {}, name, bar, number), name, bar, number };
  });
  const list = make("ol", { "aria-label": "What comes next" }, ...rows.map(({ root }) => root));
  const root = make(
    "div",
    { class: "inorder-next" },
    make("p", { class: "inorder-note", "aria-hidden": "true" }, "What comes next"),
    list,
  );

  /** @type {(reading: Reading) => void} */
  function draw({ shares }) {
    rows.forEach(({ root, name, bar, number }, i) => {
      root.hidden = i >= shares.length;
      if (root.hidden) return;
      const [token, share] = shares[i];
      write(name, nameOf(token));
      bar.style.setProperty("--share", String(share));
      write(number, formatNumber(share));
      Object.assign(number.dataset, { name: "shares", row: 0, col: i, value: share });
    });
  }
  return { root, draw };
}

// ------------------------------------------------------------------------------------------------ the figure

/** @type {(context: Context<InductionHeadsState, { sentences: InductionHeadsSentences }>) => () => void} */
function render({ model, el, page }) {
  const shell = figureShell({ model, el, page });
  const sentences = model.get("sentences");
  const text = wordsBox({
    label: "Text",
    limits: shell.limits.words,
    claim: "A text here has",
    words: () => shell.state().words,
    notify: shell.notify,
    onInput: (words) => shell.change({ words }),
  });
  const append = button({
    label: "Append the next word",
    onClick: () => {
      const [next] = calculate(shell.state()).shares.find(([token]) => token) ?? [""];
      shell.change({ words: [...shell.state().words, next] });
    },
  });
  const firstHead = radios({
    label: "First head",
    options: /** @type {InductionHeadsState["first_head"][]} */ (shell.limits.first_head.options).map((one) => [
      one,
      one,
    ]),
    onInput: (option) => shell.change({ first_head: option }),
  });
  shell.controls.append(make("label", { class: "inorder-text" }, "Text", text.root), append, firstHead.root);

  const table = headsTable();
  const shares = sharesList();
  shell.stage.append(table.root, shares.root);

  shell.follow((state) => {
    const reading = calculate(state);
    text.set(state.words);
    append.disabled = state.words.length >= shell.limits.words.most;
    firstHead.set(state.first_head);
    table.draw(state, reading);
    shares.draw(reading);
    const [sentence, sign] = answerOf(sentences, state, reading);
    shell.answer(sentence, { sign });
  });
  return shell.close;
}

export default { render };
