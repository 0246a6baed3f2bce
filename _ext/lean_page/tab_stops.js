// A box that scrolls needs a tab stop. The theme measures every box of the page while it loads, which lays out all of
// it; this measures a box when it comes within one screen of the reader.
const boxesNear = new IntersectionObserver(
  (entries) => {
    const boxes = entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target);
    const scrolls = boxes.map((box) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight);
    boxes.forEach((box, i) => {
      boxesNear.unobserve(box);
      box.tabIndex = scrolls[i] ? 0 : -1;
    });
  },
  { rootMargin: "100%" },
);
function tabStopWhenNear(box) {
  boxesNear.observe(box);
}
