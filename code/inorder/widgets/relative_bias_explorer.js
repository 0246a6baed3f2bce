// What a distance does to a score: five schemes one above the other, and one of them for all pairs of positions.

import {
  attentionScores, checkbox, figureShell, followState, followWidth, formatNumber, make, select, slider, softmax, svgNode,
  uniqueId,
} from "./kit.js";
import { alibiBias, alibiSlopes, rotaryEncoding, shawBias, t5Bias, waveEncoding } from "./transformer.js";
import { cellAt, cellBox, colourLegend, colourScale, paintHeatMap, wholeView } from "./heat_map.js";

const SCHEMES = ["ALiBi", "T5", "Shaw", "RoPE", "sinusoidal"];
const DIRECTIONS = ["symmetric", "left", "right", "split"];
const PAIRINGS = ["interleaved", "halves"];
const [FEWEST, MOST] = [4, 64]; // tokens in the text
const [MOST_COLUMNS, LARGEST_BASE, LARGEST_SHARPNESS, LARGEST_DISTANCE] = [128, 1e6, 20, 10_000];
const MIRRORED = 1e-9; // kernels closer to their mirror image than this (times their size) cannot tell left from right

// ------------------------------------------------------------------------------------------------- the state

// learned: { table, relative_keys, queries, keys }, from Python, never changed
function limitsOf({ table, relative_keys }) {
  return {
    n: [FEWEST, MOST], query: [0, MOST - 1], key: [0, MOST - 1], n_heads: [1, table[0].length], head: [1, table[0].length],
    max_distance: [table.length / 2 + 1, LARGEST_DISTANCE], clip: [1, (relative_keys.length - 1) / 2],
    base: [1, LARGEST_BASE], d_model: [2, MOST_COLUMNS], sharpness: [0, LARGEST_SHARPNESS],
  };
}

function checksFor(learned) {
  const limits = limitsOf(learned);
  const inside = ([low, high]) => (x) => typeof x === "number" && low <= x && x <= high;
  const isOneOf = (choices) => (x) => choices.includes(x);
  const isBoolean = (x) => typeof x === "boolean";
  const whole = ["n", "query", "key", "n_heads", "head", "max_distance", "clip", "d_model"];
  const numbers = Object.entries(limits).map(([name, limit]) =>
    [name, (x) => inside(limit)(x) && (Number.isInteger(x) || !whole.includes(name))]);
  return {
    ...Object.fromEntries(numbers),
    scheme: isOneOf(SCHEMES), direction: isOneOf(DIRECTIONS), pairing: isOneOf(PAIRINGS),
    as_weights: isBoolean, bidirectional: isBoolean,
  };
}

function agree({ n, query, key, n_heads, head, direction, d_model }) {
  return query < n && key < n && head <= n_heads && !(direction === "split" && n_heads % 2) && d_model % 2 === 0;
}

// -------------------------------------------------------------------------------------------- the arithmetic

// r = (key position) − (query position), from −(n − 1) to n − 1.
export function distancesOf(n) {
  return Array.from({ length: 2 * n - 1 }, (_, k) => k + 1 - n);
}

// What each scheme adds to the score, or makes of it, at each of these distances, for the chosen head.
export function kernelsOf(state, { table, relative_keys, queries, keys }) {
  const { n, head, n_heads, direction, max_distance, bidirectional, clip, base, pairing, d_model, sharpness } = state;
  const [distances, h] = [distancesOf(n), head - 1];
  const [query, key, middle] = [[queries[h]], keys[h], (relative_keys.length - 1) / 2];
  const near = relative_keys.slice(middle - clip, middle + clip + 1);
  const turned = rotaryEncoding(distances.map(() => key), distances, { base, pairing });
  const waves = waveEncoding(distances.map((r) => r + n - 1), d_model, { base }); // (distance, d_model)
  return {
    ALiBi: alibiBias(n_heads, [0], distances, { direction })[h][0],
    T5: t5Bias(table, [0], distances, { maxDistance: max_distance, bidirectional })[h][0],
    Shaw: shawBias(query, near, [0], distances, { maxDistance: clip })[0],
    RoPE: attentionScores(rotaryEncoding(query, [0], { base, pairing }), turned)[0],
    sinusoidal: attentionScores([waves[n - 1]], waves)[0].map((score) => sharpness * score),
  };
}

// The part of a kernel for which a query has a key: one number for each key of the text.
export function rowOf(kernel, query) {
  const n = (kernel.length + 1) / 2;
  return kernel.slice(n - 1 - query, 2 * n - 1 - query);
}

export function isMirrored(kernel) {
  const size = Math.max(1, ...kernel.filter(Number.isFinite).map(Math.abs));
  return kernel.every((x, k) => {
    const other = kernel[kernel.length - 1 - k];
    return x === other || Math.abs(x - other) <= MIRRORED * size; // −∞ − (−∞) is no number
  });
}

function calculate(state, learned) {
  const kernels = kernelsOf(state, learned);
  const finish = (row) => (state.as_weights ? softmax(row) : row);
  const rows = Object.fromEntries(SCHEMES.map((name) => [name, finish(rowOf(kernels[name], state.query))]));
  const map = Array.from({ length: state.n }, (_, i) => finish(rowOf(kernels[state.scheme], i))); // (query, key)
  return { kernels, rows, map };
}

// ------------------------------------------------------------------------------------------------- the words

// A number in as many digits as a label has room for.
function brief(x) {
  const size = Math.abs(x);
  return formatNumber(x, size < 10 ? 2 : size < 100 ? 1 : 0);
}

function summarise({ n, query, key, head, n_heads, as_weights }, { kernels, rows }) {
  const r = key - query;
  const side = r === 0 ? "at no distance" : `${Math.abs(r)} to the ${r < 0 ? "left" : "right"}`;
  const gets = as_weights ? "gets the weight" : "gets";
  const listed = SCHEMES.map((name) => `${name} ${brief(rows[name][key])}`).join(", ");
  const mirrored = SCHEMES.filter((name) => isMirrored(kernels[name])).join(", ") || "none";
  return `Head ${head} of ${n_heads}. From the query at ${query} of ${n} positions, the key at ${key}, ${side}, ${gets}: ` +
    `${listed}. The same to the left and to the right at every distance: ${mirrored}.`;
}

function formulasOf({ head, n_heads, direction, d_model }, { queries }) {
  const isSplit = direction === "split";
  const half = n_heads / 2;
  const side = isSplit ? (head <= half ? "left" : "right") : direction;
  const slope = isSplit ? alibiSlopes(half)[(head - 1) % half] : alibiSlopes(n_heads)[head - 1];
  const elsewhere = { left: ", right −∞", right: ", left −∞", symmetric: "" }[side];
  const root = `√${queries[0].length}`;
  return {
    ALiBi: `−m |r|, m = ${formatNumber(slope, 4)}${elsewhere}`,
    T5: "table[bucket(r)]",
    Shaw: `q · a(clip r) / ${root}`,
    RoPE: `q · R(r) k / ${root}`,
    sinusoidal: `β PE(i) · PE(j) / √${d_model}`,
  };
}

// ------------------------------------------------------------------------------------------------- one panel

const [PLOT_HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [88, 46, 10, 10, 8];
const AXIS_HEIGHT = 16; // of the numbers below the last panel

function setAll(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
}

// The numbers of one scheme against the distance. `row` is its place among the schemes.
function plot({ row, name, isLast, onPick }) {
  const height = PLOT_HEIGHT + (isLast ? AXIS_HEIGHT : 0);
  const svg = svgNode("svg", { class: "inorder-plot", height, role: "img" });
  const layer = (className) => svg.appendChild(svgNode("g", { class: className }));
  const [grid, hidden] = [layer("inorder-plot-grid"), layer("inorder-plot-hidden")];
  const lines = ["is-elsewhere", "is-here"].map((kind) => svg.appendChild(svgNode("path", { class: `inorder-curve ${kind}` })));
  const marker = svg.appendChild(svgNode("line", { class: "inorder-marker" }));
  const dots = layer("inorder-dots");
  const ring = svg.appendChild(svgNode("circle", { class: "inorder-ring", r: 5 }));
  let [width, n, query] = [0, 0, 0];

  const xOf = (r) => LEFT + ((r + n - 1) / (2 * n - 2)) * (width - LEFT - RIGHT);

  function pick({ clientX }) {
    const r = ((clientX - svg.getBoundingClientRect().left - LEFT) / (width - LEFT - RIGHT)) * (2 * n - 2) + 1 - n;
    onPick(Math.min(Math.max(query + Math.round(r), 0), n - 1));
  }
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    svg.setPointerCapture(event.pointerId);
    pick(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (svg.hasPointerCapture(event.pointerId)) pick(event);
  });

  function drawGrid(low, high, yOf) {
    const step = [1, 2, 4, 8, 16, 32].find((each) => (each / (2 * n - 2)) * (width - LEFT - RIGHT) >= 30);
    const nodes = [];
    const write = (x, y, anchor, words) => {
      nodes.push(svgNode("text", { x, y, "text-anchor": anchor }));
      nodes.at(-1).textContent = words;
    };
    for (let r = -Math.floor((n - 1) / step) * step; r <= n - 1; r += step) {
      const kind = r === 0 ? "is-query" : "";
      nodes.push(svgNode("line", { x1: xOf(r), x2: xOf(r), y1: 2, y2: PLOT_HEIGHT - 2, class: kind }));
      if (isLast) write(xOf(r), height - 4, "middle", formatNumber(r, 0));
    }
    if (low < 0 && high > 0) nodes.push(svgNode("line", { x1: LEFT, x2: width - RIGHT, y1: yOf(0), y2: yOf(0), class: "is-zero" }));
    for (const value of new Set([low, high])) write(LEFT - 6, yOf(value) + 4, "end", brief(value));
    grid.replaceChildren(...nodes);
  }

  // values: one for each distance, undefined where there is nothing to show
  function update(state, values, wide) {
    [width, n, query] = [wide, state.n, state.query];
    setAll(svg, { width, viewBox: `0 0 ${width} ${height}` });
    const finite = values.filter(Number.isFinite);
    const low = state.as_weights ? 0 : Math.min(...finite);
    const high = Math.max(...finite);
    const [floor, room] = high > low ? [low, high - low] : [low - 1, 2];
    const yOf = (x) => PLOT_HEIGHT - BOTTOM - ((x - floor) / room) * (PLOT_HEIGHT - TOP - BOTTOM);
    drawGrid(low, high, yOf);

    const distances = distancesOf(n);
    const isHere = (r) => r >= -query && r <= n - 1 - query;
    const pathOf = (wanted) => {
      let pen = "M";
      return distances.map((r, k) => {
        const drawn = Number.isFinite(values[k]) && wanted(r);
        const command = drawn ? `${pen}${xOf(r).toFixed(2)} ${yOf(values[k]).toFixed(2)}` : "";
        pen = drawn ? "L" : "M";
        return command;
      }).join("");
    };
    lines[0].setAttribute("d", pathOf(() => true));
    lines[1].setAttribute("d", pathOf(isHere));
    lines[1].classList.toggle("is-weight", state.as_weights);

    if (dots.childElementCount !== distances.length) {
      dots.replaceChildren(...distances.map((_, k) => svgNode("circle", { "data-row": row, "data-col": k })));
    }
    const radius = Math.min(2.8, Math.max(1, (0.4 * (width - LEFT - RIGHT)) / (2 * n - 2)));
    distances.forEach((r, k) => {
      const [dot, value] = [dots.children[k], values[k]];
      if (value === undefined) {
        setAll(dot, { class: "is-absent" });
        dot.removeAttribute("data-name");
        return;
      }
      const kind = Number.isFinite(value) ? (isHere(r) ? "is-here" : "is-elsewhere") : "is-absent";
      const place = Number.isFinite(value) ? { cx: xOf(r).toFixed(2), cy: yOf(value).toFixed(2), r: radius } : {};
      setAll(dot, { class: kind, ...place, "data-name": "shown", "data-value": String(value) });
      dot.classList.toggle("is-weight", state.as_weights && kind === "is-here");
    });

    const out = distances.filter((_, k) => values[k] === -Infinity);
    if (out.length) {
      const half = 0.5 / (2 * n - 2) * (width - LEFT - RIGHT);
      const [from, to] = [xOf(out[0]) - half, xOf(out.at(-1)) + half];
      const label = svgNode("text", { x: (from + to) / 2, y: PLOT_HEIGHT / 2 + 4, "text-anchor": "middle" });
      label.textContent = "−∞: not seen";
      hidden.replaceChildren(svgNode("rect", { x: from, y: 2, width: to - from, height: PLOT_HEIGHT - 4 }), label);
    } else hidden.replaceChildren();

    const chosen = state.key - query;
    const value = values[chosen + n - 1];
    setAll(marker, { x1: xOf(chosen), x2: xOf(chosen), y1: 2, y2: PLOT_HEIGHT - 2 });
    ring.style.display = Number.isFinite(value) ? "" : "none";
    if (Number.isFinite(value)) setAll(ring, { cx: xOf(chosen), cy: yOf(value) });
    const what = state.as_weights ? "weights" : "numbers";
    svg.setAttribute("aria-label", `${name}: ${what} from ${brief(low)} to ${brief(high)} against the distance`);
  }

  return { svg, update };
}

// ------------------------------------------------------------------------------------------------- the figure

function render({ model, el, page }) {
  const learned = model.get("learned");
  const [limits, checks] = [limitsOf(learned), checksFor(learned)];
  const shell = figureShell({ model, el, page, checks, agree });
  let all = null; // what was computed for the state on the page

  // What the reader asks for, if the figure can show it; `along` is what has to change with it.
  function ask(name, value, along = {}) {
    const [low, high] = limits[name] ?? [];
    const fits = checks[name](value) && agree({ ...shell.state(), ...along, [name]: value });
    if (fits) shell.change({ ...along, [name]: value });
    shell.notify(fits ? "" : `Here a number from ${low} to ${Math.min(high, highest(name))} fits.`);
  }
  const highest = (name) => ({ query: shell.state().n - 1, key: shell.state().n - 1 })[name] ?? Infinity;

  const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, k) => [String(from + k), String(from + k)]);
  const texts = (values) => values.map((value) => [String(value), String(value)]);
  function choice(name, label, options, { read = (value) => value, along = () => ({}) } = {}) {
    const control = select({ label, options, onInput: (value) => ask(name, read(value), along(read(value))) });
    control.input.setAttribute("aria-label", label); // else its options would be part of its name
    return control;
  }
  const sliding = (name, label, [min, max], { step = 1, along = () => ({}) } = {}) =>
    slider({ label, min, max, step, onInput: (value) => ask(name, value, along(value)) });

  const shorter = (n) => {
    const { query, key } = shell.state();
    return { query: Math.min(query, n - 1), key: Math.min(key, n - 1) };
  };
  const mostHeads = learned.table[0].length;
  const n = sliding("n", "Tokens", limits.n, { along: shorter });
  const query = sliding("query", "Query at", [0, MOST - 1]);
  const key = sliding("key", "Key at", [0, MOST - 1]);
  const heads = choice("n_heads", "Heads", numbers(1, mostHeads),
    { read: Number, along: (count) => ({ head: Math.min(shell.state().head, count) }) });
  const head = choice("head", "Head", numbers(1, mostHeads), { read: Number });
  const asWeights = checkbox({ label: "as weights: softmax over the keys, the rest of the score 0",
    onInput: (on) => ask("as_weights", on) });
  shell.controls.append(heads.root, head.root, n.root, query.root, key.root, asWeights.root);

  const direction = choice("direction", "Direction", texts(DIRECTIONS));
  const maxDistance = sliding("max_distance", "Max. distance", [limits.max_distance[0], Math.max(128, limits.max_distance[0] + 1)]);
  const bidirectional = checkbox({ label: "both sides", onInput: (on) => ask("bidirectional", on) });
  const clip = sliding("clip", "Clipped at", limits.clip);
  const pairing = choice("pairing", "Pairs", texts(PAIRINGS));
  const widths = [...new Set([2, 4, 8, 16, 32, 64, 128, shell.state().d_model])].sort((a, b) => a - b);
  const dModel = choice("d_model", "Columns", texts(widths), { read: Number });
  const sharpness = sliding("sharpness", "Sharpness β", [0, 5], { step: 0.1 });
  const bases = ["RoPE", "sinusoidal"].map(() => baseControl((value) => ask("base", value)));
  const own = {
    ALiBi: [direction.root],
    T5: [maxDistance.root, bidirectional.root],
    Shaw: [clip.root],
    RoPE: [bases[0].root, pairing.root],
    sinusoidal: [bases[1].root, dModel.root, sharpness.root],
  };

  // the panels
  const group = uniqueId("inorder-scheme");
  const panels = SCHEMES.map((name, row) => {
    const radio = make("input", { type: "radio", name: group, value: name, onchange: () => ask("scheme", name) });
    const formula = make("span", { class: "inorder-formula" });
    const number = make("output", { class: "inorder-value", "data-name": "value", "data-row": row, "data-col": 0 });
    const drawing = plot({ row, name, isLast: row === SCHEMES.length - 1, onPick: (place) => ask("key", place) });
    const root = make("div", { class: "inorder-scheme" },
      make("div", { class: "inorder-scheme-head" }, make("label", { class: "inorder-radio" }, radio, make("strong", {}, name)), formula, number),
      make("div", { class: "inorder-scheme-controls", "data-picture": "skip" }, ...own[name]),
      drawing.svg);
    return { name, radio, formula, number, drawing, root };
  });
  const axis = make("div", { class: "inorder-axis" }, make("span", {}, "← left"),
    make("span", {}, "distance r to the key"), make("span", {}, "right →"));
  const curves = make("div", { class: "inorder-curves", role: "radiogroup", "aria-label": "Scheme of the heat map" },
    ...panels.map((panel) => panel.root), axis);

  // the heat map
  const canvas = make("canvas", { class: "inorder-bias-map", role: "img" });
  const rowMark = make("div", { class: "inorder-row-mark", "aria-hidden": "true" });
  const cellMark = make("div", { class: "inorder-cell-mark", "aria-hidden": "true" });
  const legend = colourLegend();
  const mapTitle = make("div", { class: "inorder-map-title" });
  const readout = make("p", { class: "inorder-readout" });
  const board = make("div", { class: "inorder-board" }, canvas, rowMark, cellMark);
  const pairs = make("div", { class: "inorder-pairs" }, mapTitle,
    make("div", { class: "inorder-map-axis" }, "key →"),
    make("div", { class: "inorder-map-row" }, make("div", { class: "inorder-map-axis is-upright" }, "← query"), board),
    legend.root, readout);
  shell.stage.append(make("div", { class: "inorder-kernels" }, curves, pairs));

  const view = () => wholeView({ nRows: shell.state().n, nColumns: shell.state().n });
  function pick(event) {
    const cell = cellAt(canvas, view(), event);
    if (cell) shell.change({ query: cell.row, key: cell.column });
  }
  board.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    board.setPointerCapture(event.pointerId);
    pick(event);
  });
  board.addEventListener("pointermove", (event) => {
    if (board.hasPointerCapture(event.pointerId)) pick(event);
  });

  function drawMap(state, dark) {
    const side = Math.min(pairs.clientWidth - 24, 400);
    const values = Float64Array.from(all.map.flat());
    const largest = Math.max(1e-12, ...values.filter(Number.isFinite).map(Math.abs));
    const scale = colourScale({ kind: state.as_weights ? "sequential" : "diverging", largest, dark });
    paintHeatMap(canvas, { values, nRows: state.n, nColumns: state.n, scale, width: side, height: side });
    const ends = state.as_weights ? ["0", brief(largest)] : [brief(-largest), "0", brief(largest)];
    legend.set({ scale, words: ends, missing: values.includes(-Infinity) ? "−∞" : "" });
    Object.assign(rowMark.style, cellBox(canvas, view(), { row: state.query }));
    Object.assign(cellMark.style, cellBox(canvas, view(), { row: state.query, column: state.key }));
    const what = `${state.scheme}, all pairs${state.as_weights ? ": weights" : ""}`;
    mapTitle.textContent = what;
    canvas.setAttribute("aria-label", `Heat map, query by key: ${what}, ${state.n} by ${state.n}; the row of query ${state.query} is framed`);
    const value = all.map[state.query][state.key];
    const shown = make("span", { class: "inorder-number", "data-name": "cell", "data-row": state.query,
      "data-col": state.key, "data-value": String(value) }, formatNumber(value, 3));
    readout.replaceChildren(`Query ${state.query}, key ${state.key}, r = ${formatNumber(state.key - state.query, 0)}: `, shown);
  }

  function draw(state, dark) {
    all = calculate(state, learned);
    n.set(state.n);
    for (const [control, place] of [[query, state.query], [key, state.key]]) {
      control.set(place);
      control.range.max = state.n - 1;
      control.range.value = place;
    }
    heads.set(String(state.n_heads));
    for (const option of heads.input.options) option.disabled = state.direction === "split" && Number(option.value) % 2 === 1;
    head.set(String(state.head));
    for (const option of head.input.options) option.hidden = Number(option.value) > state.n_heads;
    direction.set(state.direction);
    direction.input.options[3].disabled = state.n_heads % 2 === 1; // "split" takes half of them each way
    asWeights.set(state.as_weights);
    maxDistance.set(state.max_distance);
    bidirectional.set(state.bidirectional);
    clip.set(state.clip);
    pairing.set(state.pairing);
    dModel.set(String(state.d_model));
    sharpness.set(state.sharpness);
    for (const base of bases) base.set(state.base);

    const formulas = formulasOf(state, learned);
    const wide = Math.max(curves.clientWidth, 200);
    for (const { name, radio, formula, number, drawing, root } of panels) {
      radio.checked = name === state.scheme;
      root.classList.toggle("is-chosen", radio.checked);
      formula.textContent = formulas[name];
      const value = all.rows[name][state.key];
      number.textContent = brief(value);
      number.dataset.value = String(value);
      const before = Array(state.n - 1 - state.query).fill(undefined);
      const values = state.as_weights ? [...before, ...all.rows[name], ...Array(state.query).fill(undefined)] : all.kernels[name];
      drawing.update(state, values, wide);
    }
    drawMap(state, dark);
    shell.summary(summarise(state, all));
  }

  const stop = followState(shell, draw);
  const stopWidth = followWidth(shell, draw);
  return () => {
    stop();
    stopWidth();
    shell.close();
  };
}

// A slider over the powers of ten, and a box for the base itself.
function baseControl(onInput) {
  const range = make("input", { type: "range", min: 0, max: 6, step: 0.05, "aria-label": "Base", oninput: () =>
    onInput(Number((10 ** range.valueAsNumber).toPrecision(3))) });
  const box = make("input", { type: "number", step: "any", "aria-label": "Base, as a number", oninput: () => {
    if (box.value !== "" && box.validity.valid) onInput(box.valueAsNumber);
  } });
  const root = make("div", { class: "inorder-slider" }, make("span", { class: "inorder-slider-name" }, "Base"), range, box);
  const set = (base) => {
    if (Number((10 ** range.valueAsNumber).toPrecision(3)) !== base) range.value = Math.log10(base);
    range.setAttribute("aria-valuetext", formatNumber(base, 0));
    if (box.valueAsNumber !== base) box.value = base;
  };
  return { root, set };
}

export default { render };
