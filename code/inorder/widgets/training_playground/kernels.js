// What a training step is made of, forwards and backwards. Rows lie one after the other in Float64Arrays, so that a
// matrix of r rows and d columns is r · d numbers. Every `…Back` adds to the gradients that it is given.
//
// The training runs in a worker, which gets it as text (library.js): a function like this one, which holds the functions
// of a file, uses only itself and what it is given.

/**
 * @typedef {{ dQuery: Float64Array, dKey: Float64Array, dValue: Float64Array, dBias: Float64Array | null, dTowards: Float64Array | null }} Slopes
 */

/**
 * @typedef {{ towards: Float64Array | null, index: Int32Array | null }} Extra the learned keys that pairs look up, if any
 */

/** @typedef {{ query: Float64Array, key: Float64Array, value: Float64Array, weights: Float64Array }} Rows */

export function kernels() {
  // out = x W + b, for W (dIn, dOut). Four rows of W at a time: a third of the loads and stores of one at a time.
  /**
   * @type {(x: Float64Array, w: Float64Array, b: Float64Array, out: Float64Array, rows: number, dIn: number,
   *   dOut: number) => void}
   */
  function linear(x, w, b, out, rows, dIn, dOut) {
    const whole = dIn - (dIn % 4);
    for (let r = 0; r < rows; r += 1) {
      const from = r * dIn;
      const to = r * dOut;
      for (let j = 0; j < dOut; j += 1) out[to + j] = b[j];
      for (let k = 0; k < whole; k += 4) {
        const x0 = x[from + k];
        const x1 = x[from + k + 1];
        const x2 = x[from + k + 2];
        const x3 = x[from + k + 3];
        const w0 = k * dOut;
        const w1 = w0 + dOut;
        const w2 = w1 + dOut;
        const w3 = w2 + dOut;
        for (let j = 0; j < dOut; j += 1) {
          out[to + j] += x0 * w[w0 + j] + x1 * w[w1 + j] + x2 * w[w2 + j] + x3 * w[w3 + j];
        }
      }
      for (let k = whole; k < dIn; k += 1) {
        const value = x[from + k];
        for (let j = 0; j < dOut; j += 1) out[to + j] += value * w[k * dOut + j];
      }
    }
  }

  // dx += dy Wᵀ, dW += xᵀ dy, db += Σ dy; four at a time here too.
  /**
   * @type {(x: Float64Array, w: Float64Array, dy: Float64Array, dx: Float64Array, dw: Float64Array,
   *   db: Float64Array, rows: number, dIn: number, dOut: number) => void}
   */
  function linearBack(x, w, dy, dx, dw, db, rows, dIn, dOut) {
    const whole = dIn - (dIn % 4);
    for (let r = 0; r < rows; r += 1) {
      const from = r * dIn;
      const to = r * dOut;
      for (let j = 0; j < dOut; j += 1) db[j] += dy[to + j];
      for (let k = 0; k < whole; k += 4) {
        const x0 = x[from + k];
        const x1 = x[from + k + 1];
        const x2 = x[from + k + 2];
        const x3 = x[from + k + 3];
        const w0 = k * dOut;
        const w1 = w0 + dOut;
        const w2 = w1 + dOut;
        const w3 = w2 + dOut;
        let s0 = 0;
        let s1 = 0;
        let s2 = 0;
        let s3 = 0;
        for (let j = 0; j < dOut; j += 1) {
          const slope = dy[to + j];
          s0 += slope * w[w0 + j];
          s1 += slope * w[w1 + j];
          s2 += slope * w[w2 + j];
          s3 += slope * w[w3 + j];
          dw[w0 + j] += x0 * slope;
          dw[w1 + j] += x1 * slope;
          dw[w2 + j] += x2 * slope;
          dw[w3 + j] += x3 * slope;
        }
        dx[from + k] += s0;
        dx[from + k + 1] += s1;
        dx[from + k + 2] += s2;
        dx[from + k + 3] += s3;
      }
      for (let k = whole; k < dIn; k += 1) {
        const row = k * dOut;
        let sum = 0;
        for (let j = 0; j < dOut; j += 1) {
          sum += dy[to + j] * w[row + j];
          dw[row + j] += x[from + k] * dy[to + j];
        }
        dx[from + k] += sum;
      }
    }
  }

  // normal = (x − mean) / √(variance + eps), out = normal · gain + bias; `scale` keeps 1 / √(variance + eps).
  /**
   * @type {(x: Float64Array, gain: Float64Array, bias: Float64Array, normal: Float64Array, scale: Float64Array,
   *   out: Float64Array, rows: number, d: number, eps: number) => void}
   */
  function layerNorm(x, gain, bias, normal, scale, out, rows, d, eps) {
    for (let r = 0; r < rows; r += 1) {
      const at = r * d;
      let mean = 0;
      for (let j = 0; j < d; j += 1) mean += x[at + j];
      mean /= d;
      let variance = 0;
      for (let j = 0; j < d; j += 1) variance += (x[at + j] - mean) ** 2;
      scale[r] = 1 / Math.sqrt(variance / d + eps);
      for (let j = 0; j < d; j += 1) {
        normal[at + j] = (x[at + j] - mean) * scale[r];
        out[at + j] = normal[at + j] * gain[j] + bias[j];
      }
    }
  }

  // With g = dy · gain: dx += scale · (g − mean(g) − normal · mean(g · normal)).
  /**
   * @type {(normal: Float64Array, scale: Float64Array, gain: Float64Array, dy: Float64Array, dx: Float64Array,
   *   dGain: Float64Array, dBias: Float64Array, rows: number, d: number) => void}
   */
  function layerNormBack(normal, scale, gain, dy, dx, dGain, dBias, rows, d) {
    for (let r = 0; r < rows; r += 1) {
      const at = r * d;
      let mean = 0;
      let along = 0;
      for (let j = 0; j < d; j += 1) {
        const slope = dy[at + j] * gain[j];
        mean += slope;
        along += slope * normal[at + j];
        dGain[j] += dy[at + j] * normal[at + j];
        dBias[j] += dy[at + j];
      }
      mean /= d;
      along /= d;
      for (let j = 0; j < d; j += 1) {
        dx[at + j] += scale[r] * (dy[at + j] * gain[j] - mean - normal[at + j] * along);
      }
    }
  }

  // Pair j of each head's columns turns by the angle of its row's position; backwards, by minus that angle.
  /**
   * @type {(x: Float64Array, waves: import("./places.js").Waves, nSequences: number, n: number, nHeads: number,
   *   dHead: number, direction: number) => void}
   */
  function rotate(x, { cosines, sines, first, second }, nSequences, n, nHeads, dHead, direction) {
    const pairs = dHead / 2;
    for (let s = 0; s < nSequences; s += 1) {
      for (let i = 0; i < n; i += 1) {
        for (let h = 0; h < nHeads; h += 1) {
          const at = ((s * n + i) * nHeads + h) * dHead;
          for (let j = 0; j < pairs; j += 1) {
            const cosine = cosines[i * pairs + j];
            const sine = direction * sines[i * pairs + j];
            const a = x[at + first[j]];
            const b = x[at + second[j]];
            x[at + first[j]] = a * cosine - b * sine;
            x[at + second[j]] = a * sine + b * cosine;
          }
        }
      }
    }
  }

  // Σ a b over `count` places of each, four at a time.
  /** @type {(a: Float64Array, i: number, b: Float64Array, j: number, count: number) => number} */
  function dot(a, i, b, j, count) {
    const whole = count - (count % 4);
    let sum = 0;
    for (let c = 0; c < whole; c += 4) {
      sum +=
        a[i + c] * b[j + c] + a[i + c + 1] * b[j + c + 1] + a[i + c + 2] * b[j + c + 2] + a[i + c + 3] * b[j + c + 3];
    }
    for (let c = whole; c < count; c += 1) sum += a[i + c] * b[j + c];
    return sum;
  }

  // a += factor · b, over `count` places of each.
  /** @type {(factor: number, a: Float64Array, i: number, b: Float64Array, j: number, count: number) => void} */
  function addTimes(factor, a, i, b, j, count) {
    const whole = count - (count % 4);
    for (let c = 0; c < whole; c += 4) {
      a[i + c] += factor * b[j + c];
      a[i + c + 1] += factor * b[j + c + 1];
      a[i + c + 2] += factor * b[j + c + 2];
      a[i + c + 3] += factor * b[j + c + 3];
    }
    for (let c = whole; c < count; c += 1) a[i + c] += factor * b[j + c];
  }

  // weights = softmax(q kᵀ / √d + bias), out = weights v, for each sequence and head. bias is (head, query, key), −∞ where
  // a query may not look; `towards` are Shaw's vectors, of which row index[query, key] is added to the key.
  /**
   * @type {(rows: Rows & { out: Float64Array }, extra: Extra & { bias: Float64Array }, nSequences: number,
   *   n: number, nHeads: number, dHead: number) => void}
   */
  function attend({ query, key, value, weights, out }, { bias, towards, index }, nSequences, n, nHeads, dHead) {
    const width = nHeads * dHead;
    const perRoot = 1 / Math.sqrt(dHead);
    out.fill(0);
    for (let s = 0; s < nSequences; s += 1) {
      for (let h = 0; h < nHeads; h += 1) {
        const columns = s * n * width + h * dHead;
        for (let i = 0; i < n; i += 1) {
          const at = columns + i * width;
          const row = ((s * nHeads + h) * n + i) * n;
          let largest = -Infinity;
          for (let j = 0; j < n; j += 1) {
            let score = dot(query, at, key, columns + j * width, dHead);
            if (towards && index) score += dot(query, at, towards, index[i * n + j] * dHead, dHead);
            score = score * perRoot + bias[(h * n + i) * n + j];
            weights[row + j] = score;
            if (score > largest) largest = score;
          }
          let total = 0;
          for (let j = 0; j < n; j += 1) {
            weights[row + j] = Math.exp(weights[row + j] - largest);
            total += weights[row + j];
          }
          for (let j = 0; j < n; j += 1) {
            weights[row + j] /= total;
            addTimes(weights[row + j], out, at, value, columns + j * width, dHead);
          }
        }
      }
    }
  }

  // With a = dOut vᵀ: the slope of a score is its weight · (a − Σ weights · a). dBias is (head, query, key), summed over
  // the sequences, and may be null.
  /**
   * @type {(rows: Rows, extra: Extra, dOut: Float64Array, slopes: Slopes, nSequences: number, n: number,
   *   nHeads: number, dHead: number) => void}
   */
  function attendBack({ query, key, value, weights }, { towards, index }, dOut, slopes, nSequences, n, nHeads, dHead) {
    const { dQuery, dKey, dValue, dBias, dTowards } = slopes;
    const width = nHeads * dHead;
    const perRoot = 1 / Math.sqrt(dHead);
    const before = new Float64Array(n);
    for (let s = 0; s < nSequences; s += 1) {
      for (let h = 0; h < nHeads; h += 1) {
        const columns = s * n * width + h * dHead;
        for (let i = 0; i < n; i += 1) {
          const at = columns + i * width;
          const row = ((s * nHeads + h) * n + i) * n;
          let along = 0;
          for (let j = 0; j < n; j += 1) {
            const other = columns + j * width;
            before[j] = dot(dOut, at, value, other, dHead);
            along += weights[row + j] * before[j];
            addTimes(weights[row + j], dValue, other, dOut, at, dHead);
          }
          for (let j = 0; j < n; j += 1) {
            const slope = weights[row + j] * (before[j] - along);
            const other = columns + j * width;
            if (dBias) dBias[(h * n + i) * n + j] += slope;
            addTimes(slope * perRoot, dQuery, at, key, other, dHead);
            addTimes(slope * perRoot, dKey, other, query, at, dHead);
            if (!towards || !index || !dTowards) continue;
            const place = index[i * n + j] * dHead;
            addTimes(slope * perRoot, dQuery, at, towards, place, dHead);
            addTimes(slope * perRoot, dTowards, place, query, at, dHead);
          }
        }
      }
    }
  }

  return { linear, linearBack, layerNorm, layerNormBack, rotate, attend, attendBack };
}
