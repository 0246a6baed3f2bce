// The matrices of the head, each a grid of numbers.

import { largestMagnitude } from "../kit/arithmetic.js";
import { divergingColour, sequentialColour } from "../kit/colour.js";
import { variable } from "../kit/elements.js";
import { kept } from "../kit/kept.js";
import { matrixGrid } from "../kit/matrix_grid.js";

/** @typedef {Cell & { name: Name }} Place */

/** @typedef {import("./explain.js").Editable} Editable */

/** @typedef {import("./explain.js").Name} Name */

/** @typedef {import("./explain.js").All} All */

/** @typedef {AttentionCalculatorState} State */

/** @type {Name[]} */
const WALK = ["x", "query", "scores", "scaled_scores", "weights", "output"]; // where a token's row is a query's
/** @type {Name[]} */
const BY_KEY = ["scores", "scaled_scores", "weights"];
/** @type {Partial<Record<Name, "vectors">>} */
const SIGNED = { query: "vectors", key: "vectors", value: "vectors", output: "vectors" };

const [X, A, V, S, Y] = ["X", "A", "V", "S", "Y"].map((letter) => () => variable(letter));
/** @type {(letter: string) => HTMLElement} */
const weightOf = (letter) => variable("W", { sub: letter });
/** @type {(letter: string) => (Node | string)[]} */
const productOf = (letter) => [variable(letter), " = ", X(), weightOf(letter)];

/**
 * As matrixGrid's, with the matrix's name.
 * @param {{ onShow: (cell: Place, kind: "focus" | "hover") => void, onLeave: () => void, onType: () => void,
 *   onEdit: (name: Editable, row: number, column: number, value: number) => void }} options
 */
export function matrices({ onShow, onLeave, onEdit, onType }) {
  const grids = /** @type {Record<Name, ReturnType<typeof matrixGrid>>} */ ({});
  /** @type {(name: Name, label: string, equation: (Node | string)[], words: string, editable?: boolean) => void} */
  function grid(name, label, equation, words, editable = false) {
    /** @type {(row: number, column: number, value: number) => void} */
    const edit = (row, column, value) => onEdit(/** @type {Editable} */ (name), row, column, value);
    const editing = { onEdit: edit, onType };
    /** @type {(row: number, column: number, kind: "focus" | "hover") => void} */
    const show = (row, column, kind) => onShow({ name, row, column }, kind);
    const events = { onShow: show, onLeave, ...(editable ? editing : {}) };
    grids[name] = matrixGrid({ name, label, equation, words, ...events });
    grids[name].root.dataset.matrix = name;
  }
  grid("x", "Embeddings X", [X()], "embeddings", true);
  grid("w_query", "The matrix of the queries, W Q", [weightOf("Q")], "learned", true);
  grid("w_key", "The matrix of the keys, W K", [weightOf("K")], "learned", true);
  grid("w_value", "The matrix of the values, W V", [weightOf("V")], "learned", true);
  grid("query", "Queries Q, X times W Q", productOf("Q"), "queries");
  grid("key", "Keys K, X times W K", productOf("K"), "keys");
  grid("value", "Values V, X times W V", productOf("V"), "values");
  grid("scores", "Scores S, Q times K transposed", [S(), " = ", variable("Q"), variable("K", { sup: "⊤" })], "scores");
  grid("scaled_scores", "Scores S, scaled and masked", [S()], "scaled");
  grid("weights", "Attention weights A, the softmax of each row", [A()], "weights");
  grid("output", "Output Y, A times V", [Y(), " = ", A(), V()], "output");

  /** @type {(all: All, dark: boolean) => (name: Name) => (value: number) => Tint} */
  function colours(all, dark) {
    const most = {
      vectors: largestMagnitude(all.query, all.key, all.value),
      scores: largestMagnitude(all.scores),
    };
    return (name) => {
      if (name === "x" || name.startsWith("w_")) return () => ({ fill: "", ink: "" });
      if (name === "weights") return (/** @type {number} */ weight) => sequentialColour(weight, dark);
      const largest = most[SIGNED[name] ?? "scores"];
      return (/** @type {number} */ value) => divergingColour(Number.isFinite(value) ? value / largest : 0, dark);
    };
  }

  /** @type {{ all?: All, dark?: boolean }} */
  let drawn = {};
  /** @type {(state: State, all: All, dark: boolean) => void} */
  function update(state, all, dark) {
    if (all !== drawn.all || dark !== drawn.dark) drawNumbers(state, all, dark);
    drawn = { all, dark };
    for (const name of WALK) {
      grids[name].root.querySelectorAll(".inorder-row").forEach((line, i) => {
        line.classList.toggle("is-walking", i === state.row + 1); // below the head
      });
    }
  }

  /** @type {(state: State, all: All, dark: boolean) => void} */
  function drawNumbers(state, all, dark) {
    const colourOf = colours(all, dark);
    for (const name of /** @type {Name[]} */ (Object.keys(grids))) {
      const values = all[name];
      const numbers = values[0].map((_, j) => String(j));
      const rows = name.startsWith("w_") ? values.map((_, i) => String(i)) : state.tokens;
      grids[name].update({
        values,
        rows,
        columns: BY_KEY.includes(name) ? state.tokens : numbers,
        colour: colourOf(name),
      });
    }
    writeFormulas(state.scale ? ` / √${state.w_query[0].length}` : "", state.mask === "causal" ? " + mask" : "");
  }

  const writeFormulas = kept((/** @type {string} */ divisor, /** @type {string} */ mask) => {
    const scaled = () => [S(), divisor, mask];
    grids.scaled_scores.formula.replaceChildren(...scaled());
    grids.weights.formula.replaceChildren(A(), " = softmax(", ...scaled(), ")");
  });

  // The cell that is explained, and those that it is made of.
  /** @type {Name[]} */
  let marked = []; // the matrices in which they lie
  /**
   * @type {(shown: Place, marks: (import("../kit/matrix_grid.js").Mark & { in: Name })[], explanation: string) =>
   *   void}
   */
  function mark(shown, marks, explanation) {
    const before = marked;
    marked = [shown.name, ...marks.map((each) => each.in)];
    for (const name of new Set([...before, ...marked])) {
      const { mark: markCells, root } = grids[name];
      /** @type {import("../kit/matrix_grid.js").Mark[]} */
      const here = shown.name === name ? [{ kind: "target", row: shown.row, column: shown.column }] : [];
      markCells([...marks.filter((each) => each.in === name), ...here]);
      for (const cell of root.querySelectorAll("[aria-describedby]")) cell.removeAttribute("aria-describedby");
      root.querySelector(".is-target")?.setAttribute("aria-describedby", explanation);
    }
  }

  /** @type {(name: Name) => boolean} */
  const isWalked = (name) => WALK.includes(name);
  return { grids, update, mark, isWalked };
}
