// The worker that trains, made from a blob.

import { libraryText } from "./library.js";

/** @typedef {import("./training.js").Request} Request */

const SLICE = 60; // milliseconds between two reports

const WORKER = `${libraryText}
const { port1, port2 } = new MessageChannel(); // setTimeout waits 4 ms
const { tell, slice } = library.driver((report) => postMessage(report), () => port2.postMessage(0), ${SLICE});
port1.onmessage = slice;
onmessage = ({ data }) => tell(data);
`;

/** `onRefused` is called where no worker starts. @type {(onReport: (report: import("./run.js").Report) => void, onRefused: () => void) => { tell: (what: Request) => void, stop: () => void }} */
export function runner(onReport, onRefused) {
  const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
  const worker = new Worker(address);
  worker.onmessage = ({ data }) => onReport(data);
  worker.onerror = (event) => {
    event.preventDefault();
    onRefused(); // a policy of the page forbids it: known only now
  };
  return {
    tell: (what) => worker.postMessage(what),
    stop() {
      worker.terminate();
      URL.revokeObjectURL(address);
    },
  };
}
