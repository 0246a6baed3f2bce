// Models that learn the same task from the same batches, side by side.

/** @typedef {{ order?: Order, until?: number }} Request */

/** @typedef {import("./run.js").Report} Report */

/** @typedef {import("./run.js").Order} Order */

/** @typedef {import("./run.js").ModelOrder} ModelOrder */

/** @typedef {import("./network.js").Batch} Batch */

/** @param {ReturnType<typeof import("./network.js").network> & ReturnType<typeof import("./adam.js").adam> & ReturnType<typeof import("./tasks.js").tasks>} library */
export function training({ split, workspace, forward, backward, optimiser, draw }) {
  // One model: { numbers } are its parameters, one after the other.
  /** @param {ModelOrder} order */
  function learner({ config, shapes, start, places, settings }) {
    const numbers = Float64Array.from(start);
    const gradient = new Float64Array(start.length);
    const [p, g] = [numbers, gradient].map((all) => split(all, shapes));
    const move = optimiser(start.length, settings);
    /** @type {Map<string, ReturnType<typeof workspace>>} */
    const rooms = new Map(); // by the shape of the batch
    const roomFor = (/** @type {Batch} */ { nSequences, n }) => {
      const key = `${nSequences} ${n}`;
      const room = rooms.get(key) ?? workspace(config, nSequences, n);
      rooms.set(key, room);
      return room;
    };

    // The loss; its slopes are in `gradient` then.
    /** @type {(batch: Batch) => number} */
    function slopes(batch) {
      const { loss } = forward(p, config, places[batch.n], batch, roomFor(batch));
      gradient.fill(0);
      backward(p, g, config, places[batch.n], batch, roomFor(batch));
      return loss;
    }
    /** @type {(batch: Batch) => number} */
    function step(batch) {
      const loss = slopes(batch);
      move(numbers, gradient);
      return loss;
    }
    // How much of what is asked the model gets right.
    /** @type {(batch: Batch) => number} */
    function test(batch) {
      const { nRight, nAsked } = forward(p, config, places[batch.n], batch, roomFor(batch));
      return nRight / nAsked;
    }
    return { numbers, gradient, slopes, step, test };
  }

  // order: { task, seed, models: [what learner() takes], and what setting.py calls TRAINING }.
  /** @param {Order} order */
  function contest({ task, seed, models, n, batch_size, test_size, longer_size, test_lengths, test_every }) {
    const learners = models.map(learner);
    const testOf = (/** @type {number} */ length, /** @type {number} */ size) =>
      draw(task, `${task.name}, test, ${length} tokens`, size, length, true);
    const known = testOf(n, test_size);
    const longer = test_lengths.map((length) => (length === n ? known : testOf(length, longer_size)));
    let nSteps = 0;
    /** @type {[Report["losses"], Report["tested"]]} */
    let [losses, tested] = [[], []]; // since the last report
    const measure = () => tested.push({ step: nSteps, accuracies: learners.map((one) => one.test(known)) });
    measure();

    function advance() {
      const batch = draw(task, `${task.name}, seed ${seed}, step ${nSteps}`, batch_size, n);
      losses.push(learners.map((one) => one.step(batch)));
      nSteps += 1;
      if (nSteps % test_every === 0) measure();
    }
    // What has happened since the last report; if `isFull`, also how each does at every length.
    /** @type {(isFull?: boolean) => Report} */
    function report(isFull = false) {
      const byLength = isFull ? learners.map((one) => longer.map(one.test)) : null;
      const news = { nSteps, losses, tested, byLength, numbers: learners.map((one) => one.numbers.slice()) };
      [losses, tested] = [[], []];
      return news;
    }
    return { advance, report, nSteps: () => nSteps };
  }

  // The loop, in slices of so many milliseconds: tell({ order }) starts again, tell({ until }) trains up to that step,
  // tell({}) pauses. post(report) after each slice, and later(), which calls for the next one.
  /** @type {(post: (report: Report) => void, later: () => void, milliseconds: number) => { tell: (request: Request) => void, slice: () => void }} */
  function driver(post, later, milliseconds) {
    let current = /** @type {ReturnType<typeof contest>} */ ({});
    let [until, isWaiting] = [0, false];
    function slice() {
      isWaiting = false;
      if (current.nSteps() >= until) return;
      const start = performance.now();
      while (current.nSteps() < until && performance.now() - start < milliseconds) current.advance();
      post(current.report());
      wait();
    }
    function wait() {
      if (isWaiting || current.nSteps() >= until) return;
      isWaiting = true;
      later();
    }
    function tell(/** @type {Request} */ { order, until: last = 0 }) {
      until = last;
      if (order) current = contest(order);
      if (until === 0) post(current.report(true));
      wait();
    }
    return { tell, slice };
  }

  return { learner, contest, driver };
}
