// The matrices of the head, each a grid of numbers.

import { largestMagnitude } from "../kit/arithmetic.js";
import { divergingColour, sequentialColour } from "../kit/colour.js";
import { variable } from "../kit/elements.js";
import { kept } from "../kit/kept.js";
import { matrixGrid } from "../kit/matrix_grid.js";

const WALK = ["x", "query", "scores", "scaled_scores", "weights", "output"]; // where a token's row is a query's
const BY_KEY = ["scores", "scaled_scores", "weights"];
const SIGNED = { query: "vectors", key: "vectors", value: "vectors", output: "vectors" };

const [X, A, V, S, Y] = ["X", "A", "V", "S", "Y"].map((letter) => () => variable(letter));
const weightOf = (letter) => variable("W", { sub: letter });
const productOf = (letter) => [variable(letter), " = ", X(), weightOf(letter)];

/**
 * onShow(cell, kind), onLeave(), onEdit(name, row, column, value), onType(): as matrixGrid's, with the matrix's name.
 */
export function matrices({ onShow, onLeave, onEdit, onType }) {
  const grids = {};
  function grid(name, label, equation, words, editable = false) {
    const editing = { onEdit: (row, column, value) => onEdit(name, row, column, value), onType };
    const show = (row, column, kind) => onShow({ name, row, column }, kind);
    const events = { onShow: show, onLeave, ...(editable ? editing : {}) };
    grids[name] = matrixGrid({ name, label, equation, words, ...events });
    grids[name].root.dataset.matrix = name;
  }
  grid("x", "Embeddings X", [X()], "embeddings", true);
  grid("w_query", "Weights of the queries, W Q", [weightOf("Q")], "learned", true);
  grid("w_key", "Weights of the keys, W K", [weightOf("K")], "learned", true);
  grid("w_value", "Weights of the values, W V", [weightOf("V")], "learned", true);
  grid("query", "Queries Q, X times W Q", productOf("Q"), "queries");
  grid("key", "Keys K, X times W K", productOf("K"), "keys");
  grid("value", "Values V, X times W V", productOf("V"), "values");
  grid("scores", "Scores S, Q times K transposed", [S(), " = ", variable("Q"), variable("K", { sup: "⊤" })], "scores");
  grid("scaled_scores", "Scores S, scaled and masked", [S()], "scaled");
  grid("weights", "Attention weights A, the softmax of each row", [A()], "weights");
  grid("output", "Output Y, A times V", [Y(), " = ", A(), V()], "output");

  function colours(all, dark) {
    const most = {
      vectors: largestMagnitude(all.query, all.key, all.value),
      scores: largestMagnitude(all.scores),
    };
    return (name) => {
      if (name === "x" || name.startsWith("w_")) return () => ({ fill: "", ink: "" });
      if (name === "weights") return (weight) => sequentialColour(weight, dark);
      const largest = most[SIGNED[name] ?? "scores"];
      return (value) => divergingColour(Number.isFinite(value) ? value / largest : 0, dark);
    };
  }

  let drawn = {};
  function update(state, all, dark) {
    if (all !== drawn.all || dark !== drawn.dark) drawNumbers(state, all, dark);
    drawn = { all, dark };
    for (const name of WALK) {
      grids[name].root.querySelectorAll(".inorder-row").forEach((line, i) => {
        line.classList.toggle("is-walking", i === state.row + 1); // below the head
      });
    }
  }

  function drawNumbers(state, all, dark) {
    const colourOf = colours(all, dark);
    for (const [name, { update: draw }] of Object.entries(grids)) {
      const values = all[name];
      const numbers = values[0].map((_, j) => String(j));
      const rows = name.startsWith("w_") ? values.map((_, i) => String(i)) : state.tokens;
      draw({ values, rows, columns: BY_KEY.includes(name) ? state.tokens : numbers, colour: colourOf(name) });
    }
    writeFormulas(state.scale ? ` / √${state.w_query[0].length}` : "", state.mask === "causal" ? " + mask" : "");
  }

  const writeFormulas = kept((divisor, mask) => {
    const scaled = () => [S(), divisor, mask];
    grids.scaled_scores.formula.replaceChildren(...scaled());
    grids.weights.formula.replaceChildren(A(), " = softmax(", ...scaled(), ")");
  });

  // The cell that is explained, and those that it is made of.
  let marked = []; // the matrices in which they lie
  function mark(shown, marks, explanation) {
    const before = marked;
    marked = [shown.name, ...marks.map((each) => each.in)];
    for (const name of new Set([...before, ...marked])) {
      const { mark: markCells, root } = grids[name];
      const here = shown.name === name ? [{ kind: "target", row: shown.row, column: shown.column }] : [];
      markCells([...marks.filter((each) => each.in === name), ...here]);
      for (const cell of root.querySelectorAll("[aria-describedby]")) cell.removeAttribute("aria-describedby");
      root.querySelector(".is-target")?.setAttribute("aria-describedby", explanation);
    }
  }

  const isWalked = (name) => WALK.includes(name);
  return { grids, update, mark, isWalked };
}
