// Words and figures are one: a word that points lights its part of the figure before it; a number that sets follows a
// control of that figure, and is dragged, or moved by the arrow keys.

import { findAll } from "./page.js";

const STEP = 9; // pixels from state to state of a number
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -1e6, End: 1e6 };
const views = findAll(".inorder-view");
const viewOf = (word) =>
  views.findLast((view) => view.compareDocumentPosition(word) & Node.DOCUMENT_POSITION_FOLLOWING);

// "scores 1 0": of the scores, row 1, column 0.
function partsOf(view, name) {
  const [, words, row, column] = name.match(/^(.*?)(?: (\d+))?(?: (\d+))?$/);
  const cell = (row ? `[data-row="${row}"]` : "") + (column ? `[data-col="${column}"]` : "");
  const actor = /^\w+$/.test(words) ? `, .is-filled.is-${words}, .is-line-of-${words}` : "";
  return findAll(`[data-name="${words}"]${cell}, [data-part="${words}"]${actor}`, view).filter((e) =>
    e.checkVisibility(),
  );
}

const darken = () => findAll("[data-lit]").forEach((part) => part.removeAttribute("data-lit"));

findAll(".pointer[data-part]").forEach((word) => {
  const view = viewOf(word);
  const light = () => {
    darken();
    for (const part of partsOf(view, word.dataset.part)) part.setAttribute("data-lit", "");
  };
  if (!word.querySelector("a")) Object.assign(word, { tabIndex: 0, role: "button" });
  if (word.querySelector(".math")) word.ariaLabel = word.dataset.part.replaceAll("_", " "); // a formula is no name
  for (const event of ["pointerenter", "focusin"]) word.addEventListener(event, light);
  for (const event of ["pointerleave", "focusout"]) word.addEventListener(event, darken);
  word.addEventListener("click", () => view.scrollIntoView({ block: "nearest" }));
});

findAll(".pointer[data-sets]").forEach((word) => {
  const view = viewOf(word);
  const { sets } = word.dataset;
  view.addEventListener("inorder-mounted", ({ detail: model }) => {
    if (word.role) return;
    const { label, keys, texts } = model.get("controls").find(({ name }) => name === sets);
    const place = () => keys.indexOf(model.get(sets));
    const draw = () => {
      word.textContent = texts[place()];
      Object.assign(word, { ariaValueNow: place(), ariaValueText: texts[place()] });
    };
    const go = (to) => model.set(sets, keys[Math.min(Math.max(to, 0), keys.length - 1)]);
    Object.assign(word, {
      role: "slider",
      tabIndex: 0,
      ariaLabel: label,
      ariaValueMin: 0,
      ariaValueMax: keys.length - 1,
    });
    model.on(`change:${sets}`, draw);
    draw();
    let start = 0; // where the first state would lie
    word.onpointerdown = (event) => {
      event.preventDefault();
      word.focus({ preventScroll: true });
      word.setPointerCapture(event.pointerId);
      start = event.clientX - STEP * place();
    };
    word.onpointermove = ({ buttons, clientX }) => buttons && go(Math.round((clientX - start) / STEP));
    word.onkeydown = (event) => {
      if (!(event.key in STEPS)) return;
      event.preventDefault();
      go(place() + STEPS[event.key]);
    };
  });
});
