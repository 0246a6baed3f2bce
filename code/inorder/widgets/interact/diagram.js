// Boxes, arrows between them, and doors: what comes in by an open one is drawn on its way from there to the end.

import { clamp } from "../kit/arithmetic.js";
import { make, sizeDrawing, svgNode } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { html, nothing, render, svg } from "../kit/vendor/lit.js";

/** @typedef {import("./states.js").DiagramPanel} DiagramPanel */
const NARROW = 560; // there, the drawing stands upright
const WIDE = { width: 880, height: 330, box: [118, 54], door: [132, 36] };
const UPRIGHT = { width: 350, height: 560, box: [92, 50], door: [113, 36] };
const ROUND = 17; // the radius of a small box
const STEP = 110; // milliseconds from box to box

// From the edge of a box (its half width and height) towards another place.
/** @type {(from: Spot, to: Spot, half: Spot) => Spot} */
function edge([x, y], [x2, y2], [w, h]) {
  const [dx, dy] = [x2 - x, y2 - y];
  const share = Math.min(dx ? w / Math.abs(dx) : 9, dy ? h / Math.abs(dy) : 9);
  return [x + share * dx, y + share * dy];
}

/** @type {MakeMark<DiagramPanel>} */
function diagramMark(place, hand) {
  const picture = svgNode("svg", { class: "inorder-diagram", role: "img" });
  const doors = make("div", { class: "inorder-doors" });
  const root = make("div", { class: "inorder-diagram-of" }, picture, doors);

  /** @type {(name: string, label: string) => void} */
  function open(name, label) {
    const which = hand.controls.findIndex((control) => control.name === name);
    const key = hand.controls[which].texts.indexOf(label);
    hand.set(hand.places().with(which, hand.places()[which] === key ? 0 : key)); // again shuts it
  }

  /** @type {MarkOf<DiagramPanel>["update"]} */
  function update(_panel, { width, unit }, _dark, goal) {
    const isUpright = width < NARROW;
    const ground = isUpright ? UPRIGHT : WIDE;
    const [wide, high] = [Math.min(ground.width, width), ground.height];
    const start = (width - wide) / 2;
    /** @type {(places: ArrayOf, i: number) => Spot} of hundredths */
    const spot = ({ values }, i) => {
      const [x, y] = [values[2 * i], values[2 * i + 1]];
      return isUpright ? [start + (wide * y) / 100, (high * x) / 100] : [start + (wide * x) / 100, (high * y) / 100];
    };
    const door = (/** @type {number} */ d) => {
      const [x, y] = spot(goal.door_places, d);
      const room = ground.door[0] / 2 + 1; // all of it is to be seen
      return /** @type {Spot} */ ([clamp(x, start + room, start + wide - room), y]);
    };
    const half = (/** @type {number} */ i) =>
      /** @type {Spot} */ (goal.round[i] ? [ROUND, ROUND] : ground.box.map((side) => side / 2));
    /** @type {(from: Spot, to: Spot, depth: number, name: string) => unknown} depth: −1 where nothing comes by */
    const arrow = ([x, y], [x2, y2], depth, name) => {
      const length = Math.hypot(x2 - x, y2 - y) || 1;
      const [u, v] = [(9 * (x2 - x)) / length, (9 * (y2 - y)) / length];
      const wing = (/** @type {number} */ side) => `L${x2 - u - 0.45 * side * v} ${y2 - v + 0.45 * side * u}`;
      return svg`<g class="inorder-way ${depth < 0 ? "" : "is-red"}" style="--after: ${STEP * Math.max(depth, 0)}ms" data-name=${name}
        data-value=${depth}><path d="M${x} ${y}L${x2 - u} ${y2 - v}"/><path d="M${x2} ${y2}${wing(1)}${wing(-1)}Z" class="is-head"/></g>`;
    };
    const ways = goal.ways.map(([from, to], i) => {
      const [one, other] = [spot(goal.places, from), spot(goal.places, to)];
      return arrow(edge(one, other, half(from)), edge(other, one, half(to)), goal.way_depths[i], `${place}.ways`);
    });
    const entries = goal.doors.flatMap((label, d) =>
      goal.leads[d].map((box) => {
        const [one, other] = [door(d), spot(goal.places, box)];
        const [w, h] = ground.door;
        const isOpen = label === goal.opened;
        return svg`<g class="inorder-entry ${isOpen ? "is-open" : ""}">${arrow(edge(one, other, [w / 2, h / 2]), edge(other, one, half(box)), isOpen ? 0 : -1, `${place}.entries`)}</g>`;
      }),
    );
    const boxes = goal.labels.map((label, i) => {
      const [x, y] = spot(goal.places, i);
      const [w, h] = half(i);
      const depth = goal.box_depths[i];
      const detail = goal.details[i];
      return svg`<g class="inorder-box ${depth < 0 ? "" : "is-red"}" style="--after: ${STEP * Math.max(depth, 0)}ms"
        data-part=${detail || label} data-name="${place}.boxes" data-value=${depth}>
        <rect x=${x - w} y=${y - h} width=${2 * w} height=${2 * h} rx=${goal.round[i] ? ROUND : 6}/>
        <text x=${x} y=${detail ? y - 3 : y + 6} text-anchor="middle" class="is-name">${label}</text>
        ${detail ? svg`<text x=${x} y=${y + 16} text-anchor="middle" class="is-detail">${detail}</text>` : nothing}</g>`;
    });
    sizeDrawing(picture, width, high, unit, { "aria-label": describe(goal) });
    render(svg`<g aria-hidden="true">${entries}${ways}${boxes}</g>`, picture);
    const [w, h] = ground.door;
    render(
      goal.doors.map((label, d) => {
        const [x, y] = door(d);
        return html`<button type="button" class="inorder-door" aria-pressed=${label === goal.opened} data-part=${label}
          style="left: ${(x - w / 2) * unit}px; top: ${(y - h / 2) * unit}px; width: ${w * unit}px; height: ${h * unit}px"
          @click=${() => open(goal.drag[0], label)}><span class="inorder-leaf" aria-hidden="true"></span>${label}</button>`;
      }),
      doors,
    );
  }

  return { root, update };
}

// As diagram.py says it.
/** @type {(panel: DiagramPanel) => string} */
function describe({ labels, details, opened, box_depths }) {
  const names = labels.map((label, i) => (details[i] ? `${label}, ${details[i]}` : label));
  const reached = names.filter((_, i) => box_depths[i] >= 0);
  const comes = opened
    ? `The door “${opened}” is open; what comes in reaches ${reached.join("; ")}`
    : "All doors are shut";
  return `a drawing of boxes and arrows: ${names.join("; ")}. ${comes}.`;
}

MARKS.diagram = { make: diagramMark, narrowest: 320 };
