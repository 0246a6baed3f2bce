// The two distributions of the next token: for each token a filled bar, after the first prompt, and an outlined one. The
// bars of a prompt are one path: to draw them is less work for the page than a box for each.

import { make, setAttributes, svgNode, write } from "../kit/elements.js";
import { formatNumber } from "../kit/words.js";
import { PROMPTS } from "./words.js";

const MOST_SHOWN = 8; // tokens of a larger vocabulary that get bars: the most likely ones
const BAR = 0.42; // of a line, which has two

/**
 * @type {(vocabulary: string[]) => { root: HTMLElement, update: (computed: import("./reading.js").Computed) =>
 *   void }}
 */
export function pairedBars(vocabulary) {
  const lines = Array.from({ length: Math.min(vocabulary.length, MOST_SHOWN) }, () => {
    const numbers = PROMPTS.map((_, prompt) =>
      make("span", { class: "inorder-lab-share", "data-name": "distributions", "data-row": prompt }),
    );
    const token = make("span", { class: "inorder-lab-token" });
    const root = make("div", { class: "inorder-lab-pair", role: "img" }, token, ...numbers);
    return { token, numbers, root };
  });
  const drawing = svgNode("svg", {
    class: "inorder-lab-drawing",
    viewBox: `0 0 1 ${lines.length}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const paths = PROMPTS.map((which) => svgNode("path", { class: `inorder-lab-bars-of is-${which}` }));
  drawing.append(...paths);
  const key = (/** @type {string} */ which) =>
    make("span", { class: `inorder-lab-swatch is-${which}`, "aria-hidden": "true" });
  const all = vocabulary.length === lines.length;
  const rest = all ? "" : `, the ${lines.length} likeliest of ${vocabulary.length}`;
  const chart = make(
    "div",
    { class: "inorder-lab-chart", style: `--bar: ${BAR}` },
    drawing,
    ...lines.map((line) => line.root),
  );
  const root = make(
    "div",
    { class: "inorder-lab-bars", role: "group", "aria-label": `The next token after each prompt${rest}` },
    make(
      "p",
      { class: "inorder-lab-key", "aria-hidden": "true" },
      ...[`Next token${rest}:`, key("first"), "first", key("second"), "second prompt"],
    ),
    chart,
  );

  /** @type {(computed: import("./reading.js").Computed) => void} */
  function update({ read, written }) {
    const distributions = read.map(({ probabilities }) => probabilities);
    const likeliest = (/** @type {number} */ row) => Math.max(...distributions.map((shares) => shares[row]));
    const rows = [...vocabulary.keys()]
      .sort((a, b) => likeliest(b) - likeliest(a))
      .slice(0, lines.length)
      .sort((a, b) => a - b);
    const longest = Math.max(...rows.map(likeliest));
    chart.style.setProperty("--longest", String(Math.max(...rows.map((row) => [...vocabulary[row]].length))));
    paths.forEach((path, prompt) => {
      const bars = rows.map((row, line) => {
        const length = (distributions[prompt][row] / longest).toFixed(4);
        return `M0 ${line + BAR * prompt}H${length}v${BAR}H0z`;
      });
      setAttributes(path, { d: bars.join("") });
    });
    lines.forEach(({ root: line, token, numbers }, i) => {
      const row = rows[i];
      const texts = distributions.map((shares) => formatNumber(shares[row]));
      setAttributes(line, {
        "aria-label": `“${vocabulary[row]}”: ${texts[0]} after the first, ${texts[1]} after the second`,
      });
      write(token, vocabulary[row]);
      setAttributes(token, { title: vocabulary[row] });
      numbers.forEach((number, prompt) => {
        number.classList.toggle("is-written", row === written[prompt]);
        write(number, texts[prompt]);
        setAttributes(number, { "data-col": row, "data-value": distributions[prompt][row] });
      });
    });
  }
  return { root, update };
}
