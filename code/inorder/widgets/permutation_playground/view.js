// Drag words, and see whether each takes its row of the output along.

import { moveWithin } from "../kit/arithmetic.js";
import { divergingColour } from "../kit/colour.js";
import { button, select, toggle } from "../kit/controls.js";
import { isFolded, make, write } from "../kit/elements.js";
import { BREAKS, fits } from "../kit/limits.js";
import { figureShell } from "../kit/shell.js";
import { formatNumber } from "../kit/words.js";
import { calculate, inOrder, largestEntry, noteOf, rememberGiven, summarise } from "./arithmetic.js";
import { crossingRows } from "./crossing_rows.js";
import { comparison, weightsPanel } from "./weights.js";

const MOST_ENTRIES = 8; // of the mean, in sight

function otherOrder(order) {
  for (;;) {
    const other = order
      .map((token) => [Math.random(), token])
      .sort(([a], [b]) => a - b)
      .map(([, token]) => token);
    if (other.some((token, place) => token !== order[place])) return other;
  }
}

// Positions: a switch, and, once it is on, which ones. Where a model must have positions, or has none, there is nothing
// to switch.
function positionControls({ options, schemes, onInput }) {
  const told = options.filter((name) => name !== "none");
  let last = told[0];
  const isSwitch = told.length > 0 && options.includes("none");
  const turn = toggle({
    label: "Tell it the positions",
    actor: "position",
    onInput: (on) => onInput(on ? last : "none"),
  });
  const how = select({ label: "how", options: told.map((name) => [name, schemes[name].label]), onInput });
  turn.root.hidden = !isSwitch;
  function set(position) {
    if (position !== "none") last = position;
    turn.set(position !== "none");
    how.set(last);
    how.root.hidden = position === "none" || told.length < 2;
  }
  return { roots: [turn.root, how.root], set };
}

// Another sentence: a word that stays keeps its vector; a new word takes the first that is free.
function sentenceBox({ limits, nWords, stateNow, onChange, notify }) {
  const { fewest, most, longest } = limits.tokens;
  const typed = () => box.value.split(BREAKS).filter(Boolean);
  const box = make("input", {
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    dir: "auto",
    oninput: () => notify(rewrite(typed())),
    onchange: () => {
      box.value = stateNow().tokens.join(" ");
      notify("");
    },
  });

  function rewrite(tokens) {
    if (!fits(limits.tokens, tokens)) {
      return `A sentence here has ${fewest} to ${most} words, each of up to ${longest} letters.`;
    }
    const { tokens: old, ids: oldIds, order } = stateNow();
    const known = new Map(old.map((token, i) => [token, oldIds[i]]).filter(([token]) => tokens.includes(token)));
    const taken = new Set(known.values());
    const free = Array.from({ length: nWords }, (_, id) => id).filter((id) => !taken.has(id));
    for (const token of new Set(tokens)) if (!known.has(token)) known.set(token, free.shift());
    if ([...known.values()].includes(undefined)) return `This model knows ${nWords} different words.`;
    const kept = order.filter((token) => token < tokens.length);
    const added = [...tokens.keys()].slice(kept.length);
    const ids = tokens.map((token, i) => (token === old[i] ? oldIds[i] : known.get(token)));
    onChange({ tokens, ids, order: [...kept, ...added] });
    return "";
  }

  function set(tokens) {
    if (typed().join(" ") !== tokens.join(" ").split(BREAKS).filter(Boolean).join(" ")) box.value = tokens.join(" ");
  }
  return { root: make("label", { class: "inorder-sentence" }, "Sentence", box), set };
}

// Depth, mask, residual.
function modelControls({ limits, onChange }) {
  const numbers = ({ low, high }) =>
    Array.from({ length: high - low + 1 }, (_, i) => [String(low + i), String(low + i)]);
  const names = { none: "none", causal: "causal", prefix: "prefix" };
  const depth = select({
    label: "Depth",
    options: numbers(limits.depth),
    onInput: (n) => onChange({ depth: Number(n) }),
  });
  const residual = toggle({ label: "Residual", onInput: (on) => onChange({ residual: on }) });
  const masks = limits.mask.options.map((name) => [name, names[name]]);
  const mask = select({ label: "Mask", options: masks, onInput: (name) => onChange({ mask: name }) });
  const lengths = numbers({ low: limits.n_prefix.low, high: Math.min(limits.n_prefix.high, limits.tokens.most) });
  const prefix = select({
    label: "Length of the prefix",
    options: lengths,
    onInput: (n) => onChange({ n_prefix: Number(n) }),
  });
  const moves = toggle({ label: "the mask moves along", onInput: (on) => onChange({ mask_moves: on }) });
  const root = make(
    "div",
    { class: "inorder-settings" },
    depth.root,
    residual.root,
    mask.root,
    prefix.root,
    moves.root,
  );
  function set(state) {
    depth.set(String(state.depth));
    residual.set(state.residual);
    mask.set(state.mask);
    prefix.set(String(state.n_prefix));
    prefix.root.hidden = state.mask !== "prefix";
    moves.set(state.mask_moves);
    moves.root.hidden = state.mask === "none";
  }
  return { root, set };
}

// The mean of the rows, as given and as moved.
function meanPanel(dModel) {
  const nEntries = Math.min(dModel, MOST_ENTRIES);
  const strips = ["as given", "as moved"].map((words, row) => {
    const cells = Array.from({ length: nEntries }, (_, column) =>
      make("li", { class: "inorder-number", "data-name": "pooled", "data-row": row, "data-col": column }, make("span")),
    );
    const list = make("ol", { "aria-label": `Mean of the rows, ${words}` }, ...cells);
    return { root: make("div", { class: "inorder-strip" }, make("span", {}, words), list), cells };
  });
  const [pooled, rows] = [comparison("pooled_error", "error of the mean"), comparison("error", "error of the rows")];
  const rest = dModel > nEntries ? `The first ${nEntries} of ${dModel} numbers. ` : "";
  const root = make(
    "div",
    { class: "inorder-mean" },
    make("div", {}, ...strips.map((strip) => strip.root)),
    pooled.root,
    rows.root,
    make("p", { class: "inorder-full" }, `${rest}The error is max |f(PX) − P f(X)| / max |f(X)|, as of the mean.`),
  );
  function update(all, dark) {
    pooled.update(all.pooledError);
    rows.update(all.error);
    if (isFolded(root)) return;
    const largest = largestEntry(all.pooled);
    strips.forEach(({ cells }, row) =>
      cells.forEach((cell, column) => {
        const value = all.pooled[row][column];
        const { fill, ink } = divergingColour(value / largest, dark);
        write(cell.firstChild, formatNumber(value));
        cell.dataset.value = String(value);
        cell.style.backgroundColor = fill;
        cell.style.color = ink;
      }),
    );
  }
  return { root, update };
}

function render({ model, el, page }) {
  const transformer = model.get("transformer");
  const { config, schemes } = transformer;
  const shell = figureShell({ model, el, page });
  const { limits, change, state: stateNow } = shell;
  const givenFor = rememberGiven(transformer);

  const shuffle = button({ label: "Shuffle", onClick: () => change({ order: otherOrder(stateNow().order) }) });
  const back = button({ label: "Back in order", onClick: () => change({ order: [...stateNow().order.keys()] }) });
  const onInput = (position) => change({ position });
  const positions = positionControls({ options: limits.position.options, schemes, onInput });
  shell.controls.append(shuffle, back, ...positions.roots);

  const weights = weightsPanel({ limits, stateNow, onChange: change });
  const rows = crossingRows({
    nEntries: config.d_model,
    orderNow: () => stateNow().order,
    onMove: (from, to) => change({ order: moveWithin(stateNow().order, from, to) }),
    onFrame: weights.frame,
  });
  shell.stage.append(rows.root);

  const mean = meanPanel(config.d_model);
  const settings = modelControls({ limits, onChange: change });
  const sentence = sentenceBox({
    limits,
    nWords: config.vocabulary_size,
    stateNow,
    onChange: change,
    notify: shell.notify,
  });
  shell.fold("The weights: A, PAPᵀ, and A of PX", weights.root);
  shell.fold("The mean of the rows", mean.root);
  shell.fold("Another sentence, depth, mask, residual", sentence.root, settings.root);

  shell.follow((state, dark) => {
    const all = calculate(state, transformer, givenFor(state));
    rows.update(state, all, dark);
    weights.update(state, all, dark);
    mean.update(all, dark);
    positions.set(state.position);
    settings.set(state);
    sentence.set(state.tokens);
    back.disabled = inOrder(state.order);
    const sign = all.changed.flat().some(Boolean) ? "≠" : "=";
    shell.answer(summarise(state, all, transformer), { sign, note: noteOf(state, all) });
  });
  shell.whenClosed(rows.stop);
  return shell.close;
}

export default { render };
