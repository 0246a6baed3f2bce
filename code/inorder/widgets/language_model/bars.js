// The likeliest next tokens: for each a filled bar, after the first prompt, and an outlined one, after the second.

import { make, setAttributes, write } from "../kit/elements.js";
import { formatNumber } from "../kit/words.js";
import { PROMPTS, spell } from "./words.js";

/** @typedef {import("./words.js").Results} Results */

const MOST = 6; // tokens

/** Each token with both probabilities; null where it isn't in that list. @param {Results["next"]} next @returns {[string, (number | null)[]][]} */
export function nextRows(next) {
  const tables = next.map((list) => new Map(list));
  const tokens = [...new Set(next.flatMap((list) => list.map(([token]) => token)))];
  const most = (/** @type {string} */ token) => Math.max(...tables.map((table) => table.get(token) ?? 0));
  return tokens
    .sort((one, other) => most(other) - most(one))
    .slice(0, MOST)
    .map((token) => [token, tables.map((table) => table.get(token) ?? null)]);
}

export function nextBars() {
  const swatch = (/** @type {string} */ which) =>
    make("span", { class: `inorder-lm-bar is-${which}`, "aria-hidden": "true" });
  const key = ["Next token:", swatch("first"), "after the first,", swatch("second"), "after the second"];
  const rows = Array.from({ length: MOST }, () => {
    const token = make("span", { class: "inorder-lm-token", dir: "auto" });
    const sides = PROMPTS.map((which, i) => ({
      number: make("span", { class: "inorder-lm-number", "data-name": "next", "data-col": i }),
      bar: make("span", { class: `inorder-lm-bar is-${which}` }),
    }));
    const lines = sides.map(({ number, bar }) => make("span", { class: "inorder-lm-side" }, number, bar));
    return { token, sides, root: make("div", { class: "inorder-lm-pair", role: "img" }, token, ...lines) };
  });
  const root = make(
    "div",
    { class: "inorder-lm-bars", role: "group", "aria-label": "The next token after each prompt" },
    make("p", { class: "inorder-lm-key", "aria-hidden": "true" }, ...key),
    ...rows.map((row) => row.root),
  );

  /** @type {(results: Results | null) => void} */
  function update(results) {
    const table = results ? nextRows(results.next) : [];
    const longest = Math.max(...table.flatMap(([, shares]) => shares.map((share) => share ?? 0)));
    rows.forEach((row, i) => {
      row.root.classList.toggle("is-empty", i >= table.length);
      const [token, shares] = table[i] ?? ["", [null, null]];
      const name = i < table.length ? spell(token) : "";
      const texts = shares.map((share) => (share === null ? "–" : formatNumber(share)));
      const spoken = shares.map((share, side) => (share === null ? "hardly ever" : texts[side]));
      write(row.token, name);
      setAttributes(row.root, {
        "aria-label": name ? `“${name}”: ${spoken[0]} after the first, ${spoken[1]} after the second` : "no token",
      });
      row.sides.forEach(({ number, bar }, side) => {
        write(number, name ? texts[side] : "");
        setAttributes(number, { "data-row": i, "data-value": shares[side] ?? NaN });
        bar.classList.toggle("is-none", shares[side] === null);
        bar.style.setProperty("--share", String((shares[side] ?? 0) / (longest || 1)));
      });
    });
  }
  return { root, update };
}
