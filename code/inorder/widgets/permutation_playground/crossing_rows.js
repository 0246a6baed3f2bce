// Two tables, a row of numbers for each word: in the order given, and in the reader's. A line joins the rows of a word.

import { divergingColour } from "../kit/colour.js";
import { button } from "../kit/controls.js";
import { dragTiles, sortInPage } from "../kit/drag.js";
import { make, setAttributes, svgNode, variable, write } from "../kit/elements.js";
import { kept } from "../kit/kept.js";
import { formatNumber } from "../kit/words.js";
import { largestEntry } from "./arithmetic.js";

/**
 * @typedef {{ left: HTMLElement, right: HTMLElement, output: NumberCell[], newOutput: NumberCell[], tile: HTMLElement, line: SVGPathElement }} Row of one word
 */

/** @typedef {ReturnType<typeof numberCell>} NumberCell */

/** @typedef {{ row: number, column: number, value: number, look: Look, isNew: boolean }} Shown */

/** @typedef {(value: number) => Tint & { text: string }} Look */

/** @typedef {import("./arithmetic.js").Computed} Computed */

/** @typedef {PermutationPlaygroundState} State */

const MOST_COLUMNS = 8;
const ROWS_A_FRAME = 4; // so many have new numbers written: with all of twelve, a slow phone drops a frame

// All in em: what a row takes besides its cells, on a wide page and on a narrow one.
const WIDE = { cell: 2.55, rail: 1.9, name: 7, grip: 1.7, threads: 5 };
const NARROW = { cell: 1.75, rail: 1.05, name: 2.9, grip: 0.9, threads: 1.9 };
const NARROW_BELOW = 36;

// Two digits, as far as so many signs and a minus have room.
/** @type {(x: number, nSigns: number) => string} */
function format(x, nSigns) {
  const before = Math.trunc(Math.abs(x)).toString().length;
  return formatNumber(x, Math.max(0, nSigns - before));
}

// One number. A step shows hundreds, most of them unchanged, and only those that changed are written. `look` gives the
// text and the colours of a value; where the same value looks different, it is a different function.
/** @type {(name: string) => { root: HTMLElement, show: (next: Shown) => void }} */
function numberCell(name) {
  const number = make("span");
  const corner = make("i", { class: "inorder-corner" });
  const root = make("div", { class: "inorder-number", "data-name": name }, number);
  let shown = /** @type {Shown} */ ({ isNew: false });
  /** @type {Partial<Tint>} */
  let colours = {};
  /** @type {(next: Shown) => void} */
  function show(next) {
    const { row, column, value, look, isNew } = next;
    if (row !== shown.row) root.setAttribute("data-row", String(row));
    if (column !== shown.column) root.setAttribute("data-col", String(column));
    if (value !== shown.value) root.setAttribute("data-value", String(value));
    if (isNew !== shown.isNew) isNew ? root.append(corner) : corner.remove();
    if (value !== shown.value || look !== shown.look) {
      const { text, fill, ink } = look(value);
      write(number, text);
      if (fill !== colours.fill) root.style.backgroundColor = fill;
      if (ink !== colours.ink) root.style.color = ink;
      colours = { fill, ink };
    }
    shown = next;
  }
  return { root, show };
}

// By mouse, touch and keyboard.
//   orderNow()     the token at each place; onMove(from, to) asks for one to be moved to another place
//   onFrame(at, held)   at each frame of the motion: where each token stands, and the one that is held
/**
 * @type {(options: { nEntries: number, orderNow: () => number[], onMove: (from: number, to: number) => void,
 *   onFrame: (at: number[], held: number | null) => void }) => { root: HTMLElement, update: (state: State,
 *   computed: Computed, dark: boolean) => void, stop: () => void }}
 */
export function crossingRows({ nEntries, orderNow, onMove, onFrame }) {
  const given = make("div", { class: "inorder-rows", role: "list", "aria-label": "f of X, as given" });
  const moved = make("div", {
    class: "inorder-rows inorder-moved-rows",
    role: "list",
    "aria-label": "f of P X, recomputed: the words, which you can move",
  });
  const threads = svgNode("svg", { class: "inorder-threads", "aria-hidden": "true", preserveAspectRatio: "none" });
  const rails = [0, 1].map(() => make("div", { class: "inorder-rail", "aria-hidden": "true" }));
  const which = make("span", { class: "inorder-which" });
  const earlier = button({ label: "Earlier numbers", text: "‹", onClick: () => turn(-1) });
  const later = button({ label: "Later numbers", text: "›", onClick: () => turn(1) });
  const pages = make("span", { class: "inorder-pages", "data-picture": "skip" }, which, earlier, later);
  /** @type {(...words: (Node | string)[]) => HTMLElement} */
  const head = (...words) => make("div", { class: "inorder-head-of-rows", "aria-hidden": "true" }, ...words);
  const [f, X, P] = ["f", "X", "P"].map((letter) => () => variable(letter));
  const root = make(
    "div",
    { class: "inorder-crossing" },
    head(f(), "(", X(), "), as given"),
    pages,
    head(f(), "(", P(), X(), "), recomputed"),
    make("div", { class: "inorder-table" }, rails[0], given),
    threads,
    make("div", { class: "inorder-table" }, rails[1], moved),
  );
  /** @type {Row[]} */
  let rows = []; // by token
  let [first, nColumns, narrow] = [0, 0, false];
  let shown =
    /** @type {Pick<Computed, "output" | "newOutput" | "changed"> & { order: number[], dark: boolean, look: Look }} */ ({});
  /** @type {number[]} */
  let unwritten = []; // tokens whose rows wait for their new numbers

  let size = 1; // of a tile, as a share of its place

  /** @type {(middles: number[], held: number | null, seconds: number) => boolean} */
  const draw = (middles, held, seconds) => {
    const at = middles.map((middle) => middle - 0.5);
    if (seconds > 0) writeRows(ROWS_A_FRAME);
    root.classList.toggle("is-holding", held !== null);
    rows.forEach(({ right, line }, token) => {
      const bend = `M0 ${token + 0.5}C50 ${token + 0.5} 50 ${at[token] + 0.5} 100 ${at[token] + 0.5}`;
      line.classList.toggle("is-held", token === held);
      right.classList.toggle("is-held", token === held);
      if (line.getAttribute("d") === bend) return;
      line.setAttribute("d", bend);
      right.style.transform = `translateY(calc(var(--pitch) * ${at[token]}))`;
    });
    onFrame(at, held);
    return unwritten.length > 0;
  };
  const drag = dragTiles({
    box: moved,
    isColumn: () => true,
    unit() {
      const pitch = moved.clientHeight / rows.length;
      size = rows[0].tile.offsetHeight / pitch;
      return pitch;
    },
    order: orderNow,
    slotsOf: (order) => order.map((_, token) => ({ at: order.indexOf(token) + 0.5, size })),
    move: (token, to) => onMove(orderNow().indexOf(token), to),
    draw,
  });

  /** @type {(step: number) => void} */
  function turn(step) {
    first = Math.min(Math.max(first + step * nColumns, 0), nEntries - nColumns);
    fill();
    unwritten = [...shown.order];
    writeRows(rows.length);
  }

  /** @type {(n: number) => void} */
  function build(n) {
    const cells = (/** @type {string} */ name) => Array.from({ length: nColumns }, () => numberCell(name));
    const line = (/** @type {HTMLElement} */ head, /** @type {NumberCell[]} */ numbers) =>
      make("div", { class: "inorder-row-of-word", role: "listitem" }, head, ...numbers.map(({ root: cell }) => cell));
    const word = () => make("span", { class: "inorder-word", dir: "auto" });
    const name = () => make("span", { class: "inorder-name" }, word());
    rows = Array.from({ length: n }, (_, token) => {
      const tile = make(
        "button",
        {
          type: "button",
          class: "inorder-tile",
          "data-token": token,
        },
        word(),
      );
      drag.take(tile, token);
      const [output, newOutput] = [cells("output"), cells("new_output")];
      const [left, right] = [line(name(), output), line(tile, newOutput)];
      return { left, right, output, newOutput, tile, line: svgNode("path") };
    });
    given.replaceChildren(...rows.map(({ left }) => left));
    moved.replaceChildren(...rows.map(({ right }) => right));
    threads.replaceChildren(...rows.map(({ line }) => line));
    threads.setAttribute("viewBox", `0 0 100 ${n}`);
    for (const rail of rails) rail.replaceChildren(...rows.map((_, place) => make("span", {}, String(place))));
    root.style.setProperty("--n", String(n));
  }

  // How many columns there is room for, and how wide the words may be.
  /** @type {(n: number, longest: number) => void} */
  function measure(n, longest) {
    const em = parseFloat(getComputedStyle(root).fontSize);
    const room = (root.clientWidth || 40 * em) / em;
    narrow = room < NARROW_BELOW;
    const size = narrow ? NARROW : WIDE;
    const name = Math.min(size.name, Math.max(2.6, 0.68 * longest));
    const left = room - 2 * (size.rail + name) - size.grip - size.threads - 0.8;
    const fitting = Math.min(MOST_COLUMNS, nEntries, Math.max(1, Math.floor(left / 2 / size.cell)));
    const isOther = fitting !== nColumns || n !== rows.length;
    nColumns = fitting;
    first = Math.min(first, nEntries - nColumns);
    if (isOther) build(n);
    const lengths = { name, cell: size.cell, rail: size.rail, grip: size.grip };
    for (const [key, length] of Object.entries(lengths)) root.style.setProperty(`--${key}`, `${length}em`);
    root.style.setProperty("--letters", String(Math.max(4, longest)));
    root.classList.toggle("is-narrow", narrow);
  }

  /** @type {(largest: number, dark: boolean, isNarrow: boolean) => Look} */
  const lookOf = kept((largest, dark, isNarrow) => (/** @type {number} */ value) => ({
    text: format(value, isNarrow ? 2 : 3),
    ...divergingColour(value / largest, dark),
  }));

  /** @type {(cells: NumberCell[], row: number, values: number[], areNew: boolean[], look: Look) => void} */
  function fillRow(cells, row, values, areNew, look) {
    cells.forEach((cell, k) => {
      const column = first + k;
      cell.show({ row, column, value: values[column], look, isNew: areNew[column] });
    });
  }
  // Before the words are moved: unchanged in most steps.
  /** @type {(rows: Row[], values: Matrix, look: Look, first: number) => void} */
  const fillGiven = kept((all, values, look, _first) => {
    all.forEach(({ output }, token) => fillRow(output, token, values[token], [], look));
  });
  function fill() {
    const { output, newOutput, dark } = shown;
    shown.look = lookOf(Math.max(largestEntry(output), largestEntry(newOutput)), dark, narrow);
    fillGiven(rows, output, shown.look, first);
    const isAll = nColumns === nEntries;
    if (pages.hidden !== isAll) pages.hidden = isAll; // written again, it costs its styles
    write(which, `${first} to ${first + nColumns - 1} of ${nEntries}`);
    [earlier.disabled, later.disabled] = [first === 0, first + nColumns >= nEntries];
  }
  /** @type {(n: number) => void} */
  function writeRows(n) {
    const { newOutput, order, changed, look } = shown;
    for (const token of unwritten.splice(0, n)) {
      const place = order.indexOf(token);
      fillRow(rows[token].newOutput, place, newOutput[place], changed[place], look);
    }
  }

  // all: { output, newOutput, changed: by place and column, has the recomputed number changed? }
  /** @type {(state: State, computed: Computed, dark: boolean) => void} */
  function update({ tokens, order, position }, { output, newOutput, changed }, dark) {
    const [n, known, before] = [tokens.length, rows, shown.order];
    measure(n, Math.max(...tokens.map((text) => [...text].length)));
    shown = { output, newOutput, changed, order, dark, look: shown.look };
    root.classList.toggle("is-told", position !== "none");
    rows.forEach(({ left, tile }, token) => {
      write(/** @type {Element} */ (left.querySelector(".inorder-word")), tokens[token] || "␣");
      write(/** @type {Element} */ (tile.firstChild), tokens[token] || "␣");
      const place = order.indexOf(token);
      const became = changed[place].some(Boolean) ? "changed" : "kept";
      const words = `${tokens[token]}, word ${token}, now at position ${place} (0 to ${n - 1}), row ${became}`;
      setAttributes(tile, { "aria-label": `${words}: the arrow keys move it` });
    });
    fill();
    const stays = (/** @type {number} */ token) => Number(before?.indexOf(token) === order.indexOf(token));
    unwritten = [...order].sort((a, b) => stays(a) - stays(b)); // first the words that move
    writeRows(known === rows ? ROWS_A_FRAME : n);
    sortInPage(
      moved,
      order.map((token) => rows[token].right),
      order.indexOf(drag.held() ?? -1),
    );
    drag.follow();
  }

  return { root, update, stop: drag.stop };
}
