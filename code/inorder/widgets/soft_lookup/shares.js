// What the chosen query takes from each key: its share as a bar, the key's value, and the sum written out.

import { make, write } from "../kit/elements.js";
import { equalsOrNearly, formatNumber } from "../kit/words.js";
import { brief, showNumber } from "./look_up.js";

/** @type {(value: number) => string} */
const exact = (value) => (Number.isInteger(value) ? brief(value) : formatNumber(value));

export function shares() {
  const body = make("tbody", {});
  const heads = ["key", "weight", "value"].map((words) => make("th", { scope: "col" }, words));
  const caption = make("caption", { class: "inorder-unseen" }, "The shares of the chosen query");
  const table = make("table", {}, caption, make("thead", {}, make("tr", {}, ...heads)), body);
  const [terms, result] = [new Text(), make("strong", {})];
  const sum = make("p", { class: "inorder-sum" }, terms, result);
  const root = make("div", { class: "inorder-shares" }, table, sum);
  /** @type {ReturnType<typeof makeRow>[]} */
  let rows = [];

  function makeRow() {
    const [name, bar, weight, value] = Array.from({ length: 4 }, () => make("span", {}));
    const signed = (/** @type {string} */ actor, /** @type {string} */ sign, /** @type {Node} */ text) =>
      make("span", { class: `inorder-${actor}` }, make("span", { "aria-hidden": "true" }, sign), " ", text);
    bar.className = "inorder-bar";
    const share = make("td", { class: "inorder-share" }, bar, weight);
    const key = make("th", { scope: "row" }, signed("key", "●", name));
    return { name, bar, weight, value, root: make("tr", {}, key, share, make("td", {}, signed("value", "■", value))) };
  }

  /** @type {(state: SoftLookupState, found: import("./look_up.js").LookUp) => void} */
  function update({ tokens }, { value, weights, output, row }) {
    if (rows.length !== tokens.length) {
      rows = tokens.map(makeRow);
      body.replaceChildren(...rows.map((each) => each.root));
    }
    rows.forEach((cells, j) => {
      const weight = weights[row][j];
      write(cells.name, tokens[j] || "␣"); // a token may be empty
      cells.bar.style.setProperty("--share", String(weight));
      showNumber(cells.weight, "weights", row, j, weight);
      showNumber(cells.value, "value", j, 0, value[j][0], exact(value[j][0]));
    });
    const products = value.map(([v], j) => `${formatNumber(weights[row][j])} × ${v < 0 ? `(${brief(v)})` : brief(v)}`);
    terms.data = `${products.join(" + ")} ${equalsOrNearly(output[row][0])} `;
    write(result, formatNumber(output[row][0]));
  }
  return { root, update };
}
