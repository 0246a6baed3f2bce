// Rows that rise through layers, the input at the foot: dyed by what they hold of each source, or inked by one of them.

import { palette, sequentialColour } from "../kit/colour.js";
import { setAttributes, svgNode, uniqueId, write } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { formatNumber } from "../kit/words.js";
import { dye } from "./dyes.js";

/** @typedef {import("./states.js").StreamPanel} StreamPanel */

/** @typedef {import("./states.js").Size} Size */

/** @typedef {{ root: HTMLElement, update: (panel: StreamPanel, size: Size, dark: boolean, goal: StreamPanel) => void }} StreamMark */

/** @typedef {{ left: number, across: number, heights: number[], tile: { width: number, height: number } }} Ground heights: of the middles of the levels, from the top of the picture */

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
/** @type {(panel: StreamPanel, level: number, row: number) => Numbers} */
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

/** @type {(place: number, hand: import("./handles.js").Hand) => StreamMark} */
function streamMark(place, hand) {
  const svg = svgNode("svg", { class: "inorder-stream", role: "application" });
  const { root, set: setHandles } = hand.handlesOver(svg, hand);
  root.classList.add("is-of-words");
  const read = hand.readerOver(root, svg);
  const id = uniqueId("inorder-dye");
  let built = "";
  /** @type {StreamPanel | null} */
  let settled = null; // the panel whose words and handles are there
  let parts = /** @type {ReturnType<typeof build>} */ ({});
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
    const { left, across } = parts.ground;
    const column = Math.floor(((clientX - svg.getBoundingClientRect().left) / unit - left) / across);
    if (column < 0 || column >= shown.labels.length) return;
    const which = hand.controls.findIndex(({ name }) => name === argument);
    const next = hand.places().with(which, stateOf(which, column));
    if (String(next) !== String(hand.places())) hand.set(next);
  }
  svg.addEventListener("pointerdown", take);
  svg.addEventListener("pointermove", take);

  // All shapes, whose places depend on the size and the names alone.
  /** @type {(panel: StreamPanel, size: Size) => { ground: Ground, tiles: { tile: SVGElement, number: SVGElement }[], threads: { i: number, path: SVGElement }[], below: SVGElement, above: SVGElement, ribbons: SVGElement[], stops: SVGElement[][],
   *   words: SVGElement[] }} */
  function build(panel, { width, height }) {
    const { labels, levels, threads, inked, digits } = panel;
    const [n, nLevels] = [labels.length, levels.length];
    const left = Math.min(longest(levels) * LETTER + 12, 0.36 * width);
    const across = Math.min((width - left) / n, threads ? WIDEST : width);
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
    for (const gap of gaps)
      heights.push(heights[heights.length - 1] + Math.min(Math.max(room, GAP.least) * gap, GAP.most));
    const base = 13 + heights[nLevels - 1]; // the middle of the input's tiles
    const whole = base + 13 + foot;
    const ground = { left, across, heights: heights.map((up) => base - up), tile };
    const at = (/** @type {number} */ level, /** @type {number} */ row) => ({
      x: left + (row + 0.5) * across,
      y: ground.heights[level],
    });

    /** @type {SVGElement[]} */
    const all = [];
    /** @type {SVGElement[][]} */
    const stops = [];
    /** @type {{ i: number, path: SVGElement }[]} */
    const ways = [];
    const [below, above] = [svgNode("g"), svgNode("g")]; // ink lies above what has none
    /** @type {SVGElement[]} */
    const ribbons = [];
    if (threads) {
      for (let level = 0; level < nLevels - 1; level++)
        for (let row = 0; row < n; row++)
          for (let from = 0; from < n; from++) {
            const i = (level * n + row) * n + from;
            if (threads.values[i] === 0) continue;
            const [start, end] = [at(level, from), at(level + 1, row)];
            const [low, high] = [start.y - tile.height / 2, end.y + tile.height / 2];
            const middle = (low + high) / 2;
            const d = `M${start.x} ${low}C${start.x} ${middle} ${end.x} ${middle} ${end.x} ${high}`;
            ways.push({ i, path: svgNode("path", { d, class: "inorder-thread" }) });
          }
      all.push(below, above);
      below.append(...ways.map(({ path }) => path));
    } else {
      for (let row = 0; row < n; row++) {
        const { x, y } = at(nLevels - 1, row);
        const along = { gradientUnits: "userSpaceOnUse", x1: 0, x2: 0, y1: base, y2: y };
        const gradient = svgNode("linearGradient", { id: `${id}-${row}`, ...along });
        stops.push(levels.map((_, level) => svgNode("stop", { offset: level / (nLevels - 1) })));
        gradient.append(...stops[row]);
        const end = tile.height / 2;
        const box = { x: x - tile.width / 2, y: y - end, width: tile.width, height: base - y + 2 * end };
        ribbons.push(svgNode("rect", { ...box, fill: `url(#${id}-${row})`, class: "inorder-ribbon" }));
        all.push(gradient, ribbons[row]);
      }
    }
    const tiles = levels.flatMap((_, level) =>
      labels.map((_, row) => {
        const { x, y } = at(level, row);
        const look = threads ? "inorder-tile" : "inorder-tile is-of-ribbon";
        const box = { x: x - tile.width / 2, y: y - tile.height / 2, ...tile, rx: 4, class: look };
        const data = { "data-name": `${place}.values`, "data-row": level, "data-col": row };
        const shape = svgNode("rect", { ...box, ...data });
        const number = svgNode("text", { x, y: y + 4.6, "text-anchor": "middle", class: "inorder-share" });
        all.push(shape, ...(isWritten ? [number] : []));
        return { tile: shape, number };
      }),
    );
    const names = levels.map((name, level) => {
      const node = svgNode("text", { x: 0, y: at(level, 0).y + 4.6, class: "is-level" });
      node.textContent = name;
      return node;
    });
    const words = labels.map((name, row) => {
      const { x, y } = at(0, row);
      const upright = { transform: `translate(${x + 5} ${y + 18}) rotate(-90)`, "text-anchor": "end" };
      const lying = { x, y: y + 33, "text-anchor": "middle", style: `font-size: ${fontSize.toFixed(1)}px` };
      const node = svgNode("text", { ...(isUpright ? upright : lying), class: "is-word" });
      node.textContent = name;
      return node;
    });
    const hidden = svgNode("g", { "aria-hidden": "true" });
    hidden.append(...all, ...names, ...words);
    svg.replaceChildren(hidden);
    setAttributes(svg, { viewBox: `0 0 ${width} ${whole}`, width: width * unit, height: whole * unit });
    root.style.setProperty("--across", `${Math.min(across, isUpright ? 30 : word + 26) * unit}px`);
    return { ground, tiles, threads: ways, below, above, ribbons, stops, words };
  }

  /** @type {StreamMark["update"]} */
  function update(panel, size, dark, goal) {
    const { labels, levels, inked, sources, digits, drag } = panel;
    ({ unit } = size);
    shown = goal;
    if (settled !== goal) {
      const which = goal.threads && Array.from(goal.threads.values, Math.sign).join("");
      const next = JSON.stringify([size, labels, levels, inked, digits === null, which]);
      if (built !== next) parts = build(goal, size);
      built = next;
    }
    const { ground, tiles, threads, below, above, ribbons, stops, words } = parts;
    const n = labels.length;
    const { hair, ink } = palette(dark);

    tiles.forEach(({ tile, number }, i) => {
      const [level, row] = [Math.floor(i / n), i % n];
      const holding = holdingOf(panel, level, row);
      const end = holdingOf(goal, level, row);
      const tint = inked ? sequentialColour(holding[0], dark) : null;
      const fill = tint ? tint.fill : css(dye(holding, dark));
      setAttributes(tile, { fill, "data-value": end.join(" ") });
      if (stops.length) setAttributes(stops[row][level], { "stop-color": fill });
      if (tint) {
        write(number, end[0] > 0 ? formatNumber(end[0], digits ?? 2) : "");
        setAttributes(number, { fill: tint.ink });
      }
    });
    threads.forEach(({ i, path }) => {
      const [level, from] = [Math.floor(i / n ** 2), i % n];
      const weight = panel.threads?.values[i] ?? 0;
      const holding = holdingOf(panel, level, from);
      const mixed = hair.map((channel, c) => Math.round(channel + (ink[c] - channel) * holding[0]));
      const bed = inked && holdingOf(goal, level, from)[0] === 0 ? below : above;
      if (path.parentNode !== bed) bed.append(path);
      setAttributes(path, {
        stroke: css(inked ? mixed : dye(holding, dark)),
        "stroke-width": (Math.min(1, 20 * weight) + weight * Math.min(0.4 * ground.tile.width, 13)).toFixed(2),
      });
    });
    if (settled === goal) return; // on its way to what is said already
    settled = goal;
    words.forEach((word, row) => word.classList.toggle("is-inked", inked && labels[row] === sources[0]));

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
    svg.setAttribute("aria-label", describe(goal));

    root.classList.toggle("is-drawn-on", drag.length > 0);
    if (!drag.length) return setHandles([]);
    const which = hand.controls.findIndex(({ name }) => name === drag[0]);
    /** @type {(states: number[]) => [number, number]} */
    const of = (states) => {
      const column = labels.findIndex((_, row) => stateOf(which, row) === states[which]);
      const [x, y] = onScreen(0, column);
      return [x, y + unit * 28];
    };
    const places = hand.places();
    ribbons.forEach((ribbon, row) => ribbon.classList.toggle("is-chosen", stateOf(which, row) === places[which]));
    const [x, y] = of(places);
    return setHandles([{ names: drag, label: hand.controls[which].label, at: [x, y], of: (_, states) => of(states) }]);
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
