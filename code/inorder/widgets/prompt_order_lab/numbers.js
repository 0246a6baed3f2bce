// The numbers of one token in one head: query, key, weight, value and sum, in both prompts.

import { make } from "../kit/elements.js";
import { formatNumber } from "../kit/words.js";
import { PROMPTS, quoted } from "./words.js";

const MOST_ENTRIES = 16; // of a vector

// at: the token's places in the two prompts
export function numbersTable({ read }, { layer, head, at }) {
  const found = read.map(({ layers }) => layers[layer]);
  const askers = [...new Set(read.map(({ prompt }) => quoted(prompt.at(-1))))];
  const token = quoted(read[0].prompt[at[0]]);
  const vectors = {
    query: [`query of ${askers.join(", ")}`, found.map(({ query }) => query[head])],
    key: [`key of ${token}`, found.map(({ key }, prompt) => key[head][at[prompt]])],
    weight: [`weight of ${token}`, found.map(({ weights }, prompt) => [weights[head][at[prompt]]])],
    value: [`value of ${token}`, found.map(({ value }, prompt) => value[head][at[prompt]])],
    sum: ["sum of weight × value", found.map(({ sum }) => sum[head])],
  };

  function entries(name, vector) {
    const number = (x, i) =>
      make("span", { "data-name": name, "data-row": 0, "data-col": i, "data-value": String(x) }, formatNumber(x, 3));
    const numbers = vector.slice(0, MOST_ENTRIES).flatMap((x, i) => [number(x, i), " "]);
    return vector.length > MOST_ENTRIES ? [...numbers, "…"] : numbers;
  }
  const line = (text, cells) =>
    make("tr", {}, make("th", { scope: "row" }, text), ...cells.map((cell) => make("td", {}, ...cell)));
  const lines = [
    line(
      "prompt",
      read.map(({ prompt }) => [prompt.join(" ")]),
    ),
    line(
      `${token} has seen`,
      found.map(({ seen }, prompt) => [seen[at[prompt]].join(" ")]),
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
