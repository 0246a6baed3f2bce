// One layer in full: a column for each token of both prompts, as the last query finds it. Press one for its numbers.

import { ROUNDING } from "../kit/arithmetic.js";
import { make, write } from "../kit/elements.js";
import { formatDifference, formatNumber } from "../kit/words.js";
import { numbersTable } from "./numbers.js";
import { paintSeen, paintVector, paintWeight } from "./paint.js";
import { magnitude } from "./reading.js";
import { layerWords, PROMPTS, quoted } from "./words.js";

/** @typedef {ReturnType<typeof tokenColumn>} Column */

/** @typedef {{ layer: number, head: number, orders: number[][], dark: boolean }} View */

/** @typedef {import("./reading.js").Computed} Computed */

const ROWS = {
  seen: "has seen",
  query: "query",
  key: "keys",
  weights: "weights",
  letter: "",
  number: "",
  value: "values",
  sum: "sum",
};

// The names of the rows. Those of the second, between the prompts, carry `signs`: = or ≠.
/** @type {(which: "first" | "second") => { root: HTMLElement, signs: Record<string, HTMLElement> }} */
function rowNames(which) {
  /** @type {Record<string, HTMLElement>} */
  const signs = {};
  const lines = Object.entries(ROWS).map(([name, text]) => {
    if (name === "letter") return make("span", { class: "is-prompt", "aria-hidden": "true" }, which);
    if (which === "first" || !text) return make("span", { "aria-hidden": "true" }, text);
    signs[name] = make("strong", { "data-sign": name, role: "img" });
    return make("span", {}, text, " ", signs[name]);
  });
  const between = which === "second" && { role: "group", "aria-label": "Between the two prompts" };
  return { root: make("div", { class: `inorder-lab-names is-${which}`, ...between }, ...lines), signs };
}

// One token as the last query finds it.
/**
 * @type {(which: string, place: number, isLast: boolean, onChoose: () => void) => { root: HTMLElement,
 *   strips: Record<string, HTMLCanvasElement>, number: HTMLElement, letter: HTMLElement }}
 */
function tokenColumn(which, place, isLast, onChoose) {
  const canvas = (/** @type {string} */ name) =>
    make("canvas", { class: `inorder-lab-strip is-${name}`, height: 1, width: 1, "aria-hidden": "true" });
  const names = ["seen", "key", "weights", "value", ...(isLast ? ["query", "sum"] : [])];
  const strips = Object.fromEntries(names.map((name) => [name, canvas(name)]));
  const number = make("span", { class: "is-number", "data-name": `${which}-weights`, "data-col": place });
  const letter = make("span", { class: "is-letter" });
  const root = make(
    "button",
    { type: "button", class: "inorder-lab-column", tabindex: -1, "aria-pressed": "false", onclick: onChoose },
    ...Object.values(strips),
    letter,
    number,
  );
  return { root, strips, number, letter };
}

/**
 * @type {(given: import("./reading.js").Given) => { root: HTMLElement, heading: HTMLElement[],
 *   update: (all: Computed, view: View) => void }}
 */
export function layerPanel({ tokens, vocabulary, sentences }) {
  const n = tokens.length;
  const everyone = [...tokens].sort((a, b) => vocabulary.indexOf(a) - vocabulary.indexOf(b));
  const heading = [
    make("strong", {}),
    make("span", { class: "inorder-lab-words" }),
    make("span", { class: "inorder-lab-change" }),
  ];
  const names = PROMPTS.map(rowNames);
  const columns = PROMPTS.map((which, prompt) =>
    Array.from({ length: n }, (_, place) => tokenColumn(which, place, place === n - 1, () => choose(prompt, place))),
  );
  const sides = PROMPTS.map((which, prompt) =>
    make(
      "div",
      { class: "inorder-lab-side", role: "group", "aria-label": `What the query finds in the ${which} prompt` },
      ...columns[prompt].map(({ root }) => root),
    ),
  );
  const numbers = make("div", { class: "inorder-lab-numbers" });
  const root = make(
    "div",
    { class: "inorder-lab-layer" },
    make("div", { class: "inorder-lab-sides" }, names[0].root, sides[0], names[1].root, sides[1]),
    make(
      "p",
      { class: "inorder-lab-legend" },
      "Dark marks: the tokens seen so far. The line in a bar: the weight in the other prompt. A thick frame: different. Press a column for its numbers.",
    ),
    numbers,
  );
  let drawn = /** @type {View & { all: Computed, largest: number, strongest: number }} */ ({});
  /** @type {{ prompt: number, token: number } | null} */
  let chosen = null; // the token whose numbers are shown, as its place in `tokens`

  /** @type {(prompt: number, place: number) => void} */
  function choose(prompt, place) {
    const token = drawn.orders[prompt][place];
    chosen = chosen?.prompt === prompt && chosen.token === token ? null : { prompt, token };
    drawChosen();
  }

  function drawChosen() {
    const { all, layer, head, orders } = drawn;
    const { partner } = all.layers[layer];
    let at = [-1, -1]; // its places in the two prompts
    const place = chosen ? orders[chosen.prompt].indexOf(chosen.token) : -1;
    if (chosen) at = chosen.prompt === 0 ? [place, partner.indexOf(place)] : [partner[place], place];
    columns.forEach((line, prompt) =>
      line.forEach((column, i) => column.root.setAttribute("aria-pressed", String(i === at[prompt]))),
    );
    numbers.replaceChildren(...(chosen ? [numbersTable(all, { layer, head, at })] : []));
  }

  // All columns are one tab stop; arrow keys go through both prompts.
  const line = columns.flat().map((column) => column.root);
  let stop = 0;
  /** @type {(next: number) => void} */
  function setStop(next) {
    line[stop].tabIndex = -1;
    stop = next;
    line[stop].tabIndex = 0;
  }
  setStop(0);
  root.addEventListener("focusin", ({ target }) => {
    const place = line.indexOf(/** @type {HTMLElement} */ (target));
    if (place >= 0) setStop(place);
  });
  root.addEventListener("keydown", (event) => {
    /** @type {Record<string, number | undefined>} */
    const moves = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: line.length - 1 };
    const to = moves[event.key];
    if (to === undefined || !line.some((column) => column === event.target)) return;
    event.preventDefault();
    line[to]?.focus();
  });

  /** @type {(column: Column, prompt: number, place: number) => void} */
  function drawColumn(column, prompt, place) {
    const { all, layer, head, dark, largest, strongest } = drawn;
    const comparison = all.layers[layer];
    const pair = all.read.map(({ layers }) => layers[layer]);
    const reading = pair[prompt];
    const partner = prompt === 0 ? comparison.partner.indexOf(place) : comparison.partner[place];
    const inSecond = prompt === 0 ? partner : place; // where the changes of this token stand
    const vectors = {
      key: { vector: reading.key[head][place], amount: comparison.key[inSecond] },
      value: { vector: reading.value[head][place], amount: comparison.value[inSecond] },
      query: { vector: reading.query[head], amount: comparison.query },
      sum: { vector: reading.sum[head], amount: comparison.sum },
    };
    for (const [name, { vector, amount }] of Object.entries(vectors)) {
      const strip = column.strips[name];
      if (!strip) continue; // only the last column has query and sum
      paintVector(strip, vector, largest, dark);
      strip.classList.toggle("is-different", amount > ROUNDING);
    }
    paintSeen(column.strips.seen, reading.seen[place], everyone, dark);
    const weight = reading.weights[head][place];
    const there = pair[1 - prompt].weights[head][partner];
    paintWeight(column.strips.weights, weight / strongest, there / strongest, dark);
    write(column.number, formatNumber(weight));
    Object.assign(column.number.dataset, { row: layer, value: String(weight) });
    const token = all.read[prompt].prompt[place];
    write(column.letter, token);
    column.root.setAttribute(
      "aria-label",
      `${quoted(token)} in the ${PROMPTS[prompt]} prompt, layer ${layer}: ` +
        `weight ${formatNumber(weight)}, has seen ${reading.seen[place].join(" ")}`,
    );
  }

  // all: what was computed; orders: of the tokens in the two prompts
  /** @type {(all: Computed, view: View) => void} */
  function update(all, { layer, head, orders, dark }) {
    const comparison = all.layers[layer];
    const pair = all.read.map(({ layers }) => layers[layer]);
    const vectors = pair.map(({ query, key, value, sum }) => [query[head], key[head], value[head], sum[head]]);
    const strongest = magnitude(pair.map(({ weights }) => weights[head]));
    drawn = { all, layer, head, orders, dark, largest: magnitude(vectors), strongest };
    write(heading[0], `Layer ${layer}`);
    write(heading[1], layerWords(sentences, all, layer));
    write(heading[2], `largest difference ${formatDifference(comparison.change)}`);
    for (const [name, node] of Object.entries(names[1].signs)) {
      const differs = magnitude([comparison[/** @type {"query"} */ (name)]]) > ROUNDING;
      write(node, differs ? "≠" : "=");
      node.setAttribute("aria-label", differs ? "different" : "the same");
      node.classList.toggle("is-different", differs);
    }
    columns.forEach((columnsOf, prompt) => columnsOf.forEach((column, place) => drawColumn(column, prompt, place)));
    drawChosen();
  }
  return { root, heading, update };
}
