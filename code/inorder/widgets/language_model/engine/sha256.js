// SHA-256 (FIPS 180-4), part by part: the browser's own wants the whole file at once, and a page served over https.

/** The first 32 bits after the point of √p or ∛p, of the first n primes p. @param {number} n @param {number} root */
function primeRoots(n, root) {
  /** @type {number[]} */
  const primes = [];
  for (let p = 2; primes.length < n; p++) if (primes.every((q) => p % q)) primes.push(p);
  return primes.map((p) => {
    // in whole numbers: floating point would be one bit short
    const power = BigInt(p) << BigInt(32 * root);
    let bits = 0n;
    for (let bit = 1n << 36n; bit; bit >>= 1n) if ((bits | bit) ** BigInt(root) <= power) bits |= bit;
    return Number(bits & 0xffffffffn);
  });
}
const [START, K] = [primeRoots(8, 2), Int32Array.from(primeRoots(64, 3))];

/** { add(bytes), hex() }: hex() once, at the end. */
export function sha256() {
  const state = Int32Array.from(START);
  const w = new Int32Array(64);
  const rest = new Uint8Array(64); // what fills no block yet
  let length = 0;

  /** @param {Uint8Array} bytes @param {number} at */
  function block(bytes, at) {
    for (let i = 0; i < 16; i++, at += 4)
      w[i] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    for (let i = 16; i < 64; i++) {
      const [x, y] = [w[i - 15], w[i - 2]];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  }

  /** @param {Uint8Array} bytes */
  function add(bytes) {
    let at = 0;
    const filled = length % 64;
    length += bytes.length;
    if (filled) {
      at = Math.min(64 - filled, bytes.length);
      rest.set(bytes.subarray(0, at), filled);
      if (filled + at < 64) return;
      block(rest, 0);
    }
    for (; at + 64 <= bytes.length; at += 64) block(bytes, at);
    rest.set(bytes.subarray(at));
  }

  function hex() {
    const bits = BigInt(length) * 8n;
    const end = new Uint8Array(64 - ((length + 8) % 64) + 8);
    end[0] = 0x80;
    new DataView(end.buffer).setBigUint64(end.length - 8, bits);
    add(end);
    return Array.from(state, (part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
  }
  return { add, hex };
}
