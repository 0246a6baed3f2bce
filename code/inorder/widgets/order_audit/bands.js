// The text before and after: a word, its output row below it, and lines from each word to where it stands now.

import { divergingColour } from "../kit/colour.js";
import { make, setAttributes, setChildren, svgNode, write } from "../kit/elements.js";
import { formatDifference } from "../kit/words.js";

/**
 * @typedef {{ text: string, row: number[], word?: number, difference?: number, follows?: boolean, isFaded?: boolean }} Slot
 */

const ZERO = 0.28; // the width of a row of zeros, where a word's is 1

/** @type {(n: number, zeros: number[]) => number[]} */
const widths = (n, [before, after]) => [...Array(before).fill(ZERO), ...Array(n).fill(1), ...Array(after).fill(ZERO)];

// The middles of the words, as shares of the width.
/** @type {(n: number, zeros: number[]) => number[]} */
export function middles(n, zeros) {
  const whole = n + ZERO * (zeros[0] + zeros[1]);
  return Array.from({ length: n }, (_, place) => (ZERO * zeros[0] + place + 0.5) / whole);
}

// A word, its row as a strip of colour, and whether the row has come along. The nodes stay; what they say changes.
/**
 * @type {(name: string) => { root: HTMLElement, draw: (slot: Slot, largest: number, dark: boolean,
 *   withWords: boolean) => void }}
 */
function slot(name) {
  const word = make("span", { class: "inorder-band-word", dir: "auto" });
  const strip = make("span", { class: "inorder-strip", "aria-hidden": "true" });
  const sign = make("span", { role: "img" });
  const number = document.createTextNode("");
  const change = make("span", { class: "inorder-change", "data-name": name, "data-row": 0 }, sign, number);
  const root = make("div", {});

  /** @type {(slot: Slot, largest: number, dark: boolean) => void} */
  function drawStrip({ row, isFaded }, largest, dark) {
    for (let i = strip.childElementCount; i < row.length; i += 1) strip.append(make("span", {}));
    row.forEach((value, i) => {
      const { fill, ink } = divergingColour(value / largest, dark);
      setAttributes(strip.children[i], { style: `background: ${fill}; color: ${ink}` });
      write(strip.children[i], value < 0 && !isFaded ? "−" : "");
    });
  }

  /** @type {(slot: Slot, withWords: boolean) => void} */
  function tell({ word: place, text, difference, follows }, withWords) {
    setAttributes(sign, {
      class: `inorder-sign ${follows ? "" : "is-different"}`,
      "aria-label": `${withWords ? "" : `“${text}” `}${follows ? "kept" : "changed"}, difference`,
    });
    write(sign, follows ? "=" : "≠");
    write(number, formatDifference(difference ?? 0));
    setAttributes(change, { "data-col": place, "data-value": difference });
  }

  /** @type {(slot: Slot, largest: number, dark: boolean, withWords: boolean) => void} */
  function draw(shown, largest, dark, withWords) {
    const isTold = shown.difference !== undefined;
    setAttributes(root, { class: `inorder-slot ${shown.isFaded ? "is-faded" : ""}` });
    setChildren(root, [...(withWords ? [word] : []), strip, ...(isTold ? [change] : [])]);
    write(word, shown.text);
    drawStrip(shown, largest, dark);
    if (isTold) tell(shown, withWords);
  }
  return { root, draw };
}

// One text: its words, and their rows as strips of colour. shown: what stands at each place,
// { text, row, isFaded, difference, follows }; without a difference, nothing is said below the strip.
/**
 * @type {(options: { label: string, name: string }) => { root: HTMLElement, draw: (slots: Slot[], zeros: number[],
 *   largest: number, dark: boolean, withWords: boolean) => void }}
 */
export function band({ label, name }) {
  const root = make("div", { class: "inorder-band", role: "group", "aria-label": label });
  const zeroRow = () => make("div", { class: "inorder-zero", "aria-hidden": "true" }, "0");
  /** @type {[ReturnType<typeof slot>[], HTMLElement[], HTMLElement[]]} */
  const [slots, before, after] = [[], [], []];
  /** @type {<Part>(nodes: Part[], n: number, makeOne: () => Part) => void} */
  const asMany = (nodes, n, makeOne) => {
    while (nodes.length < n) nodes.push(makeOne());
    nodes.length = n;
  };

  /** @type {(slots: Slot[], zeros: number[], largest: number, dark: boolean, withWords: boolean) => void} */
  function draw(shown, zeros, largest, dark, withWords) {
    asMany(slots, shown.length, () => slot(name));
    asMany(before, zeros[0], zeroRow);
    asMany(after, zeros[1], zeroRow);
    setChildren(root, [...before, ...slots.map((one) => one.root), ...after]);
    const columns = widths(shown.length, zeros).map((width) => `minmax(0, ${width}fr)`);
    setAttributes(root, { style: `grid-template-columns: ${columns.join(" ")}` });
    slots.forEach((one, place) => one.draw(shown[place], largest, dark, withWords));
  }
  return { root, draw };
}

// From each word to itself: solid where its row has come along.
export function crossing() {
  const root = svgNode("svg", {
    viewBox: "0 0 1000 60",
    preserveAspectRatio: "none",
    class: "inorder-crossing",
    "aria-hidden": "true",
  });

  /** @type {(lines: { from: number[], to: number[], follows: boolean[] }) => void} */
  function draw({ from, to, follows }) {
    while (root.childElementCount < from.length) root.append(svgNode("path"));
    while (root.childElementCount > from.length) root.lastChild?.remove();
    from.forEach((start, word) => {
      const [a, b] = [1000 * start, 1000 * to[word]];
      setAttributes(root.children[word], {
        d: `M ${a} 0 C ${a} 30, ${b} 30, ${b} 60`,
        class: follows[word] ? "is-kept" : "is-changed",
      });
    });
  }
  return { root, draw };
}
