// The attention of a whole model: all heads as a grid, one head as a matrix, one token as lines.

import { button, checkbox, figureShell, followState, followWidth, formatNumber, isDark, make, select, slider, uniqueId } from "./kit.js";
import { colourLegend, colourScale } from "./heat_map.js";
import { headStore, inflate, visibleShares } from "./attention_map_data.js";
import { gridView, linesView, matrixView, spell } from "./attention_map_views.js";

const CHOICES = {
  view: ["grid", "matrix", "lines"],
  combine: ["none", "mean", "max"],
  scale: ["head", "row", "one"],
  order: ["model", "look back"],
};

// ------------------------------------------------------------------------------------------------- the state

function checksFor({ shape: [nLayers, nHeads, nQuery, nKey], aligned }) {
  const isIndex = (n) => (i) => Number.isInteger(i) && i >= 0 && i < n;
  const isRange = (first, count, n) => Number.isInteger(first) && Number.isInteger(count) && first >= 0 && count >= 1 && first + count <= n;
  const isOneOf = (name) => (value) => CHOICES[name].includes(value);
  return {
    view: isOneOf("view"),
    layer: isIndex(nLayers),
    head: isIndex(nHeads),
    query: isIndex(nQuery),
    key: isIndex(nKey),
    combine: isOneOf("combine"),
    threshold: (x) => typeof x === "number" && x >= 0 && x <= 1,
    triangle: (on) => typeof on === "boolean" && (aligned || !on),
    scale: isOneOf("scale"),
    order: (order) => isOneOf("order")(order) && (aligned || order === "model"),
    window: (w) => Array.isArray(w) && (w.length === 0 ||
      (w.length === 4 && isRange(w[0], w[2], nQuery) && isRange(w[1], w[3], nKey))),
  };
}

// ------------------------------------------------------------------------------------------------- the words

const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;

// As summary in attention_map.py; without a head (it is not on this page), without the sentence on its row.
export function summarise(state, data, tokens, keyTokens, head) {
  const { shape: [nLayers, nHeads, nQuery, nKey], aligned, look_back, later, odd_rows: odd } = data;
  const { layer, head: h, combine, query } = state;
  const chosen = {
    none: `Layer ${layer}, head ${h}`,
    mean: `Average of the ${nHeads} heads of layer ${layer}`,
    max: `Largest of the ${nHeads} heads of layer ${layer}, cell by cell`,
  }[combine];
  const sentences = [`${chosen}: ${count(nQuery, "query", "queries")}, ${count(nKey, "key", "keys")}.`];
  if (combine === "none" && aligned) {
    const far = look_back[layer][h];
    const distance = formatNumber(Math.abs(far));
    const looks = Number(distance) ? `looks ${far > 0 ? "back" : "ahead"} ${distance} tokens` : "looks neither back nor ahead";
    const share = later[layer][h] ? `${formatNumber(100 * later[layer][h], 1)} %` : "none";
    sentences.push(`It ${looks} on average; ${share} of its weight is on later tokens.`);
  }
  if (head) {
    const row = head.values.subarray(query * nKey, (query + 1) * nKey);
    const most = row.reduce((best, x, key) => (x > row[best] ? key : best), 0);
    const target = `most to “${spell(keyTokens[most])}” (key ${most}): ${formatNumber(row[most], 3)}`;
    sentences.push(`“${spell(tokens[query])}” (query ${query}) attends ${row[most] > 0 ? target : "to nothing"}.`);
  } else {
    sentences.push("Its numbers are not on this page.");
  }
  const oddRows = odd.flat().reduce((sum, n) => sum + n, 0);
  if (oddRows) {
    const here = combine === "none" ? `, ${odd[layer][h]} of them here` : "";
    sentences.push(`Of all ${nLayers * nHeads * nQuery} rows, ${oddRows} do not sum to 1${here}.`);
  }
  return sentences.join(" ");
}

const PRECISION = {
  8: "Weights are kept to 8 bits: within 0.2 % of the largest in their row.",
  16: "Weights are kept to 16 bits: within 0.0008 % of the largest in their row.",
};

// ------------------------------------------------------------------------------------------------- the figure

function radios({ label, options, onInput }) {
  const name = uniqueId("inorder-view");
  const inputs = options.map(([value]) => make("input", { type: "radio", name, value, onchange: () => onInput(value) }));
  const labels = options.map(([, text], i) => make("label", {}, inputs[i], text));
  const set = (value) => inputs.forEach((input) => {
    input.checked = input.value === value;
  });
  return { root: make("div", { class: "inorder-choice", role: "radiogroup", "aria-label": label }, ...labels), set };
}

function render({ model, el, page }) {
  const data = model.get("data");
  const { shape: [nLayers, nHeads, nQuery, nKey], aligned } = data;
  const [tokens, keyTokens] = [model.get("tokens"), model.get("key_tokens")];
  const checks = checksFor(data);
  const agree = (state) => Object.entries(checks).every(([name, check]) => check(state[name]));
  const shell = figureShell({ model, el, page, checks, agree });
  const store = headStore({ model, hasKernel: !page, onArrival: () => redraw() });
  let thumbnails = null;
  let now = null; // what is drawn
  let shaded = { key: "", shares: null, largest: 1 };

  // controls
  const choose = (parts) => {
    const state = shell.state();
    const changed = Object.entries(parts).filter(([name, value]) => JSON.stringify(state[name]) !== JSON.stringify(value));
    if (changed.length) shell.change(Object.fromEntries(changed));
  };
  const view = radios({ label: "View", options: [["grid", "All heads"], ["matrix", "Matrix"], ["lines", "Lines"]],
    onInput: (value) => choose({ view: value }) });
  const numbers = (n) => Array.from({ length: n }, (_, i) => [String(i), String(i)]);
  const layer = select({ label: "Layer", options: numbers(nLayers), onInput: (value) => choose({ layer: Number(value) }) });
  const head = select({ label: "Head", options: [...numbers(nHeads), ["mean", "average of all"], ["max", "largest of all"]],
    onInput: (value) => choose(checks.combine(value) ? { combine: value } : { combine: "none", head: Number(value) }) });
  const scale = select({ label: "Full colour", onInput: (value) => choose({ scale: value }),
    options: [["head", "largest of the head"], ["row", "largest of the row"], ["one", "weight 1"]] });
  const order = select({ label: "Order", onInput: (value) => choose({ order: value }),
    options: [["model", "as in the model"], ["look back", "how far back they look"]] });
  for (const [name, control] of Object.entries({ Layer: layer, Head: head, "Full colour": scale, Order: order })) {
    control.input.setAttribute("aria-label", name);
  }
  const threshold = slider({ label: "Blank below", min: 0, max: 1, step: 0.01,
    onInput: (value) => choose({ threshold: Math.min(Math.max(value, 0), 1) }) });
  const triangle = checkbox({ label: "Causal triangle", onInput: (on) => choose({ triangle: on }) });
  const zooms = [["Zoom in", "+", 2], ["Zoom out", "−", 0.5], ["Show all", "Show all", 0]].map(([label, text, factor]) =>
    button({ label, text, onClick: () => matrix.zoom(factor) }));
  const zoom = make("span", { class: "inorder-zoom" }, ...zooms);
  triangle.root.hidden = !aligned;
  shell.controls.append(view.root, layer.root, head.root, order.root, scale.root, threshold.root, triangle.root, zoom);

  // the stage
  const actions = { choose, point: (query, key) => read(query, key), open: () => choose({ view: "matrix" }) };
  const [grid, matrix, lines] = [gridView(actions), matrixView(actions), linesView(actions)];
  const views = { grid, matrix, lines };
  const readout = make("p", { class: "inorder-readout" });
  const legend = colourLegend();
  const words = make("p", { class: "inorder-precision" });
  const below = make("div", { class: "inorder-below" }, legend.root, words);
  shell.stage.append(grid.root, matrix.root, lines.root, readout, below);

  // The weight under the mouse; without one, the one that is chosen.
  function read(query, key) {
    const { state } = now;
    const [q, k] = query == null ? [state.query, state.key] : [query, key];
    const x = now.head?.values[q * nKey + k];
    const number = make("b", { "data-name": "weight", "data-row": q, "data-col": k, "data-value": String(x) });
    number.textContent = x === undefined ? "not on this page" : formatNumber(x, 4);
    const isLater = aligned && k > now.ahead + q;
    const sum = now.head?.sums && Math.abs(now.head.sums[q] - 1) > data.tolerance
      ? `; its row sums to ${formatNumber(now.head.sums[q], 3)}, not to 1` : "";
    const parts = [`Query ${q} “`, make("bdi", {}, spell(tokens[q])), `” → key ${k} “`, make("bdi", {}, spell(keyTokens[k])), "”: ", number];
    readout.replaceChildren(...parts, `${isLater ? ", a later token" : ""}${sum}`);
  }

  function draw(state, dark) {
    const name = state.combine === "none" ? String(state.head) : state.combine;
    const { head: found, is } = store.get(state.layer, name);
    if (is === "unpacking" && state.view !== "grid" && now?.state.view === state.view) return; // it takes milliseconds
    const key = JSON.stringify([state.layer, name, state.threshold, state.triangle, state.scale]);
    const ahead = aligned ? nKey - nQuery : 0;
    if (found && key !== shaded.key) shaded = { key, ...visibleShares(found, nQuery, nKey, state, ahead) };
    const { shares, largest } = found ? shaded : { shares: null, largest: null };
    now = { state, dark, data, tokens, keyTokens, ahead, thumbnails, head: found, shares, width: shell.stage.clientWidth || 640 };

    view.set(state.view);
    layer.set(state.layer);
    head.set(name);
    order.set(state.order);
    scale.set(state.scale);
    threshold.set(state.threshold);
    triangle.set(state.triangle);
    order.root.hidden = state.view !== "grid" || !aligned;
    zoom.hidden = state.view !== "matrix";
    for (const [which, { root }] of Object.entries(views)) root.hidden = which !== state.view;
    views[state.view].draw(now);
    [zooms[1].disabled, zooms[2].disabled] = [matrix.isWhole(), matrix.isWhole()];
    readout.hidden = state.view === "grid";
    read(null);

    const top = { head: state.view === "grid" ? "largest of the head" : largest === null ? "largest" : formatNumber(largest, 3),
      row: "largest of the row", one: "1" }[state.scale];
    legend.set({ scale: colourScale({ kind: "sequential", largest: 1, dark }), words: ["0", top], missing: state.triangle && state.view !== "lines" ? "later token" : "" });
    words.textContent = `${PRECISION[data.bits]} ${noteOn(is, state)}`;
    if (is !== "unpacking") shell.summary(summarise(state, data, tokens, keyTokens, found));
  }

  function noteOn(is, { view: which, combine }) {
    if (which === "grid") {
      const { rows, columns } = data.thumbnails;
      return rows < nQuery || columns < nKey ? `A small map is ${rows} × ${columns} blocks, each the largest weight in it.` : "";
    }
    const instead = combine === "none" && which === "matrix" ? "In its place: the largest weight of each block." : "";
    if (is === "missing") return `This page keeps ${Object.keys(data.heads).length} of the ${nLayers * nHeads} heads, not this one; with a kernel, it would be fetched. ${instead}`;
    if (is === "asked") return `Fetching this head from the kernel. ${instead}`;
    return which === "lines" ? "In the background, the 4,000 strongest lines at most." : "";
  }

  const redraw = () => agree(shell.state()) && draw(shell.state(), isDark());
  const stop = followState(shell, draw);
  inflate(data.thumbnails.pictures).then((bytes) => {
    thumbnails = new Uint8Array(bytes);
    redraw();
  });
  const stopWidth = followWidth(shell, draw);
  return () => {
    stop();
    stopWidth();
    store.close();
    shell.close();
  };
}

export default { render };
