// What the loom says.

import { fill, formatNumber, listed } from "../kit/words.js";
import { D_MODEL, lastOf } from "./model.js";

/** @typedef {import("./model.js").Reading} Reading */

const COUNTS = ["Two", "Three", "Four", "Five", "Six"];

/** @type {(word: string) => string} */
export const quoted = (word) => `“${word}”`;

/** @type {(state: LoomState) => boolean} does the model know the places? The trained one always does */
export const isPlaced = ({ positions, trained }) => positions || trained;

/** @type {(state: LoomState) => boolean} */
export const isFirst = ({ order }) => order.every((word, place) => word === place);

/** @type {(sentences: LoomSentences, state: LoomState, reading: Reading) => string} */
export function summarise(sentences, state, { changed, since }) {
  const { words, order, mask, positions, trained } = state;
  if (isFirst(state)) {
    const { words_only, masked, placed, masked_and_placed, learned } = sentences;
    if (trained) return learned;
    if (mask) return positions ? masked_and_placed : masked;
    return positions ? placed : fill(words_only, { count: COUNTS[words.length - 2] });
  }
  const total = words.length * D_MODEL;
  const count = changed.flat().filter(Boolean).length;
  if (count === 0) return fill(sentences.none, { total });
  /** @type {(layer: number) => string} */
  const named = (time) => listed(order.filter((word) => since[word] === time).map((word) => quoted(words[word])));
  const times = [...new Set(since)].filter((time) => time >= 0).sort((a, b) => a - b);
  const causes = times
    .map((time) => {
      const words = named(time);
      return time ? fill(sentences.layer, { words, layer: time - 1 }) : fill(sentences.start, { words });
    })
    .join("; ");
  if (!since.includes(-1)) return fill(sentences.all, { total, causes });
  return fill(sentences.some, { changed: count, total, causes, kept: named(-1) });
}

// What a thread, a row or a stripe says when it is pointed at.

/** @type {(words: string[], reading: Reading, thread: { layer: number, query: number, key: number }) => string} */
export const threadSays = (words, { now, heads }, { layer, query, key }) =>
  `Layer ${layer}${heads ? `, head ${heads[layer]}` : ""}: ${quoted(words[query])} gives ${formatNumber(now.weights[layer][query][key])} of its attention to ${quoted(words[key])}`;

/** @type {(words: string[], layer: number, word: number) => string} */
export const knotSays = (words, layer, word) =>
  `${quoted(words[word])} ${layer ? `after layer ${layer - 1}` : "as it comes in"}`;

/** @type {(words: string[], reading: Reading, word: number, column: number) => string} */
export function stripeSays(words, { now, firstRows, changed }, word, column) {
  const [number, before] = [now.rows, firstRows].map((rows) => formatNumber(lastOf(rows)[word][column], 3));
  const was = number === before ? "was nearly the same" : `was ${before}`;
  return `${quoted(words[word])}, number ${column} of its row: ${number}, ${changed[word][column] ? was : "as at first"}`;
}
