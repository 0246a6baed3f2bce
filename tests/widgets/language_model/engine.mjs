// The engine in Node, for conftest.py: a line of JSON comes in, { do, … }, and a line goes out, { result } or { error }.
// Float32Arrays go out as { float32: base64 }.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const folder = new URL("../../../code/inorder/widgets/language_model/engine/", import.meta.url);
const load = (file) => import(new URL(file, folder));
const { reserve, half } = await load("kernel.js");
const { readModel, newText, readTokens, placement, attentionWeights, likeliest, PLACEMENTS } = await load("decoder.js");
const { createTokenizer } = await load("tokenizer.js");
const { readGguf } = await load("gguf.js");
const { default: serve } = await load("worker.js");

const models = {};
const texts = {};
const read = (path) => {
  const bytes = readFileSync(path);
  const kernel = reserve(bytes.length);
  kernel.file.set(bytes);
  return kernel;
};
function through(steps) {
  for (;;) {
    const { value, done } = steps.next();
    if (done) return value;
  }
}

const actions = {
  gguf({ path }) {
    const { metadata, tensors } = readGguf(new Uint8Array(readFileSync(path)));
    return { metadata: Object.fromEntries(metadata), tensors: [...tensors.values()] };
  },
  open({ path, name }) {
    const { metadata, ...model } = readModel(read(path));
    models[name] = { model, tokenizer: createTokenizer(metadata) };
    return {};
  },
  halves: ({ bits }) => Float32Array.from(bits, half),
  multiply({ path, weights, x, nColumns }) {
    const kernel = read(path);
    return { y: kernel.multiply(weights, Float32Array.from(x), nColumns), row: kernel.row(weights, 1) };
  },
  encode: ({ name, strings }) => strings.map((text) => models[name].tokenizer.encode(text)),
  decode: ({ name, lists, special }) => lists.map((ids) => models[name].tokenizer.decode(ids, { special })),
  placements: () => PLACEMENTS,
  // Reads ids in parts of these lengths, and returns the logits after each part.
  logits({ name, ids, positions = "trained", parts = [ids.length] }) {
    const { model } = models[name];
    const { at, pairing } = placement(positions, ids.length);
    const text = newText(model, pairing);
    texts[name] = text;
    let start = 0;
    return parts.map((n) => {
      const end = start + n;
      const steps = readTokens(model, text, ids.slice(start, end), at(start, end));
      start = end;
      return through(steps);
    });
  },
  rows: ({ name }) => texts[name].rows,
  attention: ({ name }) => attentionWeights(models[name].model, texts[name]),
  generate({ name, ids, positions = "trained", n }) {
    const { model } = models[name];
    const { at, pairing } = placement(positions, ids.length);
    const text = newText(model, pairing);
    const tokens = [];
    let logits = through(readTokens(model, text, ids, at(0, ids.length)));
    while (tokens.length < n) {
      const [{ id }] = likeliest(logits, 1);
      tokens.push(id);
      if (tokens.length < n) logits = through(readTokens(model, text, [id], at(text.length, text.length + 1)));
    }
    return tokens;
  },
  likeliest: ({ logits, k }) => likeliest(Float32Array.from(logits), k),
  // Sends the worker the messages that load a file, each with the file's part where it says so, and once these are answered
  // the others; its answers to all but `silent`.
  worker({ loading, messages = [], path, silent = 0 }) {
    return new Promise((resolve) => {
      const answers = [];
      const send = (message) => {
        const bytes = message.bytes && new Uint8Array(readFileSync(path).subarray(...message.bytes));
        scope.onmessage({ data: bytes ? { ...message, buffer: bytes.buffer } : message });
      };
      const scope = {
        onmessage: null,
        postMessage(message) {
          answers.push(structuredClone(message));
          if (answers.length === loading.length) messages.forEach(send);
          if (answers.length === loading.length + messages.length - silent) resolve(answers);
        },
      };
      serve(scope);
      loading.forEach(send);
    });
  },
};

const packed = (_, value) => {
  if (!(value instanceof Float32Array)) return value;
  return { float32: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
};

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const { do: action, ...options } = JSON.parse(line);
    answer = { result: await actions[action](options) };
  } catch (error) {
    answer = { error: String(error) };
  }
  console.log(JSON.stringify(answer, packed));
}
