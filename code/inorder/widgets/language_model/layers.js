// By how much the last rows of the two prompts differ, before the first block and after each: a curve, and its numbers.

import { make, setAttributes, svgNode, write } from "../kit/elements.js";
import { formatDifference } from "../kit/words.js";

const DECADES = 8; // below 10: what is smaller is drawn at the bottom
const ABOUT = "|a − b| / √(|a| |b|) of the two last rows, on a logarithmic scale; below 0.00001 it is only rounding";

export function layersPanel() {
  const curve = svgNode("path", { class: "inorder-lm-curve" });
  const dots = svgNode("path", { class: "inorder-lm-dots" });
  const drawing = svgNode("svg", { viewBox: `0 0 1 ${DECADES}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (let decade = 1; decade < DECADES; decade += 1)
    drawing.append(svgNode("path", { class: "inorder-lm-decade", d: `M0 ${decade}H1` }));
  drawing.append(curve, dots);
  const heights = make(
    "div",
    { class: "inorder-lm-heights" },
    ...["10", "0.001", "0.0000001"].map((x) => make("span", {}, x)),
  );
  const ends = make(
    "div",
    { class: "inorder-lm-ends" },
    make("span", {}, "before block 1"),
    make("span", {}, "after block 30"),
  );
  const chart = make("div", { class: "inorder-lm-chart", role: "img" }, heights, drawing, ends);
  const head = make("tr", {}, make("th", { scope: "row" }, "after block"));
  const body = make("tr", {}, make("th", { scope: "row" }, "difference"));
  const table = make(
    "div",
    { class: "inorder-numbers", tabindex: 0, role: "region", "aria-label": "The differences as numbers" },
    make("table", {}, make("tbody", {}, head, body)),
  );
  const missing = make("p", {});
  const root = make("div", {}, make("p", { class: "inorder-note" }, ABOUT), missing, chart, table);
  /** @type {HTMLElement[]} */
  let cells = [];

  /** @type {(layers: number[] | undefined) => void} */
  function update(layers) {
    write(missing, layers ? "" : "These differences are not stored: only the model itself can tell.");
    chart.classList.toggle("is-empty", !layers);
    table.classList.toggle("is-empty", !layers);
    if (!layers) return;
    if (cells.length !== layers.length) {
      head.append(...layers.map((_, layer) => make("th", { scope: "col" }, String(layer))));
      cells = layers.map((_, layer) => make("td", { "data-name": "layers", "data-row": 0, "data-col": layer }));
      body.append(...cells);
    }
    const points = layers.map((x, layer) => {
      const y = Math.min(Math.max(1 - Math.log10(x), 0), DECADES); // of 0, the bottom
      return [layer / (layers.length - 1), y].map((each) => each.toFixed(3)).join(" ");
    });
    setAttributes(curve, { d: `M${points.join("L")}` });
    setAttributes(dots, { d: points.map((point) => `M${point}h0`).join("") });
    const [first, second] = [layers[1], layers[2]].map(formatDifference);
    const last = formatDifference(layers[layers.length - 1]);
    setAttributes(chart, {
      "aria-label": `A curve of the differences: ${first} after block 1, ${second} after block 2, ${last} after the last`,
    });
    layers.forEach((x, layer) => {
      write(cells[layer], formatDifference(x));
      cells[layer].dataset.value = String(x);
    });
  }
  return { root, update };
}
