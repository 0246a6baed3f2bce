// What is there on demand: inputs, match, the three matrices, coordinates.

import { radios, slider, toggle } from "../kit/controls.js";
import { make, uniqueId, variable } from "../kit/elements.js";
import { matrixGrid } from "../kit/matrix_grid.js";
import { formatNumber, shorten } from "../kit/words.js";
import { handleName, handlesOf, showNumber } from "./look_up.js";

/** @typedef {"w_query" | "w_key" | "w_value"} Weight */

/** @typedef {[name: string, row: number, col: number, value: number]} Shown */

/** @typedef {{ name: string, shape?: string }} Head */

/** @typedef {Shell<State, { labels: import("./look_up.js").Labels }>} Frame */

/** @typedef {import("./look_up.js").LookUp} LookUp */

/** @typedef {import("./look_up.js").Handle} Handle */

/** @typedef {SoftLookupState} State */

/** @type {Record<Weight, string>} */
const MATRICES = { w_query: "W_Q", w_key: "W_K", w_value: "W_V" };

/** @type {(x: number, limit: Ends) => number} */
const bounded = (x, { low, high }) => Math.min(Math.max(x, low), high);
/** @type {(matrix: Matrix, row: number, line: number[]) => Matrix} */
export const replaceAt = (matrix, row, line) => matrix.map((old, i) => (i === row ? line : old));

// A table whose columns are keys, that may scroll sideways.
//   heads: { name, shape } of each column, where the shape is that in the plane, if it has one there
//   rows: [name, numbers], each number as showNumber takes it after the node
/** @type {(label: string) => { root: HTMLElement, draw: (heads: Head[], rows: [string, Shown[]][]) => void }} */
function numbersTable(label) {
  const table = make("table", {});
  const root = make("div", { class: "inorder-numbers", tabindex: 0, role: "region", "aria-label": label }, table);
  let built = "";
  /** @type {HTMLElement[][]} */
  let cells = [];

  /** @type {(heads: Head[], names: string[]) => void} */
  function build(heads, names) {
    cells = names.map(() => heads.map(() => make("td", {})));
    const head = (/** @type {Head} */ { name, shape }) => {
      const mark = shape ? [make("span", { "aria-hidden": "true" }, `${shape} `)] : [];
      return make("th", { scope: "col" }, ...mark, name);
    };
    const line = (/** @type {string} */ name, /** @type {number} */ i) =>
      make("tr", {}, make("th", { scope: "row" }, name), ...cells[i]);
    table.replaceChildren(
      make("thead", {}, make("tr", {}, make("td", {}), ...heads.map(head))),
      make("tbody", {}, ...names.map(line)),
    );
  }

  /** @type {(heads: Head[], rows: [string, Shown[]][]) => void} */
  function draw(heads, rows) {
    const names = rows.map(([name]) => name);
    const layout = JSON.stringify([heads, names]);
    if (layout !== built) build(heads, names);
    built = layout;
    rows.forEach(([, numbers], i) => {
      numbers.forEach((number, j) => showNumber(cells[i][j], ...number));
    });
  }
  return { root, draw };
}

/**
 * @type {(shell: Frame, labels: Record<State["matching"], string>) => { root: HTMLElement, update: (state: State,
 *   found: LookUp) => void }}
 */
export function matchPanel(shell, labels) {
  const matching = radios({
    label: "Match by",
    options: /** @type {[keyof typeof labels, string][]} */ (Object.entries(labels)),
    onInput: (value) => shell.change({ matching: value }),
  });
  const scores = numbersTable("The scores");
  const root = make("div", { class: "inorder-side" }, matching.root, scores.root);

  /** @type {(state: State, found: LookUp) => void} */
  function update(state, { scores: all, row }) {
    matching.set(state.matching);
    /** @type {Shown[]} */
    const numbers = all[row].map((score, j) => ["scores", row, j, score]);
    const heads = state.tokens.map((token) => ({ name: shorten(token, 8) }));
    scores.draw(heads, [[state.matching === "dot" ? "q · k" : "−‖q − k‖²/2", numbers]]);
  }
  return { root, update };
}

// W_Q, W_K, W_V of self-attention, and the switch that makes one of two.
/** @type {(shell: Frame) => { root: HTMLElement, update: (state: State) => void, reading: () => string }} */
export function matricesPanel(shell) {
  const hintId = uniqueId("inorder-hint");
  const tied = toggle({ label: "", onInput: (on) => shell.change({ tied: on }) });
  tied.text.replaceChildren("Tie ", variable("W", { sub: "Q" }), " = ", variable("W", { sub: "K" }));
  const gridOf = (/** @type {Weight} */ name, /** @type {string} */ letter, /** @type {string} */ words) => {
    const label = `The matrix of the ${words}, W ${letter}`;
    const equation = [variable("W", { sub: letter })];
    const onEdit = (/** @type {number} */ row, /** @type {number} */ col, /** @type {number} */ value) =>
      edit(name, row, col, value);
    return matrixGrid({ name, label, equation, words, describedBy: hintId, onShow() {}, onLeave() {}, onEdit });
  };
  const grids = {
    w_query: gridOf("w_query", "Q", "queries"),
    w_key: gridOf("w_key", "K", "keys"),
    w_value: gridOf("w_value", "V", "values"),
  };

  let edited = ""; // the entry that the reader changed last, and what it is now
  /** @type {(name: Weight, row: number, col: number, value: number) => void} */
  function edit(name, row, col, value) {
    edited = `${MATRICES[name]}, row ${row}, column ${col}: ${formatNumber(value)}.`;
    const state = shell.state();
    const owner = name === "w_query" && state.tied ? "w_key" : name;
    const line = state[owner][row].map((old, k) => (k === col ? bounded(value, shell.limits[owner]) : old));
    shell.change({ [owner]: replaceAt(state[owner], row, line) });
  }

  const hint = make("p", { class: "inorder-note", id: hintId }, "Drag a number sideways, or press + and −.");
  const all = make("div", { class: "inorder-side" }, ...Object.values(grids).map((grid) => grid.root));
  const root = make("div", {}, all, make("div", { class: "inorder-side" }, tied.root, hint));

  /** @type {(state: State) => void} */
  function update(state) {
    tied.set(state.tied);
    const plain = () => ({ fill: "", ink: "" });
    for (const name of /** @type {Weight[]} */ (Object.keys(grids))) {
      const values = name === "w_query" && state.tied ? state.w_key : state[name];
      grids[name].update({ values, rows: ["0", "1"], columns: ["0", "1"].slice(0, values[0].length), colour: plain });
    }
  }
  return { root, update, reading: () => edited };
}

// The point that was last taken, as sliders; the chosen query and all keys as numbers.
/**
 * @type {(shell: Frame, onMove: (point: Handle, place: number[]) => void) => { root: HTMLElement,
 *   update: (state: State, found: LookUp) => void, select: (point: Handle) => void }}
 */
export function coordinatesPanel(shell, onMove) {
  let selected = /** @type {Handle} */ ({ kind: "k", index: 0 });
  const sliders = ["across", "up"].map((way, axis) => {
    const move = (/** @type {number} */ x) => {
      const place = shell.state()[selected.kind][selected.index];
      onMove(
        selected,
        place.map((old, k) => (k === axis ? bounded(x, shell.limits[selected.kind]) : old)),
      );
    };
    return { way, ...slider({ label: "", low: -3, high: 3, step: 0.05, onInput: move }) };
  });
  const worth = slider({
    label: "",
    low: 0,
    high: 20,
    step: 0.5,
    onInput: (value) => {
      const line = [bounded(value, shell.limits.v)];
      shell.change({ v: replaceAt(shell.state().v, selected.index, line) });
    },
  });
  const numbers = numbersTable("Coordinates of the chosen query and of the keys");
  const root = make(
    "div",
    { class: "inorder-coordinates" },
    ...sliders.map((each) => each.root),
    worth.root,
    numbers.root,
  );

  /** @type {(state: State, found: LookUp) => void} */
  function update(state, { query, key, row }) {
    const handles = handlesOf(state);
    const exists = handles.some(({ kind, index }) => kind === selected.kind && index === selected.index);
    if (!exists) selected = handles.findLast(({ kind, index }) => kind !== "k" && index <= state.chosen) ?? handles[0];
    const tokens = state.tokens.map((token) => shorten(token, 8));
    const name = handleName({ tokens }, selected);
    for (const [axis, { way, rename, set }] of sliders.entries()) {
      rename(`${name}, ${way}`);
      set(state[selected.kind][selected.index][axis]);
    }
    worth.root.classList.toggle("is-hidden", selected.kind !== "k");
    if (selected.kind === "k") {
      worth.rename(`Value of “${tokens[selected.index]}”`);
      worth.set(state.v[selected.index][0]);
    }
    /** @type {(axis: number) => Shown[]} */
    const along = (axis) => [
      ["query", row, axis, query[row][axis]],
      ...key.map((point, j) => /** @type {Shown} */ (["key", j, axis, point[axis]])),
    ];
    numbers.draw(
      [{ name: "query", shape: "◆" }, ...tokens.map((name) => ({ name, shape: "●" }))],
      sliders.map(({ way }, axis) => [way, along(axis)]),
    );
  }

  /** @type {(point: Handle) => void} */
  function select(point) {
    selected = point;
  }
  return { root, update, select };
}
