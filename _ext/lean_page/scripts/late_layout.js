// Sections far below are laid out late (page.css), so that a page shows at once. The page's head lays out all where a
// place is restored or named by the address; here all follow, one at a time, once the reader does something.

import { findAll, onceBegun, oncePainted, soon } from "./page.js";

const root = document.documentElement;
const waiting = findAll("article > section > section, article > section > section > section");

const layOutNext = () => {
  waiting.shift()?.classList.add("laid-out");
  if (waiting.length) soon(layOutNext);
  else root.dataset.laidOut = "";
};
onceBegun(() => soon(layOutNext));

// What a phone kept from its first paint follows block by block, as far as the browser would lay out (page.css).
const NEAR = 2.5; // screens
const blocks = findAll(".predict ~ section").flatMap((section) => [section, ...section.children]);
const layOutNextBlock = () => {
  const block = blocks.shift();
  const far = block?.matches(".predict ~ section") && block.getBoundingClientRect().top > NEAR * innerHeight;
  if (block && !far && "unpainted" in root.dataset) {
    block.classList.add("painted");
    soon(layOutNextBlock);
  } else delete root.dataset.unpainted;
};
oncePainted(() => soon(layOutNextBlock));

// A place in this page needs the true heights of all that stands above it.
addEventListener("hashchange", () => {
  if ("laidOut" in root.dataset) return;
  root.dataset.laidOut = "";
  document.getElementById(decodeURIComponent(location.hash.slice(1).split("?")[0]))?.scrollIntoView();
});
