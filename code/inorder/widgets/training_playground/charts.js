// The three drawings of a run: accuracy and loss over steps, accuracy over lengths.

import { chart, thinned } from "./curves.js";
import { taskOf } from "./run.js";
import { boundsOf, labelsOf } from "./words.js";

/** @typedef {[number, number]} Pair */

/** @typedef {TrainingPlaygroundState} State */

/** @typedef {import("./run.js").Found} Found */

const FEWEST_STEPS = 200; // that an axis of steps shows
const WORDS = ["blind to order", "blind to direction"];
/** @type {{ up: Pair, heights: number[] }} */
const SHARES = { up: [0, 1], heights: [0, 0.5, 1] };

/** `accuracy`, `loss` and `longer` to be placed, draw(state, found, isNamed); isNamed: the curves carry their names. */
/**
 * @type {(known: import("./run.js").Known) => { accuracy: HTMLElement, loss: HTMLElement, longer: HTMLElement,
 *   draw: (state: State, found: Found, isNamed: boolean) => void }}
 */
export function charts(known) {
  const { n, test_lengths: lengths } = known.training;
  const accuracy = chart({ title: "Share correct", name: "accuracy", unit: "steps" });
  const loss = chart({ title: "Loss", name: "loss", unit: "steps" });
  const longer = chart({ title: "Correct in longer texts", name: "longer", unit: "letters" });
  /** @type {(rows: Matrix) => string[]} */
  const spoken = (rows) => rows.map((row) => row.at(-1)?.toFixed(2) ?? "none yet");

  /** @type {(state: State, found: Found, most: number, names: string[], isNamed: boolean) => void} */
  function drawAccuracy(state, found, most, names, isNamed) {
    const bounds = boundsOf(state, known);
    const words = bounds[0] === bounds[1] ? ["blind to order or direction"] : WORDS;
    const levels = words.map((word, which) => ({
      word,
      points: /** @type {Pair[]} */ ([
        [0, bounds[which]],
        [most, bounds[which]],
      ]),
    }));
    accuracy.draw({
      ...SHARES,
      lines: found.accuracies.map((row, which) => ({
        points: row.map((value, i) => /** @type {Pair} */ ([found.tested[i], value])),
        word: isNamed ? names[which] : "",
      })),
      levels: levels.filter((_, which) => bounds[which] < 1),
      across: [0, most],
      ticks: [0, most / 2, most],
    });
    const last = spoken(found.accuracies);
    accuracy.describe(
      `Accuracy over ${found.nSteps} steps: ${names.map((name, i) => `${name} ${last[i]}`).join(", ")}`,
    );
  }

  /** @type {(state: State, found: Found, most: number, names: string[]) => void} */
  function drawLoss(state, found, most, names) {
    const guess = Math.log(taskOf(state, known).n_outputs);
    const top = guess > 1 ? 2.5 : 1;
    /** @type {Pair[]} */
    const points = [
      [0, guess],
      [most, guess],
    ];
    loss.draw({
      lines: found.losses.map((row) => ({ points: thinned(row, (i) => i + 1) })),
      levels: [{ points, word: "a guess" }],
      across: [0, most],
      ticks: [0, most],
      up: [0, top],
      heights: [0, top],
    });
    const last = spoken(found.losses);
    loss.describe(`Loss over ${found.nSteps} steps: ${names.map((name, i) => `${name} ${last[i]}`).join(", ")}`);
  }

  /** @type {(state: State, found: Found, names: string[]) => void} */
  function drawLonger(state, found, names) {
    const { bounds } = taskOf(state, known);
    /** @type {(row: number[]) => Pair[]} */
    const over = (row) => row.map((value, i) => [lengths[i], value]);
    const levels = [0, 1].map((which) => ({ word: "", points: over(bounds.map((pair) => pair[which])) }));
    longer.draw({
      ...SHARES,
      lines: found.byLength.map((row) => ({ points: over(row), dots: true })),
      levels: levels.filter(({ points }) => points[0][1] < 1),
      across: [lengths[0], lengths[lengths.length - 1]],
      ticks: [n, lengths[Math.floor(lengths.length / 2)], lengths[lengths.length - 1]],
    });
    const descriptions = found.byLength.map(
      (row, i) => `${names[i]} ${row.map((value) => value.toFixed(2)).join(", ")}`,
    );
    longer.describe(`Accuracy at ${lengths.join(", ")} letters, trained at ${n} alone: ${descriptions.join("; ")}`);
  }

  /** @type {(state: State, found: Found, isNamed: boolean) => void} */
  function draw(state, found, isNamed) {
    const most = Math.max(FEWEST_STEPS, Math.ceil(found.nSteps / 100) * 100);
    const names = labelsOf(state, known);
    drawAccuracy(state, found, most, names, isNamed);
    drawLoss(state, found, most, names);
    drawLonger(state, found, names);
  }
  return { accuracy: accuracy.root, loss: loss.root, longer: longer.root, draw };
}
