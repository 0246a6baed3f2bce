// Every number of softmax(QKᵀ/√d)V for three to six tokens, live: one row walks through two lines of matrices.

import { largestMagnitude } from "../kit/arithmetic.js";
import { divergingColour, sequentialColour } from "../kit/colour.js";
import { uniqueId } from "../kit/elements.js";
import { radios, slider, toggle } from "../kit/inputs.js";
import { held } from "../kit/limits.js";
import { figureShell } from "../kit/shell.js";
import { html, nothing, render } from "../kit/vendor/lit.js";
import { formatNumber, shorten } from "../kit/words.js";
import { calculate, explanations, noteOf, summarise } from "./explain.js";
import { matrixGrid } from "./matrix_grid.js";

/** @typedef {import("./explain.js").Editable} Editable */
/** @typedef {import("./explain.js").Name} Name */
/** @typedef {Cell & { name: Name }} Place */
/** @typedef {AttentionCalculatorState} State */

/** @type {Record<Name, [label: string, words: string]>} */
const MATRICES = {
  x: ["Embeddings X", "embeddings"],
  w_query: ["The matrix of the queries, W Q", "learned"],
  w_key: ["The matrix of the keys, W K", "learned"],
  w_value: ["The matrix of the values, W V", "learned"],
  query: ["Queries Q, X times W Q", "queries"],
  key: ["Keys K, X times W K", "keys"],
  value: ["Values V, X times W V", "values"],
  scaled_scores: ["Scores S, Q times K transposed, scaled and masked", "scores"],
  weights: ["Attention weights A, the softmax of each row", "weights"],
  output: ["Output Y, A times V", "output"],
};
const NAMES = /** @type {Name[]} */ (Object.keys(MATRICES));
/** @type {Name[]} */
const EDITABLE = ["x", "w_query", "w_key", "w_value"];
/** @type {Name[]} */
const WALK = ["x", "query", "scaled_scores", "weights", "output"]; // where a token's row is a query's
/** @type {Name[]} */
const BY_KEY = ["scaled_scores", "weights"];
// On a phone, one step at a time: its name, the matrix that it makes, and those to see with it (style.css).
/** @type {[Name, string][]} */
const STEPS = [
  ["query", "Q K V"],
  ["scaled_scores", "S"],
  ["weights", "A"],
  ["output", "Y"],
];

const letter = (/** @type {string} */ text) => html`<var>${text}</var>`;
const weightOf = (/** @type {string} */ text) => html`${letter("W")}<sub>${text}</sub>`;
const productOf = (/** @type {string} */ text) => html`${letter(text)} = ${letter("X")}${weightOf(text)}`;

/** @type {(state: State) => Record<Name, unknown>} */
function equations({ scale, mask, w_query }) {
  const divisor = scale ? ` / √${w_query[0].length}` : "";
  const product = html`${letter("Q")}${letter("K")}<sup>⊤</sup>${divisor}`;
  return {
    x: letter("X"),
    w_query: weightOf("Q"),
    w_key: weightOf("K"),
    w_value: weightOf("V"),
    query: productOf("Q"),
    key: productOf("K"),
    value: productOf("V"),
    scaled_scores: html`${letter("S")} = ${product}${mask === "causal" ? " + mask" : ""}`,
    weights: html`${letter("A")} = softmax(${letter("S")})`,
    output: html`${letter("Y")} = ${letter("A")}${letter("V")}`,
  };
}

/** @type {(all: import("./explain.js").All, name: Name, dark: boolean) => ((value: number) => Tint) | undefined} */
function colourOf(all, name, dark) {
  if (EDITABLE.includes(name)) return undefined;
  if (name === "weights") return (weight) => sequentialColour(weight, dark);
  const compared = BY_KEY.includes(name) ? [all.scores] : [all.query, all.key, all.value];
  const largest = largestMagnitude(...compared);
  return (value) => divergingColour(Number.isFinite(value) ? value / largest : 0, dark);
}

// What limits cannot say: X times each W, and Q times Kᵀ.
/** @type {(state: State) => boolean} */
const agree = ({ x, w_query, w_key, w_value }) =>
  [w_query, w_key, w_value].every((w) => w.length === x[0].length) && w_query[0].length === w_key[0].length;

/** @type {(context: Context<State, { sentences: AttentionCalculatorSentences }>) => () => void} */
function view({ model, el, page }) {
  const shell = figureShell({ model, el, page, agree });
  const { limits, change, stage, state: stateNow } = shell;
  const sentences = model.get("sentences");
  const id = uniqueId("inorder-explain");
  const [rowRadios, stepRadios] = [radios(), radios()];
  let all = calculate(stateNow());
  /** @type {Place} */
  let shown = { name: "weights", row: stateNow().row, column: 0 }; // the cell being explained
  let chosen = shown; // the cell that has, or last had, the focus
  let step = shown.name;
  let isAtCell = false; // whether the focus is at the chosen cell, or in what explains it

  /** @type {(place: Place) => void} */
  function show(place) {
    shown = place;
    redraw();
  }
  /** @type {(place: Place) => void} */
  function choose(place) {
    chosen = shown = place;
    isAtCell = true;
    if (WALK.includes(place.name) && place.row !== stateNow().row) change({ row: place.row });
    else redraw();
  }
  /** @type {(name: Editable, row: number, column: number, value: number) => void} */
  function setEntry(name, row, column, value) {
    const values = stateNow()[name].map((line) => [...line]);
    values[row][column] = held(limits[name], value);
    change({ [name]: values });
  }
  const grids = NAMES.map((name) => {
    const [label, words] = MATRICES[name];
    /** @type {(row: number, column: number, value: number) => void} */
    const onEdit = (row, column, value) => setEntry(/** @type {Editable} */ (name), row, column, value);
    return matrixGrid({
      name,
      label,
      words,
      describedBy: id,
      onShow: (row, column, kind) => (kind === "focus" ? choose : show)({ name, row, column }),
      onLeave: () => show(chosen),
      onEdit: EDITABLE.includes(name) ? onEdit : undefined,
    });
  });

  /** @type {(state: State) => unknown} */
  const controls = ({ tokens, row, scale, mask, w_query }) => html`
    ${rowRadios({
      label: "Row",
      value: String(row),
      options: tokens.map((token, i) => [String(i), shorten(token, 8) || "␣", `The row of “${token}”`]),
      onInput(i) {
        const { name, column } = WALK.includes(chosen.name)
          ? chosen
          : { name: /** @type {Name} */ ("weights"), column: 0 };
        choose({ name, column, row: Number(i) });
      },
    })}
    ${toggle({
      label: `Divide by √${w_query[0].length}`,
      value: scale,
      onInput: (on) => change({ scale: on }),
    })}
    ${toggle({
      label: "Causal mask",
      value: mask === "causal",
      onInput: (on) => change({ mask: on ? "causal" : "none" }),
    })}
    <div class="inorder-steps">${stepRadios({
      label: "Step",
      value: step,
      options: STEPS,
      onInput(name) {
        step = name;
        chosen = { name, row, column: 0 };
        show(chosen);
      },
    })}</div>`;

  // What a number is and how it is made; for a number of the reader's own, a slider.
  /** @type {(state: State, explanation: import("./explain.js").Explanation) => unknown} */
  function explanationArea(state, { what, sum = nothing, name }) {
    const isChosen = shown.name === chosen.name && shown.row === chosen.row && shown.column === chosen.column;
    const entry = /** @type {Editable} */ (shown.name);
    const { row, column } = shown;
    return html`<div class="inorder-explain-area">
      <div class="inorder-explain" id=${id}><p>${what}</p><p class="inorder-sum">${sum}</p></div>
      ${
        name && isChosen && isAtCell
          ? html`<div data-picture="skip">${slider({
              label: name,
              value: state[entry][row][column],
              low: -2,
              high: 2,
              step: 0.1,
              onInput: (value) => setEntry(entry, row, column, value),
            })}</div>`
          : nothing
      }</div>`;
  }

  const fold = shell.fold("The three learned matrices");
  /** @type {(place: Place) => Place} */
  const clamp = ({ name, row, column }) => ({
    name,
    row: Math.min(row, all[name].length - 1),
    column: Math.min(column, all[name][0].length - 1),
  });

  shell.root.addEventListener("focusout", ({ relatedTarget: next }) => {
    if (!isAtCell || (next instanceof Element && next.closest(".inorder-cell, .inorder-explain-area"))) return;
    isAtCell = false;
    redraw();
  });

  const redraw = shell.follow((state, dark) => {
    const { tokens, row } = state;
    all = calculate(state);
    [shown, chosen] = [clamp(shown), clamp(chosen)];
    const explanation = explanations[shown.name](state, all, shown.row, shown.column);
    const formulas = equations(state);
    /** @type {(name: Name) => unknown} */
    function matrix(name) {
      const values = all[name];
      /** @type {import("./matrix_grid.js").Mark[]} */
      const target = shown.name === name ? [{ kind: "target", row: shown.row, column: shown.column }] : [];
      const numbers = values[0].map((_, j) => String(j));
      return grids[NAMES.indexOf(name)]({
        values,
        equation: formulas[name],
        rows: name.startsWith("w_") ? values.map((_, i) => String(i)) : tokens,
        columns: BY_KEY.includes(name) ? tokens : numbers,
        colour: colourOf(all, name, dark),
        marks: [...(explanation.marks ?? []).filter((mark) => mark.in === name), ...target],
        walking: WALK.includes(name) ? row : undefined,
      });
    }
    /** @type {(...names: Name[]) => unknown} */
    function line(...names) {
      const width = names.reduce((sum, name) => sum + all[name][0].length, 0);
      return html`<div class="inorder-line" style="--in-line: ${width}">${names.map(matrix)}</div>`;
    }
    stage.dataset.step = step;
    render(controls(state), shell.controls);
    render(
      html`<div class="inorder-lines">
        ${line("x", "query", "key", "value")}${line("scaled_scores", "weights", "output")}</div>
      <div class="inorder-aside">${explanationArea(state, explanation)}${shell.answerBox}<div class="inorder-folds">${fold}</div></div>`,
      stage,
    );
    render(line("w_query", "w_key", "w_value"), /** @type {HTMLElement} */ (fold.lastElementChild));
    const entry = explanations[chosen.name](state, all, chosen.row, chosen.column).name;
    const reading = entry ? `${entry}: ${formatNumber(all[chosen.name][chosen.row][chosen.column])}.` : "";
    shell.answer(summarise(sentences, state, all), { note: noteOf(sentences, state), reading });
  });
  return shell.close;
}

export default { render: view };
