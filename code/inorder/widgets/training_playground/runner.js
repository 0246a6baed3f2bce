// Who trains: a worker made from a blob, or the page itself, a few milliseconds a frame, where workers are refused.

import { library, libraryText } from "./library.js";

/** @typedef {import("./run.js").Report & { isDone: boolean }} Report */
/** @typedef {import("./training.js").Told} Told */

const WORKER_SLICE = 60; // milliseconds between two reports
const PAGE_SLICE = 6; // of the 16 of a frame

const WORKER = `${libraryText}
const { port1, port2 } = new MessageChannel(); // setTimeout waits 4 ms
let go = () => {};
port1.onmessage = () => go();
const tell = library.driver(
  (report) => postMessage(report),
  (slice) => { go = slice; port2.postMessage(0); },
  ${WORKER_SLICE},
);
onmessage = ({ data }) => tell(data);
`;

// { tell, stop, isWorker }; `onRefused` is called where no worker starts, and the page takes over.
/** @type {(onReport: (report: Report) => void, onRefused: () => void) => { tell: (what: Told) => void, stop: () => void }} */
export function runner(onReport, onRefused) {
  let isOver = false;
  const report = (/** @type {Report} */ news) => {
    if (!isOver) onReport(news);
  };
  /** @type {Worker | null} */
  let worker = null;
  /** @type {(what: Told) => void} */
  let tell = () => {};
  /** @type {Told | null} */
  let onlyOrder = null;

  function onThePage() {
    worker?.terminate();
    worker = null;
    tell = library.driver(report, (slice) => requestAnimationFrame(() => isOver || slice()), PAGE_SLICE);
    onRefused();
    if (onlyOrder) tell(onlyOrder);
  }

  try {
    const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    worker = new Worker(address);
    worker.onmessage = ({ data }) => {
      URL.revokeObjectURL(address);
      report(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      onThePage(); // a policy of the page forbids it: known only now
    };
    tell = (what) => worker?.postMessage(what);
  } catch {
    onThePage();
  }

  return {
    tell(what) {
      if (what.order) onlyOrder = what;
      tell(what);
    },
    stop() {
      isOver = true;
      worker?.terminate();
    },
  };
}
