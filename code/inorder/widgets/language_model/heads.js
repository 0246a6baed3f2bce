// The attention of one head on both prompts: its weights as a heat map, and one query's over the tokens themselves.

import { make, setAttributes, write } from "../kit/elements.js";
import { colourScale, paintHeatMap } from "../kit/heat_map.js";
import { formatNumber } from "../kit/words.js";
import { PROMPTS, spell } from "./words.js";

const [CELL, SMALLEST, LARGEST] = [14, 84, 220]; // pixels: of a token, and of all of them

/** Both prompts. */
export function headPanel() {
  const lists = PROMPTS.map((which) => oneText(which));
  const said = make("p", {});
  const root = make("div", { class: "inorder-lm-looks" }, said, ...lists.map((list) => list.root));

  /** @type {(words: string[][], replies: AttentionReply[] | null, options: { problem: string, dark: boolean }) => void} */
  function update(words, replies, { problem, dark }) {
    const how =
      "Each row of the map is a query: the darker a cell, the more weight that key gets. Press a row, or a token.";
    write(said, problem || (replies ? how : "Only the model itself can tell: load it first."));
    lists.forEach((list, i) => {
      list.root.hidden = !replies;
      if (replies) list.update(words[i], replies[i], dark);
    });
  }
  return { root, update };
}

/** @param {string} which */
function oneText(which) {
  /** @type {HTMLButtonElement[]} */
  let tokens = [];
  let drawn = "";
  let query = 0;
  /** @type {{ words: string[], reply: AttentionReply } | null} */
  let current = null;
  const canvas = make("canvas", { role: "img" });
  const mark = make("div", { class: "inorder-lm-query" });
  const map = make("div", { class: "inorder-lm-map", onclick: choosePressed }, canvas, mark);
  const row = make("div", { class: "inorder-lm-tokens", dir: "auto", onkeydown: step });
  const sentence = make("p", {});
  const root = make(
    "div",
    { class: "inorder-lm-head-text", role: "group", "aria-label": `Attention on the ${which} prompt` },
    map,
    make("div", {}, row, sentence),
  );

  function choosePressed(/** @type {MouseEvent} */ event) {
    const { top, height } = canvas.getBoundingClientRect();
    choose(Math.min(Math.floor(((event.clientY - top) / height) * tokens.length), tokens.length - 1));
  }
  function step(/** @type {KeyboardEvent} */ event) {
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: query - 1, ArrowRight: query + 1, Home: 0, End: tokens.length - 1 };
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    choose(steps[event.key]);
    tokens[query].focus({ preventScroll: true });
  }
  function choose(/** @type {number} */ place) {
    query = Math.min(Math.max(place, 0), tokens.length - 1);
    draw();
  }
  function draw() {
    if (!current) return;
    const { words, reply } = current;
    const weights = words.map((_, key) => reply.weights[query * reply.n + key]);
    const most = weights.indexOf(Math.max(...weights));
    mark.style.setProperty("--from", String(query / reply.n));
    mark.style.setProperty("--part", String(1 / reply.n));
    tokens.forEach((token, key) => {
      token.style.setProperty("--weight", String(weights[key]));
      token.classList.toggle("is-heavy", weights[key] > 0.55);
      token.classList.toggle("is-later", key > query);
      setAttributes(token, {
        tabindex: key === query ? 0 : -1,
        "aria-pressed": key === query,
        "aria-label": `“${spell(words[key])}”, token ${key}: ${key > query ? "later" : formatNumber(weights[key])}`,
      });
    });
    const [asks, answers] = [query, most].map((key) => `“${spell(words[key])}” (token ${key})`);
    write(sentence, `${asks} gives ${formatNumber(weights[most])} of its weight to ${answers}.`);
  }
  /** @type {(words: string[], reply: AttentionReply, dark: boolean) => void} */
  function update(words, reply, dark) {
    current = { words, reply };
    const text = JSON.stringify(words);
    if (text !== drawn) {
      drawn = text;
      tokens = words.map((word, place) =>
        make("button", { type: "button", onclick: () => choose(place) }, spell(word)),
      );
      row.replaceChildren(...tokens);
      query = words.length - 1; // it generates the next token
    }
    const side = Math.min(Math.max(CELL * reply.n, SMALLEST), LARGEST);
    const scale = colourScale({ kind: "sequential", largest: 1, dark });
    const { weights: values, n } = reply;
    paintHeatMap(canvas, { values, nRows: n, nColumns: n, scale, width: side, height: side });
    const size = `${n} queries, down, and ${n} keys, across`;
    setAttributes(canvas, { "aria-label": `Heat map of the weights: ${size}; the tokens beside it read them out` });
    draw();
  }
  return { root, update };
}
