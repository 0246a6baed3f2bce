// The gesture with which a hand picks a place on a picture. A mouse picks at once and while it is held; a finger once it
// has moved, or when it leaves. A finger that goes up or down scrolls the page where `touch-action: pan-y` says so.

const SLACK = 6; // pixels that a hand which only presses may move

/** @typedef {{ x: number, y: number, scrolls: boolean, isMoved: boolean, view?: View }} Press where it began, and the view that it moves */
/** @type {Press | null} */
let press = null; // there is one hand

// The listener of pointerdown, pointermove, pointerup and pointercancel of a picture, which calls `use` for each pick.
// `viewNow`: what is in view, which a press may move.
/** @type {(use: (event: PointerEvent, press: Press) => void, viewNow?: () => View) => (event: PointerEvent) => void} */
export const pressed = (use, viewNow) => (event) => {
  const { type, clientX: x, clientY: y } = event;
  const isTouch = event.pointerType === "touch";
  const picture = /** @type {Element} */ (event.currentTarget);
  if (type === "pointerdown" && event.button === 0) {
    const scrolls = isTouch && getComputedStyle(picture).touchAction !== "none";
    press = { x, y, scrolls, isMoved: false, view: viewNow?.() };
    picture.setPointerCapture(event.pointerId);
  }
  if (!press) return;
  press.isMoved ||= Math.hypot(x - press.x, press.scrolls ? 0 : y - press.y) > SLACK;
  if (type !== "pointercancel" && (!isTouch || press.isMoved || type === "pointerup")) use(event, press);
  if (type === "pointerup" || type === "pointercancel") press = null;
};
