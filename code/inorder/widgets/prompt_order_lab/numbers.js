// The numbers of one token in one head: query, key, weight, value and sum, in both prompts.

import { make } from "../kit/elements.js";
import { formatNumber } from "../kit/words.js";
import { PROMPTS, quoted } from "./words.js";

const MOST_ENTRIES = 16; // of a vector

// at: the token's places in the two prompts
/**
 * @type {(computed: import("./reading.js").Computed, view: { layer: number, head: number, at: number[] }) =>
 *   HTMLElement}
 */
export function numbersTable({ read }, { layer, head, at }) {
  const readings = read.map(({ layers }) => layers[layer]);
  const askers = [...new Set(read.map(({ prompt }) => quoted(prompt[prompt.length - 1])))];
  const token = quoted(read[0].prompt[at[0]]);
  /** @type {Record<string, [string, Matrix]>} */
  const vectors = {
    query: [`query of ${askers.join(", ")}`, readings.map(({ query }) => query[head])],
    key: [`key of ${token}`, readings.map(({ key }, prompt) => key[head][at[prompt]])],
    weight: [`weight of ${token}`, readings.map(({ weights }, prompt) => [weights[head][at[prompt]]])],
    value: [`value of ${token}`, readings.map(({ value }, prompt) => value[head][at[prompt]])],
    sum: ["sum of weight × value", readings.map(({ sum }) => sum[head])],
  };

  /** @type {(name: string, vector: number[]) => (Node | string)[]} */
  function entries(name, vector) {
    const number = (/** @type {number} */ x, /** @type {number} */ i) =>
      make("span", { "data-name": name, "data-row": 0, "data-col": i, "data-value": String(x) }, formatNumber(x, 3));
    const numbers = vector.slice(0, MOST_ENTRIES).flatMap((x, i) => [number(x, i), " "]);
    return vector.length > MOST_ENTRIES ? [...numbers, "…"] : numbers;
  }
  /** @type {(text: string, cells: (Node | string)[][]) => HTMLElement} */
  const line = (text, cells) =>
    make("tr", {}, make("th", { scope: "row" }, text), ...cells.map((cell) => make("td", {}, ...cell)));
  const lines = [
    line(
      "prompt",
      read.map(({ prompt }) => [prompt.join(" ")]),
    ),
    line(
      `${token} has seen`,
      readings.map(({ seen }, prompt) => [seen[at[prompt]].join(" ")]),
    ),
    ...Object.entries(vectors).map(([name, [text, pair]]) =>
      line(
        text,
        pair.map((vector, prompt) => entries(`${PROMPTS[prompt]}-${name}`, vector)),
      ),
    ),
  ];
  return make("table", {}, make("caption", {}, `Layer ${layer}, head ${head}, ${token}`), make("tbody", {}, ...lines));
}
