// Lines over steps or lengths, two models in one drawing: the first dashed, the second solid; what no training can pass
// as dotted lines with their words.

import { make, svgNode } from "../kit/elements.js";

/**
 * @typedef {{ lines: { points: Pair[], word?: string, dots?: boolean }[], levels: { points: Pair[], word: string }[], across: Pair, up: Pair, ticks: number[], heights: number[] }} Content
 */

/** @typedef {[number, number]} Pair */

const MOST_POINTS = 240; // of a line: more are averaged, several to a point

// [x, y] of a line of many values, each point the mean of as many as it takes.
/** @type {(values: number[], xs: (place: number) => number) => Pair[]} */
export function thinned(values, xs) {
  const size = Math.ceil(values.length / MOST_POINTS) || 1;
  /** @type {Pair[]} */
  const points = [];
  for (let from = 0; from < values.length; from += size) {
    const some = values.slice(from, from + size);
    points.push([xs(from + (some.length - 1) / 2), some.reduce((sum, value) => sum + value, 0) / some.length]);
  }
  return points;
}

/**
 * draw({ lines: [{ points: [x, y][], word, dots }], levels: [{ points, word }], across, up, ticks, heights }): the ends of
 * the axes, and where they carry numbers; dots: at every point, not only the last.
 * @param {{ title: string, name: string, unit: string }} options name: of the numbers at the dots
 */
export function chart({ title, name, unit }) {
  const svg = svgNode("svg", { class: "inorder-chart-drawing", role: "img" });
  const root = make(
    "div",
    { class: `inorder-chart is-${name}` },
    make("div", { class: "inorder-chart-title", "aria-hidden": "true" }, title),
    svg,
  );

  /** @type {(content: Content) => void} */
  function draw({ lines, levels, across, up, ticks, heights }) {
    const em = Number.parseFloat(getComputedStyle(root).fontSize);
    const [width, height] = [svg.clientWidth, svg.clientHeight];
    if (!width || !height) return;
    const [left, right, top, bottom] = [2.1 * em, width - 0.6 * em, 0.6 * em, height - 1.6 * em];
    const x = (/** @type {number} */ value) => left + ((value - across[0]) / (across[1] - across[0])) * (right - left);
    const y = (/** @type {number} */ value) =>
      bottom - ((Math.min(value, up[1]) - up[0]) / (up[1] - up[0])) * (bottom - top);
    const path = (/** @type {Pair[]} */ points) =>
      points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
    /** @type {SVGElement[]} */
    const nodes = [];
    /** @type {(tag: keyof SVGElementTagNameMap, attributes: Record<string, string | number>, text?: string) => void} */
    const put = (tag, attributes, text = "") => {
      const node = svgNode(tag, attributes);
      node.textContent = text;
      nodes.push(node);
    };
    for (const at of heights) {
      put("path", { d: `M ${left} ${y(at)} H ${right}`, class: "inorder-rule" });
      put("text", { x: left - 0.4 * em, y: y(at) + 0.33 * em, "text-anchor": "end" }, String(at));
    }
    for (const at of ticks) {
      const isLast = at === ticks[ticks.length - 1];
      const place = { x: x(at), y: height - 0.3 * em, "text-anchor": isLast ? "end" : "middle" };
      put("text", place, isLast ? `${at} ${unit}` : String(at));
    }
    for (const { points, word } of levels) {
      put("polyline", { points: path(points), class: "inorder-level", "data-level": points[0][1] });
      const place = { x: right, y: y(points[points.length - 1][1]) - 0.35 * em, "text-anchor": "end" };
      if (word) put("text", { ...place, class: "inorder-level-word" }, word);
    }
    lines.forEach(({ points, word, dots }, which) => {
      const look = which ? "is-second" : "is-first";
      put("polyline", { points: path(points), class: `inorder-line ${look}` });
      points.forEach(([a, b], i) => {
        if (!dots && i < points.length - 1) return;
        const data = { "data-name": name, "data-row": which, "data-col": dots ? i : 0, "data-value": b };
        put("circle", { cx: x(a), cy: y(b), r: 0.24 * em, class: `inorder-end ${look}`, ...data });
      });
      if (!word || !points.length) return;
      const [a, b] = points[points.length - 1];
      const isFar = a > (across[0] + across[1]) / 2;
      const place = { x: x(a) + (isFar ? 0.3 : 0.6) * em, "text-anchor": isFar ? "end" : "start" };
      const other = lines[0].points.at(-1);
      const isNear = which > 0 && other && Math.abs(y(other[1]) - y(b)) < 1.3 * em; // both words would stand below
      put("text", { ...place, y: y(b) + (isNear ? -0.6 : 1.3) * em, class: "inorder-level-word" }, word);
    });
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren(...nodes);
  }
  const describe = (/** @type {string} */ text) => {
    if (svg.getAttribute("aria-label") !== text) svg.setAttribute("aria-label", text);
  };
  return { root, draw, describe };
}
