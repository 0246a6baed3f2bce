// The cloth: a ribbon of 16 stripes for each word hangs from its last row, and below the seam hangs the first cloth,
// nailed to the first order. Equal numbers make one unbroken stripe, however far it was carried; unequal ones are cut and
// stitched in red. A ribbon is painted when its numbers change, and to move it is one drawImage: where nothing changes,
// no stripe is ever painted again.

import { make, penOf } from "../kit/elements.js";
import { middleOf } from "./layout.js";
import { D_MODEL, lastOf, listOf } from "./model.js";

/** @typedef {import("./threads.js").Painting} Painting */

/** @typedef {CanvasRenderingContext2D} Pen */

const CUT = 0.92; // a stripe so far cut has no way left between the cloths

// Threads across the stripes, as a pattern.
/** @type {(dark: boolean) => HTMLCanvasElement} */
function weftOf(dark) {
  const tile = make("canvas", { width: 4, height: 4 });
  const pen = penOf(tile);
  pen.fillStyle = dark ? "#0004" : "#fff4";
  pen.fillRect(0, 0, 4, 1);
  pen.fillStyle = dark ? "#fff1" : "#0001";
  pen.fillRect(0, 2, 4, 1);
  return tile;
}

/** @type {(n: number) => { keep: (painting: Painting) => void, paint: (painting: Painting) => void }} */
export function clothOf(n) {
  const ribbons = listOf(n, () => ({ now: make("canvas"), first: make("canvas") }));
  /** @type {CanvasPattern | null} */
  let weft = null;

  // The row of a word, hanging from x = 0.
  /** @type {(pen: Pen, painting: Painting, word: number) => void} */
  function stripesOf(pen, { layout, scene }, word) {
    const top = lastOf(layout.knots) + layout.knot / 2;
    const [open, end] = [layout.cloth, layout.seam + 1];
    const [step, fan] = [layout.ribbon / D_MODEL, (layout.thread * 2) / D_MODEL];
    scene.stripes[word].forEach(({ css }, d) => {
      const [left, start] = [(d - D_MODEL / 2) * step, (d - D_MODEL / 2) * fan];
      const right = left + step + 0.3;
      pen.fillStyle = css;
      pen.beginPath();
      pen.moveTo(start, top);
      pen.bezierCurveTo(start, top + 16, left, open - 16, left, open);
      pen.lineTo(left, end);
      pen.lineTo(right, end);
      pen.lineTo(right, open);
      pen.bezierCurveTo(right, open - 16, start + fan, top + 16, start + fan, top);
      pen.fill();
    });
  }

  /** @type {(pen: Pen, painting: Painting, word: number, x: number) => void} */
  function hemOf(pen, { layout, scene }, word, x) {
    const step = layout.ribbon / D_MODEL;
    scene.stripes[word].forEach(({ firstCss }, d) => {
      pen.fillStyle = firstCss;
      pen.fillRect(x + (d - D_MODEL / 2) * step, layout.hem, step + 0.3, layout.end - layout.hem);
    });
  }

  /** @type {(pen: Pen, { layout }: Painting, top: number, height: number) => void} */
  function texture(pen, { layout }, top, height) {
    if (!weft) return;
    pen.globalCompositeOperation = "source-atop";
    pen.fillStyle = weft;
    pen.fillRect(-layout.width, top, 3 * layout.width, height);
    pen.globalCompositeOperation = "source-over";
  }

  /** @type {(painting: Painting) => void} */
  function keep(painting) {
    const { pen, layout, dark, ratio } = painting;
    weft = pen.createPattern(weftOf(dark), "repeat");
    const top = lastOf(layout.knots) + layout.knot / 2;
    ribbons.forEach(({ now, first }, word) => {
      now.width = first.width = Math.ceil(layout.ribbon * ratio);
      now.height = Math.round((layout.seam + 1 - top) * ratio);
      first.height = Math.round((layout.end - layout.hem) * ratio);
      const [pens, middle] = [[now, first].map(penOf), (layout.ribbon / 2) * ratio];
      pens[0].setTransform(ratio, 0, 0, ratio, middle, -top * ratio);
      stripesOf(pens[0], painting, word);
      texture(pens[0], painting, layout.cloth, layout.height);
      pens[1].setTransform(ratio, 0, 0, ratio, middle, -layout.hem * ratio);
      hemOf(pens[1], painting, word, 0);
      texture(pens[1], painting, layout.hem, layout.height);
    });
  }

  // The first cloth, and the way of its numbers up to this one.
  /** @type {(painting: Painting, word: number, isWet: boolean, snap: (x: number) => number) => void} */
  function paintFirst(painting, word, isWet, snap) {
    const { pen, layout, scene } = painting;
    const { seam, hem, end, ribbon } = layout;
    const [step, half, middle] = [ribbon / D_MODEL, ribbon / 2, (seam + hem) / 2];
    const [above, below] = [lastOf(scene.columns[word]).x, snap(middleOf(layout, scene.nails[word]))];
    if (isWet) hemOf(pen, painting, word, below);
    else pen.drawImage(ribbons[word].first, below - half, hem, ribbon, end - hem);
    const isHome = Math.abs(above - below) < 0.6;
    scene.stripes[word].forEach(({ now: { mark }, firstCss }, d) => {
      if (mark > CUT) return;
      const left = (d - D_MODEL / 2) * step;
      const right = Math.min(half, left + step + 0.3);
      pen.fillStyle = firstCss;
      pen.globalAlpha = 1 - mark;
      if (isHome) pen.fillRect(below + left, seam, right - left, hem - seam);
      else {
        pen.beginPath();
        pen.moveTo(above + left, seam);
        pen.bezierCurveTo(above + left, middle, below + left, middle, below + left, hem);
        pen.lineTo(below + right, hem);
        pen.bezierCurveTo(below + right, middle, above + right, middle, above + right, seam);
        pen.fill();
      }
    });
    pen.globalAlpha = 1;
  }

  // This cloth, which leans while it swings, and its stitches.
  /** @type {(painting: Painting, word: number, isWet: boolean, snap: (x: number) => number) => void} */
  function paintNow(painting, word, isWet, snap) {
    const { pen, layout, scene, colours } = painting;
    const top = lastOf(layout.knots) + layout.knot / 2;
    const [knot, seam] = scene.columns[word].slice(-2).map(({ x }) => x);
    const lean = Math.abs(seam - knot) < 0.2 ? 0 : (seam - knot) / (layout.seam - top);
    pen.save();
    pen.transform(1, 0, lean, 1, lean ? knot - lean * top : snap(knot), 0);
    if (isWet) stripesOf(pen, painting, word);
    else pen.drawImage(ribbons[word].now, -layout.ribbon / 2, top, layout.ribbon, layout.seam + 1 - top);
    pen.restore();
    const step = layout.ribbon / D_MODEL;
    pen.fillStyle = colours.position;
    pen.beginPath();
    scene.stripes[word].forEach(({ now: { mark } }, d) => {
      const half = 5 * mark;
      if (half > 0.3) pen.rect(seam + (d - D_MODEL / 2 + 0.2) * step, layout.seam - half, step * 0.6, 2 * half);
    });
    pen.fill();
  }

  // Cut threads fray.
  /** @type {(painting: Painting, word: number) => void} */
  function paintFrays({ pen, layout, scene }, word) {
    const step = layout.ribbon / D_MODEL;
    pen.lineWidth = Math.min(3, step * 0.45);
    scene.stripes[word].forEach(({ now: { mark }, firstCss }, d) => {
      if (mark < 0.02) return;
      const x = middleOf(layout, scene.nails[word]) + (d - D_MODEL / 2 + 0.5) * step;
      const [bend, length] = [((d * 5 + word) % 4) - 1.5, 3 + ((d * 7 + word * 3) % 5) * 1.5];
      pen.strokeStyle = firstCss;
      pen.beginPath();
      pen.moveTo(x, layout.hem + 1);
      pen.lineTo(x + bend, layout.hem - length * mark);
      pen.stroke();
    });
  }

  // Nothing has changed: one gleam runs down every unbroken stripe.
  /** @type {(painting: Painting) => void} */
  function paintGleam({ pen, layout, scene, dark }) {
    const { gleam } = scene;
    if (gleam <= 0 || gleam >= 1) return;
    const y = layout.cloth - 30 + (1 - gleam) * (layout.end - layout.cloth + 60);
    const light = pen.createLinearGradient(0, y - 22, 0, y + 22);
    light.addColorStop(0, "#fff0");
    light.addColorStop(0.5, dark ? "#fff5" : "#fff7");
    light.addColorStop(1, "#fff0");
    pen.globalCompositeOperation = "source-atop";
    pen.fillStyle = light;
    pen.fillRect(0, layout.cloth, layout.width, layout.height - layout.cloth);
    pen.globalCompositeOperation = "source-over";
  }

  /** @type {(painting: Painting) => void} */
  function paint(painting) {
    const { pen, layout, scene, lifted, ratio } = painting;
    const isWet = scene.dyeing > 0;
    const half = layout.ribbon / 2;
    const snap = (/** @type {number} */ x) => Math.round((x - half) * ratio) / ratio + half;
    const stack = [...scene.order];
    if (lifted !== null) stack.push(...stack.splice(stack.indexOf(lifted), 1));
    for (const word of stack) paintFirst(painting, word, isWet, snap);
    if (!isWet) texture(pen, painting, layout.seam, layout.hem - layout.seam);
    for (const word of stack) paintNow(painting, word, isWet, snap);
    if (isWet) texture(pen, painting, layout.cloth, layout.height);
    pen.lineCap = "round";
    for (const word of stack) paintFrays(painting, word);
    pen.lineCap = "butt";
    paintGleam(painting);
  }
  return { keep, paint };
}
