// The panels of a picture side by side, a mark in each, on their way from one state to the next.

import { make, write } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { glide } from "./glide.js";

// Sizes are in fifteenths of an em: pixels, where the reader has not asked for larger type.
const EM = 15;
const HEIGHT = { wide: 290, narrow: 250, stacked: 190 }; // of a picture
const AROUND = 330; // what a full screen keeps for the title, controls and answer around the pictures
const SMALL_MAP = { columns: 6, width: 130 };
const GAP = 28;
const HELD = 60; // milliseconds that a mark in hand takes to its next state

// The width that a panel needs at least; 0 if it lies across the figure.
/** @type {(panel: AnyPanel) => number} */
function narrowestOf({ kind, across, values }) {
  if (across) return 0;
  return kind === "heat_map" && values.shape[1] <= SMALL_MAP.columns ? SMALL_MAP.width : MARKS[kind].narrowest;
}

// How many panels that need these widths fit beside each other; rows of them are as even as can be.
/** @type {(needs: number[], width: number) => number} */
function columnsFor(needs, width) {
  if (!needs.length) return 1;
  const most = Math.max(1, Math.floor((width + GAP) / (Math.max(...needs) + GAP)));
  return Math.ceil(needs.length / Math.ceil(needs.length / most));
}

// What a screen reader is told of a mark where the figure has no answer.
/** @type {(mark: MarkOf) => string} */
const wordsOf = ({ root }) =>
  root.getAttribute("aria-label") ?? /** @type {HTMLElement} */ (root).innerText.trim().replace(/\s+/g, " ");

// draw(panels, dark, width) draws a state on a stage so many pixels wide. `pace`: the milliseconds that the way to it takes; whenDrawn is told what it shows, in
// words. handOf(place) is what moves the mark at that place.
/**
 * @param {HTMLElement} stage
 * @param {string[]} kinds of the marks
 * @param {(place: number) => Hand} handOf
 */
export function panelsIn(stage, kinds, handOf) {
  const marks = kinds.map((kind, place) => MARKS[kind].make(place, handOf(place)));
  const panels = marks.map((mark, place) => {
    const title = make("div", { class: "inorder-panel-title" });
    const sideways = kinds[place] === "table" ? "inorder-sideways" : "";
    return { title, root: make("div", { class: `inorder-panel ${sideways}` }, title, mark.root) };
  });
  const row = make("div", { class: "inorder-panels" }, ...panels.map(({ root }) => root));
  stage.append(row);
  let room = { widths: [0], height: 0, unit: 1 };
  let isDark = false;
  let fitted = "";
  /** @type {((words: string) => void) | undefined} */
  let whenDrawn;
  const way = glide((now, goal) => {
    const { widths, height, unit } = room;
    marks.forEach((mark, i) => mark.update(now[i], { width: widths[i], height, unit }, isDark, goal[i]));
    if (now === goal) whenDrawn?.(marks.map(wordsOf).join(". "));
  });

  // `needs`: the width of each panel at least.
  /** @type {(needs: number[], stageWidth: number, screen: number) => void} */
  function fit(needs, stageWidth, screen) {
    const unit = parseFloat(getComputedStyle(stage).fontSize) / EM; // pixels
    const width = stageWidth / unit;
    const beside = needs.filter(Boolean);
    const nColumns = columnsFor(beside, width);
    panels.forEach(({ root }, i) => {
      root.classList.toggle("is-across", !needs[i]);
    });
    row.style.setProperty("--columns", String(nColumns));
    const isOneRow = nColumns >= beside.length;
    const onPage = isOneRow ? HEIGHT[width < 430 ? "narrow" : "wide"] : HEIGHT.stacked;
    const height = Math.max(onPage, isOneRow ? screen / unit - AROUND : 0);
    room = { widths: panels.map(({ root }) => Math.floor(root.clientWidth / unit)), height, unit };
  }

  /** @type {(goal: AnyPanel[], dark: boolean, width: number, options?: { pace?: number, whenDrawn?: (words: string) => void }) => void} */
  function draw(goal, dark, width, options = {}) {
    isDark = dark;
    // To measure makes the browser lay out the page, so it is done only for another room.
    const needs = goal.map(narrowestOf);
    const screen = document.fullscreenElement?.contains(row) ? innerHeight : 0;
    const asked = String([needs, width, screen]);
    if (asked !== fitted) fit(needs, width, screen);
    fitted = asked;
    goal.forEach(({ title }, i) => {
      write(panels[i].title, title);
      panels[i].title.hidden = title === "";
    });
    whenDrawn = options.whenDrawn;
    const isHeld = row.querySelector(".inorder-handle.is-held") !== null;
    way.to(goal, isHeld ? HELD : options.pace);
  }

  return { draw, stop: way.stop };
}
