// Orders of the tokens at the press of a button: two swapped, or all reversed; and one tile moved without dragging it.

import { button } from "../kit/controls.js";
import { make, setAttributes, write } from "../kit/elements.js";
import { PROMPTS, quoted } from "./words.js";

// The order with two different tokens swapped: the first two, never the last; or else the last two. Null if all agree.
/** @type {(order: number[], tokens: string[], options: { clean: boolean }) => number[] | null} */
function swapped(order, tokens, { clean }) {
  const last = order.length - 1;
  const { start, others } = clean
    ? { start: 0, others: [...order.keys()].slice(1, last) }
    : { start: last, others: [...order.keys()].slice(0, last).reverse() };
  const other = others.find((place) => tokens[order[place]] !== tokens[order[start]]);
  if (other === undefined) return null;
  const next = [...order];
  [next[start], next[other]] = [next[other], next[start]];
  return next;
}

/** @type {Record<string, (order: number[], tokens: string[]) => number[] | null>} */
const READY_MADE = {
  "Swap the first two": (order, tokens) => swapped(order, tokens, { clean: true }),
  "Swap the last two": (order, tokens) => swapped(order, tokens, { clean: false }),
  Backwards: (order) => [...order].reverse(),
};

// onOrder(order) asks for another second prompt; onMove(prompt, from, to) for a token to be moved.
/**
 * @type {(options: { tokens: string[], firstOrder: () => number[], onOrder: (order: number[]) => void,
 *   onMove: (prompt: number, from: number, to: number) => void }) => { root: HTMLElement,
 *   update: (prompts: string[][]) => void, hold: (prompt: number, place: number) => void }}
 */
export function ordersPanel({ tokens, firstOrder, onOrder, onMove }) {
  const presets = Object.entries(READY_MADE).map(([label, orderFrom]) => ({
    orderFrom,
    root: button({ label, onClick: () => onOrder(orderFrom(firstOrder(), tokens) ?? firstOrder()) }),
  }));
  const held = PROMPTS.map(() => 0); // the place of the token that the two arrows move
  const movers = PROMPTS.map((which, prompt) => {
    const name = make("span", { class: "inorder-lab-held" });
    const arrows = [-1, 1].map((by) =>
      button({
        label: "",
        text: by < 0 ? "‹" : "›",
        onClick: () => {
          const from = held[prompt];
          held[prompt] = from + by;
          onMove(prompt, from, from + by);
        },
      }),
    );
    const root = make("span", { class: "inorder-lab-mover" }, `In the ${which}, move`, arrows[0], name, arrows[1]);
    return { name, arrows, root };
  });
  const root = make(
    "div",
    { class: "inorder-lab-settings" },
    make("span", { class: "inorder-lab-mover" }, "Second prompt from first:", ...presets.map((preset) => preset.root)),
    ...movers.map((mover) => mover.root),
  );
  /** @type {string[][] | null} */
  let drawn = null;

  /** @type {(prompts: string[][]) => void} */
  function update(prompts) {
    drawn = prompts;
    for (const { root: preset, orderFrom } of presets) preset.disabled = orderFrom(firstOrder(), tokens) === null;
    for (const prompt of movers.keys()) drawMover(prompt, prompts);
  }

  /** @type {(prompt: number, prompts: string[][]) => void} */
  function drawMover(prompt, prompts) {
    const { name, arrows } = movers[prompt];
    const token = quoted(prompts[prompt][held[prompt]]);
    write(name, token);
    arrows.forEach((arrow, i) => {
      arrow.disabled = held[prompt] === (i === 0 ? 0 : tokens.length - 1);
      const way = i === 0 ? "left" : "right";
      setAttributes(arrow, { "aria-label": `Move ${token} to the ${way} in the ${PROMPTS[prompt]} prompt` });
    });
  }

  /** @type {(prompt: number, place: number) => void} */
  function hold(prompt, place) {
    held[prompt] = place;
    if (drawn) drawMover(prompt, drawn);
  }
  return { root, update, hold };
}
