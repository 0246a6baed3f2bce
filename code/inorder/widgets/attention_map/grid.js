// All heads as small pictures, and one head in all layers.
//
// A view has { root, draw(now) }; what it draws from, `now`, and the `actions` that it asks for are in data.js.

import { clamp } from "../kit/arithmetic.js";
import { isFolded, make, penOf } from "../kit/elements.js";
import { colourScale, paintHeatMap, paintImage, pixelDensity } from "../kit/heat_map.js";
import { kept } from "../kit/kept.js";
import { html, nothing, render } from "../kit/vendor/lit.js";
import { pictureOfHead, visibleShares } from "./data.js";
import { count } from "./words.js";

/** @typedef {import("./data.js").Actions} Actions */

/** @typedef {import("./data.js").Now} Now */

const ROOM = 20; // em: the height of the grid, as far as its pictures can be so small
const SLICE = 4; // milliseconds of painting in a frame
const GAP = 6; // pixels between two pictures: a button's padding and border on both sides

// [layer, head] of each place, in the order of the model or from the head that looks back farthest.
/** @type {(data: Now["data"], order: Now["state"]["order"]) => [number, number][]} */
function gridOrder({ shape: [nLayers, nHeads], look_back: far }, order) {
  /** @type {[number, number][]} */
  const heads = Array.from({ length: nLayers * nHeads }, (_, i) => [Math.floor(i / nHeads), i % nHeads]);
  return order === "model" ? heads : heads.sort(([a, b], [c, d]) => far[c][d] - far[a][b]);
}

// What a head does, in words: its name, and a tooltip.
/** @type {(data: Now["data"], layer: number, head: number) => string} */
function nameOf({ look_back: far, odd_rows: odd, aligned }, layer, head) {
  const size = Math.abs(far[layer][head]).toFixed(1);
  const side = far[layer][head] > 0 ? "back" : "ahead";
  const looks = Number(size) ? `, looks ${side} ${size} tokens` : ", looks neither back nor ahead";
  const rows = odd[layer][head] ? `, ${odd[layer][head]} rows do not sum to 1` : "";
  return `Layer ${layer}, head ${head}${aligned ? looks : ""}${rows}`;
}

/** @type {(now: Now, layer: number, head: number) => Table & { scale: ColourScale }} */
function smallMap(now, layer, head) {
  const { rows: nRows, columns: nColumns } = now.data.thumbnails;
  const { shares } = visibleShares(pictureOfHead(now, layer, head), { nRows, nColumns }, now);
  return { values: shares, nRows, nColumns, scale: colourScale({ kind: "sequential", largest: 1, dark: now.dark }) };
}

/** @type {(actions: Actions) => { root: HTMLElement, draw: (now: Now) => void, paintAll: () => void }} */
export function gridView(actions) {
  const canvas = make("canvas", { class: "inorder-thumbnails", "aria-hidden": "true" }); // of all: one each takes ten times as long
  const root = make("div", { class: "inorder-heads inorder-sideways", role: "group", tabindex: -1 });
  /** @type {(layer: number, head: number) => HTMLElement} */
  const buttonOf = (layer, head) => /** @type {HTMLElement} */ (root.querySelector(`[data-head="${layer}/${head}"]`));
  /** @type {[number, number][]} */
  let order = [];
  let perRow = 1;
  let now = /** @type {Now} */ ({});
  let size = { cell: 0, height: 0 };
  /** @type {number[]} */
  let unpainted = []; // places, the nearest to the chosen layer last: painted first
  /** @type {(place: number) => void} */
  let paintPlace = () => {};
  let frame = 0;

  // Hundreds of pictures far below what is read would cost the page its first second.
  let isNear = false;
  const sight = new IntersectionObserver(
    (seen) => {
      isNear = seen[seen.length - 1].isIntersecting;
      paintInSlices();
    },
    { rootMargin: "100% 0px" },
  );
  sight.observe(root);

  function paintInSlices() {
    cancelAnimationFrame(frame);
    if (!isNear || !unpainted.length) return;
    const end = performance.now() + SLICE;
    do paintPlace(/** @type {number} */ (unpainted.pop()));
    while (unpainted.length && performance.now() < end);
    frame = requestAnimationFrame(paintInSlices);
  }
  const paintAll = () => {
    for (const place of unpainted.splice(0)) paintPlace(place);
  };

  /** @type {(event: KeyboardEvent, place: number) => void} */
  function press(event, place) {
    /** @type {Record<string, number>} */
    const targets = {
      ArrowLeft: place - 1,
      ArrowRight: place + 1,
      ArrowUp: place - perRow,
      ArrowDown: place + perRow,
      Home: 0,
      End: order.length - 1,
    };
    if (event.key === "Enter") actions.choose({ view: "matrix" });
    if (event.key === "Enter" || Object.hasOwn(targets, event.key)) event.preventDefault();
    const target = order[targets[event.key]];
    if (!target) return;
    actions.choose({ layer: target[0], head: target[1], combine: "none" });
    buttonOf(...target).focus();
  }

  function drawButtons() {
    const { state, data } = now;
    const [nLayers, nHeads] = data.shape;
    const byModel = state.order === "model";
    const label = (/** @type {unknown} */ text) =>
      html`<div class="inorder-grid-label" aria-hidden="true">${text}</div>`;
    const each = nLayers === 1 ? "" : " each";
    root.ariaLabel = `${count(nLayers, "layer")} with ${count(nHeads, "head")}${each}, as small heat maps`;
    const buttons = order.map(([layer, head], place) => {
      const isHere = layer === state.layer && head === state.head;
      const isPressed = state.combine === "none" ? isHere : layer === state.layer;
      const far = `${layer}.${head}: ${data.look_back[layer][head].toFixed(1).replace("-", "−")}`;
      return html`${byModel && head === 0 ? label(layer) : nothing}<button type="button" class="inorder-thumbnail"
        data-head="${layer}/${head}" title=${nameOf(data, layer, head)} aria-pressed=${isPressed} tabindex=${isHere ? 0 : -1}
        @keydown=${(/** @type {KeyboardEvent} */ event) => press(event, place)} @dblclick=${() => actions.choose({ view: "matrix" })}
        @click=${() => actions.choose({ layer, head, combine: "none" })}><span class="inorder-room" aria-hidden="true"></span>${
          byModel ? nothing : html`<span class="inorder-far" aria-hidden="true">${far}</span>`
        }${data.odd_rows[layer][head] ? html`<span class="inorder-odd" aria-hidden="true">≠1</span>` : nothing}</button>`;
    });
    const heads = byModel ? [label(""), ...Array.from({ length: nHeads }, (_, head) => label(head))] : nothing;
    render(html`${canvas}${heads}${buttons}`, root);
  }

  const paint = kept((/** @type {unknown[]} */ ..._) => paintPictures());
  function paintPictures() {
    const { cell, height } = size;
    const density = pixelDensity();
    const pixels = (/** @type {number} */ length) => Math.max(1, Math.round(length * density));
    const places = order.map((_, place) => {
      const { offsetLeft, offsetTop } = buttonOf(...order[place - (place % perRow)]);
      return [pixels(offsetLeft + GAP / 2 + (place % perRow) * (cell + GAP)), pixels(offsetTop + GAP / 2)];
    });
    const width = Math.max(...places.map(([x]) => x)) + pixels(cell);
    const tall = Math.max(...places.map(([, y]) => y)) + pixels(height);
    if (canvas.width !== width || canvas.height !== tall) Object.assign(canvas, { width, height: tall });
    Object.assign(canvas.style, { width: `${width / density}px`, height: `${tall / density}px` });
    const image = new ImageData(pixels(cell), pixels(height));
    paintPlace = (place) => {
      paintImage(image, smallMap(now, ...order[place]));
      penOf(canvas).putImageData(image, places[place][0], places[place][1]);
    };
    const distance = (/** @type {number} */ place) => Math.abs(order[place][0] - now.state.layer);
    unpainted = now.thumbnails ? order.map((_, place) => place).sort((a, b) => distance(b) - distance(a)) : [];
    paintInSlices();
  }

  /** @type {(next: Now) => void} */
  function draw(next) {
    now = next;
    const { state, data, em } = now;
    const [nLayers, nHeads, nQuery, nKey] = data.shape;
    const width = root.clientWidth - 6; // less its padding
    const byModel = state.order === "model";
    const label = byModel ? Math.round(1.6 * em) : 0;
    perRow = byModel ? nHeads : Math.max(1, Math.min(nHeads, Math.floor(width / (5 * em))));
    const lowest = (ROOM * em - 1.4 * em) / nLayers - 8; // so that all layers are in sight, as far as they can be
    const cell = clamp(Math.floor((width - label) / perRow) - GAP, byModel ? 18 : 4.4 * em, 10 * em);
    const height = clamp(Math.round((cell * nQuery) / nKey), 16, Math.max(lowest, 18));
    size = { cell, height };
    order = gridOrder(data, state.order);
    drawButtons();
    root.style.setProperty("--thumbnail", `${cell}px`);
    root.style.setProperty("--thumbnail-height", `${height}px`);
    root.style.gridTemplateColumns = `${byModel ? `${label}px ` : ""}repeat(${perRow}, ${cell + GAP}px)`;
    // Scrolls the grid, not the page.
    const { offsetTop, offsetHeight } = buttonOf(state.layer, state.head);
    if (offsetTop < root.scrollTop) root.scrollTop = offsetTop;
    root.scrollTop = Math.max(root.scrollTop, offsetTop + offsetHeight - root.clientHeight);
    const { threshold, triangle, scale } = state;
    paint(state.order, threshold, triangle, scale, now.dark, perRow, cell, height, now.thumbnails);
  }

  return { root, draw, paintAll };
}

// The head that is chosen, in each layer.
/** @type {(actions: Actions) => { root: HTMLElement, draw: (now: Now) => void, paintAll: () => void }} */
export function layersView(actions) {
  const root = make("div", { class: "inorder-in-layers inorder-sideways", role: "group" });
  let paintAll = () => {}; // at once, in a closed fold, too

  /** @type {(now: Now) => void} */
  function draw(now) {
    const { state, data, em } = now;
    const [nLayers, , nQuery, nKey] = data.shape;
    root.ariaLabel = `Head ${state.head} in each layer`;
    const layers = Array.from({ length: nLayers }, (_, layer) => layer);
    render(
      layers.map(
        (layer) => html`<button type="button" class="inorder-in-layer"
        aria-pressed=${layer === state.layer && state.combine === "none"}
        @click=${() => actions.choose({ layer, combine: "none" })}><canvas aria-hidden="true"></canvas>layer ${layer}</button>`,
      ),
      root,
    );
    paintAll = () => {
      if (!now.thumbnails) return;
      const width = clamp(Math.round(4 * em), 24, 150);
      const height = clamp(Math.round((width * nQuery) / nKey), 16, width);
      root.querySelectorAll("canvas").forEach((canvas, layer) => {
        paintHeatMap(canvas, { ...smallMap(now, layer, state.head), width, height });
      });
    };
    if (!isFolded(root)) paintAll();
  }
  return { root, draw, paintAll: () => paintAll() };
}
