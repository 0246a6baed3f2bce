// The three drawings of a run: accuracy and loss over steps, accuracy over lengths.

import { curves, thinned } from "./curves.js";
import { taskOf } from "./run.js";
import { boundsOf, labelsOf } from "./words.js";

/** @typedef {import("./curves.js").Pair} Pair */

/** @typedef {(state: TrainingPlaygroundState, found: import("./run.js").Found, known: import("./run.js").Known, room: import("./curves.js").Room) => unknown} Chart */

const FEWEST_STEPS = 200; // that an axis of steps shows
/** @type {{ up: Pair, heights: number[] }} */
const SHARES = { up: [0, 1], heights: [0, 0.5, 1] };

/** @type {(found: import("./run.js").Found) => number} */
const mostSteps = ({ nSteps }) => Math.max(FEWEST_STEPS, Math.ceil(nSteps / 100) * 100);

/** @type {(names: string[], rows: Matrix) => string} */
const latest = (names, rows) =>
  names.map((name, i) => `${name} ${rows[i].at(-1)?.toFixed(2) ?? "none yet"}`).join(", ");

/** @type {Chart} */
export function accuracyChart(state, found, known, room) {
  const most = mostSteps(found);
  const names = labelsOf(state, known);
  const bounds = boundsOf(state, known);
  const words = bounds[0] === bounds[1] ? ["blind to order or direction"] : ["blind to order", "blind to direction"];
  const levels = words.map((word, which) => ({
    word,
    points: /** @type {Pair[]} */ ([
      [0, bounds[which]],
      [most, bounds[which]],
    ]),
  }));
  return curves({
    ...SHARES,
    title: "Share correct",
    name: "accuracy",
    unit: "steps",
    label: `Accuracy over ${found.nSteps} steps: ${latest(names, found.accuracies)}`,
    room,
    lines: found.accuracies.map((row, which) => ({
      points: row.map((value, i) => /** @type {Pair} */ ([found.tested[i], value])),
      word: names[which],
    })),
    levels: levels.filter((_, which) => bounds[which] < 1),
    across: [0, most],
    ticks: [0, most / 2, most],
  });
}

/** @type {Chart} */
export function lossChart(state, found, known, room) {
  const most = mostSteps(found);
  const guess = Math.log(taskOf(state, known).n_outputs);
  const top = guess > 1 ? 2.5 : 1;
  /** @type {Pair[]} */
  const points = [
    [0, guess],
    [most, guess],
  ];
  return curves({
    title: "Loss",
    name: "loss",
    unit: "steps",
    label: `Loss over ${found.nSteps} steps: ${latest(labelsOf(state, known), found.losses)}`,
    room,
    lines: found.losses.map((row) => ({ points: thinned(row, (i) => i + 1) })),
    levels: [{ points, word: "a guess" }],
    across: [0, most],
    ticks: [0, most],
    up: [0, top],
    heights: [0, top],
  });
}

/** @type {Chart} */
export function longerChart(state, found, known, room) {
  const { n, test_lengths: lengths } = known.training;
  const names = labelsOf(state, known);
  const { bounds } = taskOf(state, known);
  /** @type {(row: number[]) => Pair[]} */
  const over = (row) => row.map((value, i) => [lengths[i], value]);
  const levels = [0, 1].map((which) => ({ word: "", points: over(bounds.map((pair) => pair[which])) }));
  const longest = lengths[lengths.length - 1];
  const shares = found.byLength.map((row, i) => `${names[i]} ${row.map((value) => value.toFixed(2)).join(", ")}`);
  return curves({
    ...SHARES,
    title: "Correct in longer texts",
    name: "longer",
    unit: "letters",
    label: `Accuracy at ${lengths.join(", ")} letters, trained at ${n} alone: ${shares.join("; ")}`,
    room,
    lines: found.byLength.map((row) => ({ points: over(row) })),
    levels: levels.filter(({ points }) => points[0][1] < 1),
    across: [lengths[0], longest],
    ticks: [n, lengths[Math.floor(lengths.length / 2)], longest],
    dots: true,
  });
}
