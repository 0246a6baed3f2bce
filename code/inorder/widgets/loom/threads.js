// The layers: a thread goes down from its source, across at its target's own height, and down into its target. That
// height makes a weave of it and no tangle, and gives the mask its staircase.

import { clamp } from "../kit/arithmetic.js";
import { middleOf } from "./layout.js";

/** @typedef {import("./layout.js").Layout} Layout */

/** @typedef {import("./scene.js").Scene} Scene */

/** @typedef {import("./scene.js").Thread} Thread */

/**
 * @typedef {{ pen: CanvasRenderingContext2D, layout: Layout, scene: Scene, dark: boolean, ratio: number, lifted: number | null,
 *   colours: { ink: string, plate: string, position: string }, focus: ((thread: Thread) => boolean) | null }} Painting
 * ratio: pixels of the canvas in one unit of the layout; lifted: the word in hand; focus: which threads are pointed at
 */

/**
 * @typedef {{ top: number, bottom: number, across: number, turn: number, from: number, to: number, bend: number,
 *   isLong: boolean, tilt: number, side: number }} Route
 * from, to: where it leaves and enters; turn: where it leaves the vertical; across: its height between; bend: how far it
 * takes to turn, with its sign; tilt: of an S between near neighbours; side: where its right edge is, from −1 to 1
 */

const SOFT = 130; // pixels that a long thread takes to turn
const ROUND = 0.6; // of a bend
const THINNEST = 0.02; // of the attention: less is not drawn
const FAINT = 0.16; // what is not pointed at
const YARN = 2.6; // pixels
const ENDS = 0.97; // a thread that is open so far is whole

/** @type {(layout: Layout, scene: Scene, thread: Thread) => Route} */
export function routeOf(layout, { columns, signs }, { layer, query, key, now }) {
  const { knots, knot, n, pitch, pad } = layout;
  const [source, target] = [columns[key][layer].x, columns[query][layer + 1].x];
  const [top, bottom] = [knots[layer] + knot / 2, knots[layer + 1] - knot / 2];
  const room = bottom - top - 2 * pad;
  const placeOf = (/** @type {number} */ x) => Math.max(-0.4, Math.min(n - 0.6, (x - middleOf(layout, 0)) / pitch));
  const [from, to] = [source + now.out, target + now.into];
  const way = to - from;
  const across = top + pad + (room * (placeOf(target) + 0.5)) / n + now.height;
  // Under the mask it comes straight down to the stair first.
  const stair = Math.max(0, Math.min(across - top - 6, pad + (room * placeOf(source)) / n));
  const turn = way > 0 ? top + signs.now.stair * stair : top;
  const bend = Math.min(Math.abs(way) / 2, SOFT) * Math.sign(way);
  const tilt = Math.min(across - turn, bottom - across) * 0.7 * Math.max(0, 1 - Math.abs(way) / (2.4 * SOFT));
  const side = clamp(way / 24, -1, 1);
  return { top, bottom, across, turn, from, to, bend, isLong: Math.abs(way) > 2 * SOFT, tilt, side };
}

// The line of a thread, `off` pixels to the right of its middle, downwards.
/** @type {(pen: CanvasRenderingContext2D, route: Route, off: number) => void} */
function lineDown(pen, { top, bottom, across, turn, from, to, bend, isLong, tilt, side }, off) {
  const [a, b, height] = [from + off, to + off, across - side * off];
  const [m, n] = [a + bend, b - bend];
  pen.moveTo(a, top);
  pen.lineTo(a, turn);
  pen.bezierCurveTo(a, turn + (height - turn) * ROUND, a + bend * (1 - ROUND), height - tilt, m, height);
  if (isLong) pen.lineTo(n, height);
  pen.bezierCurveTo(n + bend * ROUND, height + tilt, b, bottom - (bottom - height) * ROUND, b, bottom);
}

// And back upwards, which closes the path.
/** @type {(pen: CanvasRenderingContext2D, route: Route, off: number) => void} */
function lineUp(pen, { top, bottom, across, turn, from, to, bend, isLong, tilt, side }, off) {
  const [a, b, height] = [from + off, to + off, across - side * off];
  const [m, n] = [a + bend, b - bend];
  pen.lineTo(b, bottom);
  pen.bezierCurveTo(b, bottom - (bottom - height) * ROUND, n + bend * ROUND, height + tilt, n, height);
  if (isLong) pen.lineTo(m, height);
  pen.bezierCurveTo(a + bend * (1 - ROUND), height - tilt, a, turn + (height - turn) * ROUND, a, turn);
  pen.lineTo(a, top);
  pen.closePath();
}

/** @type {(pen: CanvasRenderingContext2D, route: Route, half: number) => void} */
export function rope(pen, route, half) {
  lineDown(pen, route, -half);
  lineUp(pen, route, half);
}

// A row's own thread comes straight down.
/** @type {(pen: CanvasRenderingContext2D, from: number, to: number, top: number, bottom: number, half: number) => void} */
function band(pen, from, to, top, bottom, half) {
  const middle = (top + bottom) / 2;
  pen.moveTo(from - half, top);
  pen.bezierCurveTo(from - half, middle, to - half, middle, to - half, bottom);
  pen.lineTo(to + half, bottom);
  pen.bezierCurveTo(to + half, middle, from + half, middle, from + half, top);
  pen.closePath();
}

/** @type {(width: number, visit: (off: number) => void) => void} the gaps between its yarns */
function eachGap(width, visit) {
  const count = Math.round(width / YARN);
  for (let gap = 1; gap < count; gap += 1) visit((gap / count - 0.5) * width);
}

/** @type {(painting: Painting, thread: Thread) => boolean} */
export const isDrawn = ({ layout }, { query, key, now }) =>
  query !== key && now.width > THINNEST * layout.thread && now.open > 0.03;

// All threads from one source: one path for what sets them off, one for the dye, one for the gaps between yarns.
/** @type {(painting: Painting, layer: number, key: number) => [Thread, Route][]} those that are whole */
function paintFrom(painting, layer, key) {
  const { pen, layout, scene, colours, focus } = painting;
  const knot = scene.knots[layer][key];
  const veil = focus ? FAINT : 1;
  /** @type {[Thread, Route][]} */
  const ours = scene.threads[layer]
    .map((row) => row[key])
    .filter((thread) => isDrawn(painting, thread))
    .map((thread) => [thread, routeOf(layout, scene, thread)]);
  const whole = ours.filter(([{ now }]) => now.open > ENDS);
  const thick = whole.filter(([{ now }]) => now.width >= 1);
  pen.strokeStyle = knot.css;
  pen.lineWidth = 0.8;
  pen.globalAlpha = veil * 0.6;
  pen.beginPath();
  for (const [{ now }, route] of whole) if (now.width < 1) lineDown(pen, route, 0);
  pen.stroke();
  pen.globalAlpha = veil;
  pen.fillStyle = colours.plate;
  pen.beginPath();
  for (const [{ now }, route] of thick) rope(pen, route, now.width / 2 + Math.min(1.2, now.width / 2 - 0.5));
  pen.fill();
  pen.fillStyle = knot.css;
  pen.beginPath();
  for (const [{ now }, route] of thick) rope(pen, route, now.width / 2);
  pen.fill();
  pen.strokeStyle = knot.light;
  pen.lineWidth = 0.9;
  pen.beginPath();
  for (const [{ now }, route] of thick) eachGap(now.width, (off) => lineDown(pen, route, off));
  pen.stroke();
  for (const [{ now }, route] of ours) {
    if (now.open > ENDS) continue; // being cut, or growing back: its two ends draw apart
    const length = Math.abs(route.to - route.from) + route.bottom - route.top;
    const end = (length * now.open) / 2;
    pen.setLineDash([end, length - 2 * end, end, 1e9]);
    pen.strokeStyle = knot.css;
    pen.lineWidth = now.width;
    pen.beginPath();
    lineDown(pen, route, 0);
    pen.stroke();
    pen.setLineDash([]);
  }
  return whole;
}

/** @type {(painting: Painting, layer: number, word: number) => void} a row itself, which takes on its mixture */
function paintOwn({ pen, layout, scene, focus }, layer, word) {
  const [above, below] = [scene.knots[layer][word], scene.knots[layer + 1][word]];
  const { width } = scene.threads[layer][word][word].now;
  const [top, bottom] = [layout.knots[layer] + layout.knot / 2, layout.knots[layer + 1] - layout.knot / 2];
  const [from, to] = [scene.columns[word][layer].x, scene.columns[word][layer + 1].x];
  const fade = pen.createLinearGradient(0, top, 0, bottom);
  fade.addColorStop(0.55, above.css);
  fade.addColorStop(1, below.css);
  pen.globalAlpha = focus ? FAINT : 1;
  pen.fillStyle = fade;
  pen.beginPath();
  band(pen, from, to, top, bottom, width / 2);
  pen.fill();
  pen.strokeStyle = above.light;
  pen.lineWidth = 0.9;
  pen.beginPath();
  const middle = (top + bottom) / 2;
  eachGap(width, (off) => {
    pen.moveTo(from + off, top);
    pen.bezierCurveTo(from + off, middle, to + off, middle, to + off, bottom);
  });
  pen.stroke();
}

/** @type {(painting: Painting, layer: number) => void} */
export function paintLayer(painting, layer) {
  const { pen, scene, focus, lifted } = painting;
  const even = scene.order.filter((_, place) => place % 2 === 0);
  const odd = scene.order.filter((_, place) => place % 2 === 1);
  const stack = [...even, ...odd]; // every second word passes over
  if (lifted !== null) stack.push(...stack.splice(stack.indexOf(lifted), 1));
  const whole = stack.flatMap((key) => paintFrom(painting, layer, key));
  for (const word of scene.order) paintOwn(painting, layer, word);
  pen.globalAlpha = 1;
  if (focus) {
    for (const [thread, route] of whole.filter(([thread]) => focus(thread))) {
      pen.fillStyle = scene.knots[layer][thread.key].css;
      pen.beginPath();
      rope(pen, route, thread.now.width / 2);
      pen.fill();
    }
    for (const word of scene.order) {
      const thread = scene.threads[layer][word][word];
      if (focus(thread)) paintOwn({ ...painting, focus: null }, layer, word);
    }
  }
  if (scene.signs.now.lit > 0.02) paintTicks(painting, layer, whole);
  for (const word of scene.order) {
    let [left, right] = [0, 0];
    for (const { now } of scene.threads[layer][word]) {
      if (now.open < 0.5) continue;
      left = Math.min(left, now.into - now.width / 2);
      right = Math.max(right, now.into + now.width / 2);
    }
    Object.assign(scene.knots[layer + 1][word], { left, right });
  }
}

// Under positions, whatever comes from place p carries p ticks: between two columns, never on another word's own thread.
/** @type {(painting: Painting, layer: number, whole: [Thread, Route][]) => void} */
function paintTicks({ pen, layout, scene, colours }, layer, whole) {
  /** @type {(count: number, x: number, y: number, dx: number, dy: number, half: number) => void} */
  const tally = (count, x, y, dx, dy, half) => {
    const unit = 1 / Math.hypot(dx, dy);
    const [along, across] = [dx * unit, dy * unit];
    for (let tick = 0; tick < count; tick += 1) {
      const off = (tick - (count - 1) / 2) * 3.5;
      const [a, b] = [x + along * off, y + across * off];
      pen.moveTo(a - across * half, b + along * half);
      pen.lineTo(a + across * half, b - along * half);
    }
  };
  pen.beginPath();
  for (const [{ key, now }, { from, to, bend, across, tilt, bottom, isLong }] of whole) {
    if (now.width < 1) continue;
    const [count, half, way] = [scene.places[key], now.width / 2 + 2, Math.abs(to - from)];
    const [middle, reach] = [(from + to) / 2, way / 2 - 0.74 * Math.abs(bend)];
    if (isLong) {
      for (let place = 1; place < layout.n; place += 1) {
        const x = layout.left + layout.pitch * place;
        if (Math.abs(x - middle) <= reach + 2) tally(count, x, across, 1, 0, half);
      }
      continue;
    }
    const t = Math.round(way / layout.pitch) % 2 ? 0 : 0.36;
    const u = 1 - t;
    const curve = (
      /** @type {number} */ a,
      /** @type {number} */ b,
      /** @type {number} */ c,
      /** @type {number} */ d,
    ) => [
      u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d,
      u * u * (b - a) + 2 * u * t * (c - b) + t * t * (d - c),
    ];
    const [x, dx] = curve(middle, middle + bend * ROUND, to, to);
    const [y, dy] = curve(across, across + tilt, bottom - (bottom - across) * ROUND, bottom);
    tally(count, x, y, dx, dy, half);
  }
  const [top, bottom] = [layout.knots[layer], layout.knots[layer + 1]];
  for (const word of scene.order) {
    const [from, to] = [scene.columns[word][layer].x, scene.columns[word][layer + 1].x];
    const half = scene.threads[layer][word][word].now.width / 2 + 2.5;
    tally(scene.places[word], (from + to) / 2, (top + bottom) / 2, to - from, bottom - top, half);
  }
  pen.globalAlpha = scene.signs.now.lit;
  pen.strokeStyle = colours.position;
  pen.lineWidth = 1.3;
  pen.stroke();
  pen.globalAlpha = 1;
}

// The mask: a thread may turn aside only beneath the staircase.
/** @type {(painting: Painting) => void} */
export function paintStairs({ pen, layout, scene, colours, dark }) {
  const { stair } = scene.signs.now;
  if (stair < 0.01) return;
  const xOf = (/** @type {number} */ place) => layout.left + layout.pitch * place;
  const step = (layout.gap - layout.knot - 2 * layout.pad) / layout.n;
  for (const knot of layout.knots.slice(0, -1)) {
    const top = knot + layout.knot / 2;
    pen.beginPath();
    pen.moveTo(xOf(0), top + layout.pad);
    for (let place = 0; place < layout.n; place += 1) {
      pen.lineTo(xOf(place + 1), top + layout.pad + place * step);
      if (place < layout.n - 1) pen.lineTo(xOf(place + 1), top + layout.pad + (place + 1) * step);
    }
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 1.25;
    pen.globalAlpha = stair;
    pen.stroke();
    pen.lineTo(xOf(layout.n), top);
    pen.lineTo(xOf(0), top);
    pen.closePath();
    pen.fillStyle = colours.ink;
    pen.globalAlpha = stair * (dark ? 0.1 : 0.06);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

// The rows; one that is another than at first is ringed.
/** @type {(painting: Painting) => void} */
export function paintKnots({ pen, layout, scene, colours }) {
  const rings = new Path2D();
  scene.knots.forEach((row, layer) =>
    row.forEach(({ css, now, left, right }, word) => {
      const [x, y, half] = [scene.columns[word][layer].x, layout.knots[layer], layout.knot / 2];
      const start = Math.min(-layout.thread, layer ? left : 0) - 2;
      const end = Math.max(layout.thread, layer ? right : 0) + 2;
      pen.fillStyle = css;
      pen.beginPath();
      pen.roundRect(x + start, y - half, end - start, 2 * half, 3);
      pen.fill();
      if (now.mark > 0.3) rings.roundRect(x + start - 3, y - half - 3, end - start + 6, 2 * half + 6, 5);
    }),
  );
  pen.strokeStyle = colours.position;
  pen.lineWidth = 2;
  pen.stroke(rings);
}
