// A trained model's run of one sentence in every order, as record.py has it: fetched once it is asked for.

import { make } from "../kit/elements.js";
import { listOf } from "./model.js";

/** @typedef {{ words: string[], heads: number[], step: number, weights: string, rows: string, since: string }} Packed
 * the last three as bytes in base64 */

/** @typedef {{ weights: Heads, rows: Matrix, since: number[] }} Run weights: (layer, word, word), rows: (word, number) */

/** @typedef {{ words: string[], heads: number[], runOf: (order: number[]) => Run }} Recording */

/** @typedef {Pick<Context<LoomState, LoomSent>, "model" | "page">} Source */

/** @typedef {{ sentences: LoomSentences, recorded: string[], record: string | Packed }} LoomSent recorded: the words; record: where
 * a page finds the rest, or in a saved file the rest itself */

/** @type {(base64: string) => Uint8Array} */
const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

// The place of an order among all, as they stand in a dictionary.
/** @type {(order: number[]) => number} */
export const numberOf = (order) =>
  order.reduce((sum, one, i) => sum * (order.length - i) + order.slice(i).filter((later) => later < one).length, 0);

/** @type {(packed: Packed) => Recording} */
export function unpack({ words, heads, step, ...packed }) {
  const [n, nLayers] = [words.length, heads.length];
  const [weights, since] = [bytesOf(packed.weights), bytesOf(packed.since)];
  const rows = new Int8Array(bytesOf(packed.rows).buffer);
  const width = rows.length / since.length;
  return {
    words,
    heads,
    runOf(order) {
      const number = numberOf(order);
      /** @type {(layer: number, query: number, key: number) => number} */
      const weightOf = (layer, query, key) => weights[((number * nLayers + layer) * n + query) * n + key] / 255;
      return {
        weights: listOf(nLayers, (layer) => listOf(n, (query) => listOf(n, (key) => weightOf(layer, query, key)))),
        rows: listOf(n, (word) => listOf(width, (d) => rows[(number * n + word) * width + d] * step)),
        since: [...since.subarray(number * n, (number + 1) * n)],
      };
    },
  };
}

// From a disk a page may fetch a script, and nothing else.
/** @type {(record: string | Packed) => Promise<Packed>} */
async function fromPage(record) {
  if (typeof record !== "string") return record;
  return new Promise((resolve, reject) => {
    const onload = () => resolve(Reflect.get(window, "inorderRecord"));
    document.head.append(make("script", { src: record, onload, onerror: reject }));
  });
}

/** @type {(model: Source["model"]) => Promise<Packed>} */
const fromKernel = (model) =>
  new Promise((resolve) => {
    /** @type {Listener} */
    const take = (content) => {
      if (!content?.record) return;
      model.off("msg:custom", take);
      resolve(/** @type {Packed} */ (content.record));
    };
    model.on("msg:custom", take);
    model.send({ ask: "record" });
  });

/** @type {Promise<Recording> | null} the looms of a page share it */
let coming = null;

/** @type {(source: Source) => Promise<Recording>} */
export function bringRecording({ model, page }) {
  coming ??= (page ? fromPage(model.get("record")) : fromKernel(model)).then(unpack);
  coming.catch(() => {
    coming = null; // the next who asks tries again
  });
  return coming;
}
