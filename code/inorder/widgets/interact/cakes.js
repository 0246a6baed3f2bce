// A cake for each word that asks, cut into slices: the one in hand is large, and below stands what each word eats in all.

import { sizeDrawing, svgNode } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { shape } from "./actors.js";
import { dye } from "./dyes.js";

/** @typedef {import("./states.js").CakesPanel} CakesPanel */
const LARGEST = 100; // the radius of the cake in hand
const SHARE = 0.19; // of the width, at most
const HEAD = 24; // for a name above a cake
const MOST_CAKES = 3; // that a word may eat

/** @type {(middle: Spot, radius: number, share: number) => Spot} on the rim, so far around from the top */
const onRim = ([x, y], radius, share) => [
  x + radius * Math.sin(2 * Math.PI * share),
  y - radius * Math.cos(2 * Math.PI * share),
];

// A slice of a cake between two shares of it.
/** @type {(middle: Spot, radius: number, start: number, end: number) => string} */
function slice(middle, radius, start, end) {
  const whole = Math.min(end, start + 0.9999);
  const long = whole - start > 0.5 ? 1 : 0;
  return `M${middle}L${onRim(middle, radius, start)}A${radius} ${radius} 0 ${long} 1 ${onRim(middle, radius, whole)}Z`;
}

/** @type {MakeMark<CakesPanel>} */
function cakesMark(place, hand) {
  const picture = svgNode("svg", { class: "inorder-cakes", role: "application" });
  const { root, set: setHandles } = hand.handlesOver(picture, hand);
  const read = hand.readerOver(root, picture);

  /** @type {MarkOf<CakesPanel>["update"]} */
  function update(panel, { width, unit }, dark, goal) {
    const { labels, held, first, drag } = goal;
    const all = labels.map((_, i) => i);
    const hues = all.map(
      (k) =>
        `rgb(${dye(
          all.map((i) => Number(i === k)),
          dark,
        ).join(" ")})`,
    );
    const weight = (/** @type {CakesPanel} */ one, /** @type {number} */ row, /** @type {number} */ col) =>
      one.values.values[row * labels.length + col];
    const radius = Math.min(SHARE * width, LARGEST);
    const column = width / labels.length;
    const eaten = Math.min(17, (column - 8) / (2.2 * MOST_CAKES)); // the radius of a cake below
    const longest = Math.max(...labels.map((label) => [...label].length));
    const letters = Math.min(17, (1.8 * (column - 22)) / longest);
    const foot = HEAD + 2 * radius + 48;

    // Where a cake stands, and how large it is: the others in a row, or two below each other.
    const others = all.filter((row) => row !== held);
    const left = 2 * radius + 0.09 * width;
    /** @type {(row: number) => { middle: Spot, size: number }} */
    function cakeOf(row) {
      if (row === held) return { middle: [radius + 14, HEAD + radius + 12], size: radius };
      const at = others.indexOf(row);
      const nColumns = Math.ceil(others.length / 2);
      const pitch = [(width - left) / nColumns, radius + 24];
      const size = Math.min(0.3 * pitch[0], (pitch[1] - HEAD) / 2 - 2);
      return {
        middle: [left + pitch[0] * ((at % nColumns) + 0.5), HEAD + size + pitch[1] * Math.floor(at / nColumns)],
        size,
      };
    }
    // The slice that was pulled last comes first, from the top on.
    const inOrder = [first, ...all.filter((col) => col !== first)];
    const cakes = all.map((row) => {
      const { middle, size } = cakeOf(row);
      let end = 0;
      const slices = inOrder.map((col) => {
        const start = end;
        end += weight(panel, row, col);
        return svg`<path d=${slice(middle, size, start, end)} fill=${hues[col]} class="is-slice"
          data-name="${place}.values" data-row=${row} data-col=${col} data-value=${weight(goal, row, col)}
          @click=${() => row === held && take(goal, col)}/>`;
      });
      return svg`${name(labels[row], "query", middle[0], middle[1] - size - 8)}${slices}`;
    });
    const piles = all.map((col) => {
      const x = column * (col + 0.5);
      const total = all.reduce((sum, row) => sum + weight(panel, row, col), 0);
      const count = Math.max(1, Math.ceil(total - 1e-3));
      const plates = Array.from({ length: count }, (_, at) => {
        const middle = /** @type {Spot} */ ([x + 2.2 * eaten * (at - (count - 1) / 2), foot + HEAD + eaten]);
        return svg`<circle cx=${middle[0]} cy=${middle[1]} r=${eaten} class="is-plate"/>
          <path d=${slice(middle, eaten, 0, Math.min(total - at, 1))} fill=${hues[col]} class="is-slice"/>`;
      });
      const written = formatNumber(
        all.reduce((sum, row) => sum + weight(goal, row, col), 0),
        2,
      );
      return svg`${name(labels[col], "key", x, foot + 13)}${plates}
        <text x=${x} y=${foot + HEAD + 2 * eaten + 20} text-anchor="middle" class="is-total">${written}</text>`;
    });
    /** @type {(word: string, actor: "query" | "key", x: number, y: number) => unknown} */
    function name(word, actor, x, y) {
      return svg`<g transform="translate(${x - 0.24 * letters * [...word].length - 8} ${y - 5})">${shape(actor)}</g>
        <text x=${x + 4} y=${y} text-anchor="middle" class="is-word is-text-of-${actor}" style="font-size: ${letters.toFixed(1)}px">${word}</text>`;
    }

    const whole = foot + HEAD + 2 * eaten + 26;
    sizeDrawing(picture, width, whole, unit);
    render(
      svg`<g aria-hidden="true">${cakes}
        <text y=${foot - 8} class="is-caption">Eaten in all</text>${piles}</g>`,
      picture,
    );
    if (panel !== goal) return;
    /** @type {(spot: Spot) => Spot} */
    const onScreen = ([x, y]) => [unit * x, unit * y];
    read(() =>
      all.map((row) => {
        let end = 0;
        const { middle, size } = cakeOf(row);
        return inOrder.map((col) => {
          const share = weight(goal, row, col);
          end += share;
          const at = onScreen(onRim(middle, 0.6 * size, end - share / 2));
          const words = `“${labels[row]}” gives “${labels[col]}” ${formatNumber(share, 2)}`;
          return { at, reach: onScreen([0.3 * size, 0.3 * size]), words };
        });
      }),
    );
    picture.setAttribute("aria-label", `${describe(goal)} Arrow keys read the shares.`);
    if (!drag.length) return setHandles([]);
    const { middle, size } = cakeOf(held);
    const which = hand.controls.findIndex(({ name }) => name === drag[0]);
    const now = hand.places()[which];
    const of = (/** @type {any} */ one) => onScreen(onRim(middle, size, weight(one, held, first)));
    const grip = { names: drag, label: `the slice of “${labels[first]}”`, at: of(panel), of };
    setHandles([{ ...grip, isOwn: (states) => states[which] === now }]);
  }

  /** @type {(panel: CakesPanel, col: number) => void} */
  function take({ drag, first }, col) {
    if (!drag.length || col === first) return;
    const next = hand.statesOf(drag.slice(0, 1)).find((one) => hand.panelAt(one).first === col);
    if (next) hand.set(next);
  }

  return { root, update };
}

// As cakes.py says it.
/** @type {(panel: CakesPanel) => string} */
function describe({ labels, values }) {
  const totals = labels.map((label, col) => {
    const shares = labels.map((_, row) => values.values[row * labels.length + col]);
    return `${label} ${formatNumber(
      shares.reduce((sum, share) => sum + share, 0),
      2,
    )}`;
  });
  return `${labels.length} cakes, each cut into ${labels.length} slices. Eaten in all: ${totals.join(", ")}.`;
}

MARKS.cakes = { make: cakesMark, narrowest: 300 };
