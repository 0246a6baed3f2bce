// A sentence and its reshuffle through one small attention model, told apart or not.

import {
  ROUNDING, button, checkbox, divergingColour, figureShell, followState, formatDifference, formatNumber, isText,
  largestMagnitude, make, matmul, moveWithin, numbersFromText, scaledDotProductAttention, sinusoidalEncoding, transpose,
} from "./kit.js";

const FEWEST_WORDS = 2;
const MOST_WORDS = 8;
const LONGEST_WORD = 20;

const D_MODEL = 6;
const N_LAYERS = 2;

// ------------------------------------------------------------------------------------------------- the state

const BREAKS = /[\s\p{Cc}]+/u; // white space and control characters
const isWord = (word) => isText(word, LONGEST_WORD) && word !== "" && !BREAKS.test(word);
const isSentence = (words) => FEWEST_WORDS <= words.length && words.length <= MOST_WORDS && words.every(isWord);

const checks = {
  words: (words) => Array.isArray(words) && isSentence(words),
  order: (order) => Array.isArray(order) && [...order].sort((a, b) => a - b).every((place, i) => place === i),
  positions: (positions) => typeof positions === "boolean",
};

const agree = ({ words, order }) => words.length === order.length;

// The same reshuffle for a sentence of another length: new words come last.
function orderOf(n, order) {
  const known = order.filter((i) => i < n);
  return [...known, ...Array.from({ length: n - known.length }, (_, i) => known.length + i)];
}

// -------------------------------------------------------------------------------------------- the arithmetic

function weights(name) {
  return Array.from({ length: D_MODEL }, (_, row) => numbersFromText(`${name}, row ${row}`, D_MODEL));
}

const LAYERS = Array.from({ length: N_LAYERS }, (_, layer) =>
  ["query", "key", "value"].map((name) => weights(`layer ${layer}, ${name}`)),
);

const add = (a, b) => a.map((row, i) => row.map((value, j) => value + b[i][j]));

function sentenceVector(words, positions) {
  let x = words.map((word) => numbersFromText(word, D_MODEL)); // (n, d_model)
  if (positions) x = add(x, sinusoidalEncoding([...words.keys()], D_MODEL));
  for (const layer of LAYERS) {
    const [query, key, value] = layer.map((w) => matmul(x, w));
    x = add(x, scaledDotProductAttention(query, key, value));
  }
  return transpose(x).map((column) => column.reduce((sum, value) => sum + value, 0) / words.length); // (d_model,)
}

export function calculate({ words, order, positions }) {
  const reshuffle = order.map((i) => words[i]);
  const vectors = [words, reshuffle].map((sentence) => sentenceVector(sentence, positions)); // (2, d_model)
  const difference = Math.max(...vectors[0].map((value, i) => Math.abs(value - vectors[1][i])));
  return { sentences: [words.join(" "), reshuffle.join(" ")], vectors, difference };
}

// ------------------------------------------------------------------------------------------------- the words

function summarise({ positions }, { sentences, difference }) {
  const [one, other] = sentences.map((sentence) => `“${sentence}”`);
  const setting = positions ? "Positions on" : "Positions off";
  if (one === other) return `${setting}. Both sentences read ${one}: move a word.`;
  if (difference > ROUNDING) {
    return `${setting}: ${one} and ${other} leave two vectors that differ by ${formatNumber(difference)}.`;
  }
  return `${setting}: ${one} and ${other} leave the same vector, up to rounding.`;
}

// ------------------------------------------------------------------------------------------------ the figure

function render({ model, el, page }) {
  const shell = figureShell({ model, el, page, checks, agree });

  // the sentence
  const read = () => sentence.value.split(BREAKS).filter(Boolean);
  const sentence = make("input", { type: "text", "aria-label": "Sentence", autocomplete: "off", spellcheck: "false",
    dir: "auto", oninput: () => {
      const words = read();
      const fits = isSentence(words);
      if (fits) shell.change({ words, order: orderOf(words.length, shell.state().order) });
      shell.notify(fits ? "" : `A sentence here has ${FEWEST_WORDS} to ${MOST_WORDS} words, each of up to ${LONGEST_WORD} letters.`);
    }, onchange: () => {
      sentence.value = shell.state().words.join(" ");
      shell.notify("");
    } });

  // the reshuffle: a slot for each place, so that moving a word moves no element
  let dragged = null; // the slot of the word being dragged
  const slots = make("div", { class: "inorder-slots", role: "group", "aria-label": "Reshuffle" });
  const words = () => [...slots.querySelectorAll(".inorder-word")];
  const arrows = (slot) => slots.children[slot].querySelectorAll("button");

  function move(from, to) {
    shell.change({ order: moveWithin(shell.state().order, from, to) });
  }

  function makeSlot(slot) {
    const step = (by) => () => {
      move(slot, slot + by);
      const [back, forth] = arrows(slot + by);
      (by < 0 ? [back, forth] : [forth, back]).find((arrow) => !arrow.disabled).focus();
    };
    return make("span", { class: "inorder-slot" }, button({ label: "", text: "‹", onClick: step(-1) }),
      make("span", { class: "inorder-word" }), button({ label: "", text: "›", onClick: step(1) }));
  }

  function drawSlots(reshuffle) {
    if (slots.children.length !== reshuffle.length) slots.replaceChildren(...reshuffle.map((_, slot) => makeSlot(slot)));
    words().forEach((word, slot) => {
      word.textContent = reshuffle[slot];
      slots.children[slot].classList.toggle("is-dragged", slot === dragged);
      const [back, forth] = arrows(slot);
      back.disabled = slot === 0;
      forth.disabled = slot === reshuffle.length - 1;
      back.setAttribute("aria-label", `Move “${reshuffle[slot]}” to the left`);
      forth.setAttribute("aria-label", `Move “${reshuffle[slot]}” to the right`);
    });
  }

  // A finger on a word often counts as on the arrow beside it, so a drag may begin on either.
  let pressed = null; // where the pointer went down
  slots.addEventListener("pointerdown", (event) => {
    const slot = [...slots.children].indexOf(event.target.closest(".inorder-slot"));
    if (slot >= 0 && event.button === 0) pressed = { slot, x: event.clientX, y: event.clientY };
  });
  slots.addEventListener("pointermove", (event) => {
    if (!pressed) return;
    if (dragged === null) {
      if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < 5) return;
      dragged = pressed.slot;
      slots.setPointerCapture(event.pointerId); // which also keeps the arrow from being clicked
      drawSlots(words().map((word) => word.textContent));
    }
    const isBefore = ({ top, bottom, left, right }) =>
      bottom < event.clientY || (top < event.clientY && (left + right) / 2 < event.clientX);
    const others = [...slots.children].filter((_, slot) => slot !== dragged);
    const to = others.filter((slot) => isBefore(slot.getBoundingClientRect())).length;
    if (to === dragged) return;
    const from = dragged;
    dragged = to;
    move(from, to);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    slots.addEventListener(end, () => {
      pressed = dragged = null;
      drawSlots(words().map((word) => word.textContent));
    });
  }

  function shuffle() {
    const { words: given, order } = shell.state();
    const reading = (some) => some.map((i) => given[i]).join(" ");
    const taken = new Set([reading(order), given.join(" ")]);
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const candidate = order.map((place) => [Math.random(), place]).sort(([a], [b]) => a - b).map(([, place]) => place);
      if (taken.has(reading(candidate))) continue;
      shell.change({ order: candidate });
      return;
    }
    shell.change({ order: [...order].reverse() }); // two words, or words repeated: nothing new is left
  }

  const positions = checkbox({ label: "Tell the model the positions", onInput: (on) => shell.change({ positions: on }) });
  shell.controls.append(positions.root);

  // each sentence beside what the model makes of it, and the verdict
  function strip(i) {
    const name = make("span", { class: "inorder-strip-name" }); // for the picture, which shows no controls
    const cells = Array.from({ length: D_MODEL }, (_, column) =>
      make("li", { class: "inorder-entry", "data-name": "vectors", "data-row": i, "data-col": column }));
    const list = make("ol", { class: "inorder-entries" }, ...cells);
    return { name, list, cells };
  }
  const strips = [strip(0), strip(1)];
  const controls = (...parts) => make("div", { class: "inorder-choose", "data-picture": "skip" }, ...parts);
  const row = (chooser, { name, list }) => make("div", { class: "inorder-line" }, chooser, name, list);
  const verdict = make("p", { class: "inorder-verdict" });
  shell.stage.append(
    make("p", { class: "inorder-caption" },
      "The numbers: what the model makes of each sentence, by two layers of attention and the mean over its words."),
    row(controls(make("span", {}, "Sentence"), sentence), strips[0]),
    row(controls(button({ label: "Shuffle", onClick: shuffle }), slots), strips[1]),
    verdict,
  );

  function draw(state, dark) {
    const { sentences, vectors, difference } = calculate(state);
    if (read().join(" ") !== sentences[0]) sentence.value = sentences[0];
    drawSlots(state.order.map((i) => state.words[i]));
    positions.set(state.positions);
    const largest = largestMagnitude(vectors);
    strips.forEach(({ name, list, cells }, i) => {
      name.textContent = sentences[i];
      list.setAttribute("aria-label", `What the model makes of “${sentences[i]}”`);
      cells.forEach((cell, column) => {
        const value = vectors[i][column];
        const { fill, ink } = divergingColour(value / largest, dark);
        cell.textContent = formatNumber(value);
        cell.dataset.value = String(value);
        cell.style.backgroundColor = fill;
        cell.style.color = ink;
      });
    });
    const told = difference > ROUNDING;
    verdict.replaceChildren(
      make("strong", {}, `${told ? "≠" : "="} The model ${told ? "tells" : "cannot tell"} them apart`),
      " (difference ", make("span", { "data-name": "difference", "data-value": String(difference) }, formatDifference(difference)), ").");
    verdict.classList.toggle("is-told", told);
    shell.summary(summarise(state, { sentences, difference }));
  }

  const stop = followState(shell, draw);
  return () => {
    stop();
    shell.close();
  };
}

export default { render };
