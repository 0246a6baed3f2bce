// The four vectors as rows of cells, and a chart of what is read back. Both are drawn in polygons and paths: a page lays
// these out sooner than boxes, and than rects, of which the browser reads place and size as style.

import { divergingColour } from "../kit/colour.js";
import { make, setAttributes, svgNode, write } from "../kit/elements.js";
import { kept } from "../kit/kept.js";
import { winner } from "./read_back.js";

/** @typedef {Pick<ReturnType<typeof import("./read_back.js").compute>, "x" | "p" | "t" | "k" | "dToken">} Vectors */

/**
 * @typedef {{ from: number, isJoint: boolean, columns: number, cell: number, largest: number, dark: boolean }} Look
 */

const FEWEST = 12; // columns: a narrower vector does not fill the row
const ROOM_FOR_A_SIGN = 12; // pixels of a cell
const SIGN = 7; // pixels
const INKS = ["#000", "#fff"];

/**
 * @type {(name: string, row: number) => { words: HTMLElement, drawing: SVGSVGElement, nodes: Element[],
 *   draw: (vector: number[], look: Look) => void }}
 */
function strip(name, row) {
  const words = make("span", { class: "inorder-note" });
  const label = make("div", { class: "inorder-vector" }, make("i", {}, name), " ", words);
  /** @type {(look: string) => SVGPathElement} */
  const path = (look) => svgNode("path", { class: look });
  const cells = svgNode("g");
  const [places, border] = [path("inorder-places"), path("inorder-border")];
  const signs = INKS.map(() => path("inorder-minus"));
  signs.forEach((sign, i) => sign.setAttribute("stroke", INKS[i]));
  const drawing = svgNode("svg", { class: "inorder-cells", preserveAspectRatio: "none" });
  drawing.append(cells, places, border, ...signs);

  // from: where the numbers of the position begin; cell: the width of one in pixels
  /** @type {(vector: number[], look: Look) => void} */
  function draw(vector, { from, isJoint, columns, cell, largest, dark }) {
    const d = vector.length;
    setAttributes(drawing, { viewBox: `0 0 ${columns} 1` });
    for (let i = cells.childElementCount; i < d; i += 1) {
      const points = `${i},0 ${i + 1},0 ${i + 1},1 ${i},1`;
      cells.append(svgNode("polygon", { points, "data-name": "vectors", "data-row": row, "data-col": i }));
    }
    while (cells.childElementCount > d) cells.lastChild?.remove();
    /** @type {Record<string, string>} */
    const lines = Object.fromEntries(INKS.map((ink) => [ink, ""]));
    vector.forEach((value, i) => {
      const { fill, ink } = divergingColour(value / largest, dark);
      setAttributes(cells.children[i], { "data-value": value, fill });
      if (value < 0) lines[ink] += `M${i + 0.5 - SIGN / cell / 2} 0.5h${SIGN / cell}`;
    });
    signs.forEach((sign, i) => setAttributes(sign, { d: cell < ROOM_FOR_A_SIGN ? "" : lines[INKS[i]] }));
    setAttributes(places, { d: from < d ? `M${from} 1H${d}` : "" });
    setAttributes(border, { d: isJoint && from < d ? `M${from} 0V1` : "" });
  }
  return { words, drawing, nodes: [label, drawing], draw };
}

/** x, p, x + p and [x; p], one below the other; the line of position stands below the numbers that p alone has given. */
export function strips() {
  const rows = ["x", "p", "x + p", "[x; p]"].map(strip);
  const root = make("div", { class: "inorder-strips", role: "img" }, ...rows.flatMap(({ nodes }) => nodes));
  root.setAttribute(
    "aria-label",
    "The token x, the position p, their sum, and the two side by side, as coloured numbers",
  );

  // The width of the numbers, which that of the stage and the longest label leave; to ask has the browser lay out the page.
  const widthOf = kept((/** @type {number[]} */ ..._stageAndLabels) => rows[0].drawing.getBoundingClientRect().width);

  /** @type {(vectors: Vectors, view: { d: number, words: string[], dark: boolean, room: number }) => void} */
  function draw({ x, p, t, k, dToken }, { d, words, dark, room }) {
    const [token, position] = [x[t].slice(0, d), p[k].slice(0, d)];
    const sum = token.map((value, i) => value + position[i]);
    const beside = [...token.slice(0, dToken), ...position.slice(0, d - dToken)];
    const vectors = [token, position, sum, beside];
    const largest = Math.max(...vectors.flat().map(Math.abs));
    const columns = Math.max(d, FEWEST);
    write(rows[0].words, `“${words[t]}”`);
    write(rows[1].words, String(k));
    const cell = widthOf(room, t, k) / columns;
    const from = [d, 0, d, dToken];
    rows.forEach((one, row) => {
      one.draw(vectors[row], { from: from[row], isJoint: row === 3, columns, cell, largest, dark });
    });
  }
  return { root, draw };
}

/** A bar for each of the scores, the right one in ink; ✓ or ×, and dashed what has won instead. */
/**
 * @type {(name: string, what: string, names: string[]) => { root: HTMLElement, draw: (scores: number[],
 *   place: number) => void }}
 */
export function readOut(name, what, names) {
  const [width, height] = [1000, 100]; // stretched to the room that there is
  const answer = make("span", { class: "inorder-read" });
  const sign = make("span", { class: "inorder-sign" });
  const svg = svgNode("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img" });
  const right = make("span", { class: "inorder-right", "aria-hidden": "true" });
  const one = make("span", { class: "inorder-one", "aria-hidden": "true" }, "1");
  const root = make(
    "div",
    { class: "inorder-readout" },
    make(
      "div",
      { class: "inorder-question", "aria-hidden": "true" }, // the name of the drawing says it all
      make("span", { class: "inorder-which" }, "Which"),
      `${what}?`,
      answer,
      sign,
    ),
    make("div", { class: "inorder-bars" }, svg, one, right),
  );

  /** @type {(kind: string) => SVGPathElement} */
  const level = (kind) => svgNode("path", { class: kind });
  const [top, bottom] = [level("inorder-level"), level("inorder-zero")];
  const bars = svgNode("g");
  svg.append(top, bars, bottom);

  /** @type {(scores: number[], place: number) => void} */
  function draw(scores, place) {
    const { best, isRight } = winner(scores, place);
    const [high, low] = [Math.max(1.05, ...scores), Math.min(-0.25, ...scores)];
    const y = (/** @type {number} */ score) => ((high - score) / (high - low)) * height;
    const step = width / scores.length;
    setAttributes(top, { d: `M 0 ${y(1)} H ${width}` });
    setAttributes(bottom, { d: `M 0 ${y(0)} H ${width}` });
    for (let i = bars.childElementCount; i < scores.length; i += 1) {
      bars.append(svgNode("polygon", { "data-name": name, "data-row": 0, "data-col": i }));
    }
    while (bars.childElementCount > scores.length) bars.lastChild?.remove();
    scores.forEach((score, i) => {
      const [left, right] = [(i + 0.1) * step, (i + 0.9) * step];
      const [upper, lower] = [y(Math.max(score, 0)), y(Math.min(score, 0))];
      setAttributes(bars.children[i], {
        points: `${left},${upper} ${right},${upper} ${right},${lower} ${left},${lower}`,
        class: `inorder-bar${i === place ? " is-right" : ""}${i === best && !isRight ? " is-winner" : ""}`,
        "data-value": score,
      });
    });
    const verdict = isRight ? "right" : `wrong: it is ${names[place]}`;
    const tie = isRight || best !== place ? verdict : "tied with others";
    const told = `Which ${what}? ${names[best]}, ${tie}: the highest of ${scores.length} bars`;
    setAttributes(svg, { "aria-label": told });
    one.style.setProperty("--at", String(y(1) / height));
    write(right, names[place]);
    right.style.setProperty("--place", String((place + 0.5) / scores.length));
    write(answer, names[best]);
    write(sign, isRight ? "✓" : "×");
    setAttributes(sign, { class: `inorder-sign is-${isRight ? "right" : "wrong"}` });
  }
  return { root, draw };
}
