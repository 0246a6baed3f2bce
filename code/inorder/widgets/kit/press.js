// The gesture with which a hand picks a place on a picture. A mouse picks at once and while it is held; a finger once it
// has moved sideways, or when it leaves: before that it may be about to scroll the page (`touch-action: pan-y`).

const SLACK = 6; // pixels that a hand which only presses may move

/** @typedef {{ x: number, y: number, isMoved: boolean, view?: View }} Press where it began, and the view that it moves */
/** @type {Press | null} */
let press = null; // there is one hand

// The listener of pointerdown, pointermove, pointerup and pointercancel of a picture, which calls `use` for each pick.
// `viewNow`: what is in view, which a press may move.
/** @type {(use: (event: PointerEvent, press: Press) => void, viewNow?: () => View) => (event: PointerEvent) => void} */
export const pressed = (use, viewNow) => (event) => {
  const { type, button, clientX, clientY, currentTarget, pointerId } = event;
  if (type === "pointerdown" && button === 0) {
    press = { x: clientX, y: clientY, isMoved: false, view: viewNow?.() };
    /** @type {Element} */ (currentTarget).setPointerCapture(pointerId);
  }
  if (!press) return;
  press.isMoved ||= Math.hypot(clientX - press.x, clientY - press.y) > SLACK;
  const isPick = event.pointerType !== "touch" || press.isMoved || type === "pointerup";
  if (isPick && type !== "pointercancel") use(event, press);
  if (type === "pointerup" || type === "pointercancel") press = null;
};
