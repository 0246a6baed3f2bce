// The two prompts: their words, to be swapped, what the model generates after them, and the text itself, to be edited.

import { button } from "../kit/controls.js";
import { make, setAttributes, write } from "../kit/elements.js";
import { PROMPTS } from "./words.js";

const WORD =
  /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*|\p{Extended_Pictographic}[\p{M}\p{EMod}]*(?:\u200D\p{Extended_Pictographic}[\p{M}\p{EMod}]*)*/gu;

/** What of a text is a word, and what stands between: [text, isWord] in turn. @param {string} text @returns {[string, boolean][]} */
export function cut(text) {
  /** @type {[string, boolean][]} */
  const parts = [];
  let at = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (index > at) parts.push([text.slice(at, index), false]);
    parts.push([word, true]);
    at = index + word.length;
  }
  if (at < text.length) parts.push([text.slice(at), false]);
  return parts;
}

/** The text with its words number i and j swapped. @param {string} text @param {number} i @param {number} j */
export function swapped(text, i, j) {
  const words = cut(text).filter(([, isWord]) => isWord);
  let number = 0;
  const at = (/** @type {number} */ k) => words[k === i ? j : k === j ? i : k][0];
  return cut(text)
    .map(([part, isWord]) => (isWord ? at(number++) : part))
    .join("");
}

/**
 * onEdit(prompt, text): the reader asks for another text; it returns why that can't be, or "".
 * @param {{ onEdit: (prompt: number, text: string) => string }} options
 */
export function promptCards({ onEdit }) {
  const cards = PROMPTS.map((which, prompt) => promptCard(which, (text) => onEdit(prompt, text)));
  const root = make("div", { class: "inorder-lm-prompts" }, ...cards.map((card) => card.root));
  /** @type {(prompts: string[], texts: string[], isBusy: boolean) => void} */
  function update(prompts, texts, isBusy) {
    cards.forEach((card, prompt) => card.update(prompts[prompt], texts[prompt], isBusy));
  }
  return { root, update };
}

/** @param {string} which @param {(text: string) => string} onEdit */
function promptCard(which, onEdit) {
  let shown = "";
  /** @type {number | null} */
  let chosen = null; // the first of two words
  /** @type {HTMLButtonElement[]} */
  let words = [];
  const prompt = make("span", { dir: "auto" });
  const written = make("span", { class: "inorder-lm-written" });
  const line = make("p", { class: "inorder-lm-line", dir: "auto" }, prompt, written);
  const box = make("textarea", {
    rows: 3,
    dir: "auto",
    spellcheck: "false",
    "aria-label": `Text of the ${which} prompt`,
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") edit(false);
      else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) take();
      else return;
      event.preventDefault();
    },
  });
  const problem = make("span", { class: "inorder-lm-problem", role: "none" });
  const editing = make(
    "div",
    { class: "inorder-lm-editing", hidden: true, "data-picture": "skip" },
    box,
    button({ label: `Run the ${which} prompt`, text: "Run", onClick: take }),
    button({ label: `Cancel: keep the ${which} prompt as it was`, text: "Cancel", onClick: () => edit(false) }),
    problem,
  );
  const open = button({ label: `Edit the ${which} prompt`, text: "Edit", onClick: () => edit(true) });
  open.dataset.picture = "skip";
  const head = make("div", { class: "inorder-lm-head" }, make("span", {}, `${which} prompt`), open);
  const root = make("div", { class: "inorder-lm-prompt", role: "group", "aria-label": `The ${which} prompt` });
  root.append(head, line, editing);

  function edit(/** @type {boolean} */ isOpen) {
    editing.hidden = !isOpen;
    line.hidden = isOpen;
    open.hidden = isOpen;
    write(problem, "");
    if (isOpen) {
      box.value = shown;
      box.focus();
    } else open.focus();
  }
  function take() {
    const why = onEdit(box.value);
    write(problem, why);
    box.setAttribute("aria-invalid", String(why !== ""));
    if (!why) edit(false);
  }
  function press(/** @type {number} */ place) {
    if (chosen === null || chosen === place) {
      chosen = chosen === null ? place : null;
      return mark();
    }
    const other = chosen;
    chosen = null;
    mark();
    onEdit(swapped(shown, other, place));
    words[place]?.focus({ preventScroll: true });
  }
  function mark() {
    words.forEach((word, place) => word.setAttribute("aria-pressed", String(place === chosen)));
    root.classList.toggle("is-choosing", chosen !== null);
  }

  /** @type {(text: string, continuation: string, isBusy: boolean) => void} */
  function update(text, continuation, isBusy) {
    if (text !== shown) {
      shown = text;
      chosen = null;
      const parts = cut(text);
      const n = parts.filter(([, isWord]) => isWord).length;
      words = [];
      prompt.replaceChildren(
        ...parts.map(([part, isWord]) => {
          if (!isWord) return part;
          const place = words.length;
          const word = make("button", { type: "button", class: "inorder-lm-word", onclick: () => press(place) }, part);
          setAttributes(word, {
            "aria-label": `“${part}”, word ${place + 1} of ${n}: press it, then another, to swap them`,
          });
          words.push(word);
          return word;
        }),
      );
      mark();
    }
    write(written, continuation.replaceAll("\n", "⏎"));
    setAttributes(root, { "aria-busy": isBusy });
  }
  return { root, update };
}
