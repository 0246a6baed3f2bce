// Sections far below are laid out late (page.css), so that a page shows at once. The page's head lays out all where a
// place is restored or named by the address; here all follow, one at a time, once the reader does something.

import { findAll, onceBegun, oncePainted, oneByOne } from "./page.js";

const root = document.documentElement;
const sections = findAll("article > section > section, article > section > section > section");
const layOut = (section) => section.classList.add("laid-out");
const layOutAll = () => {
  root.dataset.laidOut = "";
};
onceBegun(() => oneByOne(sections, layOut, layOutAll));

// What a phone kept from its first paint follows block by block, as far as the browser would lay out (page.css).
const near = () => 2.5 * innerHeight + 360; // 360: how far what leaves a section is drawn
const below = findAll(".predict ~ section");
const paint = (block) => {
  const isFar = below.includes(block) && block.getBoundingClientRect().top > near();
  if (isFar || !("unpainted" in root.dataset)) return false;
  block.classList.add("painted");
};
const paintAll = () => delete root.dataset.unpainted;
const blocks = below.flatMap((section) => [section, ...section.children]);
oncePainted(() => oneByOne(blocks, paint, paintAll));

// A place in this page needs the true heights of all that stands above it.
addEventListener("hashchange", () => {
  if ("laidOut" in root.dataset) return;
  layOutAll();
  document.getElementById(decodeURIComponent(location.hash.slice(1).split("?")[0]))?.scrollIntoView();
});
