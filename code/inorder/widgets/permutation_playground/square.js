// The commuting square: the words as given, top left; in the reader's order, top right; below both, the rows that the model
// makes of them. Where the two roads meet, their rows are printed on each other, and what differs is out of register.

import { dragTiles, sortInPage } from "../kit/drag.js";
import { make } from "../kit/elements.js";
import { html, ref, render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { largestEntry } from "./arithmetic.js";

/** @typedef {import("./arithmetic.js").Computed} Computed */

const MOST_COLUMNS = 32; // of the numbers of a row, in sight
const LANDING = 420; // milliseconds from the roads to the place where they meet

// A row as a printed block: a skyline, at half its height for 0.
/** @type {(row: number[], largest: number, look: string) => unknown} */
const print = (row, largest, look) => html`<svg class="inorder-print ${look}" aria-hidden="true"
  viewBox="0 0 ${row.length} 2.2" preserveAspectRatio="none"><path
  d="M0 2.2${row.map((x, j) => `V${1 - x / largest}H${j + 1}`).join("")}V2.2z"></path></svg>`;

// The numbers of a row, each in sight while it is pointed at.
/** @type {(name: string, place: number, row: number[]) => unknown} */
const numbers = (name, place, row) =>
  row.map(
    (
      x,
      col,
    ) => html`<span class="inorder-number" data-name=${name} data-row=${place} data-col=${col} data-value=${x}><b>${formatNumber(x)}
      </b></span>`,
  );

const word = (/** @type {string} */ text) => html`<span class="inorder-word" dir="auto">${text || "␣"}</span>`;

// By mouse, touch and keyboard. order(): the token at each place; onMove(from, to) asks for one to be moved; onLetGo() is
// called when the hand has let one go.
/** @type {(root: HTMLElement, options: { order: () => number[], onMove: (from: number, to: number) => void, onLetGo: () => void }) => { update: (state: PermutationPlaygroundState, computed: Computed) => void, isHeld: () => boolean, stop: () => void }} */
export function square(root, { order, onMove, onLetGo }) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const list = (/** @type {string} */ label) =>
    make("div", { class: "inorder-slots", role: "list", "aria-label": label });
  const movedWords = list("P X, your order: the words, which you can move");
  const movedRows = list("f of P X, printed on P f of X");
  /** @type {{ tile: HTMLElement, row: HTMLElement, take: (tile?: Element) => void }[]} */
  let slots = []; // by token
  /** @type {number[]} */
  let shown = []; // the order that was drawn last
  const drag = dragTiles({
    box: movedWords,
    isColumn: () => true,
    unit: () => movedWords.clientHeight / slots.length,
    order,
    slotsOf: (tokens) => tokens.map((_, token) => ({ at: tokens.indexOf(token) + 0.5, size: 0.9 })),
    move: (token, to) => onMove(order().indexOf(token), to),
    draw,
    hold: (_, isHeld) => isHeld || onLetGo(),
  });

  // At each frame: where each token stands, and the one in hand.
  /** @type {(middles: number[], lifted: number | null) => void} */
  function draw(middles, lifted) {
    const held = drag.held();
    root.classList.toggle("is-holding", held !== null);
    for (const threads of root.querySelectorAll(".inorder-threads")) {
      const paths = middles.map((at, token) => {
        const from = token + 0.5;
        return svg`<path class=${token === lifted ? "is-held" : ""} d="M0 ${from}C45 ${from} 55 ${at} 100 ${at}"/>`;
      });
      render(paths, threads);
    }
    slots.forEach(({ tile, row }, token) => {
      for (const part of [tile, row]) {
        part.classList.toggle("is-held", token === lifted);
        part.style.transform = `translateY(calc(var(--pitch) * ${middles[token] - 0.5}))`;
      }
      row.classList.toggle("is-apart", token === held);
      row.style.setProperty("--at", String(middles[token]));
    });
  }

  /** @type {(token: number) => void} */
  function land(token) {
    for (const sheet of slots[token].row.querySelectorAll(".inorder-print")) {
      sheet.animate(
        { translate: ["var(--away)", "0px"], scale: ["0.5", "1"] },
        { duration: LANDING, easing: "ease-out" },
      );
    }
  }

  function makeSlot(/** @type {unknown} */ _, /** @type {number} */ token) {
    const part = () => make("div", { class: "inorder-slot", role: "listitem" });
    const take = (/** @type {Element | undefined} */ tile) => tile instanceof HTMLElement && drag.take(tile, token);
    return { tile: part(), row: part(), take };
  }

  /** @type {(state: PermutationPlaygroundState, computed: Computed) => void} */
  function update({ tokens, order: now, position }, { output, newOutput, changed }) {
    const n = tokens.length;
    const largest = largestEntry(output, newOutput);
    const nEntries = output[0].length;
    const nShown = Math.min(nEntries, MOST_COLUMNS);
    const rest = nShown < nEntries ? `, the first ${nShown} of ${nEntries} numbers` : "";
    const first = (/** @type {number[]} */ row) => row.slice(0, nShown);
    const longest = Math.max(4, ...tokens.map((text) => [...text].length));
    const [f, X, P] = ["f", "X", "P"].map((letter) => html`<var>${letter}</var>`);
    const note = (/** @type {unknown} */ text) => html`<div class="inorder-corner" aria-hidden="true">${text}</div>`;
    const rail = html`<div class="inorder-rail" aria-hidden="true">${tokens.map((_, i) => html`<span>${i}</span>`)}</div>`;
    const threads = svg`<svg class="inorder-threads" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 ${n}"></svg>`;
    const attend = html`<div class="inorder-attend" aria-hidden="true"><span>attend</span><svg
      viewBox="0 0 12 40"><path d="M6 0V38M1 33L6 39L11 33"/></svg></div>`;
    const shuffle = html`<div class="inorder-shuffle" aria-hidden="true">shuffle</div>`;
    const givenWords = html`<div class="inorder-slots" role="list" aria-label="X, the words as given">${tokens.map(
      (text) => html`<div class="inorder-slot" role="listitem"><div class="inorder-given">${word(text)}</div></div>`,
    )}</div>`;
    const givenRows = html`<div class="inorder-slots" role="list" aria-label="f of X">${tokens.map(
      (text, token) => html`<div class="inorder-slot" role="listitem">${word(text)}<div
        class="inorder-prints">${print(first(output[token]), largest, "")}${numbers("output", token, first(output[token]))}</div></div>`,
    )}</div>`;
    render(
      html`<div class="inorder-square ${position === "none" ? "" : "is-told"}"
        style="--n: ${n}; --letters: ${longest}; --columns: ${nShown}">
        ${note(html`${X}, as given`)}${shuffle}${note(html`${P}${X}, your order`)}
        <div class="inorder-side">${rail}${givenWords}</div>${threads}<div class="inorder-side">${rail}${movedWords}</div>
        ${attend}<i></i>${attend}
        <div class="inorder-side is-of-rows">${givenRows}</div>${threads}<div class="inorder-side is-of-rows is-meeting">${movedRows}</div>
        ${note(html`${f}(${X})${rest}`)}${shuffle}${note(html`${f}(${P}${X}) printed on ${P} ${f}(${X})`)}</div>`,
      root,
    );
    if (slots.length !== n) {
      slots = tokens.map(makeSlot);
      shown = now;
      movedWords.replaceChildren(...slots.map(({ tile }) => tile));
      movedRows.replaceChildren(...slots.map(({ row }) => row));
    }
    slots.forEach(({ tile, row, take }, token) => {
      const place = now.indexOf(token);
      const isChanged = changed[place].some(Boolean);
      const label = `${tokens[token]}, word ${token}, now at position ${place} (0 to ${n - 1}), row ${isChanged ? "changed" : "kept"}: the arrow keys move it`;
      const button = html`<button type="button" class="inorder-tile" data-token=${token} aria-label=${label}
        ${ref(take)}>${word(tokens[token])}</button>`;
      render(button, tile);
      const prints = html`<div class="inorder-prints" style="--from: ${token + 0.5}">
        ${print(first(newOutput[place]), largest, `is-of-right-road ${isChanged ? "is-changed" : ""}`)}
        ${print(first(output[token]), largest, "is-of-lower-road")}
        ${numbers("new_output", place, first(newOutput[place]))}</div>${word(tokens[token])}`;
      render(prints, row);
    });
    const pivot = now.indexOf(drag.held() ?? -1);
    for (const [box, part] of /** @type {const} */ ([
      [movedWords, "tile"],
      [movedRows, "row"],
    ])) {
      sortInPage(
        box,
        now.map((token) => slots[token][part]),
        pivot,
      );
    }
    const moved = now.filter((token, place) => shown[place] !== token);
    shown = now;
    drag.follow();
    if (drag.held() === null && !calm.matches) moved.forEach(land);
  }
  return { update, isHeld: () => drag.held() !== null, stop: drag.stop };
}
