// Orders of the tokens at a press: two exchanged, or all turned round; and one tile moved without dragging it.

import { button } from "../kit/controls.js";
import { make, setAttributes, write } from "../kit/elements.js";
import { PROMPTS, quoted } from "./words.js";

// The order with two different tokens exchanged: the first two, never the last; or else the last two. Null if all agree.
function exchanged(order, tokens, { clean }) {
  const last = order.length - 1;
  const [start, others] = clean
    ? [0, [...order.keys()].slice(1, last)]
    : [last, [...order.keys()].slice(0, last).reverse()];
  const other = others.find((place) => tokens[order[place]] !== tokens[order[start]]);
  if (other === undefined) return null;
  const next = [...order];
  [next[start], next[other]] = [next[other], next[start]];
  return next;
}

const READY_MADE = {
  "Swap the first two": (order, tokens) => exchanged(order, tokens, { clean: true }),
  "Swap the last two": (order, tokens) => exchanged(order, tokens, { clean: false }),
  Backwards: (order) => [...order].reverse(),
};

// onOrder(order) asks for another second prompt; onMove(prompt, from, to) for a token to be moved.
export function ordersPanel({ tokens, firstOrder, onOrder, onMove }) {
  const presets = Object.entries(READY_MADE).map(([label, orderFrom]) => ({
    orderFrom,
    root: button({ label, onClick: () => onOrder(orderFrom(firstOrder(), tokens)) }),
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
    make("span", { class: "inorder-lab-mover" }, "The second from the first:", ...presets.map((preset) => preset.root)),
    ...movers.map((mover) => mover.root),
  );
  let shown = null;

  function update(prompts) {
    shown = prompts;
    for (const { root: preset, orderFrom } of presets) preset.disabled = orderFrom(firstOrder(), tokens) === null;
    for (const prompt of movers.keys()) drawMover(prompt);
  }

  function drawMover(prompt) {
    const { name, arrows } = movers[prompt];
    const token = quoted(shown[prompt][held[prompt]]);
    write(name, token);
    arrows.forEach((arrow, i) => {
      arrow.disabled = held[prompt] === (i === 0 ? 0 : tokens.length - 1);
      const way = i === 0 ? "left" : "right";
      setAttributes(arrow, { "aria-label": `Move ${token} to the ${way} in the ${PROMPTS[prompt]} prompt` });
    });
  }

  function hold(prompt, place) {
    held[prompt] = place;
    if (shown) drawMover(prompt);
  }
  return { root, update, hold };
}
