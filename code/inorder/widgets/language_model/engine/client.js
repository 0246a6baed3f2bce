// The engine of worker.js, or the kernel of a notebook, as functions. Each returns a promise: it is fulfilled with what
// worker.js says there, or rejected with an Error whose message is a sentence for the reader; its name is "AbortError" if
// the request was cancelled.
//
//   tokenize(text), prompt(fields, onProgress), next(fields), attention(fields), rows(slot), drop(slot)
//   cancel()                                          all that is under way
//   close()                                           ends the worker, and with it all its memory

/**
 * `source`: the text of a classic script, `compose_worker` of inorder.widgets.kit.compose. It becomes a Blob, so this works
 * from file:// too. Besides the functions above:
 *
 *   load(parts, { size, sha256, simd, goOn, onProgress })
 *                                                     parts: buffers one after the other, or what makes them in time. They
 *                                                     are handed over: the caller can't read them afterwards. If that ends
 *                                                     early, `goOn` with the parts that are still to come
 * @param {string} source
 */
export function startEngine(source) {
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(address);
  const { request, receive, fail, functions } = requests((message, transfer) => worker.postMessage(message, transfer));
  let loads = 0;
  worker.onerror = (event) => {
    event.preventDefault();
    fail(new Error(`The model could not be started: ${event.message || "this page may not start a worker"}.`));
  };
  worker.onmessage = ({ data }) => receive(data);

  return {
    ...functions,
    /**
     * @param {Iterable<ArrayBuffer> | AsyncIterable<ArrayBuffer>} parts
     * @param {{ size: number, sha256?: string, simd?: boolean, goOn?: boolean, onProgress?: (progress: EngineProgress) => void }} options
     * @returns {Promise<ModelReply>}
     */
    async load(parts, { onProgress, goOn = false, ...fields }) {
      const load = ++loads;
      if (!goOn) await request("open", fields);
      for await (const buffer of parts) {
        if (load !== loads) throw aborted();
        /** @type {EngineProgress} */
        const progress = await request("part", { buffer });
        onProgress?.(progress);
      }
      return request("ready");
    },
    cancel() {
      loads++;
      worker.postMessage({ kind: "cancel" });
    },
    close() {
      worker.terminate();
      URL.revokeObjectURL(address);
      fail(aborted());
    },
  };
}

/**
 * The same of a notebook's kernel (kernel.py), which has no parts to load: `load()` is all it needs. What the kernel is
 * computing can't be stopped; `cancel` forgets it.
 * @param {Pick<FigureModel<object>, "on" | "off" | "send">} model
 */
export function kernelEngine(model) {
  const first = Math.floor(Math.random() * 2 ** 40); // other views of the figure hear the answers too
  const { request, receive, fail, functions } = requests((message) => {
    try {
      model.send(message);
    } catch {
      throw new Error("This notebook’s kernel is gone, or has been restarted: run the figure’s cell again.");
    }
  }, first);
  /** @type {Listener} */
  const hear = (content, buffers = []) => {
    const reply = /** @type {EngineReply & { floats?: string }} */ (content);
    const arrays = buffers.map(
      (view) => new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)),
    );
    const floats = reply.floats ? { [reply.floats]: reply.floats === "rows" ? arrays : arrays[0] } : {};
    receive({ ...reply, ...floats });
  };
  model.on("msg:custom", hear);
  return {
    ...functions,
    load: () => request("load"),
    cancel: () => fail(aborted()),
    close() {
      model.off("msg:custom", hear);
      fail(aborted());
    },
  };
}

/** Requests and their answers, by numbers. @param {(message: object, transfer: Transferable[]) => void} send */
function requests(send, last = 0) {
  /** @type {Map<number, { resolve: (reply: unknown) => void, reject: (error: Error) => void, onProgress?: (progress: EngineProgress) => void }>} */
  const pending = new Map();

  /** @param {Error} error */
  function fail(error) {
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  }

  /** @param {EngineReply} reply */
  function receive(reply) {
    const waiting = pending.get(reply.id);
    if (!waiting) return;
    if (reply.progress) return waiting.onProgress?.(reply.progress);
    pending.delete(reply.id);
    if (reply.error) waiting.reject(new Error(reply.error));
    else if (reply.cancelled) waiting.reject(aborted());
    else waiting.resolve(reply);
  }

  /**
   * @template Reply
   * @param {string} kind @param {Partial<EngineFields>} fields @param {(progress: EngineProgress) => void} [onProgress]
   * @returns {Promise<Reply>}
   */
  function request(kind, fields = {}, onProgress) {
    const id = ++last;
    return new Promise((resolve, reject) => {
      const take = /** @type {(reply: unknown) => void} */ (resolve);
      pending.set(id, { resolve: take, reject, onProgress });
      send({ ...fields, id, kind }, fields.buffer ? [fields.buffer] : []);
    });
  }

  const functions = {
    /** @type {(text: string) => Promise<WordsReply>} */
    tokenize: (text) => request("tokenize", { text }),
    /** @type {(fields: Partial<EngineFields>, onProgress?: (progress: EngineProgress) => void) => Promise<PromptReply>} */
    prompt: (fields, onProgress) => request("prompt", fields, onProgress),
    /** @type {(fields?: Partial<EngineFields>) => Promise<NextReply>} */
    next: (fields) => request("next", fields),
    /** @type {(fields: { slot?: string, layer: number, head: number }) => Promise<AttentionReply>} */
    attention: (fields) => request("attention", fields),
    /** @type {(slot?: string) => Promise<RowsReply>} */
    rows: (slot) => request("rows", { slot }),
    /** @type {(slot?: string) => Promise<object>} */
    drop: (slot) => request("drop", { slot }),
  };
  return { request, receive, fail, functions };
}

const aborted = () => Object.assign(new Error("That was cancelled."), { name: "AbortError" });
