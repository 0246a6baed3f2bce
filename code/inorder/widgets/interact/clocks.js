// Clocks whose hands turn, wheels that count below them, and a text that slides above: what is dragged sets an argument.

import { setAttributes, svgNode, write } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { formatNumber } from "../kit/words.js";
import { shapeOf } from "./actors.js";

/** @typedef {import("./states.js").ClocksPanel} ClocksPanel */

/** @typedef {import("./states.js").ArrayOf} ArrayOf */

/** @typedef {import("./states.js").Size} Size */

/** @typedef {[x: number, y: number]} Spot in the units of view.js */

/** @typedef {{ places: number[], panel: ClocksPanel, value: number }} State value: of what is dragged */

/**
 * @typedef {{ name: string, isTurn: boolean, valueOf: (panel: ClocksPanel) => number, at: (spot: Spot) => number }} Hold
 *   what the pointer is on: the argument that it sets, and how far it is in a state and where the pointer is
 */

/** @typedef {{ root: HTMLElement, update: (panel: ClocksPanel, size: Size, dark: boolean, goal: ClocksPanel) => void }} ClocksMark */

// In units of view.js, fifteenths of an em.
const TEXT = { height: 56, gap: 10, pitch: [38, 66], letter: 7.6, size: 17 }; // pitch: from word to word
const LARGEST = 96; // radius of a face
const SMALLEST = 22; // unless the width allows no more
const LINE = 19; // a label, a note
const WHEEL = { width: 30, height: 31, gap: 6 };
const FINGER = 22;
const TURN = 2 * Math.PI;
const SPIRAL = { start: 0.34, step: 0.13, most: 0.4 }; // of the radius: what a turn adds to it, and all turns at most
const SETTLE = 180; // milliseconds

/** @type {(value: number, low: number, high: number) => number} */
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
/** @type {(angle: number) => number} */
const degrees = (angle) => (angle * 360) / TURN;
// An angle as the same from −half a turn to half a turn.
/** @type {(angle: number) => number} */
const least = (angle) => angle - TURN * Math.round(angle / TURN);
/** @type {(count: number, digits: string) => string} */
const digitOf = (count, digits) => digits[((count % digits.length) + digits.length) % digits.length];

/** @type {(from: ArrayOf, to: ArrayOf, share: number) => ArrayOf} */
const between = (from, to, share) => ({
  shape: to.shape,
  values: Float64Array.from(to.values, (end, i) => from.values[i] + share * (end - from.values[i])),
});

/** @type {(from: ClocksPanel, to: ClocksPanel, share: number) => ClocksPanel} */
const mixed = (from, to, share) => ({
  ...to,
  hands: to.hands.map((one, h) => ({
    ...one,
    angles: between(from.hands[h].angles, one.angles, share),
    place: one.place && between(/** @type {ArrayOf} */ (from.hands[h].place), one.place, share),
  })),
  wheels: to.wheels.map(({ name, counts }, k) => ({ name, counts: between(from.wheels[k].counts, counts, share) })),
});

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

/** @type {(place: number, hand: import("./handles.js").Hand) => ClocksMark} */
function clocksMark(place, hand) {
  const svg = svgNode("svg", { class: "inorder-clocks", role: "application" });
  const { root, set: setHandles } = hand.handlesOver(svg, hand);
  const read = hand.readerOver(root, svg);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {{ panel: ClocksPanel, size: Size, goal: ClocksPanel }} */
  let now;
  let frame = /** @type {ReturnType<typeof build>} */ ({});
  let built = "";
  /** @type {ClocksPanel | null} */
  let settled = null; // the panel whose words are there
  /** @type {(Hold & { pointer: number, states: State[], value: number, last: number }) | null} */
  let held = null;
  /** @type {ClocksPanel | null} */
  let inHand = null; // what the hand holds between two states, or lets go of
  let wasDragged = false;

  // All shapes, whose places depend on the size and the names alone.
  /** @param {ClocksPanel} goal @param {Size} size */
  function build(goal, { width, height, unit }) {
    const { hands, labels, notes, wheels, text, drag } = goal;
    const n = hands[0].angles.values.length;
    const top = text.length ? TEXT.height + TEXT.gap : 0;
    const lines = (labels.length ? 1 : 0) + (notes.length ? 1 : 0);
    const below = LINE * lines + (WHEEL.height + WHEEL.gap) * wheels.length + 12;
    // The faces stand in as many rows as make them largest.
    const [radius, nColumns, nRows] = Array.from({ length: n }, (_, i) => {
      const columns = Math.ceil(n / (i + 1));
      const up = Math.max((height - top) / (i + 1) - below, 2 * SMALLEST);
      return [Math.min(width / columns / 2 - 3, up / 2, LARGEST), columns, Math.ceil(n / columns)];
    }).reduce((best, next) => (next[0] > best[0] + 1 ? next : best));
    const across = Math.min(width / nColumns, 2 * radius + 40);
    const left = (width - nColumns * across) / 2;
    const rowHeight = 2 * radius + 6 + below;
    const centres = Array.from({ length: n }, (_, m) => {
      const [row, column] = [Math.floor(m / nColumns), m % nColumns];
      return /** @type {Spot} */ ([left + (column + 0.5) * across, top + row * rowHeight + radius + 3]);
    });
    const hidden = svgNode("g", { "aria-hidden": "true" });
    const faces = centres.map(([x, y], m) => {
      const face = svgNode("g", { transform: `translate(${x} ${y})`, class: "inorder-clock" });
      face.append(svgNode("circle", { r: radius, class: "inorder-face" }));
      if (goal.halves) face.append(svgNode("path", { d: `M0 ${-radius}A${radius} ${radius} 0 0 0 0 ${radius}Z` }));
      for (const quarter of [0, 90, 180, 270]) {
        const tick = { y1: -radius, y2: -radius + 5, transform: `rotate(${quarter})` };
        face.append(svgNode("line", { ...tick, class: "inorder-tick" }));
      }
      const wedge = svgNode("g", { class: "inorder-wedge" });
      const tint = svgNode("path", { class: "is-tint" });
      const way = svgNode("path");
      wedge.append(tint, way);
      if (goal.wedge) face.append(wedge);
      const turned = hands.map(({ actor }, h) => {
        const data = { "data-name": `${place}.${h}.angles`, "data-row": m, "data-col": 0 };
        const group = svgNode("g", data);
        const shaft = svgNode("line", { class: `inorder-shaft is-line-of-${actor}` });
        const tip = shapeOf(actor);
        group.append(shaft, tip);
        face.append(group);
        return { group, shaft, tip };
      });
      face.append(svgNode("circle", { r: Math.min(3.5, 0.09 * radius), class: "inorder-hub" }));
      /** @type {(kind: string) => SVGElement} */
      const line = (kind) => {
        const node = svgNode("text", { y: down + 15, "text-anchor": "middle", class: kind });
        face.append(node);
        down += LINE;
        return node;
      };
      let down = radius + 2;
      const label = labels.length ? line("is-label") : null;
      const note = notes.length ? line("is-note") : null;
      const drums = wheels.map((_, k) => {
        const look = `inorder-wheel is-line-of-${hands[Math.min(k, hands.length - 1)].actor}`;
        const box = { x: -WHEEL.width / 2, y: down + WHEEL.gap, width: WHEEL.width, height: WHEEL.height };
        const drum = svgNode("svg", { ...box });
        const digits = [0, 1].map(() => svgNode("text", { x: WHEEL.width / 2, "text-anchor": "middle" }));
        drum.append(...digits);
        const rim = svgNode("rect", { ...box, rx: 5, class: look });
        face.append(rim, drum);
        down += WHEEL.height + WHEEL.gap;
        return { rim, digits };
      });
      hidden.append(face);
      return { wedge, tint, way, turned, label, note, drums };
    });

    // The text: its words slide, and the frames around those of the hands stay about the middle.
    const others = hand.controls.filter(({ name }) => name !== drag[0]).map(({ name }) => name);
    const spans = text.length ? hand.statesOf(others).map((places) => hand.panelAt(places)) : [];
    const span = Math.max(
      0,
      ...spans.flatMap((one) => hands.map((_, h) => Math.abs(placeOf(one, h) - placeOf(one, 0)))),
    );
    const pitch = clamp(width / (2 * span + 1.5), TEXT.pitch[0], TEXT.pitch[1]);
    const words = svgNode("g");
    const box = { width: pitch - 3, height: TEXT.height - 3, y: 1.5, rx: 7 };
    const frames = text.length
      ? hands.map(({ actor }) => svgNode("rect", { ...box, class: `inorder-frame is-line-of-${actor}` }))
      : [];
    if (text.length) {
      const longest = Math.max(...text.map((word) => [...word].length));
      const size = TEXT.size * Math.min(1, (pitch - 7) / (TEXT.letter * longest)); // one for all words
      text.forEach((word, i) => {
        const node = svgNode("text", {
          x: i * pitch,
          y: 27,
          "text-anchor": "middle",
          class: "is-word",
          "font-size": size,
        });
        const number = svgNode("text", { x: i * pitch, y: 45, "text-anchor": "middle", class: "is-number" });
        node.textContent = word;
        number.textContent = String(i);
        words.append(node, number);
      });
      const line = svgNode("svg", { width, height: TEXT.height });
      line.append(words, ...frames.toReversed());
      hidden.append(line);
    }
    const whole = top + nRows * rowHeight - (nRows === 1 ? 6 : 0);
    svg.replaceChildren(hidden);
    setAttributes(svg, { viewBox: `0 0 ${width} ${whole}`, width: width * unit, height: whole * unit });
    root.classList.toggle("is-of-text", text.length > 0);
    root.classList.toggle("is-loose", drag.length > 0);
    root.style.setProperty("--wide", `${width * unit}px`);
    root.style.setProperty("--high", `${TEXT.height * unit}px`);
    return { radius, centres, nColumns, faces, words, frames, pitch, middle: width / 2 };
  }

  /** @type {(panel: ClocksPanel, goal: ClocksPanel) => void} */
  function draw(panel, goal) {
    const { radius, faces, words, frames, pitch, middle } = frame;
    const { unit } = now.size;
    const tipSize = Math.min(1, radius / 40).toFixed(2);
    faces.forEach(({ wedge, tint, way, turned, note, label, drums }, m) => {
      panel.hands.forEach(({ angles, lengths }, h) => {
        const { group, shaft, tip } = turned[h];
        const out = (0.8 * radius * (lengths?.values[m] ?? 1)).toFixed(1);
        const angle = (degrees(angles.values[m]) % 360).toFixed(2);
        setAttributes(group, { transform: `rotate(${angle})`, "data-value": goal.hands[h].angles.values[m] });
        setAttributes(shaft, { y2: -out });
        setAttributes(tip, { transform: `translate(0 -${out}) scale(${tipSize})` });
      });
      if (panel.wedge) {
        const [first, second] = panel.hands.map(({ angles }) => angles.values[m]);
        const d = spiral(second - first, radius);
        setAttributes(wedge, { transform: `rotate(${(degrees(first) % 360).toFixed(2)})` });
        setAttributes(way, { d });
        setAttributes(tint, { d: `${d}L0 0Z` });
      }
      if (label) write(label, goal.labels[m]);
      if (note) write(note, goal.notes[m]);
      drums.forEach(({ rim, digits }, k) => {
        const count = panel.wheels[k].counts.values[m];
        const low = Math.floor(count + 1e-4);
        digits.forEach((digit, i) => {
          write(digit, digitOf(low + i, goal.wheel));
          setAttributes(digit, { y: (WHEEL.height * (i - count + low) + 22).toFixed(1) });
        });
        const [own, first] = [k, 0].map((which) => digitOf(goal.wheels[which].counts.values[m], goal.wheel));
        rim.classList.toggle("is-other", own !== first);
      });
    });
    const start = placeOf(panel, 0);
    setAttributes(words, { transform: `translate(${(middle - pitch * start).toFixed(1)} 0)` });
    frames.forEach((one, h) => {
      const x = middle + pitch * (placeOf(panel, h) - start - 0.5) + 1.5;
      setAttributes(one, { x: x.toFixed(1) });
    });
    setHandles(gripsOf(panel, unit));
  }

  // What the keys take hold of: the text and the word of the other hand, or else the hands of the first face.
  /** @type {(panel: ClocksPanel, unit: number) => import("./handles.js").Grip[]} */
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
    const { left, top } = svg.getBoundingClientRect();
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
      next === undefined ? panel : mixed(panel, states[next].panel, (value - values[i]) / (values[next] - values[i]));
    if (String(places) !== String(hand.places())) hand.set(places);
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
      inHand = share === 1 ? null : mixed(start, now.goal, 1 - (1 - share) ** 3);
      draw(inHand ?? now.goal, now.goal);
      if (inHand) requestAnimationFrame(step);
    };
    step(began);
  }

  /** @type {ClocksMark["update"]} */
  function update(panel, size, _dark, goal) {
    now = { panel, size, goal };
    if (settled !== goal) {
      const { hands, labels, notes, wheels, wheel, text, wedge, halves, drag } = goal;
      const looks = hands.map(({ name, actor, angles }) => [name, actor, angles.values.length]);
      const next = JSON.stringify([
        size,
        looks,
        labels.length,
        notes.length,
        wheels.length,
        wheel,
        text,
        wedge,
        halves,
        drag,
      ]);
      if (built !== next) frame = build(goal, size);
      built = next;
    }
    draw(inHand ?? panel, goal);
    if (settled === goal) return; // on its way to what is said already
    settled = goal;
    svg.setAttribute(
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
