// Where the model comes from: the kernel of a notebook, or the files of the site. All figures of a page share one.
//
//   status()            { engine, isComing, received, problem }: megabytes so far; a sentence for the reader
//   kind, size          "site", "kernel", "disk" or "none", of which the last two have none; megabytes
//   bring(), cancel()
//   follow(redraw)      whenever the status changes; returns what ends that

import { make } from "../kit/elements.js";
import { kernelEngine, startEngine } from "./engine/client.js";

/** @typedef {ReturnType<typeof kernelEngine> | ReturnType<typeof startEngine>} Engine */

/** @typedef {{ parts: string[], size: number, engine: string }} Published */

/** @typedef {{ engine: Engine | null, isComing: boolean, received: number, problem: string }} Status */

/** @typedef {(signal: AbortSignal, onProgress: (received: number) => void) => Promise<Engine>} Start */

const LOST = "The connection was lost. Press again to go on.";

/** @type {ReturnType<typeof supply> | null} */
let onThisPage = null;

/** @type {(context: Context<LanguageModelState, { published: Partial<Published> }>) => ReturnType<typeof supply>} */
export function supplyOf({ model, page }) {
  if (!page)
    return supply("kernel", 0, async () => {
      const engine = kernelEngine(model);
      await engine.load();
      return engine;
    });
  const published = /** @type {Published} */ (model.get("published"));
  const kind = !published.parts ? "none" : location.protocol === "file:" ? "disk" : "site";
  onThisPage ??= supply(kind, published.size ?? 0, (...options) => fromSite(published, ...options));
  return onThisPage;
}

/** @type {(kind: "site" | "kernel" | "disk" | "none", size: number, start: Start) => { kind: typeof kind, size: number, status: () => Status, bring: () => Promise<void>, cancel: () => void, follow: (redraw: () => void) => () => void }} */
function supply(kind, size, start) {
  /** @type {Status} */
  let status = { engine: null, isComing: false, received: 0, problem: "" };
  /** @type {Set<() => void>} */
  const redraws = new Set();
  let stop = new AbortController();
  const set = (/** @type {Partial<Status>} */ news) => {
    status = { ...status, ...news };
    for (const redraw of redraws) redraw();
  };
  return {
    kind,
    size,
    status: () => status,
    async bring() {
      stop = new AbortController();
      const { signal } = stop;
      set({ isComing: true, received: 0, problem: "" });
      try {
        set({ engine: await start(signal, (received) => set({ received })) });
      } catch (error) {
        set({ problem: signal.aborted || !(error instanceof Error) ? "" : error.message });
      }
      set({ isComing: false });
    },
    cancel: () => stop.abort(),
    follow(redraw) {
      redraws.add(redraw);
      return () => void redraws.delete(redraw);
    },
  };
}

/** @type {(published: Published, ...options: Parameters<Start>) => Promise<Engine>} */
async function fromSite({ parts, size, engine: address }, signal, onProgress) {
  const engine = startEngine(await engineSource(address));
  try {
    await engine.load(fetched(parts, signal, onProgress), size);
    return engine;
  } catch (error) {
    engine.close();
    throw error;
  }
}

/** Each part goes to the engine as soon as it is here; the browser keeps them. @type {(parts: string[], ...options: Parameters<Start>) => AsyncGenerator<ArrayBuffer>} */
async function* fetched(parts, signal, onProgress) {
  let received = 0;
  for (const address of parts) {
    let buffer;
    try {
      const response = await fetch(address, { signal, cache: "force-cache" }); // its address has its hash
      if (!response.ok) throw new Error(String(response.status));
      buffer = await response.arrayBuffer();
    } catch {
      throw new Error(LOST);
    }
    received += buffer.byteLength;
    onProgress(received);
    yield buffer;
  }
}

/** The worker's text, which a script brings. @type {(address: string) => Promise<string>} */
const engineSource = (address) =>
  new Promise((resolve, reject) => {
    const onload = () => resolve(Reflect.get(window, "inorderEngine"));
    const onerror = () => reject(new Error(LOST));
    document.head.append(make("script", { src: address, onload, onerror }));
  });
