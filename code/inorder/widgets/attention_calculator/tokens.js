// The tokens as boxes to type in, with a button to remove each, and one to add another.

import { button } from "../kit/controls.js";
import { make } from "../kit/elements.js";

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

  function remove(i) {
    const { tokens, x, row } = shell.state();
    const without = (list) => list.filter((_, k) => k !== i);
    shell.change({ row: Math.min(row, tokens.length - 2), tokens: without(tokens), x: without(x) });
    boxes()[Math.min(i, tokens.length - 2)].focus();
  }

  function makeBox(i) {
    const rename = (text) => shell.change({ tokens: shell.state().tokens.map((old, k) => (k === i ? text : old)) });
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

  function update({ tokens }) {
    if (boxes().length !== tokens.length) root.replaceChildren(...tokens.map((_, i) => makeBox(i)), addition);
    boxes().forEach((box, i) => {
      if (box.value !== tokens[i]) box.value = tokens[i];
    });
    for (const removal of root.querySelectorAll(".inorder-token button")) removal.disabled = tokens.length === fewest;
    addition.disabled = tokens.length === most;
  }
  return { root, update };
}
