// The two distributions of the next token: for each token a filled bar, after the first prompt, and an outlined one.

import { make, setAttributes, write } from "../kit/elements.js";
import { formatNumber } from "../kit/words.js";
import { PROMPTS } from "./words.js";

const MOST_SHOWN = 8; // tokens of a larger vocabulary that get bars: the most likely ones

export function pairedBars(vocabulary) {
  const lines = Array.from({ length: Math.min(vocabulary.length, MOST_SHOWN) }, () => {
    const halves = PROMPTS.map((which, prompt) => {
      const bar = make("span", { class: `inorder-lab-bar is-${which}` });
      const number = make("span", { class: "inorder-lab-share", "data-name": "distributions", "data-row": prompt });
      return { bar, number, root: make("span", { class: "inorder-lab-half" }, bar, number) };
    });
    const token = make("span", { class: "inorder-lab-token" });
    const root = make("div", { class: "inorder-lab-pair", role: "img" }, token, ...halves.map((half) => half.root));
    return { token, halves, root };
  });
  const key = (which) => make("span", { class: `inorder-lab-bar is-${which}`, "aria-hidden": "true" });
  const all = vocabulary.length === lines.length;
  const rest = all ? "" : `, the ${lines.length} likeliest of ${vocabulary.length}`;
  const root = make(
    "div",
    { class: "inorder-lab-bars", role: "group", "aria-label": `The next token after each prompt${rest}` },
    make(
      "p",
      { class: "inorder-lab-key", "aria-hidden": "true" },
      ...[`Next token${rest}:`, key("first"), "first", key("second"), "second prompt"],
    ),
    ...lines.map((line) => line.root),
  );

  function update({ read, written }) {
    const distributions = read.map(({ probabilities }) => probabilities);
    const likeliest = (row) => Math.max(...distributions.map((shares) => shares[row]));
    const rows = [...vocabulary.keys()]
      .sort((a, b) => likeliest(b) - likeliest(a))
      .slice(0, lines.length)
      .sort((a, b) => a - b);
    const longest = Math.max(...rows.map(likeliest));
    root.style.setProperty("--longest", String(Math.max(...rows.map((row) => [...vocabulary[row]].length))));
    lines.forEach(({ root: line, token, halves }, i) => {
      const [first, second] = distributions.map((shares) => formatNumber(shares[rows[i]]));
      line.setAttribute("aria-label", `“${vocabulary[rows[i]]}”: ${first} after the first, ${second} after the second`);
      write(token, vocabulary[rows[i]]);
      setAttributes(token, { title: vocabulary[rows[i]] });
      halves.forEach(({ bar, number, root: half }, prompt) => {
        const share = distributions[prompt][rows[i]];
        bar.style.setProperty("--share", String(share / longest));
        half.classList.toggle("is-written", rows[i] === written[prompt]);
        write(number, formatNumber(share));
        setAttributes(number, { "data-col": rows[i], "data-value": share });
      });
    });
  }
  return { root, update };
}
