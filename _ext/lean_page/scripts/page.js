// What the parts of a page share: what is kept for the reader, where the reader is, what can wait, and one place where
// changes are told to a screen reader.

export const find = (selector, from = document) => from.querySelector(selector);
export const findAll = (selector, from = document) => [...from.querySelectorAll(selector)];

const soon = window.requestIdleCallback ?? ((task) => setTimeout(task, 50));

// Calls `act` once: when the reader does something, or has looked for so many milliseconds.
export function onceBegun(act, patience = Number.POSITIVE_INFINITY) {
  const signs = ["scroll", "pointerdown", "keydown", "focusin"];
  const begin = () => {
    for (const sign of signs) removeEventListener(sign, begin);
    clearTimeout(timer);
    act();
  };
  const timer = Number.isFinite(patience) ? setTimeout(begin, patience) : 0;
  for (const sign of signs) addEventListener(sign, begin, { passive: true });
}

// Calls `act` once the words are painted.
export function oncePainted(act) {
  new PerformanceObserver((paints) => {
    if (paints.getEntriesByName("first-contentful-paint").length) act();
  }).observe({ type: "paint", buffered: true });
}

// Acts on one after another, each in an idle moment, until an act returns false or all are done; then `end` follows.
export function oneByOne(items, act, end = () => {}) {
  const waiting = [...items];
  const next = () => {
    if (waiting.length && act(waiting.shift()) !== false) soon(next);
    else end();
  };
  soon(next);
}

const storedIn = (storage) => ({
  read(key) {
    try {
      return storage().getItem(key);
    } catch {
      return null; // storage can be forbidden
    }
  },
  write(key, value) {
    try {
      storage().setItem(key, value);
    } catch {}
  },
});
export const settings = storedIn(() => localStorage);
export const visit = storedIn(() => sessionStorage); // of this tab

// What the author wrote outside folds and figures stands on the page whatever is open, and whatever has come to life.
export const words = () => findAll("article :is(h1, h2, h3, p)").filter((e) => !e.closest("details, .inorder-view"));
export const firstInView = (blocks) =>
  blocks.find((e) => e.checkVisibility({ contentVisibilityAuto: true }) && e.getBoundingClientRect().bottom > 60);

export const announce = (text) => {
  find("#announcer").textContent = text;
};
