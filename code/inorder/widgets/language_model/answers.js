// How the text goes on, before the move and after it: the old one struck through, the new one typing itself beside it; and
// below each the likeliest next tokens.

import { html, ref } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";
import { spell } from "./words.js";

/** @typedef {import("./words.js").Results} Results */

const MOST = 5; // tokens
const LEAST = 0.05; // that is printed
const PACE = 70; // milliseconds a word

// Types what is new of a text, word by word.
function typist() {
  let typed = "";
  /** @type {(line: Element | undefined, text: string) => void} */
  return (line, text) => {
    if (!line || text === typed) return;
    const nBefore = text.startsWith(typed) ? typed.split(" ").length : 0;
    const isCalm = typed === "" || matchMedia("(prefers-reduced-motion: reduce)").matches;
    typed = text;
    if (isCalm) return;
    [...line.children].slice(nBefore).forEach((word, i) => {
      word.animate([{ opacity: 0 }, { opacity: 1 }], { duration: PACE, delay: i * PACE, fill: "backwards" });
    });
  };
}

export function answers() {
  const type = typist();
  /** @type {(results: Results | null, prompts: string[], isBusy: boolean) => unknown} */
  return (results, prompts, isBusy) => {
    const longest = Math.max(...(results?.next ?? []).flat().map(([, share]) => share), 1e-9);
    const isMoved = prompts[0] !== prompts[1];
    const column = (/** @type {0 | 1} */ side) => {
      const text = (results?.texts[side] ?? "").replace(/\n+/g, " ↵ ");
      const words = text.split(/(?<=\s)(?=\S)/u);
      return html`<div class="inorder-lm-answer is-${side ? "after" : "before"}" role="group" aria-label="After “${prompts[side]}”"
        ?hidden=${side === 0 && !isMoved}><p class="inorder-lm-when">${side ? (isMoved ? "now" : "it goes on") : "before"}</p>
        <p class="inorder-lm-written" dir="auto" aria-busy=${isBusy}
          ${ref((line) => side === 1 && type(line, text))}>${words.map((word) => html`<span>${word}</span>`)}</p>
        ${(results?.next[side] ?? []).slice(0, MOST).map(
          (
            [token, share],
            rank,
          ) => html`<div class="inorder-lm-next" role="img" aria-label="“${spell(token)}”: ${formatNumber(share)}">
            <bdi class="inorder-lm-token">${spell(token)}</bdi>
            <span data-name="next" data-row=${rank} data-col=${side} data-value=${share}>${share < LEAST ? "" : formatNumber(share)}</span>
            <span class="inorder-lm-bar" style="width: ${(100 * share) / longest}%"></span></div>`,
        )}</div>`;
    };
    return html`<div class="inorder-lm-answers">${column(0)}${column(1)}</div>`;
  };
}
