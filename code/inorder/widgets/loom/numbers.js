// All numbers in tables, for the keyboard and for a screen reader.

import { numbersBox, table } from "../kit/inputs.js";
import { html } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { D_MODEL, lastOf, listOf } from "./model.js";

/** @type {(name: string, row: number, values: number[], columns: number[], isOther?: boolean[]) => unknown[]} */
const cells = (name, row, values, columns, isOther = []) =>
  columns.map(
    (column) => html`<td class=${isOther[column] ? "is-other" : ""} data-name=${name} data-row=${row}
      data-col=${column} data-value=${values[column]}>${formatNumber(values[column])}</td>`,
  );

/** @type {(state: LoomState, reading: import("./model.js").Reading) => unknown} */
export function numbersOf({ words, order }, { now, firstRows, changed, heads }) {
  const columns = listOf(D_MODEL, (column) => column);
  /** @type {(word: number) => [unknown, unknown[]][]} */
  const rows = (word) => [
    [words[word], cells("rows", word, lastOf(now.rows)[word], columns, changed[word])],
    [`${words[word]}, at first`, cells("first", word, lastOf(firstRows)[word], columns, changed[word])],
  ];
  const layers = now.weights.map((weights, layer) => {
    const head = heads ? `, head ${heads[layer]}` : "";
    return table(
      order.map((word) => words[word]),
      order.map((word) => [words[word], cells(`weights-${layer}`, word, weights[word], order)]),
      `Layer ${layer}${head}: how much of its attention each word gives to each`,
    );
  });
  const cloth = table(columns, order.flatMap(rows), "The last rows: the cloth, and the first cloth");
  return numbersBox("The numbers", [cloth, ...layers]);
}
