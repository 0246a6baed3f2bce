// A figure of any Python function: its controls, and the marks of the state they name, computed in Python beforehand.

import { make } from "../kit/elements.js";
import { MARKS, PARTS } from "../kit/marks.js";
import { figureShell } from "../kit/shell.js";
import { html, render as renderIn } from "../kit/vendor/lit.js";
import { heatMapMark } from "./cells.js";
import { glide } from "./glide.js";
import { handlesOver } from "./handles.js";
import { planeMark } from "./plane.js";
import { readerOver } from "./reader.js";
import { barsMark, tableMark, textMark } from "./rows.js";
import { settingOf, walk } from "./settings.js";
import { placeOf, readStates, stateNumber } from "./states.js";

/**
 * @typedef {{ controls: import("./states.js").Control[], slots: { type: "words", table: unknown[] }[], numbers: DataView, walked: string, tree: { panels: { kind: { slot: number } }[] } }} Sent
 */

/** @typedef {Record<string, Key>} State */

/** @typedef {import("./states.js").Panel} Panel */

/** @typedef {import("./states.js").MarkOf} MarkOf */

/** @typedef {import("./states.js").Key} Key */

/** @typedef {import("./handles.js").Hand} Hand */

/** @typedef {import("./states.js").Picture} Picture */

MARKS.bars = { make: barsMark, narrowest: 240 };
MARKS.plane = { make: planeMark, narrowest: 270 };
MARKS.heat_map = { make: heatMapMark, narrowest: 260 };
MARKS.table = { make: tableMark, narrowest: 150 };
MARKS.text = { make: textMark, narrowest: 150 };
// Sizes are in fifteenths of an em: pixels, where the reader has not asked for larger type.
const EM = 15;
const HEIGHT = { wide: 290, narrow: 250, stacked: 190 }; // of a picture
const AROUND = 330; // what a full screen keeps for the title, controls and answer around the pictures
const SMALL_MAP = { columns: 6, width: 130 };
const GAP = 28;
const HELD = 60; // milliseconds that a mark in hand takes to its next state

// A line of words without arcs, which stands above the other panels.
/** @type {(panel: Panel & { rounds?: string[] }) => boolean} */
const isAcross = ({ kind, rounds }) => kind === "sentence" && rounds?.length === 0;

// How many panels fit beside each other; rows of them are as even as can be.
/** @type {(panels: Panel[], width: number) => number} */
function columnsFor(panels, width) {
  const needs = (/** @type {Panel} */ { kind, values }) =>
    kind === "heat_map" && values.shape[1] <= SMALL_MAP.columns ? SMALL_MAP.width : MARKS[kind].narrowest;
  const most = Math.max(1, Math.floor((width + GAP) / (Math.max(...panels.map(needs)) + GAP)));
  return Math.ceil(panels.length / Math.ceil(panels.length / most));
}

// What a screen reader is told of a mark where the figure has no answer.
/** @type {(mark: MarkOf) => string} */
const wordsOf = ({ root }) =>
  root.getAttribute("aria-label") ?? /** @type {HTMLElement} */ (root).innerText.trim().replace(/\s+/g, " ");

/** @type {(context: Context<State, Sent>) => () => void} */
function render({ model, el, page }) {
  const controls = model.get("controls").map((control) => ({ ...control })); // a text box adds to them
  const checks = Object.fromEntries(
    controls.map(({ name, keys }) => [name, (/** @type {unknown} */ key) => keys.includes(/** @type {Key} */ (key))]),
  );
  const placesOf = (/** @type {State} */ state) => controls.map((control) => placeOf(control, state[control.name]));
  const agree = (/** @type {State} */ state) => placesOf(state).every((place) => place >= 0);
  const shell = figureShell({ model, el, page, checks, agree });
  /** @type {(nStates: number) => ReturnType<typeof readStates>} */
  const read = (nStates) => {
    const [tree, slots, numbers] = [model.get("tree"), model.get("slots"), model.get("numbers")];
    return readStates({ tree, slots, numbers, nStates });
  };
  const traits = /** @type {FigureModel<Record<string, unknown>>} */ (/** @type {unknown} */ (model));
  const { stage, notify } = shell;
  const asking = PARTS.asking?.({ model: traits, page, controls, read, stage, notify });
  const pictureOf = asking ? null : read(controls.reduce((product, { keys }) => product * keys.length, 1));
  /** @type {(places: number[]) => Picture | undefined} */
  const stateOf = (at) => (pictureOf ? pictureOf(stateNumber(controls, at)) : asking?.stateOf(at));

  const walked = controls.find(({ name }) => name === model.get("walked"));
  const player =
    walked &&
    walk({
      control: walked,
      now: () => placeOf(walked, model.get(walked.name)),
      change: (key) => shell.change({ [walked.name]: key }),
      isWaiting: () => asking?.isWaiting() ?? false,
      redraw: () => drawControls(),
    });
  const settings = controls.map((control) => {
    /** @type {(key: Key) => void} */
    const change = (key) => {
      player?.stop();
      shell.change({ [control.name]: key });
    };
    return settingOf(control, change, { notify, onPage: Boolean(page) });
  });
  function drawControls() {
    const at = places();
    const parts = settings.map((setting, i) => [setting(at[i]), controls[i] === walked ? player?.button() : null]);
    renderIn(html`${parts}`, shell.controls);
  }

  const kinds = model.get("tree").panels.map(({ kind }) => String(model.get("slots")[kind.slot].table[0]));
  const places = () => placesOf(/** @type {State} */ (shell.state()));
  /** @type {Omit<Hand, "panelAt">} */
  const hand = {
    controls,
    places,
    readerOver,
    handlesOver,
    statesOf(names) {
      return controls.reduce(
        (states, { name, keys }, i) =>
          names.includes(name) ? states.flatMap((state) => keys.map((_, at) => state.with(i, at))) : states,
        [places()],
      );
    },
    set(next) {
      player?.stop();
      const now = places();
      const parts = controls.flatMap(({ name, keys }, i) => (next[i] === now[i] ? [] : [[name, keys[next[i]]]]));
      shell.change(Object.fromEntries(parts));
    },
  };
  const marks = kinds.map((kind, place) =>
    MARKS[kind].make(place, { ...hand, panelAt: (at) => (stateOf(at) ?? shown).panels[place] }),
  );
  const panels = marks.map((mark, place) => {
    const title = make("div", { class: "inorder-panel-title" });
    return {
      title,
      root: make(
        "div",
        { class: `inorder-panel ${kinds[place] === "table" ? "inorder-sideways" : ""}` },
        title,
        mark.root,
      ),
    };
  });
  const row = make("div", { class: "inorder-panels" }, ...panels.map(({ root }) => root));
  stage.append(row);

  let room = { widths: [0], height: 0, unit: 1, dark: false };
  let isAnswered = false;
  let shown = /** @type {Picture} */ ({});
  const way = glide((now, goal) => {
    const { widths, height, unit, dark } = room;
    marks.forEach((mark, i) => mark.update(now[i], { width: widths[i], height, unit }, dark, goal[i]));
    if (now === goal && !isAnswered) shell.answer("", { reading: marks.map(wordsOf).join(". ") });
  });

  /** @type {(settingsNow: State, dark: boolean) => void} */
  function draw(settingsNow, dark) {
    const at = placesOf(settingsNow);
    drawControls();
    const state = stateOf(at);
    if (!state) return asking?.wait(at);
    asking?.show();
    shown = state;
    const unit = parseFloat(getComputedStyle(stage).fontSize) / EM; // pixels
    const width = stage.clientWidth / unit;
    const beside = state.panels.filter((panel) => !isAcross(panel));
    const nColumns = beside.length ? columnsFor(beside, width) : 1;
    panels.forEach(({ root }, i) => {
      root.classList.toggle("is-across", isAcross(state.panels[i]));
    });
    row.style.setProperty("--columns", String(nColumns));
    const isOneRow = nColumns >= beside.length;
    const onPage = isOneRow ? HEIGHT[width < 430 ? "narrow" : "wide"] : HEIGHT.stacked;
    const onScreen = document.fullscreenElement?.contains(row) && isOneRow ? innerHeight / unit : 0;
    const height = Math.max(onPage, onScreen - AROUND);
    // Widths are read all before anything is written.
    room = { widths: panels.map(({ root }) => Math.floor(root.clientWidth / unit)), height, unit, dark };
    state.panels.forEach(({ title }, i) => {
      panels[i].title.textContent = title;
      panels[i].title.hidden = title === "";
    });
    isAnswered = state.answer !== null;
    if (state.answer) shell.answer(state.answer.words, { sign: state.answer.sign });
    const isHeld = row.querySelector(".inorder-handle.is-held") !== null;
    return way.to(state.panels, isHeld ? HELD : player?.pace());
  }

  shell.follow(draw, asking && ["visited", "said"]);
  shell.whenClosed(way.stop);
  if (player) shell.whenClosed(player.close);
  if (asking) shell.whenClosed(asking.close);
  return shell.close;
}

export default { render };
