// What has changed flashes once, when the change is over, so that the eye finds it: cells, by the number that they show.

const CELLS = ".inorder-cell, .inorder-cell-of";
const PAUSE = 250; // milliseconds without a further change
const RING = ["var(--position)", "transparent"].map((colour) => ({ boxShadow: `inset 0 0 0 3px ${colour}` }));

// mark() is called when the figure has been drawn. Where most cells have changed, none stands out.
/** @type {(root: HTMLElement) => { mark: () => void, stop: () => void }} */
export function flashOf(root) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {WeakMap<Element, string>} */
  const before = new WeakMap();
  let timer = 0;
  function flash() {
    const cells = [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(CELLS))];
    const changed = cells.filter((cell) => {
      const number = Number(cell.dataset.value).toFixed(2);
      const isOther = (before.get(cell) ?? number) !== number;
      before.set(cell, number);
      return isOther;
    });
    if (calm.matches || changed.length > cells.length / 2) return;
    for (const cell of changed) cell.animate(RING, 700);
  }
  return {
    mark() {
      clearTimeout(timer);
      timer = setTimeout(flash, PAUSE);
    },
    stop: () => clearTimeout(timer),
  };
}
