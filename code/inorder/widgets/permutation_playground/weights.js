// The weights three times, rows and columns travelling with their words: as given, moved both ways, recomputed.

import { ROUNDING } from "../kit/arithmetic.js";
import { palette, sequentialColour } from "../kit/colour.js";
import { select } from "../kit/controls.js";
import { isFolded, make, variable, write } from "../kit/elements.js";
import { permuteMask } from "../kit/transformer.js";
import { formatDifference, formatNumber, shorten } from "../kit/words.js";
import { largestEntry } from "./arithmetic.js";
import { movingMap } from "./moving_map.js";

/** @typedef {keyof typeof LABELS} Name of a map */

/** @typedef {import("./arithmetic.js").Computed} Computed */

/** @typedef {Shell<State>} Frame */

/** @typedef {PermutationPlaygroundState} State */

const LABELS = {
  weights: "Heat map of the weights A as given",
  movedWeights: "Heat map of P A P transposed: the rows and columns of A moved",
  newWeights: "Heat map of the weights recomputed for the words as you moved them; arrow keys read a cell",
};

// A sign, and the size of the largest difference, with its data-name.
/** @type {(name: string, words: string) => { root: HTMLElement, update: (change: number) => void }} */
export function comparison(name, words) {
  const sign = make("span", { class: "inorder-sign", role: "img" });
  const size = make("span", { "data-name": name });
  const root = make("div", { class: "inorder-comparison" }, sign, make("span", {}, words), " ", size);
  /** @type {(change: number) => void} */
  function update(change) {
    write(sign, change > ROUNDING ? "≠" : "=");
    sign.setAttribute("aria-label", change > ROUNDING ? "different" : "equal");
    sign.classList.toggle("is-different", change > ROUNDING);
    write(size, formatDifference(change));
    size.dataset.value = String(change);
  }
  return { root, update };
}

/**
 * @type {(options: { limits: Frame["limits"], stateNow: Frame["state"], onChange: Frame["change"] }) =>
 *   { root: HTMLElement, update: (state: State, computed: Computed, dark: boolean) => void, frame: (at: number[],
 *   held: number | null) => void }}
 */
export function weightsPanel({ limits, stateNow, onChange }) {
  let all = /** @type {Computed & { movedWeights: Matrix }} */ ({});
  /** @type {Cell | null} */
  let cursor = null; // both are tokens
  /** @type {(limit: Ends) => [string, string][]} */
  const numbers = ({ low, high }) =>
    Array.from({ length: high - low + 1 }, (_, i) => [String(low + i), String(low + i)]);
  const choose = (/** @type {string} */ label, /** @type {"layer" | "head"} */ name) =>
    select({ label, options: numbers(limits[name]), onInput: (value) => onChange({ [name]: Number(value) }) });
  const [layer, head] = [choose("Layer", "layer"), choose("Head", "head")];
  const full = make("p", { class: "inorder-full" });
  const readout = make("p", { class: "inorder-readout" });
  /** @type {(name: Name) => boolean} */
  const isGiven = (name) => name === "weights";

  const maps = /** @type {Record<Name, ReturnType<typeof movingMap>>} */ ({});
  const names = /** @type {Name[]} */ (Object.keys(LABELS));
  /** @type {(name: Name, formula: (Node | string)[], words: string, focusable?: boolean) => HTMLElement} */
  function makeMap(name, formula, words, focusable = false) {
    const tokenAt = (/** @type {number} */ place) => (isGiven(name) ? place : stateNow().order[place]);
    const onPoint = (/** @type {[number, number] | null} */ cell) =>
      show(cell && { row: tokenAt(cell[0]), column: tokenAt(cell[1]) });
    maps[name] = movingMap({ focusable, onPoint, onLeave: () => show(null) });
    const heading = make("div", { class: "inorder-equation" }, ...formula, " ", make("small", {}, words));
    return make("div", { class: "inorder-panel" }, heading, maps[name].canvas);
  }
  const [A, X, P] = ["A", "X", "P"].map((letter) => () => variable(letter));
  const sign = comparison("weights_change", "off by");
  const choices = make("div", { class: "inorder-choices", "data-picture": "skip" }, layer.root, head.root);
  const root = make(
    "div",
    { class: "inorder-weights" },
    makeMap("weights", [A()], "as given"),
    makeMap("movedWeights", [P(), A(), variable("P", { sup: "⊤" })], "moved both ways"),
    sign.root,
    makeMap("newWeights", [A(), " of ", P(), X()], "recomputed", true),
    make("div", { class: "inorder-reading" }, choices, full, readout),
  );

  // reading one cell
  /** @type {[number[], number | null]} */
  let [places, held] = [[], null];
  /** @type {(next: Cell | null) => void} */
  function show(next) {
    cursor = next;
    drawReadout();
    frame(places, held);
  }

  function drawReadout() {
    const { tokens, order } = stateNow();
    if (cursor && Math.max(cursor.row, cursor.column) >= tokens.length) cursor = null;
    readout.setAttribute("aria-live", cursor ? "polite" : "off"); // the hint is no news
    if (!cursor) {
      write(readout, "Point at a cell to read its number, and what became of it.");
      return;
    }
    const { row, column } = cursor;
    const [to, across] = [order.indexOf(row), order.indexOf(column)];
    const number = (/** @type {string} */ name, /** @type {number} */ value) =>
      make(
        "strong",
        { "data-name": name, "data-row": row, "data-col": column, "data-value": String(value) },
        formatNumber(value, 3),
      );
    const name = (/** @type {number} */ token) => `“${tokens[token]}” (${token})`;
    readout.replaceChildren(
      `${name(row)} attends to ${name(column)}: `,
      number("weights", all.weights[row][column]),
      " as given, ",
      number("moved_weights", all.movedWeights[to][across]),
      " moved, ",
      number("new_weights", all.newWeights[to][across]),
      " recomputed",
    );
  }

  const { canvas } = maps.newWeights;
  /** @type {(row: number, column: number) => Cell} */
  const cellAt = (row, column) => ({ row: stateNow().order[row], column: stateNow().order[column] });
  canvas.addEventListener("focus", () => show(cellAt(0, 0)));
  canvas.addEventListener("blur", () => show(null));
  canvas.addEventListener("keydown", (event) => {
    /** @type {Record<string, [number, number]>} */
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    const { order } = stateNow();
    const at = cursor ?? cellAt(0, 0);
    const [down, right] = steps[event.key];
    const [toRow, toColumn] = [order.indexOf(at.row) + down, order.indexOf(at.column) + right];
    if (toRow in order && toColumn in order) show(cellAt(toRow, toColumn));
  });

  // At each frame of the motion: where each token stands.
  /** @type {import("./moving_map.js").Paint | null} */
  let paint = null;
  /** @type {(at: number[], heldNow: number | null) => void} */
  function frame(at, heldNow) {
    [places, held] = [at, heldNow];
    if (!paint || at.length !== paint.n) return;
    for (const name of names) {
      const stand = isGiven(name) ? at.map((_, token) => token) : at;
      maps[name].draw(stand, isGiven(name) ? null : held, cursor ? [cursor] : [], paint);
    }
  }

  /** @type {(n: number) => string} */
  function measure(n) {
    const style = getComputedStyle(root);
    const em = parseFloat(style.fontSize);
    const narrow = root.clientWidth < 36 * em;
    const label = (narrow ? 1.4 : 4.2) * em;
    const room = narrow ? 10.4 * em : Math.min(13.5 * em, (root.clientWidth - 21 * em) / 3);
    const most = (n > 8 ? 9 : 6.6) * em; // low, so that the open fold fits a screen
    const cell = Math.max(9, Math.min(1.6 * em, (room - label) / n, most / n));
    const side = cell * n;
    for (const map of Object.values(maps)) {
      map.measure({ width: label + side, height: 1.2 * em + side, label, head: 1.2 * em, cell, em, named: !narrow });
    }
    return style.fontFamily;
  }

  /** @type {(state: State, computed: Computed, dark: boolean) => void} */
  function update(state, computed, dark) {
    sign.update(computed.weightsChange);
    paint = null;
    if (isFolded(root)) return;
    all = { ...computed, movedWeights: permuteMask(computed.weights, state.order) };
    layer.set(String(Math.min(state.layer, state.depth - 1)));
    [...layer.input.options].forEach((option, i) => {
      option.hidden = i >= state.depth;
    });
    head.set(String(state.head));
    const { tokens, order } = state;
    const n = tokens.length;
    const font = measure(n);
    const { ink, muted, edge } = palette(dark);
    const rgb = (/** @type {number[]} */ channels) => `rgb(${channels.join(" ")})`;
    paint = { ink: rgb(ink), muted: rgb(muted), line: rgb(edge), font, n };
    const strongest = Math.max(largestEntry(all.weights), largestEntry(all.newWeights));
    write(full, `Full colour is ${formatNumber(strongest)}.`);
    const labels = tokens.map((text, token) => ({ number: String(token), text: shorten(text, 7) || "␣" }));
    const place = tokens.map((_, token) => order.indexOf(token));
    // Cells by token: those of the map that was moved are those of the map as given.
    /**
     * @type {(values: Matrix, mask: Mask | null, at: (token: number) => number, unmoved: Matrix) =>
     *   import("./moving_map.js").MapCell[][]}
     */
    function byToken(values, mask, at, unmoved) {
      const cellOf = (/** @type {number} */ row, /** @type {number} */ column) => {
        const x = values[at(row)][at(column)];
        const hidden = mask !== null && !mask[at(row)][at(column)];
        const differs = Math.abs(x - unmoved[row][column]) > ROUNDING;
        const { fill, ink: pen } = sequentialColour(x / strongest, dark);
        return { fill, ink: pen, hidden, differs };
      };
      return tokens.map((_, row) => tokens.map((__, column) => cellOf(row, column)));
    }
    const given = byToken(all.weights, all.mask, (token) => token, all.weights);
    const anew = byToken(all.newWeights, all.newMask, (token) => place[token], all.weights);
    for (const name of names) {
      maps[name].setLook({ labels, cells: name === "newWeights" ? anew : given });
      const reading = (isGiven(name) ? tokens : order.map((token) => tokens[token])).join(", ");
      maps[name].canvas.setAttribute("aria-label", `${LABELS[name]}; rows: ${reading}`);
    }
    drawReadout();
    frame(places.length === n ? places : place, held);
  }

  return { root, update, frame };
}
