// Attention as a soft dictionary: queries and keys are points in the plane, values are numbers.

import { make, uniqueId, variable } from "../kit/elements.js";
import { numberBox, numbersTable, radios, slider, toggle } from "../kit/inputs.js";
import { matrixGrid } from "../kit/matrix_grid.js";
import { figureShell } from "../kit/shell.js";
import { html, live, nothing, render } from "../kit/vendor/lit.js";
import { equalsOrNearly, formatNumber, shorten, tidy } from "../kit/words.js";
import { answerOf, brief, handleName, handlesOf, lookUp, queryName } from "./look_up.js";
import { plane } from "./plane.js";

/** @typedef {import("./look_up.js").Handle} Handle */
/** @typedef {SoftLookupState} State */
/** @typedef {{ labels: import("./look_up.js").Labels, sentences: SoftLookupSentences }} Sent */
/** @typedef {"w_query" | "w_key" | "w_value"} Weight */

// β, from a uniform average to the hard look-up: a slider whose last stop is infinity; the one before it is β = 20.
const HARD_STOP = 100;
const GROWTH = Math.log(201) / (HARD_STOP - 1);
/** @type {(stop: number) => Partial<State>} */
const sharpnessAt = (stop) =>
  stop === HARD_STOP ? { hard: true } : { hard: false, sharpness: tidy(Math.expm1(GROWTH * stop) / 10) };
/** @type {(state: State) => number} */
const stopOf = ({ hard, sharpness }) =>
  hard ? HARD_STOP : Math.min(Math.round(Math.log1p(10 * sharpness) / GROWTH), HARD_STOP - 1);

const WEIGHTS = /** @type {[Weight, string, string][]} */ ([
  ["w_query", "Q", "queries"],
  ["w_key", "K", "keys"],
  ["w_value", "V", "values"],
]);

/** @type {(x: number, limit: Ends) => number} */
const bounded = (x, { low, high }) => Math.min(Math.max(x, low), high);
// A number of the figure, in full for a reader who asks the page.
/** @type {(name: string, row: number, col: number, value: number, text?: string) => unknown} */
const cell = (name, row, col, value, text = formatNumber(value)) =>
  html`<td data-name=${name} data-row=${row} data-col=${col} data-value=${value}>${text}</td>`;

/** @type {(state: State, found: import("./look_up.js").LookUp) => unknown} what the chosen query takes from each key */
const shares = ({ tokens }, { value, weights, output, row }) => html`<div class="inorder-shares"><table>
  <caption class="inorder-unseen">The shares of the chosen query</caption>
  <thead><tr>${["key", "weight", "value"].map((words) => html`<th scope="col">${words}</th>`)}</tr></thead>
  <tbody>${tokens.map((token, j) => {
    const [weight, [worth]] = [weights[row][j], value[j]];
    const text = Number.isInteger(worth) ? brief(worth) : formatNumber(worth);
    return html`<tr>
      <th scope="row"><span class="inorder-key"><span aria-hidden="true">●</span> <span>${token || "␣"}</span></span></th>
      <td class="inorder-share"><span class="inorder-bar" style="--share: ${weight}"></span><span data-name="weights"
        data-row=${row} data-col=${j} data-value=${weight}>${formatNumber(weight)}</span></td>
      <td><span class="inorder-value"><span aria-hidden="true">■</span> <span data-name="value" data-row=${j} data-col="0"
        data-value=${worth}>${text}</span></span></td></tr>`;
  })}</tbody></table>
  <p class="inorder-sum">${value
    .map(([v], j) => `${formatNumber(weights[row][j])} × ${v < 0 ? `(${brief(v)})` : brief(v)}`)
    .join(" + ")} ${equalsOrNearly(output[row][0])} <strong>${formatNumber(output[row][0])}</strong></p></div>`;

/** @type {(context: Context<State, Sent>) => () => void} */
function view({ model, el, page }) {
  const shell = figureShell({ model, el, page });
  const { limits, change } = shell;
  const [labels, sentences] = [model.get("labels"), model.get("sentences")];
  const [queries, inputs, matching] = [radios(), radios(), radios()];
  const [id, hintId] = [uniqueId("inorder-sharpness"), uniqueId("inorder-hint")];
  let selected = /** @type {Handle} */ ({ kind: "k", index: 0 }); // the point that was last taken
  let edited = ""; // the entry that the reader changed last, and what it is now

  /** @type {(name: "q" | "k" | "v" | "x" | Weight, row: number, line: number[]) => void} */
  const setRow = (name, row, line) => change({ [name]: shell.state()[name].map((old, i) => (i === row ? line : old)) });
  const onMove = (/** @type {Handle} */ { kind, index }, /** @type {number[]} */ place) => setRow(kind, index, place);
  /** @type {(point: Handle) => void} */
  function onChoose(point) {
    selected = point;
    if (point.kind !== "k" && point.index !== shell.state().chosen) change({ chosen: point.index });
    else redraw();
  }
  const field = plane({ limits: limits.q, sentences, onMove, onChoose, redraw: () => redraw() });

  const grids = WEIGHTS.map(([name, letter, words], i) =>
    matrixGrid({
      name,
      words,
      label: `The matrix of the ${words}, W ${letter}`,
      describedBy: hintId,
      onEdit(row, col, value) {
        edited = `W_${letter}, row ${row}, column ${col}: ${formatNumber(value)}.`;
        const owner = i === 0 && shell.state().tied ? "w_key" : name;
        setRow(
          owner,
          row,
          shell.state()[owner][row].map((old, k) => (k === col ? bounded(value, limits[owner]) : old)),
        );
      },
    }),
  );
  const folds = [
    ...["Two inputs (cross-attention) or one (self-attention)", "The three matrices"],
    ...["Match and scores", "Coordinates and values"],
  ].map((label) => shell.fold(label));

  /** @type {(state: State, found: import("./look_up.js").LookUp) => unknown} */
  const controls = (state, { output, row }) => html`
    <div class="inorder-slider inorder-sharpness">
      <span class="inorder-slider-name" id=${id} aria-hidden="true">Sharpness β</span>
      <span class="inorder-track">
        <input type="range" min="0" max=${HARD_STOP} step="1" style="--at: ${stopOf(state)}%" aria-labelledby=${id} .value=${live(String(stopOf(state)))}
          aria-valuetext=${state.hard ? "hard look-up" : formatNumber(state.sharpness)}
          @input=${(/** @type {{ target: HTMLInputElement }} */ { target }) => change(sharpnessAt(target.valueAsNumber))}>
        <span class="inorder-ends" aria-hidden="true"><span>0: uniform</span><span>∞: hard</span></span>
      </span>
      ${numberBox({
        ...{ label: "Sharpness β, as a number", value: state.sharpness, ...limits.sharpness },
        ...(state.hard ? { shown: "", hint: "∞" } : {}),
        onInput: (sharpness) => change({ hard: false, sharpness }),
      })}
    </div>
    <div class="inorder-queries ${state.attention === "self" ? "is-self" : ""}">${queries({
      ...{ label: "Query", value: String(row) },
      options: output.map(([gets], i) => [
        String(i),
        html`${state.attention === "self" ? shorten(state.tokens[i], 8) : i}<data class="inorder-gets" value=${gets}>${` → ${formatNumber(gets)}`}</data>`,
        `${queryName(sentences, state, i)} gets ${formatNumber(gets)}`,
      ]),
      onInput: (i) => onChoose({ kind: state.attention === "self" ? "x" : "q", index: Number(i) }),
    })}</div>`;

  /** @type {(state: State, found: import("./look_up.js").LookUp) => unknown} */
  const match = (state, { scores, row }) => html`<div class="inorder-side">
    ${matching({
      ...{
        label: "Match by",
        value: state.matching,
        options: /** @type {[State["matching"], string][]} */ (Object.entries(labels.matching)),
      },
      onInput: (value) => change({ matching: value }),
    })}
    ${numbersTable(
      "The scores",
      state.tokens.map((token) => shorten(token, 8)),
      [
        [
          state.matching === "dot" ? "q · k" : "−‖q − k‖²/2",
          scores[row].map((score, j) => cell("scores", row, j, score)),
        ],
      ],
    )}</div>`;

  // The point that was last taken, as sliders; the chosen query and all keys as numbers.
  /** @type {(state: State, found: import("./look_up.js").LookUp) => unknown} */
  function coordinates(state, { query, key, row }) {
    const handles = handlesOf(state);
    const exists = handles.some(({ kind, index }) => kind === selected.kind && index === selected.index);
    if (!exists) selected = handles.findLast(({ kind, index }) => kind !== "k" && index <= state.chosen) ?? handles[0];
    const { kind, index } = selected;
    const tokens = state.tokens.map((token) => shorten(token, 8));
    const ways = ["across", "up"];
    return html`<div class="inorder-coordinates">
      ${ways.map((way, axis) =>
        slider({
          ...{ label: `${handleName(tokens, selected)}, ${way}`, value: state[kind][index][axis] },
          ...{ low: -3, high: 3, step: 0.05 },
          onInput: (x) =>
            onMove(
              selected,
              state[kind][index].map((old, k) => (k === axis ? bounded(x, limits[kind]) : old)),
            ),
        }),
      )}
      ${
        kind === "k"
          ? slider({
              ...{ label: `Value of “${tokens[index]}”`, value: state.v[index][0], low: 0, high: 20, step: 0.5 },
              onInput: (x) => setRow("v", index, [bounded(x, limits.v)]),
            })
          : nothing
      }
      ${numbersTable(
        "Coordinates of the chosen query and of the keys",
        [["◆", "query"], ...tokens.map((token) => ["●", token])].map(
          ([shape, name]) => html`<span aria-hidden="true">${shape} </span>${name}`,
        ),
        ways.map((way, axis) => [
          way,
          [cell("query", row, axis, query[row][axis]), ...key.map((point, j) => cell("key", j, axis, point[axis]))],
        ]),
      )}</div>`;
  }

  /** @type {(state: State) => unknown} */
  const matrices = (state) => html`<div><div class="inorder-side">${grids.map((grid, i) => {
    const values = i === 0 && state.tied ? state.w_key : state[WEIGHTS[i][0]];
    const equation = variable("W", { sub: WEIGHTS[i][1] });
    return grid({ values, equation, rows: ["0", "1"], columns: ["0", "1"].slice(0, values[0].length) });
  })}</div>
    <div class="inorder-side">${toggle({
      ...{ label: html`Tie ${variable("W", { sub: "Q" })} = ${variable("W", { sub: "K" })}`, value: state.tied },
      onInput: (tied) => change({ tied }),
    })}<p class="inorder-note" id=${hintId}>Drag a number sideways, or press + and −.</p></div></div>`;

  const found = make("div", { class: "inorder-found" });
  const redraw = shell.follow((state) => {
    const all = lookUp(state);
    folds[1].hidden = state.attention === "cross";
    render(controls(state, all), shell.controls);
    render(html`${field(state, all)}${found}`, shell.stage);
    render(html`${shares(state, all)}${shell.answerBox}<div class="inorder-folds">${folds}</div>`, found);
    const twoInputs = inputs({
      ...{
        label: "Inputs",
        value: state.attention,
        options: /** @type {[State["attention"], string][]} */ (Object.entries(labels.attention)),
      },
      onInput: (attention) => change({ attention }),
    });
    [twoInputs, matrices(state), match(state, all), coordinates(state, all)].forEach((content, i) => {
      render(content, /** @type {HTMLElement} */ (folds[i].lastElementChild));
    });
    const { text, note } = answerOf(sentences, state, all, labels);
    shell.answer(text, { note, reading: edited });
  });
  return shell.close;
}

export default { render: view };
