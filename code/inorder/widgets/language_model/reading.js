// What the model makes of two prompts: read side by side, and then going on, token by token, in turn.

import { uniqueId } from "../kit/elements.js";

/** @typedef {import("./supply.js").Engine} Engine */

/** @typedef {import("./words.js").Results} Results */

/** @typedef {import("./heads.js").Looks} Looks */

const N_NEXT = 8; // as the stored results have
const N_WRITTEN = 12;
const MOST_WRITTEN = 96;

/** |a − b| / √(|a| |b|) of the last rows of two texts, layer by layer. @param {RowsReply[]} replies */
function differences([one, other]) {
  const norm = (/** @type {Float32Array} */ x) => Math.sqrt(x.reduce((sum, each) => sum + each * each, 0));
  return one.rows.map((a, layer) => {
    const b = other.rows[layer];
    return norm(a.map((each, i) => each - b[i])) / Math.sqrt(norm(a) * norm(b));
  });
}

/**
 * onNews() is called when `now()` has changed: { results, words, problem, isReading, isWriting, isAtEnd, and, once
 * `look` was called, what all heads weigh in the second prompt: looks }.
 * @param {() => void} onNews
 */
export function reading(onNews) {
  const slots = [uniqueId("before"), uniqueId("after")];
  const nothing = {
    results: /** @type {Results | null} */ (null),
    words: /** @type {string[]} */ ([]), // of the second prompt
    looks: /** @type {Looks | null} */ (null),
    problem: "",
    isReading: false,
    isWriting: false,
    isLooking: false,
    isAtEnd: false,
  };
  let now = { ...nothing };
  let run = 0; // what is asked again supersedes what was asked before
  let length = 0; // of what is written, in tokens
  const set = (/** @type {Partial<typeof now>} */ news) => {
    now = { ...now, ...news };
    onNews();
  };

  /** Steps of the run that is under way. @param {(isOver: () => boolean) => Promise<void>} steps */
  async function attempt(steps) {
    const mine = run;
    try {
      await steps(() => mine !== run);
    } catch (error) {
      if (mine !== run || !(error instanceof Error)) return;
      set({ problem: error.message, isReading: false, isWriting: false });
    }
  }

  /** @type {(engine: Engine, prompts: string[], positions: Positions) => Promise<void>} */
  async function start(engine, prompts, positions) {
    run += 1;
    engine.cancel();
    now = { ...nothing, isReading: true };
    length = 0;
    await attempt(async (isOver) => {
      const replies = [];
      for (const [i, text] of prompts.entries())
        replies.push(await engine.prompt({ slot: slots[i], text, positions, k: N_NEXT }));
      if (isOver()) return;
      const next = replies.map(({ likeliest }) =>
        likeliest.map(({ token, probability }) => /** @type {[string, number]} */ ([token, probability])),
      );
      const results = { next, texts: prompts.map(() => ""), stored: false };
      set({ results, words: replies[1].words, isReading: false });
      await goOn(engine, N_WRITTEN);
    });
  }

  /** @type {(engine: Engine, n: number) => Promise<void>} */
  async function goOn(engine, n) {
    const ended = [false, false];
    const end = Math.min(length + n, MOST_WRITTEN);
    set({ isWriting: true });
    await attempt(async (isOver) => {
      while (length < end && ended.includes(false)) {
        for (const [i, slot] of slots.entries()) {
          if (ended[i]) continue;
          const { end: isEnd, text } = await engine.next(slot);
          if (isOver() || !now.results) return;
          ended[i] = isEnd;
          set({ results: { ...now.results, texts: now.results.texts.with(i, text) } });
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
    stop() {
      run += 1;
    },
    /** What is stored takes the place of what was read. @param {Results | null} results */
    show(results) {
      run += 1;
      now = { ...nothing, results };
    },
    /** How the layers differ, and what the heads weigh: once for each reading. @param {Engine} engine */
    async look(engine) {
      if (now.isLooking || !now.results) return;
      now.isLooking = true;
      await attempt(async (isOver) => {
        const replies = [];
        for (const slot of slots) replies.push(await engine.rows(slot));
        const heads = await engine.attention(slots[1]);
        if (isOver()) return;
        const results = { .../** @type {Results} */ (now.results), layers: differences(replies) };
        set({ results, looks: { ...heads, words: now.words } });
      });
    },
  };
}
