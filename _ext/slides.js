// Cuts the page of a chapter into slides: its question; then, under the heading of its section, each theorem, prediction and
// figure, each step of a proof, and each formula, list and short table with the paragraph before it. A section with none of
// these gives its first paragraph. The address says which slide is shown: #7, or a place that is on it.

const KEY = ".proof, .predict, .fold, figure, .cell:has(figure)";
const LED = "div.math, ul, ol, .wide-table";
const IN_BOOK = "#exercises, #further-reading, section section .fold, .wide-table:has(tr:nth-child(17))";
const STEPS = { ArrowRight: 1, ArrowDown: 1, " ": 1, PageDown: 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 };
const article = document.querySelector("article");
const slides = [];
let here = 0;

function addSlide(...parts) {
  const slide = document.createElement("div");
  slide.className = "slide";
  slide.append(...parts.filter(Boolean));
  slides.push(slide);
}

function cut(section) {
  const parts = [...section.children];
  const heading = () => section.querySelector(":scope > :is(h2, h3, h4)")?.cloneNode(true);
  const n = slides.length;
  parts.forEach((part, i) => {
    const before = parts[i - 1];
    const isStep = part.matches("p") && part.textContent.startsWith("Step ");
    if (part.matches(IN_BOOK)) return;
    if (part.matches("section")) cut(part);
    else if (part.matches(LED) && slides.at(-1).contains(before)) slides.at(-1).append(part);
    else if (part.matches(LED)) addSlide(heading(), before?.matches("p") && before, part);
    else if (part.matches(KEY) || isStep) addSlide(heading(), part);
  });
  if (slides.length === n) addSlide(heading(), section.querySelector(":scope > p"));
}

const chapter = article.firstElementChild;
addSlide(document.querySelector(".where"), chapter.querySelector("h1"), chapter.querySelector("blockquote"));
cut(chapter);
article.replaceChildren(...slides);
for (const mark of article.querySelectorAll(".headerlink")) mark.remove();
for (const link of article.querySelectorAll("a")) link.replaceWith(...link.childNodes);
const nav = document.createElement("nav");
nav.innerHTML = '<button type="button">Previous</button> <output></output> <button type="button">Next</button>';
document.body.append(nav);

function fit() {
  const { offsetWidth, offsetHeight } = slides[here];
  const scale = Math.min((0.94 * innerWidth) / offsetWidth, (0.92 * innerHeight) / offsetHeight);
  slides[here].style.transform = `translate(-50%, -50%) scale(${scale})`;
}

function show() {
  const name = decodeURIComponent(location.hash.slice(1).split("?")[0]);
  const holds = slides.findIndex((slide) => name && slide.querySelector(`#${CSS.escape(name)}`));
  here = holds >= 0 ? holds : Math.min(slides.length, Number.parseInt(name, 10) || 1) - 1;
  for (const slide of slides) slide.inert = slide !== slides[here];
  nav.children[1].textContent = `${here + 1} / ${slides.length}`;
  fit();
}

const move = (step) => location.replace(`#${Math.max(1, Math.min(slides.length, here + 1 + step))}`);
nav.firstChild.onclick = () => move(-1);
nav.lastChild.onclick = () => move(1);
addEventListener("keydown", (event) => {
  const isInside = event.target.closest("input, select, textarea, button, summary, [tabindex='0']");
  if (!STEPS[event.key] || event.ctrlKey || event.altKey || (isInside && !event.key.startsWith("Page"))) return;
  event.preventDefault();
  document.activeElement.blur();
  move(STEPS[event.key]);
});
addEventListener("hashchange", show);
addEventListener("resize", fit);
const sizes = new ResizeObserver(fit); // a figure that grows, an answer that opens
for (const slide of slides) sizes.observe(slide);
show();
