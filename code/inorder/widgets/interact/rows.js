// Marks that are rows of words and numbers: bars and tables.

import { clamp } from "../kit/arithmetic.js";
import { make } from "../kit/elements.js";
import { html, nothing, render } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { named } from "./actors.js";

/** @typedef {import("./states.js").TablePanel} TablePanel */
/** @typedef {import("./states.js").BarsPanel} BarsPanel */
/** @typedef {import("./states.js").Column} Column */
const FILLED = new Set(["≠", "×"]); // signs of a card that is filled with ink

// A number on its way to the goal, which the page carries at the precision that came from Python.
/** @type {(name: string, row: number, col: number, value: number, digits: number, goal: number) => unknown} */
const numberCell = (name, row, col, value, digits, goal) => html`<td class="inorder-number" data-name=${name}
  data-row=${row} data-col=${col} data-value=${goal}>${formatNumber(value, digits)}</td>`;

// Further columns, or those of a table: numbers come as { shape, values }, words as a list.
/** @type {(column: Column) => column is ArrayOf} */
const isNumbers = (column) => !Array.isArray(column);

/** @type {(name: string, row: number, column: Column, digits: number, goal: Column) => unknown} */
const columnCell = (name, row, column, digits, goal) =>
  isNumbers(column) && isNumbers(goal)
    ? numberCell(name, row, 0, column.values[row], digits, goal.values[row])
    : html`<td>${isNumbers(column) ? nothing : column[row]}</td>`;

/** @type {MakeMark<BarsPanel>} */
export function barsMark(place) {
  const root = make("table", { class: "inorder-bars" });

  /** @type {MarkOf<BarsPanel>["update"]} */
  function update(panel, _size, _dark, goal) {
    const { labels, series, columns, column_names, values, digits, reference, actor } = panel;
    const several = series.length > 1;
    const [low, high] = panel.limits;
    const share = (/** @type {number} */ value) => (clamp(value, low, high) - low) / (high - low);
    const heads = [panel.label_axis, ...(several ? [""] : []), ...column_names];
    const head = (/** @type {string} */ text, span = 1) =>
      text ? html`<th scope="col" colspan=${span}>${text}</th>` : html`<td colspan=${span}></td>`;

    /** @type {(i: number, k: number) => unknown} */
    function bar(i, k) {
      const at = k * labels.length + i;
      const value = values.values[at];
      const [from, to] = [share(Math.min(value, 0)), share(Math.max(value, 0))];
      const name = html`<th scope="row" rowspan=${series.length}>${named(actor, labels[i])}</th>`;
      const extra = (/** @type {string} */ title) =>
        k === 0 ? columnCell(`${place}.${title}`, i, columns[title], digits, goal.columns[title]) : html`<td></td>`;
      const line = html`<span class="inorder-reference" style="left: ${100 * share(reference ?? low)}%"></span>`;
      return html`<tr class=${several && k === 0 && i > 0 ? "is-first-of-row" : ""}>
        ${k === 0 ? name : nothing}${several ? html`<td class="inorder-series">${series[k]}</td>` : nothing}
        ${column_names.map(extra)}
        <td class="inorder-track"><span class="inorder-rail"><span class="inorder-bar is-series-${k}"
          style="left: ${100 * from}%; width: ${100 * (to - from)}%"></span>${reference === null ? nothing : line}</span></td>
        ${numberCell(`${place}.values`, k, i, value, digits, goal.values.values[at])}</tr>`;
    }

    root.classList.toggle("is-dense", labels.length * series.length > 7);
    root.dataset.actor = actor;
    render(
      html`<thead class=${[...heads, panel.axis].join("") ? "" : "inorder-unseen"}><tr>${heads.map((text) => head(text))}${head(panel.axis, 2)}</tr></thead>
        <tbody>${labels.map((_, i) => series.map((_, k) => bar(i, k)))}</tbody>`,
      root,
    );
  }

  return { root, update };
}

/** @type {MakeMark<TablePanel>} */
export function tableMark(place) {
  const root = make("table", { class: "inorder-table" });

  /** @type {MarkOf<TablePanel>["update"]} */
  function update({ columns, column_names, column_digits, rows, cards }, _size, _dark, goal) {
    const first = columns[column_names[0]];
    const count = isNumbers(first) ? first.shape[0] : first.length;
    const isInked = (/** @type {number} */ row) =>
      column_names.some((name) => FILLED.has(String(Reflect.get(columns[name], row) ?? "")));
    root.classList.toggle("is-cards", cards);
    render(
      html`<thead><tr>${rows.length ? html`<td></td>` : nothing}${column_names.map(
        (name) => html`<th scope="col" class=${isNumbers(columns[name]) ? "inorder-number" : ""}>${name}</th>`,
      )}</tr></thead>
      <tbody>${Array.from(
        { length: count },
        (_, row) =>
          html`<tr class=${cards && isInked(row) ? "is-inked" : ""}>${rows.length ? html`<th scope="row">${rows[row]}</th>` : nothing}${column_names.map(
            (name, c) => columnCell(`${place}.${name}`, row, columns[name], column_digits[c], goal.columns[name]),
          )}</tr>`,
      )}</tbody>`,
      root,
    );
  }

  return { root, update };
}
