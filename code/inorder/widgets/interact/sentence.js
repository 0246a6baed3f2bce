// Words on a line, and arcs between them as thick as weights: of the first matrix above, of the second below. Where the
// line is too short for the words, they stand one below the other, and the arcs beside them.

import { clamp } from "../kit/arithmetic.js";
import { dragTiles } from "../kit/drag.js";
import { make, setAttributes, svgNode, write } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { nothing, render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";

/** @typedef {import("./states.js").SentencePanel} SentencePanel */

/**
 * @typedef {{ isColumn: boolean, unit: number, widths: number[], gap: number, start: number, edges: [number, number],
 *   most: number, width: number, height: number }} Frame
 *   start: where the line begins; edges: those of the line of tiles, from which the arcs rise as far as `most`
 */

// In units of view.js, fifteenths of an em.
const LARGEST = 27; // letters
const SMALLEST = 16;
const GAPS = [6, 64]; // between tiles, least and most
const ROW = [38, 48]; // of a column: of words alone, and of those that the reader takes hold of
const THICKEST = 15; // an arc
const HEAD = 9; // of an arrow
const NAME = 18; // the name of a round
const NOTE = 14; // letters under a word
const BESIDE = 7; // where an arrow leaves, and where it arrives, from the middle of a tile
const NEAR = 22; // how near to the middle of an arc the pointer reads it

/** @type {(numbers: number[]) => number} */
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

/** @type {MakeMark<SentencePanel>} */
function sentenceMark(place, hand) {
  const picture = svgNode("svg", { class: "inorder-arcs", role: "application" });
  const root = make("div", { class: "inorder-sentence", role: "group" }, picture);
  const read = hand.readerOver(root, picture);
  /** @type {HTMLElement[]} */
  let tiles = [];
  let built = "";
  let shown = ""; // the order to which the tiles go
  /** @type {Frame} */
  let frame;
  /** @type {{ panel: SentencePanel, goal: SentencePanel }} */
  let now;
  /** @type {number[]} */
  let centres = []; // of the tiles along the line, by token, as they are drawn
  /** @type {number | null} */
  let lifted = null; // the tile in hand, or on its way home
  /** @type {ReturnType<Hand["orders"]> | null} */
  let grasp = null; // to where the tile in hand can go

  const placesOf = (/** @type {SentencePanel} */ panel) => Array.from(panel.places.values);
  const orders = () => hand.orders(now.goal.drag, placesOf(now.goal), placesOf);

  const dragging = dragTiles({
    box: root,
    isColumn: () => frame.isColumn,
    order: () => orderOf(now.goal),
    slotsOf,
    isLoose: () => now.goal.drag.length > 0,
    move: (token, to) => (grasp ?? orders()).move(token, to),
    hold: (_, isHeld) => {
      grasp = isHeld ? orders() : null;
    },
    draw(at, top) {
      centres = at;
      lifted = top;
      draw();
    },
  });

  /** @type {(token: number, kind: "button" | "span") => HTMLElement} */
  function tileOf(token, kind) {
    /** @type {HTMLElement} */
    const tile = make(
      kind,
      { class: "inorder-tile" },
      make("span", { class: "inorder-word", dir: "auto" }),
      make("span", { class: "inorder-note" }),
    );
    if (kind === "span") return tile;
    tile.setAttribute("type", "button");
    dragging.take(tile, token);
    return tile;
  }

  // The tiles and the room around them are made again when the words or the size change.
  /** @type {(panel: SentencePanel, size: Size) => Frame} */
  function build({ labels, notes, small, drag, rounds, weights }, { width, height, unit }) {
    const kind = drag.length ? "button" : "span";
    if (tiles.length !== labels.length || tiles[0].localName !== kind) {
      for (const tile of tiles) tile.remove();
      tiles = labels.map((_, token) => tileOf(token, kind));
      picture.after(...tiles);
    }
    const loose = drag.length ? orders() : null;
    tiles.forEach((tile, token) => {
      write(/** @type {Node} */ (tile.firstChild), labels[token]);
      write(/** @type {Node} */ (tile.lastChild), notes[token]);
      tile.classList.toggle("is-small", small.includes(token));
      tile.classList.toggle("is-loose", loose?.isLoose(token) ?? false);
    });
    const n = labels.length;
    const nRounds = weights.shape[0];
    /** @type {(letters: number) => number[]} */
    const measured = (letters) => {
      root.style.setProperty("--letters", `${letters * unit}px`);
      root.style.setProperty("--note", `${NOTE * unit}px`);
      tiles.forEach(({ style }) => {
        style.width = "";
      });
      return tiles.map((tile) => Math.ceil(tile.getBoundingClientRect().width)); // rounded down, a word would be cut
    };
    root.classList.remove("is-column");
    let widths = measured(LARGEST);
    const room = width * unit - (n - 1) * GAPS[0] * unit;
    const letters = Math.min(LARGEST, Math.floor((LARGEST * room) / sum(widths)));
    const isColumn = letters < SMALLEST;
    root.classList.toggle("is-column", isColumn);
    if (isColumn || letters < LARGEST) widths = measured(isColumn ? SMALLEST : letters);
    const nameRoom = rounds.some((name) => name) ? NAME * unit : 0;
    const tall = Math.max(...tiles.map(({ offsetHeight }) => offsetHeight));
    if (isColumn) {
      const widest = Math.max(...widths);
      tiles.forEach(({ style }) => {
        style.width = `${widest}px`;
      });
      const step = unit * ROW[kind === "button" ? 1 : 0];
      const left = nRounds === 2 ? (width * unit - widest) / 2 : 0;
      return {
        isColumn,
        unit,
        widths: labels.map(() => tall),
        gap: step - tall,
        start: nameRoom,
        edges: [left, left + widest],
        most: Math.min((width * unit - widest) / nRounds - 8 * unit, 130 * unit),
        width: width * unit,
        height: nameRoom + n * step,
      };
    }
    const gap = n > 1 ? Math.min((width * unit - sum(widths)) / (n - 1), GAPS[1] * unit) : 0;
    const whole = sum(widths) + (n - 1) * gap;
    const most = Math.min((height * unit - tall) / nRounds - nameRoom, 0.25 * whole);
    const top = nRounds > 0 ? nameRoom + most : 0;
    return {
      isColumn,
      unit,
      widths,
      gap,
      start: (width * unit - whole) / 2,
      edges: [top, top + tall],
      most,
      width: width * unit,
      height: top + tall + (nRounds === 2 ? nameRoom + most : 0),
    };
  }

  // The token at each place.
  /** @type {(panel: SentencePanel) => number[]} */
  function orderOf({ places: { values } }) {
    return Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  }

  /** @type {(order: number[]) => import("../kit/drag.js").Slot[]} */
  function slotsOf(order) {
    const { widths, gap, start } = frame;
    let end = start;
    /** @type {import("../kit/drag.js").Slot[]} */
    const slots = [];
    for (const token of order) {
      slots[token] = { at: end + widths[token] / 2, size: widths[token] };
      end += widths[token] + gap;
    }
    return slots;
  }

  // A place at the edge of the line, or as far from it as `out`, on the side of a round.
  /** @type {(along: number, out: number, round: number) => Spot} */
  function spot(along, out, round) {
    const { edges, isColumn } = frame;
    const isFirst = round === 0 && !(isColumn && now.goal.weights.shape[0] < 2); // one column has its arcs at the right
    const across = isFirst ? edges[0] - out : edges[1] + out;
    return isColumn ? [across, along] : [along, across];
  }

  /** @type {(from: number, to: number) => number} */
  function heightOf(from, to) {
    const { widths, gap, most } = frame;
    const whole = sum(widths) + (widths.length - 1) * gap;
    return clamp(most * (Math.abs(to - from) / (0.7 * whole)) ** 0.75, 0, most);
  }

  /** @type {(round: number, from: number, to: number) => { arc: string, tip: string, middle: Spot }} */
  function shapeOfArc(round, from, to) {
    const { unit, most } = frame;
    const head = now.goal.heads ? HEAD * unit : 0;
    const text = (/** @type {Spot[]} */ spots) => spots.map((one) => one.map((at) => at.toFixed(1)).join(" "));
    const isLoop = from === to;
    const side = isLoop ? -14 * unit : now.goal.heads ? BESIDE * unit * Math.sign(to - from) : 0;
    const [a, b] = [from + side, to - side];
    const height = isLoop ? Math.min(0.3 * most, 34 * unit) : heightOf(a, b);
    const control = (height - head / 4) / 0.75; // a curve rises to three quarters of where its handles are
    const [first, second, third, end] = text([
      spot(a, 0, round),
      spot(a + (isLoop ? side : 0), control, round),
      spot(b - (isLoop ? side : 0), control, round),
      spot(b, head, round),
    ]);
    const tip = text([spot(b, 0, round), spot(b - head / 2, head, round), spot(b + head / 2, head, round)]);
    const middle = spot((a + b) / 2, height, round);
    return { arc: `M${first}C${second} ${third} ${end}`, tip: `M${tip.join("L")}Z`, middle };
  }

  function draw() {
    const { panel, goal } = now;
    const { unit, edges, isColumn, width, height } = frame;
    const n = centres.length;
    const [low, high] = goal.limits;
    const names = goal.rounds.map((name, round) => {
      const isSecond = round === 1;
      const [x, y] = isColumn ? [isSecond ? width : 0, 13 * unit] : [0, isSecond ? height - 4 * unit : 13 * unit];
      const anchor = isColumn && isSecond ? "end" : "start";
      return svg`<text x=${x} y=${y} text-anchor=${anchor} font-size=${14 * unit}>${name}</text>`;
    });
    const arcs = Array.from(panel.weights.values, (weight, k) => {
      const end = goal.weights.values[k];
      if (weight <= low && end <= low) return nothing;
      const [round, row, col] = [Math.floor(k / (n * n)), Math.floor(k / n) % n, k % n];
      const { arc, tip } = shapeOfArc(round, centres[row], centres[col]);
      const actor = row === goal.asks ? "query" : "ink";
      const share = clamp((weight - low) / (high - low), 0, 1);
      const thick = goal.heads ? Math.min(share * THICKEST, 2.5) : share * THICKEST;
      const head = svg`<path d=${tip} class="is-filled is-${actor}" opacity=${share}/>`;
      return svg`<g data-name="${place}.${round}.weights" data-row=${goal.places.values[row]}
        data-col=${goal.places.values[col]} data-value=${end}><path d=${arc} class="inorder-arc is-line-of-${actor}"
        stroke-width=${thick * unit}/>${goal.heads ? head : nothing}</g>`;
    });
    setAttributes(picture, { width, height, viewBox: `0 0 ${width} ${height}` });
    render([names, arcs], picture);
    root.style.height = `${height}px`;
    tiles.forEach((tile, token) => {
      const [x, y] = isColumn
        ? [edges[0], centres[token] - frame.widths[token] / 2]
        : [centres[token] - frame.widths[token] / 2, edges[0]];
      tile.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      tile.classList.toggle("is-asking", token === goal.asks);
      tile.classList.toggle("is-dragged", lifted === token);
    });
  }

  /** @type {() => import("./reader.js").Reading[][]} */
  function readings() {
    const { labels, rounds, weights } = now.goal;
    const inOrder = orderOf(now.goal);
    const rests = slotsOf(inOrder);
    const n = labels.length;
    return rounds.flatMap((name, round) =>
      inOrder.map((row) =>
        inOrder.flatMap((col) => {
          const weight = weights.values[(round * n + row) * n + col];
          if (weight <= now.goal.limits[0]) return [];
          const { middle } = shapeOfArc(round, rests[row].at, rests[col].at);
          const words = `${name ? `${name}: ` : ""}${labels[row]} → ${labels[col]}`;
          const number = now.goal.heads ? "" : ` ${formatNumber(weight)}`;
          return [{ at: middle, reach: /** @type {Spot} */ ([NEAR, NEAR]), words: words + number }];
        }),
      ),
    );
  }

  /** @type {MarkOf<SentencePanel>["update"]} */
  function update(panel, size, _dark, goal) {
    now = { panel, goal };
    const { labels, notes, small, drag, rounds } = goal;
    const next = JSON.stringify([size, labels, notes, small, drag, rounds]);
    const isNew = built !== next;
    if (isNew) frame = build(goal, size);
    built = next;
    if (isNew || String(orderOf(goal)) !== shown) dragging.follow({ jump: isNew });
    else if (!dragging.isMoving()) draw();
    shown = String(orderOf(goal));
    if (panel !== goal) return;
    root.setAttribute("aria-label", `${goal.title ? `${goal.title}: ` : ""}${goal.spoken}`);
    setAttributes(picture, { "aria-label": "Arcs between the words. Arrow keys read them." });
    if (goal.drag.length) {
      tiles.forEach((tile, token) => {
        const where = `${goal.places.values[token] + 1} of ${labels.length}`;
        tile.setAttribute("aria-label", `${labels[token]}, ${where}${token === goal.asks ? ", asks" : ""}`);
      });
    }
    read(readings);
  }

  return { root, update };
}

MARKS.sentence = { make: sentenceMark, narrowest: 300 };
