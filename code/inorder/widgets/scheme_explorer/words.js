// What SchemeExplorer says: the sentences of figure.py, with the numbers of a state.

import { fill, formatNumber, listed } from "../kit/words.js";

/**
 * @typedef {{ lengths: number[], floor: number[], ceiling: number[], training: [number, number] | null, schemes: Record<string, Measured> }} Task
 */

/** @typedef {import("./chart.js").Spread} Spread */

/**
 * @typedef {{ label: string, seeds: number, curve: Spread, test: Spread }} Measured what a figure knows of one, by steps and by length
 */

const TIE = 0.005;

// The mean of a scheme at a length; NaN where it was not tested.
/** @type {(scheme: Measured, length: number) => number} */
export function accuracyAt({ test }, length) {
  const at = test.x.indexOf(length);
  return at < 0 ? Number.NaN : test.mean[at];
}

/** @type {(sentences: SchemeExplorerSentences, state: SchemeExplorerState, there: Task) => string} */
export function summarise(sentences, { schemes, length }, there) {
  const known = schemes
    .map((name) => ({ label: there.schemes[name].label, accuracy: accuracyAt(there.schemes[name], length) }))
    .filter(({ accuracy }) => !Number.isNaN(accuracy));
  if (!known.length) return fill(sentences.untested, { length });
  const best = Math.max(...known.map(({ accuracy }) => accuracy));
  const labels = known.filter(({ accuracy }) => accuracy > best - TIE).map(({ label }) => `“${label}”`);
  const sentence = labels.length === 1 ? sentences.best : sentences.several;
  return fill(sentence, { length, schemes: listed(labels), accuracy: formatNumber(best) });
}

/**
 * @type {(sentences: SchemeExplorerSentences, state: SchemeExplorerState, there: Task,
 *   trainedOn: [number, number]) => string}
 */
export function noteOf({ note }, { length }, { lengths, ...bounds }, [low, high]) {
  const at = lengths.indexOf(length);
  const [floor, ceiling] = [bounds.floor, bounds.ceiling].map((bound) => formatNumber(bound[at]));
  return fill(note, { floor, ceiling, low, high });
}
