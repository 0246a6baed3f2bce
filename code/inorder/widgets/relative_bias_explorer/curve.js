// The numbers of one scheme against the distance; the key slides along them.

import { setAttributes, svgNode, write } from "../kit/elements.js";
import { kept } from "../kit/kept.js";
import { formatNumber } from "../kit/words.js";
import { distancesOf } from "./kernels.js";
import { brief } from "./words.js";

/** @typedef {{ width: number, height: number, em: number }} Room */

// `name`, `row`: of the numbers that its dots carry. `onPick(key)`: the key was moved there. `update(state, values,
// label, room)` fills the room that style.css gives it, as `measure()` finds it; values: one for each distance, undefined
// where there is none.
/**
 * @type {(options: { name: string, row: number, onPick: (key: number) => void }) => { root: SVGSVGElement,
 *   measure: () => Room, update: (state: RelativeBiasExplorerState, values: (number | undefined)[], label: string,
 *   room: Room) => void }}
 */
export function curve({ name, row, onPick }) {
  const root = svgNode("svg", { class: "inorder-plot", role: "img" });
  /** @type {(className: string) => SVGGElement} */
  const layer = (className) => root.appendChild(svgNode("g", { class: className }));
  const [grid, hidden] = [layer("inorder-plot-grid"), layer("inorder-plot-hidden")];
  const lines = ["is-elsewhere", "is-here"].map((kind) =>
    root.appendChild(svgNode("path", { class: `inorder-curve ${kind}` })),
  );
  const marker = root.appendChild(svgNode("line", { class: "inorder-marker" }));
  const dots = layer("inorder-dots");
  const ring = root.appendChild(svgNode("circle", { class: "inorder-ring" }));
  const place = root.appendChild(svgNode("path", { class: "inorder-place" }));
  const placeName = root.appendChild(svgNode("text", { class: "inorder-place-name", "text-anchor": "middle" }));
  let [width, height, em, n, query] = [0, 0, 16, 0, 0];
  /** @type {{ r: number, node: SVGElement }[]} */
  let numbers = []; // below the grid

  const [leftOf, rightOf, topOf, bottomOf] = [() => 3.4 * em, () => 0.9 * em, () => 0.9 * em, () => 2.4 * em];
  const across = () => width - leftOf() - rightOf();
  /** @type {(r: number) => number} */
  const xOf = (r) => leftOf() + ((r + n - 1) / (2 * n - 2)) * across();

  /** @type {(event: PointerEvent) => void} */
  function pick({ clientX }) {
    const r = ((clientX - root.getBoundingClientRect().left - leftOf()) / across()) * (2 * n - 2) + 1 - n;
    onPick(Math.min(Math.max(query + Math.round(r), 0), n - 1));
  }
  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    root.setPointerCapture(event.pointerId);
    pick(event);
  });
  root.addEventListener("pointermove", (event) => {
    if (root.hasPointerCapture(event.pointerId)) pick(event);
  });

  const floor = () => height - bottomOf() + 0.4 * em;

  /** @type {(low: number, high: number, yOf: (x: number) => number) => void} */
  function drawGrid(low, high, yOf) {
    const step = [1, 2, 4, 8, 16, 32].find((each) => (each / (2 * n - 2)) * across() >= 2.4 * em) ?? 32;
    const rail = floor();
    /** @type {SVGElement[]} */
    const nodes = [svgNode("line", { x1: leftOf(), x2: width - rightOf(), y1: rail, y2: rail, class: "is-rail" })];
    const print = (
      /** @type {number} */ x,
      /** @type {number} */ y,
      /** @type {string} */ anchor,
      /** @type {string | null} */ words,
    ) => {
      const node = svgNode("text", { x, y, "text-anchor": anchor });
      node.textContent = words;
      nodes.push(node);
      return node;
    };
    numbers = [];
    for (let r = -Math.floor((n - 1) / step) * step; r <= n - 1; r += step) {
      const kind = r === 0 ? "is-query" : "";
      nodes.push(svgNode("line", { x1: xOf(r), x2: xOf(r), y1: r === 0 ? 2 : rail - 3, y2: rail + 3, class: kind }));
      numbers.push({ r, node: print(xOf(r), rail + 1.7 * em, "middle", formatNumber(r, 0)) });
    }
    if (low < 0 && high > 0) {
      nodes.push(svgNode("line", { x1: leftOf(), x2: width - rightOf(), y1: yOf(0), y2: yOf(0), class: "is-zero" }));
    }
    for (const value of new Set([low, high])) print(leftOf() - 0.5 * em, yOf(value) + 0.3 * em, "end", brief(value));
    grid.replaceChildren(...nodes);
  }

  /**
   * @type {(values: (number | undefined)[], isHere: (r: number) => boolean, yOf: (x: number) => number,
   *   isWeight: boolean) => void}
   */
  function drawLines(values, isHere, yOf, isWeight) {
    const pathOf = (/** @type {(r: number) => boolean} */ isDrawn) => {
      let pen = "M";
      return distancesOf(n)
        .map((r, k) => {
          const value = values[k] ?? Number.NaN;
          const drawn = Number.isFinite(value) && isDrawn(r);
          const command = drawn ? `${pen}${xOf(r).toFixed(2)} ${yOf(value).toFixed(2)}` : "";
          pen = drawn ? "L" : "M";
          return command;
        })
        .join("");
    };
    setAttributes(lines[0], { d: isWeight ? "" : pathOf(() => true) });
    setAttributes(lines[1], { d: pathOf(isHere) });
  }

  /** @type {(values: (number | undefined)[], isHere: (r: number) => boolean, yOf: (x: number) => number) => void} */
  function drawDots(values, isHere, yOf) {
    const distances = distancesOf(n);
    if (dots.childElementCount !== distances.length) {
      dots.replaceChildren(...distances.map((_, k) => svgNode("circle", { "data-row": row, "data-col": k })));
    }
    const radius = Math.min(0.22 * em, Math.max(1, (0.4 * across()) / (2 * n - 2)));
    distances.forEach((r, k) => {
      const [dot, value] = [dots.children[k], values[k]];
      if (value === undefined) {
        setAttributes(dot, { class: "is-absent" });
        dot.removeAttribute("data-name");
        return;
      }
      const kind = Number.isFinite(value) ? (isHere(r) ? "is-here" : "is-elsewhere") : "is-absent";
      const at = Number.isFinite(value) ? { cx: xOf(r).toFixed(2), cy: yOf(value).toFixed(2), r: radius } : {};
      setAttributes(dot, { class: kind, ...at, "data-name": name, "data-value": String(value) });
    });
  }

  /** @type {(values: (number | undefined)[]) => void} */
  function drawHidden(values) {
    const out = distancesOf(n).filter((_, k) => values[k] === -Infinity);
    if (out.length === 0) {
      hidden.replaceChildren();
      return;
    }
    const half = (0.5 / (2 * n - 2)) * across();
    const [from, to] = [xOf(out[0]) - half, xOf(out[out.length - 1]) + half];
    const tall = height - bottomOf();
    const label = svgNode("text", { x: (from + to) / 2, y: tall / 2, "text-anchor": "middle" });
    label.textContent = "−∞: not seen";
    hidden.replaceChildren(svgNode("rect", { x: from, y: 2, width: to - from, height: tall - 4 }), label);
  }

  // All but the chosen key, which moves above it.
  /** @type {(values: (number | undefined)[], isWeight: boolean, query: number, room: Room) => { low: number, high: number, yOf: (x: number) => number }} */
  const drawStill = kept((values, isWeight, ..._place) => {
    const finite = values.filter((value) => value !== undefined).filter(Number.isFinite);
    const low = isWeight ? 0 : Math.min(...finite);
    const high = Math.max(...finite);
    const [least, range] = high > low ? [low, high - low] : [low - 1, 2];
    const yOf = (/** @type {number} */ x) =>
      height - bottomOf() - ((x - least) / range) * (height - topOf() - bottomOf());
    const isHere = (/** @type {number} */ r) => r >= -query && r <= n - 1 - query;
    drawGrid(low, high, yOf);
    drawLines(values, isHere, yOf, isWeight);
    drawDots(values, isHere, yOf);
    drawHidden(values);
    return { low, high, yOf };
  });

  /** @type {(chosen: number, value: number | undefined, yOf: (x: number) => number) => void} */
  function drawChosen(chosen, value, yOf) {
    const x = xOf(chosen);
    for (const { r, node } of numbers) {
      const isFree = Math.abs(xOf(r) - x) > 2.2 * em; // of the chosen one's number
      setAttributes(node, { visibility: isFree ? "visible" : "hidden" });
    }
    setAttributes(place, { d: `M${x} ${floor() - 0.2 * em}l${0.5 * em} ${0.85 * em}h${-em}z` });
    setAttributes(placeName, { x, y: floor() + 1.8 * em });
    write(placeName, formatNumber(chosen, 0));
    setAttributes(marker, { x1: x, x2: x, y1: 2, y2: height - bottomOf() });
    const isSeen = value !== undefined && Number.isFinite(value);
    ring.style.display = isSeen ? "" : "none";
    if (isSeen) setAttributes(ring, { cx: x, cy: yOf(value), r: 0.62 * em });
  }

  function measure() {
    const { width, height } = root.getBoundingClientRect();
    return { width, height, em: parseFloat(getComputedStyle(root).fontSize) };
  }

  /** @type {(state: RelativeBiasExplorerState, values: (number | undefined)[], label: string, room: Room) => void} */
  function update(state, values, label, room) {
    ({ width, height, em } = room);
    if (width === 0) return;
    [n, query] = [state.n, state.query];
    setAttributes(root, { viewBox: `0 0 ${width} ${height}` });
    const { low, high, yOf } = drawStill(values, state.as_weights, query, room);
    const chosen = state.key - query;
    drawChosen(chosen, values[chosen + n - 1], yOf);
    const what = state.as_weights ? "weights" : "numbers";
    const told = `${label}: ${what} from ${brief(low)} to ${brief(high)} against the distance`;
    setAttributes(root, { "aria-label": told });
  }
  return { root, measure, update };
}
