// Weights, the text, and what each scheme has of its own: in folds.

import { radios, select, slider, toggle } from "../kit/controls.js";
import { make } from "../kit/elements.js";

/** @typedef {"n" | "query" | "n_heads" | "max_distance" | "clip" | "base" | "sharpness"} Limited */

/** @typedef {RelativeBiasExplorerState} State */

const USUAL_DISTANCE = 128; // the slider's end; the box takes more
const WIDTHS = [2, 4, 8, 16, 32, 64, 128];

/** @type {<Value extends string>(values: Value[]) => [Value, string][]} */
const texts = (values) => values.map((value) => [value, value]);

// `ask(name, value, along)`: the reader wants this value, and these along with it.
/**
 * @type {(shell: Shell<State, import("./view.js").Sent>, ask: <Name extends keyof State>(name: Name,
 *   value: State[Name], along?: Partial<State>) => void) => { update: (state: State) => void }}
 */
export function settings(shell, ask) {
  const { limits } = shell;
  /** @type {(name: Limited, label: string, more?: { along?: (value: number) => Partial<RelativeBiasExplorerState>, high?: number, step?: number, scale?: "linear" | "log" }) => ReturnType<typeof slider>} */
  const sliding = (name, label, { along = () => ({}), ...more } = {}) =>
    slider({ label, ...limits[name], step: 1, ...more, onInput: (value) => ask(name, value, along(value)) });

  const asWeights = toggle({ label: "As weights", onInput: (on) => ask("as_weights", on) });
  const meaning = "The softmax of these numbers over the keys of the text, as if the rest of each score were 0.";
  shell.fold("As weights", make("div", { class: "inorder-settings" }, asWeights.root, meaning));

  const n = sliding("n", "Tokens", {
    along: (count) => {
      const { query, key } = shell.state();
      return { query: Math.min(query, count - 1), key: Math.min(key, count - 1) };
    },
  });
  const query = sliding("query", "Query at", { high: limits.n.high - 1 });
  const heads = sliding("n_heads", "Heads", { along: (count) => ({ head: Math.min(shell.state().head, count - 1) }) });
  const text = make("div", { class: "inorder-settings" }, n.root, query.root, heads.root);

  const direction = radios({
    label: "Direction",
    options: texts(/** @type {Direction[]} */ (limits.direction.options)),
    onInput: (value) => ask("direction", value),
  });
  const low = limits.max_distance.low;
  const maxDistance = sliding("max_distance", "Max. distance", { high: Math.max(USUAL_DISTANCE, low + 1) });
  const bothSides = toggle({ label: "both sides", onInput: (on) => ask("bidirectional", on) });
  const clip = sliding("clip", "Clipped at");
  const base = sliding("base", "Base", { scale: "log" });
  const pairing = radios({
    label: "Pairs",
    options: texts(/** @type {RelativeBiasExplorerState["pairing"][]} */ (limits.pairing.options)),
    onInput: (value) => ask("pairing", value),
  });
  const widths = [...new Set([...WIDTHS, shell.state().d_model])].sort((a, b) => a - b);
  const columns = select({
    label: "Columns",
    options: texts(widths.map(String)),
    onInput: (value) => ask("d_model", Number(value)),
  });
  columns.input.setAttribute("aria-label", "Columns"); // else its options would be part of its name
  const sharpness = sliding("sharpness", "Sharpness β", { high: 5, step: 0.1 });
  const own = {
    alibi: [direction.root],
    t5: [maxDistance.root, bothSides.root],
    shaw: [clip.root],
    rotary: [base.root, pairing.root],
    sinusoidal: [base.root, columns.root, sharpness.root],
  };
  const scheme = make("div", { class: "inorder-settings" });
  shell.fold("Length, query, settings of the scheme", text, scheme);
  let drawn = "";

  /** @type {(state: State) => void} */
  function update(state) {
    if (drawn !== state.scheme) {
      drawn = state.scheme;
      scheme.replaceChildren(...own[state.scheme]);
    }
    asWeights.set(state.as_weights);
    n.set(state.n);
    query.limit({ low: 0, high: state.n - 1 });
    query.set(state.query);
    heads.set(state.n_heads);
    direction.set(state.direction);
    direction.inputs[direction.inputs.length - 1].disabled = state.n_heads % 2 === 1; // "split" takes half of them each way
    maxDistance.set(state.max_distance);
    bothSides.set(state.bidirectional);
    clip.set(state.clip);
    base.set(state.base);
    pairing.set(state.pairing);
    columns.set(String(state.d_model));
    sharpness.set(state.sharpness);
  }
  return { update };
}
