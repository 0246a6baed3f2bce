// What is there on demand: inputs, match, the three matrices, coordinates.

import { radios, slider, toggle } from "../kit/controls.js";
import { make, uniqueId, variable } from "../kit/elements.js";
import { matrixGrid } from "../kit/matrix_grid.js";
import { formatNumber, shorten } from "../kit/words.js";
import { handleName, handlesOf, showNumber } from "./look_up.js";

const bounded = (x, { low, high }) => Math.min(Math.max(x, low), high);
export const replaceAt = (matrix, row, line) => matrix.map((old, i) => (i === row ? line : old));

// A table whose columns are keys, that may scroll sideways.
//   heads: { name, shape } of each column, where the shape is that in the plane, if it has one there
//   rows: [name, numbers], each number as showNumber takes it after the node
function numbersTable(label) {
  const table = make("table", {});
  const root = make("div", { class: "inorder-numbers", tabindex: 0, role: "region", "aria-label": label }, table);
  let [shown, cells] = ["", []];

  function build(heads, names) {
    cells = names.map(() => heads.map(() => make("td", {})));
    const head = ({ name, shape }) => {
      const mark = shape ? [make("span", { "aria-hidden": "true" }, `${shape} `)] : [];
      return make("th", { scope: "col" }, ...mark, name);
    };
    const line = (name, i) => make("tr", {}, make("th", { scope: "row" }, name), ...cells[i]);
    table.replaceChildren(
      make("thead", {}, make("tr", {}, make("td", {}), ...heads.map(head))),
      make("tbody", {}, ...names.map(line)),
    );
  }

  function draw(heads, rows) {
    const names = rows.map(([name]) => name);
    const asked = JSON.stringify([heads, names]);
    if (asked !== shown) build(heads, names);
    shown = asked;
    rows.forEach(([, numbers], i) => {
      numbers.forEach((number, j) => showNumber(cells[i][j], ...number));
    });
  }
  return { root, draw };
}

export function matchPanel(shell, labels) {
  const matching = radios({
    label: "Match by",
    options: Object.entries(labels),
    onInput: (value) => shell.change({ matching: value }),
  });
  const scores = numbersTable("The scores");
  const root = make("div", { class: "inorder-side" }, matching.root, scores.root);

  function update(state, { scores: all, row }) {
    matching.set(state.matching);
    const numbers = all[row].map((score, j) => ["scores", row, j, score]);
    const heads = state.tokens.map((token) => ({ name: shorten(token, 8) }));
    scores.draw(heads, [[state.matching === "dot" ? "q · k" : "−‖q − k‖²/2", numbers]]);
  }
  return { root, update };
}

// W_Q, W_K, W_V of self-attention, and the switch that makes one of two.
export function matricesPanel(shell) {
  const hintId = uniqueId("inorder-hint");
  const tied = toggle({ label: "", onInput: (on) => shell.change({ tied: on }) });
  tied.text.replaceChildren("Tie ", variable("W", { sub: "Q" }), " = ", variable("W", { sub: "K" }));
  const grids = Object.fromEntries(
    [
      ["w_query", "Q", "queries"],
      ["w_key", "K", "keys"],
      ["w_value", "V", "values"],
    ].map(([name, letter, words]) => {
      const options = {
        name,
        label: `Weights of the ${words}, W ${letter}`,
        equation: [variable("W", { sub: letter })],
        words,
      };
      const onEdit = (row, col, value) => edit(name, row, col, value);
      return [name, matrixGrid({ ...options, describedBy: hintId, onShow() {}, onLeave() {}, onEdit })];
    }),
  );

  let edited = ""; // the entry that the reader changed last, and what it is now
  function edit(name, row, col, value) {
    edited = `${name.replace("w_", "Weight of the ")}, row ${row}, column ${col}: ${formatNumber(value)}.`;
    const state = shell.state();
    const owner = name === "w_query" && state.tied ? "w_key" : name;
    const line = state[owner][row].map((old, k) => (k === col ? bounded(value, shell.limits[owner]) : old));
    shell.change({ [owner]: replaceAt(state[owner], row, line) });
  }

  const hint = make("p", { class: "inorder-note", id: hintId }, "Drag a number sideways, or press + and −.");
  const all = make("div", { class: "inorder-side" }, ...Object.values(grids).map((grid) => grid.root));
  const root = make("div", {}, all, make("div", { class: "inorder-side" }, tied.root, hint));

  function update(state) {
    tied.set(state.tied);
    const plain = () => ({ fill: "", ink: "" });
    for (const [name, grid] of Object.entries(grids)) {
      const values = name === "w_query" && state.tied ? state.w_key : state[name];
      grid.update({ values, rows: ["0", "1"], columns: ["0", "1"].slice(0, values[0].length), colour: plain });
    }
  }
  return { root, update, reading: () => edited };
}

// The point that was last taken, as sliders; the chosen query and all keys as numbers.
export function coordinatesPanel(shell, onMove) {
  let selected = null;
  const sliders = ["across", "up"].map((way, axis) => {
    const move = (x) => {
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

  function update(state, { query, key, row }) {
    const handles = handlesOf(state);
    const exists = handles.some(({ kind, index }) => kind === selected?.kind && index === selected.index);
    if (!exists) selected = handles.findLast(({ kind, index }) => kind !== "k" && index <= state.chosen);
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
    const along = (axis) => [
      ["query", row, axis, query[row][axis]],
      ...key.map((point, j) => ["key", j, axis, point[axis]]),
    ];
    numbers.draw(
      [{ name: "query", shape: "◆" }, ...tokens.map((name) => ({ name, shape: "●" }))],
      sliders.map(({ way }, axis) => [way, along(axis)]),
    );
  }

  function select(point) {
    selected = point;
  }
  return { root, update, select };
}
