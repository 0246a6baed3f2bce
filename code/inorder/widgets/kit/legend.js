// The legend of a heat map.

import { html, nothing } from "./vendor/lit.js";

const LOOK =
  "display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: start; color: var(--muted); font-size: max(12px, 0.85em)";

// A strip of the scale's colours, from end to end, with words spread below it, and a hatched box with the word `missing`.
/** @type {(colours: string[], words: string[], missing?: string) => unknown} */
export const legend = (colours, words, missing) => html`<div class="inorder-legend" role="img" style=${LOOK}
  aria-label="Colours: ${[...words, ...(missing ? [`hatched, ${missing}`] : [])].join(", ")}">
  <div style="width: 13em; max-width: 100%">
    <div style="height: 0.8em; background: linear-gradient(90deg, ${colours.join(", ")})"></div>
    <div style="display: flex; justify-content: space-between; gap: 8px">${words.map((word) => html`<span>${word}</span>`)}</div>
  </div>
  ${
    missing
      ? html`<div style="display: flex; align-items: center; gap: 5px"><svg width="14" height="10" fill="none"
          stroke="currentColor"><path d="M0 5 5 0M0 11 11 0M6 11 14 3M12 11 14 9"/></svg><span>${missing}</span></div>`
      : nothing
  }</div>`;
