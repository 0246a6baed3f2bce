// Rows that rise through layers, the input at the foot: dyed by what they hold of each source, or inked by one of them.

import { clamp } from "../kit/arithmetic.js";
import { palette, sequentialColour } from "../kit/colour.js";
import { sizeDrawing, svgNode, uniqueId } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { nothing, render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { dye } from "./dyes.js";

/** @typedef {import("./states.js").StreamPanel} StreamPanel */

/**
 * @typedef {{ left: number, across: number, heights: number[], tile: { width: number, height: number }, isWritten: boolean,
 *   isUpright: boolean, fontSize: number, width: number, whole: number }} Ground
 *   heights: of the middles of the levels, from the top of the picture
 */

const LETTER = 6.8; // what a letter of a level's name takes, nearly, in the units of view.js
const WORD = { letter: 8, size: 17, smallest: 13.5 }; // of a word at the foot
const NUMBER = 32; // what a share takes, with two digits
const GAP = { least: 25, most: 84 }; // from level to level
const CROSSED = 2.4; // times as much where threads cross
const WIDEST = 150; // column with threads, which would lie too flat in a wider one
const MOST_SOURCES = 3; // that are read out of a mixture

/** @type {(names: string[]) => number} */
const longest = (names) => Math.max(0, ...names.map((name) => [...name].length));

// What a row holds of each source.
/** @type {(panel: Pick<StreamPanel, "values">, level: number, row: number) => Numbers} */
function holdingOf({ values: { shape, values } }, level, row) {
  const start = (level * shape[1] + row) * shape[2];
  return values.subarray(start, start + shape[2]);
}

// Whether any row of this layer takes something from another.
/** @type {(panel: StreamPanel, layer: number) => boolean} */
function crosses({ threads }, layer) {
  if (!threads) return false;
  const n = threads.shape[1];
  const weights = threads.values.subarray(layer * n * n, (layer + 1) * n * n);
  return weights.some((weight, i) => weight > 0 && i % (n + 1) !== 0);
}

/** @type {(colour: number[]) => string} */
const css = (colour) => `rgb(${colour.join(" ")})`;

/** @type {MakeMark<StreamPanel>} */
function streamMark(place, hand) {
  const picture = svgNode("svg", { class: "inorder-stream", role: "application" });
  const { root, set: setHandles } = hand.handlesOver(picture, hand);
  root.classList.add("is-of-words");
  const read = hand.readerOver(root, picture);
  const id = uniqueId("inorder-dye");
  /** @type {StreamPanel | null} */
  let settled = null; // the panel whose words and handles are there
  let ground = /** @type {Ground} */ ({});
  let unit = 1;
  /** @type {StreamPanel | null} */
  let shown = null;

  // The state of a control that a column stands for: that of its name, or else of its place.
  /** @type {(which: number, column: number) => number} */
  function stateOf(which, column) {
    const named = hand.controls[which].texts.indexOf(shown?.labels[column] ?? "");
    return named < 0 ? column : named;
  }

  /** @type {(event: PointerEvent) => void} */
  function take({ buttons, clientX }) {
    const [argument] = shown?.drag ?? [];
    if (!argument || !shown || !(buttons & 1)) return;
    const { left, across } = ground;
    const column = Math.floor(((clientX - picture.getBoundingClientRect().left) / unit - left) / across);
    if (column < 0 || column >= shown.labels.length) return;
    const which = hand.controls.findIndex(({ name }) => name === argument);
    hand.set(hand.places().with(which, stateOf(which, column)));
  }
  picture.addEventListener("pointerdown", take);
  picture.addEventListener("pointermove", take);

  // Where everything stands, by the size and the names alone.
  /** @type {(panel: StreamPanel, size: Size) => Ground} */
  function layOut(panel, { width, height }) {
    const { labels, levels, threads, inked, digits } = panel;
    const left = Math.min(longest(levels) * LETTER + 12, 0.36 * width);
    const across = Math.min((width - left) / labels.length, threads ? WIDEST : width);
    const word = longest(labels) * WORD.letter;
    const fontSize = WORD.size * Math.min(1, (across - 3) / word);
    const isUpright = fontSize < WORD.smallest;
    const foot = isUpright ? word + 14 : 36;
    const gaps = levels.slice(1).map((_, layer) => (crosses(panel, layer) ? CROSSED : 1));
    const room = (height - foot - 26) / gaps.reduce((sum, gap) => sum + gap, 0);
    const isWritten = inked && digits !== null && across >= NUMBER + 6;
    const tile = { width: Math.min(across - 4, isWritten ? 52 : 40), height: isWritten ? 21 : 16 };
    if (!threads) tile.width = across - 3;
    const heights = [0];
    for (const gap of gaps) heights.push(heights[heights.length - 1] + clamp(room * gap, GAP.least * gap, GAP.most));
    const base = 13 + heights[heights.length - 1]; // the middle of the input's tiles
    root.style.setProperty("--across", `${Math.min(across, isUpright ? 30 : word + 26) * unit}px`);
    return {
      left,
      across,
      heights: heights.map((up) => base - up),
      tile,
      isWritten,
      isUpright,
      fontSize,
      width,
      whole: base + 13 + foot,
    };
  }

  /** @type {(level: number, row: number) => Point} */
  const at = (level, row) => ({ x: ground.left + (row + 0.5) * ground.across, y: ground.heights[level] });

  // Threads from level to level; ink lies above what has none.
  /** @type {(panel: StreamPanel, goal: StreamPanel, dark: boolean) => unknown[]} */
  function threadsOf({ threads, labels, inked, values }, goal, dark) {
    const n = labels.length;
    const { tile } = ground;
    const { hair, ink } = palette(dark);
    /** @type {unknown[]} */
    const below = [];
    /** @type {unknown[]} */
    const above = [];
    goal.threads?.values.forEach((target, i) => {
      if (target === 0) return;
      const [level, row, from] = [Math.floor(i / n ** 2), Math.floor(i / n) % n, i % n];
      const [start, end] = [at(level, from), at(level + 1, row)];
      const [low, high] = [start.y - tile.height / 2, end.y + tile.height / 2];
      const middle = (low + high) / 2;
      const weight = threads?.values[i] ?? 0;
      const holding = holdingOf({ values }, level, from);
      const mixed = hair.map((channel, c) => Math.round(channel + (ink[c] - channel) * holding[0]));
      const path = svg`<path class="inorder-thread" stroke=${css(inked ? mixed : dye(holding, dark))}
        d="M${start.x} ${low}C${start.x} ${middle} ${end.x} ${middle} ${end.x} ${high}"
        stroke-width=${(Math.min(1, 20 * weight) + weight * Math.min(0.4 * tile.width, 13)).toFixed(2)}/>`;
      (inked && holdingOf(goal, level, from)[0] === 0 ? below : above).push(path);
    });
    return [below, above];
  }

  // A row without threads, dyed by what it holds at each level.
  /** @type {(fills: string[], row: number, nLevels: number) => unknown} */
  function ribbon(fills, row, nLevels) {
    const { tile } = ground;
    const { x, y } = at(nLevels - 1, row);
    const base = ground.heights[0];
    return svg`<linearGradient id="${id}-${row}" gradientUnits="userSpaceOnUse" x1="0" x2="0" y1=${base} y2=${y}>${fills.map(
      (fill, level) => svg`<stop offset=${level / (nLevels - 1)} stop-color=${fill}/>`,
    )}</linearGradient><rect x=${x - tile.width / 2} y=${y - tile.height / 2} width=${tile.width}
      height=${base - y + tile.height} fill="url(#${id}-${row})" class="inorder-ribbon"/>`;
  }

  /** @type {(label: string, row: number, isInked: boolean) => unknown} */
  function word(label, row, isInked) {
    const { x, y } = at(0, row);
    const { isUpright, fontSize } = ground;
    const look = `is-word ${isInked ? "is-inked" : ""}`;
    return isUpright
      ? svg`<text class=${look} transform="translate(${x + 5} ${y + 18}) rotate(-90)" text-anchor="end">${label}</text>`
      : svg`<text class=${look} x=${x} y=${y + 33} text-anchor="middle"
          style="font-size: ${fontSize.toFixed(1)}px">${label}</text>`;
  }

  /** @type {MarkOf<StreamPanel>["update"]} */
  function update(panel, size, dark, goal) {
    const { labels, levels, inked, sources, digits, drag } = panel;
    ({ unit } = size);
    shown = goal;
    if (settled !== goal) ground = layOut(goal, size);
    const { tile, isWritten } = ground;

    const tints = levels.map((_, level) =>
      labels.map((_, row) => {
        const holding = holdingOf(panel, level, row);
        return inked ? sequentialColour(holding[0], dark) : { fill: css(dye(holding, dark)), ink: "" };
      }),
    );
    const tiles = levels.map((_, level) =>
      labels.map((_, row) => {
        const { x, y } = at(level, row);
        const end = holdingOf(goal, level, row);
        const { fill, ink } = tints[level][row];
        const share = svg`<text x=${x} y=${y + 4.6} text-anchor="middle" class="inorder-share"
          fill=${ink}>${end[0] > 0 ? formatNumber(end[0], digits ?? 2) : ""}</text>`;
        return svg`<rect x=${x - tile.width / 2} y=${y - tile.height / 2} width=${tile.width} height=${tile.height} rx="4"
          class="inorder-tile ${panel.threads ? "" : "is-of-ribbon"}" fill=${fill} data-name="${place}.values"
          data-row=${level} data-col=${row} data-value=${end.join(" ")}/>${isWritten ? share : nothing}`;
      }),
    );
    const below = panel.threads
      ? threadsOf(panel, goal, dark)
      : labels.map((_, row) =>
          ribbon(
            tints.map((line) => line[row].fill),
            row,
            levels.length,
          ),
        );
    sizeDrawing(picture, size.width, ground.whole, unit);
    render(
      svg`<g aria-hidden="true">${below}${tiles}
        ${levels.map((name, level) => svg`<text x="0" y=${at(level, 0).y + 4.6} class="is-level">${name}</text>`)}
        ${labels.map((label, row) => word(label, row, inked && label === sources[0]))}</g>`,
      picture,
    );
    if (settled === goal) return; // on its way to what is said already
    settled = goal;

    /** @type {(level: number, row: number) => [number, number]} */
    const onScreen = (level, row) => [unit * (ground.left + (row + 0.5) * ground.across), unit * ground.heights[level]];
    read(() =>
      levels
        .map((_, level) =>
          labels.map((_, row) => ({
            at: onScreen(level, row),
            reach: /** @type {[number, number]} */ ([(unit * ground.across) / 2, unit * GAP.least]),
            words: wordsOfTile(goal, level, row),
          })),
        )
        .toReversed(),
    );
    picture.setAttribute("aria-label", describe(goal));

    root.classList.toggle("is-drawn-on", drag.length > 0);
    if (!drag.length) return setHandles([]);
    const which = hand.controls.findIndex(({ name }) => name === drag[0]);
    /** @type {(states: number[]) => [number, number]} */
    const of = (states) => {
      const column = labels.findIndex((_, row) => stateOf(which, row) === states[which]);
      const [x, y] = onScreen(0, column);
      return [x, y + unit * 28];
    };
    const { label } = hand.controls[which];
    const chosen = labels.find((_, row) => stateOf(which, row) === hand.places()[which]);
    return setHandles([{ names: drag, label, word: chosen, at: of(hand.places()), of: (_, states) => of(states) }]);
  }

  return { root, update };
}

// "after 2 layers, then: 0.52 of dog", or the largest shares of a mixture. Without digits, an ink has no shares to be told.
/** @type {(panel: StreamPanel, level: number, row: number) => string} */
function wordsOfTile(panel, level, row) {
  const holding = [...holdingOf(panel, level, row)].map((share, k) => /** @type {const} */ ([share, k]));
  const largest = holding.filter(([share]) => share > 0 || panel.inked).sort((a, b) => b[0] - a[0]);
  const where = `${panel.levels[level]}, ${panel.labels[row]}`;
  if (panel.inked && panel.digits === null)
    return `${where}: ${largest[0][0] > 0 ? "reached" : "not reached"} by ${panel.sources[largest[0][1]]}`;
  const said = largest
    .slice(0, MOST_SOURCES)
    .map(([share, k]) => `${formatNumber(share, panel.digits ?? 2)} of ${panel.sources[k]}`);
  const more = largest.length > MOST_SOURCES ? ", and no more of any other" : "";
  return `${where}: ${said.join(", ")}${more}`;
}

/** @type {(panel: StreamPanel) => string} */
function describe(panel) {
  const top = panel.levels.length - 1;
  const rows = panel.labels.map((_, row) => wordsOfTile(panel, top, row)).join("; ");
  const title = panel.title ? `${panel.title}: ` : "";
  const { length } = panel.labels;
  return `${title}${length} columns through ${top} layers, from ${panel.levels[0]} up. ${rows}. Arrow keys read the numbers.`;
}

MARKS.stream = { make: streamMark, narrowest: 260 };
