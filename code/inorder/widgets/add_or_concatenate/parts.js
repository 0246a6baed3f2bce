// The four vectors as rows of cells, and a chart of what is read back.

import { divergingColour } from "../kit/colour.js";
import { make, setAttributes, svgNode, write } from "../kit/elements.js";
import { kept } from "../kit/kept.js";
import { winner } from "./read_back.js";

const FEWEST = 12; // columns: a narrower vector does not fill the row
const ROOM_FOR_A_SIGN = 12; // pixels of a cell

/** x, p, x + p and [x; p], one below the other; the line of position stands below the numbers that p alone has given. */
export function strips() {
  const names = ["x", "p", "x + p", "[x; p]"];
  const rows = names.map((name, row) => {
    const words = make("span", { class: "inorder-note" });
    const cells = make("div", { class: "inorder-cells" });
    const label = make("div", { class: "inorder-vector" }, make("i", {}, name), " ", words);
    return { row, words, cells, nodes: [label, cells] };
  });
  const root = make("div", { class: "inorder-strips", role: "img" }, ...rows.flatMap(({ nodes }) => nodes));
  root.setAttribute(
    "aria-label",
    "The token x, the position p, their sum, and the two side by side, as coloured numbers",
  );

  // The width of the numbers, which that of the stage and the longest label leave; to ask has the browser lay out the page.
  const widthOf = kept((..._stageAndLabels) => rows[0].cells.clientWidth);

  function draw({ x, p, t, k, dToken }, { d, words, dark, room }) {
    const [token, position] = [x[t].slice(0, d), p[k].slice(0, d)];
    const sum = token.map((value, i) => value + position[i]);
    const beside = [...token.slice(0, dToken), ...position.slice(0, d - dToken)];
    const vectors = [token, position, sum, beside];
    const largest = Math.max(...vectors.flat().map(Math.abs));
    const columns = Math.max(d, FEWEST);
    const tracks = `grid-template-columns: repeat(${columns}, minmax(0, 1fr))`;
    write(rows[0].words, `“${words[t]}”`);
    write(rows[1].words, String(k));
    const isWide = widthOf(room, t, k) / columns >= ROOM_FOR_A_SIGN;
    rows.forEach(({ row, cells }) => {
      setAttributes(cells, { style: tracks });
      for (let i = cells.childElementCount; i < d; i += 1) {
        cells.append(make("span", { "data-name": "vectors", "data-row": row, "data-col": i }));
      }
      while (cells.childElementCount > d) cells.lastChild.remove();
      vectors[row].forEach((value, i) => {
        const cell = cells.children[i];
        const { fill, ink } = divergingColour(value / largest, dark);
        const isPosition = row === 1 || (row === 3 && i >= dToken);
        const isBorder = row === 3 && i === dToken;
        setAttributes(cell, {
          "data-value": value,
          class: `${isPosition ? "is-position" : ""} ${isBorder ? "is-border" : ""}`,
          style: `background-color: ${fill}; color: ${ink}`,
        });
        write(cell, value < 0 && isWide ? "−" : "");
      });
    });
  }
  return { root, draw };
}

/** A bar for each of the scores, the right one in ink; ✓ or ×, and dashed what has won instead. */
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

  const level = (kind) => svgNode("path", { class: kind });
  const [top, bottom] = [level("inorder-level"), level("inorder-zero")];
  const bars = svgNode("g");
  svg.append(top, bars, bottom);

  function draw(scores, place) {
    const { best, isRight } = winner(scores, place);
    const [high, low] = [Math.max(1.05, ...scores), Math.min(-0.25, ...scores)];
    const y = (score) => ((high - score) / (high - low)) * height;
    const step = width / scores.length;
    setAttributes(top, { d: `M 0 ${y(1)} H ${width}` });
    setAttributes(bottom, { d: `M 0 ${y(0)} H ${width}` });
    // No rects: of those the browser reads place and size as style, which takes it three times as long.
    for (let i = bars.childElementCount; i < scores.length; i += 1) {
      bars.append(svgNode("polygon", { "data-name": name, "data-row": 0, "data-col": i }));
    }
    while (bars.childElementCount > scores.length) bars.lastChild.remove();
    scores.forEach((score, i) => {
      const [left, right] = [(i + 0.1) * step, (i + 0.9) * step];
      const [upper, lower] = [y(Math.max(score, 0)), y(Math.min(score, 0))];
      setAttributes(bars.children[i], {
        points: `${left},${upper} ${right},${upper} ${right},${lower} ${left},${lower}`,
        class: `inorder-bar${i === place ? " is-right" : ""}${i === best && !isRight ? " is-winner" : ""}`,
        "data-value": score,
      });
    });
    const verdict = isRight ? "right" : `wrong, it is ${names[place]}`;
    const tie = isRight || best !== place ? verdict : "but not alone";
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
