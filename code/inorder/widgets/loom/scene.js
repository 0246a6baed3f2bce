// What the picture shows, and where it is on its way to: widths, dyes and marks fade from layer to layer, and each row
// hangs by a spring from the one above it, so that a drag becomes a wave.

import { between, mix, shade, toCss, yarn } from "./dyes.js";
import { D_MODEL, lastOf, listOf } from "./model.js";

/** @typedef {import("./dyes.js").Lab} Lab */

/** @typedef {import("./layout.js").Layout} Layout */

/** @typedef {import("./model.js").Reading} Reading */

/** @typedef {{ x: number, speed: number }} Body */

/** @typedef {{ width: number, open: number, out: number, into: number, height: number }} Course
 * of a thread: how wide, how much of it is there, and, from the middles, where it leaves its source, where it enters its
 * target, and how far below the target's own height it runs across */

/** @typedef {{ layer: number, query: number, key: number, now: Course, goal: Course }} Thread */

/** @typedef {{ dye: Lab, dyeGoal: Lab, now: { mark: number }, goal: { mark: number }, css: string, light: string,
 *   left: number, right: number }} Knot a row; mark: it is another than at first; left, right: its ends */

/** @typedef {{ now: Stripes, goal: Stripes, flare: number, age: number, css: string, firstCss: string }} Stripe */

/** @typedef {{ value: number, first: number, mark: number }} Stripes */

const [CHAIN, DAMPING] = [520, 27]; // of the springs between rows, a second; underdamped
const SUBSTEP = 1 / 240; // second
const FADE = 1.6; // seconds: after them what fades is there
const FLARE = 0.36; // seconds: a number that this move has changed glows
const DELAY = 0.16; // seconds until it does

/** @type {(layer: number, seconds: number) => number} what changes runs down, each layer a little later */
const shareOf = (layer, seconds) => 1 - Math.exp(-seconds / (0.08 + 0.06 * layer));

/** @type {<Part extends Record<string, number>>(going: { now: Part, goal: Part }, share: number) => void} */
function ease({ now, goal }, share) {
  for (const name in goal) /** @type {Record<string, number>} */ (now)[name] += (goal[name] - now[name]) * share;
}

/** @type {(words: string[], nLayers: number) => Scene} */
export function makeScene(words, nLayers) {
  const n = words.length;
  const course = () => ({ width: 0, open: 1, out: 0, into: 0, height: 0 });
  return {
    words,
    columns: listOf(n, () => listOf(nLayers + 2, () => ({ x: 0, speed: 0 }))),
    knots: listOf(nLayers + 1, () =>
      listOf(n, () => ({
        dye: [0, 0, 0],
        dyeGoal: [0, 0, 0],
        now: { mark: 0 },
        goal: { mark: 0 },
        css: "",
        light: "",
        left: 0,
        right: 0,
      })),
    ),
    hems: listOf(n, () => ({ dye: [0, 0, 0], dyeGoal: [0, 0, 0] })),
    threads: listOf(nLayers, (layer) =>
      listOf(n, (query) => listOf(n, (key) => ({ layer, query, key, now: course(), goal: course() }))),
    ),
    stripes: listOf(n, () =>
      listOf(D_MODEL, () => ({
        now: { value: 0, first: 0, mark: 0 },
        goal: { value: 0, first: 0, mark: 0 },
        flare: 0,
        age: 0,
        css: "",
        firstCss: "",
      })),
    ),
    signs: { now: { lit: 0, stair: 0 }, goal: { lit: 0, stair: 0 } },
    order: [],
    places: [],
    nails: [],
    fading: 0,
    dyeing: 0,
    gleam: 0,
  };
}

/**
 * columns: by word, where its rows hang, and last the seam of the cloth; hems: the dyes of the first cloth; signs: the
 * ruler's light and the staircase; fading, dyeing: the seconds that threads, or dyes and numbers, still have on their
 * way; gleam: how far down the cloth a gleam has run
 * @typedef {{ words: string[], columns: Body[][], knots: Knot[][], hems: { dye: Lab, dyeGoal: Lab }[],
 *   threads: Thread[][][], stripes: Stripe[][], signs: { now: { lit: number, stair: number }, goal: { lit: number,
 *   stair: number } }, order: number[], places: number[], nails: number[], fading: number, dyeing: number, gleam: number }} Scene
 */

/** @type {(a: number, b: number) => boolean} */
const differ = (a, b) => Math.abs(a - b) > 1e-6;

/** Sets the goals. @type {(scene: Scene, layout: Layout, state: LoomState, reading: Reading, dyes: Lab[]) => void} */
export function head(scene, layout, { order, mask, positions, trained }, reading, dyes) {
  const { knots, hems, stripes, signs } = scene;
  const { now, firstRows, nails, changed, since } = reading;
  scene.order = order;
  scene.nails = nails;
  scene.places = order.map((_, word) => order.indexOf(word));
  knots.forEach((row, layer) =>
    row.forEach((knot, word) => {
      knot.dyeGoal = mix(reading.dyes[layer][word], dyes);
      knot.goal.mark = Number(since[word] >= 0 && layer >= since[word]);
    }),
  );
  hems.forEach((hem, word) => {
    hem.dyeGoal = mix(reading.firstDyes[word], dyes);
  });
  stripes.forEach((row, word) =>
    row.forEach((stripe, d) => {
      const value = lastOf(now.rows)[word][d];
      const mark = Number(changed[word][d]);
      if (mark && differ(value, stripe.goal.value)) {
        stripe.flare = Math.min(1, 0.55 + Math.abs(value - stripe.goal.value));
        stripe.age = -DELAY;
      }
      stripe.goal = { value, first: lastOf(firstRows)[word][d], mark };
    }),
  );
  signs.goal = { lit: Number(positions || trained), stair: Number(mask) };
  now.weights.forEach((weights, layer) => layThreads(scene, layout, layer, weights, mask));
  scene.fading = FADE;
  const isOtherKnot = (/** @type {Knot} */ { dye, dyeGoal, now: { mark }, goal }) =>
    mark !== goal.mark || dye.some((part, i) => differ(part, dyeGoal[i]));
  const isOtherStripe = (/** @type {Stripe} */ { now: shown, goal }) =>
    shown.mark !== goal.mark || differ(shown.value, goal.value) || differ(shown.first, goal.first);
  if (knots.flat().some(isOtherKnot) || stripes.flat().some(isOtherStripe)) scene.dyeing = FADE;
}

// The courses of one layer's threads, sorted, so that the threads of a bundle never cross.
/** @type {(scene: Scene, layout: Layout, layer: number, weights: Matrix, mask: boolean) => void} */
function layThreads({ order, threads }, { thread: unit }, layer, weights, mask) {
  const widths = weights.map((row) => row.map((weight) => weight * unit));
  const goalOf = (/** @type {number} */ query, /** @type {number} */ key) => threads[layer][query][key].goal;
  order.forEach((query, place) => {
    const half = (unit + widths[query][query]) / 2; // the row itself comes down between the others
    const before = order.slice(0, place);
    const after = order.slice(place + 1);
    const sum = (/** @type {number[]} */ keys) => keys.reduce((total, key) => total + widths[query][key], 0);
    Object.assign(goalOf(query, query), { width: unit + widths[query][query], open: 1, into: 0, height: 0 });
    let into = -half - sum(before);
    let height = sum(before) / 2;
    for (const key of before) {
      const width = widths[query][key];
      Object.assign(goalOf(query, key), { width, open: 1, into: into + width / 2, height: height - width / 2 });
      into += width;
      height -= width;
    }
    into = half;
    height = -sum(after) / 2;
    for (const key of after) {
      const goal = goalOf(query, key);
      const width = widths[query][key];
      // A thread that the mask cuts keeps its width while its ends draw apart.
      const cut = mask ? { open: 0 } : { open: 1, width };
      Object.assign(goal, cut, { into: into + width / 2, height: height + width / 2 });
      into += width;
      height += width;
    }
  });
  order.forEach((key, place) => {
    const half = (unit + widths[key][key]) / 2;
    let left = -half;
    let right = half;
    goalOf(key, key).out = 0;
    for (const query of order.slice(0, place).reverse()) {
      left -= widths[query][key];
      goalOf(query, key).out = left + widths[query][key] / 2;
    }
    for (const query of order.slice(place + 1)) {
      goalOf(query, key).out = right + widths[query][key] / 2;
      right += widths[query][key];
    }
    // The threads of a row that many read start on top of one another.
    const fit = Math.min(1, (1.1 * unit) / Math.max(right, -left));
    for (const query of order) goalOf(query, key).out *= fit;
  });
}

/** Where everything is at rest. @type {(scene: Scene) => void} */
export function settle(scene) {
  const { knots, hems, stripes, signs, threads } = scene;
  for (const thread of threads.flat(2)) Object.assign(thread.now, thread.goal);
  for (const row of [...knots.flat(), ...hems]) row.dye = row.dyeGoal;
  for (const knot of knots.flat()) knot.now.mark = knot.goal.mark;
  for (const stripe of stripes.flat()) {
    Object.assign(stripe.now, stripe.goal);
    stripe.flare = 0;
  }
  Object.assign(signs.now, signs.goal);
  scene.fading = 0;
  scene.dyeing = 0;
  scene.gleam = 0;
}

/** One step on the way. @type {(scene: Scene, seconds: number) => boolean} true while there is more to come */
export function advance(scene, seconds) {
  const { knots, hems, stripes, signs, threads } = scene;
  if (scene.fading > 0) {
    threads.forEach((layer, l) => {
      const share = shareOf(l, seconds);
      for (const thread of layer.flat()) ease(thread, share);
    });
    ease(signs, shareOf(1, seconds));
    scene.fading -= seconds;
    if (scene.fading <= 0) {
      for (const thread of threads.flat(2)) Object.assign(thread.now, thread.goal);
      Object.assign(signs.now, signs.goal);
    }
  }
  if (scene.dyeing > 0) {
    knots.forEach((row, layer) => {
      const share = shareOf(layer, seconds);
      for (const knot of row) {
        knot.dye = between(knot.dye, knot.dyeGoal, share);
        ease(knot, share);
      }
    });
    const share = shareOf(threads.length, seconds);
    for (const hem of hems) hem.dye = between(hem.dye, hem.dyeGoal, share);
    for (const stripe of stripes.flat()) {
      ease(stripe, share);
      stripe.age += seconds;
    }
    scene.dyeing -= seconds;
    if (scene.dyeing <= 0) {
      const { fading, gleam } = scene;
      settle(scene);
      Object.assign(scene, { fading, gleam });
    }
  }
  if (scene.gleam > 0) scene.gleam = Math.max(0, scene.gleam - seconds / 0.9);
  return scene.fading > 0 || scene.dyeing > 0 || scene.gleam > 0;
}

/** Hangs the rows below their tiles. @type {(scene: Scene, at: number[], seconds: number) => boolean} true while they swing */
export function hang({ columns }, at, seconds) {
  let isMoving = false;
  columns.forEach((bodies, word) => {
    bodies[0].x = at[word];
    for (let left = seconds; left > 1e-6; left -= SUBSTEP) {
      const step = Math.min(left, SUBSTEP);
      for (let row = 1; row < bodies.length; row += 1) {
        const [body, above] = [bodies[row], bodies[row - 1]];
        body.speed += ((above.x - body.x) * CHAIN - body.speed * DAMPING) * step;
        body.x += body.speed * step;
      }
    }
    const swings = bodies.some(
      ({ x, speed }, row) => row > 0 && (Math.abs(bodies[row - 1].x - x) > 0.15 || Math.abs(speed) > 4),
    );
    if (swings) isMoving = true;
    else if (seconds > 0) for (const body of bodies) Object.assign(body, { x: at[word], speed: 0 });
  });
  return isMoving;
}

/** Hangs them straight. @type {(scene: Scene, at: number[]) => void} */
export function hangStill({ columns }, at) {
  columns.forEach((bodies, word) => {
    for (const body of bodies) Object.assign(body, { x: at[word], speed: 0 });
  });
}

/** The colours as they are now. @type {(scene: Scene, dark: boolean, vermilion: Lab) => void} */
export function tint({ knots, hems, stripes, dyeing }, dark, vermilion) {
  for (const knot of knots.flat()) {
    knot.css = toCss(knot.dye);
    knot.light = toCss(yarn(knot.dye, dark));
  }
  stripes.forEach((row, word) => {
    for (const stripe of row) {
      const { age, flare, now } = stripe;
      const glow = dyeing > 0 ? flare * (age < 0 ? 1 + age / DELAY : Math.exp(-age / FLARE)) : 0;
      stripe.css = toCss(between(shade(lastOf(knots)[word].dye, now.value, dark), vermilion, glow));
      stripe.firstCss = toCss(shade(hems[word].dye, now.first, dark));
    }
  });
}
