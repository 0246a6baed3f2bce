// Attention as a soft dictionary: queries and keys are points in the plane, values are numbers.

import { radios } from "../kit/controls.js";
import { make, setAttributes, write } from "../kit/elements.js";
import { figureShell } from "../kit/shell.js";
import { formatNumber, shorten } from "../kit/words.js";
import { lookUp, noteOf, queryName, summarise } from "./look_up.js";
import { coordinatesPanel, matchPanel, matricesPanel, replaceAt } from "./panels.js";
import { plane } from "./plane.js";
import { shares } from "./shares.js";
import { sharpnessControl } from "./sharpness.js";

/** @typedef {import("./look_up.js").Handle} Handle */

/** @typedef {import("./look_up.js").Sentences} Sentences */

/** @typedef {{ labels: import("./look_up.js").Labels, sentences: Sentences }} Sent */

// The choice of a query, and what each gets.
/**
 * @type {(sentences: Sentences, onChoose: (index: number) => void) => { root: HTMLElement,
 *   update: (state: SoftLookupState, found: ReturnType<typeof lookUp>) => void }}
 */
function queryPicker(sentences, onChoose) {
  const root = make("div", { class: "inorder-queries" });
  /** @type {ReturnType<typeof radios> | null} */
  let choice = null;
  /** @type {{ name: Text, gets: HTMLElement }[]} */
  let texts = []; // of each query: its name, and what it gets

  /** @type {(state: SoftLookupState, found: ReturnType<typeof lookUp>) => void} */
  function update(state, { output, row }) {
    if (!choice || choice.inputs.length !== output.length) {
      /** @type {[string, string][]} */
      const options = output.map((_, i) => [String(i), ""]);
      choice = radios({ label: "Query", options, onInput: (value) => onChoose(Number(value)) });
      root.replaceChildren(choice.root);
      texts = choice.inputs.map(({ nextSibling }) => {
        const [name, gets] = [new Text(), make("data", { class: "inorder-gets" })];
        /** @type {Element} */ (nextSibling).replaceChildren(name, gets);
        return { name, gets };
      });
    }
    choice.inputs.forEach((input, i) => {
      const gets = formatNumber(output[i][0]);
      const name = state.attention === "self" ? shorten(state.tokens[i], 8) : String(i);
      input.setAttribute("aria-label", `${queryName(sentences, state, i)} gets ${gets}`);
      if (texts[i].name.data !== name) texts[i].name.data = name;
      write(texts[i].gets, ` → ${gets}`);
      setAttributes(texts[i].gets, { value: output[i][0] });
    });
    choice.set(String(row));
    root.classList.toggle("is-self", state.attention === "self");
  }
  return { root, update };
}

/** @type {(context: Context<SoftLookupState, Sent>) => () => void} */
function render({ model, el, page }) {
  const shell = figureShell({ model, el, page });
  const [labels, sentences] = [model.get("labels"), model.get("sentences")];
  const move = (/** @type {Handle} */ { kind, index }, /** @type {number[]} */ place) =>
    shell.change({ [kind]: replaceAt(shell.state()[kind], index, place) });

  const sharpness = sharpnessControl({ ...shell.limits.sharpness, onInput: (parts) => shell.change(parts) });
  const chooseQuery = (/** @type {number} */ index) =>
    choose({ kind: shell.state().attention === "self" ? "x" : "q", index });
  const queries = queryPicker(sentences, chooseQuery);
  shell.controls.append(sharpness.root, queries.root);

  const field = plane({ limits: shell.limits.q, sentences, onMove: move, onChoose: choose });
  const sums = shares();
  const inputs = radios({
    label: "Inputs",
    options: /** @type {[SoftLookupState["attention"], string][]} */ (Object.entries(labels.attention)),
    onInput: (value) => shell.change({ attention: value }),
  });
  const match = matchPanel(shell, labels.matching);
  const matrices = matricesPanel(shell);
  const coordinates = coordinatesPanel(shell, move);
  const matricesFold = shell.fold("The three matrices", matrices.root);
  const folds = [
    shell.fold("Two inputs (cross-attention) or one (self-attention)", inputs.root),
    matricesFold,
    shell.fold("Match and scores", match.root),
    shell.fold("Coordinates and values", coordinates.root),
  ];
  shell.stage.append(
    field.root,
    make(
      "div",
      { class: "inorder-found" },
      sums.root,
      shell.answerBox,
      make("div", { class: "inorder-folds" }, ...folds),
    ),
  );

  /** @type {(point: Handle) => void} */
  function choose(point) {
    coordinates.select(point);
    if (point.kind !== "k" && point.index !== shell.state().chosen) shell.change({ chosen: point.index });
    else redraw();
  }

  const redraw = shell.follow((state) => {
    const all = lookUp(state);
    sharpness.update(state);
    for (const part of [queries, field, sums, match, matrices, coordinates]) part.update(state, all);
    inputs.set(state.attention);
    matricesFold.hidden = state.attention === "cross";
    const note = noteOf(sentences, state, labels);
    shell.answer(summarise(sentences, state, all), { note, reading: matrices.reading() });
  });
  return shell.close;
}

export default { render };
