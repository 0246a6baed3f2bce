// Where each token stands, between places while it travels.

/**
 * A move that is interrupted goes on from where it is. draw(at, held) is called at each frame: at[token] is a place, and
 * `held` is the token in hand. settle() is called once all others have arrived.
 * @param {(at: number[], held: number | null) => void} draw
 * @param {() => void} settle
 */
export function travel(draw, settle = () => {}) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {number[]} */
  let at = [];
  /** @type {number[]} */
  let to = [];
  /** @type {number | null} */
  let held = null;
  /** @type {number | null} */
  let frame = null;
  let last = 0;

  function step(/** @type {number} */ now) {
    const passed = Math.min(Math.max(now - last, 0), 50); // a frame may have begun before the hand that it shows
    const share = still.matches ? 1 : 1 - Math.exp(-passed / 55);
    last = now;
    at = at.map((place, token) => {
      if (token === held) return place;
      return Math.abs(to[token] - place) < 0.004 ? to[token] : place + (to[token] - place) * share;
    });
    draw(at, held);
    const arrived = at.every((place, token) => token === held || place === to[token]);
    frame = arrived ? null : requestAnimationFrame(step);
    if (arrived) settle();
  }

  function start() {
    if (frame !== null) return;
    last = performance.now();
    frame = requestAnimationFrame(step);
  }

  return {
    // order: the token at each place
    follow(/** @type {number[]} */ order) {
      to = order.map((_, token) => order.indexOf(token));
      if (at.length !== to.length) at = [...to];
      start();
    },
    hold(/** @type {number} */ token, /** @type {number} */ place) {
      held = token;
      at[token] = place;
      start();
    },
    release() {
      held = null;
      start();
    },
    stop() {
      if (frame !== null) cancelAnimationFrame(frame);
    },
  };
}
