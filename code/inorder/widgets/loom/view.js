// Words on a ruler, three layers of dyed threads, and the cloth that they weave.

import { palette } from "../kit/colour.js";
import { button, radios } from "../kit/controls.js";
import { dragTiles, sortInPage, spotIn } from "../kit/drag.js";
import { make, penOf, setAttributes, write } from "../kit/elements.js";
import { kept } from "../kit/kept.js";
import { BREAKS, fits } from "../kit/limits.js";
import { figureShell } from "../kit/shell.js";
import { clothOf } from "./cloth.js";
import { dyesFor, toCss, toLab } from "./dyes.js";
import { layoutFor, middleOf } from "./layout.js";
import { listOf, N_LAYERS, read } from "./model.js";
import { numbersTable } from "./numbers.js";
import { under } from "./pointing.js";
import { advance, hang, hangStill, head, makeScene, settle, tint } from "./scene.js";
import { paintKnots, paintLayer, paintStairs } from "./threads.js";
import { isFirst, longest, quoted, summarise } from "./words.js";

/** @typedef {import("./threads.js").Painting} Painting */

const ACTS = /** @type {const} */ ({
  "words only": { mask: false, positions: false },
  mask: { mask: true, positions: false },
  positions: { mask: false, positions: true },
});
const TUGS = [1300, 5200]; // milliseconds after the figure is first seen, until somebody touches it
const GLEAM = 1.5; // of its way: the rows come to rest first
const EM = 15; // units of layout.js: a pixel each, where the figure's letters have their usual size
const SHARPEST = 2; // pixels of the canvas in one of the page
const LIFT = 4; // units
const SMALLEST = 12; // of letters: a word that is longer is cut, and its name read out
const TIP_OVER_MOUSE = 14;
const TIP_OVER_FINGER = 36;

/** @type {(channels: Channels) => string} */
const cssOf = (channels) => `rgb(${channels.join(" ")})`;

// The words as tiles, the ruler, the canvas and its notes. A loom is of so many words; other words make another.
/** @type {(shell: Shell<LoomState, { sentences: LoomSentences }>, words: string[], isNew: boolean) => Loom} */
function loomOf(shell, words, isNew) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const scene = makeScene(words);
  const cloth = clothOf(words.length);
  const canvas = make("canvas", {
    role: "img",
    "aria-label": "Threads through three layers, and the cloth below them",
  });
  const pen = penOf(canvas);
  const places = words.map((_, place) => make("span", { class: "inorder-place" }, make("b", {}, String(place))));
  const ruler = make("div", { "aria-hidden": "true" }, ...places);
  const names = words.map((word) => make("span", { class: "inorder-hem", dir: "auto" }, word));
  const layers = listOf(N_LAYERS, () => make("span", { class: "inorder-label" }));
  const cloths = ["cloth", "first cloth"].map((text) => make("span", { class: "inorder-label" }, text));
  const notes = make("div", { "aria-hidden": "true" }, ...names, ...layers, ...cloths);
  const tiles = words.map((word) =>
    make(
      "button",
      { type: "button", class: "inorder-tile", title: word },
      make("span", { class: "inorder-word", dir: "auto" }, word),
    ),
  );
  const label = "The sentence: drag a word, or move it with the arrow keys";
  const row = make("div", { role: "group", "aria-label": label }, ...tiles);
  const tip = make("div", { class: "inorder-tip", "aria-hidden": "true", "data-picture": "skip" });
  const root = make("div", { class: "inorder-loom" }, canvas, ruler, notes, row, tip);

  /** @type {Painting} */
  let painting;
  /** @type {import("./model.js").Reading} */
  let reading;
  let vermilion = [0, 0, 0];
  let unit = 1; // pixels in one unit
  let drawn = ""; // for which size and theme it is laid out
  let isTouched = false;
  scene.shown = isNew && !calm.matches ? 0 : 1;

  const dragging = dragTiles({
    box: root,
    unit: () => unit,
    order: () => shell.state().order,
    slotsOf: (order) =>
      order.map((_, word) => ({
        at: middleOf(painting.layout, order.indexOf(word)),
        size: painting.layout.tileWidth,
      })),
    move(word, to) {
      const rest = shell.state().order.filter((other) => other !== word);
      shell.change({ order: rest.toSpliced(to, 0, word) });
    },
    hold(_, isHeld) {
      isTouched = true;
      hide();
      if (!isHeld) gleamIfWhole();
    },
    draw(at, lifted, seconds) {
      painting.lifted = lifted;
      const before = scene.dyeing;
      let isMoving = false;
      if (calm.matches) {
        settle(scene);
        hangStill(scene, at);
      } else {
        const isFading = advance(scene, seconds);
        isMoving = hang(scene, at, seconds) || isFading;
      }
      if (before > 0 || scene.dyeing > 0) dye();
      paint(at);
      return isMoving;
    },
  });
  tiles.forEach((tile, word) => dragging.take(tile, word));

  const px = (/** @type {number} */ length) => `${(length * unit).toFixed(1)}px`;

  function dye() {
    tint(scene, painting.dark, vermilion);
    if (scene.dyeing <= 0) cloth.keep(painting);
  }

  /** @type {(at: number[]) => void} */
  function paint(at) {
    const { layout, ratio, lifted } = painting;
    const { width, height, tileHeight, tileWidth, thread, knots } = layout;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.save();
    if (scene.shown < 1) {
      pen.beginPath();
      pen.rect(0, 0, width, tileHeight + (height - tileHeight) * (1 - (1 - scene.shown) ** 3));
      pen.clip();
    }
    paintStairs(painting);
    scene.columns.forEach(([{ x }], word) => {
      pen.fillStyle = scene.knots[0][word].css;
      pen.fillRect(x - thread, tileHeight - 8, 2 * thread, knots[0] - tileHeight + 8);
    });
    for (let layer = 0; layer < N_LAYERS; layer += 1) paintLayer(painting, layer);
    paintKnots(painting);
    cloth.paint(painting);
    pen.restore();
    tiles.forEach((tile, word) => {
      const isHeld = dragging.held() === word;
      tile.style.transform = `translate(${px(at[word] - tileWidth / 2)}, ${px(isHeld ? -LIFT : 0)})`;
      tile.classList.toggle("is-dragged", word === lifted);
    });
  }

  /** @type {(width: number, dark: boolean) => void} */
  function layOut(width, dark) {
    const layout = layoutFor(width / unit, words.length);
    const { ink, plate, position } = palette(dark);
    const colours = { ink: cssOf(ink), plate: cssOf(plate), position: cssOf(position) };
    const sharpness = Math.min(SHARPEST, devicePixelRatio || 1);
    vermilion = toLab(position);
    painting = { pen, layout, scene, dark, ratio: sharpness * unit, lifted: null, colours, focus: null };
    const { isNarrow, pitch, tileHeight, tileWidth, knots, cloth: top, seam, hem, end, height } = layout;
    canvas.width = Math.round(width * sharpness);
    canvas.height = Math.round(height * unit * sharpness);
    root.classList.toggle("is-narrow", isNarrow);
    root.style.height = px(height);
    const longestWord = Math.max(4, ...words.map((word) => [...word].length));
    const letters = Math.max(SMALLEST, Math.min(isNarrow ? 20 : 29, (1.7 * tileWidth) / longestWord));
    root.style.setProperty("--letters", px(letters));
    places.forEach((one, place) => {
      const left = px(middleOf(layout, place) - pitch * 0.44);
      Object.assign(one.style, { left, top: px(tileHeight + 5), width: px(pitch * 0.88) });
    });
    names.forEach((one, place) => {
      Object.assign(one.style, { left: px(middleOf(layout, place)), top: px(end + 1), maxWidth: px(pitch) });
    });
    layers.forEach((one, layer) => {
      write(one, isNarrow ? String(layer + 1) : `layer ${layer + 1}`);
      one.style.top = px(knots[layer + 1] - 10);
    });
    cloths.forEach((one, i) => {
      one.style.top = px((i === 0 ? top + seam : hem + end) / 2 - 10);
      one.hidden = isNarrow;
    });
    const dyes = dyesFor(words, dark);
    tiles.forEach((tile, word) => {
      Object.assign(tile.style, { width: px(tileWidth), height: px(tileHeight) });
      tile.style.setProperty("--dye", toCss(dyes[word]));
    });
  }

  /** @type {(state: LoomState, all: import("./model.js").Reading, dark: boolean, width: number) => void} */
  function update(state, all, dark, width) {
    reading = all;
    unit = Number.parseFloat(getComputedStyle(root).fontSize) / EM;
    const size = [width, dark, devicePixelRatio, unit].join();
    const isOther = drawn !== size;
    if (isOther) layOut(width, dark);
    drawn = size;
    root.classList.toggle("is-lit", state.positions);
    head(scene, painting.layout, state, all, dyesFor(words, dark));
    if (isOther || calm.matches) {
      const { shown } = scene;
      settle(scene);
      if (!calm.matches) scene.shown = shown;
      dye();
    }
    tiles.forEach((tile, word) => {
      const place = state.order.indexOf(word);
      setAttributes(tile, { "aria-label": `${quoted(words[word])}, position ${place}: move it with the arrow keys` });
    });
    sortInPage(
      row,
      state.order.map((word) => tiles[word]),
      state.order.indexOf(dragging.held() ?? -1),
    );
    dragging.follow({ jump: isOther });
    if (isOther)
      hangStill(
        scene,
        words.map((_, word) => middleOf(painting.layout, state.order.indexOf(word))),
      );
  }

  // Nothing has changed: the cloth says so, once the word is let go.
  function gleamIfWhole() {
    if (isFirst(shell.state()) || reading.changed.flat().some(Boolean)) return;
    scene.gleam = GLEAM;
    dragging.wake();
  }

  // No number is on the screen until a thread, a row or a stripe is pointed at.
  function hide() {
    if (painting.focus) dragging.wake();
    painting.focus = null;
    tip.classList.remove("is-shown");
  }

  /** @type {(event: PointerEvent) => void} */
  function point(event) {
    if (dragging.held() !== null || !painting) return;
    const [x, y] = spotIn(root, event).map((pixels) => pixels / unit);
    const found = event.target === canvas ? under(painting, words, reading, x, y) : null;
    if (!found) return hide();
    write(tip, found.says);
    tip.classList.add("is-shown");
    const [width, height] = [tip.offsetWidth / unit, tip.offsetHeight / unit];
    const left = Math.max(0, Math.min(painting.layout.width - width, x - width / 2));
    const top = y - height - (event.pointerType === "touch" ? TIP_OVER_FINGER : TIP_OVER_MOUSE);
    tip.style.transform = `translate(${px(left)}, ${px(top)})`;
    painting.focus = found.focus;
    dragging.wake();
  }
  root.addEventListener("pointermove", point);
  root.addEventListener("pointerdown", point);
  root.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") hide(); // a finger that lifts has not finished reading
  });

  // The warp is let down; then one word tugs at it, twice at most.
  /** @type {number[]} */
  let tugs = [];
  const sight = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    sight.disconnect();
    if (calm.matches) return;
    tugs = TUGS.map((ms) =>
      setTimeout(() => {
        if (!isTouched) dragging.kick(shell.state().order[0], 14 * painting.layout.pitch);
      }, ms),
    );
  });
  if (isNew) sight.observe(root);

  function stop() {
    sight.disconnect();
    for (const tug of tugs) clearTimeout(tug);
    dragging.stop();
  }
  const touch = () => {
    isTouched = true;
  };
  return { root, words, update, gleamIfWhole, touch, stop };
}

/** @typedef {{ root: HTMLElement, words: string[], update: (state: LoomState, reading: import("./model.js").Reading,
 *   dark: boolean, width: number) => void, gleamIfWhole: () => void, touch: () => void, stop: () => void }} Loom */

/** @type {(context: Context<LoomState, { sentences: LoomSentences }>) => () => void} */
function render({ model, el, page }) {
  const shell = figureShell({ model, el, page });
  const sentences = model.get("sentences");
  const names = /** @type {(keyof typeof ACTS)[]} */ (Object.keys(ACTS));
  const act = radios({
    label: "What the model is given",
    options: names.map((name) => [name, name]),
    onInput: (name) => {
      loom?.touch();
      shell.change(ACTS[name]);
    },
  });
  const back = button({
    label: "Back in order",
    onClick: () => shell.change({ order: [...shell.state().order.keys()] }),
  });
  shell.controls.append(act.root, back);

  const { fewest, most, longest: letters } = shell.limits.words;
  const typed = () => box.value.split(BREAKS).filter(Boolean);
  const box = make("input", {
    type: "text",
    "aria-label": "Your own words",
    autocomplete: "off",
    spellcheck: "false",
    dir: "auto",
    oninput: () => {
      const words = typed();
      const isFit = fits(shell.limits.words, words);
      if (isFit) shell.change({ words, order: [...words.keys()] });
      shell.notify(isFit ? "" : `The loom takes ${fewest} to ${most} words of up to ${letters} letters each.`);
    },
    onchange: () => {
      box.value = shell.state().words.join(" ");
      shell.notify("");
    },
  });
  shell.fold("Your own words", box);
  const numbers = numbersTable();
  const numbersFold = shell.fold("The numbers", numbers.root);

  /** @type {Loom | null} */
  let loom = null;
  const readingOf = kept(read);
  shell.follow((state, dark, width) => {
    const reading = readingOf(state);
    if (typed().join(" ") !== state.words.join(" ")) box.value = state.words.join(" ");
    act.set(names.find((name) => ACTS[name].mask === state.mask && ACTS[name].positions === state.positions) ?? "");
    back.disabled = isFirst(state);
    if (loom?.words.join(" ") !== state.words.join(" ")) {
      const next = loomOf(shell, state.words, loom === null);
      loom?.stop();
      shell.stage.replaceChildren(next.root);
      loom = next;
      shell.keepRoomFor(longest(sentences, state.words));
    }
    loom.update(state, reading, dark, width);
    if (numbersFold.open) numbers.draw(state, reading);
    const isSame = !reading.changed.flat().some(Boolean);
    shell.answer(summarise(sentences, state, reading), { sign: isFirst(state) ? "" : isSame ? "=" : "≠" });
  });
  shell.whenClosed(() => loom?.stop());
  return shell.close;
}

export default { render };
