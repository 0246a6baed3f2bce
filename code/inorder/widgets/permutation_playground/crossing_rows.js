// Two tables, a row of numbers for each word: in the order given, and in the reader's. A line joins the rows of a word.

import { divergingColour } from "../kit/colour.js";
import { dragTiles, sortInPage } from "../kit/drag.js";
import { make } from "../kit/elements.js";
import { html, nothing, ref, render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { largestEntry } from "./arithmetic.js";

/** @typedef {import("./arithmetic.js").Computed} Computed */
/** @typedef {(state: PermutationPlaygroundState, computed: Computed, dark: boolean) => void} Update */

const MOST_COLUMNS = 32; // of the numbers of a row, in sight
const SPEAKS = 0.05; // a smaller number is printed only where the pointer is

// A number, which the style sheet prints where there is room for it.
/** @type {(name: string, row: number, col: number, value: number, largest: number, dark: boolean, isNew?: boolean) => unknown} */
function numberCell(name, row, col, value, largest, dark, isNew = false) {
  const { fill, ink } = divergingColour(value / largest, dark);
  const digits = 3 - Math.trunc(Math.abs(value)).toString().length;
  return html`<div class="inorder-number ${Math.abs(value) < SPEAKS ? "is-faint" : ""}" data-name=${name} data-row=${row}
    data-col=${col} data-value=${value} style="background-color: ${fill}; color: ${ink}"><span>${formatNumber(value, Math.max(0, digits))}</span>${
      isNew ? html`<i class="inorder-corner"></i>` : nothing
    }</div>`;
}

// By mouse, touch and keyboard. order(): the token at each place; onMove(from, to) asks for one to be moved.
/** @type {(root: HTMLElement, options: { order: () => number[], onMove: (from: number, to: number) => void }) => { update: Update, stop: () => void }} */
export function crossingRows(root, { order, onMove }) {
  const moved = make("div", {
    class: "inorder-rows inorder-moved-rows",
    role: "list",
    "aria-label": "f of P X, recomputed: the words, which you can move",
  });
  /** @type {{ row: HTMLElement, take: (tile?: Element) => void }[]} */
  let rows = []; // by token
  let size = 1; // of a tile, as a share of its place
  const drag = dragTiles({
    box: moved,
    isColumn: () => true,
    unit() {
      const pitch = moved.clientHeight / rows.length;
      size = /** @type {HTMLElement} */ (moved.querySelector(".inorder-tile")).offsetHeight / pitch;
      return pitch;
    },
    order,
    slotsOf: (tokens) => tokens.map((_, token) => ({ at: tokens.indexOf(token) + 0.5, size })),
    move: (token, to) => onMove(order().indexOf(token), to),
    draw,
  });

  // At each frame: where each token stands, and the one in hand.
  /** @type {(middles: number[], held: number | null) => void} */
  function draw(middles, held) {
    root.classList.toggle("is-holding", held !== null);
    const lines = middles.map(
      (at, token) => svg`<path class=${token === held ? "is-held" : ""}
        d="M0 ${token + 0.5}C50 ${token + 0.5} 50 ${at} 100 ${at}"/>`,
    );
    render(lines, /** @type {Element} */ (root.querySelector(".inorder-threads")));
    rows.forEach(({ row }, token) => {
      row.classList.toggle("is-held", token === held);
      row.style.transform = `translateY(calc(var(--pitch) * ${middles[token] - 0.5}))`;
    });
  }

  /** @type {(token: number) => { row: HTMLElement, take: (tile?: Element) => void }} */
  const makeRow = (token) => ({
    row: make("div", { class: "inorder-row-of-word", role: "listitem" }),
    take: (tile) => tile instanceof HTMLElement && drag.take(tile, token),
  });
  const word = (/** @type {string} */ text) => html`<span class="inorder-word" dir="auto">${text || "␣"}</span>`;

  /** @type {Update} */
  function update({ tokens, order: tokensAt, position }, { output, newOutput, changed }, dark) {
    const n = tokens.length;
    const largest = largestEntry(output, newOutput);
    const nEntries = output[0].length;
    const shown = Math.min(nEntries, MOST_COLUMNS);
    const rest = shown < nEntries ? `, the first ${shown} of ${nEntries} numbers` : "";
    /** @type {(name: string, place: number, values: number[], areNew?: boolean[]) => unknown} */
    const cells = (name, place, values, areNew = []) =>
      values.slice(0, shown).map((x, j) => numberCell(name, place, j, x, largest, dark, areNew[j]));
    const rail = html`<div class="inorder-rail" aria-hidden="true">${tokens.map((_, i) => html`<span>${i}</span>`)}</div>`;
    const longest = Math.max(4, ...tokens.map((text) => [...text].length));
    const [f, X, P] = ["f", "X", "P"].map((letter) => html`<var>${letter}</var>`);
    const style = `--n: ${n}; --letters: ${longest}; --columns: ${shown}`;
    const view = html`<div class="inorder-crossing ${position === "none" ? "" : "is-told"}" style=${style}>
      <div class="inorder-head-of-rows" aria-hidden="true">${f}(${X}), as given${rest}</div>
      <div class="inorder-head-of-rows" aria-hidden="true">${f}(${P}${X}), recomputed</div>
      <div class="inorder-table">${rail}<div class="inorder-rows" role="list" aria-label="f of X, as given">${tokens.map(
        (text, token) =>
          html`<div class="inorder-row-of-word" role="listitem"><span class="inorder-name">${word(text)}</span>${cells("output", token, output[token])}</div>`,
      )}</div></div>
      <svg class="inorder-threads" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 ${n}"></svg>
      <div class="inorder-table">${rail}${moved}</div></div>`;
    render(view, root);
    if (rows.length !== n) {
      rows = tokens.map((_, token) => makeRow(token));
      moved.replaceChildren(...rows.map(({ row }) => row));
    }
    rows.forEach(({ row, take }, token) => {
      const place = tokensAt.indexOf(token);
      const became = changed[place].some(Boolean) ? "changed" : "kept";
      const label = `${tokens[token]}, word ${token}, now at position ${place} (0 to ${n - 1}), row ${became}: the arrow keys move it`;
      const tile = html`<button type="button" class="inorder-tile" data-token=${token} aria-label=${label}
        ${ref(take)}>${word(tokens[token])}</button>`;
      render(html`${tile}${cells("new_output", place, newOutput[place], changed[place])}`, row);
    });
    const inPage = tokensAt.map((token) => rows[token].row);
    sortInPage(moved, inPage, tokensAt.indexOf(drag.held() ?? -1));
    drag.follow();
  }
  return { update, stop: drag.stop };
}
