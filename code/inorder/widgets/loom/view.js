// Words on a ruler, three layers of dyed threads, and the cloth that they weave.

import { palette } from "../kit/colour.js";
import { dragTiles, sortInPage, spotIn } from "../kit/drag.js";
import { isPrinting, make, penOf, setAttributes, write } from "../kit/elements.js";
import { radios, wordsBox } from "../kit/inputs.js";
import { kept } from "../kit/kept.js";
import { figureShell } from "../kit/shell.js";
import { render as draw } from "../kit/vendor/lit.js";
import { clothOf } from "./cloth.js";
import { dyesFor, toCss, toLab } from "./dyes.js";
import { layoutFor, middleOf } from "./layout.js";
import { lastOf, listOf, read, readRecording } from "./model.js";
import { numbersOf } from "./numbers.js";
import { under } from "./pointing.js";
import { bringRecording } from "./record.js";
import { advance, hang, hangStill, head, makeScene, settle, tint } from "./scene.js";
import { paintKnots, paintLayer, paintStairs } from "./threads.js";
import { isFirst, isPlaced, quoted, summarise } from "./words.js";

/** @typedef {import("./threads.js").Painting} Painting */

const ACTS = /** @type {const} */ ({
  "words only": { mask: false, positions: false, trained: false },
  mask: { mask: true, positions: false, trained: false },
  positions: { mask: false, positions: true, trained: false },
  trained: { mask: false, positions: false, trained: true },
});
const TUGS = [1300, 5200]; // milliseconds after the figure is first seen, until a hand is on it
const GLEAM = 1.5; // of its way: the rows come to rest first
const EM = 15; // units of layout.js: a pixel each, where the figure's letters have their usual size
const SHARPEST = 2; // pixels of the canvas in one of the page
const LIFT = 4; // units
const SMALLEST = 12; // of letters: a word that is longer is cut, and its name read out
const TIP_OVER_MOUSE = 14;
const TIP_OVER_FINGER = 36;

/** @typedef {import("./record.js").LoomSent} LoomSent */

// The words as tiles, the ruler, the canvas and its notes. A loom is of so many words and layers; others make another.
/**
 * @param {Shell<LoomState, LoomSent>} shell
 * @param {string[]} words
 * @param {number} nLayers
 * @param {boolean} isNew
 */
function loomOf(shell, words, nLayers, isNew) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const scene = makeScene(words, nLayers);
  const cloth = clothOf(words.length);
  const canvas = make("canvas", {
    role: "img",
    "aria-label": `Threads through ${nLayers} layers, and the cloth below them`,
  });
  const pen = penOf(canvas);
  const places = words.map((_, place) =>
    make("span", { class: "inorder-place", "data-part": "positions" }, make("b", {}, String(place))),
  );
  const ruler = make("div", { "aria-hidden": "true" }, ...places);
  const names = words.map((word) => make("span", { class: "inorder-hem", dir: "auto" }, word));
  const layers = listOf(nLayers, () => make("span", { class: "inorder-label" }));
  const cloths = ["cloth", "as it was"].map((text) => make("span", { class: "inorder-label" }, text));
  // For words of the page that point at them.
  const parts = ["layers", "cloth", "first cloth"].map((name) =>
    make("div", { class: "inorder-part", "data-part": name }),
  );
  const notes = make("div", { "aria-hidden": "true" }, ...names, ...layers, ...cloths, ...parts);
  const tiles = words.map((word) => {
    const text = make("span", { class: "inorder-word", dir: "auto" }, word);
    return make("button", { type: "button", class: "inorder-tile", "data-part": "words", title: word }, text);
  });
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
  let isUndyed = true; // the colours are those of another size or theme
  let isLaidOut = false; // only the tiles are wanted: the next frame paints
  let isTouched = false;

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
      placeTiles(at);
      if (isLaidOut && !isPrinting()) return;
      const before = scene.dyeing;
      let isMoving = false;
      if (calm.matches) {
        settle(scene);
        hangStill(scene, at);
      } else {
        const isFading = advance(scene, seconds);
        isMoving = hang(scene, at, seconds) || isFading;
      }
      if (isUndyed || before > 0 || scene.dyeing > 0) dye();
      paint();
      return isMoving;
    },
  });
  tiles.forEach((tile, word) => dragging.take(tile, word));

  const px = (/** @type {number} */ length) => `${(length * unit).toFixed(1)}px`;

  function dye() {
    tint(scene, painting.dark, vermilion);
    if (scene.dyeing <= 0) cloth.keep(painting);
    isUndyed = false;
  }

  /** @type {(at: number[]) => void} */
  function placeTiles(at) {
    const { layout, lifted } = painting;
    tiles.forEach((tile, word) => {
      const isHeld = dragging.held() === word;
      tile.style.transform = `translate(${px(at[word] - layout.tileWidth / 2)}, ${px(isHeld ? -LIFT : 0)})`;
      tile.classList.toggle("is-dragged", word === lifted);
    });
  }

  function paint() {
    const { layout, ratio } = painting;
    const { width, height, tileHeight, thread, knots } = layout;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    paintStairs(painting);
    scene.columns.forEach(([{ x }], word) => {
      pen.fillStyle = scene.knots[0][word].css;
      pen.fillRect(x - thread, tileHeight - 8, 2 * thread, knots[0] - tileHeight + 8);
    });
    for (let layer = 0; layer < nLayers; layer += 1) paintLayer(painting, layer);
    paintKnots(painting);
    cloth.paint(painting);
  }

  /** @type {(width: number, dark: boolean) => void} */
  function layOut(width, dark) {
    const layout = layoutFor(width / unit, words.length, nLayers);
    const style = getComputedStyle(root); // whose colours are the reader's own where the system forces them
    const [ink, plate, position] = ["--ink", "--plate", "--position"].map((name) => style.getPropertyValue(name));
    const colours = { ink, plate, position };
    const sharpness = Math.min(SHARPEST, devicePixelRatio || 1);
    vermilion = toLab(palette(dark).position);
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
      write(one, isNarrow ? String(layer) : `layer ${layer}`);
      one.style.top = px(knots[layer + 1] - 10);
    });
    cloths.forEach((one, i) => {
      one.style.top = px((i === 0 ? top + seam : hem + end) / 2 - 10);
      one.hidden = isNarrow;
    });
    const heights = [
      [knots[0], lastOf(knots)],
      [top, seam],
      [hem, end],
    ];
    parts.forEach((one, i) => {
      const [high, low] = heights[i];
      Object.assign(one.style, { top: px(high), height: px(low - high) });
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
    root.classList.toggle("is-lit", isPlaced(state));
    head(scene, painting.layout, state, all, dyesFor(words, dark));
    if (isOther || calm.matches) {
      settle(scene);
      isUndyed = true;
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
    const middles = words.map((_, word) => middleOf(painting.layout, state.order.indexOf(word)));
    if (isOther) hangStill(scene, middles);
    isLaidOut = true;
    dragging.follow({ jump: isOther });
    isLaidOut = false;
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
  const letDown = [{ clipPath: "inset(0 0 90%)" }, { clipPath: "inset(0)" }];
  if (isNew && !calm.matches && !isPrinting()) canvas.animate(letDown, { duration: 1100, easing: "ease-out" });
  /** @type {number[]} */
  let tugs = [];
  const sight = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    sight.disconnect();
    if (calm.matches) return;
    tugs = TUGS.map((ms) =>
      setTimeout(() => {
        if (!isTouched && !root.matches(":hover")) dragging.kick(shell.state().order[0], 14 * painting.layout.pitch);
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
  return { root, words, nLayers, update, touch, stop };
}

/** @type {(context: Context<LoomState, LoomSent>) => () => void} */
function render({ model, el, page }) {
  const recorded = model.get("recorded");
  const isRecorded = (/** @type {string[]} */ words) => words.join(" ") === recorded.join(" ");
  const agree = (/** @type {LoomState} */ { words, mask, positions, trained }) =>
    !trained || (isRecorded(words) && !mask && !positions);
  const shell = figureShell({ model, el, page, agree });
  const sentences = model.get("sentences");
  const names = /** @type {(keyof typeof ACTS)[]} */ (Object.keys(ACTS));
  const acts = radios();
  /** @type {(state: LoomState) => unknown} */
  const choice = (state) =>
    acts({
      label: "The model",
      value: names.find((name) => isAct(ACTS[name], state)) ?? "",
      options: names.map((name) => [name, name]),
      onInput: (name) => {
        loom?.touch();
        const isOther = ACTS[name].trained && !isRecorded(shell.state().words);
        shell.change({ ...ACTS[name], ...(isOther ? { words: recorded, order: [...recorded.keys()] } : {}) });
      },
    });
  /** @type {(state: LoomState) => unknown} */
  const own = (state) =>
    wordsBox({
      label: "Your own words",
      words: state.words,
      limits: shell.limits.words,
      claim: "The loom takes",
      notify: shell.notify,
      onInput: (words) => shell.change({ words, order: [...words.keys()], trained: false }),
    });
  const ownFold = shell.fold("Your own words");
  const numbersFold = shell.fold("The numbers");

  /** @type {ReturnType<typeof loomOf> | null} */
  let loom = null;
  /** @type {import("./record.js").Recording | null} */
  let recording = null;
  let isComing = false;
  async function bring() {
    if (isComing) return;
    isComing = true;
    try {
      recording = await bringRecording({ model, page });
      shell.notify(""); // an earlier try may have failed
      redraw();
    } catch {
      shell.change(ACTS["words only"]);
      shell.notify("The trained model’s numbers could not be fetched. Choose it again to try once more.");
    }
    isComing = false;
  }

  const readingOf = kept(read);
  const redraw = shell.follow((state, dark, width) => {
    if (state.trained && !recording) bring();
    const run = state.trained ? recording : null;
    const reading = run ? readRecording(state.order, run) : readingOf(state);
    draw(own(state), /** @type {HTMLElement} */ (ownFold.lastElementChild));
    draw(choice(state), shell.controls);
    const nLayers = reading.now.weights.length;
    if (loom?.words.join(" ") !== state.words.join(" ") || loom.nLayers !== nLayers) {
      const next = loomOf(shell, state.words, nLayers, loom === null);
      loom?.stop();
      shell.stage.replaceChildren(next.root);
      loom = next;
    }
    loom.update(state, reading, dark, width);
    if (numbersFold.open) draw(numbersOf(state, reading), /** @type {HTMLElement} */ (numbersFold.lastElementChild));
    if (state.trained && !run) return shell.answer(sentences.coming);
    const isSame = !reading.changed.flat().some(Boolean);
    const sign = isFirst(state) ? "" : isSame ? "=" : "≠";
    shell.answer(summarise(sentences, state, reading), { sign, note: run ? sentences.record : "" });
  });
  shell.whenClosed(() => loom?.stop());
  return shell.close;
}

/** @type {(act: Partial<LoomState>, state: LoomState) => boolean} */
const isAct = ({ mask, positions, trained }, state) =>
  mask === state.mask && positions === state.positions && trained === state.trained;

export default { render };
