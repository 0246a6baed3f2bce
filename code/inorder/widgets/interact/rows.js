// Marks that are rows of words and numbers: bars, tables, text.

import { make } from "../kit/elements.js";
import { formatNumber } from "../kit/words.js";
import { named } from "./actors.js";

/** @typedef {import("./states.js").TextPanel} TextPanel */

/** @typedef {import("./states.js").TablePanel} TablePanel */

/** @typedef {import("./states.js").BarsPanel} BarsPanel */

/** @typedef {import("./states.js").Column} Column */

// A number on the page: as written, and at the precision that came from Python.
/** @type {(cell: HTMLElement, value: number, digits: number) => void} */
function showNumber(cell, value, digits) {
  const text = formatNumber(value, digits);
  if (cell.textContent !== text) cell.textContent = text;
  cell.dataset.value = String(value);
}

/** @type {(name: string, row: number, col: number) => HTMLElement} */
const numberCell = (name, row, col) =>
  make("td", { class: "inorder-number", "data-name": name, "data-row": row, "data-col": col });

// Further columns, or those of a table: numbers come as { shape, values }, words as a list.
/** @type {(column: Column) => column is import("./states.js").ArrayOf} */
const isNumbers = (column) => !Array.isArray(column);

/** @type {(cells: HTMLElement[], column: Column, digits: number) => void} */
function showColumn(cells, column, digits) {
  cells.forEach((cell, i) => {
    if (isNumbers(column)) showNumber(cell, column.values[i], digits);
    else if (cell.textContent !== column[i]) cell.textContent = column[i];
  });
}

/** @type {(column: Column, name: string, row: number) => HTMLElement} */
const columnCell = (column, name, row) => (isNumbers(column) ? numberCell(name, row, 0) : make("td", {}));

/** @type {(place: number) => { root: HTMLElement, update: (panel: BarsPanel) => void }} */
export function barsMark(place) {
  const head = make("tr", {});
  const body = make("tbody", {});
  const root = make("table", { class: "inorder-bars" }, make("thead", {}, head), body);
  let built = "";
  /** @type {{ i: number, k: number, extra: HTMLElement[], bar: HTMLElement, mark: HTMLElement, number: HTMLElement }[]} */
  let rows = [];

  /** @type {(panel: BarsPanel) => void} */
  function build(panel) {
    const { labels, series, columns, actor } = panel;
    const several = series.length > 1;
    const heads = [panel.label_axis, ...(several ? [""] : []), ...Object.keys(columns), panel.axis];
    head.replaceChildren(...heads.map((text) => make("th", { scope: "col" }, text)));
    /** @type {HTMLTableCellElement} */ (head.lastChild).colSpan = 2; // bar and number
    head.parentElement?.classList.toggle(
      "inorder-unseen",
      heads.every((text) => text === ""),
    );
    root.classList.toggle("is-dense", labels.length * series.length > 7);
    rows = [];
    body.replaceChildren(
      ...labels.flatMap((label, i) =>
        series.map((name, k) => {
          const extra = Object.entries(columns).map(([title, column]) => columnCell(column, `${place}.${title}`, i));
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

  /** @type {(panel: BarsPanel) => void} */
  function update(panel) {
    const { labels, series, columns, values, digits, reference } = panel;
    const next = JSON.stringify([labels, series, Object.keys(columns), panel.axis, panel.label_axis, panel.actor]);
    if (built !== next) build(panel);
    built = next;
    const [low, high] = panel.limits;
    const share = (/** @type {number} */ value) => (Math.min(Math.max(value, low), high) - low) / (high - low);
    for (const { i, k, bar, mark, number } of rows) {
      const value = values.values[k * labels.length + i];
      const [from, to] = [share(Math.min(value, 0)), share(Math.max(value, 0))];
      bar.style.left = `${100 * from}%`;
      bar.style.width = `${100 * (to - from)}%`;
      mark.style.left = `${100 * share(reference ?? low)}%`;
      mark.hidden = reference === null;
      showNumber(number, value, digits);
    }
    Object.values(columns).forEach((column, c) =>
      showColumn(
        rows.filter((row) => row.k === 0).map((row) => row.extra[c]),
        column,
        digits,
      ),
    );
  }

  return { root, update };
}

/** @type {(place: number) => { root: HTMLElement, update: (panel: TablePanel) => void }} */
export function tableMark(place) {
  const head = make("tr", {});
  const body = make("tbody", {});
  const root = make("table", { class: "inorder-table" }, make("thead", {}, head), body);
  let built = "";
  /** @type {HTMLElement[][]} */
  let cells = [];

  /** @type {(panel: TablePanel) => void} */
  function update(panel) {
    const columns = Object.entries(panel.columns);
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
    columns.forEach(([, column], c) => showColumn(cells[c], column, panel.digits));
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
