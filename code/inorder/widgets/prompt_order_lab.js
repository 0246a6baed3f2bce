// Two prompts made of the same tokens: what the last query finds in each layer, and which token each prompt writes.

import {
  ROUNDING, button, figureShell, followState, formatDifference, make, moveWithin, select,
} from "./kit.js";
import { MANY, PROMPTS, choice, layerBlock, nextTokens, numbersTable, promptRow, quoted, tintOf } from "./prompt_order_parts.js";
import { calculate, rememberPrompt } from "./prompt_order_reading.js";

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

// ------------------------------------------------------------------------------------------------- the words

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
    ? `different (total variation distance ${formatDifference(all.distance)})` : "equal up to rounding";
  const after = one === other ? `after both: ${one}` : `${one} after the first prompt, ${other} after the second`;
  return `${setting}. ${first} against ${second}: the next-token distributions are ${told}. ${reasonOf(state, all, given)} Next token ${after}.`;
}

function layerWords({ layers, parted, same }, layer) {
  const { differing } = layers[layer];
  if (differing.length === 0) return same ? "the same in both prompts" : "the same set in another order";
  const here = layer + 1 === parted ? "here the prompts part: " : "";
  return `${here}${listed(differing)} differ${listed(differing) === "query" ? "s" : ""}`;
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
    shell.change({ [`${which}_order`]: moveWithin(shell.state()[`${which}_order`], from, to) })));
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
      make("span", {}, "Order each prompt: drag its tokens, or choose one and press ← or →."),
      make("span", {}, "The second prompt from the first:", ...Object.values(presets))),
    make("div", { class: "inorder-lab-pair inorder-lab-prompts" }, make("span", {}), rows[0].root,
      make("span", { class: "inorder-lab-against" }, "against"), rows[1].root),
    verdict,
    make("p", { class: "inorder-lab-legend" },
      "Each column is a token as the last query finds it: the tokens it has seen so far, its key, the weight it gets, its value. ",
      "The line in a bar is the weight of the same token in the other prompt; a thick frame marks what is different there. ",
      "Press a column for its numbers."),
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
    reader.replaceChildren(numbersTable(all, { layer: chosen.layer, h: shell.state().head - 1, at }));
  }

  // The places of the chosen token: in the first prompt, in the second.
  function placesOf({ layer, prompt, token }) {
    const place = orderOf(prompt).indexOf(token);
    const { partner } = all.layers[layer];
    return prompt === 0 ? [place, partner.indexOf(place)] : [partner[place], place];
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

  function draw(state, dark) {
    all = calculate(readers.map((readFor) => readFor(state)));
    const look = { dark, tints: Object.fromEntries(tokens.map((token) => [token, tintOf(token, given, dark)])) };
    rows.forEach((row, prompt) => row.update(all.read[prompt].prompt, vocabulary[all.written[prompt]], look.tints));
    layers.forEach(({ root, update }, layer) => {
      root.hidden = layer >= state.depth;
      if (!root.hidden) update(all, { heading: layerWords(all, layer), h: state.head - 1, given, look });
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
    distance.textContent = all.distance === 0 ? "0, exactly" : formatDifference(all.distance);
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
