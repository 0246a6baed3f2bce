// The text before and after: a word, its output row below it, and lines from each word to where it stands now.

import { divergingColour } from "../kit/colour.js";
import { make, svgNode, write } from "../kit/elements.js";
import { formatDifference } from "../kit/words.js";

const ZERO = 0.28; // the width of a row of zeros, where a word's is 1

const widths = (n, [before, after]) => [...Array(before).fill(ZERO), ...Array(n).fill(1), ...Array(after).fill(ZERO)];

// The middles of the words, as shares of the width.
export function middles(n, zeros) {
  const whole = n + ZERO * (zeros[0] + zeros[1]);
  return Array.from({ length: n }, (_, place) => (ZERO * zeros[0] + place + 0.5) / whole);
}

// One text: its words, and their rows as strips of colour. slots: what stands at each place,
// { text, row, isFaded, difference, follows }; without a difference, nothing is said below the strip.
export function band({ label, name }) {
  const root = make("div", { class: "inorder-band", role: "group", "aria-label": label });

  function strip({ row, isFaded }, largest, dark) {
    const cells = row.map((value) => {
      const { fill, ink } = divergingColour(value / largest, dark);
      return make("span", { style: `background: ${fill}; color: ${ink}` }, value < 0 && !isFaded ? "−" : "");
    });
    return make("span", { class: "inorder-strip", "aria-hidden": "true" }, ...cells);
  }

  function told({ word, text, difference, follows }, withWords) {
    if (difference === undefined) return [];
    const sign = make("span", { class: `inorder-sign ${follows ? "" : "is-different"}` }, follows ? "=" : "≠");
    sign.setAttribute("aria-label", `${withWords ? "" : `“${text}” `}${follows ? "kept" : "changed"}, difference`);
    sign.setAttribute("role", "img");
    const cell = {
      class: "inorder-change",
      "data-name": name,
      "data-row": 0,
      "data-col": word,
      "data-value": difference,
    };
    return [make("span", cell, sign, formatDifference(difference))];
  }

  function draw(slots, zeros, largest, dark, withWords) {
    const zero = () => make("div", { class: "inorder-zero", "aria-hidden": "true" }, "0");
    const columns = slots.map((slot) => {
      const word = make("span", { class: "inorder-band-word", dir: "auto" });
      write(word, slot.text);
      const parts = [...(withWords ? [word] : []), strip(slot, largest, dark), ...told(slot, withWords)];
      return make("div", { class: `inorder-slot ${slot.isFaded ? "is-faded" : ""}` }, ...parts);
    });
    const [before, after] = zeros.map((count) => Array.from({ length: count }, zero));
    root.replaceChildren(...before, ...columns, ...after);
    root.style.gridTemplateColumns = widths(slots.length, zeros)
      .map((width) => `minmax(0, ${width}fr)`)
      .join(" ");
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

  function draw({ from, to, follows }) {
    const paths = from.map((start, word) => {
      const [a, b] = [1000 * start, 1000 * to[word]];
      return svgNode("path", {
        d: `M ${a} 0 C ${a} 30, ${b} 30, ${b} 60`,
        class: follows[word] ? "is-kept" : "is-changed",
      });
    });
    root.replaceChildren(...paths);
  }
  return { root, draw };
}
