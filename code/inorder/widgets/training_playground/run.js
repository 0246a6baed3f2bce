// The training of one figure: what the page's settings ask for, and the results so far. All views of a model
// share one.

import { fits } from "../kit/limits.js";
import { parameterShapes, startNumbers } from "./parameters.js";
import { placesOf } from "./places.js";
import { runner } from "./runner.js";

/**
 * @typedef {{ found: () => Found, isRefused: () => boolean, reset: () => void, step: () => void, follow: (listener: () => void) => () => void }} Run
 */

/**
 * @typedef {{ nSteps: number, losses: Matrix, tested: number[], accuracies: Matrix, byLength: Matrix, numbers: Float64Array[], models: ModelOrder[] }} Found
 */

/** @typedef {{ nSteps: number, losses: Matrix, tested: { step: number, accuracies: number[] }[], byLength: Matrix | null, numbers: Float64Array[] }} Report */

/** @typedef {Training & { task: Task, seed: number, models: ModelOrder[] }} Order */

/**
 * @typedef {{ config: import("./parameters.js").ModelConfig, shapes: import("./parameters.js").Shapes, places: Record<number, import("./places.js").Places>, settings: Training, start: number[] }} ModelOrder
 */

/** @typedef {FigureModel<State, Sent>} Model */

/**
 * @typedef {{ known: Known, running: boolean, losses: Matrix, accuracies: Matrix, tested: number[], accuracies_by_length: Matrix, sentences: TrainingPlaygroundSentences }} Sent
 */

/**
 * @typedef {{ config: Config, training: Training, letters: string, questions: Record<State["task"], string>, tasks: Record<string, Omit<Task, "name">>, schemes: Record<string, KnownScheme> }} Known what Python sends
 */

/** @typedef {{ label: string, scheme: Scheme, d_token: number, tables: Record<string, number[]> }} KnownScheme */

/**
 * @typedef {{ rate: number, betas: number[], longest: number, n: number, batch_size: number, test_size: number, longer_size: number, test_lengths: number[], test_every: number, last_step: number }} Training
 */

/**
 * @typedef {{ name: string, n_tokens: number, n_outputs: number, n_fillers: number, pooled: boolean, bounds: [number, number][] }} Task
 */

/** @typedef {TrainingPlaygroundState} State */

/** @type {(keyof State)[]} */
const SETTINGS = ["task", "first", "second", "mask", "n_layers", "seed"];
const SAVE_EVERY = 1000; // milliseconds between two lots of numbers for Python
const AFTER = 20; // steps, once all is decided
const RIGHT = 0.99; // of the test
const STILL = 6; // tests in a row, with as good as the same share

/** Is one of the models right, and the other too, or standing still? @type {(accuracies: Matrix) => boolean} */
function isDecided(accuracies) {
  const isRight = accuracies.map((row) => row[row.length - 1] >= RIGHT);
  const isStill = accuracies.map((row) => {
    const last = row.slice(-STILL);
    return last.length === STILL && Math.max(...last) - Math.min(...last) < 1 - RIGHT;
  });
  return isRight.includes(true) && isRight.every((one, which) => one || isStill[which]);
}

// The task as tasks.js takes it: under a causal mask, which-first is asked by a "?".
/** @type {(state: State, known: Known) => Task} */
export function taskOf({ task, mask }, { tasks }) {
  const key = task === "which-first" && mask === "causal" ? "which-first-asked" : task;
  return { ...tasks[key], name: task };
}

// All that a contest needs: the two models, where they start, and what they learn.
/** @type {(state: State, known: Known) => Order} */
export function orderOf(state, known) {
  const task = taskOf(state, known);
  const isAsked = task.name === "which-first" && !task.pooled;
  const lengths = known.training.test_lengths.map((n) => n + Number(isAsked));
  const models = [state.first, state.second].map((name) => {
    const { scheme, d_token, tables } = known.schemes[name];
    const sizes = { vocabulary_size: task.n_tokens, n_outputs: task.n_outputs, n_layers: state.n_layers, d_token };
    const config = { ...known.config, ...sizes, scheme };
    const shapes = parameterShapes(config, tables);
    const places = Object.fromEntries(lengths.map((n) => [n, placesOf(config, n, state.mask === "causal")]));
    return { config, shapes, places, settings: known.training, start: startNumbers(shapes, state.seed) };
  });
  return { ...known.training, task, seed: state.seed, models };
}

/** @type {WeakMap<Model, Run>} */
const runs = new WeakMap(); // of the model of a figure

/** The run of this model, made for its first view and stopped with its last. */
/** @type {(model: Model) => Run} */
export function runOf(model) {
  if (!runs.has(model))
    runs.set(
      model,
      makeRun(model, () => runs.delete(model)),
    );
  return /** @type {Run} */ (runs.get(model));
}

/** @type {(model: Model, onEnd: () => void) => Run} */
function makeRun(model, onEnd) {
  const known = model.get("known");
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const settings = () =>
    /** @type {State} */ (/** @type {unknown} */ (Object.fromEntries(SETTINGS.map((name) => [name, model.get(name)]))));
  let begun = "";
  let isRefused = false;
  let saved = 0;
  /** @type {number | null} */
  let end = null; // where it pauses by itself, once
  let trainer = /** @type {ReturnType<typeof runner> | null} */ (null);
  let found = empty();

  /** @type {() => Found} */
  function empty() {
    return {
      nSteps: 0,
      losses: [[], []],
      tested: [],
      accuracies: [[], []],
      byLength: [[], []],
      numbers: [],
      models: [],
    };
  }
  const tellViews = () => {
    for (const listener of listeners) listener();
  };

  /** @type {(report: Report) => void} */
  function take({ nSteps, losses, tested, byLength, numbers }) {
    found.nSteps = nSteps;
    for (const which of [0, 1]) {
      for (const step of losses) found.losses[which].push(step[which]);
      for (const { accuracies } of tested) found.accuracies[which].push(accuracies[which]);
    }
    for (const { step } of tested) found.tested.push(step);
    if (byLength) found.byLength = byLength;
    found.numbers = numbers;
    if (end === null && isDecided(found.accuracies)) {
      end = nSteps + AFTER;
      follow();
    }
    const isEnd = end !== null && nSteps >= end;
    if (isEnd) end = Infinity;
    if ((isEnd || nSteps % last_step === 0) && nSteps > 0 && model.get("running")) model.set("running", false);
    if (!model.get("running") || performance.now() - saved > SAVE_EVERY) save();
    tellViews();
  }

  function save() {
    saved = performance.now();
    model.set(
      "losses",
      found.losses.map((row) => [...row]),
    );
    model.set(
      "accuracies",
      found.accuracies.map((row) => [...row]),
    );
    model.set("tested", [...found.tested]);
    model.set("accuracies_by_length", found.byLength);
    model.save_changes();
  }

  // From the start; what the old settings have found is forgotten.
  function reset() {
    const state = settings();
    begun = JSON.stringify(state);
    end = null;
    trainer?.stop();
    trainer = runner(take, () => {
      isRefused = true;
      tellViews();
    });
    const order = orderOf(state, known);
    found = {
      ...empty(),
      models: order.models,
      numbers: order.models.map(({ start }) => Float64Array.from(start)),
    };
    trainer.tell({ order });
    if (model.get("running")) follow();
  }
  const { last_step } = known.training;
  const follow = () => {
    const until = Math.min((Math.floor(found.nSteps / last_step) + 1) * last_step, end ?? Infinity);
    trainer?.tell({ until: model.get("running") ? until : 0 });
  };
  const limits = model.get("limits");
  const check = () => {
    const state = settings();
    const isFit = SETTINGS.every((name) => fits(limits[name], state[name]));
    if (isFit && JSON.stringify(state) !== begun) reset();
  };
  for (const name of SETTINGS) model.on(`change:${name}`, check);
  model.on("change:running", follow);
  reset();

  return {
    found: () => found,
    isRefused: () => isRefused,
    reset,
    step: () => trainer?.tell({ until: found.nSteps + 1 }),
    follow(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size) return;
        trainer?.stop();
        for (const name of SETTINGS) model.off(`change:${name}`, check);
        model.off("change:running", follow);
        onEnd();
      };
    },
  };
}
