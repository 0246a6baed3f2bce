// The frame around a figure, and what makes it follow its state.

import { isDark, watchTheme } from "./colour.js";
import { button } from "./controls.js";
import { isFolded, make, setAttributes, write } from "./elements.js";
import { fits, fitTogether } from "./limits.js";
import { savePicture } from "./picture.js";

const SIGNS = { "=": "equal", "≠": "different", "✓": "right", "×": "wrong" };
const UNFIT = "This figure can’t show that setting, so it still shows the last one that it could.";
/** @type {(limit: Limit) => string} */
const refusalOf = ({ low, high }) =>
  Number.isFinite(low) && Number.isFinite(high)
    ? `Choose a number from ${low} to ${high}.`.replaceAll("-", "−")
    : UNFIT;
// A screen reader hears the answer after so many milliseconds without a change or, while changes keep coming, as when a
// figure plays, after so many at the latest. What it heard is then cleared, because the answer itself stands above.
const [PAUSE, PATIENCE, STAY] = [700, 6000, 5000];

// A part of the state as Python writes it.
/** @type {(value: any) => string} */
function inPython(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(inPython).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, part]) => `${JSON.stringify(name)}: ${inPython(part)}`)
    .join(", ")}}`;
}

// In a notebook the figure's picture is an output of its own, for a reader of the saved notebook who has no kernel.
/** @type {(name: string) => void} */
function hidePicture(name) {
  for (const picture of document.getElementsByClassName(name)) {
    const output = picture.closest(".jp-OutputArea-child") ?? picture;
    if (output instanceof HTMLElement) output.style.display = "none";
  }
}

/**
 * Title, controls, stage (the picture), answer, folds, tools: in this order in every figure.
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
 *   shell.keepRoomFor(sentence)        the longest answer, where a figure knows it: its height is kept
 *   shell.answerBox                    the element of the answer, which a figure may place inside its stage
 *   shell.notify(text)                 what has happened, below the tools
 *   shell.whenClosed(stop)             called by shell.close(), which takes the figure off the page
 *
 * A state is drawn only if it is within its limits and `agree(state)` holds: what limits cannot say about parts that
 * must fit each other. If it is not drawn, `notify` tells the reader so.
 * `checks` { name: (value) => boolean } is for figures whose state is not declared in Python.
 * @template State
 * @template Sent
 * @param {Context<State, Sent> & { checks?: Record<string, (value: unknown) => boolean>,
 *   agree?: (state: State) => boolean }} options
 */
export function figureShell({ model, el, page, checks = {}, agree = () => true }) {
  const title = model.get("title");
  const limits = /** @type {Record<keyof State & string, Limit>} */ (model.get("limits"));
  const controls = make("div", { class: "inorder-controls", "data-picture": "skip" });
  const stage = make("div", { class: "inorder-stage" });
  const sign = make("span", { class: "inorder-sign" });
  const sentence = make("span", { class: "inorder-summary" });
  const room = make("span", { "aria-hidden": "true", "data-picture": "skip" });
  const note = make("span", { class: "inorder-note" });
  const answerBox = make(
    "p",
    { class: "inorder-answer" },
    sign,
    make("span", { class: "inorder-answer-room" }, sentence, room),
    note,
  );
  const said = make("p", { class: "inorder-said", role: "status", "data-picture": "skip" });
  const folds = make("div", { class: "inorder-folds" });
  const toolbar = make("div", { class: "inorder-toolbar", "data-picture": "skip" });
  const notice = make("p", { class: "inorder-notice", role: "status", "data-picture": "skip" });
  const root = make("section", { class: `inorder-figure is-${model.get("name")}`, role: "group", "aria-label": title });
  root.classList.toggle("is-dark", isDark());
  // Keys are the figure's, not JupyterLab's, which looks for this attribute from the element in focus on upwards.
  root.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element) target.setAttribute("data-lm-suppress-shortcuts", "true");
  });
  root.append(make("div", { class: "inorder-title" }, title), controls, stage, answerBox, folds, toolbar, notice, said);
  el.append(root);
  /** @type {(() => void)[]} */
  const endings = [];

  // A swipe that scrolls the page moves a slider on which it begins, until the browser knows that it is a scroll.
  /** @type {State | null} */
  let beforeSwipe = null;
  root.addEventListener("pointerdown", ({ target }) => {
    beforeSwipe = target instanceof HTMLInputElement && target.type === "range" ? state() : null;
  });
  root.addEventListener("pointercancel", () => beforeSwipe && change(beforeSwipe));

  /** @type {(() => void)[]} */
  const redraws = []; // closed folds draw nothing
  // For style sheets. :has() would say it too, but each step would then cost the styles of the whole figure; a fold's
  // `toggle` event comes too late: the page would be laid out once without the class.
  const openings = new MutationObserver(() => {
    root.classList.toggle("has-open-fold", folds.querySelector(".inorder-fold[open]") !== null);
    for (const redraw of redraws) redraw();
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
  const notify = (/** @type {string} */ text) => {
    if (text || notice.textContent) notice.replaceChildren(text);
  };

  // The sentence changes at each step of a slider. A screen reader hears it once the reader has stopped, even if it is
  // the same as before; of everything else it hears only what is new.
  let timer = 0;
  let hasMoved = false; // since a screen reader was told
  /** @type {number | null} */
  let waitingSince = null;
  /** @type {string[] | null} */
  let heard = null; // the first answer is read together with the figure
  /** @type {string[]} */
  let latest = [];
  function tell() {
    const [, text] = latest;
    said.textContent = latest.filter((part, i) => part === text || part !== heard?.[i]).join(" ");
    [heard, hasMoved, waitingSince] = [latest, false, null];
    timer = setTimeout(() => write(said, ""), STAY);
  }
  /** @type {(text: string, more?: { sign?: keyof typeof SIGNS | "", note?: string, reading?: string }) => void} */
  function answer(text, { sign: mark = "", note: more = "", reading = "" } = {}) {
    write(sign, mark);
    setAttributes(sign, {
      class: `inorder-sign ${mark ? `is-${SIGNS[mark]}` : "is-absent"}`,
      role: mark ? "img" : "none", // a picture without a name is a fault
      "aria-label": mark && SIGNS[mark],
    });
    write(note, more);
    write(sentence, text);
    const parts = [reading, text, more];
    if (heard === null) [heard, hasMoved] = [parts, false];
    else if (hasMoved || parts.some((part, i) => part !== latest[i])) {
      const now = performance.now();
      waitingSince ??= now;
      clearTimeout(timer);
      write(said, "");
      timer = setTimeout(tell, Math.max(0, Math.min(PAUSE, waitingSince + PATIENCE - now)));
    }
    latest = parts;
  }
  endings.push(() => clearTimeout(timer));
  const keepRoomFor = (/** @type {string} */ longest) => room.setAttribute("data-longest", longest);

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
      if ([UNFIT, refusal].includes(notice.textContent)) notify("");
      drawn = width;
      draw(now, dark, width);
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

  /** @type {(text: string, what: string, copied: string) => Promise<void>} */
  async function copy(text, what, copied) {
    try {
      await navigator.clipboard.writeText(text);
      notify(copied);
    } catch {
      const box = make("input", { type: "text", readonly: true, value: text, "aria-label": `${what} to this state` });
      notice.replaceChildren("Copy this: ", box);
      box.select();
    }
  }
  const copyLink = (/** @type {Page} */ page) =>
    copy(page.link(state()), "Link", "Link copied: it opens this page with the figure as it is now.");
  // Where there's no page to link to, as in a notebook: the title, and the state as a call in Python takes it.
  const copyState = () => {
    const parts = Object.entries(state()).map(([name, value]) => `${name}=${inPython(value)}`);
    return copy(`${title}: ${parts.join(", ")}`, "Text", "State copied: the figure’s title and its settings.");
  };

  function startAgain() {
    change(initial);
    notify("");
  }

  const fullScreen = button({
    label: "Full screen",
    isQuiet: true,
    onClick: () => (document.fullscreenElement === root ? document.exitFullscreen() : root.requestFullscreen()),
  });
  const nameFullScreen = () => {
    const text = document.fullscreenElement === root ? "Leave full screen" : "Full screen";
    fullScreen.textContent = text;
    fullScreen.setAttribute("aria-label", text);
  };
  document.addEventListener("fullscreenchange", nameFullScreen);
  endings.push(() => document.removeEventListener("fullscreenchange", nameFullScreen));

  const tool = (/** @type {string} */ label, /** @type {() => void} */ onClick) =>
    button({ label, isQuiet: true, onClick });
  toolbar.append(tool("Reset", startAgain));
  toolbar.append(page ? tool("Copy link", () => copyLink(page)) : tool("Copy state", copyState));
  if (document.fullscreenEnabled) toolbar.append(fullScreen);
  toolbar.append(tool("Save picture", () => savePicture(root, title)));

  const whenClosed = (/** @type {() => void} */ stop) => void endings.push(stop);
  const close = () => {
    for (const end of endings) end();
    root.remove();
  };
  const parts = { root, controls, stage, answerBox, toolbar };
  return { model, limits, ...parts, state, change, answer, keepRoomFor, notify, fold, follow, whenClosed, close };
}
