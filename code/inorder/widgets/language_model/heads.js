// The attention of one head on a prompt: its tokens, tinted by the weight that the chosen one gives them.

import { make, setAttributes, write } from "../kit/elements.js";
import { formatNumber } from "../kit/words.js";
import { PROMPTS, spell } from "./words.js";

/** Tokens of both prompts. */
export function headPanel() {
  const lists = PROMPTS.map((which) => tokenList(which));
  const missing = make("p", {});
  const root = make("div", {}, missing, ...lists.map((list) => list.root));

  /** @type {(words: string[][], replies: AttentionReply[] | null) => void} */
  function update(words, replies) {
    write(
      missing,
      replies
        ? "Press a token: the others are tinted by the weight that it gives them."
        : "Only the model itself can tell: bring it first.",
    );
    lists.forEach((list, i) => {
      list.root.hidden = !replies;
      if (replies) list.update(words[i], replies[i]);
    });
  }
  return { root, update };
}

/** @param {string} which */
function tokenList(which) {
  /** @type {HTMLButtonElement[]} */
  let tokens = [];
  let drawn = "";
  let query = 0;
  /** @type {{ words: string[], reply: AttentionReply } | null} */
  let current = null;
  const row = make("div", { class: "inorder-lm-tokens", dir: "auto", onkeydown: step });
  const sentence = make("p", {});
  const root = make("div", { role: "group", "aria-label": `Attention on the ${which} prompt` }, row, sentence);

  function step(/** @type {KeyboardEvent} */ event) {
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: query - 1, ArrowRight: query + 1, Home: 0, End: tokens.length - 1 };
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    choose(Math.min(Math.max(steps[event.key], 0), tokens.length - 1));
    tokens[query].focus({ preventScroll: true });
  }
  function choose(/** @type {number} */ place) {
    query = place;
    draw();
  }
  function draw() {
    if (!current) return;
    const { words, reply } = current;
    const weights = words.map((_, key) => reply.weights[query * reply.n + key]);
    const most = weights.indexOf(Math.max(...weights));
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
  /** @type {(words: string[], reply: AttentionReply) => void} */
  function update(words, reply) {
    current = { words, reply };
    const text = JSON.stringify(words);
    if (text !== drawn) {
      drawn = text;
      tokens = words.map((word, place) =>
        make("button", { type: "button", onclick: () => choose(place) }, spell(word)),
      );
      row.replaceChildren(...tokens);
      query = words.length - 1; // it writes the next token
    }
    draw();
  }
  return { root, update };
}
