// What the model makes of two prompts: read side by side, and then going on, token by token, in turn.

import { uniqueId } from "../kit/elements.js";
import { MOST_TOKENS } from "./words.js";

/** @typedef {import("./supply.js").Engine} Engine */

/** @typedef {import("./words.js").Results} Results */

/** @typedef {import("./heads.js").Looks} Looks */

const N_NEXT = 8; // as the stored results have
const N_WRITTEN = 12;
const MOST_WRITTEN = 96;

const REFUSED = "RefusedError";
const refused = (/** @type {string} */ message) => Object.assign(new Error(message), { name: REFUSED });

/** Softmax. @param {Float32Array} logits */
function distribution(logits) {
  const largest = logits.reduce((most, each) => Math.max(most, each), -Infinity);
  const powers = Float64Array.from(logits, (each) => Math.exp(each - largest));
  const total = powers.reduce((sum, each) => sum + each, 0);
  return powers.map((each) => each / total);
}

/** ½ Σ |p − q|. @param {Float32Array} one @param {Float32Array} other */
function totalVariation(one, other) {
  const [p, q] = [one, other].map(distribution);
  return p.reduce((sum, each, i) => sum + Math.abs(each - q[i]), 0) / 2;
}

/** |a − b| / √(|a| |b|) of the last rows of two texts, layer by layer. @param {RowsReply[]} replies */
export function differences([one, other]) {
  const last = (/** @type {RowsReply} */ { rows, n, dModel }, /** @type {number} */ layer) =>
    rows[layer].subarray((n - 1) * dModel, n * dModel);
  const norm = (/** @type {Float32Array} */ x) => Math.sqrt(x.reduce((sum, each) => sum + each * each, 0));
  return one.rows.map((_, layer) => {
    const [a, b] = [last(one, layer), last(other, layer)];
    return norm(a.map((each, i) => each - b[i])) / Math.sqrt(norm(a) * norm(b));
  });
}

/**
 * onNews() is called when `now()` has changed: { results, words, problem, isRefused, isReading, isWriting,
 * isAtEnd }. isRefused: the problem is a prompt that this figure doesn't take.
 * @param {() => void} onNews
 */
export function reading(onNews) {
  const slots = [uniqueId("before"), uniqueId("after")];
  const nothing = {
    results: /** @type {Results | null} */ (null),
    words: /** @type {string[][]} */ ([]),
    problem: "",
    isRefused: false,
    isReading: false,
    isWriting: false,
    isAtEnd: false,
  };
  let now = { ...nothing };
  let run = 0; // what is asked again supersedes what was asked before
  let read = 0; // changes with the prompts
  let length = 0; // of what is written, in tokens
  const set = (/** @type {Partial<typeof now>} */ news) => {
    now = { ...now, ...news };
    onNews();
  };

  /** Runs until another run begins. @param {number} mine @param {() => Promise<void>} steps */
  async function attempt(mine, steps) {
    try {
      await steps();
    } catch (error) {
      if (mine !== run || !(error instanceof Error) || error.name === "AbortError") return;
      set({ problem: error.message, isRefused: error.name === REFUSED, isReading: false, isWriting: false });
    }
  }

  /** @type {(engine: Engine, text: string) => Promise<WordsReply>} */
  async function cut(engine, text) {
    const tokens = await engine.tokenize(text);
    if (tokens.unreadable.length > 0)
      throw refused(`The model has no tokens for ${tokens.unreadable.map((one) => JSON.stringify(one)).join(", ")}.`);
    if (tokens.ids.length > MOST_TOKENS)
      throw refused(`A prompt has ${tokens.ids.length} tokens; this figure reads at most ${MOST_TOKENS}.`);
    return tokens;
  }

  /** @type {(engine: Engine, prompts: string[], positions: Positions) => Promise<void>} */
  async function start(engine, prompts, positions) {
    const mine = ++run;
    read += 1;
    engine.cancel();
    now = { ...nothing, isReading: true };
    length = 0;
    await attempt(mine, async () => {
      const tokens = [];
      for (const text of prompts) tokens.push(await cut(engine, text));
      const replies = [];
      for (const [i, { ids }] of tokens.entries())
        replies.push(await engine.prompt({ slot: slots[i], ids, positions, k: N_NEXT }));
      if (mine !== run) return;
      const next = replies.map(({ likeliest }) =>
        likeliest.map(({ token, probability }) => /** @type {[string, number]} */ ([token, probability])),
      );
      const distance = totalVariation(replies[0].logits, replies[1].logits);
      set({
        results: { next, texts: prompts.map(() => ""), distance, stored: false },
        words: tokens.map(({ words }) => words),
        isReading: false,
      });
      await goOn(engine, N_WRITTEN, mine);
    });
  }

  /** @type {(engine: Engine, n: number, mine?: number) => Promise<void>} */
  async function goOn(engine, n, mine = ++run) {
    const ended = [false, false];
    const end = Math.min(length + n, MOST_WRITTEN);
    set({ isWriting: true, problem: "" });
    await attempt(mine, async () => {
      while (length < end && ended.includes(false)) {
        for (const [i, slot] of slots.entries()) {
          if (ended[i]) continue;
          const { end: isEnd, text } = await engine.next({ slot });
          if (mine !== run || !now.results) return;
          ended[i] = isEnd;
          const texts = now.results.texts.map((before, j) => (j === i ? text : before));
          set({ results: { ...now.results, texts } });
        }
        length += 1;
      }
      set({ isWriting: false, isAtEnd: length >= MOST_WRITTEN || !ended.includes(false) });
    });
  }

  return {
    start,
    goOn,
    now: () => now,
    pause() {
      run += 1;
      set({ isWriting: false });
    },
    /** What is stored takes the place of what was read. @param {Results | null} results */
    show(results) {
      run += 1;
      read += 1;
      now = { ...nothing, results };
    },
    /** Adds the differences of the layers to the results. @param {Engine} engine */
    async layers(engine) {
      const mine = read;
      await attempt(run, async () => {
        const replies = [];
        for (const slot of slots) replies.push(await engine.rows(slot));
        if (mine === read && now.results) set({ results: { ...now.results, layers: differences(replies) } });
      });
    },
    /** What all heads weigh in the second prompt; the model says how many there are. @type {(engine: Engine, ends: { layer: number, head: number }) => Promise<Looks>} */
    async heads(engine, ends) {
      const words = now.words[1];
      const weights = [];
      let nHeads = ends.head + 1;
      for (let layer = 0; layer <= ends.layer; layer += 1)
        for (let head = 0; head < nHeads; head += 1)
          try {
            weights.push((await engine.attention({ slot: slots[1], layer, head })).weights);
          } catch (error) {
            if (weights.length === 0 || (error instanceof Error && error.name === "AbortError")) throw error;
            if (head === 0) return { words, nHeads, weights };
            nHeads = head;
          }
      return { words, nHeads, weights };
    },
  };
}
