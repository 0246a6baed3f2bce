// The language model in a Web Worker. `client.js` starts it and puts these messages into functions.
//
// A request is { id, kind, … }. Requests are answered one after the other, each with one { id, done: true, … },
// { id, error: "A sentence." } or { id, cancelled: true }, and before that perhaps with several { id, progress: { … } }.
//
//   open { size, sha256?, simd? }      room for a file of so many bytes: { simd }
//   part { buffer }                    its next bytes: { received, size }
//   ready {}                           the file is whole, and read: { shape, simd }
//   tokenize { text }                  { ids, words, unreadable }; unreadable: characters that have no tokens
//   prompt { slot?, text or ids, positions?, order?, k? }
//                                      reads a text: { ids, words, positions, logits, likeliest, milliseconds }, with
//                                      progress { layer, nLayers }. order: the rows, and with them the causal mask, take
//                                      another order, and each token keeps its position
//   next { slot?, token?, k? }         appends the likeliest token, or `token`: { token, word, end, text, position,
//                                      logits, likeliest, milliseconds }; text: all that was appended. If the token ends
//                                      the text, `end`, and nothing is appended
//   attention { slot?, layer, head }   of the prompt: { weights, n }, row after row
//   rows { slot?}                      of the prompt: { rows, n, dModel }; rows[layer] enter that block, the last leave
//   drop { slot? }                     forgets a text: {}
//   cancel { of? }                     stops request `of`, or all that are under way; it has no answer of its own
//
// A slot holds a text, so that several can go on side by side. logits: after the last token; likeliest: k tokens.

import { attentionWeights, likeliest, newText, placement, readModel, readTokens } from "./decoder.js";
import { reserve } from "./kernel.js";
import { sha256 } from "./sha256.js";
import { createTokenizer } from "./tokenizer.js";

const MOST = 512; // tokens of a text: a cache of 24 MB, and rows of 37
const PATIENCE = 40; // milliseconds of work, after which messages are looked at
const CANCELLED = new Error("cancelled");

/** @param {WorkerScope} scope */
export default function serve(scope) {
  /** @type {{ kernel: Kernel, received: number, hash: ReturnType<typeof sha256> | null, sha256: string } | null} */
  let arriving = null;
  /** @type {{ model: DecoderModel, tokenizer: Tokenizer } | null} */
  let engine = null;
  /** @type {Map<string, { text: ReadText, at: (start: number, end: number) => number[], logits: Float32Array, added: number[] }>} */
  const texts = new Map();
  /** @type {Set<number>} */
  const pending = new Set();
  /** @type {Set<number>} */
  const cancelled = new Set();
  let queue = Promise.resolve();

  const ready = () => {
    if (!engine) throw new Error("The model has not been loaded yet.");
    return engine;
  };
  const entryIn = (slot = "") => {
    const entry = texts.get(slot);
    if (!entry) throw new Error("The model has read no text yet.");
    return entry;
  };
  const word = (/** @type {number} */ id) => ready().tokenizer.decode([id], { special: true });
  const fits = (/** @type {number} */ n) => {
    if (n > MOST) throw new Error(`The text has ${n} tokens, and this page reads at most ${MOST}.`);
  };
  const best = (/** @type {Float32Array} */ logits, k = 10) =>
    likeliest(logits, k).map((each) => ({ ...each, token: word(each.id) }));

  /** Runs through, and lets messages in now and then. @param {Generator<number, Float32Array, void>} steps @param {number} id @param {(layer: number) => void} onLayer */
  async function run(steps, id, onLayer) {
    let since = 0; // the first look is at once
    for (;;) {
      if (performance.now() - since > PATIENCE) {
        await new Promise((resolve) => setTimeout(resolve));
        since = performance.now();
      }
      if (cancelled.has(id)) throw CANCELLED;
      const { value, done } = steps.next();
      if (done) return value;
      onLayer(value);
    }
  }

  /** @type {Record<string, (request: EngineRequest) => object | Promise<object>>} */
  const kinds = {
    open({ size = 0, sha256: expected = "", simd = true }) {
      if (!(Number.isSafeInteger(size) && size > 0)) throw new Error(`A model’s file cannot have ${size} bytes.`);
      arriving = engine = null; // first of all their room
      texts.clear();
      const kernel = reserve(size, { simd });
      arriving = { kernel, received: 0, hash: expected ? sha256() : null, sha256: expected };
      return { simd: kernel.simd };
    },

    part({ buffer = new ArrayBuffer(0) }) {
      if (!arriving) throw new Error("No model’s file is being loaded.");
      const size = arriving.kernel.file.length;
      if (buffer.byteLength > size - arriving.received)
        throw new Error(`The model’s file is longer than the ${size} bytes that it should have.`);
      const bytes = new Uint8Array(buffer);
      arriving.kernel.file.set(bytes, arriving.received);
      arriving.hash?.add(bytes);
      arriving.received += buffer.byteLength;
      buffer.transfer?.(0); // gives its memory back now, not when there is time: the parts are as large as the file
      return { received: arriving.received, size };
    },

    ready() {
      if (!arriving) throw new Error("No model’s file is being loaded.");
      const { kernel, received, hash, sha256: expected } = arriving;
      arriving = null;
      if (received < kernel.file.length)
        throw new Error(`Only ${received} of the ${kernel.file.length} bytes of the model’s file arrived.`);
      const digest = hash?.hex();
      if (digest && digest !== expected)
        throw new Error(`The model’s file is not the expected one: its SHA-256 is ${digest}, not ${expected}.`);
      const { metadata, ...model } = readModel(kernel);
      const tokenizer = createTokenizer(metadata);
      if (tokenizer.size !== model.shape.vocabularySize)
        throw new Error(
          `The model’s file has ${tokenizer.size} tokens and ${model.shape.vocabularySize} rows for them: it was altered.`,
        );
      engine = { model, tokenizer };
      return { shape: model.shape, simd: kernel.simd };
    },

    tokenize({ text = "" }) {
      const { tokenizer } = ready();
      const ids = tokenizer.encode(text);
      return { ids, words: ids.map(word), unreadable: tokenizer.unreadable(text) };
    },

    async prompt({ id, slot = "", text: written = "", ids: given, positions = "trained", order, k }) {
      const start = performance.now();
      const { model, tokenizer } = ready();
      texts.delete(slot);
      const unreadable = given ? [] : tokenizer.unreadable(written);
      if (unreadable.length > 0)
        throw new Error(`The model has no tokens for ${unreadable.map((one) => JSON.stringify(one)).join(", ")}.`);
      let ids = given ?? tokenizer.encode(written);
      if (ids.length === 0) throw new Error("There is no text for the model to read.");
      fits(ids.length);
      const { pairing, at } = placement(positions, ids.length);
      let places = at(0, ids.length);
      if (order) {
        const isWhole = order.length === ids.length && ids.every((_, i) => order.includes(i));
        if (!isWhole) throw new Error(`The rows need an order of all ${ids.length} tokens, each once.`);
        const unordered = ids;
        [ids, places] = [order.map((i) => unordered[i]), order.map((i) => places[i])];
      }
      const text = newText(model, pairing);
      const { nLayers } = model.shape;
      const logits = await run(readTokens(model, text, ids, places, { remember: true }), id, (layer) =>
        scope.postMessage({ id, progress: { layer, nLayers } }),
      );
      texts.set(slot, { text, at, logits, added: [] });
      const milliseconds = performance.now() - start;
      return {
        ids,
        words: ids.map(word),
        positions: places,
        logits: logits.slice(),
        likeliest: best(logits, k),
        milliseconds,
      };
    },

    async next({ id, slot, token: chosen, k }) {
      const start = performance.now();
      const { model, tokenizer } = ready();
      const entry = entryIn(slot);
      const { text, at, added } = entry;
      const token = chosen ?? likeliest(entry.logits, 1)[0].id;
      const end = tokenizer.ends.has(token);
      const told = () => ({
        token,
        word: word(token),
        end,
        text: tokenizer.decode(added),
        milliseconds: performance.now() - start,
      });
      if (end) return told();
      fits(text.length + 1);
      const places = at(text.length, text.length + 1);
      entry.logits = await run(readTokens(model, text, [token], places), id, () => {});
      added.push(token);
      const [position] = places;
      return { ...told(), position, logits: entry.logits.slice(), likeliest: best(entry.logits, k) };
    },

    attention({ slot, layer = 0, head = 0 }) {
      const { text } = entryIn(slot);
      return { weights: attentionWeights(ready().model, text, layer, head), n: text.positions.length };
    },

    rows({ slot }) {
      const { text } = entryIn(slot);
      const { dModel } = ready().model.shape;
      return { rows: text.rows.map((rows) => rows.slice()), n: text.positions.length, dModel };
    },

    drop({ slot = "" }) {
      texts.delete(slot);
      return {};
    },
  };

  /** @param {EngineRequest} request */
  async function answer(request) {
    const { id, kind } = request;
    try {
      if (cancelled.has(id)) throw CANCELLED;
      if (!Object.hasOwn(kinds, kind)) throw new Error(`The model is asked for "${kind}", which it does not know.`);
      const reply = await kinds[kind](request);
      const arrays = Object.values(reply)
        .flat()
        .filter((value) => value instanceof Float32Array);
      scope.postMessage(
        { id, done: true, ...reply },
        arrays.map(({ buffer }) => buffer),
      );
    } catch (error) {
      scope.postMessage(error === CANCELLED ? { id, cancelled: true } : { id, error: sentence(error) });
    } finally {
      pending.delete(id);
      cancelled.delete(id);
    }
  }

  scope.onmessage = ({ data }) => {
    if (data.kind === "cancel") {
      for (const id of data.of === undefined ? pending : [data.of]) if (pending.has(id)) cancelled.add(id);
      return;
    }
    pending.add(data.id);
    queue = queue.then(() => answer(data));
  };
}

/** What a reader gets to see: our own errors are sentences. @param {unknown} error */
function sentence(error) {
  if (error instanceof RangeError) return "There is not enough memory left in this browser for that.";
  return error instanceof Error && error.constructor === Error ? error.message : `The model has stopped: ${error}.`;
}
