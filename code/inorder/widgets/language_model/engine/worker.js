// The language model in a Web Worker. `client.js` starts it and puts these messages into functions.
//
// A request is { id, kind, … }. Requests are answered one after the other, each with { id, … } or { id, error: "A sentence." }.
//
//   open { size }                         room for a file of so many bytes
//   part { buffer }                       its next bytes
//   ready {}                              the file is whole: it is read
//   prompt { slot, text, positions, k }   reads a text: { words, likeliest }, k tokens
//   next { slot }                         appends the likeliest token: { end, text }; text: all that was appended. If the
//                                         token ends the text, `end`, and nothing is appended
//   attention { slot }                    of the prompt: { weights, nHeads }, of each head, layer by layer: (query, key)
//   rows { slot }                         of the prompt's last token: { rows }; rows[layer] enters that block
//   cancel { last }                       stops all requests up to that id: they have no answer
//
// A slot holds a text, so that two can go on side by side.

import { attentionWeights, likeliest, newText, placement, readModel, readTokens } from "./decoder.js";
import { reserve } from "./kernel.js";
import { createTokenizer } from "./tokenizer.js";

const MOST = 64; // tokens of a prompt
const PATIENCE = 40; // milliseconds of work, after which messages are looked at
const CANCELLED = new Error("cancelled");

/** @param {WorkerScope} scope */
export default function serve(scope) {
  let kernel = /** @type {Kernel} */ ({});
  let received = 0; // bytes of its file
  let model = /** @type {DecoderModel} */ ({});
  let tokenizer = /** @type {Tokenizer} */ ({});
  /** @type {Map<string, { text: ReadText, at: (start: number, end: number) => number[], logits: Float32Array, added: number[] }>} */
  const texts = new Map();
  let lastCancelled = 0;
  let queue = Promise.resolve();

  const entryOf = (/** @type {string} */ slot) => {
    const entry = texts.get(slot);
    if (!entry) throw new Error("The model has read no text yet.");
    return entry;
  };
  const word = (/** @type {number} */ id) => tokenizer.decode([id], { special: true });

  /** Runs through, and lets messages in now and then. @param {Generator<number, Float32Array, void>} steps @param {number} id */
  async function run(steps, id) {
    let since = 0; // the first look is at once
    for (;;) {
      if (performance.now() - since > PATIENCE) {
        await new Promise((resolve) => setTimeout(resolve));
        since = performance.now();
      }
      if (id <= lastCancelled) throw CANCELLED;
      const { value, done } = steps.next();
      if (done) return value;
    }
  }

  /** @type {Record<string, (request: EngineRequest) => object | Promise<object>>} */
  const kinds = {
    open({ size }) {
      kernel = reserve(size);
      return {};
    },

    part({ buffer }) {
      kernel.file.set(new Uint8Array(buffer), received);
      received += buffer.byteLength;
      buffer.transfer?.(0); // gives its memory back now, not when there is time: the parts are as large as the file
      return {};
    },

    ready() {
      if (received !== kernel.file.length) throw new Error("The model’s file did not come whole. Press again for it.");
      const { metadata, ...read } = readModel(kernel);
      model = read;
      tokenizer = createTokenizer(metadata);
      return {};
    },

    async prompt({ id, slot, text: written, positions, k }) {
      const ids = tokenizer.encode(written);
      if (ids.length === 0) throw new Error("There is no text for the model to read.");
      if (ids.length > MOST) throw new Error(`The prompt has ${ids.length} tokens; this figure reads at most ${MOST}.`);
      const { pairing, at } = placement(positions, ids.length);
      const text = newText(model, pairing);
      const logits = await run(readTokens(model, text, ids, at(0, ids.length)), id);
      texts.set(slot, { text, at, logits, added: [] });
      return {
        words: ids.map(word),
        likeliest: likeliest(logits, k).map((each) => ({ ...each, token: word(each.id) })),
      };
    },

    async next({ id, slot }) {
      const entry = entryOf(slot);
      const { text, at, added } = entry;
      const [{ id: token }] = likeliest(entry.logits, 1);
      const end = tokenizer.ends.has(token);
      if (!end) {
        entry.logits = await run(readTokens(model, text, [token], at(text.length, text.length + 1)), id);
        added.push(token);
      }
      return { end, text: tokenizer.decode(added) };
    },

    attention: ({ slot }) => ({ weights: attentionWeights(model, entryOf(slot).text), nHeads: model.shape.nHeads }),

    rows({ slot }) {
      const { rows } = entryOf(slot).text;
      return { rows: rows.map((row) => row.slice(-model.shape.dModel)) };
    },
  };

  /** @param {EngineRequest} request */
  async function answer(request) {
    const { id, kind } = request;
    if (id <= lastCancelled) return;
    try {
      const reply = await kinds[kind](request);
      scope.postMessage({ id, ...reply });
    } catch (error) {
      if (error !== CANCELLED) scope.postMessage({ id, error: sentence(error) });
    }
  }

  scope.onmessage = ({ data }) => {
    if (data.kind === "cancel") lastCancelled = data.last;
    else queue = queue.then(() => answer(data));
  };
}

/** What a reader gets to see: our own errors are sentences. @param {unknown} error */
function sentence(error) {
  if (error instanceof RangeError) return "There is not enough memory left in this browser for that.";
  return error instanceof Error && error.constructor === Error ? error.message : `The model has stopped: ${error}.`;
}
