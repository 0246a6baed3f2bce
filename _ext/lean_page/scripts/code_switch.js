// Code hidden or shown, on all pages. Shown opens what the author left open; each cell still opens by itself.

import { find, findAll, firstInView, settings, words } from "./page.js";

const root = document.documentElement;
const button = find("#code-switch");
const cells = findAll("details.code[open]");

const apply = () => {
  const isShown = root.dataset.code === "shown";
  button.setAttribute("aria-checked", isShown);
  cells.forEach((cell) => (cell.open = isShown));
  if (!isShown) findAll("details.code[open]").forEach((cell) => (cell.open = false));
};
button.onclick = () => {
  const anchor = firstInView(words()); // stays where it is
  const before = anchor?.getBoundingClientRect().top;
  root.dataset.laidOut = ""; // true heights (late_layout.js)
  root.dataset.code = root.dataset.code === "shown" ? "hidden" : "shown";
  settings.write("code", root.dataset.code);
  apply();
  const keep = (frames) => {
    scrollBy({ top: anchor.getBoundingClientRect().top - before, behavior: "instant" });
    if (frames) requestAnimationFrame(() => keep(frames - 1)); // some browsers keep the place too, and a frame later
  };
  if (anchor && scrollY) keep(3);
};
apply();
root.dataset.codeReady = "";
