// A real language model reads a prompt, before one of its words is moved and after: what comes next, and how does it go on?

import { button, select, slider } from "../kit/inputs.js";
import { figureShell } from "../kit/shell.js";
import { render as draw, html, nothing } from "../kit/vendor/lit.js";
import { shorten } from "../kit/words.js";
import { answers } from "./answers.js";
import { headField, unpacked } from "./heads.js";
import { layersCurve } from "./layers.js";
import { promptEditor, promptTiles } from "./prompts.js";
import { reading } from "./reading.js";
import { supplyOf } from "./supply.js";
import { noteOf, summarise } from "./words.js";

/** @typedef {import("./words.js").Results} Results */

/** @typedef {LanguageModelState} State */

/** @typedef {{ words: string[], weights: string[] }} StoredHeads */

/**
 * @typedef {{ pairs: string[][], placements: Record<string, Results>[], heads: StoredHeads,
 *   swaps: Record<string, { next: import("./words.js").Next, text: string }> }} Stored
 */

/**
 * @typedef {{ stored: Stored, labels: Record<string, string>, published: Partial<import("./supply.js").Published>,
 *   results: Results | {}, sentences: LanguageModelSentences }} Sent
 */

const YOURS = "yours"; // among the examples: none of them
const MORE = 24; // tokens that a press on "Continue" adds
const STORED = { shift: 1000, stretch: 2 };

/** The positions as both engines take them. @param {State} state @returns {Positions} */
function positionsOf({ positions, shift, stretch, own }) {
  if (positions === "own") return own;
  if (positions === "shifted") return { offset: shift };
  return positions === "stretched" ? { scale: stretch } : positions;
}

/** As `stored_results` in results.py. @type {(stored: Stored, state: State) => Results | null} */
function storedResults({ pairs, placements, swaps }, { prompts, positions, shift, stretch }) {
  const at = pairs.findIndex((pair) => prompts.every((prompt) => pair.includes(prompt)));
  const isMoved =
    (positions === "shifted" && shift !== STORED.shift) || (positions === "stretched" && stretch !== STORED.stretch);
  if (isMoved) return null;
  if (at < 0) {
    if (positions !== "trained" || !prompts.every((prompt) => Object.hasOwn(swaps, prompt))) return null;
    const sides = prompts.map((prompt) => swaps[prompt]);
    return { next: sides.map(({ next }) => next), texts: sides.map(({ text }) => text), stored: true };
  }
  const results = placements[at][positions];
  if (!results) return null;
  const [first, second] = prompts.map((prompt) => pairs[at].indexOf(prompt));
  const same = { distance: 0, layers: results.layers?.map(() => 0) };
  return {
    ...results,
    ...(first === second ? same : {}),
    next: [results.next[first], results.next[second]],
    texts: [results.texts[first], results.texts[second]],
    stored: true,
  };
}

/** The prompts, and where their tokens are placed. @type {(shell: Shell<State, Sent>, state: State) => unknown} */
function settings({ model, limits, change }, { prompts, positions, shift, stretch, own }) {
  const { pairs } = model.get("stored");
  const labels = model.get("labels");
  const at = pairs.findIndex((pair) => prompts.every((prompt) => pair.includes(prompt)));
  /** @type {[string, string][]} */
  const examples = pairs.map(([first], i) => [String(i), shorten(first, 36)]);
  const offered = limits.positions.options.filter((name) => name !== "own" || own.length > 0);
  const changeWhole = (/** @type {"shift" | "stretch"} */ name) => (/** @type {number} */ value) => {
    if (Number.isInteger(value)) change({ [name]: value });
  };
  return [
    select({
      label: "Prompts",
      value: at < 0 ? YOURS : String(at),
      options: at < 0 ? [...examples, [YOURS, "your own"]] : examples,
      onInput: (value) => (value === YOURS ? undefined : change({ prompts: pairs[Number(value)] })),
    }),
    select({
      label: "Positions",
      value: positions,
      options: offered.map((name) => [name, labels[name]]),
      onInput: (value) => change({ positions: value }),
    }),
    positions === "shifted"
      ? slider({ label: "by", value: shift, ...limits.shift, step: 1, onInput: changeWhole("shift") })
      : nothing,
    positions === "stretched"
      ? slider({ label: "times", value: stretch, ...limits.stretch, step: 1, onInput: changeWhole("stretch") })
      : nothing,
  ];
}

/** One button that brings the model, and how much of it is here. @param {ReturnType<typeof supplyOf>} supply */
function bringing({ kind, size, status, bring, cancel }) {
  const { isComing, received, problem } = status();
  const megabytes = Math.round(size / 1e6);
  const about = {
    site: "It runs on this page; nothing you type leaves it.",
    kernel: "It runs in this notebook’s kernel.",
    disk: "For prompts of your own this page needs its site: from a disk it can’t fetch the model.",
    none: "This page was made without the model, so these are stored results.",
  };
  const coming =
    kind === "site"
      ? html`<progress aria-label="Downloading the model" max=${size} value=${received}></progress>
        <span class="inorder-note">${Math.round(received / 1e6)} of ${megabytes} MB</span>`
      : html`<span class="inorder-note">The kernel is reading the file.</span>`;
  if (isComing)
    return html`<div class="inorder-lm-bring">${coming}${button({ label: "Cancel", onClick: cancel })}</div>`;
  const label = kind === "site" ? `Download the model (${megabytes} MB)` : "Load the model";
  return html`<div class="inorder-lm-bring">${size || kind === "kernel" ? button({ label, onClick: bring }) : nothing}
    <span class="inorder-note">${problem || about[kind]}</span></div>`;
}

/** @type {(context: Context<State, Sent>) => () => void} */
function render({ model, el, page }) {
  const agree = (/** @type {State} */ { positions, own }) => positions !== "own" || own.length > 0;
  const shell = figureShell({ model, el, page, agree });
  const sentences = model.get("sentences");
  const stored = model.get("stored");
  const supply = supplyOf({ model, el, page });
  const reader = reading(() => redraw());
  const tiles = promptTiles((before, after) => shell.change({ prompts: [before, after] }));
  const drawAnswers = answers();
  const ownFold = shell.fold("A prompt of your own");
  const layersFold = shell.fold("Where do they differ, layer by layer?");
  const headsFold = shell.fold("Where does a head look?");
  const bodyOf = (/** @type {Element} */ fold) => /** @type {HTMLElement} */ (fold.lastElementChild);
  const field = headField(() => redraw());
  const storedLooks = unpacked(stored.heads);
  let asked = ""; // what was read last

  /** The reader's own prompt, once the model is here. @type {(engine: import("./supply.js").Engine, prompt: string) => unknown} */
  function ownPrompt(engine, prompt) {
    const { isReading, isWriting, isAtEnd, problem } = reader.now();
    const onClick = () => {
      if (!problem) return reader.goOn(engine, MORE);
      asked = "";
      redraw();
    };
    return html`${promptEditor(prompt, shell.limits.prompts.longest, (text) => shell.change({ prompts: [text, text] }))}
      ${button({ label: problem ? "Ask again" : "Continue", isDisabled: !problem && (isReading || isWriting || isAtEnd), onClick })}`;
  }

  const redraw = shell.follow((state, _dark, width) => {
    const { engine } = supply.status();
    const question = JSON.stringify([engine !== null, state.prompts, positionsOf(state)]);
    if (question !== asked) {
      asked = question;
      if (engine) reader.start(engine, state.prompts, positionsOf(state));
      else reader.show(storedResults(stored, state));
    }
    if (engine && (layersFold.open || headsFold.open)) reader.look(engine);
    const now = reader.now();
    // While the model reads, what is stored stands there.
    const results = now.results ?? (now.problem ? null : storedResults(stored, state));
    const [before, after] = state.prompts;
    draw(settings(shell, state), shell.controls);
    draw(
      html`${tiles.root}<p class="inorder-note">Lift a word out and drop it on another; or press both.</p>
        ${drawAnswers(results, state.prompts, now.isReading)}`,
      shell.stage,
    );
    tiles.update(after, before);
    draw(engine ? ownPrompt(engine, after) : bringing(supply), bodyOf(ownFold));
    if (layersFold.open) draw(layersCurve(results?.layers), bodyOf(layersFold));
    if (headsFold.open) {
      const choose = (/** @type {number} */ layer, /** @type {number} */ head) => shell.change({ layer, head });
      draw(field.template(engine ? now.looks : storedLooks, state, width, choose), bodyOf(headsFold));
    }
    const isWaiting = now.isReading && !results;
    const sentence = isWaiting ? "The model is reading …" : summarise(sentences, state.prompts, results);
    shell.answer(now.problem || sentence, {
      sign: results ? signOf(results) : "",
      note: now.problem ? "" : noteOf(sentences, results),
      reading: field.lit(),
    });
    if (now.results && !now.isWriting) report(now.results);
  });

  /** Python hears of it. @param {Results} news */
  function report(news) {
    if (model.get("results") === news) return;
    model.set("results", news);
    model.save_changes();
  }

  document.fonts?.ready.then(redraw); // words have other widths in another font
  shell.whenClosed(supply.follow(redraw));
  shell.whenClosed(tiles.stop);
  shell.whenClosed(reader.stop);
  return shell.close;
}

/** @param {Results} results @returns {Sign} */
function signOf({ next: [[[first]], [[second]]] }) {
  return first === second ? "=" : "≠";
}

export default { render };
