// After a reload, and on the way back, the reader finds the same words at the same height. The browser itself goes by
// pixels, or by a text before the figures above it stand: both lead elsewhere once these do, and where folds were open.

import { firstInView, visit, words } from "./page.js";

const blocks = words();
const key = () => `place ${window.navigation?.currentEntry?.key}`; // of this step of the reader's way, not of the page

document.addEventListener("visibilitychange", () => {
  const block = firstInView(blocks) ?? blocks.at(-1);
  if (block) visit.write(key(), `${blocks.indexOf(block)} ${block.getBoundingClientRect().top}`);
});

const place = window.navigation && visit.read(key());
if (place && performance.getEntriesByType("navigation")[0]?.type !== "navigate") {
  const [index, top] = place.split(" ").map(Number);
  const goThere = () => {
    const now = blocks[index]?.getBoundingClientRect().top ?? top;
    scrollBy({ top: Math.round(now - top), behavior: "instant" });
  };
  const begun = new AbortController(); // the reader goes on: leave the page where it is
  const done = () => {
    if (!begun.signal.aborted) goThere();
    begun.abort();
    history.scrollRestoration = "auto"; // for the places that are linked in this page
  };
  for (const sign of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    addEventListener(sign, () => begun.abort(), { signal: begun.signal, passive: true });
  }
  history.scrollRestoration = "manual";
  goThere();
  addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(done)));
}
