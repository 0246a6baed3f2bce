// Models that learn the same task from the same batches, side by side.

/** @typedef {{ advance: () => void, report: (isFull?: boolean) => Report, nSteps: () => number }} Contest */

/**
 * @typedef {{ numbers: Float64Array, gradient: Float64Array, slopes: (batch: Batch) => number, step: (batch: Batch) => number, test: (batch: Batch) => number }} Learner
 */

/** @typedef {{ order?: Order | null, until?: number }} Told */

/** @typedef {import("./run.js").Report} Report */

/** @typedef {import("./run.js").Order} Order */

/** @typedef {import("./run.js").ModelOrder} ModelOrder */

/** @typedef {import("./network.js").Batch} Batch */

/**
 * @type {(library: ReturnType<typeof import("./network.js").network> & ReturnType<typeof import("./adam.js").adam> &
 *   ReturnType<typeof import("./tasks.js").tasks>) => { learner: (order: ModelOrder) => Learner,
 *   contest: (order: Order) => Contest, driver: (post: (report: Report & { isDone: boolean }) => void,
 *   later: (go: () => void) => void, milliseconds: number) => (told: Told) => void }}
 */
export function training({ layout, workspace, forward, backward, optimiser, draw }) {
  // One model: { numbers } are its parameters, one after the other.
  /** @type {(order: ModelOrder) => Learner} */
  function learner({ config, shapes, start, places, settings }) {
    const { length, split } = layout(shapes);
    const numbers = Float64Array.from(start);
    const gradient = new Float64Array(length);
    const [p, g] = [split(numbers), split(gradient)];
    const move = optimiser(length, settings);
    /** @type {Map<string, import("./network.js").Workspace>} */
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
  /** @type {(order: Order) => Contest} */
  function contest({ task, seed, models, n, batch_size, test_size, longer_size, test_lengths, test_every }) {
    const learners = models.map(learner);
    const testOf = (/** @type {number} */ length, /** @type {number} */ size) =>
      draw(task, `${task.name}, test, ${length} tokens`, size, length, true);
    const known = testOf(n, test_size);
    const longer = test_lengths.map((length) => (length === n ? known : testOf(length, longer_size)));
    let nSteps = 0;
    let nextLonger = 0;
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
    // What has happened since the last report; now and then, and if `isFull`, also how each does at every length.
    /** @type {(isFull?: boolean) => Report} */
    function report(isFull = false) {
      const isDue = isFull || nSteps >= nextLonger;
      if (isDue) nextLonger = nSteps + 10 * test_every;
      const byLength = isDue ? learners.map((one) => longer.map(one.test)) : null;
      const news = { nSteps, losses, tested, byLength, numbers: learners.map((one) => one.numbers.slice()) };
      [losses, tested] = [[], []];
      return news;
    }
    return { advance, report, nSteps: () => nSteps };
  }

  // The loop, in slices: tell({ order }) starts again, tell({ until }) trains up to that step, tell({}) pauses.
  // post(report) after each slice of so many milliseconds, later(go) before the next one.
  /**
   * @type {(post: (report: Report & { isDone: boolean }) => void, later: (go: () => void) => void,
   *   milliseconds: number) => (told: Told) => void}
   */
  function driver(post, later, milliseconds) {
    let current = /** @type {Contest} */ ({});
    let [until, isWaiting] = [0, false];
    function slice() {
      isWaiting = false;
      if (current.nSteps() >= until) return;
      const start = performance.now();
      while (current.nSteps() < until && performance.now() - start < milliseconds) current.advance();
      const isDone = current.nSteps() >= until;
      post({ ...current.report(), isDone });
      if (!isDone) wait();
    }
    function wait() {
      if (isWaiting) return;
      isWaiting = true;
      later(slice);
    }
    return function tell({ order = null, until: last = 0 }) {
      until = last;
      if (order) current = contest(order);
      if (until > 0) wait();
      else post({ ...current.report(true), isDone: false });
    };
  }

  return { learner, contest, driver };
}
