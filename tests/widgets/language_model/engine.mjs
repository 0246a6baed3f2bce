// The engine in Node, for conftest.py: a line of JSON comes in, { do, … }, and a line goes out, { result } or { error }.
// Float32Arrays go out as { float32: base64 }. `simd`: which kernel; both can be open at once.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const folder = new URL("../../../code/inorder/widgets/language_model/engine/", import.meta.url);
const load = (file) => import(new URL(file, folder));
const { reserve, half } = await load("kernel.js");
const { readModel, newText, readTokens, placement, attentionWeights, likeliest, PLACEMENTS } = await load("decoder.js");
const { createTokenizer } = await load("tokenizer.js");
const { readGguf } = await load("gguf.js");
const { sha256 } = await load("sha256.js");
const { default: serve } = await load("worker.js");

const models = {};
const texts = {};
const read = (path, options) => {
  const bytes = readFileSync(path);
  const kernel = reserve(bytes.length, options);
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
  open({ path, name, simd, withTokenizer = true }) {
    const kernel = read(path, { simd });
    const { metadata, ...model } = readModel(kernel);
    models[name] = { model, tokenizer: withTokenizer ? createTokenizer(metadata) : null };
    return { shape: model.shape, simd: kernel.simd };
  },
  halves: ({ bits }) => Float32Array.from(bits, half),
  sha256({ parts }) {
    const hash = sha256();
    for (const part of parts) hash.add(Buffer.from(part, "base64"));
    return hash.hex();
  },
  multiply({ path, simd, weights, x, nColumns }) {
    const kernel = read(path, { simd });
    return {
      simd: kernel.simd,
      y: kernel.multiply(weights, Float32Array.from(x), nColumns),
      row: kernel.row(weights, 1),
    };
  },
  encode: ({ name, strings }) => strings.map((text) => models[name].tokenizer.encode(text)),
  decode: ({ name, lists, special }) => lists.map((ids) => models[name].tokenizer.decode(ids, { special })),
  unreadable: ({ name, text }) => models[name].tokenizer.unreadable(text),
  placements: () => PLACEMENTS,
  // Reads ids in parts of these lengths, and returns the logits after every token.
  logits({ name, ids, positions = "trained", parts = [ids.length], everyRow = true }) {
    const { model } = models[name];
    const { at, pairing } = placement(positions, ids.length);
    const text = newText(model, pairing);
    texts[name] = text;
    let start = 0;
    return parts.map((n) => {
      const end = start + n;
      const steps = readTokens(model, text, ids.slice(start, end), at(start, end), { remember: start === 0, everyRow });
      start = end;
      return through(steps);
    });
  },
  rows: ({ name }) => texts[name].rows,
  attention: ({ name, layer, head }) => attentionWeights(models[name].model, texts[name], layer, head),
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
  // Sends the worker these messages at once, each with the file's parts where it says so, and returns all its answers.
  worker({ messages, path }) {
    return new Promise((resolve) => {
      const answers = [];
      let left = messages.filter(({ kind }) => kind !== "cancel").length;
      const scope = {
        onmessage: null,
        postMessage(message, transfer = []) {
          answers.push(structuredClone(message, { transfer }));
          if (!message.progress && --left === 0) resolve(answers);
        },
      };
      serve(scope);
      for (const message of messages) {
        const bytes = message.bytes && new Uint8Array(readFileSync(path).subarray(...message.bytes));
        const data = bytes ? { ...message, buffer: bytes.buffer } : message;
        if (message.later) setTimeout(() => scope.onmessage({ data }), message.later);
        else scope.onmessage({ data });
      }
    });
  },
};

const packed = (_, value) => {
  if (typeof value === "bigint") return { bigint: String(value) };
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
