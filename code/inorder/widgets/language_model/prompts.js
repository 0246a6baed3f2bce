// The prompt: its words as tiles, one of which a hand lifts out and drops on another, to trade places with it. What stands
// between the words stays. And the text itself, to be edited.

import { clamp } from "../kit/arithmetic.js";
import { dragTiles, sortInPage, spotIn } from "../kit/drag.js";
import { make, setAttributes } from "../kit/elements.js";
import { html } from "../kit/vendor/lit.js";

const ROW = 2.4; // of letters: from line to line
const SPACE = 0.3;
const TURN = 200; // pixels between the end of a line and the start of the next: no tile is as far over its edge
const WORD = /[^\s\p{P}](?:\S*[^\s\p{P}])?/gu; // without the punctuation around it

/** The words of a text, and what stands before, between and after them. @type {(text: string) => { words: string[], gaps: string[] }} */
export function cut(text) {
  const words = [...text.matchAll(WORD)];
  const ends = [0, ...words.map(({ 0: word, index }) => index + word.length)];
  return {
    words: words.map(([word]) => word),
    gaps: ends.map((end, k) => text.slice(end, words[k]?.index ?? text.length)),
  };
}

/** @type {(order: number[], from: number, to: number) => number[]} */
export const swap = (order, from, to) => order.map((token, k) => order[k === from ? to : k === to ? from : k] ?? token);

/** @type {(words: string[], gaps: string[], order: number[]) => string} */
export const textOf = (words, gaps, order) => gaps.map((gap, k) => gap + (words[order[k]] ?? "")).join("");

/**
 * onMove(before, after): a word was dropped elsewhere. update(text, before) draws; the words that stand elsewhere than in
 * `before` are marked.
 * @param {(before: string, after: string) => void} onMove
 */
export function promptTiles(onMove) {
  const root = make("div", { class: "inorder-lm-tiles", dir: "auto", role: "group", "aria-label": "The prompt" });
  let shown = "";
  let { words, gaps } = cut("");
  /** @type {number[]} */
  let order = []; // the token at each place
  let start = { token: -1, order, text: "" }; // before the hand took its word
  /** @type {number | null} */
  let chosen = null; // the first of two words that are pressed
  /** @type {HTMLElement[]} */
  let tiles = []; // by token
  /** @type {{ mark: HTMLElement, gap: number, isBefore: boolean }[]} */
  let marks = []; // of punctuation, before or after the space
  let letters = 0; // pixels
  let room = 0; // pixels: the width
  let isLeftward = false;
  /** @type {Map<HTMLElement, number>} */
  const widths = new Map(); // to ask for them at each frame would lay out the page
  const hand = { y: 0, grip: 0, lift: 0 }; // lift: how far below its line the tile in hand is drawn

  const stride = () => room + TURN;
  const row = () => ROW * letters;
  const text = () => textOf(words, gaps, order);
  const widthOf = (/** @type {HTMLElement} */ element) => widths.get(element) ?? 0;

  const drag = dragTiles({
    box: root,
    along(event) {
      const [x, y] = spotIn(root, event);
      hand.y = clamp(y, 0, root.offsetHeight - 1);
      return Math.floor(hand.y / row()) * stride() + (isLeftward ? room - x : x);
    },
    order: () => order,
    slotsOf: (tokens) => lay(tokens).slots,
    move(token, to) {
      if (start.token !== token) start = { token, order, text: text() };
      order = swap(start.order, start.order.indexOf(token), to);
      drag.follow();
      if (drag.held() === null) commit();
    },
    hold(token, isHeld) {
      if (!isHeld) return commit();
      start = { token, order, text: text() };
      hand.grip = hand.y - Math.floor(hand.y / row()) * row();
    },
    tap(token) {
      const other = chosen;
      chosen = other === null ? token : null;
      if (other !== null && other !== token) {
        start = { token: -1, order, text: text() };
        order = swap(order, order.indexOf(other), order.indexOf(token));
        commit();
      }
      name();
      drag.follow();
    },
    draw,
  });

  function commit() {
    if (text() !== shown) onMove(start.text, text());
  }

  // Where each tile and each mark rests, on lines that are broken at spaces.
  /** @type {(tokens: number[]) => { slots: import("../kit/drag.js").Slot[], spots: number[], nLines: number }} */
  function lay(tokens) {
    /** @type {import("../kit/drag.js").Slot[]} */
    const slots = [];
    /** @type {number[]} */
    const spots = [];
    let line = 0;
    let x = 0;
    gaps.forEach((gap, k) => {
      const put = (/** @type {boolean} */ isBefore) =>
        marks.forEach(({ mark, ...place }, i) => {
          if (place.gap !== k || place.isBefore !== isBefore) return;
          spots[i] = line * stride() + x;
          x += widthOf(mark);
        });
      const size = widthOf(tiles[tokens[k]]);
      put(true);
      if (/\s/.test(gap)) x += SPACE * letters;
      if (x > 0 && x + size > room && /\s/.test(gap)) [line, x] = [line + 1, 0];
      put(false);
      if (size) slots[tokens[k]] = { at: line * stride() + x + size / 2, size };
      x += size;
    });
    return { slots, spots, nLines: line + 1 };
  }

  /** @type {(element: HTMLElement, x: number, y: number) => void} */
  function putAt(element, x, y) {
    const left = isLeftward ? room - x - widthOf(element) : x;
    element.style.transform = `translate(${left.toFixed(1)}px, ${y.toFixed(1)}px)`;
  }

  /** @type {(at: number[], lifted: number | null, seconds?: number) => boolean} */
  function draw(at, lifted, seconds = 0) {
    const line = Math.floor(hand.y / row());
    if (drag.held() !== null) hand.lift = hand.y - line * row() - hand.grip;
    else hand.lift *= Math.exp(-16 * seconds);
    const { spots, nLines } = lay(order);
    root.style.height = `${nLines * row()}px`;
    tiles.forEach((tile, token) => {
      const own = token === drag.held() ? line : Math.floor(at[token] / stride());
      putAt(tile, at[token] - own * stride() - widthOf(tile) / 2, own * row() + (token === lifted ? hand.lift : 0));
      tile.classList.toggle("is-dragged", token === lifted);
    });
    marks.forEach(({ mark }, i) => {
      const own = Math.floor(spots[i] / stride());
      putAt(mark, spots[i] - own * stride(), own * row());
    });
    return Math.abs(hand.lift) > 0.5 && drag.held() === null;
  }

  function build() {
    start = { token: -1, order, text: text() };
    chosen = null;
    tiles = words.map((word, token) => {
      const tile = make("button", { type: "button", class: "inorder-tile" }, word);
      drag.take(tile, token);
      return tile;
    });
    marks = gaps.flatMap((gap, k) => {
      const [, before, after] = /** @type {RegExpMatchArray} */ (gap.match(/^(\S*)(.*)$/su));
      return [before, after.trim()].flatMap((sign, side) => {
        const mark = make("span", { class: "inorder-lm-mark", "aria-hidden": "true" }, sign);
        return sign ? [{ mark, gap: k, isBefore: side === 0 }] : [];
      });
    });
    widths.clear();
    root.replaceChildren(...tiles, ...marks.map(({ mark }) => mark));
  }

  function name() {
    order.forEach((token, place) =>
      setAttributes(tiles[token], {
        "aria-pressed": token === chosen,
        "aria-label": `“${words[token]}”, word ${place + 1} of ${order.length}`,
      }),
    );
  }

  /** @type {(next: string, before: string) => void} */
  function update(next, before) {
    const isNew = next !== shown && next !== text();
    shown = next;
    if (isNew) {
      ({ words, gaps } = cut(next));
      order = [...words.keys()];
      build();
    }
    const { fontSize, direction } = getComputedStyle(root);
    letters = Number.parseFloat(fontSize);
    isLeftward = direction === "rtl";
    const isWider = room !== root.offsetWidth;
    room = root.offsetWidth;
    for (const element of [...tiles, ...marks.map(({ mark }) => mark)]) widths.set(element, element.offsetWidth);
    const old = cut(before).words;
    if (drag.held() === null)
      order.forEach((token, k) => tiles[token].classList.toggle("is-moved", words[token] !== old[k]));
    name();
    const inOrder = [...order.map((token) => tiles[token]), ...marks.map(({ mark }) => mark)];
    sortInPage(root, inOrder, order.indexOf(drag.held() ?? -1));
    drag.follow({ jump: isNew || isWider });
  }

  return { root, update, stop: drag.stop };
}

/** A line for the reader's own prompt. @type {(text: string, longest: number, onEdit: (text: string) => void) => unknown} */
export const promptEditor = (text, longest, onEdit) => html`<form class="inorder-lm-own"
  @submit=${(/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const [box] = /** @type {HTMLFormElement} */ (event.target).elements;
    onEdit(/** @type {HTMLInputElement} */ (box).value);
  }}><input type="text" .value=${text} required pattern=".*\\S.*" maxlength=${longest} dir="auto" spellcheck="false"
    autocomplete="off" aria-label="Text of the prompt"><button class="inorder-button">Run</button></form>`;
