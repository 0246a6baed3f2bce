// Where each token stands, between places while it travels.

// Interrupted at any time, it goes on from where it is. draw(at, held): at[token] is a place, `held` the token in hand.
// settle() once all others have arrived.
export function travel(draw, settle) {
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
    if (arrived) settle();
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
    stop: () => cancelAnimationFrame(frame),
  };
}
