// The parts of PromptOrderLab's page: a prompt whose tokens can be moved, a layer's columns, the next tokens.

import {
  ROUNDING, blend, button, divergingColour, formatDifference, formatNumber, make, uniqueId, write,
} from "./kit.js";
import { magnitude } from "./prompt_order_reading.js";

const MOST_SHOWN = 8; // tokens of a larger vocabulary that get a bar: the most likely ones
const MOST_ENTRIES = 16; // of a vector, shown as numbers
const BAR = { upright: 120, lying: 300 }; // pixels of the longest bar, in its canvas
const ROWS = { seen: "has seen", query: "query", key: "keys", weights: "weights", letter: "", number: "", value: "values", sum: "sum" };
export const MANY = 6; // tokens from which on everything is drawn closer
export const PROMPTS = ["first", "second"];

export const quoted = (text) => `“${text}”`;

// ------------------------------------------------------------------------------------------------ the colours

// Of the tokens, in the order of the vocabulary; none is the orange or the blue of the numbers.
const TINTS = {
  light: [[184, 74, 95], [51, 34, 136], [143, 119, 0], [17, 119, 51], [42, 134, 184], [136, 34, 85], [38, 133, 119], [170, 68, 153]],
  dark: [[228, 140, 155], [156, 147, 240], [217, 200, 96], [88, 184, 120], [136, 204, 238], [214, 110, 150], [92, 196, 178], [210, 130, 198]],
};

function barColours(tint, dark) {
  const none = dark ? [20, 24, 29] : [255, 255, 255];
  return { bar: blend(none, tint, 0.8).fill, pale: blend(none, tint, 0.22).fill, line: dark ? "#e8eaed" : "#1b1f24" };
}

const WEIGHT = { light: [106, 79, 179], dark: [170, 146, 240] };
const UNSEEN = { light: "#d0d7de", dark: "#3c434c" };

export function tintOf(token, { tokens, vocabulary }, dark) {
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
function paintBar(canvas, share, other, { bar, pale, line }, { upright = false, reversed = false } = {}) {
  const longest = upright ? BAR.upright : BAR.lying;
  const [mine, level] = [Math.round(share * longest), Math.round(other * longest)];
  const fills = [[0, level, pale], [0, mine, bar], [Math.max(level - 3, 0), level, line]];
  const turned = reversed ? fills.map(([from, to, colour]) => [longest - to, longest - from, colour]) : fills;
  paint(canvas, `${mine} ${level} ${bar}`, longest, turned, { upright });
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

function writeNumber(node, x) {
  write(node, formatNumber(x));
  node.dataset.value = String(x);
}

function label(node, text) {
  if (node.getAttribute("aria-label") !== text) node.setAttribute("aria-label", text);
}

// Radio buttons side by side.
export function choice({ label, options, onInput }) {
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
export function promptRow(which, n, onMove) {
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
  let grip = null; // while a token is dragged: where the places begin on the screen, and how wide they are
  let shown = null; // what was drawn last
  const looks = []; // of each chip, its token and colour

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
    if (held === place && !grip) return;
    held = place;
    if (shown) update(...shown);
  }

  row.addEventListener("pointerdown", (event) => {
    const chip = event.target.closest(".inorder-lab-chip");
    if (!chip || event.button !== 0) return;
    grip = { left: row.getBoundingClientRect().left + slots[0].offsetLeft, width: slots[0].offsetWidth };
    row.setPointerCapture(event.pointerId);
    chip.focus({ preventScroll: true });
    hold(Number(chip.dataset.place));
  });
  row.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const to = Math.floor((event.clientX - grip.left) / grip.width);
    if (move(held, Math.min(Math.max(to, 0), n - 1))) chips[held].focus({ preventScroll: true });
  });
  for (const end of ["pointerup", "pointercancel"]) {
    row.addEventListener(end, () => {
      grip = null;
      if (shown) update(...shown);
    });
  }

  function update(prompt, next, tints) {
    shown = [prompt, next, tints];
    chips.forEach((chip, place) => {
      chip.classList.toggle("is-held", place === held);
      chip.classList.toggle("is-dragged", grip !== null && place === held);
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

// The names of the rows of a layer. Those of the second, between the prompts, carry `signs`: = or ≠.
function rowNames(which) {
  const signs = {};
  const lines = Object.entries(ROWS).map(([name, text]) => {
    if (which === "first" || !text) return make("span", {}, text);
    signs[name] = make("strong", { "data-sign": name });
    return make("span", {}, text, " ", signs[name]);
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
export function layerBlock(layer, n, onChoose) {
  const words = make("span", { class: "inorder-lab-words" });
  const change = make("span", { class: "inorder-lab-change", "data-name": "changes", "data-row": layer, "data-col": 0 });
  const names = PROMPTS.map(rowNames);
  const { signs } = names[1];
  const columns = PROMPTS.map((which, prompt) => Array.from({ length: n }, (_, place) =>
    tokenColumn(which, layer, place, place === n - 1, () => onChoose(prompt, place))));
  const sides = PROMPTS.map((which, prompt) => make("div", { class: "inorder-lab-side", role: "group",
    "aria-label": `Layer ${layer + 1}, the ${which} prompt` }, ...columns[prompt].map(({ root }) => root)));
  const numbers = make("div", { class: "inorder-lab-numbers" });
  const root = make("div", { class: "inorder-lab-layer" },
    make("div", { class: "inorder-lab-heading" }, make("strong", {}, `Layer ${layer + 1}`), words, change),
    make("div", { class: "inorder-lab-pair" }, names[0].root, sides[0], names[1].root, sides[1]), numbers);

  // all: what was computed; h: the head shown; heading: words about the layer
  function update(all, { heading, h, given, look }) {
    const found = all.layers[layer];
    const pair = all.read.map(({ layers: read }) => read[layer]);
    write(words, heading);
    words.classList.toggle("is-different", found.differing.length > 0);
    write(change, `largest difference ${formatDifference(found.change)}`);
    change.dataset.value = String(found.change);
    for (const [name, node] of Object.entries(signs)) {
      const differs = magnitude([found[name]]) > ROUNDING;
      write(node, differs ? "≠" : "=");
      node.classList.toggle("is-different", differs);
    }
    const largest = magnitude(pair.map(({ query, key, value, sum }) => [query[h], key[h], value[h], sum[h]]));
    const strongest = magnitude(pair.map(({ weights }) => weights[h]));
    pair.forEach((reading, prompt) => columns[prompt].forEach((column, place) => {
      const partner = prompt === 0 ? found.partner.indexOf(place) : found.partner[place];
      const inSecond = prompt === 0 ? partner : place; // where the changes of this token stand
      const token = all.read[prompt].prompt[place];
      const vectors = { key: reading.key[h][place], value: reading.value[h][place] };
      const differs = { key: found.key[inSecond] > ROUNDING, value: found.value[inSecond] > ROUNDING };
      if (place === n - 1) {
        Object.assign(vectors, { query: reading.query[h], sum: reading.sum[h] });
        Object.assign(differs, { query: found.query > ROUNDING, sum: found.sum > ROUNDING });
      }
      paintStrip(column.strips.seen, pipColours(reading.seen[place], given, look));
      for (const [name, vector] of Object.entries(vectors)) {
        paintStrip(column.strips[name], vector.map((x) => colourOf(x / largest, look.dark)));
        column.strips[name].classList.toggle("is-different", differs[name]);
      }
      const weight = reading.weights[h][place];
      const there = pair[1 - prompt].weights[h][partner];
      paintBar(column.bar, weight / strongest, there / strongest, look.tints[token], { upright: true, reversed: true });
      writeNumber(column.number, weight);
      write(column.letter, token);
      label(column.root, `“${token}” in the ${PROMPTS[prompt]} prompt, layer ${layer + 1}: ` +
        `weight ${formatNumber(weight)}, has seen ${reading.seen[place].join(" ")}`);
    }));
  }

  return { root, columns, numbers, update };
}

// The numbers of one token in one head: query, key, weight, value and sum. at: its places in the two prompts.
export function numbersTable({ read }, { layer, h, at }) {
  const found = read.map(({ layers }) => layers[layer]);
  const asker = read.map(({ prompt }) => quoted(prompt.at(-1)));
  const token = quoted(read[0].prompt[at[0]]);
  const vectors = {
    [`query of ${asker[0] === asker[1] ? asker[0] : asker.join(", ")}`]: ["query", found.map(({ query }) => query[h])],
    [`key of ${token}`]: ["key", found.map(({ key }, prompt) => key[h][at[prompt]])],
    [`weight of ${token}`]: ["weight", found.map(({ weights }, prompt) => [weights[h][at[prompt]]])],
    [`value of ${token}`]: ["value", found.map(({ value }, prompt) => value[h][at[prompt]])],
    "sum of weight × value": ["sum", found.map(({ sum }) => sum[h])],
  };
  const entries = (name, which, vector) => vector.slice(0, MOST_ENTRIES).flatMap((x, i) => [make("span",
    { "data-name": `${which}-${name}`, "data-row": 0, "data-col": i, "data-value": String(x) }, formatNumber(x, 3)), " "]);
  const line = (text, ...cells) =>
    make("tr", {}, make("th", { scope: "row" }, text), ...cells.map((cell) => make("td", {}, ...cell)));
  return make("table", {}, make("caption", {}, `Layer ${layer + 1}, head ${h + 1}, ${token}`),
    make("tbody", {}, line("prompt", ...read.map(({ prompt }) => [prompt.join(" ")])),
      line(`${token} has seen`, ...found.map(({ seen }, prompt) => [seen[at[prompt]].join(" ")])),
      ...Object.entries(vectors).map(([text, [name, pair]]) => line(text,
        ...pair.map((vector, prompt) => [...entries(name, PROMPTS[prompt], vector), vector.length > MOST_ENTRIES ? "…" : ""])))));
}

// The distributions, back to back.
export function nextTokens(vocabulary) {
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
