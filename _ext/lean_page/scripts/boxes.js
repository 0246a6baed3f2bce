// A box that is wider than its place scrolls by itself: it then needs a tab stop, and says so to the eye (page.css).

import { findAll } from "./page.js";

const check = (box) => {
  const scrolls = box.scrollWidth > box.clientWidth + 1;
  box.classList.toggle("scrolls", scrolls);
  box.tabIndex = scrolls ? 0 : -1;
};
const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => check(target)));
const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      sizes.observe(target);
    }
  },
  { rootMargin: "100%" },
);
findAll("article :is(pre, .katex-display, .wide-table)").forEach((box) => {
  box.tabIndex = 0; // until it has come near and been measured: to measure all would lay out the whole page
  near.observe(box);
});
