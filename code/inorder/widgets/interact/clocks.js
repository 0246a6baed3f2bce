// Clocks whose hands turn, wheels that count below them, and a text that slides above: what is dragged sets an argument.

import { clamp } from "../kit/arithmetic.js";
import { sizeDrawing, svgNode } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { nothing, render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { shape } from "./actors.js";

/** @typedef {import("./states.js").ClocksPanel} ClocksPanel */

/** @typedef {{ places: number[], panel: ClocksPanel, value: number }} State value: of what is dragged */

/**
 * @typedef {{ name: string, isTurn: boolean, valueOf: (panel: ClocksPanel) => number, at: (spot: Spot) => number }} Hold
 *   what the pointer is on: the argument that it sets, and how far it is in a state and where the pointer is
 */

/** @typedef {ReturnType<typeof layOut> & { place: number }} Frame */

// In units of view.js, fifteenths of an em.
const TEXT = { height: 56, gap: 10, pitch: [38, 66], letter: 7.6, size: 17 }; // pitch: from word to word
const LARGEST = 96; // radius of a face
const SMALLEST = 22; // unless the width allows no more, or there are many
const MANY = 24;
const LINE = 19; // a label, a note
const WHEEL = { width: 30, height: 31, gap: 6 };
const FINGER = 22;
const TURN = 2 * Math.PI;
const SPIRAL = { start: 0.34, step: 0.13, most: 0.4 }; // of the radius: what a turn adds to it, and all turns at most
const SETTLE = 180; // milliseconds

/** @type {(angle: number) => number} */
const degrees = (angle) => (angle * 360) / TURN;
// An angle as the same from −half a turn to half a turn.
/** @type {(angle: number) => number} */
const least = (angle) => angle - TURN * Math.round(angle / TURN);
/** @type {(count: number, digits: string) => string} */
const digitOf = (count, digits) => digits[((count % digits.length) + digits.length) % digits.length];

// Where the word of a hand stands in the text.
/** @type {(panel: ClocksPanel, which: number) => number} */
const placeOf = ({ hands }, which) => hands[which].place?.values[0] ?? 0;

// The way from the first hand to the second, from straight up: a spiral where it is more than a turn.
/** @type {(angle: number, radius: number) => string} */
function spiral(angle, radius) {
  const step = Math.min(SPIRAL.step, (SPIRAL.most * TURN) / Math.max(Math.abs(angle), 1e-9));
  const count = Math.max(2, Math.ceil(Math.abs(angle) / 0.15));
  const corners = Array.from({ length: count + 1 }, (_, i) => {
    const at = (angle * i) / count;
    const out = radius * (SPIRAL.start + (step * Math.abs(at)) / TURN);
    return `${(out * Math.sin(at)).toFixed(1)} ${(-out * Math.cos(at)).toFixed(1)}`;
  });
  return `M${corners.join("L")}`;
}

// Where everything stands, by the size and the names alone.
// `span`: how far apart the words of the hands get.
/** @param {ClocksPanel} goal @param {Size} size @param {number} span */
function layOut({ hands, labels, notes, wheels, text }, { width, height }, span) {
  const n = hands[0].angles.values.length;
  const top = text.length ? TEXT.height + TEXT.gap : 0;
  const lines = (labels.length ? 1 : 0) + (notes.length ? 1 : 0);
  const below = LINE * lines + (WHEEL.height + WHEEL.gap) * wheels.length + (n > MANY ? 2 : 12);
  // The faces stand in as many rows as make them largest.
  const [radius, nColumns, nRows] = Array.from({ length: n }, (_, i) => {
    const columns = Math.ceil(n / (i + 1));
    const up = Math.max((height - top) / (i + 1) - below, n > MANY ? 1 : 2 * SMALLEST);
    return [Math.min(width / columns / 2 - 3, up / 2, LARGEST), columns, Math.ceil(n / columns)];
  }).reduce((best, next) => (next[0] > best[0] + 1 ? next : best));
  const across = Math.min(width / nColumns, 2 * radius + 40);
  const left = (width - nColumns * across) / 2;
  const rowHeight = 2 * radius + 6 + below;
  const centres = Array.from({ length: n }, (_, m) => {
    const [row, column] = [Math.floor(m / nColumns), m % nColumns];
    return /** @type {Spot} */ ([left + (column + 0.5) * across, top + row * rowHeight + radius + 3]);
  });
  // The text: its words slide, and the frames around those of the hands stay about the middle.
  const pitch = clamp(width / (2 * span + 1.5), TEXT.pitch[0], TEXT.pitch[1]);
  const whole = top + nRows * rowHeight - (nRows === 1 ? 6 : 0);
  return { radius, centres, nColumns, pitch, middle: width / 2, width, height, whole };
}

// The hands of one clock, and the way from the first to the second.
/** @type {(frame: Frame, panel: ClocksPanel, goal: ClocksPanel, m: number) => unknown} */
function turned({ radius, place }, { hands, wedge }, goal, m) {
  const angles = hands.map((one) => one.angles.values[m]);
  const d = wedge ? spiral(angles[1] - angles[0], radius) : "";
  const rotated = (/** @type {number} */ angle) => `rotate(${(degrees(angle) % 360).toFixed(2)})`;
  const way = svg`<g class="inorder-wedge" transform=${rotated(angles[0])}><path class="is-tint" d="${d}L0 0Z"/>
    <path d=${d}/></g>`;
  return [
    wedge ? way : nothing,
    hands.map(({ actor, lengths }, h) => {
      const out = (0.8 * radius * (lengths?.values[m] ?? 1)).toFixed(1);
      return svg`<g transform=${rotated(angles[h])} data-name="${place}.${h}.angles" data-row=${m} data-col="0"
        data-value=${goal.hands[h].angles.values[m]}><line class="inorder-shaft is-line-of-${actor}" y2=${-out}/>
        ${shape(actor, `translate(0 -${out}) scale(${Math.min(1, radius / 40).toFixed(2)})`)}</g>`;
    }),
  ];
}

// A wheel that counts, `down` below the middle of its clock.
/** @type {(panel: ClocksPanel, goal: ClocksPanel, m: number, k: number, down: number) => unknown} */
function drum({ hands, wheels }, goal, m, k, down) {
  const { width, height } = WHEEL;
  const count = wheels[k].counts.values[m];
  const low = Math.floor(count + 1e-4);
  const [own, first] = [k, 0].map((which) => digitOf(goal.wheels[which].counts.values[m], goal.wheel));
  const { actor } = hands[Math.min(k, hands.length - 1)];
  const digits = [0, 1].map(
    (i) => svg`<text x=${width / 2} y=${(height * (i - count + low) + 22).toFixed(1)}
      text-anchor="middle">${digitOf(low + i, goal.wheel)}</text>`,
  );
  return svg`<rect x=${-width / 2} y=${down} width=${width} height=${height} rx="5"
    class="inorder-wheel is-line-of-${actor} ${own === first ? "" : "is-other"}"/>
    <svg x=${-width / 2} y=${down} width=${width} height=${height}>${digits}</svg>`;
}

/** @type {(frame: Frame, panel: ClocksPanel, goal: ClocksPanel, m: number) => unknown} */
function clock(frame, panel, goal, m) {
  const { radius, centres } = frame;
  const [x, y] = centres[m];
  const half = svg`<path d="M0 ${-radius}A${radius} ${radius} 0 0 0 0 ${radius}Z"/>`;
  const lines = [
    ["is-label", goal.labels[m]],
    ["is-note", goal.notes[m]],
  ].filter(([, words]) => words !== undefined);
  const below = radius + 2 + lines.length * LINE;
  return svg`<g transform="translate(${x} ${y})" class="inorder-clock"><circle r=${radius} class="inorder-face"/>
    ${goal.halves ? half : nothing}
    ${[0, 90, 180, 270].map(
      (quarter) => svg`<line class="inorder-tick" y1=${-radius} y2=${-radius + 5} transform="rotate(${quarter})"/>`,
    )}
    ${turned(frame, panel, goal, m)}<circle r=${Math.min(3.5, 0.09 * radius)} class="inorder-hub"/>
    ${lines.map(
      ([look, words], i) => svg`<text y=${radius + 17 + i * LINE} text-anchor="middle" class=${look}>${words}</text>`,
    )}
    ${goal.wheels.map((_, k) => drum(panel, goal, m, k, below + WHEEL.gap + k * (WHEEL.height + WHEEL.gap)))}</g>`;
}

// The text, under frames around the words of the hands.
/** @type {(frame: Frame, panel: ClocksPanel) => unknown} */
function line({ pitch, middle, width }, panel) {
  const { text, hands } = panel;
  const start = placeOf(panel, 0);
  const longest = Math.max(...text.map((word) => [...word].length));
  const size = TEXT.size * Math.min(1, (pitch - 7) / (TEXT.letter * longest)); // one for all words
  const words = text.map(
    (word, i) => svg`<text x=${i * pitch} y="27" text-anchor="middle" class="is-word" font-size=${size}>${word}</text>
      <text x=${i * pitch} y="45" text-anchor="middle" class="is-number">${i}</text>`,
  );
  const frames = hands.map(({ actor }, h) => {
    const x = middle + pitch * (placeOf(panel, h) - start - 0.5) + 1.5;
    return svg`<rect x=${x.toFixed(1)} y="1.5" width=${pitch - 3} height=${TEXT.height - 3} rx="7"
      class="inorder-frame is-line-of-${actor}"/>`;
  });
  return svg`<svg width=${width} height=${TEXT.height}><g
    transform="translate(${(middle - pitch * start).toFixed(1)} 0)">${words}</g>${frames.toReversed()}</svg>`;
}

/** @type {MakeMark<ClocksPanel>} */
function clocksMark(place, hand) {
  const picture = svgNode("svg", { class: "inorder-clocks", role: "application" });
  const { root, set: setHandles } = hand.handlesOver(picture, hand);
  const read = hand.readerOver(root, picture);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {{ panel: ClocksPanel, size: Size, goal: ClocksPanel }} */
  let now;
  let frame = /** @type {Frame} */ ({});
  /** @type {ClocksPanel | null} */
  let settled = null; // the panel whose words are there
  /** @type {(Hold & { pointer: number, states: State[], value: number, last: number }) | null} */
  let held = null;
  /** @type {ClocksPanel | null} */
  let inHand = null; // what the hand holds between two states, or lets go of
  let wasDragged = false;

  // How far apart the words of the hands get, wherever the text slides.
  /** @type {(goal: ClocksPanel) => number} */
  function spanOf({ text, hands, drag }) {
    if (!text.length) return 0;
    const others = hand.controls.filter(({ name }) => name !== drag[0]).map(({ name }) => name);
    const panels = hand.statesOf(others).map((places) => /** @type {ClocksPanel} */ (hand.panelAt(places)));
    return Math.max(...panels.flatMap((one) => hands.map((_, h) => Math.abs(placeOf(one, h) - placeOf(one, 0)))));
  }

  /** @type {(panel: ClocksPanel, goal: ClocksPanel) => void} */
  function draw(panel, goal) {
    const { width, whole, centres } = frame;
    const { unit } = now.size;
    sizeDrawing(picture, width, whole, unit);
    render(
      svg`<g aria-hidden="true">${centres.map((_, m) => clock(frame, panel, goal, m))}${goal.text.length ? line(frame, panel) : nothing}</g>`,
      picture,
    );
    setHandles(gripsOf(panel, unit));
  }

  // What the keys take hold of: the text and the word of the other hand, or else the hands of the first face.
  /** @type {(panel: ClocksPanel, unit: number) => Grip[]} */
  function gripsOf(panel, unit) {
    return panel.drag.map((name, h) => {
      const { centres, radius, middle, pitch } = frame;
      const isText = panel.text.length > 0;
      const angle = panel.hands[h].angles.values[0];
      const [x, y] = isText
        ? [middle + pitch * (placeOf(panel, h) - placeOf(panel, 0)), TEXT.height / 2]
        : [centres[0][0] + 0.8 * radius * Math.sin(angle), centres[0][1] - 0.8 * radius * Math.cos(angle)];
      /** @type {Spot} */
      const at = [unit * x, unit * y];
      return { names: [name], label: isText && h === 0 ? "the text" : panel.hands[h].name, at, of: () => at };
    });
  }

  /** @type {(event: PointerEvent) => Spot} */
  function spotOf({ clientX, clientY }) {
    const { left, top } = picture.getBoundingClientRect();
    return [(clientX - left) / now.size.unit, (clientY - top) / now.size.unit];
  }

  /** @type {(spot: Spot) => Hold | null} */
  function holdAt([x, y]) {
    const { text, drag, hands } = now.goal;
    const { pitch, middle, centres, radius } = frame;
    if (text.length && y < TEXT.height) {
      const far = placeOf(now.goal, 1 % hands.length) - placeOf(now.goal, 0);
      const isOther = drag.length > 1 && far !== 0 && Math.abs(x - middle - pitch * far) < Math.max(FINGER, pitch / 2);
      if (isOther) {
        return { name: drag[1], isTurn: false, valueOf: (one) => placeOf(one, 1), at: ([across]) => across / pitch };
      }
      return drag.length
        ? { name: drag[0], isTurn: false, valueOf: (one) => placeOf(one, 0), at: ([across]) => -across / pitch }
        : null;
    }
    const m = centres.findIndex((centre) => Math.hypot(x - centre[0], y - centre[1]) < radius + 6);
    if (m < 0 || !drag.length) return null;
    /** @type {(spot: Spot) => number} */
    const at = ([across, down]) => Math.atan2(across - centres[m][0], centres[m][1] - down);
    const distances = drag.map((_, h) => Math.abs(least(hands[h].angles.values[m] - at([x, y]))));
    const which = distances.indexOf(Math.min(...distances));
    return { name: drag[which], isTurn: true, valueOf: ({ hands: all }) => all[which].angles.values[m], at };
  }

  // It stands before what the handles do with a pointer, which would take the nearest place for the nearest turn.
  root.addEventListener("pointerdown", take, true);
  root.addEventListener("pointermove", pull, true);
  for (const ending of /** @type {const} */ (["pointerup", "pointercancel"]))
    root.addEventListener(ending, letGo, true);
  root.addEventListener("click", (event) => wasDragged && event.stopPropagation(), true);

  /** @type {(event: PointerEvent) => void} */
  function take(event) {
    wasDragged = false;
    const spot = spotOf(event);
    const hold = event.button === 0 ? holdAt(spot) : null;
    if (!hold) return;
    event.stopPropagation();
    const states = hand.statesOf([hold.name]).map((places) => {
      const panel = /** @type {ClocksPanel} */ (hand.panelAt(places));
      return { places, panel, value: hold.valueOf(panel) };
    });
    const value = hold.valueOf(inHand ?? now.goal);
    held = { ...hold, pointer: event.pointerId, states, value, last: hold.at(spot) };
    root.setPointerCapture(event.pointerId);
    root.classList.add("is-held");
  }

  /** @type {(event: PointerEvent) => void} */
  function pull(event) {
    if (held?.pointer !== event.pointerId) return;
    event.stopPropagation();
    const { states, isTurn, last } = held;
    const at = held.at(spotOf(event));
    if (at === last) return;
    wasDragged = true;
    const values = states.map(({ value }) => value);
    held.value = clamp(held.value + (isTurn ? least(at - last) : at - last), Math.min(...values), Math.max(...values));
    held.last = at;
    const { value } = held;
    const distances = values.map((one) => Math.abs(one - value));
    const i = distances.indexOf(Math.min(...distances));
    const next = [i - 1, i + 1].find((j) => j in values && (values[j] - values[i]) * (value - values[i]) > 0);
    const { panel, places } = states[i];
    inHand =
      next === undefined
        ? panel
        : hand.between(panel, states[next].panel, (value - values[i]) / (values[next] - values[i]));
    hand.set(places);
    draw(inHand, now.goal);
  }

  // What was between two states comes to rest at the nearer one.
  /** @type {(event: PointerEvent) => void} */
  function letGo(event) {
    if (held?.pointer !== event.pointerId) return;
    held = null;
    root.classList.remove("is-held");
    const [start, began] = [inHand, performance.now()];
    if (!start) return;
    /** @type {(time: number) => void} */
    const step = (time) => {
      if (held) return;
      const share = calm.matches ? 1 : clamp((time - began) / SETTLE, 0, 1);
      inHand = share === 1 ? null : hand.between(start, now.goal, 1 - (1 - share) ** 3);
      draw(inHand ?? now.goal, now.goal);
      if (inHand) requestAnimationFrame(step);
    };
    step(began);
  }

  /** @type {MarkOf<ClocksPanel>["update"]} */
  function update(panel, size, _dark, goal) {
    now = { panel, size, goal };
    if (settled !== goal) {
      frame = { ...layOut(goal, size, spanOf(goal)), place };
      root.classList.toggle("is-of-text", goal.text.length > 0);
      root.classList.toggle("is-loose", goal.drag.length > 0);
      root.style.setProperty("--wide", `${frame.width * size.unit}px`);
      root.style.setProperty("--high", `${TEXT.height * size.unit}px`);
    }
    draw(inHand ?? panel, goal);
    if (settled === goal) return; // on its way to what is said already
    settled = goal;
    picture.setAttribute(
      "aria-label",
      `${goal.title ? `${goal.title}: ` : ""}${describe(goal)} Arrow keys read the angles.`,
    );
    const { centres, radius, nColumns } = frame;
    const { unit } = size;
    read(() => {
      const all = centres.map(([x, y], m) => ({
        at: /** @type {Spot} */ ([unit * x, unit * y]),
        reach: /** @type {Spot} */ ([unit * radius, unit * radius]),
        words: wordsOf(goal, m),
      }));
      return Array.from({ length: Math.ceil(all.length / nColumns) }, (_, row) =>
        all.slice(row * nColumns, (row + 1) * nColumns),
      );
    });
  }

  return { root, update };
}

// "90°", from 0 to 359.
/** @type {(angle: number) => string} */
const inDegrees = (angle) => `${((Math.round(degrees(angle)) % 360) + 360) % 360}°`;

// "clock 1: this word 90°, the other 270°, on by 180°"
/** @type {(panel: ClocksPanel, clock: number) => string} */
function wordsOf({ labels, hands, wedge }, clock) {
  const angles = hands.map(({ angles: { values } }) => values[clock]);
  const said = hands.map(({ name }, h) => `${name}${name && " "}${inDegrees(angles[h])}`);
  const by = degrees(angles[1] - angles[0]);
  if (wedge) said.push(`${by < 0 ? "back" : "on"} by ${formatNumber(Math.abs(by), 0)}°`);
  return `${labels[clock] ?? `clock ${clock + 1}`}: ${said.join(", ")}`;
}

// As clocks.py says it.
/** @type {(panel: ClocksPanel) => string} */
function describe({ hands, wheels, wheel, text }) {
  const n = hands[0].angles.values.length;
  const turned = hands.map(
    ({ name, angles }) => `${name}${name && " "}at ${Array.from(angles.values, inDegrees).join(", ")}`,
  );
  const counted = wheels.map(
    ({ name, counts }) =>
      `${name}${name && " "}${Array.from(counts.values, (count) => digitOf(count, wheel)).join("")}`,
  );
  const words = hands.flatMap(({ name, place: at }) =>
    text.length && at ? [`${name}${name && ": "}“${text[at.values[0]]}” at ${at.values[0]}`] : [],
  );
  const parts = [turned, counted, words].filter((part) => part.length).map((part) => part.join("; "));
  return `${n === 1 ? "a clock" : `${n} clocks`}. ${parts.join(". ")}.`;
}

MARKS.clocks = { make: clocksMark, narrowest: 250 };
