// The transformer of kit/transformer.js for many sequences at once, forwards and backwards: layer norm before each
// sublayer and after the last, ReLU, biases everywhere. All parameters lie in one Float64Array, `split` says where.
//
// The slopes are written out by hand: there is one architecture, and a library that finds them (jax-js 0.1.25, tried) has
// 257 kB, where all of this figure has 57, to be in the same range of milliseconds a step.
//
// A batch is { tokens, targets, nSequences, n, pooled }: tokens are nSequences · n numbers; targets one a sequence if
// the rows are pooled (their mean is read), else one a row, with IGNORED where nothing is asked.
// `places` is what the scheme says about positions 0 … n − 1 (places.js).

/** @typedef {{ tokens: Int32Array, targets: Int32Array, nSequences: number, n: number, pooled: boolean }} Batch */

/** @typedef {Record<string, Float64Array>} Split the parameters, or their slopes, by name */

/** @typedef {import("./parameters.js").ModelConfig} ModelConfig */

/** @typedef {import("./parameters.js").Shapes} Shapes */

/** @typedef {import("./places.js").Places} Places */

/** @param {ReturnType<typeof import("./kernels.js").kernels>} kernels */
export function network({ linear, linearBack, layerNorm, layerNormBack, rotate, attend, attendBack }) {
  const IGNORED = -100;

  // The parameters in an array of all, by name.
  /** @type {(numbers: Float64Array, shapes: Shapes) => Split} */
  function split(numbers, shapes) {
    let at = 0;
    return Object.fromEntries(
      shapes.map(([name, shape]) => {
        const start = at;
        at += shape.reduce((product, count) => product * count, 1);
        return [name, numbers.subarray(start, at)];
      }),
    );
  }

  /** @typedef {ReturnType<typeof workspace>} Workspace */

  // Room for what one batch computes, kept from step to step.
  /** @param {ModelConfig} config @param {number} nSequences @param {number} n */
  function workspace(config, nSequences, n) {
    const rows = nSequences * n;
    const { d_model, d_ff, n_heads, n_outputs, n_layers } = config;
    const room = (/** @type {number} */ width) => new Float64Array(rows * width);
    const blocks = Array.from({ length: n_layers }, () => ({
      x: room(d_model), // what enters
      normal: room(d_model),
      scale: room(1),
      source: room(d_model),
      query: room(d_model),
      key: room(d_model),
      value: room(d_model),
      weights: new Float64Array(rows * n_heads * n),
      out: room(d_model),
      middle: room(d_model), // between attention and feed forward
      normalMiddle: room(d_model),
      scaleMiddle: room(1),
      sourceMiddle: room(d_model),
      hidden: room(d_ff),
    }));
    return {
      blocks,
      last: { x: room(d_model), normal: room(d_model), scale: room(1), out: room(d_model) },
      change: room(d_model),
      read: room(d_model),
      logits: room(n_outputs),
      vectors: new Float64Array(n * d_model),
      slopes: {
        ...{ x: room(d_model), change: room(d_model), source: room(d_model), hidden: room(d_ff) },
        ...{ query: room(d_model), key: room(d_model), value: room(d_model), logits: room(n_outputs) },
        bias: new Float64Array(n_heads * n * n),
        vectors: new Float64Array(n * d_model),
      },
    };
  }

  /** @type {(to: Float64Array, from: Float64Array) => void} */
  const add = (to, from) => {
    for (let i = 0; i < to.length; i += 1) to[i] += from[i];
  };

  // The rows of tokens and places: added, or the place in the last columns.
  /** @type {(p: Split, config: ModelConfig, places: Places, batch: Batch, room: Workspace) => void} */
  function embed(p, config, places, { tokens, nSequences, n }, room) {
    const { d_model: width, d_token: own } = config;
    const x = room.blocks[0].x;
    const embedding = p.embedding;
    for (let r = 0; r < nSequences * n; r += 1) {
      x.fill(0, r * width + own, (r + 1) * width);
      for (let c = 0; c < own; c += 1) x[r * width + c] = embedding[tokens[r] * own + c];
    }
    if (!places.features) return;
    const { vectors } = room;
    if (places.table) {
      const none = new Float64Array(places.width);
      linear(places.features, p[places.table], none, vectors, n, places.features.length / n, places.width);
    } else vectors.set(places.features);
    const shift = width - places.width;
    for (let r = 0; r < nSequences * n; r += 1) {
      const at = (r % n) * places.width;
      for (let c = 0; c < places.width; c += 1) x[r * width + shift + c] += vectors[at + c];
    }
  }

  /** @type {(p: Split, gradient: Split, config: ModelConfig, places: Places, batch: Batch, room: Workspace) => void} */
  function embedBack(p, gradient, config, places, { tokens, nSequences, n }, room) {
    const { d_model: width, d_token: own } = config;
    const { x: slope, vectors } = room.slopes;
    for (let r = 0; r < nSequences * n; r += 1) {
      for (let c = 0; c < own; c += 1) gradient.embedding[tokens[r] * own + c] += slope[r * width + c];
    }
    if (!places.features || !places.table) return;
    vectors.fill(0);
    const shift = width - places.width;
    for (let r = 0; r < nSequences * n; r += 1) {
      const at = (r % n) * places.width;
      for (let c = 0; c < places.width; c += 1) vectors[at + c] += slope[r * width + shift + c];
    }
    const [count, lost] = [places.features.length / n, new Float64Array(places.features.length)];
    const none = new Float64Array(places.width);
    linearBack(places.features, p[places.table], vectors, lost, gradient[places.table], none, n, count, places.width);
  }

  // What is added to the scores, with a learned bias looked up.
  /** @type {(p: Split, places: Places, n: number) => Float64Array} */
  function scoreBias(p, { nHeads, bias, buckets, table: name }, n) {
    if (!buckets) return bias;
    const table = p[name];
    const sum = new Float64Array(bias);
    for (let h = 0; h < nHeads; h += 1) {
      for (let at = 0; at < n * n; at += 1) sum[h * n * n + at] += table[buckets[at] * nHeads + h];
    }
    return sum;
  }

  // Fills the workspace and returns { loss, nRight, nAsked }: the mean cross-entropy of what is asked.
  /** @type {(p: Split, config: ModelConfig, places: Places, batch: Batch, room: Workspace) => ReturnType<typeof readOut>} */
  function forward(p, config, places, batch, room) {
    const { nSequences, n } = batch;
    const [rows, d, heads] = [nSequences * n, config.d_model, config.n_heads];
    embed(p, config, places, batch, room);
    const extra = { bias: scoreBias(p, places, n), towards: places.index && p[places.table], index: places.index };
    room.blocks.forEach((b, layer) => {
      const w = (/** @type {string} */ name) => p[`blocks.${layer}.${name}`];
      layerNorm(
        b.x,
        w("norm_attention.gain"),
        w("norm_attention.bias"),
        b.normal,
        b.scale,
        b.source,
        rows,
        d,
        config.eps,
      );
      for (const name of /** @type {const} */ (["query", "key", "value"])) {
        linear(b.source, w(`attention.w_${name}`), w(`attention.b_${name}`), b[name], rows, d, d);
      }
      if (places.turn) for (const one of [b.query, b.key]) rotate(one, places.turn, nSequences, n, heads, d / heads, 1);
      attend(b, extra, nSequences, n, heads, d / heads);
      linear(b.out, w("attention.w_output"), w("attention.b_output"), b.middle, rows, d, d);
      add(b.middle, b.x);
      const [gain, bias] = [w("norm_feed_forward.gain"), w("norm_feed_forward.bias")];
      layerNorm(b.middle, gain, bias, b.normalMiddle, b.scaleMiddle, b.sourceMiddle, rows, d, config.eps);
      linear(b.sourceMiddle, w("feed_forward.w_in"), w("feed_forward.b_in"), b.hidden, rows, d, config.d_ff);
      for (let i = 0; i < b.hidden.length; i += 1) if (b.hidden[i] < 0) b.hidden[i] = 0;
      const next = room.blocks[layer + 1] ?? room.last;
      linear(b.hidden, w("feed_forward.w_out"), w("feed_forward.b_out"), next.x, rows, config.d_ff, d);
      add(next.x, b.middle);
    });
    const { x, normal, scale, out } = room.last;
    layerNorm(x, p["norm_output.gain"], p["norm_output.bias"], normal, scale, out, rows, d, config.eps);
    return readOut(p, config, batch, room);
  }

  // The logits of each row, or of the mean row of each sequence; and their slopes, should a backward pass follow.
  /**
   * @type {(p: Split, config: ModelConfig, batch: Batch, room: Workspace) => { loss: number, nRight: number,
   *   nAsked: number }}
   */
  function readOut(p, config, { nSequences, n, targets, pooled }, room) {
    const { d_model: d, n_outputs: nOutputs } = config;
    const nRead = pooled ? nSequences : nSequences * n;
    const read = pooled ? room.read : room.last.out;
    if (pooled) {
      read.fill(0);
      for (let r = 0; r < nSequences * n; r += 1) {
        const [from, to] = [r * d, Math.floor(r / n) * d];
        for (let c = 0; c < d; c += 1) read[to + c] += room.last.out[from + c] / n;
      }
    }
    linear(read, p.w_output, p.b_output, room.logits, nRead, d, nOutputs);
    let [loss, nRight, nAsked] = [0, 0, 0];
    for (let r = 0; r < nRead; r += 1) if (targets[r] !== IGNORED) nAsked += 1;
    const slopes = room.slopes.logits;
    for (let r = 0; r < nRead; r += 1) {
      const at = r * nOutputs;
      if (targets[r] === IGNORED) {
        slopes.fill(0, at, at + nOutputs);
        continue;
      }
      let best = 0;
      for (let o = 1; o < nOutputs; o += 1) if (room.logits[at + o] > room.logits[at + best]) best = o;
      let total = 0;
      for (let o = 0; o < nOutputs; o += 1) total += Math.exp(room.logits[at + o] - room.logits[at + best]);
      for (let o = 0; o < nOutputs; o += 1) {
        const share = Math.exp(room.logits[at + o] - room.logits[at + best]) / total;
        slopes[at + o] = (share - (o === targets[r] ? 1 : 0)) / nAsked;
      }
      loss += Math.log(total) + room.logits[at + best] - room.logits[at + targets[r]];
      if (best === targets[r]) nRight += 1;
    }
    return { loss: loss / nAsked, nRight, nAsked };
  }

  // After a forward pass over the same batch: adds the slopes of the loss to `gradient`, which is split like p.
  /** @type {(p: Split, gradient: Split, config: ModelConfig, places: Places, batch: Batch, room: Workspace) => void} */
  function backward(p, gradient, config, places, batch, room) {
    const { nSequences, n, pooled } = batch;
    const [rows, d, heads, dff] = [nSequences * n, config.d_model, config.n_heads, config.d_ff];
    const s = room.slopes;
    const read = pooled ? room.read : room.last.out;
    const nRead = pooled ? nSequences : rows;
    s.change.fill(0);
    linearBack(read, p.w_output, s.logits, s.change, gradient.w_output, gradient.b_output, nRead, d, config.n_outputs);
    if (pooled) {
      s.source.set(s.change);
      for (let r = 0; r < rows; r += 1) {
        const [to, from] = [r * d, Math.floor(r / n) * d];
        for (let c = 0; c < d; c += 1) s.change[to + c] = s.source[from + c] / n;
      }
    }
    s.x.fill(0);
    const { normal, scale } = room.last;
    const [gGain, gBias] = [gradient["norm_output.gain"], gradient["norm_output.bias"]];
    layerNormBack(normal, scale, p["norm_output.gain"], s.change, s.x, gGain, gBias, rows, d);

    const towards = places.index && p[places.table];
    const extra = { towards, index: places.index };
    for (let layer = config.n_layers - 1; layer >= 0; layer -= 1) {
      const b = room.blocks[layer];
      const [w, g] = [p, gradient].map((one) => (/** @type {string} */ name) => one[`blocks.${layer}.${name}`]);
      /** @type {(x: Float64Array, name: string, dy: Float64Array, dx: Float64Array, dIn: number, dOut: number) => void} */
      const back = (x, name, dy, dx, dIn, dOut) => {
        const [weight, bias] = [name, name.replace("w_", "b_")];
        linearBack(x, w(weight), dy, dx, g(weight), g(bias), rows, dIn, dOut);
      };
      /** @type {(name: string, normalRows: Float64Array, scales: Float64Array) => void} */
      const normBack = (name, normalRows, scales) =>
        layerNormBack(
          normalRows,
          scales,
          w(`${name}.gain`),
          s.source,
          s.x,
          g(`${name}.gain`),
          g(`${name}.bias`),
          rows,
          d,
        );

      s.hidden.fill(0);
      back(b.hidden, "feed_forward.w_out", s.x, s.hidden, dff, d);
      for (let i = 0; i < s.hidden.length; i += 1) if (b.hidden[i] === 0) s.hidden[i] = 0;
      s.source.fill(0);
      back(b.sourceMiddle, "feed_forward.w_in", s.hidden, s.source, d, dff);
      normBack("norm_feed_forward", b.normalMiddle, b.scaleMiddle);

      s.change.fill(0);
      back(b.out, "attention.w_output", s.x, s.change, d, d);
      for (const each of [s.query, s.key, s.value, s.bias]) each.fill(0);
      const slopes = {
        ...{ dQuery: s.query, dKey: s.key, dValue: s.value, dBias: places.buckets ? s.bias : null },
        dTowards: places.index && gradient[places.table],
      };
      attendBack(b, extra, s.change, slopes, nSequences, n, heads, d / heads);
      if (places.buckets) {
        const table = gradient[places.table];
        for (let h = 0; h < heads; h += 1) {
          for (let at = 0; at < n * n; at += 1) table[places.buckets[at] * heads + h] += s.bias[h * n * n + at];
        }
      }
      if (places.turn)
        for (const one of [s.query, s.key]) rotate(one, places.turn, nSequences, n, heads, d / heads, -1);
      s.source.fill(0);
      for (const name of /** @type {const} */ (["query", "key", "value"]))
        back(b.source, `attention.w_${name}`, s[name], s.source, d, d);
      normBack("norm_attention", b.normal, b.scale);
    }
    embedBack(p, gradient, config, places, batch, room);
  }

  return { IGNORED, split, workspace, forward, backward };
}
