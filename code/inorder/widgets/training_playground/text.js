// One text, whose letters a hand puts into another order, and what each model says of it while it learns.

import { moveWithin } from "../kit/arithmetic.js";
import { tileRow } from "../kit/tiles.js";
import { html, nothing, ref } from "../kit/vendor/lit.js";
import { lineKey } from "./chart.js";
import { library } from "./library.js";
import { placesOf } from "./places.js";

/** @typedef {import("./run.js").Task} Task */

/** @typedef {{ text: string, isRight: boolean, share?: number }} Verdict share: of "A first" */

const FLIP = 170; // milliseconds

/** @type {(example: string[], task: Task, letters: string) => import("./network.js").Batch} */
function batchOf(example, task, letters) {
  const places = example.map((letter) => letters.indexOf(letter));
  if (task.name !== "which-first") return library.batchOf(task, [places]);
  // A and B are the pair, and the others fill.
  const batch = library.batchOf(task, [places.map((place) => (place < 2 ? task.n_fillers + place : place - 2))]);
  const isFit = [0, 1].every((one) => places.filter((place) => place === one).length === 1);
  if (!isFit) batch.targets.fill(library.IGNORED); // nothing can be asked
  return batch;
}

/** What a model says: one verdict, or one for each letter; null where nothing is asked. */
/** @type {(example: string[], task: Task, letters: string, model: import("./run.js").ModelOrder, numbers: Float64Array, causal: boolean) => (Verdict | null)[]} */
export function verdicts(example, task, letters, { config, shapes }, numbers, causal) {
  const batch = batchOf(example, task, letters);
  const { n, pooled, targets } = batch;
  const room = library.workspace(config, 1, n);
  library.forward(library.split(numbers, shapes), config, placesOf(config, n, causal), batch, room);
  const every = Array.from({ length: pooled ? 1 : n }, (_, i) => {
    if (targets[i] === library.IGNORED) return null;
    const row = room.logits.subarray(i * config.n_outputs, (i + 1) * config.n_outputs);
    const best = row.indexOf(Math.max(...row));
    const isRight = best === targets[i];
    if (task.name !== "which-first") return { text: letters[best], isRight };
    const share = 1 / (1 + Math.exp(row[0] - row[1]));
    return { text: best ? "A first" : "B first", isRight, share };
  });
  return task.name === "which-first" ? [every.find((one) => one !== null) ?? null] : every;
}

// An answer that turns over where it changes.
function flipping() {
  let before = "";
  /** @type {(element: Element | undefined, text: string) => void} */
  return (element, text) => {
    const isNew = before !== "" && before !== text && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    before = text;
    if (isNew) element?.animate([{ transform: "rotateX(90deg)" }, { transform: "none" }], FLIP);
  };
}

/** @param {(letters: string[]) => void} onMove */
export function oneText(onMove) {
  /** @type {string[]} */
  let letters = []; // by token
  /** @type {number[]} */
  let order = []; // the token at each place
  const shown = () => order.map((token) => letters[token]);
  const row = tileRow({
    label: "The text",
    describe: (letter, place, n) => `${letter}, ${place + 1} of ${n}`,
    order: () => order,
    onMove(from, to) {
      order = moveWithin(order, from, to);
      onMove(shown());
    },
  });
  const flips = [flipping(), flipping()];

  /** @type {(verdict: Verdict) => unknown} */
  const signOf = ({ isRight }) => html`<span class="inorder-sign ${isRight ? "is-right" : "is-wrong"}" role="img"
    aria-label=${isRight ? "right" : "wrong"}>${isRight ? "✓" : "×"}</span>`;

  // A model that has not been trained is right by luck: it gets no sign.
  /** @type {(verdict: Verdict | null, which: number, isTrained: boolean) => unknown} */
  const oneVerdict = (verdict, which, isTrained) =>
    verdict
      ? html`<strong class="inorder-verdict" data-name="share" data-row=${which} data-col="0" data-value=${verdict.share}
          ${ref((element) => flips[which](element, verdict.text))}>${verdict.text}</strong>
        ${isTrained ? signOf(verdict) : "untrained"}`
      : html`<span>needs one A and one B</span>`;

  /** @type {(all: (Verdict | null)[], isTrained: boolean) => unknown} */
  function manyVerdicts(all, isTrained) {
    const asked = all.filter((one) => one !== null);
    const spoken = asked
      .map(({ text, isRight }) => (isTrained ? `${text} ${isRight ? "right" : "wrong"}` : text))
      .join(", ");
    const nRight = asked.filter(({ isRight }) => isRight).length;
    return html`<span>${isTrained ? `${nRight} of ${asked.length} right` : "untrained"}</span>
      <span class="inorder-guesses" role="img" aria-label=${spoken}>${all.map(
        (one) =>
          html`<span class=${isTrained ? (one?.isRight ? "is-right" : "is-wrong") : nothing}>${one?.text ?? "·"}</span>`,
      )}</span>`;
  }

  /** @type {(example: string[], names: string[], said: (Verdict | null)[][] | null, isOne: boolean, isTrained: boolean) => unknown} */
  const template = (example, names, said, isOne, isTrained) => {
    if (String(shown()) !== String(example)) {
      letters = example;
      order = [...letters.keys()];
    }
    return html`<div class="inorder-text ${isOne ? "is-pair" : ""}" style="--n: ${example.length}"><div class="inorder-chart-title">One text. Move its letters, and ask both again.</div>${row.root}${names.map(
      (name, which) =>
        html`<div class="inorder-says">${lineKey(which ? "second" : "first")}<span class="inorder-who">${name} says</span>${
          said ? (isOne ? oneVerdict(said[which][0], which, isTrained) : manyVerdicts(said[which], isTrained)) : nothing
        }</div>`,
    )}</div>`;
  };
  return { template, draw: () => row.draw(order, shown()), stop: row.stop };
}
