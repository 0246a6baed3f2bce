// The engine of worker.js, or the kernel of a notebook, as functions. Each returns a promise: it is fulfilled with what
// worker.js says there, or rejected with an Error whose message is a sentence for the reader; its name is "AbortError" if
// the request was cancelled.
//
//   prompt(fields), next(slot), attention(slot), rows(slot)
//   cancel()                                          all that is under way
//   close()                                           ends the worker, and with it all its memory

/**
 * `source`: the text of a classic script, `compose_worker` of inorder.widgets.kit.compose. It becomes a Blob, so this works
 * from file:// too. `load(parts, size)`, besides, takes the buffers of the file, one after the other.
 * @param {string} source
 */
export function startEngine(source) {
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(address);
  const { request, receive, fail, functions } = requests((message, transfer) => worker.postMessage(message, transfer));
  worker.onerror = (event) => {
    event.preventDefault();
    fail(new Error(`The model could not be started: ${event.message || "this page may not start a worker"}.`));
  };
  worker.onmessage = ({ data }) => receive(data);
  return {
    ...functions,
    /** @type {(parts: AsyncIterable<ArrayBuffer>, size: number) => Promise<void>} */
    async load(parts, size) {
      await request("open", { size });
      for await (const buffer of parts) await request("part", { buffer });
      await request("ready");
    },
    cancel: () => worker.postMessage({ kind: "cancel", last: fail(aborted()) }),
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
    receive(reply.floats ? { ...reply, [reply.floats]: arrays } : reply);
  };
  model.on("msg:custom", hear);
  return {
    ...functions,
    load: () => request("load"),
    cancel: () => void fail(aborted()),
    close() {
      model.off("msg:custom", hear);
      fail(aborted());
    },
  };
}

/** Requests and their answers, by numbers. @param {(message: object, transfer: Transferable[]) => void} send */
function requests(send, last = 0) {
  /** @type {Map<number, { resolve: (reply: any) => void, reject: (error: Error) => void }>} */
  const pending = new Map();

  /** All that is under way; returns the number of the last request. @param {Error} error */
  function fail(error) {
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
    return last;
  }

  /** @param {EngineReply} reply */
  function receive(reply) {
    const waiting = pending.get(reply.id);
    pending.delete(reply.id);
    if (reply.error) waiting?.reject(new Error(reply.error));
    else waiting?.resolve(reply);
  }

  /** @type {<Reply>(kind: string, fields?: Partial<EngineFields>) => Promise<Reply>} */
  const request = (kind, fields = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      pending.set(last, { resolve, reject });
      send({ ...fields, id: last, kind }, fields.buffer ? [fields.buffer] : []);
    });

  const functions = {
    /** @type {(fields: { slot: string, text: string, positions: Positions, k: number }) => Promise<PromptReply>} */
    prompt: (fields) => request("prompt", fields),
    /** @type {(slot: string) => Promise<NextReply>} */
    next: (slot) => request("next", { slot }),
    /** @type {(slot: string) => Promise<AttentionReply>} */
    attention: (slot) => request("attention", { slot }),
    /** @type {(slot: string) => Promise<RowsReply>} */
    rows: (slot) => request("rows", { slot }),
  };
  return { request, receive, fail, functions };
}

const aborted = () => Object.assign(new Error("That was cancelled."), { name: "AbortError" });
