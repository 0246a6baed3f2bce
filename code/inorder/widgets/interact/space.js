// Marks in space: places, vectors and curves of three coordinates, which the reader turns by hand.

import { clamp } from "../kit/arithmetic.js";
import { sizeDrawing, svgNode } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { nothing, render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { dashOf, shape } from "./actors.js";
import { alongCurve, arrow, clearSide, label, sidesOf } from "./drawing.js";

/** @typedef {import("./states.js").SpacePanel} SpacePanel */

/** @typedef {[x: number, y: number, z: number]} Place */

/** @typedef {{ right: number, up: number, near: number }} Seen a place from one side, in its own units */

/** @typedef {{ pointer: number, from: Spot, view: Spot, states: { places: number[], view: Spot }[] }} Hold */

const DEGREES = 0.5; // that a pixel of dragging turns
const KEY_STEP = 5; // degrees
const REST = 150; // milliseconds that a turned space takes to come to rest
const RULER = 74; // what a ruler takes of the width
const HIGHER = 1.2; // than a plane
const MARGIN = 16; // around the sphere in which everything stays
const NEARER = 0.3; // how much larger than in the middle a point is that is nearest to the eye
const TURNS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1] };

// Triples of an array (n, 3) of a state.
/** @type {(array: ArrayOf) => Place[]} */
const triples = ({ values }) =>
  Array.from({ length: values.length / 3 }, (_, i) => [values[3 * i], values[3 * i + 1], values[3 * i + 2]]);

// A place less another, as it is seen: the first two numbers are those of `view_matrix` in marks.py.
/** @type {(view: Spot) => (place: Place, middle: Place) => Seen} */
function seenFrom([around, above]) {
  const [a, e] = [(around * Math.PI) / 180, (above * Math.PI) / 180];
  const [cosA, sinA, cosE, sinE] = [Math.cos(a), Math.sin(a), Math.cos(e), Math.sin(e)];
  return (place, middle) => {
    const [x, y, z] = place.map((value, axis) => value - middle[axis]);
    const back = sinA * x + cosA * y;
    return { right: cosA * x - sinA * y, up: sinE * back + cosE * z, near: sinE * z - cosE * back };
  };
}

/** @type {(panel: SpacePanel) => Spot} */
const viewOf = ({ view }) => [view.values[0], view.values[1]];
/** @type {(degrees: number) => number} */
const level = (degrees) => clamp(degrees, -90, 90);

/** @type {MakeMark<SpacePanel>} */
function spaceMark(place, hand) {
  const picture = svgNode("svg", { class: "inorder-plane inorder-space", role: "application", tabindex: 0 });
  const { root, set: setHandles } = hand.handlesOver(picture, hand);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {Parameters<typeof update> | null} */
  let last = null;
  /** @type {Hold | null} */
  let held = null;
  /** @type {Spot | null} */
  let turned = null; // the view in the reader's hand; null: that of the state
  /** @type {number[]} */
  let sides = []; // of the names
  let frame = 0;

  /** @type {MarkOf<SpacePanel>["update"]} */
  function update(panel, size, dark, goal) {
    last = [panel, size, dark, goal];
    const view = turned ?? viewOf(panel);
    const height = HIGHER * size.height;
    const scale = size.unit;
    const width = size.width - (panel.heights ? RULER : 0);
    const [x, y, z, radius] = panel.sphere;
    const unit = (Math.min(width, height) / 2 - MARGIN) / radius;
    const seen = seenFrom(view);
    const isAtRest = !held && !frame;
    /** @type {(one: Place) => { at: Spot, near: number }} */
    const drawn = (one) => {
      const { right, up, near } = seen(one, [x, y, z]);
      return { at: [width / 2 + unit * right, height / 2 - unit * up], near: near / radius };
    };
    /** @type {{ mark: unknown, near: number }[]} */
    const shapes = [];
    /** @type {unknown[]} */
    const ruler = [];
    /** @type {{ text: string, actor: Actor, at: Spot, isDragged: boolean }[]} */
    const names = [];
    /** @type {unknown[]} */
    const labels = [];
    /** @type {Grip[]} */
    const grips = [];
    /** @type {string[]} */
    const descriptions = [];
    /** @type {import("./drawing.js").Edges[]} */
    const taken = [];
    const fixed = (/** @type {Spot} */ [across, down]) => `${across.toFixed(1)} ${down.toFixed(1)}`;

    panel.layers.forEach((layer, l) => {
      const { actor } = layer;
      const places = triples(layer.xyz);
      const ends = triples(goal.layers[l].xyz);
      if (layer.kind === "lines") {
        const corners = places.map(drawn);
        const isClosed = places.length > 2 && String(places[0]) === String(places[places.length - 1]);
        const mark = svg`<path d="M${corners.map(({ at }) => fixed(at)).join("L")}"
          class="inorder-curve is-line-of-${actor} ${isClosed ? "is-tinted" : ""}"
          stroke-dasharray=${(actor === "ink" ? "" : dashOf(actor, 0)) || "none"} data-name="${place}.${l}.xyz"
          data-row="0" data-value=${ends.flat().join(" ")}/>`;
        shapes.push({ mark, near: Math.min(...corners.map(({ near }) => near)) });
        if (isAtRest) taken.push(...alongCurve(corners.map(({ at }) => at)));
        return;
      }
      const tails = layer.tails ? triples(layer.tails) : [];
      places.forEach((one, i) => {
        const { at, near } = drawn(one);
        const isArrow = layer.kind === "arrows";
        const size = (1 + NEARER * near).toFixed(2);
        const mark = isArrow
          ? arrow(drawn(tails[i]).at, at, actor)
          : shape(actor, `translate(${fixed(at)}) scale(${size})`);
        shapes.push({
          mark: svg`<g data-name="${place}.${l}.xyz" data-row=${i} data-value=${ends[i].join(" ")}>${mark}</g>`,
          near,
        });
        const text = layer.labels[i];
        const isOnRuler = Boolean(panel.heights && text && !isArrow && actor !== "ink");
        if (isOnRuler) labels.push(label(text, actor, width + 20, at[1] + 5, "start"));
        if (!isArrow && panel.heights) {
          ruler.push(svg`<line x1=${at[0]} x2=${width + 8} y1=${at[1]} y2=${at[1]} class="is-zero"/>
            ${shape(actor, `translate(${width + 8} ${at[1].toFixed(1)}) scale(0.8)`)}`);
        }
        taken.push([at[0] - 7, at[1] - 7, at[0] + 7, at[1] + 7]);
        const isDragged = layer.drag.length > 0;
        if (text && !isOnRuler) names.push({ text, actor, at, isDragged });
        if (isDragged) {
          /** @type {(other: SpacePanel) => Spot} */
          const of = ({ layers }) => {
            const [across, down] = drawn(triples(layers[l].xyz)[i]).at;
            return [scale * across, scale * down];
          };
          grips.push({ names: layer.drag, label: text ?? "", at: of(panel), of });
        }
        descriptions.push(
          `${text || layer.kind.slice(0, -1)} at ${one.map((value) => formatNumber(value)).join(", ")}`,
        );
      });
    });

    // While it is turned, a name keeps its side of its place.
    const room = { width: size.width, height };
    if (isAtRest) sides = names.map(({ text, at, isDragged }) => clearSide(text, at, isDragged, taken, room));
    names.forEach(({ text, actor, at, isDragged }, i) => {
      const side = sidesOf(text, at, isDragged)[sides[i] ?? 0];
      labels.push(label(text, actor, side.at[0], side.at[1], side.anchor));
    });
    shapes.sort((one, other) => one.near - other.near);
    const [around, above] = view.map((degrees) => `${formatNumber(degrees, 0)}°`);
    sizeDrawing(picture, size.width, height, size.unit, {
      "aria-label":
        `${panel.title ? `${panel.title}: ` : ""}space, turned by ${around} and seen from ${above} above. ` +
        `${descriptions.join("; ")}. Arrow keys turn it.`,
    });
    const axis = svg`<line x1=${width + 8} x2=${width + 8} y1=${MARGIN} y2=${height - 4} class="is-axis"/>
      <text x=${size.width - 2} y="14" text-anchor="end" class="is-axis-name">${panel.heights}</text>`;
    render(
      svg`<g aria-hidden="true"><g class="inorder-ground">${panel.heights ? axis : nothing}${ruler}</g>
        ${shapes.map(({ mark }) => mark)}${labels}</g>`,
      picture,
    );
    setHandles(grips);
  }

  const paint = () => last && update(...last);

  // All states that turning may come to: those of its arguments, the others as they are.
  /** @type {(names: string[]) => Hold["states"]} */
  const statesOf = (names) => hand.statesOf(names).map((places) => ({ places, view: viewOf(hand.panelAt(places)) }));

  picture.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !last) return;
    const [panel] = last;
    const states = panel.turn.length ? statesOf(panel.turn) : [];
    cancelAnimationFrame(frame);
    frame = 0;
    held = { pointer: event.pointerId, from: [event.clientX, event.clientY], view: turned ?? viewOf(panel), states };
    picture.setPointerCapture(event.pointerId);
    picture.classList.add("is-held");
  });

  picture.addEventListener("pointermove", (event) => {
    if (held?.pointer !== event.pointerId) return;
    const { from, view, states } = held;
    let [around, above] = [
      view[0] + DEGREES * (event.clientX - from[0]),
      level(view[1] + DEGREES * (event.clientY - from[1])),
    ];
    if (states.length) {
      const ends = (/** @type {0 | 1} */ axis) => states.map((state) => state.view[axis]);
      around = clamp(around, Math.min(...ends(0)), Math.max(...ends(0)));
      above = clamp(above, Math.min(...ends(1)), Math.max(...ends(1)));
      const distances = states.map((state) => Math.hypot(state.view[0] - around, state.view[1] - above));
      const nearest = states[distances.indexOf(Math.min(...distances))].places;
      turned = [around, above];
      hand.set(nearest);
    }
    turned = [around, above];
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      paint();
    });
  });

  // A view that a state has comes to rest there; any other stays as the hand left it.
  function letGo() {
    if (!held || !last) return;
    const isOfState = held.states.length > 0;
    held = null;
    picture.classList.remove("is-held");
    cancelAnimationFrame(frame);
    frame = 0;
    if (!isOfState || !turned) return paint();
    const [start, end, began] = [turned, viewOf(last[3]), performance.now()];
    /** @type {(now: number) => void} */
    const step = (now) => {
      const left = calm.matches ? 0 : (1 - clamp((now - began) / REST, 0, 1)) ** 3;
      turned = left ? [end[0] + left * (start[0] - end[0]), end[1] + left * (start[1] - end[1])] : null;
      frame = left ? requestAnimationFrame(step) : 0;
      paint();
    };
    step(began);
  }
  for (const ending of ["pointerup", "pointercancel"]) picture.addEventListener(ending, letGo);

  picture.addEventListener("keydown", (event) => {
    if (!last) return;
    const [panel] = last;
    const turn = TURNS[/** @type {keyof typeof TURNS} */ (event.key)];
    if (!turn && event.key !== "Home") return;
    event.preventDefault();
    if (panel.turn.length) {
      if (!turn) return;
      const which = hand.controls.findIndex(({ name }) => name === panel.turn[turn[0]]);
      if (which < 0) return;
      const next = clamp(hand.places()[which] + turn[1], 0, hand.controls[which].keys.length - 1);
      hand.set(hand.places().with(which, next));
      return;
    }
    const [around, above] = turned ?? viewOf(panel);
    const [right, up] = turn ? [turn[0] ? 0 : turn[1], turn[0] ? turn[1] : 0] : [0, 0];
    turned = turn ? [around + KEY_STEP * right, level(above + KEY_STEP * up)] : null;
    paint();
  });

  return { root, update };
}

MARKS.space = { make: spaceMark, narrowest: 270 };
