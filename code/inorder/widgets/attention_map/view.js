// The attention of a whole model: all heads as a grid, and one of them as lines or a matrix.

import { make } from "../kit/elements.js";
import { colourScale } from "../kit/heat_map.js";
import { button, numberSelect, radios, select, slider, toggle } from "../kit/inputs.js";
import { colourLegend } from "../kit/legend.js";
import { figureShell } from "../kit/shell.js";
import { render as draw, html, nothing } from "../kit/vendor/lit.js";
import { fill, formatNumber } from "../kit/words.js";
import { headStore, inflate, visibleShares } from "./data.js";
import { gridView, layersView } from "./grid.js";
import { linesView } from "./lines.js";
import { matrixView } from "./matrix.js";
import { spell } from "./words.js";

/** @typedef {{ data: Data, tokens: string[], key_tokens: string[], sentences: Sentences }} Sent */

/** @typedef {AttentionMapSentences} Sentences */

/** @typedef {import("./data.js").Head} Head */

/** @typedef {import("./data.js").Data} Data */

/** @typedef {AttentionMapState} State */

// Later tokens only where queries and keys are tokens of one text, and a window inside the matrix.
/** @type {(data: Data) => (state: State) => boolean} */
const agreeWith =
  ({ shape: [, , nQuery, nKey], aligned }) =>
  ({ triangle, order, window: w }) => {
    const isInside = (/** @type {number} */ first, /** @type {number} */ count, /** @type {number} */ n) =>
      count >= 1 && first + count <= n;
    const isWindow = w.length === 0 || (w.length === 4 && isInside(w[0], w[2], nQuery) && isInside(w[1], w[3], nKey));
    return isWindow && (aligned || (!triangle && order === "model"));
  };

// ------------------------------------------------------------------------------------------------- the words

// `head` is null where it is not on this page.
/**
 * @type {(sentences: Sentences, state: State, data: Data, tokens: string[], keyTokens: string[],
 *   head: Head | null) => string}
 */
function summarise(
  { nothing, most: sentence },
  { query, layer, head: h, combine },
  { shape: [, , , nKey] },
  tokens,
  keyTokens,
  head,
) {
  if (!head) {
    const what = { none: `layer ${layer}, head ${h}`, mean: `the average of layer ${layer}`, max: `layer ${layer}` };
    return `The numbers for ${what[combine]} are not on this page.`;
  }
  const row = head.values.subarray(query * nKey, (query + 1) * nKey);
  const most = row.reduce((best, x, key) => (x > row[best] ? key : best), 0);
  const asks = { token: spell(tokens[query]), query };
  if (!(row[most] > 0)) return fill(nothing, asks);
  const weight = formatNumber(row[most], 3);
  return fill(sentence, { ...asks, weight, key_token: spell(keyTokens[most]), key: most });
}

/** @type {(sentences: Sentences, state: State, data: Data) => string} */
function noteOf(
  sentences,
  { layer, head, combine },
  { shape: [nLayers, nHeads, nQuery], aligned, look_back, later, odd_rows: odd },
) {
  const chosen =
    combine === "none" ? fill(sentences.head, { layer, head }) : fill(sentences[combine], { layer, n_heads: nHeads });
  let sentence = fill(sentences.chosen, { chosen });
  if (combine === "none" && aligned) {
    const far = look_back[layer][head];
    const distance = formatNumber(Math.abs(far));
    const where = far > 0 ? sentences.back : sentences.ahead;
    const looks = Number(distance) ? fill(where, { distance }) : sentences.neither;
    const share = later[layer][head] ? `${formatNumber(100 * later[layer][head], 1)}%` : "none";
    sentence = fill(sentences.looks, { chosen, looks, share });
  }
  const parts = { rows: nLayers * nHeads * nQuery, odd: odd.flat().reduce((sum, n) => sum + n, 0) };
  if (!parts.odd) return sentence;
  if (combine !== "none") return `${sentence} ${fill(sentences.odd_rows, parts)}`;
  return `${sentence} ${fill(sentences.odd_rows_here, { ...parts, here: odd[layer][head] })}`;
}

const PRECISION = {
  8: "Weights are kept to 8 bits: within 0.2% of the largest in their row.",
  16: "Weights are kept to 16 bits: within 0.0008% of the largest in their row.",
};

// ---------------------------------------------------------------------------------------------- its parts

/** @type {(shell: Shell<State, Sent>, data: Data, choose: (parts: Partial<State>) => void, zoom: (factor: number) => void) => (state: State, isWhole: boolean) => unknown} what is chosen */
function choices(shell, { shape: [nLayers, nHeads] }, choose, zoom) {
  const views = radios();
  /** @type {[string, string][]} */
  const heads = Array.from({ length: nHeads }, (_, i) => [String(i), String(i)]);
  /** @type {(value: string) => value is State["combine"]} */
  const isCombined = (value) => shell.limits.combine.options.includes(value);
  return ({ view, layer, head, combine }, isWhole) => html`
    ${views({
      label: "Show as",
      value: view,
      options: [
        ["lines", "Lines"],
        ["matrix", "Matrix"],
      ],
      onInput: (value) => choose({ view: value }),
    })}
    ${numberSelect({ label: "Layer", value: layer, low: 0, high: nLayers - 1, onInput: (value) => choose({ layer: value }) })}
    ${select({
      label: "Head",
      value: combine === "none" ? String(head) : combine,
      options: [...heads, ["mean", "average of all"], ["max", "largest of all"]],
      onInput: (value) => choose(isCombined(value) ? { combine: value } : { combine: "none", head: Number(value) }),
    })}
    <span class="inorder-zoom" ?hidden=${view !== "matrix"}>
      ${button({ label: "Zoom in", text: "+", onClick: () => zoom(2) })}
      ${button({ label: "Zoom out", text: "−", isDisabled: isWhole, onClick: () => zoom(0.5) })}
      ${button({ label: "Show all", isDisabled: isWhole, onClick: () => zoom(0) })}
    </span>`;
}

/** @type {(data: Data, choose: (parts: Partial<State>) => void) => (state: State, dark: boolean, full: number | null) => unknown} what full colour is, what stays blank, and the legend */
function colouring(data, choose) {
  const scales = radios();
  const legend = colourLegend();
  const { rows, columns } = data.thumbnails;
  const isSmall = rows < data.shape[2] || columns < data.shape[3];
  const blocks = isSmall ? ` A small map is ${rows} × ${columns} blocks, each the largest weight in it.` : "";
  const words = `${PRECISION[data.bits]}${blocks} Full colour is at least twice an equal share. Only the 4,000 strongest background lines are drawn.`;
  return ({ scale, threshold, triangle }, dark, full) => {
    const head = full === null ? "largest" : formatNumber(full, 3);
    const top = { head, row: "largest of the row", one: "1" }[scale];
    const missing = triangle ? "later token" : "";
    legend.set({ scale: colourScale({ kind: "sequential", largest: 1, dark }), words: ["0", top], missing });
    return html`<div class="inorder-colouring">
      ${scales({
        label: "Full colour",
        value: scale,
        options: [
          ["head", "largest of the head"],
          ["row", "largest of the row"],
          ["one", "weight 1"],
        ],
        onInput: (value) => choose({ scale: value }),
      })}
      ${slider({
        label: "Blank below",
        value: threshold,
        low: 0,
        high: 1,
        onInput: (value) => choose({ threshold: Math.min(Math.max(value, 0), 1) }),
      })}
      ${data.aligned ? toggle({ label: "Hatch later tokens", value: triangle, onInput: (on) => choose({ triangle: on }) }) : nothing}
      ${legend.root}<p class="inorder-precision">${words}</p></div>`;
  };
}

/** @type {(now: import("./data.js").Now, query?: number, key?: number) => unknown} the weight under the mouse; without one, that which is chosen */
function readout({ state, data, head, ahead, tokens, keyTokens }, query = state.query, key = state.key) {
  const x = head?.values[query * data.shape[3] + key];
  const sum = head?.sums?.[query] ?? 1;
  const isOdd = Math.abs(sum - 1) > data.tolerance;
  const number = html`<b data-name="weight" data-row=${query} data-col=${key} data-value=${String(x)}>${x === undefined ? "not on this page" : formatNumber(x, 4)}</b>`;
  return html`Query ${query} “<bdi>${spell(tokens[query])}</bdi>” → key ${key} “<bdi>${spell(keyTokens[key])}</bdi>”: ${number}${
    data.aligned && key > ahead + query ? ", a later token" : ""
  }${isOdd ? `; its row sums to ${formatNumber(sum, 3)}, not to 1` : ""}`;
}

// ------------------------------------------------------------------------------------------------- the figure

/** @type {(context: Context<State, Sent>) => () => void} */
function render({ model, el, page }) {
  const data = model.get("data");
  const {
    shape: [nLayers, nHeads, nQuery, nKey],
    aligned,
  } = data;
  const [tokens, keyTokens, sentences] = [model.get("tokens"), model.get("key_tokens"), model.get("sentences")];
  const shell = figureShell({ model, el, page, agree: agreeWith(data) });
  // Unpacked while the page is laid out. The small maps and the first head come at about the same time: drawn together.
  const pictures = inflate(data.thumbnails.pictures);
  let isComing = true;
  const store = headStore({ model, hasKernel: !page, onArrival: () => isComing || redraw() });
  const nameOf = (/** @type {State} */ { combine, head }) => (combine === "none" ? String(head) : combine);
  store.get(shell.state().layer, nameOf(shell.state()));
  const isAlone = nLayers * nHeads === 1;
  const ahead = aligned ? nKey - nQuery : 0;
  /** @type {Uint8Array | null} */
  let thumbnails = null;
  let now = /** @type {import("./data.js").Now} */ ({}); // what is drawn
  /** @type {{ key: string, shares: Float32Array | null, full: number | null }} */
  let shaded = { key: "", shares: null, full: null };

  /** @type {(parts: Partial<State>) => void} */
  const choose = (parts) => {
    const state = shell.state();
    const changed = Object.entries(parts).filter(
      ([name, value]) => JSON.stringify(Reflect.get(state, name)) !== JSON.stringify(value),
    );
    if (changed.length) shell.change(Object.fromEntries(changed));
  };
  const reading = make("p", { class: "inorder-readout" });
  /** @type {import("./data.js").Actions["point"]} */
  const point = (query, key) => draw(readout(now, query ?? undefined, key ?? undefined), reading);
  const actions = { choose, point, open: () => choose({ view: "matrix" }) };
  const [grid, inLayers] = [gridView(actions), layersView(actions)];
  const [matrix, lines] = [matrixView(actions), linesView(actions)];
  const views = { matrix, lines };

  const chosen = choices(shell, data, choose, (factor) => matrix.zoom(factor));
  const colours = colouring(data, choose);
  const orders = radios();
  shell.root.classList.toggle("is-alone", isAlone);
  draw(
    html`${isAlone ? nothing : grid.root}<div class="inorder-picture">${matrix.root}${lines.root}</div>
      <div class="inorder-words-of-it">${shell.answerBox}${reading}</div>`,
    shell.stage,
  );
  const [orderBox, colourBox] = [make("div", {}), make("div", {})];
  if (aligned && !isAlone) shell.fold("Order the heads by what they do", orderBox);
  shell.fold("Colour scale and masking", colourBox);
  if (nLayers > 1) shell.fold("This head in every layer", inLayers.root).ontoggle = () => inLayers.paintAll();

  /** @type {(state: State, dark: boolean) => void} */
  function drawState(state, dark) {
    const name = nameOf(state);
    const { head, is } = store.get(state.layer, name);
    if (is === "unpacking" && now.state?.view === state.view) {
      if (!isAlone) grid.draw({ ...now, state });
      return; // the rest follows in milliseconds
    }
    const key = JSON.stringify([state.layer, name, state.threshold, state.triangle, state.scale]);
    if (head && key !== shaded.key) shaded = { key, ...visibleShares(head, nQuery, nKey, state, ahead) };
    const { shares, full } = head ? shaded : { shares: null, full: null };
    const em = Number.parseFloat(getComputedStyle(shell.root).fontSize);
    now = { state, dark, em, data, tokens, keyTokens, ahead, thumbnails, head, shares };

    for (const [which, { root }] of Object.entries(views)) root.hidden = which !== state.view;
    if (!isAlone) grid.draw(now);
    views[state.view].draw(now);
    if (nLayers > 1) inLayers.draw(now);
    draw(chosen(state, matrix.isWhole()), shell.controls);
    draw(colours(state, dark, full), colourBox);
    draw(readout(now), reading);
    draw(
      orders({
        label: "Layout of the heads",
        value: state.order,
        options: [
          ["model", "as in the model"],
          ["look back", "by how far back they look"],
        ],
        onInput: (value) => choose({ order: value }),
      }),
      orderBox,
    );
    if (is === "unpacking") return;
    const words = {
      missing: `This page keeps ${Object.keys(data.heads).length} of the ${nLayers * nHeads} heads, but not this one; a running kernel would fetch it.`,
      asked: "Fetching this head from the kernel.",
      here: "",
    };
    const where = words[is];
    const instead =
      where && state.combine === "none" && state.view === "matrix"
        ? " Shown instead: the largest weight in each block."
        : "";
    const note = noteOf(sentences, state, data);
    shell.answer(summarise(sentences, state, data, tokens, keyTokens, head), {
      note: where ? `${note} ${where}${instead}` : note,
      reading: `${reading.textContent.replace("→", "to")}.`,
    });
  }

  const redraw = shell.follow(drawState);
  const paintForPaper = () => {
    grid.paintAll();
    inLayers.paintAll();
  };
  addEventListener("beforeprint", paintForPaper);
  shell.whenClosed(() => removeEventListener("beforeprint", paintForPaper));
  pictures
    .then(
      (bytes) => {
        thumbnails = new Uint8Array(bytes);
      },
      () => shell.notify("The small maps of the heads could not be read."),
    )
    .then(() => {
      isComing = false;
      redraw();
    });
  shell.whenClosed(() => store.close());
  return shell.close;
}

export default { render };
