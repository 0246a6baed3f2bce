// Marks in a plane: curves, places and vectors, under one pair of axes.

import { svgNode } from "../kit/elements.js";
import { formatNumber } from "../kit/words.js";
import { dashOf, shapeOf } from "./actors.js";
import { scale } from "./axes.js";
import { alongCurve, arrow, clearSide, labelNode, lengthOf, sidesOf } from "./drawing.js";
import { handlesOver } from "./handles.js";
import { readerOver } from "./reader.js";

/** @typedef {{ left: number, width: number, height: number }} Room */

/** @typedef {{ lines: string[], actor: Actor, at: number }} End the name of a curve, at its right end */

/** @typedef {import("./drawing.js").Edges} Edges */

/** @typedef {import("./drawing.js").Pair} Pair */

/** @typedef {import("./states.js").Size} Size */

/** @typedef {import("./states.js").PlanePanel} PlanePanel */

/** @typedef {import("./states.js").Actor} Actor */

const LINE = 17; // between the baselines of two labels
const BESIDE = 8; // between a picture and the names at its right edge
const NEAR = 24; // how near to a mark the pointer reads it, in pixels
const TICK_SPACING = { x: 56, y: 44 };

// Pairs of an array (n, 2) of a state.
/** @type {(array: import("./states.js").ArrayOf) => Pair[]} */
const pairs = ({ values }) =>
  Array.from({ length: values.length / 2 }, (_, i) => /** @type {Pair} */ ([values[2 * i], values[2 * i + 1]]));
/** @type {(texts: string[]) => number} */
const widest = (texts) => Math.max(0, ...texts.map(lengthOf));

/** @typedef {{ root: HTMLElement, update: (panel: PlanePanel, size: Size, dark: boolean, goal: PlanePanel) => void }} PlaneMark */

/** @type {(place: number, hand: import("./handles.js").Hand) => PlaneMark} */
export function planeMark(place, hand) {
  const svg = svgNode("svg", { class: "inorder-plane" });
  const { root, set: setHandles } = handlesOver(svg, hand);
  const read = readerOver(root, svg);
  let built = "";
  let sides = /** @type {{ goal: PlanePanel | null, of: number[] }} */ ({ goal: null, of: [] }); // of the names of places
  let frame = /** @type {ReturnType<typeof build>} */ ({});

  // The ground, that is axes, ticks and their names, is redrawn when the size or the limits change.
  /**
   * @type {(panel: PlanePanel, size: Size) => { x: ReturnType<typeof scale>, y: ReturnType<typeof scale>,
   *   inner: Room, top: number, content: SVGElement, labels: SVGElement, room: number }}
   */
  function build(panel, { width, height, unit }) {
    const ends = panel.layers.flatMap((layer) => (layer.kind === "lines" ? layer.labels : []));
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

    const ground = svgNode("g", { class: "inorder-ground", "aria-hidden": "true" });
    /** @type {(x1: number, y1: number, x2: number, y2: number, kind: string) => void} */
    const line = (x1, y1, x2, y2, kind) => ground.append(svgNode("line", { x1, y1, x2, y2, class: `is-${kind}` }));
    /** @type {(text: string, at: Point, anchor: string, kind: string) => void} */
    const write = (text, at, anchor, kind) => {
      const node = svgNode("text", { ...at, "text-anchor": anchor, class: `is-${kind}` });
      node.textContent = text;
      ground.append(node);
    };
    if (!panel.bare) {
      for (const [value, text] of x.ticks) {
        line(x.at(value), inner.height, x.at(value), inner.height + 4, "axis");
        write(text, { x: x.at(value), y: inner.height + 18 }, "middle", "tick");
      }
      for (const [value, text] of y.ticks) {
        line(-4, y.at(value), 0, y.at(value), "axis");
        write(text, { x: -8, y: y.at(value) + 4.5 }, "end", "tick");
      }
      const within = (/** @type {Pair} */ [low, high]) => low < 0 && high > 0;
      if (within(panel.x_limits) && !panel.log.includes("x")) line(x.at(0), 0, x.at(0), inner.height, "zero");
      if (within(panel.y_limits) && !panel.log.includes("y")) line(0, y.at(0), inner.width, y.at(0), "zero");
      line(0, inner.height, inner.width, inner.height, "axis");
      line(0, 0, 0, inner.height, "axis");
      write(panel.x_axis, { x: inner.width / 2, y: inner.height + 38 }, "middle", "axis-name");
      write(panel.y_axis, { x: -inner.left + 2, y: -12 }, "start", "axis-name");
    }

    const hidden = { "aria-hidden": "true" };
    const content = svgNode("svg", { width: inner.width, height: inner.height, class: "inorder-content", ...hidden });
    const labels = svgNode("g", { class: "inorder-labels", ...hidden });
    const all = svgNode("g", { transform: `translate(${inner.left} ${top})` });
    all.append(ground, content, labels);
    svg.replaceChildren(all);
    const size = { width, height: inner.height + top + bottom };
    svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    for (const [name, length] of Object.entries(size)) svg.setAttribute(name, String(length * unit));
    return { x, y, inner, top, content, labels, room: names - BESIDE };
  }

  /** @type {PlaneMark["update"]} */
  function update(panel, size, _dark, goal) {
    const ends = panel.layers.flatMap((layer) => (layer.kind === "lines" ? layer.labels : []));
    const next = JSON.stringify([size, panel.x_limits, panel.y_limits, panel.x_axis, panel.y_axis, ends]);
    if (built !== next) frame = build(panel, size);
    built = next;
    const { x, y, inner, top, room } = frame;
    /** @type {(pair: Pair) => Pair} */
    const onScreen = ([across, up]) => [size.unit * (inner.left + x.at(across)), size.unit * (top + y.at(up))];
    /** @type {SVGElement[]} */
    const shapes = [];
    /** @type {SVGElement[]} */
    const labels = [];
    /** @type {string[]} */
    const descriptions = [];
    /** @type {Edges[]} */
    const taken = []; // boxes that labels of places keep clear of
    /** @type {import("./handles.js").Grip[]} */
    const grips = [];
    let inInk = 0;
    panel.layers.forEach((layer, l) => {
      const end = goal.layers[l];
      const data = (/** @type {string} */ name, /** @type {number} */ row, /** @type {string} */ value) => ({
        "data-name": `${place}.${l}.${name}`,
        "data-row": row,
        "data-value": value,
      });
      if (layer.kind === "lines" && end.kind === "lines") {
        const across = layer.x.values;
        const n = across.length;
        const named = layer.labels.map((name, k) => {
          const values = layer.y.values.subarray(k * n, (k + 1) * n);
          const actor = layer.actors[k];
          let d = "";
          values.forEach((value, i) => {
            d += `${i ? "L" : "M"}${x.at(across[i]).toFixed(1)} ${y.at(value).toFixed(1)}`;
          });
          const dash = dashOf(actor, actor === "ink" && !panel.bare ? inInk++ : 0);
          shapes.push(
            svgNode("path", {
              d,
              class: `inorder-curve is-line-of-${actor}`,
              "stroke-dasharray": dash || "none",
              ...data("y", k, end.y.values.subarray(k * n, (k + 1) * n).join(" ")),
            }),
          );
          descriptions.push(`${name || "curve"} from ${formatNumber(values[0])} to ${formatNumber(values[n - 1])}`);
          taken.push(
            ...alongCurve(Array.from(across, (value, i) => /** @type {Pair} */ ([x.at(value), y.at(values[i])]))),
          );
          return { lines: inLines(name, room), actor, at: y.at(values[n - 1]) };
        });
        labels.push(
          ...endLabels(
            named.filter((_, k) => layer.labels[k]),
            inner,
          ),
        );
        return;
      }
      if (layer.kind === "lines" || end.kind === "lines") return; // all states have the same layers
      const places = pairs(layer.xy);
      const ends = pairs(end.xy);
      const tails = layer.tails ? pairs(layer.tails) : [];
      places.forEach(([across, up], i) => {
        /** @type {Pair} */
        const at = [x.at(across), y.at(up)];
        const group = svgNode("g", data("xy", i, ends[i].join(" ")));
        if (layer.kind === "arrows") group.append(...arrow([x.at(tails[i][0]), y.at(tails[i][1])], at, layer.actor));
        else {
          const shape = shapeOf(layer.actor);
          shape.setAttribute("transform", `translate(${at[0].toFixed(1)} ${at[1].toFixed(1)})`);
          group.append(shape);
        }
        shapes.push(group);
        taken.push([at[0] - 7, at[1] - 7, at[0] + 7, at[1] + 7]);
        if (layer.kind === "arrows") taken.push(...alongCurve([[x.at(tails[i][0]), y.at(tails[i][1])], at], 1));
        if (layer.drag.length) {
          /** @type {(one: PlanePanel) => Pair} */
          const of = ({ layers }) => onScreen(pairs(/** @type {import("./states.js").Places} */ (layers[l]).xy)[i]);
          grips.push({ names: layer.drag, label: layer.labels[i] ?? "", at: onScreen([across, up]), of });
        }
        descriptions.push(
          `${layer.labels[i] || layer.kind.slice(0, -1)} at ${formatNumber(across)}, ${formatNumber(up)}`,
        );
      });
    });
    const isSettled = sides.goal === goal;
    if (!isSettled) sides = { goal, of: [] };
    let nth = 0;
    for (const [l, layer] of panel.layers.entries()) {
      const end = goal.layers[l];
      if (layer.kind === "lines" || end.kind === "lines") continue;
      const ends = pairs(end.xy);
      pairs(layer.xy).forEach(([across, up], i) => {
        const text = layer.labels[i];
        if (!text) return;
        // A name keeps the side of its place on which it will stand at the goal.
        const isDragged = layer.drag.length > 0;
        if (!isSettled) sides.of.push(clearSide(text, [x.at(ends[i][0]), y.at(ends[i][1])], isDragged, taken, inner));
        const { anchor, at } = sidesOf(text, [x.at(across), y.at(up)], isDragged)[sides.of[nth++]];
        labels.push(labelNode(text, layer.actor, at[0], at[1], anchor));
      });
    }
    setHandles(grips);
    // A drawing without axes has no numbers to be read.
    read(panel.bare ? null : () => readingsOf(goal, onScreen));
    svg.setAttribute("role", panel.bare ? "img" : "application");
    frame.content.replaceChildren(...shapes);
    frame.labels.replaceChildren(...labels);
    const axes = panel.bare ? "" : `${panel.x_axis || "x"} across, ${panel.y_axis || "y"} up. `;
    svg.setAttribute(
      "aria-label",
      `${panel.title ? `${panel.title}: ` : ""}${axes}${descriptions.join("; ")}.${panel.bare ? "" : " Arrow keys read the numbers."}`,
    );
  }

  return { root, update };
}

// What a plane shows, a row for each curve and for each layer of places.
/** @type {(panel: PlanePanel, onScreen: (pair: Pair) => Pair) => import("./reader.js").Reading[][]} */
function readingsOf({ layers, log, x_axis, y_axis, x_limits, y_limits }, onScreen) {
  // Three digits of what an axis spans; on a logarithmic one, of the number.
  /** @type {(value: number, [low, high]: Pair, isLog: boolean) => string} */
  const written = (value, [low, high], isLog) => {
    const digits = 2 - Math.floor(Math.log10(isLog ? Math.abs(value) : high - low));
    return formatNumber(value, Number.isInteger(value) ? 0 : Math.min(Math.max(digits, 0), 9));
  };
  /** @type {(name: string, pair: Pair) => import("./reader.js").Reading} */
  const reading = (name, pair) => {
    const across = `${x_axis || "x"} ${written(pair[0], x_limits, log.includes("x"))}`;
    const up = `${y_axis || "y"} ${written(pair[1], y_limits, log.includes("y"))}`;
    return { at: onScreen(pair), reach: [NEAR, NEAR], words: `${name ? `${name}: ` : ""}${across}, ${up}` };
  };
  return layers.flatMap((layer) => {
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
/** @type {(ends: End[], inner: Room) => SVGElement[]} */
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
    lines.map((line, i) =>
      labelNode(line, actor, width + BESIDE, at + 5 + (i - (lines.length - 1) / 2) * LINE, "start"),
    ),
  );
}
