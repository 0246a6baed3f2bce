// Marks that are rows of words and numbers: bars, tables, text.

import { make } from "../kit/elements.js";
import { formatNumber } from "../kit/words.js";
import { named } from "./actors.js";
import { handlesOver } from "./handles.js";

/** @typedef {import("./states.js").TextPanel} TextPanel */

/** @typedef {import("./states.js").TablePanel} TablePanel */

/** @typedef {import("./states.js").BarsPanel} BarsPanel */

/** @typedef {import("./states.js").Column} Column */

/** @typedef {import("./states.js").Size} Size */

const FILLED = new Set(["≠", "×"]); // signs of a card that is filled with ink

// A number on its way to the goal, which the page carries at the precision that came from Python.
/** @type {(cell: HTMLElement, value: number, digits: number, goal: number) => void} */
function showNumber(cell, value, digits, goal) {
  const text = formatNumber(value, digits);
  if (cell.textContent !== text) cell.textContent = text;
  cell.dataset.value = String(goal);
}

/** @type {(name: string, row: number, col: number) => HTMLElement} */
const numberCell = (name, row, col) =>
  make("td", { class: "inorder-number", "data-name": name, "data-row": row, "data-col": col });

// Further columns, or those of a table: numbers come as { shape, values }, words as a list.
/** @type {(column: Column) => column is import("./states.js").ArrayOf} */
const isNumbers = (column) => !Array.isArray(column);

/** @type {(cells: HTMLElement[], column: Column, digits: number, goal: Column) => void} */
function showColumn(cells, column, digits, goal) {
  cells.forEach((cell, i) => {
    if (isNumbers(column) && isNumbers(goal)) showNumber(cell, column.values[i], digits, goal.values[i]);
    else if (!isNumbers(column) && cell.textContent !== column[i]) cell.textContent = column[i];
  });
}

/** @type {(column: Column, name: string, row: number) => HTMLElement} */
const columnCell = (column, name, row) => (isNumbers(column) ? numberCell(name, row, 0) : make("td", {}));

/** @typedef {{ root: HTMLElement, update: (panel: BarsPanel, size: Size, dark: boolean, goal: BarsPanel) => void }} BarsMark */

/** @type {(place: number, hand: import("./handles.js").Hand) => BarsMark} */
export function barsMark(place, hand) {
  const head = make("tr", {});
  const body = make("tbody", {});
  const table = make("table", { class: "inorder-bars" }, make("thead", {}, head), body);
  const { root, set: setHandles } = handlesOver(table, hand);
  let built = "";
  /** @type {{ i: number, k: number, extra: HTMLElement[], bar: HTMLElement, mark: HTMLElement, number: HTMLElement }[]} */
  let rows = [];

  /** @type {(panel: BarsPanel) => void} */
  function build(panel) {
    const { labels, series, columns, column_names, actor } = panel;
    const several = series.length > 1;
    const heads = [panel.label_axis, ...(several ? [""] : []), ...column_names, panel.axis];
    head.replaceChildren(...heads.map((text) => (text ? make("th", { scope: "col" }, text) : make("td", {}))));
    /** @type {HTMLTableCellElement} */ (head.lastChild).colSpan = 2; // bar and number
    head.parentElement?.classList.toggle(
      "inorder-unseen",
      heads.every((text) => text === ""),
    );
    table.classList.toggle("is-dense", labels.length * series.length > 7);
    table.dataset.actor = actor;
    rows = [];
    body.replaceChildren(
      ...labels.flatMap((label, i) =>
        series.map((name, k) => {
          const extra = column_names.map((title) => columnCell(columns[title], `${place}.${title}`, i));
          const bar = make("span", { class: `inorder-bar is-series-${k}` });
          const mark = make("span", { class: "inorder-reference" });
          const track = make("td", { class: "inorder-track" }, make("span", { class: "inorder-rail" }, bar, mark));
          const number = numberCell(`${place}.values`, k, i);
          rows.push({ i, k, extra, bar, mark, number });
          const line = make("tr", { class: several && k === 0 && i > 0 ? "is-first-of-row" : "" });
          if (k === 0) line.append(make("th", { scope: "row", rowspan: series.length }, ...named(actor, label)));
          if (several) line.append(make("td", { class: "inorder-series" }, name));
          line.append(...(k === 0 ? extra : extra.map(() => make("td", {}))), track, number);
          return line;
        }),
      ),
    );
  }

  /** @type {BarsMark["update"]} */
  function update(panel, _size, _dark, goal) {
    const { labels, series, columns, column_names, values, digits, reference, drag } = panel;
    const next = JSON.stringify([labels, series, column_names, panel.axis, panel.label_axis, panel.actor]);
    if (built !== next) build(panel);
    built = next;
    const [low, high] = panel.limits;
    const share = (/** @type {number} */ value) => (Math.min(Math.max(value, low), high) - low) / (high - low);
    for (const { i, k, bar, mark, number } of rows) {
      const at = k * labels.length + i;
      const value = values.values[at];
      const [from, to] = [share(Math.min(value, 0)), share(Math.max(value, 0))];
      bar.style.left = `${100 * from}%`;
      bar.style.width = `${100 * (to - from)}%`;
      mark.style.left = `${100 * share(reference ?? low)}%`;
      mark.hidden = reference === null;
      showNumber(number, value, digits, goal.values.values[at]);
    }
    column_names.forEach((title, c) =>
      showColumn(
        rows.filter((row) => row.k === 0).map((row) => row.extra[c]),
        columns[title],
        digits,
        goal.columns[title],
      ),
    );
    if (!drag.length) return setHandles([]);
    const corner = root.getBoundingClientRect();
    return setHandles(
      rows.map(({ i, k, bar }) => {
        const rail = /** @type {HTMLElement} */ (bar.parentElement).getBoundingClientRect();
        /** @type {(one: { values: { values: Numbers } }) => import("./handles.js").Spot} */
        const of = (one) => [
          rail.left - corner.left + rail.width * share(one.values.values[k * labels.length + i]),
          rail.top - corner.top + rail.height / 2,
        ];
        return { names: drag, label: labels[i], at: of(panel), of };
      }),
    );
  }

  return { root, update };
}

/** @typedef {{ root: HTMLElement, update: (panel: TablePanel, size: Size, dark: boolean, goal: TablePanel) => void }} TableMark */

/** @type {(place: number) => TableMark} */
export function tableMark(place) {
  const head = make("tr", {});
  const body = make("tbody", {});
  const root = make("table", { class: "inorder-table" }, make("thead", {}, head), body);
  let built = "";
  /** @type {HTMLElement[][]} */
  let cells = [];

  /** @type {TableMark["update"]} */
  function update(panel, _size, _dark, goal) {
    const columns = panel.column_names.map((name) => /** @type {const} */ ([name, panel.columns[name]]));
    const [[, longest]] = columns;
    const n = isNumbers(longest) ? longest.shape[0] : longest.length;
    const next = JSON.stringify([columns.map(([name]) => name), panel.rows, panel.actors, n]);
    if (built !== next) {
      cells = columns.map(([name, column]) =>
        Array.from({ length: n }, (_, row) => columnCell(column, `${place}.${name}`, row)),
      );
      const corner = panel.rows.length ? [make("td", {})] : [];
      head.replaceChildren(
        ...corner,
        ...columns.map(([name, column], c) =>
          make(
            "th",
            { scope: "col", class: isNumbers(column) ? "inorder-number" : "" },
            ...named(panel.actors[c], name),
          ),
        ),
      );
      body.replaceChildren(
        ...Array.from({ length: n }, (_, row) =>
          make(
            "tr",
            {},
            ...(panel.rows.length ? [make("th", { scope: "row" }, panel.rows[row])] : []),
            ...cells.map((column) => column[row]),
          ),
        ),
      );
    }
    built = next;
    columns.forEach(([name, column], c) => showColumn(cells[c], column, panel.column_digits[c], goal.columns[name]));
    root.classList.toggle("is-cards", panel.cards);
    if (!panel.cards) return;
    for (const row of body.rows) {
      row.classList.toggle(
        "is-inked",
        Array.from(row.cells).some(({ textContent }) => FILLED.has(textContent ?? "")),
      );
    }
  }

  return { root, update };
}

export function textMark() {
  const root = make("p", { class: "inorder-text" });
  const update = (/** @type {TextPanel} */ { words }) => {
    if (root.textContent !== words) root.textContent = words;
  };
  return { root, update };
}
