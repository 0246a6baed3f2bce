// All heads as small pictures, and one head in all layers.
//
// A view has { root, draw(now) }; what it draws from, `now`, and the `actions` that it asks for are in data.js.

import { isFolded, make } from "../kit/elements.js";
import { colourScale, paintHeatMap, paintImage, pixelDensity } from "../kit/heat_map.js";
import { html, nothing, render } from "../kit/vendor/lit.js";
import { shadedPicture } from "./pictures.js";
import { clamp, once } from "./words.js";

/** @typedef {import("./data.js").Actions} Actions */

/** @typedef {import("./data.js").Now} Now */

// [layer, head] of each place, in the order of the model or from the head that looks back farthest.
/** @type {(data: Now["data"], order: Now["state"]["order"]) => [number, number][]} */
function gridOrder({ shape: [nLayers, nHeads], look_back: far }, order) {
  /** @type {[number, number][]} */
  const heads = Array.from({ length: nLayers * nHeads }, (_, i) => [Math.floor(i / nHeads), i % nHeads]);
  return order === "model" ? heads : heads.sort(([a, b], [c, d]) => far[c][d] - far[a][b]);
}

const ROOM = 16; // em: its height, at most
const SLICE = 4; // milliseconds of painting in a frame
const GAP = 6; // pixels between two pictures: a button's padding and border on both sides

/** @type {(actions: Actions) => { root: HTMLElement, draw: (now: Now) => void, paintAll: () => void }} */
export function gridView(actions) {
  const root = make("div", { class: "inorder-heads inorder-sideways", role: "group", tabindex: -1 });
  const paint = once();
  const buttonOf = (/** @type {number} */ layer, /** @type {number} */ head) =>
    /** @type {HTMLButtonElement} */ (root.querySelector(`[data-head="${layer}/${head}"]`));
  /** @type {[number, number][]} */
  let order = [];
  // A canvas for each row of pictures, below their buttons: one for each picture takes a browser ten times as long.
  /** @type {HTMLCanvasElement[]} */
  let strips = [];
  /** @type {number[]} */
  let unpainted = []; // strips, the nearest to the chosen layer last: painted first
  /** @type {(strip: number) => void} */
  let paintStrip = () => {};
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
    do paintStrip(/** @type {number} */ (unpainted.pop()));
    while (unpainted.length && performance.now() < end);
    frame = requestAnimationFrame(paintInSlices);
  }

  function paintAll() {
    for (const strip of unpainted.splice(0)) paintStrip(strip);
  }

  /** @type {(event: KeyboardEvent, place: number) => void} */
  function arrow(event, place) {
    const perRow = Number(root.dataset.perRow);
    /** @type {Record<string, number>} */
    const steps = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -perRow,
      ArrowDown: perRow,
      Home: -place,
      End: order.length - 1 - place,
    };
    if (event.key === "Enter") {
      event.preventDefault();
      actions.open();
    }
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    const to = order[place + steps[event.key]];
    if (!to) return;
    actions.choose({ layer: to[0], head: to[1], combine: "none" });
    buttonOf(...to).focus();
  }

  // What a head does, in words: its name, and a tooltip.
  /** @type {(data: Now["data"], layer: number, head: number) => string} */
  function nameOf({ look_back: far, odd_rows: odd, aligned }, layer, head) {
    const size = Math.abs(far[layer][head]).toFixed(1);
    const way = far[layer][head] > 0 ? "back" : "ahead";
    const looks = Number(size) ? `, looks ${way} ${size} tokens` : ", looks neither back nor ahead";
    const rows = odd[layer][head] ? `, ${odd[layer][head]} rows do not sum to 1` : "";
    return `Layer ${layer}, head ${head}${aligned ? looks : ""}${rows}`;
  }

  // The strips are no part of the template: they stand before its parts (placeStrips).
  /** @type {(now: Now) => void} */
  function drawButtons({ state, data }) {
    const [nLayers, nHeads] = data.shape;
    const { layer: chosenLayer, head: chosenHead, combine } = state;
    const byModel = state.order === "model";
    order = gridOrder(data, state.order);
    const label = (/** @type {unknown} */ text) =>
      html`<div class="inorder-grid-label" aria-hidden="true">${text}</div>`;
    const each = nLayers === 1 ? "" : " each";
    const size = `${nLayers} ${nLayers === 1 ? "layer" : "layers"} with ${nHeads} ${nHeads === 1 ? "head" : "heads"}`;
    root.setAttribute("aria-label", `${size}${each}, as small heat maps`);
    render(
      html`${byModel ? [label(""), ...Array.from({ length: nHeads }, (_, head) => label(head))] : nothing}${order.map(
        ([layer, head], place) => {
          const isHere = layer === chosenLayer && head === chosenHead;
          const isPressed = combine === "none" ? isHere : layer === chosenLayer;
          const far = `${layer}.${head}: ${data.look_back[layer][head].toFixed(1).replace("-", "−")}`;
          return html`${byModel && head === 0 ? label(layer) : nothing}<button type="button" class="inorder-thumbnail"
            data-head="${layer}/${head}" title=${nameOf(data, layer, head)} aria-pressed=${isPressed} tabindex=${isHere ? 0 : -1}
            @keydown=${(/** @type {KeyboardEvent} */ event) => arrow(event, place)} @dblclick=${() => actions.open()}
            @click=${() => actions.choose({ layer, head, combine: "none" })}><span class="inorder-room" aria-hidden="true"></span>${
              byModel ? nothing : html`<span class="inorder-far" aria-hidden="true">${far}</span>`
            }${data.odd_rows[layer][head] ? html`<span class="inorder-odd" aria-hidden="true">≠1</span>` : nothing}</button>`;
        },
      )}`,
      root,
    );
  }

  // Scrolls the grid, not the page.
  /** @type {(button: HTMLElement) => void} */
  function reveal({ offsetTop, offsetHeight }) {
    if (offsetTop < root.scrollTop) root.scrollTop = offsetTop;
    else if (offsetTop + offsetHeight > root.scrollTop + root.clientHeight) {
      root.scrollTop = offsetTop + offsetHeight - root.clientHeight;
    }
  }

  // Each below the buttons of its row; `firsts` are the heads that begin the rows.
  /** @type {(firsts: [number, number][], height: number) => void} */
  function placeStrips(firsts, height) {
    const places = firsts.map((head) => buttonOf(...head)).map(({ offsetLeft, offsetTop }) => [offsetLeft, offsetTop]);
    strips = places.map(([left, top], i) => {
      const strip =
        strips[i] ?? make("canvas", { class: "inorder-thumbnail-row", "aria-hidden": "true", width: 0, height: 0 });
      Object.assign(strip.style, { left: `${left + GAP / 2}px`, top: `${top + GAP / 2}px`, height: `${height}px` });
      return strip;
    });
    for (const old of root.querySelectorAll(".inorder-thumbnail-row")) old.remove();
    root.prepend(...strips);
  }

  /** @type {(now: Now) => void} */
  function draw(now) {
    const { state, data, dark, em } = now;
    const width = root.clientWidth - 6; // less its padding
    const {
      shape: [nLayers, nHeads, nQuery, nKey],
      thumbnails: { rows, columns },
    } = data;
    const byModel = state.order === "model";
    const label = byModel ? Math.round(1.6 * em) : 0;
    const perRow = byModel ? nHeads : Math.max(1, Math.min(nHeads, Math.floor(width / (5 * em))));
    const lowest = (ROOM * em - 1.4 * em) / nLayers - 8; // so that all layers are in sight, as far as they can be
    const cell = clamp(Math.floor((width - label) / perRow) - GAP, byModel ? 18 : 4.4 * em, 10 * em);
    const height = clamp(Math.round((cell * nQuery) / nKey), 16, Math.max(lowest, 18));
    drawButtons(now);
    root.dataset.perRow = String(perRow);
    root.style.setProperty("--thumbnail", `${cell}px`);
    root.style.setProperty("--thumbnail-height", `${height}px`);
    root.style.gridTemplateColumns = `${byModel ? `${label}px ` : ""}repeat(${perRow}, ${cell + GAP}px)`;
    reveal(buttonOf(state.layer, state.head));
    const { threshold, triangle, scale } = state;
    paint([state.order, threshold, triangle, scale, dark, em, perRow, cell, height, Boolean(now.thumbnails)], () => {
      const colours = colourScale({ kind: "sequential", largest: 1, dark });
      const density = pixelDensity();
      const pixels = (/** @type {number} */ length) => Math.max(1, Math.round(length * density));
      const picture = new ImageData(pixels(cell), pixels(height));
      const firsts = order.filter((_, place) => place % perRow === 0);
      placeStrips(firsts, height);
      if (!now.thumbnails) return;
      paintStrip = (strip) => {
        const heads = order.slice(strip * perRow, (strip + 1) * perRow);
        const canvas = strips[strip];
        [canvas.width, canvas.height] = [pixels(heads.length * (cell + GAP) - GAP), picture.height];
        canvas.style.width = `${canvas.width / density}px`;
        const context = canvas.getContext("2d");
        heads.forEach(([layer, head], i) => {
          const values = shadedPicture(now, layer, head);
          paintImage(picture, { values, nRows: rows, nColumns: columns, scale: colours });
          context?.putImageData(picture, Math.round(i * (cell + GAP) * density), 0);
        });
      };
      const distance = (/** @type {number} */ strip) => Math.abs(firsts[strip][0] - state.layer);
      unpainted = firsts.map((_, strip) => strip).sort((a, b) => distance(b) - distance(a));
      paintInSlices();
    });
  }

  return { root, draw, paintAll };
}

// The head that is chosen, in each layer.
/** @type {(actions: Actions) => { root: HTMLElement, draw: (now: Now) => void, paintAll: () => void }} */
export function layersView(actions) {
  const root = make("div", { class: "inorder-in-layers inorder-sideways", role: "group" });
  const paint = once();
  let paintAll = () => {}; // at once, in a closed fold, too

  /** @type {(now: Now) => void} */
  function draw(now) {
    const { state, data, dark, em, thumbnails } = now;
    const {
      shape: [nLayers, , nQuery, nKey],
      thumbnails: { rows, columns },
    } = data;
    const { layer: chosen, head, combine, threshold, triangle, scale } = state;
    root.setAttribute("aria-label", `Head ${head} in each layer`);
    render(
      Array.from(
        { length: nLayers },
        (_, layer) => html`<button type="button" class="inorder-in-layer"
          aria-pressed=${layer === chosen && combine === "none"}
          @click=${() => actions.choose({ layer, combine: "none" })}><canvas aria-hidden="true"></canvas>layer ${layer}</button>`,
      ),
      root,
    );
    const key = [head, threshold, triangle, scale, dark, em, Boolean(thumbnails)];
    paintAll = () => paint(key, paintPictures);
    if (!isFolded(root)) paintAll();

    function paintPictures() {
      if (!thumbnails) return;
      const width = clamp(Math.round(4 * em), 24, 150);
      const height = clamp(Math.round((width * nQuery) / nKey), 16, width);
      const colours = colourScale({ kind: "sequential", largest: 1, dark });
      root.querySelectorAll("canvas").forEach((canvas, layer) => {
        const values = shadedPicture(now, layer, head);
        paintHeatMap(canvas, { values, nRows: rows, nColumns: columns, scale: colours, width, height });
      });
    }
  }
  return { root, draw, paintAll: () => paintAll() };
}
