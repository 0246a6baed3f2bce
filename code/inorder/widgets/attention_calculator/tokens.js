// The tokens as boxes to type in, with a button to remove each, and one to add another.

import { button } from "../kit/controls.js";
import { make } from "../kit/elements.js";

/**
 * @type {(shell: Shell<AttentionCalculatorState>) => { root: HTMLElement,
 *   update: (state: AttentionCalculatorState) => void }}
 */
export function tokenBoxes(shell) {
  const { fewest, most, longest } = shell.limits.tokens;
  const root = make("div", { class: "inorder-tokens", role: "group", "aria-label": "Tokens" });
  const boxes = () => root.querySelectorAll("input");

  const addition = button({
    label: "Add a token",
    text: "+ add",
    onClick: () => {
      const { tokens, x } = shell.state();
      shell.change({ tokens: [...tokens, "new"], x: [...x, x[0].map(() => 0)] });
      boxes()[tokens.length].select();
    },
  });

  /** @type {(i: number) => void} */
  function remove(i) {
    const { tokens, x, row } = shell.state();
    /** @type {<Row>(list: Row[]) => Row[]} */
    const without = (list) => list.filter((_, k) => k !== i);
    shell.change({ row: Math.min(row, tokens.length - 2), tokens: without(tokens), x: without(x) });
    boxes()[Math.min(i, tokens.length - 2)].focus();
  }

  /** @type {(i: number) => HTMLElement} */
  function makeBox(i) {
    const rename = (/** @type {string} */ text) =>
      shell.change({ tokens: shell.state().tokens.map((old, k) => (k === i ? text : old)) });
    const box = make("input", {
      type: "text",
      maxlength: longest,
      "aria-label": `Token ${i}`,
      dir: "auto",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => rename(box.value),
    });
    const removal = button({ label: `Remove token ${i}`, text: "×", onClick: () => remove(i) });
    return make("span", { class: "inorder-token" }, box, removal);
  }

  /** @type {(state: AttentionCalculatorState) => void} */
  function update({ tokens }) {
    if (boxes().length !== tokens.length) root.replaceChildren(...tokens.map((_, i) => makeBox(i)), addition);
    boxes().forEach((box, i) => {
      if (box.value !== tokens[i]) box.value = tokens[i];
    });
    for (const removal of root.querySelectorAll("button"))
      if (removal !== addition) removal.disabled = tokens.length === fewest;
    addition.disabled = tokens.length === most;
  }
  return { root, update };
}
