// Drag tokens: rows and columns of the weights are permuted, and the outputs travel with their tokens; or they do not.

import {
  ROUNDING, button, causalMask, checkbox, divergingColour, figureShell, followState, followWidth, formatDifference,
  formatNumber, isText, make, moveWithin, select, sequentialColour, shorten, uniqueId, variable, write,
} from "./kit.js";
import { movingMap } from "./moving_map.js";
import { tokenColour, tokenThreads } from "./token_threads.js";
import { encode, permute, permuteMask, prefixMask } from "./transformer.js";

const FEWEST_TOKENS = 3;
const LONGEST_TOKEN = 20;
const MOST_ENTRIES = 8; // of the pooled output, shown as numbers

// ------------------------------------------------------------------------------------------------- the state

// transformer: { config, parameters, schemes: { name: { scheme, tables } }, most_tokens }, from Python, never changed
const checksFor = ({ config, parameters, schemes, most_tokens }) => {
  const isCount = (low, high) => (n) => Number.isInteger(n) && low <= n && n <= high;
  const listOf = (isOne) => (list) => Array.isArray(list) && list.every(isOne);
  return {
    tokens: listOf((token) => isText(token, LONGEST_TOKEN)),
    ids: listOf(isCount(0, config.vocabulary_size - 1)),
    order: (order) => Array.isArray(order) && [...order].sort((a, b) => a - b).every((place, i) => place === i),
    position: (name) => typeof name === "string" && Object.hasOwn(schemes, name),
    mask: (mask) => ["none", "causal", "prefix"].includes(mask),
    n_prefix: isCount(1, most_tokens),
    mask_moves: (moves) => typeof moves === "boolean",
    depth: isCount(1, parameters.blocks.length),
    residual: (on) => typeof on === "boolean",
    layer: isCount(1, parameters.blocks.length),
    head: isCount(1, config.n_heads),
  };
};

const agreeFor = ({ most_tokens }) => ({ tokens, ids, order }) =>
  FEWEST_TOKENS <= tokens.length && tokens.length <= most_tokens &&
  ids.length === tokens.length && order.length === tokens.length;

const inOrder = (order) => order.every((token, place) => token === place);

// -------------------------------------------------------------------------------------------- the arithmetic

function maskOf({ tokens, mask, n_prefix }) {
  if (mask === "none") return null;
  return mask === "causal" ? causalMask(tokens.length) : prefixMask(tokens.length, Math.min(n_prefix, tokens.length));
}

function modelOf({ position, depth, residual }, { config, parameters, schemes }) {
  const { scheme, tables } = schemes[position];
  const weight = residual ? config.residual || 1 : 0;
  return [{ ...parameters, position: tables }, { ...config, scheme, n_layers: depth, residual: weight }];
}

const largestEntry = (matrix) => matrix.flat().reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
const largestChange = (a, b) => largestEntry(a.map((row, i) => row.map((x, j) => x - b[i][j])));
const meanRow = (x) => x[0].map((_, j) => x.reduce((sum, row) => sum + row[j], 0) / x.length);

// What the model makes of the tokens as given: the same for every order, so it is computed once and remembered.
function rememberGiven(transformer) {
  let [key, given] = ["", null];
  return (state) => {
    const { ids, position, mask, n_prefix, depth, residual } = state;
    const asked = JSON.stringify([ids, position, mask, n_prefix, depth, residual]);
    if (asked !== key) {
      const positions = [...ids.keys()];
      [key, given] = [asked, encode(ids, ...modelOf(state, transformer), { positions, mask: maskOf(state) })];
    }
    return given;
  };
}

// Everything in order of places: place i of the shuffled sequence holds token order[i].
function calculate(state, transformer, given) {
  const { ids, order, mask_moves } = state;
  const mask = maskOf(state);
  const newMask = mask && mask_moves ? permuteMask(mask, order) : mask;
  const positions = [...ids.keys()];
  const anew = encode(permute(ids, order), ...modelOf(state, transformer), { positions, mask: newMask });
  const shown = ({ layers }) => layers[Math.min(state.layer, state.depth) - 1].weights[state.head - 1];
  const weights = shown(given); // (n, n), like the next two
  const movedWeights = permuteMask(weights, order);
  const newWeights = shown(anew);
  const output = given.hidden; // (n, d_model), like the next two
  const movedOutput = permute(output, order);
  const newOutput = anew.hidden;
  const pooled = [meanRow(output), meanRow(newOutput)]; // (2, d_model)
  return {
    mask, newMask, weights, movedWeights, newWeights, output, movedOutput, newOutput, pooled,
    weightsChange: largestChange(newWeights, movedWeights),
    error: largestChange(newOutput, movedOutput) / largestEntry(output),
    pooledError: largestChange([pooled[1]], [pooled[0]]) / largestEntry([pooled[0]]),
  };
}

// ------------------------------------------------------------------------------------------------- the words

function whatBroke({ position, mask, mask_moves }) {
  const reasons = [];
  if (position !== "none") reasons.push(`the positions (${position}) stay where they are`);
  if (mask !== "none" && !mask_moves) reasons.push(`the ${mask} mask stays where it is`);
  return reasons.join(", and ");
}

function lawOf({ mask, mask_moves }, holds) {
  const sign = holds ? "=" : "≠";
  if (mask === "none") return `f(PX) ${sign} P f(X)`;
  return mask_moves ? `f(PX; PMPᵀ) ${sign} P f(X; M)` : `f(PX; M) ${sign} P f(X; M)`;
}

function whatHappened(state, { error, pooledError }) {
  if (inOrder(state.order)) return "Nothing has moved yet.";
  if (error > ROUNDING) return `The model noticed: ${whatBroke(state)}.`;
  const pooled = pooledError > ROUNDING ? "changed" : "stayed";
  return `Each output moved with its token, and their mean ${pooled}.`;
}

function summarise(state, all) {
  const { tokens, order, position, mask, mask_moves, n_prefix, depth, residual } = state;
  const masking = mask === "prefix" ? `prefix of ${n_prefix}` : mask;
  const moving = mask !== "none" && mask_moves ? ", moved along" : "";
  const setting = `Positions: ${position}; mask: ${masking}${moving}; depth ${depth}; residual ${residual ? "on" : "off"}.`;
  const size = all.error > ROUNDING ? `an error of ${formatDifference(all.error)}` : "no error but rounding";
  const reading = `“${tokens.join(" ")}” read as “${permute(tokens, order).join(" ")}”`;
  return `${setting} ${reading}: ${lawOf(state, all.error <= ROUNDING)}, with ${size}. ${whatHappened(state, all)}`;
}

// ------------------------------------------------------------------------------------------------- the figure

function render({ model, el, page }) {
  const transformer = model.get("transformer");
  const { config, parameters, schemes, most_tokens } = transformer;
  const shell = figureShell({ model, el, page, checks: checksFor(transformer), agree: agreeFor(transformer) });
  const givenFor = rememberGiven(transformer);
  const hintId = uniqueId("inorder-hint");
  const BREAKS = /[\s\p{Cc}]+/u;
  let all = null; // what was computed for the state on the page
  let cursor = null; // { kind: "weights" | "output", row, column }: tokens, or a token and an entry
  let pointed = null; // the token under the pointer or with the focus

  // controls
  const words = () => sentence.value.split(BREAKS).filter(Boolean);
  const sentence = make("input", { type: "text", autocomplete: "off", spellcheck: "false", dir: "auto",
    oninput: () => shell.notify(rewrite(words())),
    onchange: () => {
      sentence.value = shell.state().tokens.join(" ");
      shell.notify("");
    } });

  // A word that stays keeps its vector; a new word takes the first that is free.
  function rewrite(tokens) {
    const isCounted = FEWEST_TOKENS <= tokens.length && tokens.length <= most_tokens;
    if (!isCounted || !tokens.every((token) => isText(token, LONGEST_TOKEN))) {
      return `A sentence here has ${FEWEST_TOKENS} to ${most_tokens} words, each of up to ${LONGEST_TOKEN} letters.`;
    }
    const { tokens: old, ids: oldIds, order } = shell.state();
    const known = new Map(old.map((token, i) => [token, oldIds[i]]).filter(([token]) => tokens.includes(token)));
    const free = [...Array(config.vocabulary_size).keys()].filter((id) => ![...known.values()].includes(id));
    for (const token of new Set(tokens)) if (!known.has(token)) known.set(token, free.shift());
    if ([...known.values()].includes(undefined)) return `This model knows ${config.vocabulary_size} different words.`;
    const kept = order.filter((token) => token < tokens.length);
    const added = [...tokens.keys()].slice(kept.length);
    const ids = tokens.map((token, i) => (token === old[i] ? oldIds[i] : known.get(token)));
    shell.change({ tokens, ids, order: [...kept, ...added] });
    return "";
  }

  const numbers = (n) => Array.from({ length: n }, (_, i) => [String(i + 1), String(i + 1)]);
  function choose(name, label, options, { read = (value) => value, spoken = label } = {}) {
    const control = select({ label, options, onInput: (value) => shell.change({ [name]: read(value) }) });
    control.input.setAttribute("aria-label", spoken);
    return control;
  }
  const position = choose("position", "Positions", Object.keys(schemes).map((name) => [name, name]));
  const mask = choose("mask", "Mask", [["none", "none"], ["causal", "causal"], ["prefix", "prefix"]]);
  const prefix = choose("n_prefix", "of", numbers(most_tokens), { read: Number, spoken: "Length of the prefix" });
  const depth = choose("depth", "Depth", numbers(parameters.blocks.length), { read: Number });
  const layer = choose("layer", "Layer", numbers(parameters.blocks.length), { read: Number });
  const head = choose("head", "head", numbers(config.n_heads), { read: Number });
  const maskMoves = checkbox({ label: "the mask moves along", onInput: (on) => shell.change({ mask_moves: on }) });
  const residual = checkbox({ label: "Residual", onInput: (on) => shell.change({ residual: on }) });
  const masks = make("span", { class: "inorder-together" }, mask.root, prefix.root, maskMoves.root);
  shell.controls.append(make("label", { class: "inorder-sentence" }, "Sentence", sentence),
    position.root, depth.root, residual.root, masks);

  // the tokens
  const row = tokenThreads({
    hintId,
    orderNow: () => shell.state().order,
    onMove: (from, to) => shell.change({ order: moveWithin(shell.state().order, from, to) }),
    onPoint: (token) => {
      pointed = token;
      row.follow(shell.state().order);
    },
    onFrame: drawMaps,
  });
  const hint = make("span", { class: "inorder-hint", id: hintId }, "Drag a token, or choose one and press ← or →.");
  const shuffle = button({ label: "Shuffle", onClick: () => shell.change({ order: otherOrder(shell.state().order) }) });
  const putBack = () => shell.change({ order: [...shell.state().order.keys()] });
  const back = button({ label: "Back in order", onClick: putBack });
  const tools = make("div", { class: "inorder-tools", "data-picture": "skip" }, hint, shuffle, back);

  function otherOrder(order) {
    for (;;) {
      const other = order.map((token) => [Math.random(), token]).sort(([a], [b]) => a - b).map(([, token]) => token);
      if (other.some((token, place) => token !== order[place])) return other;
    }
  }

  // the maps
  const maps = {};
  const signs = {};
  function makeMap(name, kind, formula, wordsBelow, focusable = false) {
    const tokenAt = (place) => (isGiven(name) ? place : shell.state().order[place]);
    const onPoint = (cell) => {
      const [row, column] = cell ?? [];
      show(cell && { kind, row: tokenAt(row), column: kind === "weights" ? tokenAt(column) : column });
    };
    maps[name] = { kind, ...movingMap({ focusable, onPoint, onLeave: () => show(null) }) };
    return make("div", { class: "inorder-panel" }, make("div", { class: "inorder-equation" }, ...formula),
      make("div", { class: "inorder-panel-words" }, wordsBelow), maps[name].canvas);
  }
  const isGiven = (name) => name === "weights" || name === "output";

  function makeSign(name, words) {
    const sign = make("span", { class: "inorder-sign" });
    const size = make("span", { class: "inorder-sign-size", "data-name": name });
    signs[name] = { sign, size };
    return make("div", { class: "inorder-comparison" }, sign, make("span", { class: "inorder-sign-words" }, words), size);
  }
  const arrow = () => make("div", { class: "inorder-arrow", "aria-hidden": "true" }, variable("P"), make("span", {}, "→"));
  const [A, X, P] = ["A", "X", "P"].map((letter) => () => variable(letter));
  const transposed = () => variable("P", { sup: "⊤" });
  const f = () => variable("f");
  const which = make("span", { class: "inorder-which" });
  const group = (name, ...parts) =>
    make("div", { class: "inorder-group" }, make("div", { class: "inorder-group-name" }, ...name), ...parts);
  const three = (...parts) => make("div", { class: "inorder-three" }, ...parts);

  const law = make("strong", { class: "inorder-law" });
  const errorText = make("span", { class: "inorder-error", "data-name": "error" });
  const happened = make("span", {});
  const definition = make("span", { class: "inorder-measure" }, "error = max |f(PX) − P f(X)| / max |f(X)|");
  const verdict = make("p", { class: "inorder-verdict" }, law, errorText, happened, definition);

  const chooseMap = make("span", { class: "inorder-together", "data-picture": "skip" }, layer.root, head.root);
  const weightsGroup = group([make("span", {}, "Attention weights", which), chooseMap],
    three(
      makeMap("weights", "weights", [A()], "as given"),
      arrow(),
      makeMap("movedWeights", "weights", [P(), A(), transposed()], "moved both ways"),
      makeSign("weights_change", "off by"),
      makeMap("newWeights", "weights", [A(), " of ", P(), X()], "computed anew", true)));
  const outputGroup = group(["Outputs", make("span", { class: "inorder-which" }, ": orange below zero, blue above")],
    three(
      makeMap("output", "output", [f(), "(", X(), ")"], "as given"),
      arrow(),
      makeMap("movedOutput", "output", [P(), " ", f(), "(", X(), ")"], "rows moved"),
      makeSign("output_error", "error"),
      makeMap("newOutput", "output", [f(), "(", P(), X(), ")"], "computed anew", true)));

  const nEntries = Math.min(config.d_model, MOST_ENTRIES);
  const strips = ["as given", "as moved"].map((words, row) => {
    const cells = Array.from({ length: nEntries }, (_, column) =>
      make("li", { class: "inorder-entry", "data-name": "pooled", "data-row": row, "data-col": column }));
    const list = make("ol", { class: "inorder-entries", "aria-label": `Mean of the outputs, ${words}` }, ...cells);
    const name = make("span", { class: "inorder-strip-name" }, words);
    return { root: make("div", { class: "inorder-strip" }, name, list), cells };
  });
  const rest = config.d_model > nEntries ? `, the first ${nEntries} of ${config.d_model} entries` : "";
  const pooledGroup = group(["Pooled: the mean of the outputs", make("span", { class: "inorder-which" }, rest)],
    make("div", { class: "inorder-pooled" },
      make("div", {}, ...strips.map(({ root }) => root)), makeSign("pooled_error", "error")));

  const readout = make("p", { class: "inorder-readout" });
  shell.stage.append(row.root, tools, verdict, weightsGroup, outputGroup, readout, pooledGroup);

  // reading one cell
  function show(next) {
    cursor = next;
    drawReadout();
    row.follow(shell.state().order);
  }

  function drawReadout() {
    const { tokens, order } = shell.state();
    if (!cursor || cursor.row >= tokens.length) cursor = null;
    if (!cursor) {
      const marked = " A marked corner: the number computed anew is not the one that was moved.";
      write(readout, `Point at a cell to read its number, and what became of it.${all.error > ROUNDING ? marked : ""}`);
      return;
    }
    const { kind, row, column } = cursor;
    const place = (token) => order.indexOf(token);
    const [to, across] = [place(row), kind === "weights" ? place(column) : column];
    const [given, moved, anew] = kind === "weights"
      ? [all.weights, all.movedWeights, all.newWeights]
      : [all.output, all.movedOutput, all.newOutput];
    const number = (name, value) => make("span", { class: "inorder-number", "data-name": name, "data-row": row,
      "data-col": column, "data-value": String(value) }, formatNumber(value, 3));
    const name = (token) => `“${tokens[token]}” (${token + 1})`;
    const what = kind === "weights" ? `${name(row)} attends to ${name(column)}: ` : `${name(row)}, entry ${column + 1}: `;
    readout.replaceChildren(what, number(kind, given[row][column]), " as given, ",
      number(`moved_${kind}`, moved[to][across]), " moved, ",
      number(`new_${kind}`, anew[to][across]), " computed anew");
  }

  function readByKey({ kind, canvas }) {
    const square = kind === "weights";
    const cellAt = (row, column) => {
      const { order } = shell.state();
      return { kind, row: order[row], column: square ? order[column] : column };
    };
    canvas.addEventListener("focus", () => show(cellAt(0, 0)));
    canvas.addEventListener("blur", () => show(null));
    canvas.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
      if (!Object.hasOwn(steps, event.key)) return;
      event.preventDefault();
      const { order } = shell.state();
      const { row, column } = cursor?.kind === kind ? cursor : cellAt(0, 0);
      const [down, right] = steps[event.key];
      const [toRow, toColumn] = [order.indexOf(row) + down, (square ? order.indexOf(column) : column) + right];
      const nColumns = square ? order.length : config.d_model;
      if (toRow in order && toColumn >= 0 && toColumn < nColumns) show(cellAt(toRow, toColumn));
    });
  }
  readByKey(maps.newWeights);
  readByKey(maps.newOutput);

  // drawing: `look` when the state or the theme changes, `measure` when the size does, `drawMaps` at each frame
  let paint = null;

  function drawMaps(at, held) {
    for (const [name, map] of Object.entries(maps)) {
      const places = isGiven(name) ? at.map((_, token) => token) : at;
      const square = map.kind === "weights";
      const marks = [];
      if (cursor?.kind === map.kind) marks.push({ row: cursor.row, column: cursor.column });
      if (!cursor && pointed !== null && pointed < at.length) {
        marks.push({ row: pointed });
        if (square) marks.push({ column: pointed });
      }
      map.draw(places, isGiven(name) ? null : held, marks, paint);
    }
  }

  function lookAt(state, dark) {
    const { tokens, order } = state;
    const n = tokens.length;
    const place = tokens.map((_, token) => order.indexOf(token));
    const labels = tokens.map((text, token) =>
      ({ number: String(token + 1), text: shorten(text, 7) || "␣", ...tokenColour(token, n, dark) }));
    const strongest = Math.max(largestEntry(all.weights), largestEntry(all.newWeights));
    const largest = Math.max(largestEntry(all.output), largestEntry(all.newOutput));
    const weightColour = (x) => sequentialColour(x / strongest, dark);
    const entryColour = (x) => divergingColour(x / largest, dark);
    // Cells by token: those of a map that was moved are those of the map as given.
    function byToken(values, mask, colour, hasRoom, { at, wanted = null }) {
      const cellOf = (token, column) => {
        const [row, across] = at(token, column);
        const x = values[row][across];
        const hidden = Boolean(mask) && !mask[row][across];
        const differs = Boolean(wanted) && Math.abs(x - wanted[token][column]) > 1e-9;
        return { ...colour(x), text: hasRoom && !hidden ? formatNumber(x) : "", hidden, differs };
      };
      return values.map((_, token) => values[0].map((__, column) => cellOf(token, column)));
    }
    const given = { at: (token, column) => [token, column] };
    const square = { at: (token, column) => [place[token], place[column]], wanted: all.weights };
    const long = { at: (token, column) => [place[token], column], wanted: all.output };
    const [room, wideRoom] = [maps.weights.hasRoom(), maps.output.hasRoom()];
    const weights = byToken(all.weights, all.mask, weightColour, room, given);
    const output = byToken(all.output, null, entryColour, wideRoom, given);
    const cells = {
      weights, movedWeights: weights, newWeights: byToken(all.newWeights, all.newMask, weightColour, room, square),
      output, movedOutput: output, newOutput: byToken(all.newOutput, null, entryColour, wideRoom, long),
    };
    for (const [name, map] of Object.entries(maps)) {
      map.setLook({ labels, columns: map.kind === "weights", cells: cells[name] });
      const reading = (isGiven(name) ? tokens : permute(tokens, order)).join(", ");
      map.canvas.setAttribute("aria-label", `${LABELS[name]}; rows: ${reading}`);
    }
    return { labels, strongest };
  }

  let measured = ""; // the width and shape that the sizes were worked out for
  function measure(n) {
    const room = shell.stage.clientWidth || 640; // 0 while the page hides the figure
    const key = `${room} ${n} ${devicePixelRatio}`;
    if (key === measured) return;
    measured = key;
    const narrow = room < 560;
    const width = Math.floor(narrow ? (room - 44) / 2 : (room - 24 - 60) / 3);
    const [label, badgeSize] = narrow ? [16, 13] : [64, 14];
    const cell = Math.min(30, (width - label) / n);
    for (const map of Object.values(maps)) {
      const square = map.kind === "weights";
      const columns = square ? n : config.d_model;
      const cellWidth = square ? cell : Math.min(30, (width - label) / columns);
      const top = square ? 16 : 0;
      const [mapWidth, height] = [label + columns * cellWidth, top + n * cell];
      map.measure({ width: mapWidth, height, label, head: top, badge: badgeSize, cellWidth, cellHeight: cell });
    }
    shell.stage.style.setProperty("--panel", `${width}px`);
    shell.stage.style.setProperty("--label", `${label}px`);
    row.measure(n);
  }

  function draw(state, dark) {
    all = calculate(state, transformer, givenFor(state));
    const { tokens: texts, order } = state;
    measure(texts.length);
    const style = getComputedStyle(shell.root);
    const colour = (name) => style.getPropertyValue(name).trim();
    paint = { ink: colour("--ink"), muted: colour("--muted"), line: colour("--line"), font: style.fontFamily };
    const { labels, strongest } = lookAt(state, dark);

    row.update({ tokens: texts, order, labels });

    if (words().join(" ") !== texts.join(" ").split(BREAKS).filter(Boolean).join(" ")) sentence.value = texts.join(" ");
    position.set(state.position);
    mask.set(state.mask);
    prefix.set(state.n_prefix);
    prefix.root.hidden = state.mask !== "prefix";
    maskMoves.set(state.mask_moves);
    maskMoves.root.hidden = state.mask === "none";
    depth.set(state.depth);
    residual.set(state.residual);
    layer.set(Math.min(state.layer, state.depth));
    [...layer.input.options].forEach((option, i) => {
      option.hidden = i >= state.depth;
    });
    head.set(state.head);
    back.disabled = inOrder(order);
    const shownLayer = Math.min(state.layer, state.depth);
    write(which, `, layer ${shownLayer}, head ${state.head}: full colour is ${formatNumber(strongest)}`);

    const holds = all.error <= ROUNDING;
    write(law, lawOf(state, holds));
    write(errorText, `error ${formatDifference(all.error)}`);
    errorText.dataset.value = String(all.error);
    write(happened, whatHappened(state, all));
    verdict.classList.toggle("is-broken", !holds);
    compare("weights_change", all.weightsChange);
    compare("output_error", all.error);
    compare("pooled_error", all.pooledError);
    const largestPooled = largestEntry(all.pooled);
    strips.forEach(({ cells }, row) => cells.forEach((cell, column) => {
      const value = all.pooled[row][column];
      const { fill, ink } = divergingColour(value / largestPooled, dark);
      write(cell, formatNumber(value));
      cell.dataset.value = String(value);
      cell.style.backgroundColor = fill;
      cell.style.color = ink;
    }));
    drawReadout();
    shell.summary(summarise(state, all));
    row.follow(order);
  }

  function compare(name, change) {
    const { sign, size } = signs[name];
    write(sign, change > ROUNDING ? "≠" : "=");
    sign.classList.toggle("is-broken", change > ROUNDING);
    write(size, formatDifference(change));
    size.dataset.value = String(change);
  }

  const stop = followState(shell, draw);
  const stopWidth = followWidth(shell, draw);
  return () => {
    stop();
    stopWidth();
    row.stop();
    shell.close();
  };
}

const LABELS = {
  weights: "Heat map of the weights A as given",
  movedWeights: "Heat map of P A P transposed: the rows and columns of A moved",
  newWeights: "Heat map of the weights computed anew for the tokens as you moved them; arrow keys read a cell",
  output: "Heat map of the outputs as given",
  movedOutput: "Heat map of the outputs, their rows moved",
  newOutput: "Heat map of the outputs computed anew for the tokens as you moved them; arrow keys read a cell",
};

export default { render };
