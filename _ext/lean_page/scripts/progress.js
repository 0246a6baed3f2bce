// How far the reader is: in this chapter (sections, bar), and in the book (chapters read, kept on this machine alone).

import { find, findAll, settings } from "./page.js";

const chaptersRead = () => new Set(JSON.parse(settings.read("read") || "[]"));
const mark = () => {
  const read = chaptersRead();
  findAll("[data-chapter]").forEach((e) => e.classList.toggle("read", read.has(e.dataset.chapter)));
  findAll("dialog [data-chapter].read, .road .read a").forEach((e) => {
    if (!find(".unseen", e)) e.insertAdjacentHTML("beforeend", '<span class="unseen"> (read)</span>');
  });
};
mark();

const here = find(".progress [data-here]");
if (here) {
  settings.write("last", here.dataset.chapter);
  const end = find(".pager");
  new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting || scrollY === 0) return;
    settings.write("read", JSON.stringify([...chaptersRead().add(here.dataset.chapter)]));
    mark();
  }).observe(end);
  const follow = () =>
    here.style.setProperty("--done", Math.min(1, scrollY / (document.body.scrollHeight - innerHeight || 1)));
  addEventListener("scroll", follow, { passive: true });
  follow();
}

const links = findAll(".sections a");
const places = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
if (links.length) {
  const show = () => {
    const current = Math.max(
      0,
      places.findLastIndex((place) => place?.getBoundingClientRect().top < innerHeight / 3),
    );
    links.forEach((link, i) =>
      i === current ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"),
    );
  };
  let waiting = false;
  addEventListener(
    "scroll",
    () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        show();
      });
    },
    { passive: true },
  );
  show();
}

const go = find("a.go");
const stops = findAll(".road li");
const at = stops.findIndex((stop) => stop.dataset.chapter === settings.read("last"));
if (go && at >= 0) {
  const next = stops
    .slice(at)
    .concat(stops.slice(0, at))
    .find((stop) => !stop.classList.contains("read"));
  if (next) {
    const link = find("a", next);
    go.href = link.href;
    find("small", go).textContent = `Go on with chapter ${find(".n", next).textContent}`;
    find("span", go).textContent = find(".t", link).firstChild.textContent.trim();
  }
}
