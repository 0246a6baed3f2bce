// The plane: queries ◆ and keys ● that the reader moves, and from the chosen query to each key a line as thick as its
// weight. In self-attention the tokens are moved, and queries and keys follow.

import { make, setAttributes, svgNode, write } from "../kit/elements.js";
import { formatNumber, shorten, tidy } from "../kit/words.js";
import { placeLabels } from "./labels.js";
import { brief, handleName, handlesOf, queryName } from "./look_up.js";

/** @typedef {{ group: SVGElement, line: SVGElement, head: SVGElement }} Arrow */

/** @typedef {[number, number]} Pair */

/** @typedef {import("./look_up.js").LookUp} LookUp */

/** @typedef {import("./look_up.js").Handle} Handle */

/** @typedef {SoftLookupState} State */

const SIZE = 420; // of the drawing; a point of the plane at distance `reach` from the middle is at its edge
const GRIP = 24; // how near a finger must come to a point
const RING = 12; // of what the hand moves
const HALO = { "paint-order": "stroke", "stroke-width": 3.5, "stroke-linejoin": "round", "text-anchor": "middle" };

const pair = (/** @type {number[]} */ row) => /** @type {Pair} */ (row);

/** @type {(reach: number) => number} */
function tickStep(reach) {
  if (reach < 12) return reach < 6 ? 1 : 2;
  return 10 ** Math.floor(Math.log10(reach));
}

/** @type {(size: number) => string} */
const diamond = (size) => `M0 ${-size}L${size} 0L0 ${size}L${-size} 0Z`;

/**
 * limits: of a coordinate. onMove(point, [across, up]) asks for a point to be moved; onChoose(point) says which one has
 * the focus.
 * @param {{ limits: Ends, sentences: SoftLookupSentences, onMove: (point: Handle, place: number[]) => void,
 *   onChoose: (point: Handle) => void }} options
 */
export function plane({ limits: { low, high }, sentences, onMove, onChoose }) {
  const svg = svgNode("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "inorder-plane", role: "group" });
  /** @type {(attributes: Record<string, string>) => SVGGElement} */
  const layer = (attributes) => svg.appendChild(svgNode("g", attributes));
  const grid = layer({ "aria-hidden": "true" });
  const drawing = layer({ "aria-hidden": "true" });
  const names = layer({ "aria-hidden": "true", class: "inorder-names" });
  const grips = layer({});
  let marks = /** @type {ReturnType<typeof marksOf>} */ ({});
  let shape = "";
  let drawn = /** @type {SoftLookupState} */ ({}); // the state
  let [reach, gridReach] = [0, 0]; // now, and when the grid was drawn
  /** @type {{ point: Handle, offset: Pair, limit: number } | null} */
  let drag = null;

  /** @type {(point: Pair) => Pair} */
  const toDrawing = ([across, up]) => [(SIZE / 2) * (1 + across / reach), (SIZE / 2) * (1 - up / reach)];
  /** @type {(point: Pair) => { transform: string }} */
  const at = (point) => ({ transform: `translate(${toDrawing(point).join(" ")})` });
  /** @type {(matrices: Matrix[]) => number} */
  const largestOf = (matrices) => Math.max(3, ...matrices.flat(2).map(Math.abs));
  /** @type {(point: Handle) => Pair} */
  const placeOf = ({ kind, index }) => pair(drawn[kind][index]);

  /**
   * @type {(state: State, found: LookUp) => { lines: SVGElement[], arrows: { key: Arrow[], query: Arrow } | null,
   *   grips: { group: SVGElement, point: Handle }[], keys: SVGElement[], queries: SVGElement[],
   *   names: { root: SVGElement, text: Text, worth: SVGElement }[] }}
   */
  function marksOf(state, found) {
    for (const part of [drawing, names, grips]) part.replaceChildren();
    /** @type {<Tag extends keyof SVGElementTagNameMap>(parent: Element, tag: Tag, attributes?: Record<string, string | number>) => SVGElementTagNameMap[Tag]} */
    const add = (parent, tag, attributes = {}) => parent.appendChild(svgNode(tag, attributes));
    const name = (/** @type {string} */ actor) => {
      const root = add(names, "text", { ...HALO, class: `is-${actor}` });
      const text = new Text();
      root.append(text);
      return { root, text, worth: add(root, "tspan", { class: "is-value" }) };
    };
    const arrow = () => {
      const group = add(drawing, "g", { class: "inorder-arrow" });
      return { group, line: add(group, "line", { "stroke-dasharray": "5 3" }), head: add(group, "path") };
    };
    const lines = found.key.map(() => add(drawing, "line", { class: "inorder-line" }));
    const arrows = state.attention === "self" ? { key: found.key.map(arrow), query: arrow() } : null;
    const handles = handlesOf(state).map((point) => {
      const group = add(grips, "g", {
        class: `inorder-grip is-${{ q: "query", k: "key", x: "token" }[point.kind]}`,
        tabindex: 0,
        role: "slider",
        "data-kind": point.kind,
        "data-index": point.index,
        "aria-roledescription": "point in the plane",
        "aria-valuemin": low,
        "aria-valuemax": high,
      });
      add(group, "circle", { r: GRIP, class: "inorder-reach" });
      add(group, "circle", { r: RING, class: "inorder-ring" });
      if (point.kind === "x") add(group, "rect", { x: -4.5, y: -4.5, width: 9, height: 9 });
      group.addEventListener("focus", () => onChoose(point));
      group.addEventListener("keydown", (event) => press(event, point));
      return { group, point };
    });
    const stand = (/** @type {string} */ kind, /** @type {number} */ i) =>
      handles.find(({ point }) => point.kind === kind && point.index === i)?.group ?? add(drawing, "g");
    /** @type {(kind: "q" | "k", tag: "circle" | "path", i: number, attributes?: { r: number }) => SVGElement} */
    const actor = (kind, tag, i, attributes) =>
      add(stand(kind, i), tag, { class: `inorder-mark is-${kind === "q" ? "query" : "key"}`, ...attributes });
    const keys = found.key.map((_, i) => actor("k", "circle", i, { r: 5.5 }));
    const queries = found.query.map((_, i) => actor("q", "path", i));
    const labels = [
      ...found.key.map(() => name("key")),
      ...found.query.map(() => name("query")),
      ...(state.attention === "self" ? state.x.map(() => name("token")) : []),
    ];
    return { lines, arrows, grips: handles, keys, queries, names: labels };
  }

  function drawGrid() {
    if (reach === gridReach) return;
    gridReach = reach;
    const step = tickStep(reach);
    const nodes = [];
    for (let tick = -Math.floor(reach / step) * step; tick <= reach; tick += step) {
      const [u, v] = toDrawing([tick, tick]);
      const pen = { class: tick === 0 ? "is-axis" : "is-grid" };
      nodes.push(svgNode("line", { x1: u, x2: u, y1: 0, y2: SIZE, ...pen }));
      nodes.push(svgNode("line", { x1: 0, x2: SIZE, y1: v, y2: v, ...pen }));
      if (tick === 0) continue;
      for (const place of [
        { x: u, y: SIZE - 5 },
        { x: 12, y: v + 4 },
      ]) {
        const text = svgNode("text", { ...place, "text-anchor": "middle" });
        text.textContent = formatNumber(tick, 0);
        nodes.push(text);
      }
    }
    grid.replaceChildren(...nodes);
  }

  /** @type {(state: State, found: LookUp) => void} */
  function drawNames(state, { query, key, value, row }) {
    const self = state.attention === "self";
    const tokens = state.tokens.map((token) => shorten(token, 8));
    const away = self ? 6 : RING;
    const all = [
      ...key.map((point, j) => ({
        point,
        away,
        words: [`${self ? "key: " : ""}${tokens[j]} `, `■ ${brief(value[j][0])}`],
      })),
      ...query.map((point, i) => ({
        point,
        away: self ? 9 : RING,
        words: [self ? (i === row ? `query: ${tokens[i]}` : "") : queryName(sentences, state, i)],
      })),
      ...(self ? state.x.map((point, i) => ({ point, away: RING, words: [tokens[i]] })) : []),
    ];
    const places = placeLabels(
      all.map((each) => ({ at: toDrawing(pair(each.point)), away: each.away, text: each.words.join("") })),
      all.map((each) => ({ at: toDrawing(pair(each.point)), radius: each.away })),
      SIZE,
    );
    all.forEach(({ words: [name, value = ""] }, i) => {
      const { root, text, worth } = marks.names[i];
      if (text.data !== name) text.data = name;
      write(worth, value);
      setAttributes(root, places[i]);
    });
  }

  /** @type {(state: State, found: LookUp) => void} */
  function update(state, found) {
    const { query, key, weights, output, row } = found;
    const self = state.attention === "self";
    if (!drag) reach = 1.15 * Math.ceil(largestOf(self ? [state.x, query, key] : [query, key]));
    const nextShape = [state.attention, query.length, key.length].join();
    if (shape !== nextShape) marks = marksOf(state, found);
    [shape, drawn] = [nextShape, state];
    const label = `${self ? "Tokens, their queries and keys" : "Queries and keys"} in the plane`;
    setAttributes(svg, { "aria-label": label });
    drawGrid();
    const [x1, y1] = toDrawing(pair(query[row]));
    key.forEach((point, j) => {
      const [x2, y2] = toDrawing(pair(point));
      setAttributes(marks.lines[j], { x1, y1, x2, y2, "stroke-width": 0.5 + 11 * weights[row][j] });
    });
    query.forEach((_, i) => {
      const mark = marks.queries[i];
      setAttributes(mark, { d: diamond(i === row ? 8 : 5.5) });
      setAttributes(mark, { "data-name": "output", "data-row": i, "data-col": 0, "data-value": output[i][0] });
    });
    const { arrows } = marks;
    if (arrows) {
      key.forEach((point, i) => setAttributes(marks.keys[i], at(pair(point))));
      query.forEach((point, i) => setAttributes(marks.queries[i], at(pair(point))));
      const { parentElement: above } = marks.queries[row];
      if (above && drawing.lastChild !== above) drawing.append(above); // the chosen one lies above the keys
      state.x.forEach((point, i) => drawArrow(arrows.key[i], point, key[i], 9, i === row));
      drawArrow(arrows.query, state.x[row], query[row], 11, true);
    }
    for (const { group, point } of marks.grips) {
      const place = placeOf(point);
      const [across, up] = place.map((x) => formatNumber(x));
      setAttributes(group, {
        ...at(place),
        "aria-label": handleName(state, point),
        "aria-valuenow": place[0],
        "aria-valuetext": `across ${across}, up ${up}`,
      });
      group.classList.toggle("is-chosen", point.kind !== "k" && point.index === row);
    }
    drawNames(state, found);
    fade();
  }

  // While a query or a token is dragged, the others fade: the numbers shown are not theirs.
  function fade() {
    const isOther = (/** @type {Handle} */ { kind, index }) =>
      drag !== null && kind === drag.point.kind && index !== drag.point.index;
    for (const { group, point } of marks.grips)
      group.classList.toggle("is-faded", point.kind !== "k" && isOther(point));
    marks.arrows?.key.forEach(({ group }, index) => {
      group.classList.toggle("is-faded", isOther({ kind: "x", index }));
    });
  }

  // A dashed line whose head ends `gap` before its target, where the target's mark begins.
  /** @type {(arrow: Arrow, source: number[], target: number[], gap: number, strong: boolean) => void} */
  function drawArrow({ group, line, head }, source, target, gap, strong) {
    const [[a, b], [c, d]] = [toDrawing(pair(source)), toDrawing(pair(target))];
    const length = Math.hypot(c - a, d - b);
    const [u, v] = length > gap + RING ? [(c - a) / length, (d - b) / length] : [0, 0]; // too short: no arrow
    const [x, y] = u || v ? [c - gap * u, d - gap * v] : [a, b];
    group.classList.toggle("is-strong", strong);
    setAttributes(line, { x1: a, y1: b, x2: x, y2: y });
    const wing = (/** @type {number} */ side) => `${x - 9 * u + side * 4 * v} ${y - 9 * v - side * 4 * u}`;
    setAttributes(head, { d: `M${x} ${y}L${wing(1)}L${wing(-1)}Z` });
  }

  // moving points: drag, arrow keys

  /** @type {(event: PointerEvent) => Pair} */
  function pointerAt(event) {
    const frame = svg.getBoundingClientRect();
    return [((event.clientX - frame.x) / frame.width) * SIZE, ((event.clientY - frame.y) / frame.height) * SIZE];
  }

  /** @type {(at: Pair) => { group: SVGElement, point: Handle } | null} */
  function nearest(at) {
    const away = (/** @type {{ point: Handle }} */ { point }) => {
      const [u, v] = toDrawing(placeOf(point));
      return Math.hypot(u - at[0], v - at[1]);
    };
    const closest = marks.grips.reduce((best, grip) => (away(grip) <= away(best) ? grip : best)); // of equals, the upper
    return away(closest) <= GRIP ? closest : null;
  }

  svg.addEventListener("pointerdown", (event) => {
    const at = pointerAt(event);
    const grip = nearest(at);
    if (!grip || event.button !== 0) return;
    event.preventDefault();
    const { point } = grip;
    const [u, v] = toDrawing(placeOf(point));
    const limit = Math.max(...handlesOf(drawn).map((each) => largestOf([[placeOf(each)]])));
    drag = { point, offset: [u - at[0], v - at[1]], limit };
    svg.setPointerCapture(event.pointerId);
    grip.group.focus(/** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: false }));
  });
  // A finger on a point moves it, beside all points it scrolls the page. (touch-action is not reliable inside an SVG.)
  svg.addEventListener("touchstart", (event) => drag && event.preventDefault(), { passive: false });
  svg.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [x, y] = pointerAt(event);
    const [u, v] = [x + drag.offset[0], y + drag.offset[1]];
    const { point, limit } = drag;
    const place = [(u / (SIZE / 2) - 1) * reach, (1 - v / (SIZE / 2)) * reach];
    onMove(
      point,
      place.map((x) => Math.min(Math.max(Math.round(x * 20) / 20, -limit), limit)),
    );
  });
  for (const end of ["pointerup", "pointercancel"]) {
    svg.addEventListener(end, () => {
      if (!drag) return;
      const { point } = drag;
      drag = null;
      fade();
      onMove(point, placeOf(point)); // the drawing may now fit itself to the points
    });
  }

  /** @type {(event: KeyboardEvent, point: Handle) => void} */
  function press(event, point) {
    /** @type {Record<string, [number, number]>} */
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    const size = event.shiftKey ? 0.5 : 0.1;
    const place = placeOf(point).map((x, axis) => tidy(x + size * steps[event.key][axis]));
    onMove(
      point,
      place.map((x) => Math.min(Math.max(x, low), high)),
    );
  }

  return { root: make("div", { class: "inorder-field" }, svg), update };
}
