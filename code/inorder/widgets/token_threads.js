// A row of tokens as given, the same row as the reader moves them, and a thread from each token to its place there.

import { blend, make, svgNode, variable, write } from "./kit.js";

// By original place, so that order looks like a rainbow and a shuffle does not.
const RAINBOWS = {
  light: [[84, 39, 136], [45, 95, 170], [15, 125, 120], [100, 125, 20], [175, 85, 0]],
  dark: [[180, 145, 250], [110, 170, 250], [70, 200, 190], [165, 210, 90], [250, 215, 90]],
};

export function tokenColour(token, n, dark) {
  const stops = RAINBOWS[dark ? "dark" : "light"];
  const along = (token / (n - 1)) * (stops.length - 1);
  const from = Math.min(Math.floor(along), stops.length - 2);
  return blend(stops[from], stops[from + 1], along - from);
}

// Where each token stands, between places while it travels. Interrupted at any time: it goes on from where it is.
function travel(draw) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let [at, to, held, frame, last] = [[], [], null, null, 0];

  function step(now) {
    const share = still.matches ? 1 : 1 - Math.exp(-Math.min(now - last, 50) / 55);
    last = now;
    at = at.map((place, token) => {
      if (token === held) return place;
      return Math.abs(to[token] - place) < 0.004 ? to[token] : place + (to[token] - place) * share;
    });
    draw(at, held);
    const arrived = at.every((place, token) => token === held || place === to[token]);
    frame = arrived ? null : requestAnimationFrame(step);
  }

  function start() {
    if (frame !== null) return;
    last = performance.now();
    frame = requestAnimationFrame(step);
  }

  return {
    // order: the token at each place
    follow(order) {
      to = order.map((_, token) => order.indexOf(token));
      if (at.length !== to.length) at = [...to];
      start();
    },
    hold(token, place) {
      held = token;
      at[token] = place;
      start();
    },
    release() {
      held = null;
      start();
    },
    now: () => at,
    stop: () => cancelAnimationFrame(frame),
  };
}

// By mouse, touch and keyboard. A token's number, colour and ink come as `labels`, by token.
//   hintId         the id of the element that says how to move a token
//   orderNow()     the token at each place; onMove(from, to) asks for one to be moved to another place
//   onPoint(token) the focus is on a token, or on none: null
//   onFrame(at, held)   at each frame of the motion: where each token stands, and the one that is held
export function tokenThreads({ hintId, orderNow, onMove, onPoint, onFrame }) {
  const threads = svgNode("svg", { class: "inorder-threads", "aria-hidden": "true", preserveAspectRatio: "none" });
  const givenRow = make("div", { class: "inorder-given-row", "aria-hidden": "true" });
  const movedRow = make("div", { class: "inorder-moved-row", role: "group", "aria-label": "The tokens, to be moved" });
  const rowName = (...parts) => make("div", { class: "inorder-row-name" }, ...parts);
  const root = make("div", { class: "inorder-tokens-area" }, rowName(variable("X"), " as given"), givenRow, threads, movedRow,
    rowName(variable("P"), variable("X"), " as you move it"));
  let chips = []; // by token
  let lines = [];
  let slotWidth = 1;

  const motion = travel((at, held) => {
    chips.forEach((chip, token) => {
      const [from, to] = [(token + 0.5) * slotWidth, (at[token] + 0.5) * slotWidth];
      const thread = `M${from} 0C${from} 16 ${to} 12 ${to} 28`;
      if (lines[token].getAttribute("d") === thread) return;
      lines[token].setAttribute("d", thread);
      chip.style.transform = `translateX(${at[token] * slotWidth}px)`;
    });
    onFrame(at, held);
  });

  function buildTokens(n) {
    const words = () =>
      [make("span", { class: "inorder-chip-number" }), make("span", { class: "inorder-chip-text", dir: "auto" })];
    const makeChip = (token) => make("button", { type: "button", class: "inorder-chip", "data-token": token,
      "aria-describedby": hintId, onkeydown: (event) => moveByKey(event, token),
      onfocus: () => onPoint(token), onblur: () => onPoint(null) }, ...words());
    chips = Array.from({ length: n }, (_, token) => makeChip(token));
    lines = chips.map(() => svgNode("path"));
    threads.replaceChildren(...lines);
    givenRow.replaceChildren(...chips.map(() => make("span", { class: "inorder-chip" }, ...words())));
    movedRow.replaceChildren(...chips);
  }

  function moveByKey(event, token) {
    const order = orderNow();
    const from = order.indexOf(token);
    const [left, right] = [from - 1, from + 1];
    const arrows = { ArrowLeft: left, ArrowUp: left, ArrowRight: right, ArrowDown: right };
    const targets = { ...arrows, Home: 0, End: order.length - 1 };
    if (!Object.hasOwn(targets, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const to = targets[event.key];
    if (to >= 0 && to < order.length && to !== from) onMove(from, to);
  }

  let grip = null; // { token, offset } of the token being dragged
  movedRow.addEventListener("pointerdown", (event) => {
    const chip = event.target.closest(".inorder-chip");
    if (!chip || event.button !== 0) return;
    const token = Number(chip.dataset.token);
    grip = { token, offset: event.clientX - motion.now()[token] * slotWidth };
    movedRow.setPointerCapture(event.pointerId);
    chip.focus({ preventScroll: true });
    chip.classList.add("is-held");
  });
  movedRow.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const order = orderNow();
    const place = Math.min(Math.max((event.clientX - grip.offset) / slotWidth, 0), order.length - 1);
    motion.hold(grip.token, place);
    const [from, to] = [order.indexOf(grip.token), Math.round(place)];
    if (from !== to) onMove(from, to);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    movedRow.addEventListener(end, () => {
      if (!grip) return;
      chips[grip.token]?.classList.remove("is-held");
      grip = null;
      motion.release();
    });
  }

  // The page's order is the reading order. The token with the focus stays, or it would lose it; the others go around it,
  // and only those that are not where they should be.
  function sortChips(order) {
    const pivot = chips.find((chip) => chip === document.activeElement) ?? chips[order[0]];
    const place = order.indexOf(chips.indexOf(pivot));
    const line = (tokens, end) => {
      let next = end;
      for (const token of tokens.reverse()) {
        if (chips[token].nextSibling !== next) movedRow.insertBefore(chips[token], next);
        next = chips[token];
      }
    };
    line(order.slice(0, place), pivot);
    line(order.slice(place + 1), null);
  }

  // Room for n tokens in the width that there is.
  function measure(n) {
    if (chips.length !== n) buildTokens(n);
    slotWidth = root.clientWidth / n;
    threads.setAttribute("viewBox", `0 0 ${root.clientWidth} 28`);
  }

  function update({ tokens: texts, order, labels }) {
    const n = texts.length;
    const longest = Math.max(...texts.map((text) => [...text].length));
    root.classList.toggle("is-stacked", slotWidth < 32 + 8 * longest);
    root.classList.toggle("is-upright", slotWidth < 8 + 7.5 * Math.min(longest, 9));
    chips.forEach((chip, token) => {
      const { fill, ink } = labels[token];
      for (const one of [chip, givenRow.children[token]]) {
        one.style.width = `${slotWidth}px`;
        one.style.setProperty("--fill", fill);
        one.style.setProperty("--on-fill", ink);
        write(one.firstChild, String(token + 1));
        write(one.lastChild, texts[token] || "␣");
      }
      const place = `at place ${order.indexOf(token) + 1} of ${n}`;
      chip.setAttribute("aria-label", `${texts[token]}, token ${token + 1}, ${place}`);
      lines[token].setAttribute("stroke", fill);
    });
    sortChips(order);
  }

  return { root, measure, update, follow: motion.follow, stop: motion.stop };
}
