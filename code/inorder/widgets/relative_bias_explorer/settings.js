// Weights, the text, and what each scheme has of its own: in folds.

import { radios, select, slider, toggle } from "../kit/controls.js";
import { make } from "../kit/elements.js";

const USUAL_DISTANCE = 128; // the slider's end; the box takes more
const WIDTHS = [2, 4, 8, 16, 32, 64, 128];

const texts = (values) => values.map((value) => [String(value), String(value)]);

// `ask(name, value, along)`: the reader wants this value, and these along with it.
export function settings(shell, ask) {
  const { limits } = shell;
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
    options: texts(limits.direction.options),
    onInput: (value) => ask("direction", value),
  });
  const low = limits.max_distance.low;
  const maxDistance = sliding("max_distance", "Max. distance", { high: Math.max(USUAL_DISTANCE, low + 1) });
  const bothSides = toggle({ label: "both sides", onInput: (on) => ask("bidirectional", on) });
  const clip = sliding("clip", "Clipped at");
  const base = sliding("base", "Base", { scale: "log" });
  const pairing = radios({
    label: "Pairs",
    options: texts(limits.pairing.options),
    onInput: (value) => ask("pairing", value),
  });
  const widths = [...new Set([...WIDTHS, shell.state().d_model])].sort((a, b) => a - b);
  const columns = select({
    label: "Columns",
    options: texts(widths),
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
  let shown = "";

  function update(state) {
    if (shown !== state.scheme) {
      shown = state.scheme;
      scheme.replaceChildren(...own[shown]);
    }
    asWeights.set(state.as_weights);
    n.set(state.n);
    query.limit({ low: 0, high: state.n - 1 });
    query.set(state.query);
    heads.set(state.n_heads);
    direction.set(state.direction);
    direction.inputs.at(-1).disabled = state.n_heads % 2 === 1; // "split" takes half of them each way
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
