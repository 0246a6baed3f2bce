// Weight as darkness: under each word of one line a blot of ink, whose area and darkness are its weight.

import { clamp } from "../kit/arithmetic.js";
import { make } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { html, nothing, render } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { named } from "./actors.js";

/** @typedef {import("./states.js").InkPanel} InkPanel */

// In the units of view.js, fifteenths of an em.
const LARGEST = 23; // letters
const SMALLEST = 12; // in a line of equal columns: longer lines wrap, and longer rulers leave out numbers
const WRAPPED = 17;
const LETTER = 0.52; // of its size, which a letter takes across
const BLOT = { most: 58, columns: 2.4 }; // across, with all the weight; and that in columns, if they are narrow
const SHARE = 34; // what the digits of a weight take across
const MARGIN = 14; // as that of a plane without axes, so that its columns stand under the dots
const ASKS = 11; // from the top of a line to the middle of ◆
const TIE = 0.005; // weights that are printed alike
const MOST_TIES = 3; // more than so many are not printed
const MENTIONED = 0.05; // a weight that is printed where it is the largest, and told

/** @type {MakeMark<InkPanel>} */
function inkMark(place, hand) {
  const line = make("div", { class: "inorder-ink", role: "application" });
  const { root, set: setHandles } = hand.handlesOver(line, hand);
  const read = hand.readerOver(root, line);
  /** @type {InkPanel} */
  let shown;
  let fitted = "";
  /** @type {Spot[]} */
  let spots = []; // where ◆ is above each word
  let every = 1; // which numbers of a ruler are written
  let isRoomy = true; // so that the digits of neighbours don't touch

  // A tap on a word makes it the one that asks.
  line.addEventListener("click", ({ target }) => {
    const cell = /** @type {HTMLElement} */ (target).closest(".inorder-ink-word");
    const word = [...line.children].indexOf(/** @type {Element} */ (cell));
    const next = shown.drag.length && hand.statesOf(shown.drag).find((one) => askedIn(hand.panelAt(one)) === word);
    if (next && word !== shown.asks) hand.set(next);
  });
  const askedIn = (/** @type {{ asks: number | null }} */ { asks }) => asks;

  /** @type {(panel: InkPanel, size: Size) => void} */
  function fit({ labels, drag }, { width, unit }) {
    const across = LETTER * Math.max(2, ...labels.map((word) => [...word].length));
    const room = (width - 2 * MARGIN) / labels.length;
    const isRuler = labels.every((word) => /^[-−]?\d+$/.test(word));
    const isNarrow = room - 2 < across * SMALLEST;
    const letters = Math.floor(Math.min(LARGEST, (room - 2) / across));
    every = isRuler && isNarrow ? Math.ceil((across * SMALLEST + 2) / room) : 1;
    line.classList.toggle("is-wrapped", isNarrow && !isRuler);
    line.classList.toggle("is-loose", drag.length > 0);
    line.style.setProperty("--n", String(labels.length));
    line.style.setProperty("--letters", `${unit * (isNarrow ? (isRuler ? SMALLEST : WRAPPED) : letters)}px`);
    const blot = isNarrow && !isRuler ? BLOT.most : Math.min(BLOT.most, BLOT.columns * room);
    line.style.setProperty("--blot", `${unit * blot}px`);
    isRoomy = !isRuler || room > SHARE;
    line.style.setProperty("--margin", `${unit * MARGIN}px`);
  }

  /** @type {MarkOf<InkPanel>["update"]} */
  function update(panel, size, _dark, goal) {
    shown = goal;
    const { labels, notes, asks, target, absent, actor, drag } = goal;
    const next = JSON.stringify([size, labels, notes, drag]);
    if (fitted !== next) fit(goal, size);
    const weights = goal.weights.values;
    const most = Math.max(...weights);
    const ties = weights.filter((weight) => weight >= most - TIE).length;
    const cell = (/** @type {string} */ word, /** @type {number} */ i) => {
      const weight = clamp(panel.weights.values[i], 0, 1);
      const isMost = weights[i] >= Math.max(MENTIONED, most - TIE) && ties <= (isRoomy ? MOST_TIES : 1);
      return html`<div class="inorder-ink-word ${absent.includes(i) ? "is-absent" : ""}" aria-hidden="true">
        <span class="inorder-ink-asks">${asks === i ? named("query", "") : nothing}</span>
        <span class="inorder-word is-text-of-${actor}" dir="auto">${i % every ? "" : word}</span>
        ${notes[i] ? html`<span class="inorder-ink-note">${notes[i]}</span>` : nothing}
        <span class="inorder-ink-room">${target === i ? html`<span class="is-target"></span>` : nothing}<span class="inorder-blot"
          style="--size: ${Math.sqrt(weight).toFixed(4)}; --dark: ${(weight ** 0.4).toFixed(3)}"
          data-name="${place}.weights" data-row="0" data-col=${i} data-value=${weights[i]}></span></span>
        <span class="inorder-ink-share">${isMost ? formatNumber(weights[i]) : ""}</span></div>`;
    };
    render(labels.map(cell), line);
    if (fitted !== next) {
      const cells = /** @type {HTMLElement[]} */ ([...line.children]);
      spots = cells.map((one) => [one.offsetLeft + one.offsetWidth / 2, one.offsetTop + ASKS * size.unit]);
    }
    fitted = next;
    const of = (/** @type {AnyPanel} */ one) => spots[one.asks ?? 0];
    setHandles(drag.length && asks !== null ? [{ names: drag, label: "the word that asks", at: spots[asks], of }] : []);
    if (panel !== goal) return;
    line.setAttribute("aria-label", `${goal.title ? `${goal.title}: ` : ""}${describe(goal)}`);
    read(() => [labels.flatMap((word, i) => (absent.includes(i) ? [] : [readingOf(goal, word, i)]))]);
  }

  /** @type {(goal: InkPanel, word: string, i: number) => import("./reader.js").Reading} */
  function readingOf({ weights }, word, i) {
    const cells = /** @type {HTMLElement[]} */ ([...line.children]);
    const { offsetTop, offsetHeight, offsetWidth } = cells[i];
    return {
      at: [spots[i][0], offsetTop + offsetHeight / 2],
      reach: [offsetWidth / 2, offsetHeight / 2],
      words: `${word}: ${formatNumber(weights.values[i])}`,
    };
  }

  return { root, update };
}

// As ink.py says it.
/** @type {(panel: InkPanel) => string} */
function describe({ labels, weights, asks }) {
  const order = labels.map((_, i) => i).sort((a, b) => weights.values[b] - weights.values[a]);
  const dark = order.filter((i) => weights.values[i] >= MENTIONED);
  const told = dark.map((i) => `${labels[i]} ${formatNumber(weights.values[i])}`);
  const asking = asks === null ? "" : `“${labels[asks]}” asks. `;
  return `the words ${labels.join(" ")}. ${asking}Ink under ${told.join(", ") || `no word as much as ${MENTIONED}`}.`;
}

MARKS.ink = { make: inkMark, narrowest: 300 };
