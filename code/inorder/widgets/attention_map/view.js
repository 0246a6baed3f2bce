// The attention of a whole model: all heads as a grid, and one of them as lines or a matrix.

import { clamp } from "../kit/arithmetic.js";
import { sequentialColour } from "../kit/colour.js";
import { make } from "../kit/elements.js";
import { colourScale } from "../kit/heat_map.js";
import { button, numberSelect, radios, select, slider, toggle } from "../kit/inputs.js";
import { kept } from "../kit/kept.js";
import { legend } from "../kit/legend.js";
import { mapView } from "../kit/map.js";
import { figureShell } from "../kit/shell.js";
import { render as draw, html, nothing } from "../kit/vendor/lit.js";
import { fill, formatNumber } from "../kit/words.js";
import { headStore, inflate, largestOfBlocks, pictureOfHead, strongestKey, visibleShares } from "./data.js";
import { gridView, layersView } from "./grid.js";
import { linesView } from "./lines.js";
import { spell } from "./words.js";

/** @typedef {{ data: Data, tokens: string[], key_tokens: string[], sentences: Sentences }} Sent */

/** @typedef {AttentionMapSentences} Sentences */

/** @typedef {import("./data.js").Now} Now */

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

/** @type {(sentences: Sentences, now: Now) => string} */
function summarise({ nothing, most }, { state, data, tokens, keyTokens, head }) {
  const { query, layer, combine } = state;
  if (!head) {
    const names = {
      none: `layer ${layer}, head ${state.head}`,
      mean: `the average of layer ${layer}`,
      max: `layer ${layer}`,
    };
    return `The numbers for ${names[combine]} are not on this page.`;
  }
  const key = strongestKey({ data, head }, query);
  const weight = head.values[query * data.shape[3] + key];
  const asks = { token: tokens[query], query };
  if (!(weight > 0)) return fill(nothing, asks);
  return fill(most, { ...asks, weight: formatNumber(weight, 3), key_token: keyTokens[key], key });
}

/** @type {(sentences: Sentences, state: State, data: Data) => string} */
function noteOf(
  sentences,
  { layer, head, combine },
  { shape: [nLayers, nHeads, nQuery], aligned, look_back, later, odd_rows: odd },
) {
  const chosen =
    combine === "none" ? fill(sentences.head, { layer, head }) : fill(sentences[combine], { layer, n_heads: nHeads });
  let sentence = `${chosen}.`;
  if (combine === "none" && aligned) {
    const far = look_back[layer][head];
    const distance = formatNumber(Math.abs(far));
    const where = far > 0 ? sentences.back : sentences.ahead;
    const looks = Number(distance) ? fill(where, { distance }) : sentences.neither;
    const share = later[layer][head] ? `${formatNumber(100 * later[layer][head], 1)}%` : "none";
    sentence = fill(sentences.looks, { chosen, looks, share });
  }
  const parts = { rows: nLayers * nHeads * nQuery, odd: odd.flat().reduce((sum, n) => sum + n, 0) };
  return parts.odd ? `${sentence} ${fill(sentences.odd_rows, parts)}` : sentence;
}

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
  return ({ scale, threshold, triangle }, dark, full) => {
    const head = full === null ? "largest" : formatNumber(full, 3);
    const top = { head, row: "largest of the row", one: "1" }[scale];
    const colours = [0, 1].map((share) => sequentialColour(share, dark).fill);
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
        onInput: (value) => choose({ threshold: clamp(value, 0, 1) }),
      })}
      ${data.aligned ? toggle({ label: "Hatch later tokens", value: triangle, onInput: (on) => choose({ triangle: on }) }) : nothing}
      ${legend(colours, ["0", top], triangle ? "later token" : "")}</div>`;
  };
}

/** @type {(now: Now, at?: Cell) => unknown} the weight under the mouse; without one, that which is chosen */
function readout({ state, data, head, ahead, tokens, keyTokens }, at = { row: state.query, column: state.key }) {
  const { row: query, column: key } = at;
  const x = head?.values[query * data.shape[3] + key];
  const sum = head?.sums?.[query] ?? 1;
  const isOdd = Math.abs(sum - 1) > data.tolerance;
  const number = html`<b data-name="weight" data-row=${query} data-col=${key} data-value=${String(x)}>${x === undefined ? "not on this page" : formatNumber(x, 4)}</b>`;
  return html`Query ${query} “<bdi>${tokens[query]}</bdi>” → key ${key} “<bdi>${keyTokens[key]}</bdi>”: ${number}${
    data.aligned && key > ahead + query ? ", a later token" : ""
  }${isOdd ? `; its row sums to ${formatNumber(sum, 3)}, not to 1` : ""}`;
}

const ROOM = { wide: 18, narrow: 11 }; // em: the height of the matrix, at most

/** @type {(map: ReturnType<typeof mapView>, room: number, now: Now) => void} */
function drawMatrix(map, room, now) {
  const { state, data, dark, em, head, shares, tokens, keyTokens } = now;
  const [, , nRows, nColumns] = data.shape;
  const isNarrow = room < 25 * em;
  const left = (isNarrow ? 4.1 : 6.5) * em;
  const width = Math.floor(Math.min(room - left - 9, nColumns * 3.7 * em));
  const lowest = Math.min(nRows * 1.5, 9) * em;
  const tallest = Math.min((width * nRows) / nColumns, nRows * 2.7 * em);
  const [row, column, inRows, inColumns] = state.window;
  const isPart = shares && state.window.length;
  const combined = state.combine === "none" ? `head ${state.head}` : `${state.combine} of the heads`;
  map.draw({
    cells: { nRows, nColumns },
    table: shares ? { values: shares, nRows, nColumns } : thumbnailOf(now),
    reduce: largestOfBlocks,
    window: isPart ? { row, column, nRows: inRows, nColumns: inColumns } : null,
    scale: colourScale({ kind: "sequential", largest: 1, dark }),
    dark,
    width,
    height: clamp(Math.round(tallest), lowest, ROOM[isNarrow ? "narrow" : "wide"] * em),
    em,
    left,
    chosen: { row: state.query, column: state.key },
    label: `Weights of layer ${state.layer}, ${combined}: arrow keys choose query and key, plus and minus zoom, 0 shows all`,
    numbers: head?.values ?? null,
    rows: tokens,
    columns: keyTokens,
    odd: oddRows(head, data.tolerance),
  });
}

// While the head itself is not here, its small picture.
const thumbnailOf = kept((/** @type {Now} */ now) => {
  const { rows: nRows, columns: nColumns } = now.data.thumbnails;
  const isHere = now.thumbnails && now.state.combine === "none";
  const values = isHere
    ? pictureOfHead(now, now.state.layer, now.state.head)
    : new Float64Array(nRows * nColumns).fill(Number.NaN);
  const largest = values.reduce((most, x) => Math.max(most, x || 0), 0) || 1;
  return { values: values.map((x) => x / largest), nRows, nColumns };
});

const oddRows = kept((/** @type {import("./data.js").Head | null} */ head, /** @type {number} */ tolerance) => {
  const odd = Float32Array.from(head?.sums ?? [], (sum) => Number(Math.abs(sum - 1) > tolerance));
  return odd.includes(1) ? odd : null;
});

// ------------------------------------------------------------------------------------------------- the figure

/** @type {(context: Context<State, Sent>) => () => void} */
function render({ model, el, page }) {
  const data = model.get("data");
  const [nLayers, nHeads, nQuery, nKey] = data.shape;
  const { aligned } = data;
  const [tokens, keyTokens] = [model.get("tokens"), model.get("key_tokens")].map((list) => list.map(spell));
  const sentences = model.get("sentences");
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
  let now = /** @type {Now} */ ({}); // what is drawn

  /** @type {(parts: Partial<State>) => void} */
  const choose = (parts) => {
    const state = shell.state();
    const changed = Object.entries(parts).filter(
      ([name, value]) => JSON.stringify(Reflect.get(state, name)) !== JSON.stringify(value),
    );
    if (changed.length) shell.change(Object.fromEntries(changed));
  };
  const reading = make("p", { class: "inorder-readout" });
  const point = (/** @type {Cell | null} */ cell) => draw(readout(now, cell ?? undefined), reading);
  const actions = { choose, point };
  const [grid, inLayers, lines] = [gridView(actions), layersView(actions), linesView(actions)];
  const map = mapView({
    point,
    choose: ({ row, column }) => choose({ query: row, key: column }),
    show: (view) => choose({ window: view ? [view.row, view.column, view.nRows, view.nColumns] : [] }),
  });
  const picture = make("div", { class: "inorder-picture" });

  const chosen = choices(shell, data, choose, map.zoom);
  const colours = colouring(data, choose);
  const orders = radios();
  shell.root.classList.toggle("is-alone", isAlone);
  draw(
    html`${isAlone ? nothing : grid.root}${picture}<div class="inorder-words-of-it">${shell.answerBox}${reading}</div>`,
    shell.stage,
  );
  const [orderBox, colourBox] = [make("div", {}), make("div", {})];
  if (aligned && !isAlone) shell.fold("Order the heads by what they do", orderBox);
  shell.fold("Colour scale and masking", colourBox);
  if (nLayers > 1) shell.fold("This head in every layer", inLayers.root).ontoggle = () => inLayers.paintAll();

  const shade = kept((/** @type {import("./data.js").Head} */ head, /** @type {Partial<State>} */ _) =>
    visibleShares(head.values, { nRows: nQuery, nColumns: nKey }, { state: shell.state(), data, ahead }),
  );

  /** @type {(state: State, dark: boolean) => void} */
  function drawState(state, dark) {
    const { head, is } = store.get(state.layer, nameOf(state));
    if (is === "unpacking" && now.state?.view === state.view) {
      if (!isAlone) grid.draw({ ...now, state });
      return; // the rest follows in milliseconds
    }
    const { threshold, triangle, scale } = state;
    const { shares, full } = head ? shade(head, { threshold, triangle, scale }) : { shares: null, full: null };
    const em = Number.parseFloat(getComputedStyle(shell.root).fontSize);
    now = { state, dark, em, data, tokens, keyTokens, ahead, thumbnails, head, shares };

    if (!isAlone) grid.draw(now);
    draw(state.view === "lines" ? lines.root : map.root, picture);
    if (state.view === "lines") lines.draw(now);
    else drawMatrix(map, picture.clientWidth, now);
    if (nLayers > 1) inLayers.draw(now);
    draw(chosen(state, !state.window.length), shell.controls);
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
      missing: ` This page keeps ${Object.keys(data.heads).length} of the ${nLayers * nHeads} heads, but not this one; a running kernel would fetch it.`,
      asked: " Fetching this head from the kernel.",
      here: "",
    };
    const isInstead = is !== "here" && state.combine === "none" && state.view === "matrix";
    const instead = isInstead ? " Shown instead: the largest weight in each block." : "";
    shell.answer(summarise(sentences, now), {
      note: `${noteOf(sentences, state, data)}${words[is]}${instead}`,
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
  shell.whenClosed(store.close);
  return shell.close;
}

export default { render };
