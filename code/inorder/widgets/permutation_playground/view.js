// Drag words, and see whether each takes its row of the output along.

import { moveWithin } from "../kit/arithmetic.js";
import { divergingColour } from "../kit/colour.js";
import { button, select, toggle, wordsBox } from "../kit/controls.js";
import { isFolded, make, write } from "../kit/elements.js";
import { answersOfPython } from "../kit/in_python.js";
import { figureShell } from "../kit/shell.js";
import { formatNumber } from "../kit/words.js";
import { calculate, inOrder, largestEntry, noteOf, rememberGiven, summarise } from "./arithmetic.js";
import { crossingRows } from "./crossing_rows.js";
import { comparison, weightsPanel } from "./weights.js";

/** @typedef {import("./arithmetic.js").Read} Read */

/** @typedef {{ asked: unknown[], given: Read, moved: Read }} InPython */

/** @typedef {{ transformer: TransformerState, sentences: PermutationPlaygroundSentences, in_python: InPython }} Sent */

/** @typedef {Shell<State, Sent>} Frame */

/** @typedef {PermutationPlaygroundState} State */

const MOST_ENTRIES = 8; // of the mean, in sight

/** @type {(order: number[]) => number[]} */
function otherOrder(order) {
  for (;;) {
    const other = order
      .map((token) => ({ token, key: Math.random() }))
      .sort((a, b) => a.key - b.key)
      .map(({ token }) => token);
    if (other.some((token, place) => token !== order[place])) return other;
  }
}

// Positions: a switch, and, once it is on, which ones. Where a model must have positions, or has none, there is nothing
// to switch.
/**
 * @type {(options: { options: string[], schemes: TransformerState["schemes"], onInput: (position: string) =>
 *   void }) => { roots: HTMLElement[], set: (position: string) => void }}
 */
function positionControls({ options, schemes, onInput }) {
  const named = options.filter((name) => name !== "none");
  let last = named[0];
  const isSwitch = named.length > 0 && options.includes("none");
  const turn = toggle({
    label: "Give it the positions",
    actor: "position",
    onInput: (on) => onInput(on ? last : "none"),
  });
  const how = select({ label: "Scheme", options: named.map((name) => [name, schemes[name].label]), onInput });
  turn.root.hidden = !isSwitch;
  /** @type {(position: string) => void} */
  function set(position) {
    if (position !== "none") last = position;
    turn.set(position !== "none");
    how.set(last);
    how.root.hidden = position === "none" || named.length < 2;
  }
  return { roots: [turn.root, how.root], set };
}

// Another sentence: a word that stays keeps its vector; a new word takes the first that is free.
/**
 * @type {(options: { limits: Frame["limits"], nWords: number, stateNow: Frame["state"], onChange: Frame["change"],
 *   notify: Frame["notify"] }) => { root: HTMLElement, set: (tokens: string[]) => void }}
 */
function sentenceBox({ limits, nWords, stateNow, onChange, notify }) {
  const box = wordsBox({
    label: "Sentence",
    limits: limits.tokens,
    claim: "A sentence here has",
    words: () => stateNow().tokens,
    notify,
    onInput: rewrite,
  });

  /** @type {(tokens: string[]) => string} */
  function rewrite(tokens) {
    const { tokens: old, ids: oldIds, order } = stateNow();
    /** @type {Map<string, number | undefined>} */
    const known = new Map();
    old.forEach((token, i) => {
      if (tokens.includes(token)) known.set(token, oldIds[i]);
    });
    const taken = new Set(known.values());
    const free = Array.from({ length: nWords }, (_, id) => id).filter((id) => !taken.has(id));
    for (const token of new Set(tokens)) if (!known.has(token)) known.set(token, free.shift());
    if ([...known.values()].includes(undefined)) return `This model knows ${nWords} different words.`;
    const remaining = order.filter((token) => token < tokens.length);
    const added = [...tokens.keys()].slice(remaining.length);
    const ids = tokens.map((token, i) => (token === old[i] ? oldIds[i] : /** @type {number} */ (known.get(token))));
    onChange({ tokens, ids, order: [...remaining, ...added] });
    return "";
  }

  return { root: make("label", { class: "inorder-sentence" }, "Sentence", box.root), set: box.set };
}

// Depth, mask, residual.
/**
 * @type {(options: { limits: Frame["limits"], onChange: Frame["change"] }) => { root: HTMLElement,
 *   set: (state: State) => void }}
 */
function modelControls({ limits, onChange }) {
  /** @type {(limit: Ends) => [string, string][]} */
  const numbers = ({ low, high }) =>
    Array.from({ length: high - low + 1 }, (_, i) => [String(low + i), String(low + i)]);
  const names = { none: "none", causal: "causal", prefix: "prefix" };
  const depth = select({
    label: "Depth",
    options: numbers(limits.depth),
    onInput: (n) => onChange({ depth: Number(n) }),
  });
  const residual = toggle({ label: "Residual", onInput: (on) => onChange({ residual: on }) });
  const masks = /** @type {State["mask"][]} */ (limits.mask.options).map(
    (name) => /** @type {[State["mask"], string]} */ ([name, names[name]]),
  );
  const mask = select({ label: "Mask", options: masks, onInput: (name) => onChange({ mask: name }) });
  const lengths = numbers({ low: limits.n_prefix.low, high: Math.min(limits.n_prefix.high, limits.tokens.most) });
  const prefix = select({
    label: "Prefix length",
    options: lengths,
    onInput: (n) => onChange({ n_prefix: Number(n) }),
  });
  const moves = toggle({ label: "Mask moves with the words", onInput: (on) => onChange({ mask_moves: on }) });
  const root = make(
    "div",
    { class: "inorder-settings" },
    depth.root,
    residual.root,
    mask.root,
    prefix.root,
    moves.root,
  );
  /** @type {(state: State) => void} */
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
/**
 * @type {(dModel: number) => { root: HTMLElement, update: (all: ReturnType<typeof calculate>, dark: boolean) =>
 *   void }}
 */
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
    make(
      "p",
      { class: "inorder-full" },
      `${rest}The error is max |f(PX) − P f(X)| / max |f(X)|, and likewise for the mean.`,
    ),
  );
  /** @type {(all: ReturnType<typeof calculate>, dark: boolean) => void} */
  function update(all, dark) {
    pooled.update(all.pooledError);
    rows.update(all.error);
    if (isFolded(root)) return;
    const largest = largestEntry(all.pooled);
    strips.forEach(({ cells }, row) =>
      cells.forEach((cell, column) => {
        const value = all.pooled[row][column];
        const { fill, ink } = divergingColour(value / largest, dark);
        write(/** @type {Node} */ (cell.firstChild), formatNumber(value));
        cell.dataset.value = String(value);
        cell.style.backgroundColor = fill;
        cell.style.color = ink;
      }),
    );
  }
  return { root, update };
}

/** @type {(context: Context<State, Sent>) => () => void} */
function render({ model, el, page }) {
  const [transformer, sentences] = [model.get("transformer"), model.get("sentences")];
  const { config, schemes } = transformer;
  const shell = figureShell({ model, el, page });
  const { limits, change, state: stateNow } = shell;
  const givenFor = rememberGiven(transformer);
  const python = answersOfPython({ newest: () => model.get("in_python"), page, notify: shell.notify, schemes });

  const shuffle = button({ label: "Shuffle", onClick: () => change({ order: otherOrder(stateNow().order) }) });
  const back = button({ label: "Back in order", onClick: () => change({ order: [...stateNow().order.keys()] }) });
  const onInput = (/** @type {string} */ position) => change({ position });
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

  /** @type {(state: State, dark: boolean) => void} */
  function draw(state, dark) {
    positions.set(state.position);
    settings.set(state);
    sentence.set(state.tokens);
    back.disabled = inOrder(state.order);
    const { ids, order, position, mask, n_prefix, mask_moves, depth, residual } = state;
    const answer = python.answer(position, [ids, order, position, mask, n_prefix, mask_moves, depth, residual]);
    if (answer === undefined) return;
    const all = calculate(state, transformer, answer?.given ?? givenFor(state), answer?.moved);
    rows.update(state, all, dark);
    weights.update(state, all, dark);
    mean.update(all, dark);
    const sign = all.changed.flat().some(Boolean) ? "≠" : "=";
    shell.answer(summarise(sentences, state, all, transformer), { sign, note: noteOf(sentences, state, all) });
  }
  shell.follow(draw, ["in_python"]);
  shell.whenClosed(rows.stop);
  shell.whenClosed(python.close);
  return shell.close;
}

export default { render };
