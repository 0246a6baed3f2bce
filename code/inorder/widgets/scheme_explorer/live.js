// What each position scheme can do: accuracy while learning, and at lengths never trained on.

import { radios, select, toggle } from "../kit/inputs.js";
import { kept } from "../kit/kept.js";
import { LIVE } from "../kit/marks.js";
import { axis, bars, plane, shade } from "../kit/pictures.js";
import { html } from "../kit/vendor/lit.js";
import { fill, formatNumber, listed } from "../kit/words.js";

/** @typedef {SchemeExplorerState} State */
/** @typedef {{ x: number[], mean: number[], low: number[], high: number[] }} Spread */
/** @typedef {{ label: string, seeds: number, curve: Spread, test: Spread }} Scheme by steps, and by length */
/** @typedef {{ lengths: number[], floor: number[], ceiling: number[], training: [number, number] | null, schemes: Record<string, Scheme> }} Task */
/** @typedef {Record<string, Task>} Data */

const TIE = 0.005;

/** @type {(schemes: Scheme[], part: "curve" | "test") => Parameters<typeof plane>[0]} */
const curves = (schemes, part) =>
  schemes.flatMap(({ label, [part]: { x, mean, low, high } }) =>
    x.length ? [{ x, y: { [label]: mean }, bands: { [label]: [low, high] } }] : [],
  );

// Both by their names; one curve if they are the same.
/** @type {<Bound>(floor: Bound, ceiling: Bound) => Record<string, Bound>} */
const bounds = (floor, ceiling) =>
  String(floor) === String(ceiling) ? { "floor and ceiling": floor } : { floor, ceiling };

// How many seeds, and from where to where they reach at that length.
/** @type {(scheme: Scheme, length: number) => string} */
function rangeOf({ seeds, test: { x, low, high } }, length) {
  const at = x.indexOf(length);
  if (at < 0) return "not tested";
  return seeds === 1 ? "1 seed" : `${formatNumber(low[at])} to ${formatNumber(high[at])}`;
}

/** @type {(known: { label: string, accuracy: number }[], length: number, sentences: SchemeExplorerSentences) => string} */
function answerOf(known, length, sentences) {
  if (!known.length) return fill(sentences.untested, { length });
  const best = Math.max(...known.map(({ accuracy }) => accuracy));
  const labels = known.filter(({ accuracy }) => accuracy > best - TIE).map(({ label }) => `“${label}”`);
  const { only, best: one, several } = sentences;
  const sentence = known.length === 1 ? only : labels.length === 1 ? one : several;
  return fill(sentence, { length, schemes: listed(labels), accuracy: formatNumber(best) });
}

/** @type {(state: State, data: Data, trainedOn: [number, number], sentences: SchemeExplorerSentences) => import("../interact/live.js").Shown} */
function picture({ task, schemes: names, length }, data, trainedOn, sentences) {
  const { lengths, floor, ceiling, training, schemes: all } = data[task];
  const schemes = names.map((name) => all[name]);
  const last = Math.max(1, ...schemes.flatMap(({ curve }) => curve.x));
  const levels = training ? bounds(...training) : {};
  const learning = plane([...curves(schemes, "curve"), { x: [0, last], y: {}, levels }], {
    x_axis: "training steps",
    y_axis: "accuracy",
    x_limits: [0, last],
    y_limits: [0, 1],
  });
  const ground = { x: lengths, y: bounds(floor, ceiling), handle: length, drag: ["length"] };
  const reaching = plane([...curves(schemes, "test"), ground, shade(trainedOn, [0, 1])], {
    x_axis: "tokens; shaded: trained on",
    y_axis: "accuracy",
    x_limits: [0, Math.max(lengths[lengths.length - 1], trainedOn[1])],
    y_limits: [0, 1],
  });
  const measured = schemes.map(({ label, test }) => ({ label, accuracy: test.mean[test.x.indexOf(length)] }));
  const list = bars(
    { "": measured.map(({ accuracy = 0 }) => accuracy) },
    measured.map(({ label }) => label),
    {
      columns: { "": schemes.map((scheme) => rangeOf(scheme, length)) },
      column_names: [""],
      axis: `accuracy with ${length} tokens`,
      limits: [0, 1],
    },
  );
  const known = measured.filter(({ accuracy }) => accuracy !== undefined);
  const at = lengths.indexOf(length);
  const [low, high] = trainedOn;
  const note = fill(sentences.note, { floor: formatNumber(floor[at]), ceiling: formatNumber(ceiling[at]), low, high });
  return { panels: [learning, reaching, list], answer: { words: answerOf(known, length, sentences), sign: "", note } };
}

LIVE.scheme_explorer = {
  agree({ task, schemes, length }, model) {
    const there = model.get("data")[task];
    const isKnown = schemes.every((/** @type {string} */ name) => Object.hasOwn(there.schemes, name));
    return isKnown && new Set(schemes).size === schemes.length && there.lengths.includes(length);
  },
  make(shell) {
    const [data, trainedOn, sentences] = ["data", "trained_on", "sentences"].map((name) => shell.model.get(name));
    const [lengthsOf, drawn] = [radios(), kept(picture)];

    // Another task, keeping the schemes and the length if it has them.
    /** @type {(task: string) => void} */
    function goTo(task) {
      const { schemes, length } = shell.state();
      const { schemes: all, lengths } = data[task];
      const same = schemes.filter((/** @type {string} */ name) => Object.hasOwn(all, name));
      shell.change({
        task,
        schemes: same.length ? same : Object.keys(all).slice(0, 3),
        length: lengths.includes(length) ? length : lengths[lengths.length - 1],
      });
    }

    /** @type {(name: string, isOn: boolean) => void} */
    function pick(name, isOn) {
      const { schemes } = shell.state();
      const { fewest, most } = shell.limits.schemes;
      const wanted = isOn ? [...schemes, name] : schemes.filter((/** @type {string} */ one) => one !== name);
      const isFit = wanted.length >= fewest && wanted.length <= most;
      shell.change({ schemes: isFit ? wanted : [...schemes] });
      shell.notify(isFit ? "" : `The charts have room for ${fewest} to ${most} schemes.`);
    }

    return {
      picture: (state) => drawn(state, data, trainedOn, sentences),
      axes: ({ task }) => [axis("length", data[task].lengths, "tokens")],
      controls: (/** @type {State} */ { task, length }) => html`
        ${select({ label: "Task", value: task, options: Object.keys(data).map((name) => [name, name]), onInput: goTo })}
        ${lengthsOf({
          label: "Tokens",
          value: String(length),
          options: data[task].lengths.map((/** @type {number} */ one) => [String(one), String(one)]),
          onInput: (one) => shell.change({ length: Number(one) }),
        })}`,
      folds: [
        [
          "Which schemes",
          (/** @type {State} */ { task, schemes }) =>
            html`<div class="inorder-settings">${Object.entries(data[task].schemes).map(([name, { label }]) =>
              toggle({ label, value: schemes.includes(name), onInput: (isOn) => pick(name, isOn) }),
            )}</div>`,
        ],
      ],
    };
  },
};
