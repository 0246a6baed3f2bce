// The list of sections at the left marks the one that the reader is in.

import { findAll } from "./page.js";

const links = findAll(".sections a");
const places = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
const mark = () => {
  const isPast = (place) => place?.getBoundingClientRect().top < innerHeight / 3;
  const current = Math.max(0, places.findLastIndex(isPast));
  links.forEach((link, i) =>
    i === current ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"),
  );
};
if (links.length) {
  let waiting = false;
  const follow = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      mark();
    });
  };
  addEventListener("scroll", follow, { passive: true });
  mark();
}
