// A chapter has thousands of boxes, most of them formulas; book.css has a section laid out when the reader comes near.

// A place that the address names needs the true heights of all that stands above it.
function layOutAll() {
  const place = document.getElementById(location.hash.slice(1));
  if (!place) return;
  document.documentElement.classList.add("laid-out");
  place.scrollIntoView();
}
addEventListener("hashchange", layOutAll);
layOutAll();

// A box that scrolls needs a tab stop. The theme measures all boxes while the page loads, which would lay out every
// section; here a box has one until it comes within one screen of the reader and turns out not to scroll.
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
function tabStopUntilNear(box) {
  box.tabIndex = 0;
  boxesNear.observe(box);
}
