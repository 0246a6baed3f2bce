// A token and a position, added or set side by side, and read back by the best affine map.

import {
  divergingColour, figureShell, followState, formatNumber, make, numbersFromText, sequentialColour, slider, svgNode,
} from "./kit.js";

const WORDS = "the cat sat down and slept while a dog barked at two birds that flew over our old house in May or early June"
  .split(" ");
const LARGEST_TABLE = WORDS.length; // 24 rows
const WIDEST = 64;
const N_SEEDS = 10;
const TIE = 1e-9; // a score that is no further ahead than this has not won
const SPANNED = 1e-9; // what is left of a column, as a part of it, when the columns before it span it already

// ------------------------------------------------------------------------------------------------- the state

const wholeWithin = (low, high) => (x) => Number.isInteger(x) && low <= x && x <= high;
const within = (low, high) => (x) => typeof x === "number" && low <= x && x <= high;
const checks = {
  n_tokens: wholeWithin(2, LARGEST_TABLE),
  n_positions: wholeWithin(2, LARGEST_TABLE),
  d: wholeWithin(2, WIDEST),
  token: wholeWithin(0, LARGEST_TABLE - 1),
  position: wholeWithin(0, LARGEST_TABLE - 1),
  ratio: within(0.01, 100),
  share: within(0.01, 0.99),
};

// -------------------------------------------------------------------------------------------- the arithmetic
// The reasons stand in add_or_concatenate.py. A table is an array of rows; a projector is a Float64Array, row after row.

// Box and Muller's normal numbers, two uniform ones for each.
function normalNumbers(text, n) {
  const uniform = numbersFromText(text, 2 * n).map((x) => (x + 1) / 2);
  return Array.from({ length: n }, (_, i) =>
    Math.sqrt(-2 * Math.log(1 - uniform[2 * i])) * Math.cos(2 * Math.PI * uniform[2 * i + 1]));
}

const drawn = new Map();
function randomTable(name) {
  if (!drawn.has(name)) {
    const numbers = normalNumbers(name, LARGEST_TABLE * WIDEST);
    drawn.set(name, Array.from({ length: LARGEST_TABLE }, (_, i) => numbers.slice(i * WIDEST, (i + 1) * WIDEST)));
  }
  return drawn.get(name);
}

// [[x, p], …], one pair for each seed.
function tablesOf({ n_tokens, n_positions, ratio }, own) {
  const longer = (p) => p.map((row) => row.map((value) => ratio * value));
  if (own.tokens.length) return [[own.tokens, longer(own.positions)]];
  return Array.from({ length: N_SEEDS }, (_, seed) => [
    randomTable(`tokens, table ${seed}`).slice(0, n_tokens),
    longer(randomTable(`positions, table ${seed}`).slice(0, n_positions)),
  ]);
}

function centredColumn(table, column, weight) {
  const mean = table.reduce((sum, row) => sum + row[column], 0) / table.length;
  return table.map((row) => weight * (row[column] - mean));
}

const centredColumns = (table) => table[0].map((_, column) => centredColumn(table, column, 1));

function weightedColumns(x, p) {
  const [a, b] = [Math.sqrt(p.length), Math.sqrt(x.length)];
  return x[0].map((_, column) => [...centredColumn(x, column, a), ...centredColumn(p, column, b)]);
}

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
};

// visit(projector, rank, width) for the first column, the first two, … The projector is changed in place.
function eachWidth(columns, visit) {
  const n = columns[0].length;
  const projector = new Float64Array(n * n);
  const basis = [];
  columns.forEach((column, i) => {
    const rest = Float64Array.from(column);
    for (let pass = 0; pass < 2; pass += 1) {
      for (const q of basis) {
        const along = dot(q, rest);
        for (let k = 0; k < n; k += 1) rest[k] -= along * q[k];
      }
    }
    const length = Math.sqrt(dot(rest, rest));
    if (length > SPANNED * Math.sqrt(dot(column, column))) {
      const q = rest.map((value) => value / length);
      basis.push(q);
      for (let a = 0; a < n; a += 1) for (let b = 0; b < n; b += 1) projector[a * n + b] += q[a] * q[b];
    }
    visit(projector, basis.length, i + 1);
  });
}

// Is the right one of n scores ahead of all others? A score is a[i] + factor · b[i], counted from two offsets.
function wins(matrix, right, n, a, b = a, factor = 0) {
  const own = matrix[a + right] + factor * matrix[b + right] - TIE;
  for (let i = 0; i < n; i += 1) {
    if (i !== right && matrix[a + i] + factor * matrix[b + i] >= own) return false;
  }
  return true;
}

// What the read-out says of the sum of a token and a position: { tokens, positions }.
function readSum(projector, v, l, token, position) {
  const [t, k] = [token * (v + l), (v + position) * (v + l)]; // where their rows begin
  const list = (n, a, b, factor) => Array.from({ length: n }, (_, i) => 1 / n + projector[a + i] + factor * projector[b + i]);
  return { tokens: list(v, t, k, Math.sqrt(l / v)), positions: list(l, k + v, t + v, Math.sqrt(v / l)) };
}

// For each width, how many pairs are read back from their sums; and the rank.
function countSums(x, p) {
  const [v, l] = [x.length, p.length];
  const [toToken, toPosition] = [Math.sqrt(l / v), Math.sqrt(v / l)];
  const found = { counts: [], ranks: [] };
  eachWidth(weightedColumns(x, p), (projector, rank) => {
    let count = 0;
    for (let row = 0; row < v; row += 1) {
      for (let other = 0; other < l; other += 1) {
        const [t, k] = [row * (v + l), (v + other) * (v + l)];
        if (wins(projector, row, v, t, k, toToken) && wins(projector, other, l, k + v, t + v, toPosition)) count += 1;
      }
    }
    found.counts.push(count);
    found.ranks.push(rank);
  });
  return found;
}

// For each width, how many rows of one table are read back; and the rank.
function countRows(table) {
  const n = table.length;
  const found = { counts: [], ranks: [] };
  eachWidth(centredColumns(table), (projector, rank) => {
    found.counts.push(table.filter((_, row) => wins(projector, row, n, row * n)).length);
    found.ranks.push(rank);
  });
  return found;
}

function projectorAt(columns, width) {
  let found = null;
  eachWidth(columns.slice(0, width), (projector) => {
    found = projector;
  });
  return found;
}

const split = (d, share) => Math.min(Math.max(Math.floor(share * d + 0.5), 1), d - 1);

// What is slow to count is kept until one of the numbers it depends on changes.
const kept = {};
function keep(name, key, count) {
  const text = JSON.stringify(key);
  if (kept[name]?.text !== text) kept[name] = { text, value: count() };
  return kept[name].value;
}

function compute(state, own) {
  const tables = tablesOf(state, own);
  const [x, p] = tables[0];
  const [v, l] = [x.length, p.length];
  const sums = keep("sums", [v, l, state.ratio, own], () => tables.map(([a, b]) => countSums(a, b)));
  const tokens = keep("tokens", [v, own], () => tables.map(([a]) => countRows(a)));
  const positions = keep("positions", [l, own], () => tables.map(([, b]) => countRows(b))); // at any ratio
  const [t, k] = [Math.min(state.token, v - 1), Math.min(state.position, l - 1)];
  const dToken = split(state.d, state.share);
  const added = readSum(projectorAt(weightedColumns(x, p), state.d), v, l, t, k);
  const beside = (table, width, row) => {
    const n = table.length;
    const projector = projectorAt(centredColumns(table), width);
    return Array.from({ length: n }, (_, i) => 1 / n + projector[row * n + i]);
  };
  const sideBySide = { tokens: beside(x, dToken, t), positions: beside(p, state.d - dToken, k) };

  const counts = { added: [], side_by_side: [] }; // (d − 2, seed)
  const exact = { added: null, side_by_side: null };
  for (let d = x[0].length; d >= 2; d -= 1) {
    const a = split(d, state.share);
    counts.added.unshift(sums.map((each) => each.counts[d - 1]));
    counts.side_by_side.unshift(tokens.map((each, seed) => each.counts[a - 1] * positions[seed].counts[d - a - 1]));
    if (sums[0].ranks[d - 1] === v + l - 2) exact.added = d;
    if (tokens[0].ranks[a - 1] === v - 1 && positions[0].ranks[d - a - 1] === l - 1) exact.side_by_side = d;
  }
  return { x, p, v, l, t, k, dToken, added, sideBySide, counts, exact };
}

function rate(row, n) {
  const total = row.reduce((sum, count) => sum + count, 0);
  return { mean: total / (row.length * n), low: Math.min(...row) / n, high: Math.max(...row) / n };
}

// ------------------------------------------------------------------------------------------------- the words

function winner(scores) {
  const largest = Math.max(...scores);
  const best = scores.map((score) => score >= largest - TIE);
  return { best: best.indexOf(true), alone: best.filter(Boolean).length === 1 };
}

function verdictOn(scores, right) {
  const { best, alone } = winner(scores);
  if (!alone) return { best, verdict: "undecided" };
  return { best, verdict: best === right ? "right" : "wrong" };
}

function said({ tokens, positions }, t, k) {
  const part = (scores, right, name) => {
    const { best, verdict } = verdictOn(scores, right);
    return `${name(best)} (${formatNumber(scores[best])}, ${verdict})`;
  };
  return `${part(tokens, t, (i) => `“${WORDS[i]}”`)} and ${part(positions, k, (i) => `position ${i}`)}`;
}

function summarise(state, found, ownTables) {
  const { v, l, t, k, dToken, added, sideBySide, counts, exact } = found;
  const ofAll = (name) => {
    const { mean, low, high } = rate(counts[name][state.d - 2], v * l);
    return `${formatNumber(mean)}${ownTables ? "" : ` (${formatNumber(low)} to ${formatNumber(high)})`}`;
  };
  const since = (name) => (exact[name] === null ? "at no width here" : `from d = ${exact[name]} on`);
  const where = ownTables ? "your tables" : `${N_SEEDS} pairs of random tables`;
  return (
    `${v} tokens and ${l} positions, ${state.d} dimensions, positions times ${formatNumber(state.ratio)}. ` +
    `The sum of “${WORDS[t]}” and position ${k} is read as ${said(added, t, k)}. ` +
    `Side by side, ${dToken} + ${state.d - dToken} dimensions: ${said(sideBySide, t, k)}. ` +
    `Of all ${v * l} pairs, in ${where}, both are read back from ${ofAll("added")} of the sums and from ` +
    `${ofAll("side_by_side")} side by side. The read-out is exact ${since("added")} when added, and ` +
    `${since("side_by_side")} side by side.`
  );
}

// ---------------------------------------------------------------------------------------------- the drawings

const WIDTH = 400; // of each drawing, in its own units

function drawing(height, label) {
  return svgNode("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "inorder-drawing", role: "img", "aria-label": label });
}

function text(x, y, words, attributes) {
  const node = svgNode("text", { x, y, "font-size": 13, ...attributes });
  node.textContent = words;
  return node;
}

// The numbers of four vectors as coloured cells: x, p, their sum, and the two side by side.
function drawStrips(svg, { x, p, t, k, dToken }, d, colour) {
  const vectors = [["x", x[t].slice(0, d)], ["p", p[k].slice(0, d)]];
  vectors.push(["x + p", vectors[0][1].map((value, i) => value + vectors[1][1][i])]);
  vectors.push(["[x; p]", [...x[t].slice(0, dToken), ...p[k].slice(0, d - dToken)]]);
  const cell = (WIDTH - 54) / Math.max(d, 12);
  const largest = Math.max(...vectors.flatMap(([, values]) => values.map(Math.abs)));
  const nodes = vectors.flatMap(([name, values], row) => [
    text(48, 26 * row + 17, name, { "text-anchor": "end", fill: colour.ink, "font-style": "italic" }),
    ...values.map((value, i) => svgNode("rect", { x: 54 + i * cell, y: 26 * row + 3, width: cell, height: 19,
      fill: divergingColour(value / largest, colour.dark).fill, stroke: colour.line, "stroke-width": 0.5,
      "data-name": "vectors", "data-row": row, "data-col": i, "data-value": value })),
  ]);
  const border = 54 + dToken * cell;
  nodes.push(svgNode("line", { x1: border, x2: border, y1: 79, y2: 102, stroke: colour.ink, "stroke-width": 2.5 }));
  svg.replaceChildren(...nodes);
}

const BARS = 118;

function drawBars(svg, scores, right, names, { name, question, colour }) {
  const { best, verdict } = verdictOn(scores, right);
  const mark = verdict === "right" ? "✓" : "✗";
  const [top, bottom] = [Math.max(1.05, ...scores), Math.min(-0.4, ...scores)];
  const y = (score) => 22 + ((top - score) / (top - bottom)) * (BARS - 40);
  const step = (WIDTH - 30) / scores.length;
  const nodes = [text(30, 13, `${question} ${names[best]} ${mark}`, { fill: colour.ink })];
  for (const level of [0, 1]) {
    nodes.push(svgNode("line", { x1: 26, x2: WIDTH, y1: y(level), y2: y(level), stroke: level ? colour.line : colour.muted }));
    nodes.push(text(20, y(level) + 4, String(level), { "text-anchor": "end", fill: colour.muted, "font-size": 12 }));
  }
  scores.forEach((score, i) => {
    const chosen = i === best && verdict !== "right";
    nodes.push(svgNode("rect", { x: 30 + i * step + 1, width: Math.max(step - 2, 1), y: Math.min(y(score), y(0)),
      height: Math.abs(y(score) - y(0)), fill: i === right ? colour.strong : colour.pale,
      stroke: chosen ? colour.wrong : "none", "stroke-width": 3, "stroke-dasharray": "5 3",
      "data-name": name, "data-row": 0, "data-col": i, "data-value": score }));
  });
  const labels = best === right ? [right] : [right, best];
  const near = Math.abs(best - right) * step < 60;
  labels.forEach((i, order) => {
    const shift = near && labels.length > 1 ? ((i < labels[1 - order] ? -1 : 1) * (60 - Math.abs(best - right) * step)) / 2 : 0;
    const x = Math.min(Math.max(30 + (i + 0.5) * step + shift, 40), WIDTH - 24);
    const fill = i === right ? colour.ink : colour.wrong;
    nodes.push(text(x, BARS - 3, names[i], { "text-anchor": "middle", fill, "font-weight": i === right ? 600 : 400 }));
  });
  svg.replaceChildren(...nodes);
  svg.setAttribute("aria-label", `${question} ${names[best]}, ${verdict}. Bars for ${scores.length} scores.`);
}

const CURVE = 230;
const LEFT = 34;
const acrossOf = (d, widest) => LEFT + ((d - 2) / Math.max(widest - 2, 1)) * (WIDTH - LEFT - 10);
const upOf = (share) => CURVE - 36 - share * (CURVE - 56);

function drawCurve(svg, { counts, v, l, exact }, d, colour) {
  const widest = counts.added.length + 1;
  const nodes = [0, 0.5, 1].flatMap((level) => [
    svgNode("line", { x1: LEFT - 4, x2: WIDTH, y1: upOf(level), y2: upOf(level), stroke: colour.line }),
    text(LEFT - 8, upOf(level) + 4, String(level), { "text-anchor": "end", fill: colour.muted, "font-size": 12 }),
  ]);
  const ticks = [2, ...[16, 32, 48, 64].filter((tick) => tick < widest), widest];
  for (const tick of new Set(ticks)) {
    nodes.push(text(acrossOf(tick, widest), CURVE - 18, String(tick), { "text-anchor": "middle", fill: colour.muted, "font-size": 12 }));
  }
  nodes.push(text(WIDTH / 2, CURVE - 3, "d, the whole width", { "text-anchor": "middle", fill: colour.muted }));
  const here = acrossOf(d, widest);
  nodes.push(svgNode("line", { x1: here, x2: here, y1: 12, y2: upOf(0), stroke: colour.ink, "stroke-dasharray": "2 3" }));
  nodes.push(text(Math.min(here + 4, WIDTH - 54), 13, `d = ${d}`, { fill: colour.ink }));
  const looks = { added: [colour.added, -1, "circle"], side_by_side: [colour.beside, 1, "rect"] };
  for (const [name, [stroke, shift, tag]] of Object.entries(looks)) {
    const rates = counts[name].map((row) => rate(row, v * l));
    const points = rates.map(({ mean }, i) => [acrossOf(i + 2, widest) + shift, upOf(mean)]);
    nodes.push(svgNode("polyline", { points: points.map((at) => at.join()).join(" "), fill: "none", stroke, "stroke-width": 1.4 }));
    rates.forEach(({ mean, low, high }, i) => {
      const [x, y] = points[i];
      if (high > low) nodes.push(svgNode("line", { x1: x, x2: x, y1: upOf(low), y2: upOf(high), stroke, "stroke-opacity": 0.6 }));
      const shape = tag === "circle" ? { cx: x, cy: y, r: 2.6 } : { x: x - 2.4, y: y - 2.4, width: 4.8, height: 4.8 };
      nodes.push(svgNode(tag, { ...shape, fill: stroke, "data-name": `rate_${name}`, "data-row": 0, "data-col": i,
        "data-value": mean, "data-low": low, "data-high": high }));
    });
    if (exact[name] !== null) {
      const together = exact.added === exact.side_by_side;
      const x = acrossOf(exact[name], widest) + (together ? 5 * shift : 0);
      nodes.push(svgNode("path", { d: `M${x} ${upOf(0)}l-5 8h10Z`, fill: stroke }));
    }
  }
  svg.replaceChildren(...nodes);
}

// ------------------------------------------------------------------------------------------------ the figure

function picker(label, onPick) {
  const input = make("select", { "aria-label": label, onchange: () => onPick(Number(input.value)) });
  const set = (names, chosen) => {
    if (input.options.length !== names.length) {
      input.replaceChildren(...names.map((name, i) => make("option", { value: i }, name)));
    }
    input.value = chosen;
  };
  return { root: make("label", { class: "inorder-select" }, label, input), set };
}

function render({ model, el, page }) {
  const own = () => ({ tokens: model.get("token_table"), positions: model.get("position_table") });
  const widest = () => (own().tokens.length ? own().tokens[0].length : WIDEST);
  const agree = ({ n_tokens, n_positions, d }) => {
    const { tokens, positions } = own();
    const fits = !tokens.length || (tokens.length === n_tokens && positions.length === n_positions);
    return fits && tokens.length > 0 === positions.length > 0 && d <= widest();
  };
  const shell = figureShell({ model, el, page, checks, agree });

  // controls
  const bounded = (low, x, high) => Math.min(Math.max(x, low), high);
  const whole = (label, name, low, high) => slider({ label, min: low, max: high(), step: 1,
    onInput: (value) => shell.change({ [name]: bounded(low, Math.round(value), high()) }) });
  const number = (label, name, [min, max, step], [low, high]) => slider({ label, min, max, step,
    onInput: (value) => shell.change({ [name]: bounded(low, value, high) }) });
  const sliders = {
    d: whole("Dimensions d", "d", 2, widest),
    n_tokens: whole("Tokens V", "n_tokens", 2, () => LARGEST_TABLE),
    n_positions: whole("Positions L", "n_positions", 2, () => LARGEST_TABLE),
    ratio: number("Positions times", "ratio", [0.1, 4, 0.1], [0.01, 100]),
    share: number("Tokens’ part of d", "share", [0.05, 0.95, 0.05], [0.01, 0.99]),
  };
  const token = picker("Token", (value) => shell.change({ token: value }));
  const position = picker("Position", (value) => shell.change({ position: value }));
  shell.controls.append(token.root, position.root, ...Object.values(sliders).map(({ root }) => root));

  // stage
  const strips = drawing(106, "");
  const heads = { added: "Added", side_by_side: "Side by side" };
  const bars = {};
  const columns = Object.entries(heads).map(([way, head]) => {
    const title = make("div", { class: "inorder-way" });
    bars[way] = { head, title, tokens: drawing(BARS, ""), positions: drawing(BARS, "") };
    return make("div", {}, title, bars[way].tokens, bars[way].positions);
  });
  const curve = drawing(CURVE, "");
  curve.classList.add("inorder-curve");
  const key = make("p", { class: "inorder-key" });
  shell.stage.append(
    make("div", { class: "inorder-strips" }, strips),
    make("div", { class: "inorder-ways" }, ...columns),
    make("div", { class: "inorder-recovery" }, make("div", { class: "inorder-way" }, "Part of all pairs read back"), curve, key),
  );

  // A press or a drag on the curve picks d.
  let held = false;
  const pick = (event) => {
    const frame = curve.getBoundingClientRect();
    const across = ((event.clientX - frame.x) / frame.width) * WIDTH;
    const d = Math.round(2 + ((across - LEFT) / (WIDTH - LEFT - 10)) * (widest() - 2));
    shell.change({ d: bounded(2, d, widest()) });
  };
  curve.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    held = true;
    curve.setPointerCapture(event.pointerId);
    pick(event);
  });
  curve.addEventListener("pointermove", (event) => held && pick(event));
  for (const end of ["pointerup", "pointercancel"]) {
    curve.addEventListener(end, () => {
      held = false;
    });
  }

  function draw(state, dark) {
    const tables = own();
    const ownTables = tables.tokens.length > 0;
    const found = compute(state, tables);
    const style = getComputedStyle(shell.root);
    const colour = { dark, strong: sequentialColour(1, dark).fill, pale: sequentialColour(0.4, dark).fill,
      added: style.getPropertyValue("--second"), beside: style.getPropertyValue("--first") };
    for (const name of ["ink", "muted", "line"]) colour[name] = style.getPropertyValue(`--${name}`);
    colour.wrong = colour.beside;
    const positions = Array.from({ length: found.l }, (_, i) => String(i));
    token.set(WORDS.slice(0, found.v), found.t);
    position.set(positions, found.k);
    for (const [name, each] of Object.entries(sliders)) each.set(state[name]);
    for (const name of ["n_tokens", "n_positions"]) sliders[name].root.classList.toggle("is-hidden", ownTables);
    drawStrips(strips, found, state.d, colour);
    strips.setAttribute("aria-label", `The token x, the position p, their sum, and the two side by side, as coloured numbers.`);
    bars.added.title.textContent = `Added: ${state.d} dimensions`;
    bars.side_by_side.title.textContent = `Side by side: ${found.dToken} + ${state.d - found.dToken} dimensions`;
    for (const [way, read] of [["added", found.added], ["side_by_side", found.sideBySide]]) {
      drawBars(bars[way].tokens, read.tokens, found.t, WORDS, { name: `${way}_tokens`, question: "Which token?", colour });
      drawBars(bars[way].positions, read.positions, found.k, positions,
        { name: `${way}_positions`, question: "Which position?", colour });
    }
    drawCurve(curve, found, state.d, colour);
    curve.setAttribute("aria-label", "Part of all pairs read back, against d. The sentence below says it at the chosen d.");
    key.replaceChildren(
      make("span", { style: `color: ${colour.added}` }, "● added"), "   ",
      make("span", { style: `color: ${colour.beside}` }, "■ side by side"),
      `   ${ownTables ? "" : `mean and range over ${N_SEEDS} random tables   `}▲ exact from here on`);
    shell.summary(summarise(state, found, ownTables));
  }

  const stop = followState({ ...shell, names: [...shell.names, "token_table", "position_table"] }, draw);
  return () => {
    stop();
    shell.close();
  };
}

export default { render };
