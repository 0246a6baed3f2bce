// A table of shares, each a slice of a cake; beside its rows and below its columns the slices are put together.

import { setAttributes, svgNode } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { nothing, render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { shape } from "./actors.js";
import { dye } from "./dyes.js";

/** @typedef {import("./states.js").CakesPanel} CakesPanel */
/** @typedef {import("./handles.js").Spot} Spot */
/** @typedef {{ root: HTMLElement, update: (panel: CakesPanel, size: import("./states.js").Size, dark: boolean, goal: CakesPanel) => void }} CakesMark */

const COLUMN = { widest: 64, upright: 58 }; // in a narrower one the names stand upright
const MOST_CAKES = 3; // for which there is room beside a row or below a column
const CAKE = 0.43; // the radius of a whole cake and of the slices, in columns
const PILED = 0.27; // that of a cake where there may be several
const STEP = 0.58; // from one of them to the next
const NARROW = 480;
const FOOT = 24; // under the piles, for a number
const LETTER = 8.6;

/** @type {(middle: Spot, radius: number, share: number) => Spot} on the rim, so far around from the top */
const onRim = ([x, y], radius, share) => [
  x + radius * Math.sin(2 * Math.PI * share),
  y - radius * Math.cos(2 * Math.PI * share),
];

/** @type {(total: number) => number} */
const cakesIn = (total) => Math.max(1, Math.ceil(total - 1e-3));

// A slice of a cake between two shares of it.
/** @type {(middle: Spot, radius: number, start: number, end: number) => string} */
function slice(middle, radius, start, end) {
  const whole = Math.min(end, start + 0.9999);
  const long = whole - start > 0.5 ? 1 : 0;
  return `M${middle}L${onRim(middle, radius, start)}A${radius} ${radius} 0 ${long} 1 ${onRim(middle, radius, whole)}Z`;
}

/** @type {(place: number, hand: import("./handles.js").Hand) => CakesMark} */
function cakesMark(place, hand) {
  const picture = svgNode("svg", { class: "inorder-cakes", role: "application" });
  const { root, set: setHandles } = hand.handlesOver(picture, hand);
  const read = hand.readerOver(root, picture);
  /** @type {CakesPanel | null} */
  let settled = null; // the panel whose words and handles are there

  /** @type {CakesMark["update"]} */
  function update(panel, { width, unit }, dark, goal) {
    const { labels, across, held, drag } = goal;
    const n = labels.length;
    const longest = Math.max(...labels.map((label) => [...label].length));
    const word = LETTER * longest;
    const between = width < NARROW ? 34 : 70; // room for a shape and a number
    const pitch = Math.min((width - word - between) / (n + STEP * MOST_CAKES), COLUMN.widest);
    const isUpright = pitch < COLUMN.upright;
    const head = isUpright ? word + 26 : 30;
    const radius = CAKE * pitch;
    const left = word + between + STEP * MOST_CAKES * pitch;
    const [start, foot] = [(width - left - n * pitch) / 2, head + n * pitch];
    const weight = (/** @type {CakesPanel} */ one, /** @type {number} */ row, /** @type {number} */ col) =>
      one.values.values[row * n + col];
    const all = labels.map((_, i) => i);
    const hues = labels.map(
      (_, k) =>
        `rgb(${dye(
          all.map((i) => Number(i === k)),
          dark,
        ).join(" ")})`,
    );
    /** @type {(row: number, col: number) => Spot} */
    const middle = (row, col) => [start + left + (col + 0.5) * pitch, head + (row + 0.5) * pitch];
    const query = across ? "query" : "key";
    const key = across ? "key" : "query";

    // Slices put together; where they make more than one cake, into the next. `out`: the way to it.
    /** @type {(slices: number[], hueOf: (k: number) => string, size: number, first: Spot, out: Spot) => unknown} */
    function pile(slices, hueOf, size, first, out) {
      const nCakes = cakesIn(slices.reduce((sum, share) => sum + share, 0));
      const centre = (/** @type {number} */ at) =>
        /** @type {Spot} */ ([first[0] + at * out[0], first[1] + at * out[1]]);
      const plates = Array.from({ length: nCakes }, (_, at) => {
        const [x, y] = centre(at);
        return svg`<circle cx=${x} cy=${y} r=${size} class="is-plate"/>`;
      });
      let end = 0;
      const cut = slices.map((share, k) => {
        const pieces = [];
        for (let rest = share; rest > 1e-4; ) {
          const at = Math.floor(end + 1e-6);
          const part = Math.min(rest, at + 1 - end);
          pieces.push(
            svg`<path d=${slice(centre(at), size, end - at, end - at + part)} fill=${hueOf(k)} class="is-slice"/>`,
          );
          [end, rest] = [end + part, rest - part];
        }
        return pieces;
      });
      return [plates, cut];
    }

    const [cake, piled, step] = [CAKE * pitch, PILED * pitch, STEP * pitch];
    const totalOf = (/** @type {number[]} */ slices) => slices.reduce((sum, share) => sum + share, 0);
    const rows = all.map((row) => {
      const [, y] = middle(row, 0);
      const slices = all.map((col) => weight(panel, row, col));
      const total = totalOf(all.map((col) => weight(goal, row, col)));
      const x = start + left - (across ? cake + 0.1 * pitch : piled + 0.08 * pitch);
      const edge = across ? x - cake : x - step * (cakesIn(total) - 1) - piled - 8;
      const end = across ? edge - 10 : edge - 40;
      return svg`<text x=${end} y=${y + 6} text-anchor="end" class="is-word is-text-of-${query}">${labels[row]}</text>
        <g transform="translate(${end - 18 - LETTER * [...labels[row]].length} ${y})">${shape(query)}</g>
        ${pile(slices, (col) => hues[across ? col : row], across ? cake : piled, [x, y], [-step, 0])}
        ${across ? nothing : svg`<text x=${edge} y=${y + 5} text-anchor="end" class="is-total">${formatNumber(total, 2)}</text>`}`;
    });
    const fontSize = Math.min(17, (1.85 * (pitch - 16)) / longest);
    const columns = all.map((col) => {
      const [x] = middle(0, col);
      const slices = all.map((row) => weight(panel, row, col));
      const total = totalOf(all.map((row) => weight(goal, row, col)));
      const y = foot + (across ? piled + 0.08 * pitch : cake + 0.1 * pitch);
      const name = isUpright
        ? svg`<g transform="translate(${x} ${head - 11})">${shape(key)}</g>
          <text transform="translate(${x + 5} ${head - 22}) rotate(-90)" class="is-word is-text-of-${key}">${labels[col]}</text>`
        : svg`<g transform="translate(${x - 0.24 * fontSize * [...labels[col]].length - 4} 13)">${shape(key)}</g>
          <text x=${x + 7} y="19" text-anchor="middle" class="is-word is-text-of-${key}"
            style="font-size: ${fontSize.toFixed(1)}px">${labels[col]}</text>`;
      const under = y + step * (cakesIn(total) - 1) + piled + 18;
      return svg`${name}${pile(slices, (row) => hues[across ? col : row], across ? piled : cake, [x, y], [0, step])}
        ${across ? svg`<text x=${x} y=${under} text-anchor="middle" class="is-total">${formatNumber(total, 2)}</text>` : nothing}`;
    });
    const beside = start + left - 0.16 * pitch;
    const [over, below] = across ? ["a cake each", "eaten in all"] : ["eaten in all", "a cake each"];
    const captions = svg`<text x=${beside} y=${head - 11} text-anchor="end" class="is-caption">${over}</text>
      <text x=${beside} y=${foot + 0.5 * pitch + 5} text-anchor="end" class="is-caption">${below}</text>`;
    const cells = all.flatMap((row) =>
      all.map((col) => {
        const [x, y] = middle(row, col);
        return svg`<circle cx=${x} cy=${y} r=${radius} class="is-rim ${row === held ? "is-loose" : ""}"/>
          <path d=${slice([x, y], radius, 0, weight(panel, row, col))} fill=${hues[across ? col : row]} class="is-slice"
            data-name="${place}.values" data-row=${row} data-col=${col} data-value=${weight(goal, row, col)}/>`;
      }),
    );
    const whole = foot + step * (MOST_CAKES - 1) + 2.2 * piled + FOOT;
    setAttributes(picture, { viewBox: `0 0 ${width} ${whole}`, width: width * unit, height: whole * unit });
    render(svg`<g aria-hidden="true">${captions}${rows}${columns}${cells}</g>`, picture);
    if (settled === goal) return; // on its way to what is said already
    settled = goal;

    /** @type {(spot: Spot) => Spot} */
    const onScreen = ([x, y]) => [unit * x, unit * y];
    read(() =>
      all.map((row) =>
        all.map((col) => {
          const [giver, taker] = across ? [labels[row], labels[col]] : [labels[col], labels[row]];
          const words = `“${giver}” gives “${taker}” ${formatNumber(weight(goal, row, col), 2)}`;
          return { at: onScreen(middle(row, col)), reach: onScreen([pitch / 2, pitch / 2]), words };
        }),
      ),
    );
    picture.setAttribute("aria-label", `${describe(goal)} Arrow keys read the shares.`);
    if (held === null || !drag.length) return setHandles([]);
    const which = hand.controls.findIndex(({ name }) => name === drag[0]);
    const now = hand.places()[which];
    const isHeld = root.querySelector(".is-held") !== null;
    // The slice that was pulled last comes first, for the keyboard; but not while the hand holds one.
    const order = isHeld ? [...grasped] : [now, ...all.filter((col) => col !== now)];
    grasped = order;
    return setHandles(
      order.map((col) => ({
        names: drag,
        label: `the slice of “${labels[col]}”`,
        at: onScreen(onRim(middle(held, col), radius, weight(goal, held, col))),
        isOwn: (states) => states[which] === col,
        of: (one) => onScreen(onRim(middle(held, col), radius, weight(/** @type {any} */ (one), held, col))),
      })),
    );
  }
  /** @type {number[]} */
  let grasped = []; // the columns of the handles

  return { root, update };
}

// As cakes.py says it.
/** @type {(panel: CakesPanel) => string} */
function describe({ labels, values, across }) {
  const n = labels.length;
  const totals = labels.map((label, i) => {
    const shares = labels.map((_, k) => values.values[across ? k * n + i : i * n + k]);
    return `${label} ${formatNumber(
      shares.reduce((sum, share) => sum + share, 0),
      2,
    )}`;
  });
  const [one, other] = across ? ["row", "column"] : ["column", "row"];
  return `${n} × ${n} slices. Those of a ${one} make one cake, those of a ${other} make: ${totals.join(", ")}.`;
}

MARKS.cakes = { make: cakesMark, narrowest: 320 };
