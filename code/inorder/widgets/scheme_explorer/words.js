// What SchemeExplorer says.

import { formatNumber } from "../kit/words.js";

const TIE = 0.005;

// The mean of a scheme at a length; NaN where it was not tested.
export function accuracyAt({ test }, length) {
  const at = test.x.indexOf(length);
  return at < 0 ? Number.NaN : test.mean[at];
}

export function summarise({ schemes, length }, there) {
  const known = schemes
    .map((name) => [there.schemes[name].label, accuracyAt(there.schemes[name], length)])
    .filter(([, accuracy]) => !Number.isNaN(accuracy));
  if (!known.length) return `None of these was tested with ${length} tokens.`;
  const best = Math.max(...known.map(([, accuracy]) => accuracy));
  const labels = known.filter(([, accuracy]) => accuracy > best - TIE).map(([label]) => `“${label}”`);
  const isOne = labels.length === 1;
  const told = isOne ? labels[0] : `${labels.slice(0, -1).join(", ")} and ${labels.at(-1)}`;
  return `With ${length} tokens ${told} ${isOne ? "is" : "are"} right most often: ${formatNumber(best)}.`;
}

export function noteOf({ length }, { lengths, floor, ceiling }, [low, high]) {
  const at = lengths.indexOf(length);
  return (
    `Blind to order, a model gets at most ${formatNumber(floor[at])} there; blind to direction, ` +
    `${formatNumber(ceiling[at])}. Trained on ${low} to ${high} tokens.`
  );
}
