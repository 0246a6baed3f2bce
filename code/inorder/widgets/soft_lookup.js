// Attention as a soft dictionary: queries and keys are points in the plane, values are numbers.

import {
  attentionScores, button, checkbox, divergingColour, equalsOrNearly, figureShell, followState, formatNumber, isMatrix,
  isText, largestMagnitude, make, matmul, matrixGrid, select, sequentialColour, shorten, slider, softmax,
  svgNode, tidy, uniqueId, variable,
} from "./kit.js";

const LONGEST_TOKEN = 20;
const LARGEST_POINT = 10;
const LARGEST_VALUE = 1000;
const LARGEST_SHARPNESS = 100;
const TIE = 1e-9; // scores closer than this are equal to the hard look-up

// ------------------------------------------------------------------------------------------------- the state

const points = (value) => isMatrix(value, LARGEST_POINT);
const isOneOf = (...choices) => (value) => choices.includes(value);
const isBoolean = (value) => typeof value === "boolean";
const within = (low, x, high) => low <= x && x <= high;

const checks = {
  tokens: (tokens) => Array.isArray(tokens) && tokens.every((token) => isText(token, LONGEST_TOKEN)),
  q: points,
  k: points,
  v: (v) => isMatrix(v, LARGEST_VALUE),
  x: points,
  w_q: points,
  w_k: points,
  w_v: points,
  attention: isOneOf("cross", "self"),
  matching: isOneOf("dot", "distance"),
  sharpness: (sharpness) => typeof sharpness === "number" && within(0, sharpness, LARGEST_SHARPNESS),
  hard: isBoolean,
  tied: isBoolean,
  chosen: (chosen) => Number.isInteger(chosen) && within(0, chosen, 5),
};

const hasShape = (matrix, rows, columns) => matrix.length === rows && matrix[0].length === columns;

function agree({ tokens, q, k, v, x, w_q, w_k, w_v }) {
  const [m, n] = [q.length, k.length];
  return (
    within(1, m, 4) && hasShape(q, m, 2) && within(2, n, 6) && hasShape(k, n, 2) && hasShape(v, n, 1) &&
    tokens.length === n && hasShape(x, n, 2) && hasShape(w_q, 2, 2) && hasShape(w_k, 2, 2) && hasShape(w_v, 2, 1)
  );
}

// -------------------------------------------------------------------------------------------- the arithmetic

function distanceScores(query, key) {
  return query.map((q) => key.map((k) => -0.5 * q.reduce((sum, x, axis) => sum + (x - k[axis]) ** 2, 0)));
}

// What softmax(β · scores) tends to as β grows: the best alone, or equal shares for several best.
function hardmax(scores) {
  const largest = Math.max(...scores);
  const best = scores.map((score) => score >= largest - TIE);
  const count = best.filter(Boolean).length;
  return best.map((isBest) => (isBest ? 1 / count : 0));
}

export function lookUp({ q, k, v, x, w_q, w_k, w_v, attention, matching, sharpness, hard, tied, chosen }) {
  const self = attention === "self";
  const query = self ? matmul(x, tied ? w_k : w_q) : q; // (query, 2)
  const key = self ? matmul(x, w_k) : k; // (key, 2)
  const value = self ? matmul(x, w_v) : v; // (key, 1)
  const scores = matching === "dot" ? attentionScores(query, key, { scale: 1 }) : distanceScores(query, key);
  const weights = scores.map((row) => (hard ? hardmax(row) : softmax(row.map((score) => sharpness * score))));
  const output = matmul(weights, value); // (query, 1)
  return { query, key, value, scores, weights, output, row: Math.min(chosen, query.length - 1) };
}

// ------------------------------------------------------------------------------------------------- the words

const queryName = ({ attention, tokens }, i) =>
  attention === "cross" ? `query ${i + 1}` : `the query of “${tokens[i]}”`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);

function summarise(state, found) {
  const self = state.attention === "self";
  const inputs = self ? "One input (self-attention)" : "Two inputs (cross-attention)";
  const tied = self && state.tied ? ", W_Q = W_K" : "";
  const matching = state.matching === "dot" ? "dot product" : "distance";
  const sharpness = state.hard ? "hard look-up" : `β = ${formatNumber(state.sharpness)}`;
  const rows = found.query.map((_, i) => finds(state, found, i));
  return `${inputs}${tied}, matched by ${matching}, ${sharpness}. ${rows.join("; ")}.`;
}

function finds(state, { weights, output }, i) {
  const row = weights[i];
  const name = i === 0 ? capital(queryName(state, i)) : queryName(state, i);
  const result = formatNumber(output[i][0]);
  const largest = Math.max(...row);
  const best = row.filter((weight) => weight >= largest - TIE).length;
  if (best === row.length) return `${name} weighs all ${row.length} keys equally and gets their mean, ${result}`;
  if (best > 1) return `${name} weighs ${best} keys equally, above the rest, and gets ${result}`;
  const target = `“${state.tokens[row.indexOf(largest)]}”`;
  return `${name} puts ${formatNumber(largest)} of its weight on ${target} and gets ${result}`;
}

// A value inside its circle.
function brief(value) {
  return formatNumber(value, Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 1);
}

// ------------------------------------------------------------------------------------------------- sharpness

const HARD_STOP = 100; // the last stop of the slider; the one before it is β = 20
const GROWTH = Math.log(201) / (HARD_STOP - 1);
const stopToSharpness = (stop) => tidy(Math.expm1(GROWTH * stop) / 10);
const sharpnessToStop = (sharpness) => Math.min(Math.round(Math.log1p(10 * sharpness) / GROWTH), HARD_STOP - 1);

function sharpnessControl(change) {
  const id = uniqueId("inorder-sharpness");
  const range = make("input", { type: "range", min: 0, max: HARD_STOP, step: 1, "aria-labelledby": id, oninput: () => {
    const stop = range.valueAsNumber;
    change(stop === HARD_STOP ? { hard: true } : { hard: false, sharpness: stopToSharpness(stop) });
  } });
  const box = make("input", { type: "number", min: 0, max: LARGEST_SHARPNESS, step: "any",
    "aria-label": "Sharpness β, as a number", oninput: () => {
      if (box.value !== "" && box.validity.valid) change({ hard: false, sharpness: box.valueAsNumber });
    } });
  const name = make("span", { class: "inorder-slider-name", id }, "Sharpness β");
  const ends = make("span", { class: "inorder-ends", "aria-hidden": "true" },
    make("span", {}, "0: uniform"), make("span", {}, "∞: hard"));
  const root = make("div", { class: "inorder-slider inorder-sharpness" }, name,
    make("span", { class: "inorder-track" }, range, ends), box);
  const set = ({ sharpness, hard }) => {
    const stop = hard ? HARD_STOP : sharpnessToStop(sharpness);
    if (range.valueAsNumber !== stop) range.value = stop;
    range.setAttribute("aria-valuetext", hard ? "hard look-up" : formatNumber(sharpness));
    if (hard) box.value = "";
    else if (box.valueAsNumber !== sharpness) box.value = sharpness;
    box.placeholder = hard ? "∞" : "";
  };
  return { root, set };
}

// ------------------------------------------------------------------------------------------------- the plane

const SIZE = 400; // of the drawing; a point of the plane at distance `reach` from the middle is at its edge
const GRIP = 24; // how near a finger must come to a point

// The points that the reader may move, in drawing order.
function handlesOf({ attention, q, k, x }) {
  const kinds = attention === "self" ? { x } : { k, q };
  return Object.entries(kinds).flatMap(([kind, rows]) => rows.map((_, index) => ({ kind, index })));
}

function handleName({ tokens }, { kind, index }) {
  if (kind === "q") return `query ${index + 1}`;
  return kind === "k" ? `key of “${tokens[index]}”` : `“${tokens[index]}”`;
}

function set(node, attributes, text) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function tickStep(reach) {
  if (reach < 12) return reach < 6 ? 1 : 2;
  return 10 ** Math.floor(Math.log10(reach));
}

// onMove(point, [across, up]) asks for a point to be moved; onFocus(point) says which one has the focus.
// Presentation attributes, not CSS: the saved picture has no style sheet.
function plane({ onMove, onFocus }) {
  const svg = svgNode("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "inorder-plane", role: "group" });
  const layer = (attributes) => svg.appendChild(svgNode("g", attributes));
  const grid = layer({ "aria-hidden": "true" });
  const drawing = layer({ "aria-hidden": "true" });
  const grips = layer({});
  const text = { "text-anchor": "middle" };
  let marks = null;
  let shape = "";
  let shown = null; // the state as drawn
  let reach = 0;
  let drag = null;

  const toDrawing = ([across, up]) => [(SIZE / 2) * (1 + across / reach), (SIZE / 2) * (1 - up / reach)];
  const largestOf = (matrices) => Math.max(3, ...matrices.flat(2).map(Math.abs));

  function build(state, found) {
    drawing.replaceChildren();
    grips.replaceChildren();
    const add = (parent, tag, attributes) => parent.appendChild(svgNode(tag, attributes));
    const halo = { ...text, "font-size": 14, "paint-order": "stroke", "stroke-width": 3.5, "stroke-linejoin": "round" };
    const arrow = () => ({ line: add(drawing, "line", { "stroke-dasharray": "5 3" }), head: add(drawing, "path", {}) });
    marks = { lines: found.key.map(() => add(drawing, "line", { "stroke-opacity": 0.55 })) };
    marks.arrows = state.attention === "self" ? { key: found.key.map(arrow), query: arrow() } : null;
    marks.queries = found.query.map(() => {
      const group = add(drawing, "g", {});
      return { group, diamond: add(group, "path", {}), name: add(group, "text", { ...halo, y: 26 }) };
    });
    marks.keys = found.key.map(() => {
      const group = add(drawing, "g", {});
      const circle = add(group, "circle", { r: 16, "stroke-width": 1.2 });
      return { group, circle, name: add(group, "text", { ...halo, y: -22 }) };
    });
    marks.numbers = found.key.map(() => add(drawing, "text", { ...text, "font-size": 13, y: 4.5 }));
    marks.grips = handlesOf(state).map((point) => {
      const group = add(grips, "g", { class: "inorder-grip", tabindex: 0, role: "slider", "data-kind": point.kind,
        "data-index": point.index, "aria-roledescription": "point in the plane",
        "aria-valuemin": -LARGEST_POINT, "aria-valuemax": LARGEST_POINT });
      add(group, "circle", { r: GRIP, fill: "transparent" });
      group.addEventListener("focus", () => onFocus(point));
      group.addEventListener("keydown", (event) => press(event, point));
      if (point.kind !== "x") return { group, point };
      const square = add(group, "rect", { x: -6, y: -6, width: 12, height: 12, "stroke-width": 2 });
      return { group, point, square, name: add(group, "text", { ...halo, y: -12 }) };
    });
  }

  function drawGrid({ line, muted }) {
    const step = tickStep(reach);
    const nodes = [];
    for (let at = -Math.floor(reach / step) * step; at <= reach; at += step) {
      const [u, v] = toDrawing([at, at]);
      const pen = { stroke: line, "stroke-width": at === 0 ? 1.6 : 0.6 };
      nodes.push(svgNode("line", { x1: u, x2: u, y1: 0, y2: SIZE, ...pen }));
      nodes.push(svgNode("line", { x1: 0, x2: SIZE, y1: v, y2: v, ...pen }));
      if (at === 0) continue;
      for (const place of [{ x: u, y: SIZE - 4 }, { x: 10, y: v + 4 }]) {
        nodes.push(set(svgNode("text", { ...text, "font-size": 12, fill: muted }), place, formatNumber(at, 0)));
      }
    }
    grid.replaceChildren(...nodes);
  }

  function update(state, found, colour) {
    const { query, key, value, weights, output, row } = found;
    const self = state.attention === "self";
    if (!drag) reach = 1.15 * Math.ceil(largestOf(self ? [state.x, query, key] : [query, key]));
    const nextShape = [state.attention, query.length, key.length].join();
    if (shape !== nextShape) build(state, found);
    [shape, shown] = [nextShape, state];
    const label = `${self ? "Tokens, their queries and keys" : "Queries and keys"} in the plane`;
    set(svg, { "aria-label": label, "font-family": colour.font });
    drawGrid(colour);

    const tokens = state.tokens.map((token) => shorten(token, 8));
    const largest = largestMagnitude(value);
    const fillOf = (x) => divergingColour(x / largest, colour.dark);
    const at = (point) => ({ transform: `translate(${toDrawing(point).join(" ")})` });
    const say = (node, words) => set(node, { fill: colour.ink, stroke: colour.surface }, words);
    const [fromU, fromV] = toDrawing(query[row]);
    key.forEach((point, j) => {
      const [u, v] = toDrawing(point);
      const width = 0.5 + 11 * weights[row][j];
      set(marks.lines[j], { x1: fromU, y1: fromV, x2: u, y2: v, stroke: colour.weight, "stroke-width": width });
      const { group, circle, name } = marks.keys[j];
      const { fill, ink } = fillOf(value[j][0]);
      set(group, at(point));
      set(circle, { fill, stroke: colour.ink });
      set(marks.numbers[j], { fill: ink, ...at(point) }, brief(value[j][0]));
      say(name, self ? `key: ${tokens[j]}` : tokens[j]);
    });
    query.forEach((point, i) => {
      const size = i === row ? 12 : self ? 5 : 9;
      const { group, diamond, name } = marks.queries[i];
      set(group, at(point));
      const { fill } = fillOf(output[i][0]);
      const d = `M0 ${-size}L${size} 0L0 ${size}L${-size} 0Z`;
      set(diamond, { d, fill, stroke: colour.ink, "stroke-width": i === row ? 2.6 : 1.2 });
      say(name, self ? (i === row ? `query: ${tokens[i]}` : "") : queryName(state, i));
    });
    drawing.append(marks.queries[row].group, ...marks.numbers); // the chosen one lies above the keys, not their numbers
    if (self) {
      state.x.forEach((point, i) => drawArrow(marks.arrows.key[i], point, key[i], 17, i === row, colour));
      drawArrow(marks.arrows.query, state.x[row], query[row], 13, true, colour);
    }
    for (const { group, point, square, name } of marks.grips) {
      const place = state[point.kind][point.index];
      const [across, up] = place.map((x) => formatNumber(x));
      set(group, { ...at(place), "aria-label": handleName(state, point), "aria-valuenow": place[0],
        "aria-valuetext": `across ${across}, up ${up}` });
      if (square) {
        set(square, { fill: point.index === row ? colour.ink : colour.surface, stroke: colour.ink });
        say(name, tokens[point.index]);
      }
    }
  }

  // A dashed line whose head ends `gap` before its target, where the target's mark begins.
  function drawArrow({ line, head }, source, target, gap, strong, colour) {
    const [[a, b], [c, d]] = [toDrawing(source), toDrawing(target)];
    const length = Math.hypot(c - a, d - b);
    const [u, v] = length > gap ? [(c - a) / length, (d - b) / length] : [0, 0]; // too short: no arrow
    const [x, y] = u || v ? [c - gap * u, d - gap * v] : [a, b];
    const stroke = strong ? colour.ink : colour.muted;
    set(line, { x1: a, y1: b, x2: x, y2: y, stroke, "stroke-width": strong ? 1.8 : 1 });
    const wing = (side) => `${x - 9 * u + side * 4 * v} ${y - 9 * v - side * 4 * u}`;
    set(head, { d: `M${x} ${y}L${wing(1)}L${wing(-1)}Z`, fill: stroke });
  }

  // moving points: drag, arrow keys

  function pointerAt(event) {
    const frame = svg.getBoundingClientRect();
    return [((event.clientX - frame.x) / frame.width) * SIZE, ((event.clientY - frame.y) / frame.height) * SIZE];
  }

  function nearest(at) {
    const away = ({ point }) => {
      const [u, v] = toDrawing(shown[point.kind][point.index]);
      return Math.hypot(u - at[0], v - at[1]);
    };
    const found = marks.grips.reduce((best, grip) => (away(grip) <= away(best) ? grip : best)); // of equals, the upper
    return away(found) <= GRIP ? found : null;
  }

  svg.addEventListener("pointerdown", (event) => {
    const at = pointerAt(event);
    const grip = nearest(at);
    if (!grip || event.button !== 0) return;
    event.preventDefault();
    const { point } = grip;
    const [u, v] = toDrawing(shown[point.kind][point.index]);
    const limit = Math.max(...handlesOf(shown).map((each) => largestOf([[shown[each.kind][each.index]]])));
    drag = { point, offset: [u - at[0], v - at[1]], limit };
    svg.setPointerCapture(event.pointerId);
    grip.group.focus({ preventScroll: true, focusVisible: false });
  });
  // A finger on a point moves it, beside all points it scrolls the page. (touch-action is not reliable inside an SVG.)
  const holdPage = (event) => drag && event.preventDefault();
  svg.addEventListener("touchstart", holdPage, { passive: false });
  svg.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [u, v] = pointerAt(event).map((x, axis) => x + drag.offset[axis]);
    const place = [(u / (SIZE / 2) - 1) * reach, (1 - v / (SIZE / 2)) * reach];
    onMove(drag.point, place.map((x) => Math.min(Math.max(Math.round(x * 20) / 20, -drag.limit), drag.limit)));
  });
  for (const end of ["pointerup", "pointercancel"]) {
    svg.addEventListener(end, () => {
      if (!drag) return;
      const { point } = drag;
      drag = null;
      onMove(point, shown[point.kind][point.index]); // the drawing may now fit itself to the points
    });
  }

  function press(event, point) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    const size = event.shiftKey ? 0.5 : 0.1;
    const place = shown[point.kind][point.index].map((x, axis) => tidy(x + size * steps[event.key][axis]));
    onMove(point, place.map((x) => Math.min(Math.max(x, -LARGEST_POINT), LARGEST_POINT)));
  }

  return { svg, update };
}

// ------------------------------------------------------------------------------------------------- the table

// The dictionary as one query sees it: a row for each key, the blend below.
function table({ onValue }) {
  const head = make("tr", {});
  const body = make("tbody", {});
  const sum = make("p", { class: "inorder-sum" });
  const caption = make("caption", {});
  const root = make("div", {}, make("table", { class: "inorder-lookup" }, caption, make("thead", {}, head), body), sum);
  let shape = "";
  let rows = [];

  function build(n, editable) {
    rows = Array.from({ length: n }, (_, j) => {
      const part = (tag, attributes = {}) => make(tag, attributes);
      const row = { name: part("span"), place: part("span", { class: "inorder-place" }), score: part("td"),
        bar: part("span", { class: "inorder-bar" }), weight: part("span", { "data-name": "weights" }),
        value: editable
          ? part("input", { type: "number", step: "any", min: -LARGEST_VALUE, max: LARGEST_VALUE, oninput: (event) => {
            if (event.target.value !== "" && event.target.validity.valid) onValue(j, event.target.valueAsNumber);
          } })
          : part("span") };
      row.node = make("tr", {}, make("th", { scope: "row" }, row.name, row.place), row.score,
        make("td", { class: "inorder-share" }, row.weight, row.bar), make("td", {}, row.value));
      return row;
    });
    body.replaceChildren(...rows.map((row) => row.node));
  }

  const number = (node, name, row, col, value) => {
    node.textContent = formatNumber(value);
    set(node, { "data-name": name, "data-row": row, "data-col": col, "data-value": value });
    return node;
  };

  function update(state, { query, key, value, scores, weights, output, row }) {
    const editable = state.attention === "cross";
    const nextShape = [editable, key.length].join();
    if (shape !== nextShape) build(key.length, editable);
    shape = nextShape;
    const small = (name, i, matrix) =>
      matrix[i].flatMap((x, k) => [k ? ", " : "", number(make("span"), name, i, k, x)]);
    caption.replaceChildren(`${capital(queryName(state, row))} (`, ...small("query", row, query), ") looks up");
    const score = state.matching === "dot" ? "score q · k" : "score −‖q − k‖²/2";
    head.replaceChildren(...["key", score, "weight", "value"]
      .map((words) => make("th", { scope: "col", class: words === "weight" && "inorder-share" }, words)));
    rows.forEach((cells, j) => {
      cells.name.textContent = state.tokens[j];
      cells.place.replaceChildren("(", ...small("key", j, key), ")");
      number(cells.score, "scores", row, j, scores[row][j]);
      number(cells.weight, "weights", row, j, weights[row][j]);
      cells.bar.style.setProperty("--share", weights[row][j]);
      if (editable) {
        set(cells.value, { "aria-label": `Value of “${state.tokens[j]}”`, "data-name": "value", "data-row": j,
          "data-col": 0, "data-value": value[j][0] });
        if (cells.value.valueAsNumber !== value[j][0]) cells.value.value = value[j][0];
      } else number(cells.value, "value", j, 0, value[j][0]);
    });
    const terms = value.flatMap(([v], j) => [j ? " + " : "",
      `${formatNumber(weights[row][j])} × ${v < 0 ? `(${brief(v)})` : brief(v)}`]);
    sum.replaceChildren("and gets ", ...terms, ` ${equalsOrNearly(output[row][0])} `,
      make("strong", {}, formatNumber(output[row][0])));
  }

  return { root, update };
}

// ------------------------------------------------------------------------------------------------ the figure

function render({ model, el, page }) {
  const shell = figureShell({ model, el, page, checks, agree });
  const hintId = uniqueId("inorder-hint");
  let selected = null; // the point whose coordinates the two sliders show

  const replaceAt = (matrix, row, line) => matrix.map((old, i) => (i === row ? line : old));
  const bounded = (x, largest) => Math.min(Math.max(x, -largest), largest);

  // controls
  const inputs = [["cross", "two: cross-attention"], ["self", "one: self-attention"]];
  const attention = select({ label: "Inputs", options: inputs, onInput: (value) => shell.change({ attention: value }) });
  const matching = select({ label: "Match by", options: [["dot", "dot product"], ["distance", "distance"]],
    onInput: (value) => shell.change({ matching: value }) });
  const tied = checkbox({ label: "Tie W_Q = W_K", onInput: (checked) => shell.change({ tied: checked }) });
  tied.text.replaceChildren("Tie ", variable("W", { sub: "Q" }), " = ", variable("W", { sub: "K" }));
  const sharpness = sharpnessControl((parts) => shell.change(parts));
  shell.controls.append(attention.root, matching.root, tied.root, sharpness.root);

  // the plane, and a point's coordinates as sliders
  function choose(point) {
    selected = point;
    if (point.kind !== "k" && point.index !== shell.state().chosen) shell.change({ chosen: point.index });
    else drawSelected(shell.state());
  }
  const move = ({ kind, index }, place) => shell.change({ [kind]: replaceAt(shell.state()[kind], index, place) });
  const view = plane({ onMove: move, onFocus: choose });
  const coordinates = [0, 1].map((axis) => slider({ label: "", min: -3, max: 3, step: 0.05, onInput: (value) => {
    const place = shell.state()[selected.kind][selected.index];
    move(selected, place.map((old, k) => (k === axis ? bounded(value, LARGEST_POINT) : old)));
  } }));
  const legend = make("p", { class: "inorder-legend" });

  // the choice of a query, its look-up, and the projections of self-attention
  const chips = make("div", { class: "inorder-chips", role: "group", "aria-label": "Queries and what they get" });
  const lookup = table({ onValue: (j, value) => shell.change({ v: replaceAt(shell.state().v, j, [value]) }) });
  const grids = Object.fromEntries([["w_q", "Q", "queries"], ["w_k", "K", "keys"], ["w_v", "V", "values"]].map(
    ([name, letter, words]) => [name, matrixGrid({
      name, label: `Weights W_${letter}`, equation: [variable("W", { sub: letter })], words, describedBy: hintId,
      onShow: () => {}, onLeave: () => {}, onEdit: (row, col, value) => editWeight(name, row, col, value),
    })]));

  function editWeight(name, row, col, value) {
    const state = shell.state();
    const owner = name === "w_q" && state.tied ? "w_k" : name;
    const line = state[owner][row].map((old, k) => (k === col ? bounded(value, LARGEST_POINT) : old));
    shell.change({ [owner]: replaceAt(state[owner], row, line) });
  }

  const projections = make("div", { class: "inorder-projections" },
    make("p", { class: "inorder-hint", id: hintId }, "The same token times three matrices. ",
      make("span", { class: "inorder-yours" }, "Underlined"), " numbers are yours: drag them sideways, or + and −."),
    make("div", { class: "inorder-matrices" }, ...Object.values(grids).map((grid) => grid.root)));
  shell.stage.append(make("div", { class: "inorder-two" },
    make("div", { class: "inorder-left" }, view.svg, legend,
      make("div", { class: "inorder-coordinates", "data-picture": "skip" }, ...coordinates.map((each) => each.root))),
    make("div", { class: "inorder-right" }, chips, lookup.root, projections)));

  function drawSelected(state) {
    const handles = handlesOf(state);
    const exists = handles.some(({ kind, index }) => kind === selected?.kind && index === selected.index);
    if (!exists) selected = handles.findLast(({ kind, index }) => kind !== "k" && index <= state.chosen);
    coordinates.forEach(({ rename, set: show }, axis) => {
      rename(`${shortName(state, selected)}, ${["across", "up"][axis]}`);
      show(state[selected.kind][selected.index][axis]);
    });
  }

  const shortName = (state, point) => handleName({ tokens: state.tokens.map((token) => shorten(token, 8)) }, point);

  function drawChips(state, { query, output, row }) {
    if (chips.children.length !== query.length) {
      chips.replaceChildren(...query.map((_, i) => button({ label: "", onClick: () => choose({
        kind: shell.state().attention === "self" ? "x" : "q", index: i }) })));
    }
    [...chips.children].forEach((chip, i) => {
      const gets = formatNumber(output[i][0]);
      const data = { "data-name": "output", "data-row": i, "data-col": 0, "data-value": output[i][0] };
      const name = state.attention === "self" ? shorten(state.tokens[i], 8) : `query ${i + 1}`;
      chip.replaceChildren(`${name} → `, make("strong", data, gets));
      set(chip, { "aria-label": `${queryName(state, i)} gets ${gets}`, "aria-pressed": i === row });
    });
  }

  function draw(state, dark) {
    const found = lookUp(state);
    const style = getComputedStyle(shell.root);
    const colour = { dark, weight: sequentialColour(1, dark).fill, font: style.fontFamily };
    for (const name of ["ink", "muted", "line", "surface"]) colour[name] = style.getPropertyValue(`--${name}`);
    const self = state.attention === "self";
    attention.set(state.attention);
    matching.set(state.matching);
    tied.set(state.tied);
    tied.root.classList.toggle("is-hidden", !self);
    projections.classList.toggle("is-hidden", !self);
    sharpness.set(state);
    legend.textContent = self
      ? "■ a token: yours to drag. ◆ its query, ● a key with its value: they follow."
      : "◆ a query, ● a key with its value: drag them, or move them with the arrow keys.";
    view.update(state, found, colour);
    lookup.update(state, found);
    drawChips(state, found);
    drawSelected(state);
    const plain = () => ({ fill: "", ink: "" });
    for (const [name, grid] of Object.entries(grids)) {
      const values = name === "w_q" && state.tied ? state.w_k : state[name];
      grid.update({ values, rows: ["1", "2"], columns: ["1", "2"].slice(0, values[0].length), colour: plain });
    }
    shell.summary(summarise(state, found));
  }

  const stop = followState(shell, draw);
  return () => {
    stop();
    shell.close();
  };
}

export default { render };
