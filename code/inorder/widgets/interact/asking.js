// States that Python computes when the reader asks for them, by changing a control: only figures that have such states
// load this file. Until Python has answered, the picture that is shown stays, and the reader is told why if it takes
// long.

import { PARTS } from "../kit/marks.js";

/**
 * @typedef {object} Asking
 * @property {(places: number[]) => Picture | undefined} stateOf one that has been computed
 * @property {(places: number[]) => void} wait for this one
 * @property {() => void} show what has come
 * @property {() => boolean} isWaiting
 * @property {() => void} close
 */

/** @typedef {{ asked?: unknown[], words?: string, failed?: boolean }} Said what Python says of a state, by its keys */

/**
 * @typedef {object} Around
 * @property {FigureModel<Record<string, unknown>>} model
 * @property {Control[]} controls those of the view: texts that were typed are added to them
 * @property {(nStates: number) => (number: number) => Picture} read
 * @property {Page} [page]
 * @property {Element} stage
 * @property {(text: string) => void} notify
 */

// Milliseconds until a notice that Python computes, that it has not answered, and that it takes very long.
const COMPUTING_AFTER = 300;
const SILENT_AFTER = 1000;
const LONG_AFTER = 10_000;
const SILENT = "Python has not answered yet: it may be busy. If its kernel isn’t running, run the figure’s cell again.";
const NOT_HERE = "Python computes this state, which was not looked at before this file was saved.";
const IS_IT_THERE = "This is taking a while: is the kernel still running?";

/** @type {(around: Around) => Asking} */
function asking({ model, page, controls, read, stage, notify }) {
  /** @type {Map<string, number>} */
  let numbers = new Map();
  /** @type {(number: number) => Picture} */
  let pictureOf;
  /** @type {ReturnType<typeof setTimeout>[]} */
  let timers = [];
  let isWaiting = false;

  const nameOf = (/** @type {number[]} */ places) => JSON.stringify(controls.map(({ keys }, i) => keys[places[i]]));

  function take() {
    /** @type {Control[]} */ (model.get("controls")).forEach(({ keys, texts }, i) => {
      Object.assign(controls[i], { keys: [...keys], texts: [...texts] });
    });
    const visited = /** @type {unknown[][]} */ (model.get("visited"));
    numbers = new Map(visited.map((keys, number) => [JSON.stringify(keys), number]));
    pictureOf = read(visited.length);
  }

  /** @type {(is: boolean) => void} */
  function setWaiting(is) {
    timers.forEach(clearTimeout);
    timers = [];
    isWaiting = is;
    stage.classList.toggle("is-waiting", is);
    stage.setAttribute("aria-busy", String(is));
  }

  take();
  model.on("change:visited", take);
  return {
    stateOf(places) {
      const number = numbers.get(nameOf(places));
      return number === undefined ? undefined : pictureOf(number);
    },
    wait(places) {
      setWaiting(true);
      const { asked, words = "", failed } = /** @type {Said} */ (model.get("said") ?? {});
      const later = (/** @type {string} */ text, /** @type {number} */ ms) => timers.push(setTimeout(notify, ms, text));
      if (page) notify(NOT_HERE);
      else if (JSON.stringify(asked) !== nameOf(places)) later(SILENT, SILENT_AFTER);
      else if (failed) notify(words);
      else {
        later(words, COMPUTING_AFTER);
        later(`${words} ${IS_IT_THERE}`, LONG_AFTER);
      }
    },
    show() {
      if (!isWaiting) return;
      setWaiting(false);
      notify("");
    },
    isWaiting: () => isWaiting,
    close() {
      setWaiting(false);
      model.off("change:visited", take);
    },
  };
}

PARTS.asking = asking;
