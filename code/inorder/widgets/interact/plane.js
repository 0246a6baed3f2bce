// Marks in a plane: curves, places and vectors, under one pair of axes.

import { clamp } from "../kit/arithmetic.js";
import { sizeDrawing, svgNode } from "../kit/elements.js";
import { nothing, render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { dashOf, shape } from "./actors.js";
import { scale } from "./axes.js";
import { alongCurve, arrow, clearSide, label, lengthOf, sidesOf } from "./drawing.js";
import { handlesOver } from "./handles.js";
import { readerOver } from "./reader.js";

/** @typedef {{ left: number, width: number, height: number }} Room */

/** @typedef {{ lines: string[], actor: Actor, at: number }} End the name of a curve, at its right end */

/** @typedef {import("./drawing.js").Edges} Edges */

/** @typedef {import("./states.js").PlanePanel} PlanePanel */

/** @typedef {import("./states.js").Lines} Lines */
/** @typedef {import("./states.js").Places} Places */

const LINE = 17; // between the baselines of two labels
const BESIDE = 8; // between a picture and the names at its right edge
const NEAR = 24; // how near to a mark the pointer reads it, in pixels
const TICK_SPACING = { x: 56, y: 44 };
const TALLEST = 400; // a plane with threads, which takes the whole width
const [WIDE_RISE, NARROW_RISE, NARROW] = [0.65, 0.85, 430]; // its height, as a share of its width; how wide is narrow
const WIDEST = 0.26; // a thread whose share is 1, in units of the plane
const WORD = 1.5; // of a thread, to other names
const SAME = 5e-3; // shares that differ by less are written alike

// Pairs of an array (n, 2) of a state.
/** @type {(array: ArrayOf) => Spot[]} */
const pairs = ({ values }) =>
  Array.from({ length: values.length / 2 }, (_, i) => /** @type {Spot} */ ([values[2 * i], values[2 * i + 1]]));
/** @type {(corners: Spot[]) => string} */
const pathOf = (corners) => corners.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
/** @type {(texts: string[]) => number} */
const widest = (texts) => Math.max(0, ...texts.map(lengthOf));

// A plane with threads has no numbers at its axes: its words stand in it.
/** @type {(panel: PlanePanel) => boolean} */
const isSheet = ({ layers }) => layers.some(({ kind }) => kind === "threads");

// Where everything stands, by the size and the limits.
/** @type {(panel: PlanePanel, size: Size) => { x: ReturnType<typeof scale>, y: ReturnType<typeof scale>, inner: Room, top: number, bottom: number, room: number }} */
function layOut(panel, { width, height }) {
  if (isSheet(panel)) {
    const tallest = width < NARROW ? NARROW_RISE * width : Math.min(WIDE_RISE * width, TALLEST);
    return layOutSheet(panel, width, Math.max(tallest, height));
  }
  const ends = panel.layers.flatMap((layer) => (layer.kind === "lines" ? [...layer.labels, ...layer.level_names] : []));
  const names = Math.min(widest(ends) + (widest(ends) ? BESIDE + 2 : 0), 0.4 * width);
  const top = panel.y_axis ? 26 : 8;
  const bottom = panel.bare ? 8 : panel.x_axis ? 46 : 26;
  const inner = { left: 0, width: 0, height: height - top - bottom };
  const roughly = scale(panel.y_limits, panel.log.includes("y"), inner.height, TICK_SPACING.y);
  inner.left = panel.bare ? 14 : Math.max(18, widest(roughly.ticks.map(([, text]) => text)) + 10);
  inner.width = width - inner.left - Math.max(names, 14);
  if (panel.equal) shrink(inner, panel);
  const x = scale(panel.x_limits, panel.log.includes("x"), inner.width, TICK_SPACING.x);
  const up = scale(panel.y_limits, panel.log.includes("y"), inner.height, TICK_SPACING.y);
  const y = { ...up, at: (/** @type {number} */ value) => inner.height - up.at(value) };
  return { x, y, inner, top, bottom, room: names - BESIDE };
}

/** @type {(panel: PlanePanel, width: number, tallest: number) => ReturnType<typeof layOut>} */
function layOutSheet(panel, width, tallest) {
  const [top, bottom] = panel.x_axis || panel.y_axis ? [24, 24] : [2, 2];
  const inner = { left: 0, width: width - 2, height: tallest - top - bottom };
  shrink(inner, panel);
  inner.left = (width - inner.width) / 2;
  const x = scale(panel.x_limits, false, inner.width, inner.width);
  const up = scale(panel.y_limits, false, inner.height, inner.height);
  const y = { ...up, at: (/** @type {number} */ value) => inner.height - up.at(value) };
  return { x, y, inner, top, bottom, room: 0 };
}

/** @type {(limits: Spot, isLog: boolean) => boolean} */
const hasZero = ([low, high], isLog) => low < 0 && high > 0 && !isLog;

// Axes, ticks and their names.
/** @type {(panel: PlanePanel, frame: ReturnType<typeof layOut>) => unknown} */
function ground(panel, { x, y, inner: { left, width, height } }) {
  const { x_axis, y_axis, x_limits, y_limits, log, bare } = panel;
  if (bare) return nothing;
  /** @type {(kind: string, x1: number, y1: number, x2: number, y2: number) => unknown} */
  const line = (kind, x1, y1, x2, y2) => svg`<line class="is-${kind}" x1=${x1} y1=${y1} x2=${x2} y2=${y2}/>`;
  /** @type {(kind: string, words: string, across: number, down: number, anchor: string) => unknown} */
  const text = (kind, words, across, down, anchor) =>
    svg`<text class="is-${kind}" x=${across} y=${down} text-anchor=${anchor}>${words}</text>`;
  if (isSheet(panel))
    return [
      line("axis", 0, height, width, height),
      line("axis", 0, 0, 0, height),
      text("axis-name", x_axis && `${x_axis} →`, width, height + 19, "end"),
      text("axis-name", y_axis && `↑ ${y_axis}`, 0, -9, "start"),
    ];
  return [
    x.ticks.map(([value, words]) => [
      line("axis", x.at(value), height, x.at(value), height + 4),
      text("tick", words, x.at(value), height + 18, "middle"),
    ]),
    y.ticks.map(([value, words]) => [
      line("axis", -4, y.at(value), 0, y.at(value)),
      text("tick", words, -8, y.at(value) + 4.5, "end"),
    ]),
    hasZero(x_limits, log.includes("x")) ? line("zero", x.at(0), 0, x.at(0), height) : nothing,
    hasZero(y_limits, log.includes("y")) ? line("zero", 0, y.at(0), width, y.at(0)) : nothing,
    line("axis", 0, height, width, height),
    line("axis", 0, 0, 0, height),
    text("axis-name", x_axis, width / 2, height + 38, "middle"),
    text("axis-name", y_axis, -left + 2, -12, "start"),
  ];
}

/** @type {MakeMark<PlanePanel>} */
export function planeMark(place, hand) {
  const picture = svgNode("svg", { class: "inorder-plane" });
  const { root, set: setHandles, spotOf } = handlesOver(picture, hand, () => redraw());
  let redraw = () => {};
  const read = readerOver(root, picture);
  let sides = /** @type {{ goal: PlanePanel | null, of: number[] }} */ ({ goal: null, of: [] }); // of the names of places

  /** @type {MarkOf<PlanePanel>["update"]} */
  function update(panel, size, dark, goal) {
    redraw = () => update(panel, size, dark, goal);
    const frame = layOut(panel, size);
    const { x, y, inner, top, bottom, room } = frame;
    /** @type {(pair: Spot) => Spot} */
    const inFrame = ([across, up]) => [x.at(across), y.at(up)];
    /** @type {(pair: Spot) => Spot} */
    const onScreen = ([across, up]) => [size.unit * (inner.left + x.at(across)), size.unit * (top + y.at(up))];
    const areNamed = panel.layers.some((layer) => layer.kind !== "lines" && layer.labels.length > 0);
    /** @type {string[]} */
    const descriptions = [];
    /** @type {Edges[]} */
    const taken = []; // boxes that labels of places keep clear of
    /** @type {Grip[]} */
    const grips = [];
    /** @type {unknown[]} */
    const labels = [];
    /** @type {End[]} */
    const named = []; // curves and levels
    /** @type {Spot[][]} */
    const stand = panel.layers.map(() => []); // the places of each layer, in the frame
    let inInk = 0;

    /** @type {(layer: Lines, end: Lines, l: number) => unknown} */
    function curves(layer, end, l) {
      const across = layer.x.values;
      const n = across.length;
      /** @type {(values: Numbers) => Spot[]} */
      const cornersOf = (values) => Array.from(across, (value, i) => inFrame([value, values[i]]));
      const edge = (/** @type {number} */ at) => layer.bands.values.subarray(at * n, (at + 1) * n);
      const bands = Array.from({ length: layer.bands.shape[0] }, (_, k) => {
        const around = [...cornersOf(edge(2 * k + 1)), ...cornersOf(edge(2 * k)).reverse()];
        return svg`<path d="${pathOf(around)}Z" class="inorder-band" data-name="${place}.${l}.bands" data-row=${k}
          data-value=${end.bands.values.subarray(2 * k * n, 2 * (k + 1) * n).join(" ")}/>`;
      });
      const levels = layer.level_names.map((name, k) => {
        const at = y.at(layer.levels.values[k]);
        named.push({ lines: inLines(name, room), actor: "ink", at });
        return svg`<path d="M0 ${at}H${inner.width}" class="inorder-level"/>`;
      });
      const uprights = Array.from(layer.handle.values, (value) => {
        const of = (/** @type {PlanePanel} */ { layers }) => {
          const [across] = onScreen([/** @type {Lines} */ (layers[l]).handle.values[0], 1]);
          return /** @type {Spot} */ ([across, size.unit * top]);
        };
        if (layer.drag.length) grips.push({ names: layer.drag, label: panel.x_axis, at: of(panel), of });
        return svg`<path d="M${x.at(value)} 0V${inner.height}" class="inorder-upright"/>`;
      });
      const lines = layer.labels.map((name, k) => {
        const values = layer.y.values.subarray(k * n, (k + 1) * n);
        const corners = cornersOf(values);
        const actor = layer.actors[k];
        const dash = dashOf(actor, actor === "ink" && !panel.bare ? inInk++ : 0);
        descriptions.push(`${name || "curve"} from ${formatNumber(values[0])} to ${formatNumber(values[n - 1])}`);
        if (areNamed) taken.push(...alongCurve(corners));
        if (name) named.push({ lines: inLines(name, room), actor, at: y.at(values[n - 1]) });
        return svg`<path d=${pathOf(corners)} class="inorder-curve is-line-of-${actor}"
          stroke-dasharray=${dash || "none"} data-name="${place}.${l}.y" data-row=${k}
          data-value=${end.y.values.subarray(k * n, (k + 1) * n).join(" ")}/>`;
      });
      return [bands, levels, lines, uprights];
    }

    /** @type {(layer: Places, end: Places, l: number) => unknown} */
    function places(layer, end, l) {
      const ends = pairs(end.xy);
      const tails = layer.tails ? pairs(layer.tails).map(inFrame) : [];
      const shares = /** @type {Places} */ (end).shares?.values ?? [];
      return pairs(layer.xy).map((pair, i) => {
        // What goes across and up at once is drawn under the hand, between the states to the nearest of which it comes.
        const spot = layer.drag.length > 1 && spotOf(grips.length);
        const at = spot
          ? /** @type {Spot} */ ([spot[0] / size.unit - inner.left, spot[1] / size.unit - top])
          : inFrame(pair);
        stand[l].push(at);
        taken.push([at[0] - 7, at[1] - 7, at[0] + 7, at[1] + 7]);
        if (layer.kind === "arrows") taken.push(...alongCurve([tails[i], at], 1));
        if (layer.drag.length) {
          /** @type {(one: PlanePanel) => Spot} */
          const of = ({ layers }) => onScreen(pairs(/** @type {Places} */ (layers[l]).xy)[i]);
          /** @type {(spot: Spot) => Spot} */
          const valueAt = ([right, down]) => [
            clamp((right / size.unit - inner.left - x.at(0)) / (x.at(1) - x.at(0)), ...panel.x_limits),
            clamp((down / size.unit - top - y.at(0)) / (y.at(1) - y.at(0)), ...panel.y_limits),
          ];
          const own = { row: i, value: ends[i], valueAt, spotAt: onScreen, isBare: layer.kind === "threads" };
          grips.push({ names: layer.drag, label: layer.labels[i] ?? "", at: onScreen(pair), of, ...own });
        }
        const [across, up] = pair.map((value) => formatNumber(value));
        descriptions.push(`${layer.labels[i] || layer.kind.slice(0, -1)} at ${across}, ${up}`);
        if (layer.shares) {
          const width = WIDEST * (x.at(1) - x.at(0)) * layer.shares.values[i];
          return svg`<line x1=${tails[i][0]} y1=${tails[i][1]} x2=${at[0]} y2=${at[1]} stroke-width=${1 + width}
            class="inorder-thread is-line-of-${layer.actor}" data-name="${place}.${l}.shares" data-row=${i} data-col="0"
            data-value=${shares[i]}/>`;
        }
        const mark =
          layer.kind === "arrows"
            ? arrow(tails[i], at, layer.actor)
            : shape(layer.actor, `translate(${at[0].toFixed(1)} ${at[1].toFixed(1)})`);
        return svg`<g data-name="${place}.${l}.xy" data-row=${i} data-value=${ends[i].join(" ")}>${mark}</g>`;
      });
    }

    // All states have the same layers.
    const shapes = panel.layers.map((layer, l) =>
      layer.kind === "lines"
        ? curves(layer, /** @type {Lines} */ (goal.layers[l]), l)
        : places(layer, /** @type {Places} */ (goal.layers[l]), l),
    );
    const isSettled = sides.goal === goal;
    if (!isSettled) sides = { goal, of: [] };
    let nth = 0;
    panel.layers.forEach((layer, l) => {
      if (layer.kind === "lines") return;
      if (layer.shares) return labels.push(words(layer, stand[l]));
      const ends = pairs(/** @type {Places} */ (goal.layers[l]).xy);
      stand[l].forEach((place, i) => {
        const text = layer.labels[i];
        if (!text) return;
        // A name keeps the side of its place on which it will stand at the goal.
        const isDragged = layer.drag.length > 0;
        if (!isSettled) sides.of.push(clearSide(text, inFrame(ends[i]), isDragged, taken, inner));
        const { anchor, at } = sidesOf(text, place, isDragged)[sides.of[nth++]];
        labels.push(label(text, layer.actor, at[0], at[1], anchor));
      });
    });
    labels.push(endLabels(named, inner));
    const axes = panel.bare ? "" : `${panel.x_axis || "x"} across, ${panel.y_axis || "y"} up. `;
    const height = inner.height + top + bottom;
    sizeDrawing(picture, size.width, height, size.unit, {
      role: panel.bare ? "img" : "application",
      "aria-label": `${panel.title ? `${panel.title}: ` : ""}${axes}${descriptions.join("; ")}.${panel.bare ? "" : " Arrow keys read the numbers."}`,
    });
    render(
      svg`<g transform="translate(${inner.left} ${top})" aria-hidden="true">
        <g class="inorder-ground">${ground(panel, frame)}</g>
        <svg class="inorder-content" width=${inner.width} height=${inner.height}
          overflow=${isSheet(panel) ? "visible" : "hidden"}>${shapes}</svg>
        <g class="inorder-labels">${labels}</g></g>`,
      picture,
    );
    setHandles(grips);
    // A drawing without axes has no numbers to be read.
    read(panel.bare ? null : () => readingsOf(goal, onScreen));
  }

  return { root, update };
}

// The words of threads, each at its place on a ground of its own; below that of the widest stands its number.
/** @type {(layer: Places, at: Spot[]) => unknown} */
function words({ labels, shares, actor, drag }, at) {
  const numbers = shares?.values ?? new Float64Array();
  const widest = Math.max(...numbers);
  return at.map(([x, y], i) => {
    const width = WORD * lengthOf(labels[i]) + 8;
    const number = numbers[i] > widest - SAME ? formatNumber(numbers[i]) : "";
    return svg`<rect class="inorder-word-ground ${drag.length ? "is-tile" : ""}" x=${x - width / 2} y=${y - 15} width=${width} height=${number ? 48 : 30} rx="5"/>
      <text class="inorder-thread-word is-text-of-${actor}" x=${x} y=${y + 7}>${labels[i]}</text>
      <text class="inorder-thread-number" x=${x} y=${y + 27}>${number}</text>`;
  });
}

// What a plane shows, a row for each curve and for each layer of places.
/** @type {(panel: PlanePanel, onScreen: (pair: Spot) => Spot) => import("./reader.js").Reading[][]} */
function readingsOf({ layers, log, x_axis, y_axis, x_limits, y_limits }, onScreen) {
  // Three digits of what an axis spans; on a logarithmic one, of the number.
  /** @type {(value: number, [low, high]: Spot, isLog: boolean) => string} */
  const written = (value, [low, high], isLog) => {
    const digits = 2 - Math.floor(Math.log10(isLog ? Math.abs(value) : high - low));
    return formatNumber(value, Number.isInteger(value) ? 0 : clamp(digits, 0, 9));
  };
  /** @type {(name: string, pair: Spot) => import("./reader.js").Reading} */
  const reading = (name, pair) => {
    const across = `${x_axis || "x"} ${written(pair[0], x_limits, log.includes("x"))}`;
    const up = `${y_axis || "y"} ${written(pair[1], y_limits, log.includes("y"))}`;
    return { at: onScreen(pair), reach: [NEAR, NEAR], words: `${name ? `${name}: ` : ""}${across}, ${up}` };
  };
  return layers.flatMap((layer) => {
    if (layer.kind === "threads")
      return [
        pairs(layer.xy).map((pair, i) => {
          const words = `${layer.labels[i]}: share ${formatNumber(layer.shares?.values[i] ?? 0)}`;
          return { at: onScreen(pair), reach: [NEAR, NEAR], words };
        }),
      ];
    if (layer.kind !== "lines") return [pairs(layer.xy).map((pair, i) => reading(layer.labels[i] ?? "", pair))];
    const across = layer.x.values;
    return layer.labels.map((name, k) =>
      Array.from(across, (value, i) => reading(name, [value, layer.y.values[k * across.length + i]])),
    );
  });
}

// Makes one unit as long across as it is up.
/** @type {(inner: Room, panel: PlanePanel) => void} */
function shrink(inner, { x_limits: [left, right], y_limits: [low, high] }) {
  const unit = Math.min(inner.width / (right - left), inner.height / (high - low)); // pixels
  inner.width = unit * (right - left);
  inner.height = unit * (high - low);
}

// A name in as many lines as it needs where there is room for so much.
/** @type {(name: string, room: number) => string[]} */
function inLines(name, room) {
  const [first, ...words] = name.split(" ");
  const lines = [first];
  for (const word of words) {
    const longer = `${lines[lines.length - 1]} ${word}`;
    if (lengthOf(longer) <= room) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines;
}

// The names of curves at their right ends, pushed apart where they would touch. `at` is the middle of a name.
/** @type {(ends: End[], inner: Room) => unknown} */
function endLabels(ends, { width, height }) {
  const sorted = [...ends].sort((a, b) => a.at - b.at);
  const half = (/** @type {End} */ { lines }) => (lines.length * LINE) / 2;
  let above = 0;
  for (const end of sorted) {
    end.at = Math.max(end.at, above + half(end));
    above = end.at + half(end);
  }
  let below = height + LINE / 2;
  for (const end of sorted.toReversed()) {
    end.at = Math.min(end.at, below - half(end));
    below = end.at - half(end);
  }
  return sorted.flatMap(({ lines, actor, at }) =>
    lines.map((line, i) => label(line, actor, width + BESIDE, at + 5 + (i - (lines.length - 1) / 2) * LINE, "start")),
  );
}
