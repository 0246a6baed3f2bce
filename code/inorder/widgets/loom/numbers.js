// All numbers in tables, for the keyboard and for a screen reader.

import { make } from "../kit/elements.js";
import { formatNumber } from "../kit/words.js";
import { D_MODEL, lastOf, listOf } from "./model.js";

/** @type {(caption: string, heads: string[], rows: { label: string, name: string, row: number, values: number[],
 *   columns: number[], digits: number, isOther?: boolean[] }[]) => HTMLElement} */
function table(caption, heads, rows) {
  const head = make("tr", {}, make("td"), ...heads.map((text) => make("th", { scope: "col" }, text)));
  const lines = rows.map(({ label, name, row, values, columns, digits, isOther = [] }) => {
    const cells = columns.map((column) =>
      make(
        "td",
        {
          "data-name": name,
          "data-row": row,
          "data-col": column,
          "data-value": values[column],
          class: isOther[column] ? "is-other" : "",
        },
        formatNumber(values[column], digits),
      ),
    );
    return make("tr", {}, make("th", { scope: "row" }, label), ...cells);
  });
  return make("table", {}, make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, ...lines));
}

/** @type {() => { root: HTMLElement, draw: (state: LoomState, reading: import("./model.js").Reading) => void }} */
export function numbersTable() {
  const root = make("div", { class: "inorder-numbers", tabindex: 0, role: "region", "aria-label": "The numbers" });
  const columns = listOf(D_MODEL, (column) => column);

  /** @type {(state: LoomState, reading: import("./model.js").Reading) => void} */
  function draw({ words, order }, { now, firstRows, changed, heads }) {
    const rows = order.flatMap((word) => {
      const shared = { row: word, columns, digits: 2, isOther: changed[word] };
      return [
        { ...shared, label: words[word], name: "rows", values: lastOf(now.rows)[word] },
        { ...shared, label: `${words[word]}, at first`, name: "first", values: lastOf(firstRows)[word] },
      ];
    });
    const layers = now.weights.map((layer, l) =>
      table(
        `Layer ${l}${heads ? `, head ${heads[l]}` : ""}: how much of its attention each word gives to each`,
        order.map((word) => words[word]),
        order.map((word) => {
          const name = `weights-${l}`;
          return { label: words[word], name, row: word, values: layer[word], columns: order, digits: 2 };
        }),
      ),
    );
    root.replaceChildren(table("The last rows: the cloth, and the first cloth", columns.map(String), rows), ...layers);
  }
  return { root, draw };
}
