// Where the model comes from: the kernel of a notebook, the files of the site, or files that the reader chooses.
//
// All figures of a page share one model. `supplyOf(context)` returns
//   status()            { engine, isComing, isKept, received, problem, notice }: whether this browser has all of it;
//                       megabytes so far; sentences for the reader
//   kind, size          "site", "disk", "kernel" or "none", of which nothing comes; megabytes
//   bring(files)        fetches what is not here yet; `files` where the reader chooses them
//   cancel()            what has come stays
//   follow(redraw)      whenever the status changes; returns what ends that

import { make } from "../kit/elements.js";
import { kernelEngine, startEngine } from "./engine/client.js";

/** @typedef {ReturnType<typeof kernelEngine> | ReturnType<typeof startEngine>} Engine */

/** @typedef {{ parts: string[], size: number, part: number, sha256: string, engine: string }} Published */

/**
 * @typedef {{ engine: Engine | null, isComing: boolean, isKept: boolean, received: number, problem: string,
 *   notice: string }} Status
 */

/** @typedef {{ engine: ReturnType<typeof startEngine>, nParts: number }} Begun */

/** @typedef {{ signal: AbortSignal, files: File[] | null, set: (news: Partial<Status>) => void }} Bringing */

const NO_MEMORY = "There is not enough memory left in this browser for the model.";

/** @type {Map<string, ReturnType<typeof supply>>} */
const onThisPage = new Map();

/** @type {(context: Context<LanguageModelState, { published: Partial<Published> }>) => ReturnType<typeof supply>} */
export function supplyOf({ model, page }) {
  if (!page) {
    const start = async () => {
      const engine = kernelEngine(model);
      await engine.load();
      return engine;
    };
    return supply("kernel", 0, start);
  }
  const published = model.get("published");
  if (!isWhole(published)) return supply("none", 0, () => Promise.reject(new Error("There is no model on this site.")));
  const known = onThisPage.get(published.sha256);
  if (known) return known;
  const kind = location.protocol === "file:" ? "disk" : "site";
  const made = supply(kind, published.size, fromFiles(published), kind === "site" ? isKept(published) : undefined);
  onThisPage.set(published.sha256, made);
  return made;
}

/** @param {Partial<Published>} published @returns {published is Published} */
const isWhole = (published) => published.parts !== undefined;

/** @param {string} kind @param {number} size @param {(bringing: Bringing) => Promise<Engine>} start @param {Promise<boolean>} kept */
function supply(kind, size, start, kept = Promise.resolve(false)) {
  /** @type {Status} */
  let status = { engine: null, isComing: false, isKept: false, received: 0, problem: "", notice: "" };
  /** @type {Set<() => void>} */
  const redraws = new Set();
  /** @type {AbortController | null} */
  let stop = null;
  const set = (/** @type {Partial<Status>} */ news) => {
    status = { ...status, ...news };
    for (const redraw of redraws) redraw();
  };
  kept.then((isKept) => set({ isKept }));
  return {
    ...{ kind, size },
    status: () => status,
    async bring(/** @type {File[] | null} */ files = null) {
      if (status.isComing || status.engine) return;
      stop = new AbortController();
      const { signal } = stop;
      set({ isComing: true, problem: "", notice: "" });
      try {
        const engine = await start({ signal, files, set });
        if (signal.aborted) engine.close();
        else set({ engine });
      } catch (error) {
        const isCancelled = signal.aborted || !(error instanceof Error) || error.name === "AbortError";
        set({ problem: isCancelled ? "" : error instanceof RangeError ? NO_MEMORY : error.message });
      }
      set({ isComing: false });
    },
    cancel: () => stop?.abort(),
    follow(/** @type {() => void} */ redraw) {
      redraws.add(redraw);
      return () => void redraws.delete(redraw);
    },
  };
}

/** @type {(published: Published) => (bringing: Bringing) => Promise<Engine>} */
function fromFiles(published) {
  const { size, sha256 } = published;
  /** @type {Begun | null} an engine that has the first parts: the connection was lost, or the reader has cancelled */
  let begun = null;
  return async ({ signal, files, set }) => {
    begun ??= { engine: startEngine(await engineSource(published.engine)), nParts: 0 };
    const mine = begun;
    const store = files ? null : await openStore(sha256);
    const parts = files ? chosenParts(files, published) : fetchedParts(published, mine, store, { signal, set });
    try {
      const { simd } = await mine.engine.load(parts, {
        ...{ size, sha256, goOn: mine.nParts > 0 },
        onProgress: ({ received = 0 }) => set({ received }),
      });
      begun = null;
      const slow = "WebAssembly has no SIMD in this browser, so the model is several times slower here.";
      const forgetful = "This browser keeps no files for this page, so next time it must download the model again.";
      set({ notice: [simd ? "" : slow, files || store ? "" : forgetful].filter(Boolean).join(" ") });
      return mine.engine;
    } catch (error) {
      if (!signal.aborted && !isLost(error)) {
        begun = null;
        mine.engine.close();
        await forget(sha256); // what is wrong must not come again
        set({ isKept: false });
      }
      throw error;
    }
  };
}

/** @param {File[]} files @param {Published} published */
async function* chosenParts(files, { size, part }) {
  const inOrder = [...files].sort((one, other) => (one.name < other.name ? -1 : 1));
  const total = inOrder.reduce((sum, file) => sum + file.size, 0);
  if (total !== size)
    throw new Error(
      `The files that you chose have ${total.toLocaleString("en")} bytes; the model has ${size.toLocaleString("en")}.`,
    );
  for (const file of inOrder)
    for (let at = 0; at < file.size; at += part) yield file.slice(at, at + part).arrayBuffer();
}

/**
 * From the first that the engine does not have. Each goes to it as soon as it is here, so that the page holds one at most.
 * @param {Published} published @param {Begun} begun @param {Cache | null} store @param {Pick<Bringing, "signal" | "set">} options
 */
async function* fetchedParts({ parts, size, part }, begun, store, { signal, set }) {
  while (begun.nParts < parts.length) {
    const address = parts[begun.nParts];
    const before = begun.nParts * part;
    const length = Math.min(part, size - before);
    let buffer = await (await store?.match(address))?.arrayBuffer();
    if (buffer?.byteLength !== length) {
      buffer = await fetchPart(address, length, signal, (received) => set({ received: before + received }));
      await store?.put(address, new Response(buffer)).catch(() => {}); // there may be no room for it
    }
    signal.throwIfAborted();
    yield buffer;
    begun.nParts += 1;
  }
}

/** @type {(address: string, length: number, signal: AbortSignal, onProgress: (received: number) => void) => Promise<ArrayBuffer>} */
async function fetchPart(address, length, signal, onProgress) {
  const bytes = new Uint8Array(length);
  let received = 0;
  try {
    const response = await fetch(address, { signal });
    if (!response.ok || !response.body) throw new Error(String(response.status));
    const reader = response.body.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      bytes.set(value, received); // a RangeError if there is more
      received += value.length;
      onProgress(received);
    }
    if (received < length) throw new Error("too short");
  } catch (error) {
    if (signal.aborted) throw error;
    throw lost();
  }
  return bytes.buffer;
}

const LOST = "The connection was lost. What has arrived is kept: press again to continue.";
const lost = () => Object.assign(new Error(LOST), { name: "NetworkError" });
const isLost = (/** @type {unknown} */ error) => error instanceof Error && error.name === "NetworkError";

const nameOf = (/** @type {string} */ sha256) => `inorder-model-${sha256.slice(0, 12)}`;

/** Whether this browser has all parts. @param {Published} published */
async function isKept({ sha256, parts }) {
  const store = await openStore(sha256);
  const found = store ? await Promise.all(parts.map((address) => store.match(address))) : [undefined];
  return found.every((part) => part !== undefined);
}

/** @param {string} sha256 @returns {Promise<Cache | null>} where a page may keep nothing, null */
async function openStore(sha256) {
  try {
    return await caches.open(nameOf(sha256));
  } catch {
    return null;
  }
}

/** @param {string} sha256 */
async function forget(sha256) {
  try {
    await caches.delete(nameOf(sha256));
  } catch {} // nothing was kept
}

/** The worker's text, which a script brings: from the disk, a page may read nothing else. @param {string} address @returns {Promise<string>} */
function engineSource(address) {
  return new Promise((resolve, reject) => {
    const onload = () => resolve(Reflect.get(window, "inorderEngine"));
    const onerror = () => reject(lost());
    document.head.append(make("script", { src: address, onload, onerror }));
  });
}
