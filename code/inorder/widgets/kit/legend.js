// The legend of a heat map.

import { make } from "./elements.js";
import { LAST_COLOUR, paintHeatMap } from "./heat_map.js";

// A strip of the scale's colours with two or more words spread below it, and, if `missing` is given, a hatched box
// with that word. (The kit's style.css knows nothing of it: its few lines of style are here.)
export function colourLegend() {
  const strip = make("canvas", { style: "display: block", "aria-hidden": "true" });
  const box = make("canvas", { "aria-hidden": "true" });
  const words = make("div", { style: "display: flex; justify-content: space-between; gap: 8px" });
  const missingWord = make("span", {});
  const numbers = make("div", { style: "width: 13em; max-width: 100%" }, strip, words);
  const missing = make("div", { style: "display: flex; align-items: center; gap: 5px" }, box, missingWord);
  const style =
    "display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: start; color: var(--muted); font-size: max(12px, 0.85em)";
  const root = make("div", { class: "inorder-legend", style, role: "img" }, numbers, missing);
  let drawn = "";

  /** @type {(legend: { scale: ColourScale, words: string[], missing?: string }) => void} */
  function set({ scale, words: texts, missing: text = "" }) {
    const content = JSON.stringify([scale.kind, scale.hatch, scale.smallest, scale.largest, texts, text]);
    if (content === drawn) return;
    drawn = content;
    const nColumns = LAST_COLOUR + 1;
    const step = (scale.largest - scale.smallest) / LAST_COLOUR;
    const values = Float64Array.from({ length: nColumns }, (_, i) => scale.smallest + step * i);
    paintHeatMap(strip, { values, nRows: 1, nColumns, scale, width: 160, height: 10 });
    Object.assign(strip.style, { width: "100%", height: "0.8em" }); // however large the figure's type is
    paintHeatMap(box, { values: new Float64Array([NaN]), nRows: 1, nColumns: 1, scale, width: 14, height: 10 });
    words.replaceChildren(...texts.map((word) => make("span", {}, word)));
    missingWord.textContent = text;
    missing.style.display = text ? "flex" : "none";
    root.setAttribute("aria-label", `Colours: ${[...texts, ...(text ? [`hatched, ${text}`] : [])].join(", ")}`);
  }
  return { root, set };
}
