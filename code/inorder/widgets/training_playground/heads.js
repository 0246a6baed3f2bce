// The attention of each head of one model on the reader's example, and what the model says of it.

import { causalMask } from "../kit/arithmetic.js";
import { make, write } from "../kit/elements.js";
import { colourScale, paintHeatMap } from "../kit/heat_map.js";
import { encode, unembed } from "../kit/transformer.js";
import { formatNumber } from "../kit/words.js";

/** @typedef {import("./network.js").Batch} Batch */

/** @typedef {{ layers: Layer[], logits: Matrix }} Read */

const LARGEST = 8; // em, of a map
const NARROW = 26; // em: two maps a row
const LEGIBLE = 9; // pixels of a cell that has its letter

// What the kit's transformer makes of a batch of one sequence: { layers, logits }, one row of logits for each target.
/** @type {(batch: Batch, parameters: TransformerParameters, config: Config, causal: boolean) => Read} */
export function readExample({ tokens, pooled }, parameters, config, causal) {
  const positions = Array.from(tokens, (_, position) => position);
  const mask = causal ? causalMask(tokens.length) : null;
  const { hidden, layers } = encode(Array.from(tokens), parameters, config, { positions, mask });
  /** @type {(rows: Matrix) => Matrix} */
  const mean = (rows) => [rows[0].map((_, c) => rows.reduce((sum, row) => sum + row[c], 0) / rows.length)];
  return { layers, logits: unembed(pooled ? mean(hidden) : hidden, parameters) };
}

/** @type {(logits: number[]) => number[]} */
const shares = (logits) => {
  const largest = Math.max(...logits);
  const exps = logits.map((logit) => Math.exp(logit - largest));
  const total = exps.reduce((sum, value) => sum + value, 0);
  return exps.map((value) => value / total);
};

/** @param {number} which 0 or 1 */
export function heads(which) {
  const key = make("span", { class: `inorder-key is-${which ? "second" : "first"}`, "aria-hidden": "true" });
  const label = make("strong", {});
  const said = make("span", { class: "inorder-said-of-it" });
  const maps = make("div", { class: "inorder-maps" });
  const root = make(
    "div",
    { class: "inorder-heads" },
    make("div", { class: "inorder-heads-line" }, key, label, said),
    maps,
  );

  /** @type {(count: number) => void} */
  function keep(count) {
    while (maps.children.length > count) maps.lastChild?.remove();
    while (maps.children.length < count) {
      const canvas = make("canvas", { role: "img" });
      const columns = make("div", { class: "inorder-letters", "aria-hidden": "true" });
      const rows = make("div", { class: "inorder-letters is-rows", "aria-hidden": "true" });
      const name = make("div", { class: "inorder-map-name" });
      maps.append(make("div", { class: "inorder-map" }, columns, rows, canvas, name));
    }
  }

  /** @type {(node: HTMLElement, letters: string[]) => void} */
  function letter(node, letters) {
    if (node.dataset.letters === letters.join("")) return;
    node.dataset.letters = letters.join("");
    node.replaceChildren(...letters.map((one) => make("span", {}, one)));
  }

  /** @type {(read: Read, letters: string[], title: string, dark: boolean) => void} */
  function drawMaps({ layers }, letters, title, dark) {
    const weights = layers.flatMap(({ weights: all }, layer) => all.map((rows, head) => ({ rows, layer, head })));
    keep(weights.length);
    const em = Number.parseFloat(getComputedStyle(root).fontSize);
    const perRow = maps.clientWidth < NARROW * em ? 2 : weights.length;
    const room = maps.clientWidth / perRow - 1.9 * em;
    const n = letters.length;
    const size = Math.max(n, Math.floor(Math.min(LARGEST * em, room) / n) * n);
    maps.style.setProperty("--cell", `${size / n}px`);
    maps.classList.toggle("is-without-letters", size / n < LEGIBLE);
    const scale = colourScale({ kind: "sequential", largest: 1, dark });
    weights.forEach(({ rows, layer, head }, i) => {
      const [columns, side, canvas, name] = /** @type {[HTMLElement, HTMLElement, HTMLCanvasElement, HTMLElement]} */ ([
        ...maps.children[i].children,
      ]);
      letter(columns, letters);
      letter(side, letters);
      paintHeatMap(canvas, {
        values: Float64Array.from(rows.flat()),
        nRows: n,
        nColumns: n,
        scale,
        width: size,
        height: size,
      });
      write(name, layers.length > 1 ? `layer ${layer}, head ${head}` : `head ${head}`);
      const last = rows[rows.length - 1];
      const best = last.indexOf(Math.max(...last));
      const words = `${title}, ${name.textContent}: where each letter (row) looks; the last looks most at ${letters[best]}, ${best + 1} of ${n}`;
      if (canvas.getAttribute("aria-label") !== words) canvas.setAttribute("aria-label", words);
    });
  }

  // One answer, or one for each letter; the wrong ones are marked.
  /** @type {(read: Read, batch: Batch, task: import("./run.js").Task, alphabet: string, ignored: number) => void} */
  function say({ logits }, { targets }, task, alphabet, ignored) {
    const rows = logits.map((row, i) => ({ row, target: targets[i] })).filter(({ target }) => target !== ignored);
    if (task.name === "which-first") {
      const question = rows[0];
      if (!question) return said.replaceChildren("needs one A and one B");
      const first = shares(question.row)[1];
      const isRight = (first > 0.5 ? 1 : 0) === question.target;
      const winner = first > 0.5 ? "A" : "B";
      said.replaceChildren(
        `says ${winner} first, probability ${formatNumber(Math.max(first, 1 - first))} `,
        make(
          "span",
          {
            ...{ class: "inorder-verdict", role: "img", "aria-label": isRight ? "right" : "wrong" },
            ...{ "data-name": "share", "data-row": which, "data-col": 0, "data-value": first },
          },
          isRight ? "✓" : "×",
        ),
      );
      return undefined;
    }
    const guesses = rows.map(({ row, target }) => {
      const best = row.indexOf(Math.max(...row));
      return make("span", { class: best === target ? "is-right" : "is-wrong" }, alphabet[best]);
    });
    const spoken = guesses.map((node) => `${node.textContent} ${node.className === "is-right" ? "right" : "wrong"}`);
    const nRight = guesses.filter((node) => node.className === "is-right").length;
    said.replaceChildren(
      "says ",
      make("span", { class: "inorder-guesses", role: "img", "aria-label": spoken.join(", ") }, ...guesses),
      ` ${nRight} of ${guesses.length} right`,
    );
    return undefined;
  }

  return { root, label, drawMaps, say };
}
