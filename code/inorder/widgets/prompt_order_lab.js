// Two prompts made of the same tokens: what the last query finds in each layer, and which token each prompt writes.

import {
  blend, button, causalMask, divergingColour, figureShell, followState, formatNumber, make, matmul, select, softmax,
  uniqueId,
} from "./kit.js";
import { decode, prefixMask } from "./transformer.js";

const ROUNDING = 1e-12; // a change below it is what adding the same numbers in another order leaves
const MOST_SHOWN = 8; // tokens of a larger vocabulary that get a bar: the most likely ones
const MANY = 6; // tokens from which on everything is drawn closer
const MOST_ENTRIES = 16; // of a vector, shown as numbers
const BAR = 120; // pixels of the longest bar, in its canvas
const PROMPTS = ["first", "second"];
const ROWS = { seen: "has seen", query: "query", key: "keys", weights: "weights", letter: "", number: "", value: "values", sum: "sum" };

// ------------------------------------------------------------------------------------------------- the state

// given: { transformer: { config, parameters, schemes: { name: { scheme, tables } } }, tokens, vocabulary }, from Python
function checksFor({ transformer: { config, parameters, schemes }, tokens }) {
  const isCount = (most) => (n) => Number.isInteger(n) && 1 <= n && n <= most;
  const isOrder = (order) => Array.isArray(order) && order.length === tokens.length &&
    [...order].sort((a, b) => a - b).every((place, i) => place === i);
  return {
    first_order: isOrder,
    second_order: isOrder,
    depth: isCount(parameters.blocks.length),
    mask: (mask) => ["causal", "prefix", "none"].includes(mask),
    n_prefix: isCount(tokens.length),
    position: (name) => typeof name === "string" && Object.hasOwn(schemes, name),
    head: isCount(config.n_heads),
  };
}

function shifted(order, from, to) {
  const rest = order.filter((_, place) => place !== from);
  return [...rest.slice(0, to), order[from], ...rest.slice(to)];
}

// The order with two different tokens exchanged: the first two, never the last; or else the last two. Null if all agree.
function exchanged(order, tokens, { clean }) {
  const last = order.length - 1;
  const [start, others] = clean ? [0, [...order.keys()].slice(1, last)] : [last, [...order.keys()].slice(0, last).reverse()];
  const other = others.find((place) => tokens[order[place]] !== tokens[order[start]]);
  if (other === undefined) return null;
  const next = [...order];
  [next[start], next[other]] = [next[other], next[start]];
  return next;
}

// -------------------------------------------------------------------------------------------- the arithmetic

function readPrompt(order, state, { transformer, tokens, vocabulary }) {
  const { config, parameters, schemes } = transformer;
  const { scheme, tables } = schemes[state.position];
  const prompt = order.map((place) => tokens[place]);
  const ids = prompt.map((token) => vocabulary.indexOf(token));
  const masks = { causal: () => causalMask(ids.length), prefix: () => prefixMask(ids.length, state.n_prefix), none: () => null };
  const mask = masks[state.mask]();
  const { logits, layers } = decode(ids, { ...parameters, position: tables }, { ...config, scheme, n_layers: state.depth },
    { positions: [...ids.keys()], mask });
  const seen = (layer) => prompt.map((_, i) =>
    prompt.filter((__, j) => (layer === 0 ? i === j : !mask || mask[i][j])).sort((a, b) => vocabulary.indexOf(a) - vocabulary.indexOf(b)));
  return {
    prompt,
    probabilities: softmax(logits.at(-1)),
    layers: layers.map(({ query, key, value, weights }, layer) => {
      const last = weights.map((rows) => rows.at(-1)); // (head, key)
      const sum = last.map((row, h) => matmul([row], value[h])[0]); // (head, d_head)
      return { seen: seen(layer), query: query.map((rows) => rows.at(-1)), key, value, weights: last, sum };
    }),
  };
}

const magnitude = (numbers) => numbers.flat(2).reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
const furthest = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

// For each place of the second prompt the place of the same token in the first; of equal tokens, the nearest rows.
function partnersOf(first, second, one, other) {
  const away = (i, j) => Math.max(...one.key.map((_, h) =>
    Math.max(furthest(one.key[h][i], other.key[h][j]), furthest(one.value[h][i], other.value[h][j]))));
  const pairs = first.flatMap((token, i) => second.flatMap((same, j) => (token === same ? [[away(i, j), i, j]] : [])));
  const found = second.map(() => null);
  for (const [, i, j] of pairs.sort(([a], [b]) => a - b)) {
    if (found[j] === null && !found.includes(i)) found[j] = i;
  }
  return found;
}

// Changes over all heads, max|Δ|, divided by the largest entry compared if that is above 1. Those of seen, key, weights
// and value are lists, by the place in the second prompt.
function compareLayer(one, other, first, second) {
  const partner = partnersOf(first, second, one, other);
  const scale = (name) => Math.max(1, magnitude(one[name]), magnitude(other[name]));
  const rows = (name) => partner.map((i, j) => Math.max(...one[name].map((_, h) => furthest(one[name][h][i], other[name][h][j]))) / scale(name));
  const single = (name) => Math.max(...one[name].map((_, h) => furthest(one[name][h], other[name][h]))) / scale(name);
  const weights = partner.map((i, j) => Math.max(...one.weights.map((_, h) => Math.abs(one.weights[h][i] - other.weights[h][j]))));
  const changes = { query: single("query"), key: rows("key"), weights, value: rows("value"), sum: single("sum") };
  const names = { query: "query", key: "keys", weights: "weights", value: "values" };
  return {
    partner,
    ...changes,
    seen: partner.map((i, j) => Number(one.seen[i].join("\n") !== other.seen[j].join("\n"))),
    change: Math.max(...Object.values(changes).flat()),
    differing: Object.keys(names).filter((name) => Math.max(...[changes[name]].flat()) > ROUNDING).map((name) => names[name]),
  };
}

// A prompt stays as it is while the reader moves the other one.
function rememberPrompt(which, given) {
  let [key, found] = ["", null];
  return ({ [`${which}_order`]: order, depth, mask, n_prefix, position }) => {
    const asked = JSON.stringify([order, depth, mask, n_prefix, position]);
    if (asked !== key) [key, found] = [asked, readPrompt(order, { depth, mask, n_prefix, position }, given)];
    return found;
  };
}

function calculate(read) {
  const [first, second] = read;
  const layers = first.layers.map((one, layer) => compareLayer(one, second.layers[layer], first.prompt, second.prompt));
  const distance = first.probabilities.reduce((sum, p, row) => sum + Math.abs(p - second.probabilities[row]), 0) / 2;
  const parted = layers.findIndex(({ differing }) => differing.length > 0) + 1; // 0 if nowhere
  const written = read.map(({ probabilities }) => probabilities.indexOf(Math.max(...probabilities)));
  return { read, layers, distance, parted, written, same: first.prompt.join("\n") === second.prompt.join("\n") };
}

// ------------------------------------------------------------------------------------------------- the words

function formatChange(x) {
  if (x === 0) return "0";
  return x >= 0.005 ? formatNumber(x) : x.toExponential(0);
}

const quoted = (text) => `“${text}”`;
const listed = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words.join());

function wordOf(distance) {
  if (distance === 0) return "Equal";
  return distance <= ROUNDING ? "Equal to rounding" : "Different";
}

function reasonOf({ depth, mask, position }, { read, layers, distance, parted }, { vocabulary }) {
  const [first, second] = read.map(({ prompt }) => prompt);
  const asks = `${quoted(first.at(-1))} asks in both`;
  if (!parted) {
    return `${asks} and finds${depth === 1 ? "" : " in every layer"} the same keys and values in another order: a sum has no order.`;
  }
  if (distance <= ROUNDING) return `The prompts part in layer ${parted}, but the outputs do not show it.`;
  if (first.at(-1) !== second.at(-1)) {
    return `${quoted(first.at(-1))} asks in the first and ${quoted(second.at(-1))} in the second: another query.`;
  }
  const { differing, key, value } = layers[parted - 1];
  if (parted === 1) return `${asks}, but ${position} positions make the ${listed(differing)} differ in layer 1.`;
  const changed = second.filter((_, j) => Math.max(key[j], value[j]) > ROUNDING);
  const names = listed(vocabulary.filter((token) => changed.includes(token)).map(quoted));
  const why = position === "none" ? `the ${mask} mask let ${names} see different tokens` : `the order has changed ${names}`;
  return `${asks} and finds the same set up to layer ${parted - 1}; but there ${why}, and layer ${parted} finds out.`;
}

function summarise(state, all, given) {
  const { vocabulary } = given;
  const { depth, mask, n_prefix, position } = state;
  const [first, second] = all.read.map(({ prompt }) => quoted(prompt.join(" ")));
  const [one, other] = all.written.map((row) => quoted(vocabulary[row]));
  const masks = { causal: "causal mask", prefix: `prefix mask over ${n_prefix}`, none: "no mask" };
  const positions = position === "none" ? "no positions" : `${position} positions`;
  const setting = `${depth} ${depth === 1 ? "layer" : "layers"}, ${masks[mask]}, ${positions}`;
  if (all.same) return `${setting}. Both prompts read ${first}: move a token. Next token: ${one}.`;
  const told = all.distance > ROUNDING
    ? `different (total variation distance ${formatChange(all.distance)})` : "equal, but for rounding";
  const after = one === other ? `after both: ${one}` : `${one} after the first prompt, ${other} after the second`;
  return `${setting}. ${first} against ${second}: the next-token distributions are ${told}. ${reasonOf(state, all, given)} Next token ${after}.`;
}

function layerWords({ layers, parted, same }, layer) {
  const { differing } = layers[layer];
  if (differing.length === 0) return same ? "the same in both prompts" : "the same set in another order";
  const here = layer + 1 === parted ? "here the prompts part: " : "";
  return `${here}${listed(differing)} differ${listed(differing) === "query" ? "s" : ""}`;
}

// ------------------------------------------------------------------------------------------------ the colours

// Of the tokens, in the order of the vocabulary; none is the orange or the blue of the numbers.
const TINTS = {
  light: [[184, 74, 95], [51, 34, 136], [143, 119, 0], [17, 119, 51], [42, 134, 184], [136, 34, 85], [38, 133, 119], [170, 68, 153]],
  dark: [[228, 140, 155], [156, 147, 240], [217, 200, 96], [88, 184, 120], [136, 204, 238], [214, 110, 150], [92, 196, 178], [210, 130, 198]],
};

function barColours(tint, dark) {
  const none = dark ? [20, 24, 29] : [255, 255, 255];
  return { bar: blend(none, tint, 0.8).fill, pale: blend(none, tint, 0.22).fill, ink: dark ? "#e8eaed" : "#1b1f24" };
}

const WEIGHT = { light: [106, 79, 179], dark: [170, 146, 240] };
const UNSEEN = { light: "#d0d7de", dark: "#3c434c" };

function tintOf(token, { tokens, vocabulary }, dark) {
  const different = [...new Set(tokens)].sort((a, b) => vocabulary.indexOf(a) - vocabulary.indexOf(b));
  const tint = TINTS[dark ? "dark" : "light"][different.indexOf(token)];
  return { ...blend(tint, tint, 1), ...barColours(tint, dark) };
}

// Strips and bars are canvases one pixel wide or high, stretched by the style sheet: to paint one is no work for the
// page's layout, and in a step there are hundreds. fills: [from, to, colour], in pixels along the canvas.
const canvases = new WeakMap(); // what each canvas shows
function paint(canvas, picture, length, fills, { upright = false, hasHoles = true } = {}) {
  let known = canvases.get(canvas);
  if (known?.picture === picture) return;
  known ??= { pen: canvas.getContext("2d") };
  canvases.set(canvas, known);
  known.picture = picture;
  const side = upright ? "height" : "width";
  if (canvas[side] !== length) canvas[side] = length;
  if (hasHoles) known.pen.clearRect(0, 0, canvas.width, canvas.height);
  for (const [from, to, colour] of fills) {
    known.pen.fillStyle = colour;
    if (upright) known.pen.fillRect(0, from, 1, to - from);
    else known.pen.fillRect(from, 0, to - from, 1);
  }
}

function paintStrip(canvas, colours) {
  paint(canvas, colours.join(), colours.length, colours.map((colour, i) => [i, i + 1, colour]), { hasHoles: colours.includes("transparent") });
}

// A bar for `share`, pale where it falls short of `other`, and a line at `other`. From the far end if `reversed`.
function paintBar(canvas, share, other, { bar, pale, ink }, { upright = false, reversed = false } = {}) {
  const [mine, level] = [Math.round(share * BAR), Math.round(other * BAR)];
  const fills = [[0, level, pale], [0, mine, bar], [Math.max(level - (upright ? 3 : 4), 0), level, ink]];
  const turned = reversed ? fills.map(([from, to, colour]) => [BAR - to, BAR - from, colour]) : fills;
  paint(canvas, `${mine} ${level} ${bar}`, BAR, turned, { upright });
}

// The colours of a strip in a hundred steps each way: a colour that was used before costs nothing.
const palettes = { light: new Map(), dark: new Map() };
function colourOf(amount, dark) {
  const palette = palettes[dark ? "dark" : "light"];
  const step = Math.round(100 * amount);
  if (!palette.has(step)) palette.set(step, divergingColour(step / 100, dark).fill);
  return palette.get(step);
}

// A mark for each token of the prompt in the order of the vocabulary, in its colour if it was seen.
function pipColours(seen, { tokens, vocabulary }, { tints, dark }) {
  const left = [...seen];
  const everyone = [...tokens].sort((a, b) => vocabulary.indexOf(a) - vocabulary.indexOf(b));
  return everyone.flatMap((token) => {
    const known = left.includes(token);
    if (known) left.splice(left.indexOf(token), 1);
    const colour = known ? tints[token].fill : UNSEEN[dark ? "dark" : "light"];
    return tokens.length < MANY ? [colour, colour, colour, "transparent"] : [colour];
  });
}

// ---------------------------------------------------------------------------------------------- parts of the page

function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function writeNumber(node, x) {
  write(node, formatNumber(x));
  node.dataset.value = String(x);
}

function label(node, text) {
  if (node.getAttribute("aria-label") !== text) node.setAttribute("aria-label", text);
}

// Radio buttons side by side.
function choice({ label, options, onInput }) {
  const name = uniqueId("inorder-choice");
  const inputs = options.map(([value]) => make("input", { type: "radio", name, value, onchange: () => onInput(value) }));
  const labels = options.map(([, text], i) => make("label", {}, inputs[i], make("span", {}, text)));
  const set = (value) => inputs.forEach((input, i) => {
    input.checked = options[i][0] === value;
  });
  return { root: make("fieldset", { class: "inorder-lab-choice" }, make("legend", {}, label), make("div", {}, ...labels)), set };
}

// The tokens of one prompt, to be moved, and the one that it writes.
//   onMove(from, to) asks for a token to be moved
function promptRow(which, n, onMove) {
  const names = `inorder-lab-${which}`;
  const chips = Array.from({ length: n }, (_, place) => make("button", { type: "button", class: "inorder-lab-chip", "data-place": place,
    onfocus: () => hold(place), onkeydown: (event) => moveByKey(event, place) }));
  const slots = chips.map((chip) => make("span", { class: "inorder-lab-slot" }, chip));
  const written = make("span", { class: "inorder-lab-written" });
  const asks = make("span", { class: "inorder-lab-asks" }, make("span", {}, "its query asks"));
  const row = make("div", { class: "inorder-lab-side inorder-lab-prompt", role: "group", "aria-label": `The ${which} prompt` },
    ...slots, make("span", { class: "inorder-lab-next" }, make("span", { "aria-hidden": "true" }, "→"), written), asks);
  const arrows = [-1, 1].map((by) => button({ label: "", text: by < 0 ? "‹" : "›", onClick: () => move(held, held + by) }));
  const head = make("div", { class: "inorder-lab-name" }, `The ${which} prompt`, make("span", { "data-picture": "skip" }, ...arrows));
  let held = 0; // the place of the token that the two buttons move
  let dragging = false;
  let shown = null;
  const looks = []; // what each chip shows

  function move(from, to) {
    if (to < 0 || to >= n || to === from) return false;
    held = to;
    onMove(from, to);
    return true;
  }

  function moveByKey(event, place) {
    const targets = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: n - 1 };
    if (!Object.hasOwn(targets, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (move(place, targets[event.key])) chips[held].focus({ preventScroll: true });
  }

  function hold(place) {
    if (held === place && !dragging) return;
    held = place;
    if (shown) update(...shown);
  }

  row.addEventListener("pointerdown", (event) => {
    const chip = event.target.closest(".inorder-lab-chip");
    if (!chip || event.button !== 0) return;
    dragging = true;
    row.setPointerCapture(event.pointerId);
    chip.focus({ preventScroll: true });
    hold(Number(chip.dataset.place));
  });
  row.addEventListener("pointermove", (event) => {
    if (!dragging) return;
    const { left } = row.getBoundingClientRect();
    const to = Math.floor((event.clientX - left - slots[0].offsetLeft) / slots[0].offsetWidth);
    if (move(held, Math.min(Math.max(to, 0), n - 1))) chips[held].focus({ preventScroll: true });
  });
  for (const end of ["pointerup", "pointercancel"]) {
    row.addEventListener(end, () => {
      dragging = false;
      if (shown) update(...shown);
    });
  }

  function update(prompt, next, tints) {
    shown = [prompt, next, tints];
    chips.forEach((chip, place) => {
      chip.classList.toggle("is-held", place === held);
      chip.classList.toggle("is-dragged", dragging && place === held);
      const token = prompt[place];
      const look = [token, tints[token].fill].join();
      if (looks[place] === look) return;
      looks[place] = look;
      write(chip, token);
      chip.title = token;
      label(chip, `“${token}”, place ${place + 1} of ${n} in the ${which} prompt; arrow keys move it`);
      chip.style.backgroundColor = tints[token].fill;
      chip.style.color = tints[token].ink;
    });
    arrows.forEach((arrow, i) => {
      arrow.disabled = i === 0 ? held === 0 : held === n - 1;
      label(arrow, `Move “${prompt[held]}” to the ${i === 0 ? "left" : "right"} in the ${which} prompt`);
    });
    write(written, next);
    written.title = next;
  }

  return { root: make("div", { class: names }, head, row), slots, update };
}

// The names of the rows of a layer; `signs` of the second, between the prompts, say = or ≠.
function rowNames(which) {
  const signs = {};
  const lines = Object.entries(ROWS).map(([name, text]) => {
    signs[name] = make("strong", { "data-sign": name });
    return make("span", {}, text, " ", which === "second" && text ? signs[name] : "");
  });
  return { root: make("div", { class: `inorder-lab-names is-${which}` }, ...lines), signs };
}

// One token as the last query of a prompt finds it in one layer.
function tokenColumn(which, layer, place, isLast, onChoose) {
  const strips = Object.fromEntries(["seen", "query", "key", "value", "sum"].map((name) =>
    [name, make("canvas", { class: `inorder-lab-strip is-${name}`, height: 1, width: 1, "aria-hidden": "true" })]));
  const number = make("span", { class: "inorder-lab-number", "data-name": `${which}-weights`, "data-row": layer, "data-col": place });
  const bar = make("canvas", { class: "inorder-lab-bar", height: 1, width: 1, "aria-hidden": "true" });
  const letter = make("span", { class: "inorder-lab-letter" });
  const root = make("button", { type: "button", class: "inorder-lab-column", tabindex: -1, "aria-pressed": "false", onclick: onChoose },
    strips.seen, strips.key, bar, letter, number, strips.value, ...(isLast ? [strips.query, strips.sum] : []));
  return { root, strips, number, bar, letter };
}

// A layer: its name, the columns of both prompts, and room for the numbers of one token.
function layerBlock(layer, n, onChoose) {
  const words = make("span", { class: "inorder-lab-words" });
  const change = make("span", { class: "inorder-lab-change", "data-name": "changes", "data-row": layer, "data-col": 0 });
  const names = PROMPTS.map(rowNames);
  const columns = PROMPTS.map((which, prompt) => Array.from({ length: n }, (_, place) =>
    tokenColumn(which, layer, place, place === n - 1, () => onChoose(prompt, place))));
  const sides = PROMPTS.map((which, prompt) => make("div", { class: "inorder-lab-side", role: "group",
    "aria-label": `Layer ${layer + 1}, the ${which} prompt` }, ...columns[prompt].map(({ root }) => root)));
  const numbers = make("div", { class: "inorder-lab-numbers" });
  const root = make("div", { class: "inorder-lab-layer" },
    make("div", { class: "inorder-lab-heading" }, make("strong", {}, `Layer ${layer + 1}`), words, change),
    make("div", { class: "inorder-lab-pair" }, names[0].root, sides[0], names[1].root, sides[1]), numbers);
  return { root, words, change, signs: names[1].signs, columns, numbers };
}

// The distributions, back to back.
function nextTokens(vocabulary) {
  const lines = Array.from({ length: Math.min(vocabulary.length, MOST_SHOWN) }, () => {
    const cells = PROMPTS.map((_, prompt) => {
      const number = make("span", { class: "inorder-lab-number", "data-name": "distributions", "data-row": prompt });
      const bar = make("canvas", { class: "inorder-lab-bar", height: 1, width: 1, "aria-hidden": "true" });
      return { number, bar, root: make("span", { class: "inorder-lab-half" }, ...(prompt === 0 ? [bar, number] : [number, bar])) };
    });
    const token = make("span", { class: "inorder-lab-token" });
    return { token, cells, root: make("div", { class: "inorder-lab-line" }, cells[0].root, token, cells[1].root) };
  });
  const rest = vocabulary.length > lines.length ? `, the ${lines.length} most likely of ${vocabulary.length}` : "";
  const root = make("div", { class: "inorder-lab-layer" },
    make("div", { class: "inorder-lab-heading" }, make("strong", {}, "Next token"), rest), ...lines.map((line) => line.root));

  function update({ read, written }, dark) {
    const colours = barColours(WEIGHT[dark ? "dark" : "light"], dark);
    const [p, q] = read.map(({ probabilities }) => probabilities);
    const likeliest = (row) => Math.max(p[row], q[row]);
    const rows = [...vocabulary.keys()].sort((a, b) => likeliest(b) - likeliest(a)).slice(0, lines.length).sort((a, b) => a - b);
    const scale = Math.max(...rows.map(likeliest));
    lines.forEach(({ token, cells }, i) => {
      write(token, vocabulary[rows[i]]);
      token.title = vocabulary[rows[i]];
      cells.forEach(({ number, bar, root: half }, prompt) => {
        const [mine, others] = prompt === 0 ? [p, q] : [q, p];
        paintBar(bar, mine[rows[i]] / scale, others[rows[i]] / scale, colours, { reversed: prompt === 0 });
        half.classList.toggle("is-written", rows[i] === written[prompt]);
        writeNumber(number, mine[rows[i]]);
        number.dataset.col = rows[i];
      });
    });
  }

  return { root, update };
}

// ------------------------------------------------------------------------------------------------ the figure

function render({ model, el, page }) {
  const given = { transformer: model.get("transformer"), tokens: model.get("tokens"), vocabulary: model.get("vocabulary") };
  const { transformer: { config, parameters, schemes }, tokens, vocabulary } = given;
  const n = tokens.length;
  const shell = figureShell({ model, el, page, checks: checksFor(given) });
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const readers = PROMPTS.map((which) => rememberPrompt(which, given));
  let all = null; // what was computed for the state on the page
  let chosen = null; // { layer, prompt, token }: the token whose numbers are shown, as its place in `tokens`
  let before = null; // the orders drawn last

  // controls
  const count = (most) => Array.from({ length: most }, (_, i) => [i + 1, String(i + 1)]);
  const depth = choice({ label: "Layers", options: count(parameters.blocks.length), onInput: (value) => shell.change({ depth: value }) });
  const mask = choice({ label: "Mask", options: ["causal", "prefix", "none"].map((name) => [name, name]),
    onInput: (value) => shell.change({ mask: value }) });
  const prefix = select({ label: "over the first", options: count(n), onInput: (value) => shell.change({ n_prefix: Number(value) }) });
  const position = select({ label: "Positions", options: Object.keys(schemes).map((name) => [name, name]),
    onInput: (value) => shell.change({ position: value }) });
  const head = select({ label: "Head shown", options: count(config.n_heads), onInput: (value) => shell.change({ head: Number(value) }) });
  shell.controls.append(depth.root, make("span", { class: "inorder-lab-together" }, mask.root, prefix.root), position.root);
  if (config.n_heads > 1) shell.controls.append(head.root);

  const preset = (label, orderFrom) => button({ label, onClick: () => {
    const order = orderFrom(shell.state().first_order);
    shell.change({ second_order: order });
  } });
  const presets = {
    clean: preset("Swap the first two", (order) => exchanged(order, tokens, { clean: true })),
    other: preset("Swap the last two", (order) => exchanged(order, tokens, { clean: false })),
    backwards: preset("Backwards", (order) => [...order].reverse()),
  };

  // the stage
  const rows = PROMPTS.map((which) => promptRow(which, n, (from, to) =>
    shell.change({ [`${which}_order`]: shifted(shell.state()[`${which}_order`], from, to) })));
  const sign = make("strong", { class: "inorder-lab-sign", "aria-hidden": "true" });
  const word = make("strong", {});
  const distance = make("span", { "data-name": "distance", "data-row": 0, "data-col": 0 });
  const verdict = make("p", { class: "inorder-lab-verdict" }, sign, word,
    make("span", {}, "total variation distance ½ Σ |p − q| = ", distance));
  const layers = parameters.blocks.map((_, layer) => layerBlock(layer, n, (prompt, place) => choose(layer, prompt, place)));
  const next = nextTokens(vocabulary);
  const inside = make("div", { class: "inorder-lab-inside" }, ...layers.map(({ root }) => root));
  shell.stage.style.setProperty("--n", n);
  shell.stage.classList.toggle("is-many", n >= MANY);
  shell.stage.append(
    make("div", { class: "inorder-lab-presets", "data-picture": "skip" },
      make("span", {}, "Drag the tokens, or choose one and press ← or →."),
      make("span", {}, "The second prompt from the first:", ...Object.values(presets))),
    make("div", { class: "inorder-lab-pair inorder-lab-prompts" }, make("span", {}), rows[0].root,
      make("span", { class: "inorder-lab-against" }, "against"), rows[1].root),
    verdict,
    make("p", { class: "inorder-lab-legend" },
      "Each column is a token as the last query finds it: the tokens it has seen so far, its key, the weight it gets, its value. ",
      "The line in a bar: the weight of the same token in the other prompt. Framed: different there. Press a column for its numbers."),
    inside, next.root);

  const columnOf = (layer, prompt, place) => layers[layer].columns[prompt][place].root;
  const orderOf = (prompt) => shell.state()[`${PROMPTS[prompt]}_order`];

  // reading the numbers of one token
  let pressed = []; // its columns in both prompts
  let reader = null; // where its numbers stand
  function choose(layer, prompt, place) {
    const token = orderOf(prompt)[place];
    const again = chosen && chosen.layer === layer && chosen.prompt === prompt && chosen.token === token;
    chosen = again ? null : { layer, prompt, token };
    drawChosen();
  }

  function drawChosen() {
    for (const column of pressed) column.setAttribute("aria-pressed", "false");
    if (reader) reader.replaceChildren();
    [pressed, reader] = [[], null];
    if (!chosen || chosen.layer >= shell.state().depth) return;
    const at = placesOf(chosen);
    pressed = at.map((place, prompt) => columnOf(chosen.layer, prompt, place));
    for (const column of pressed) column.setAttribute("aria-pressed", "true");
    reader = layers[chosen.layer].numbers;
    reader.replaceChildren(numbersOf(chosen.layer, at, shell.state().head - 1));
  }

  // The places of the chosen token: in the first prompt, in the second.
  function placesOf({ layer, prompt, token }) {
    const place = orderOf(prompt).indexOf(token);
    const { partner } = all.layers[layer];
    return prompt === 0 ? [place, partner.indexOf(place)] : [partner[place], place];
  }

  function numbersOf(layer, at, h) {
    const { read } = all;
    const found = read.map(({ layers: found }) => found[layer]);
    const asker = read.map(({ prompt }) => quoted(prompt.at(-1)));
    const token = quoted(read[0].prompt[at[0]]);
    const vectors = {
      [`query of ${asker[0] === asker[1] ? asker[0] : asker.join(", ")}`]: ["query", found.map(({ query }) => query[h])],
      [`key of ${token}`]: ["key", found.map(({ key }, prompt) => key[h][at[prompt]])],
      [`weight of ${token}`]: ["weight", found.map(({ weights }, prompt) => [weights[h][at[prompt]]])],
      [`value of ${token}`]: ["value", found.map(({ value }, prompt) => value[h][at[prompt]])],
      "sum of weight × value": ["sum", found.map(({ sum }) => sum[h])],
    };
    const seen = found.map(({ seen: sets }, prompt) => sets[at[prompt]].join(" "));
    const entries = (name, which, vector) => vector.slice(0, MOST_ENTRIES).flatMap((x, i) => [make("span",
      { "data-name": `${which}-${name}`, "data-row": 0, "data-col": i, "data-value": String(x) }, formatNumber(x, 3)), " "]);
    const line = (tag, text, ...cells) => make("tr", {}, make(tag, { scope: "row" }, text), ...cells.map((cell) => make("td", {}, ...cell)));
    return make("table", {}, make("caption", {}, `Layer ${layer + 1}, head ${h + 1}, ${token}`),
      make("tbody", {}, line("th", "prompt", ...read.map(({ prompt }) => [prompt.join(" ")])),
        line("th", `${token} has seen`, ...seen.map((set) => [set])),
        ...Object.entries(vectors).map(([text, [name, pair]]) => line("th", text,
          ...pair.map((vector, prompt) => [...entries(name, PROMPTS[prompt], vector), vector.length > MOST_ENTRIES ? "…" : ""])))));
  }

  // All columns are one tab stop; arrow keys go through both prompts and all layers.
  let stop = [0, 0, 0]; // layer, prompt, place
  columnOf(...stop).tabIndex = 0;
  inside.addEventListener("focusin", (event) => {
    const layer = layers.findIndex(({ root }) => root.contains(event.target));
    layers[layer].columns.forEach((line, prompt) => line.forEach(({ root }, place) => {
      if (root === event.target) setStop([layer, prompt, place]);
    }));
  });
  inside.addEventListener("keydown", (event) => {
    const [layer, prompt, place] = stop;
    const across = prompt * n + place;
    const moves = { ArrowLeft: [layer, across - 1], ArrowRight: [layer, across + 1], ArrowUp: [layer - 1, across], ArrowDown: [layer + 1, across] };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    const [toLayer, to] = moves[event.key];
    if (toLayer < 0 || toLayer >= shell.state().depth || to < 0 || to >= 2 * n) return;
    columnOf(toLayer, Math.floor(to / n), to % n).focus();
  });

  function setStop(next) {
    columnOf(...stop).tabIndex = -1;
    stop = next;
    columnOf(...stop).tabIndex = 0;
  }

  // A token's chip and columns glide from where they were.
  function glide() {
    const orders = PROMPTS.map((_, prompt) => orderOf(prompt));
    if (before && !still.matches) {
      orders.forEach((order, prompt) => order.forEach((token, place) => {
        const by = before[prompt].indexOf(token) - place;
        if (by === 0) return;
        const parts = [rows[prompt].slots[place], ...layers.slice(0, shell.state().depth).map(({ columns }) => columns[prompt][place].root)];
        for (const part of parts) part.animate({ transform: [`translateX(${100 * by}%)`, "none"] }, { duration: 220, easing: "ease-out" });
      }));
    }
    before = orders;
  }

  function drawLayer(layer, state, look) {
    const { words, change, signs, columns } = layers[layer];
    const found = all.layers[layer];
    const pair = all.read.map(({ layers: read }) => read[layer]);
    const h = state.head - 1;
    write(words, layerWords(all, layer));
    words.classList.toggle("is-different", found.differing.length > 0);
    write(change, `largest difference ${formatChange(found.change)}`);
    change.dataset.value = String(found.change);
    for (const [name, node] of Object.entries(signs)) {
      if (!ROWS[name]) continue;
      const differs = Math.max(...[found[name]].flat()) > ROUNDING;
      write(node, differs ? "≠" : "=");
      node.classList.toggle("is-different", differs);
    }
    const largest = Math.max(...pair.flatMap(({ query, key, value, sum }) => [query[h], key[h], value[h], sum[h]].map((m) => magnitude([m]))));
    const strongest = Math.max(...pair.flatMap(({ weights }) => weights[h]));
    const colours = (vector) => vector.map((x) => colourOf(x / largest, look.dark));
    pair.forEach((reading, prompt) => {
      columns[prompt].forEach((column, place) => {
        const [mine, other] = prompt === 0 ? [found.partner.indexOf(place), found.partner.indexOf(place)] : [place, found.partner[place]];
        const token = all.read[prompt].prompt[place];
        const weight = reading.weights[h][place];
        const { root, strips, number, bar, letter } = column;
        paintStrip(strips.seen, pipColours(reading.seen[place], given, look));
        paintStrip(strips.key, colours(reading.key[h][place]));
        paintStrip(strips.value, colours(reading.value[h][place]));
        strips.key.classList.toggle("is-different", found.key[mine] > ROUNDING);
        strips.value.classList.toggle("is-different", found.value[mine] > ROUNDING);
        if (place === n - 1) {
          for (const name of ["query", "sum"]) {
            paintStrip(strips[name], colours(reading[name][h]));
            strips[name].classList.toggle("is-different", found[name] > ROUNDING);
          }
        }
        paintBar(bar, weight / strongest, pair[1 - prompt].weights[h][other] / strongest, look.tints[token], { upright: true, reversed: true });
        writeNumber(number, weight);
        write(letter, token);
        label(root, `“${token}” in the ${PROMPTS[prompt]} prompt, layer ${layer + 1}: weight ${formatNumber(weight)}, has seen ${reading.seen[place].join(" ")}`);
      });
    });
  }

  function draw(state, dark) {
    all = calculate(readers.map((readFor) => readFor(state)));
    const look = { dark, tints: Object.fromEntries(tokens.map((token) => [token, tintOf(token, given, dark)])) };
    rows.forEach((row, prompt) => row.update(all.read[prompt].prompt, vocabulary[all.written[prompt]], look.tints));
    layers.forEach(({ root }, layer) => {
      root.hidden = layer >= state.depth;
      if (!root.hidden) drawLayer(layer, state, look);
    });
    next.update(all, dark);
    depth.set(state.depth);
    mask.set(state.mask);
    prefix.set(state.n_prefix);
    prefix.root.hidden = state.mask !== "prefix";
    position.set(state.position);
    head.set(state.head);
    presets.clean.disabled = exchanged(state.first_order, tokens, { clean: true }) === null;
    presets.other.disabled = exchanged(state.first_order, tokens, { clean: false }) === null;
    const told = all.distance > ROUNDING;
    sign.textContent = told ? "≠" : "=";
    word.textContent = wordOf(all.distance);
    distance.textContent = all.distance === 0 ? "0, exactly" : formatChange(all.distance);
    distance.dataset.value = String(all.distance);
    verdict.classList.toggle("is-different", told);
    if (stop[0] >= state.depth) setStop([state.depth - 1, stop[1], stop[2]]);
    drawChosen();
    glide();
    shell.summary(summarise(state, all, given));
  }

  const end = followState(shell, draw);
  return () => {
    end();
    shell.close();
  };
}

export default { render };
