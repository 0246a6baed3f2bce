// The two prompts: their words, to be swapped, what the model generates after them, and the text itself, to be edited.

import { button } from "../kit/inputs.js";
import { html, ref } from "../kit/vendor/lit.js";
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
 * onEdit(prompt, text): the reader asks for another text; it returns why that can't be, or "". Returns a template.
 * @param {{ onEdit: (prompt: number, text: string) => string, redraw: () => void }} options
 */
export function promptCards({ onEdit, redraw }) {
  const cards = PROMPTS.map((which, prompt) => promptCard(which, (text) => onEdit(prompt, text), redraw));
  /** @type {(prompts: string[], texts: string[], isBusy: boolean) => unknown} */
  return (prompts, texts, isBusy) =>
    html`<div class="inorder-lm-prompts">${cards.map((card, i) => card(prompts[i], texts[i], isBusy))}</div>`;
}

/** @param {string} which @param {(text: string) => string} onEdit @param {() => void} redraw */
function promptCard(which, onEdit, redraw) {
  /** @type {Element | undefined} */
  let root;
  const keep = (/** @type {Element | undefined} */ element) => {
    root = element;
  };
  const part = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (root?.querySelector(selector));
  let shown = "";
  let isOpen = false; // for its text to be edited
  let problem = "";
  /** @type {number | null} */
  let chosen = null; // the first of two words

  function edit(/** @type {boolean} */ open) {
    isOpen = open;
    problem = "";
    redraw();
    const box = /** @type {HTMLTextAreaElement} */ (part("textarea"));
    if (open) box.value = shown;
    (open ? box : part(".inorder-lm-edit .inorder-button")).focus();
  }
  function take() {
    problem = onEdit(/** @type {HTMLTextAreaElement} */ (part("textarea")).value);
    if (problem) redraw();
    else edit(false);
  }
  /** @type {(event: KeyboardEvent) => void} */
  function press(event) {
    if (event.key === "Escape") edit(false);
    else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) take();
    else return;
    event.preventDefault();
  }
  function choose(/** @type {number} */ place) {
    const other = chosen;
    chosen = other === null ? place : null;
    if (other === null || other === place) return redraw();
    onEdit(swapped(shown, other, place));
    part(`[data-place="${place}"]`)?.focus({ preventScroll: true });
  }

  /** @type {(text: string, continuation: string, isBusy: boolean) => unknown} */
  return (text, continuation, isBusy) => {
    if (text !== shown) chosen = null;
    shown = text;
    const parts = cut(text);
    const n = parts.filter(([, isWord]) => isWord).length;
    let number = 0;
    const words = parts.map(([words, isWord]) => {
      if (!isWord) return words;
      const place = number++;
      return html`<button type="button" class="inorder-lm-word" data-place=${place} aria-pressed=${place === chosen}
        aria-label="“${words}”, word ${place + 1} of ${n}: press it, then another, to swap them"
        @click=${() => choose(place)}>${words}</button>`;
    });
    return html`<div class="inorder-lm-prompt ${chosen === null ? "" : "is-choosing"}" role="group"
      aria-label="The ${which} prompt" aria-busy=${isBusy} ${ref(keep)}>
      <div class="inorder-lm-head"><span>${which} prompt</span><span class="inorder-lm-edit" data-picture="skip"
        ?hidden=${isOpen}>${button({ label: `Edit the ${which} prompt`, text: "Edit", onClick: () => edit(true) })}</span></div>
      <p class="inorder-lm-line" dir="auto" ?hidden=${isOpen}><span dir="auto">${words}</span><span
        class="inorder-lm-written">${continuation.replaceAll("\n", "⏎")}</span></p>
      <div class="inorder-lm-editing" data-picture="skip" ?hidden=${!isOpen}>
        <textarea rows="3" dir="auto" spellcheck="false" aria-label="Text of the ${which} prompt"
          aria-invalid=${problem !== ""} @keydown=${press}></textarea>
        ${button({ label: `Run the ${which} prompt`, text: "Run", onClick: take })}
        ${button({ label: `Cancel: keep the ${which} prompt as it was`, text: "Cancel", onClick: () => edit(false) })}
        <span class="inorder-lm-problem" role="none">${problem}</span></div></div>`;
  };
}
