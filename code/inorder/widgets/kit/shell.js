// The frame around a figure, and what makes it follow its state.

import { isDark, watchTheme } from "./colour.js";
import { isFolded, make } from "./elements.js";
import { flashOf } from "./flash.js";
import { fits, fitTogether } from "./limits.js";
import { download, savePicture } from "./picture.js";
import { html, nothing, render } from "./vendor/lit.js";

const SIGNS = { "=": "equal", "≠": "different", "✓": "right", "×": "wrong" };
const UNFIT = "This figure can’t show that setting, so it still shows the last one that it could.";
/** @type {(limit: Limit) => string} */
const refusalOf = ({ low, high }) =>
  Number.isFinite(low) && Number.isFinite(high)
    ? `Choose a number from ${low} to ${high}.`.replaceAll("-", "−")
    : UNFIT;
// A screen reader hears the answer after a pause without a change, in milliseconds, or, while changes keep coming, as
// when a figure plays, after the longest wait. The spoken text is then cleared, because the answer itself stands above.
const PAUSE = 700;
const LONGEST_WAIT = 6000;
const CLEARED_AFTER = 5000;

// In a notebook the figure's picture is an output of its own, for a reader of the saved notebook who has no kernel.
/** @type {(name: string) => void} */
function hidePicture(name) {
  for (const picture of document.getElementsByClassName(name)) {
    const output = picture.closest(".jp-OutputArea-child") ?? picture;
    if (output instanceof HTMLElement) output.style.display = "none";
  }
}

/**
 * Title with a menu of tools, controls, stage (the picture), answer, folds: in this order in every figure.
 *
 *   shell.limits                       what state.py declares: { depth: { kind, low, high }, … }, for controls
 *   shell.controls, shell.stage        elements to fill
 *   shell.fold(label, ...nodes)        a fold with these nodes, closed at first, for what is there on demand. What is
 *                                      slow to draw can wait until it is `open`: all is redrawn when it opens or closes
 *   shell.follow(draw, others)         draw(state, dark, width) now and whenever state, theme or width (the stage's) change,
 *                                      or another of the traits `others`; returns a function that draws, for what arrives
 *                                      late. In a closed fold of the page nothing is drawn until it opens or the page is
 *                                      printed
 *   shell.state(), shell.change(parts) the state, and a change of some of its parts
 *   shell.answer(sentence, { sign, note, reading })    sign: "=", "≠", "✓", "×" or none; note: a smaller line below;
 *                                      reading: what the reader's hand is on, where that says more than the control does,
 *                                      in words for a screen reader
 *   shell.answerBox                    the element of the answer, which a figure may place inside its stage
 *   shell.notify(text)                 what has happened, below the folds
 *   shell.whenClosed(stop)             called by shell.close(), which takes the figure off the page
 *
 * A state is drawn only if it is within its limits and `agree(state)` holds: what limits cannot say about parts that
 * must fit each other. If it is not drawn, `notify` tells the reader so.
 * `checks` { name: (value) => boolean } is for figures whose state is not declared in Python. `onReset` is called when the
 * reader resets the figure, for what is not in its state.
 * @template State
 * @template Sent
 * @param {Context<State, Sent> & { checks?: Record<string, (value: unknown) => boolean>,
 *   agree?: (state: State) => boolean, onReset?: () => void }} options
 */
export function figureShell({ model, el, page, checks = {}, agree = () => true, onReset = () => {} }) {
  const title = model.get("title");
  const limits = /** @type {Record<keyof State & string, Limit>} */ (model.get("limits"));
  const controls = make("div", { class: "inorder-controls", "data-picture": "skip" });
  const stage = make("div", { class: "inorder-stage" });
  const answerBox = make("p", { class: "inorder-answer", hidden: true });
  const spoken = make("p", { class: "inorder-said", role: "status", "data-picture": "skip" });
  const folds = make("div", { class: "inorder-folds" });
  const noticeBox = make("p", { class: "inorder-notice", role: "status", "data-picture": "skip" });
  const root = make("section", { class: `inorder-figure is-${model.get("name")}`, role: "group", "aria-label": title });
  root.classList.toggle("is-dark", isDark());
  // Keys are the figure's, not JupyterLab's, which looks for this attribute from the element in focus on upwards.
  root.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element) target.setAttribute("data-lm-suppress-shortcuts", "true");
  });
  root.append(controls, stage, answerBox, folds, noticeBox, spoken);
  el.append(root);
  /** @type {(() => void)[]} */
  const endings = [];
  const flash = flashOf(root);
  endings.push(flash.stop);

  // A swipe that scrolls the page moves a slider on which it begins, until the browser knows that it is a scroll.
  /** @type {State | null} */
  let beforeSwipe = null;
  root.addEventListener("pointerdown", ({ target }) => {
    beforeSwipe = target instanceof HTMLInputElement && target.type === "range" ? state() : null;
  });
  root.addEventListener("pointercancel", () => beforeSwipe && change(beforeSwipe));

  /** @type {(() => void)[]} */
  const redraws = []; // closed folds draw nothing
  const openings = new MutationObserver(() => {
    for (const redraw of redraws) redraw(); // a fold's `toggle` event comes too late: its empty body would be seen
  });
  openings.observe(folds, { subtree: true, attributeFilter: ["open"] });
  endings.push(() => openings.disconnect());

  const initial = /** @type {State & object} */ (model.get("initial_state"));
  const names = Object.keys(initial);
  const traits = /** @type {FigureModel<Record<string, unknown>>} */ (/** @type {unknown} */ (model)); // so that any trait can be read by its name
  const state = () => /** @type {State & object} */ (Object.fromEntries(names.map((name) => [name, traits.get(name)])));
  const isWhole = (/** @type {State & object} */ parts) =>
    Object.entries(limits).every(([name, limit]) => fits(limit, Reflect.get(parts, name))) &&
    fitTogether(limits, parts) &&
    agree(parts);
  const change = (/** @type {Partial<State>} */ parts) => {
    /** @type {[string, Limit][]} */
    const taken = Object.entries(limits);
    const [, unfit] = taken.find(([name, limit]) => name in parts && !fits(limit, Reflect.get(parts, name))) ?? [];
    if (unfit) {
      refusal = refusalOf(unfit);
      return notify(refusal);
    }
    hasMoved = true;
    for (const [name, value] of Object.entries(parts)) traits.set(name, value);
    model.save_changes();
  };
  let refusal = ""; // why the last setting was not taken
  let notice = "";
  const notify = (/** @type {string} */ text) => {
    if (!text && !noticeBox.hasChildNodes()) return;
    notice = text;
    noticeBox.replaceChildren(text);
  };

  // The sentence changes at each step of a slider. A screen reader hears it once the reader has stopped, even if it is
  // the same as before; of everything else it hears only what is new.
  let timer = 0;
  let hasMoved = false; // since a screen reader was told
  /** @type {number | null} */
  let waitingSince = null;
  /** @type {string[] | null} */
  let lastSpoken = null; // the first answer is read together with the figure
  /** @type {string[]} */
  let latest = [];
  function speak() {
    const [, text] = latest;
    spoken.textContent = latest.filter((part, i) => part === text || part !== lastSpoken?.[i]).join(" ");
    lastSpoken = latest;
    hasMoved = false;
    waitingSince = null;
    timer = setTimeout(() => spoken.replaceChildren(), CLEARED_AFTER);
  }
  /** @type {(text: string, sign: keyof typeof SIGNS | "", note: string) => void} */
  function drawAnswer(text, sign, note) {
    answerBox.hidden = !text && !note;
    const sentence = html`<span class="inorder-sign ${sign && `is-${SIGNS[sign]}`}" ?hidden=${!sign} role="img"
      aria-label=${sign ? SIGNS[sign] : nothing}>${sign}</span>
      <span class="inorder-answer-text"><span class="inorder-summary">${text}</span> <span class="inorder-note">${note}</span></span>`;
    render(sentence, answerBox);
  }
  drawAnswer("", "", "");
  /** @type {(text: string, more?: { sign?: keyof typeof SIGNS | "", note?: string, reading?: string }) => void} */
  function answer(text, { sign = "", note = "", reading = "" } = {}) {
    drawAnswer(text, sign, note);
    const parts = [reading, text, note];
    if (lastSpoken === null) {
      lastSpoken = parts;
      hasMoved = false;
    } else if (hasMoved || parts.some((part, i) => part !== latest[i])) {
      const now = performance.now();
      waitingSince ??= now;
      clearTimeout(timer);
      if (spoken.hasChildNodes()) spoken.replaceChildren();
      timer = setTimeout(speak, Math.max(0, Math.min(PAUSE, waitingSince + LONGEST_WAIT - now)));
    }
    latest = parts;
  }
  endings.push(() => clearTimeout(timer));

  /** @type {(label: string, ...nodes: (Node | string)[]) => HTMLDetailsElement} */
  function fold(label, ...nodes) {
    const body = make("div", { class: "inorder-fold-body" }, ...nodes);
    const details = make("details", { class: "inorder-fold" }, make("summary", {}, label), body);
    folds.append(details);
    return details;
  }

  /** @type {(draw: (state: State, dark: boolean, width: number) => void, others?: string[]) => () => void} */
  function follow(draw, others = []) {
    let width = stage.clientWidth; // remembered: to ask in the middle of a step makes the browser lay out the page
    let drawn = -1; // the width at which it was last drawn, if nothing has changed since
    const isShown = () => width > 0 && !isFolded(root);
    const drawNow = () => {
      const [now, dark] = [state(), isDark()];
      root.classList.toggle("is-dark", dark);
      if (!isWhole(now)) return notify(UNFIT); // perhaps only for now: parts that fit only together change one by one
      if ([UNFIT, refusal].includes(notice)) notify("");
      drawn = width;
      draw(now, dark, width);
      flash.mark();
    };
    const redraw = () => {
      if (isShown()) drawNow();
      else drawn = -1; // the observers below draw it
    };
    const redrawIfWider = () => {
      width = stage.clientWidth;
      if (isShown() && width !== drawn) drawNow();
    };
    const events = [...names, ...others].map((name) => `change:${name}`);
    for (const event of events) model.on(event, redraw);
    const stopTheme = watchTheme(() => {
      width = stage.clientWidth; // a theme changes style sheets, and for a moment the width
      redraw();
      requestAnimationFrame(redrawIfWider);
    });
    const sizes = new ResizeObserver(redrawIfWider);
    sizes.observe(stage);
    // When a fold reopens at the size that it had, the ResizeObserver is not called.
    const unfolding = new MutationObserver(redrawIfWider);
    for (let fold = root.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) {
      unfolding.observe(fold, { attributeFilter: ["open"] });
    }
    redraws.push(redraw);
    const drawForPaper = () => drawn < 0 && drawNow(); // which shows what is folded
    addEventListener("beforeprint", drawForPaper);
    redraw();
    endings.push(() => {
      for (const event of events) model.off(event, redraw);
      stopTheme();
      sizes.disconnect();
      unfolding.disconnect();
      removeEventListener("beforeprint", drawForPaper);
    });
    return redraw;
  }

  const isFit = (/** @type {string} */ name, /** @type {unknown} */ value) =>
    Object.hasOwn(limits, name) ? fits(limits[/** @type {keyof State & string} */ (name)], value) : checks[name](value);

  /** @type {(candidate: object) => void} what the address says, as far as it fits */
  function restore(candidate) {
    const known = names.filter((name) => Object.hasOwn(candidate, name) && isFit(name, Reflect.get(candidate, name)));
    const parts = /** @type {Partial<State>} */ (
      Object.fromEntries(known.map((name) => [name, Reflect.get(candidate, name)]))
    );
    const isGood = isWhole({ ...state(), ...parts });
    if (isGood) change(parts);
    if (!isGood || Object.keys(candidate).some((name) => !known.includes(name))) {
      notify("Part of the link doesn’t belong to this figure, so it was left out.");
    }
  }
  if (page?.initialState && typeof page.initialState === "object") restore(page.initialState);
  if (!page) hidePicture(String(traits.get("_picture")));

  /** @type {(text: string) => Promise<void>} */
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      notify("Link copied: it opens this page with the figure as it is now.");
    } catch {
      const box = make("input", { type: "text", readonly: true, value: text, "aria-label": "Link to this state" });
      noticeBox.replaceChildren("Copy this: ", box);
      box.select();
    }
  }
  function reset() {
    onReset();
    change(initial);
    notify("");
  }

  // The live figure in this state, as one file that needs no network.
  /** @type {(file: (state: object) => Promise<string>) => Promise<void>} */
  const savePage = async (file) => {
    try {
      download(await file(state()), "text/html", title, "html");
    } catch {
      notify("The files of this page can’t be read just now, so it can’t be saved.");
    }
  };
  const { link, file } = page ?? {};
  const menu = make("details", { class: "inorder-tools", "data-picture": "skip" });
  const closeMenu = () => {
    if (menu.contains(document.activeElement)) menu.querySelector("summary")?.focus({ preventScroll: true });
    menu.open = false;
  };
  /** @type {(label: string, use: () => void) => unknown} */
  function item(label, use) {
    const choose = () => {
      closeMenu();
      use();
    };
    return html`<button type="button" @click=${choose}>${label}</button>`;
  }
  function drawMenu() {
    const isFull = document.fullscreenElement === root;
    const screen = () => (isFull ? document.exitFullscreen() : root.requestFullscreen());
    render(
      html`<summary aria-label="Tools" title="Reset, copy, save">⋯</summary><div>${item("Reset", reset)}
        ${link ? item("Copy link", () => copy(link(state()))) : nothing}
        ${document.fullscreenEnabled ? item(isFull ? "Leave full screen" : "Full screen", screen) : nothing}
        ${item("Save picture", () => savePicture(root, title))}
        ${file ? item("Save page", () => savePage(file)) : nothing}</div>`,
      menu,
    );
  }
  drawMenu();
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    closeMenu();
  });
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !menu.contains(relatedTarget)) menu.open = false;
  });
  const leaveMenu = (/** @type {Event} */ { target }) => {
    if (target instanceof Node && !menu.contains(target)) menu.open = false;
  };
  document.addEventListener("pointerdown", leaveMenu);
  document.addEventListener("fullscreenchange", drawMenu);
  endings.push(() => {
    document.removeEventListener("pointerdown", leaveMenu);
    document.removeEventListener("fullscreenchange", drawMenu);
  });
  const heading = make("div", { class: "inorder-heading" }, make("div", { class: "inorder-title" }, title), menu);
  root.prepend(heading);

  const whenClosed = (/** @type {() => void} */ stop) => void endings.push(stop);
  const close = () => {
    for (const end of endings) end();
    root.remove();
  };
  const parts = { root, controls, stage, answerBox };
  return { model, limits, ...parts, state, change, answer, notify, fold, follow, whenClosed, close };
}
