// Products with 4-bit and 8-bit weights as they lie in the file: by WebAssembly with SIMD, or in plain JavaScript.
//
// The WebAssembly is kernel.wat, compiled by `node tools/kernel.mjs` (wabt) into kernel_bytes.js. Its memory holds a table
// of the 16-bit numbers, room to work in, and the file. A vector meets the weights as they are; for more columns, two rows
// at a time are unpacked and then serve all columns.

import { KINDS, Q4_1, Q8_0 } from "./gguf.js";
import { KERNEL } from "./kernel_bytes.js";

const PAGE = 65536; // bytes, of WebAssembly's memory
const ROOM = 1 << 17; // numbers: for the columns that go into a product, and as many for those that come out
const BLOCK = 32; // weights
const WIDEST = ROOM / 4; // so that four columns have room
// Where things lie in the memory, in bytes.
const TABLE = 0;
const X = TABLE + 4 * 65536;
const Y = X + 4 * ROOM;
const SUMS = Y + 4 * ROOM;
const ROWS = SUMS + 4 * (WIDEST / BLOCK);
const FILE = Math.ceil((ROWS + 8 * WIDEST) / PAGE) * PAGE;

// The order in which kernel.wat comes upon the halves of a block: number k of a block, over 16^j.
const ORDER = Array.from({ length: BLOCK }, (_, i) => {
  const [lane, half] = [i % 4, i >> 2];
  return { from: 4 * lane + (half >> 1) + 16 * (half % 2), factor: half < 7 ? 16 ** -half : 1 };
});
const FROM = ORDER.map(({ from }) => from);
const FACTOR = ORDER.map(({ factor }) => factor);

/** A 16-bit floating-point number from its bits (IEEE 754). @param {number} bits */
export function half(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

/**
 * Room for a file of so many bytes, which the caller fills, and the products with the weights in it. Without `simd`, or
 * in a browser without it, in plain JavaScript, some ten times slower.
 * @param {number} size
 * @returns {Kernel}
 */
export function reserve(size, { simd = true } = {}) {
  const products = simd ? instance(size) : null;
  const halves = Float32Array.from({ length: 65536 }, (_, bits) => half(bits));
  let file;
  try {
    file = products ? new Uint8Array(products.memory.buffer, FILE, size) : new Uint8Array(size);
  } catch {
    throw noRoom(size);
  }
  const row = (/** @type {Weights} */ weights, /** @type {number} */ index) =>
    unpack(file, halves, weights, index, new Float32Array(weights.nInputs));
  if (!products) return { simd: false, file, row, multiply: plainly(file, halves) };
  new Float32Array(products.memory.buffer, TABLE, 65536).set(halves);
  return { simd: true, file, row, multiply: quickly(products) };
}

/** @param {number} size */
const noRoom = (size) =>
  new Error(`There is no room for the model: it needs ${Math.ceil(size / 1e6)} MB of this browser’s memory.`);

/** Null if this browser has no WebAssembly, or none with SIMD, or the page may not use it. @param {number} size @returns {Products | null} */
function instance(size) {
  let module;
  try {
    module = new WebAssembly.Module(Uint8Array.from(atob(KERNEL), (byte) => byte.charCodeAt(0)));
  } catch {
    return null;
  }
  let memory;
  try {
    const initial = Math.ceil((FILE + size) / PAGE);
    memory = new WebAssembly.Memory({ initial, maximum: initial });
  } catch {
    throw noRoom(size);
  }
  const { exports } = new WebAssembly.Instance(module, { engine: { memory } });
  return /** @type {Products} */ ({ ...exports, memory });
}

/** @param {Products} products @returns {Kernel["multiply"]} */
function quickly({ memory, vector4, vector8, unpack4, unpack8, tile }) {
  const x = new Float32Array(memory.buffer, X, ROOM);
  const y = new Float32Array(memory.buffer, Y, ROOM);
  const sums = new Float32Array(memory.buffer, SUMS, WIDEST / BLOCK);

  /** @type {(weights: Weights, column: Float32Array) => void} */
  function vector({ kind, offset, nInputs, nOutputs }, column) {
    const blocks = nInputs / BLOCK;
    if (kind === Q8_0) {
      x.set(column);
      vector8(FILE + offset, X, Y, nOutputs, blocks);
      return;
    }
    for (let block = 0; block < blocks; block++) {
      const start = block * BLOCK;
      let sum = 0;
      for (let i = 0; i < BLOCK; i++) {
        sum += column[start + i];
        x[start + i] = column[start + FROM[i]] * FACTOR[i];
      }
      sums[block] = sum;
    }
    vector4(FILE + offset, X, SUMS, Y, nOutputs, blocks);
  }

  /** @type {(weights: Weights, columns: Float32Array, nColumns: number) => void} */
  function batch({ kind, offset, nInputs, nOutputs }, columns, nColumns) {
    const [blocks, fours] = [nInputs / BLOCK, Math.ceil(nColumns / 4)];
    const bytes = blocks * KINDS[kind].bytes;
    const unpackRow = kind === Q4_1 ? unpack4 : unpack8;
    x.set(columns); // columns to fill the last four are what was there before, and come out unread
    for (let row = 0; row < nOutputs; row += 2) {
      unpackRow(FILE + offset + row * bytes, ROWS, blocks);
      unpackRow(FILE + offset + (row + 1) * bytes, ROWS + 4 * nInputs, blocks);
      tile(ROWS, X, Y + 4 * row, 4 * nInputs, 4 * nOutputs, fours);
    }
  }

  return (weights, columns, nColumns) => {
    const { nInputs, nOutputs } = weights;
    if (nInputs > WIDEST || nOutputs > ROOM || nOutputs % 2)
      throw new Error(`The model has a weight of ${nOutputs} × ${nInputs} numbers, for which this page has no room.`);
    const out = new Float32Array(nColumns * nOutputs);
    const most = Math.floor(ROOM / Math.max(nInputs, nOutputs) / 4) * 4; // columns at once
    for (let first = 0; first < nColumns; ) {
      const n = Math.min(Math.max(most, 1), nColumns - first);
      const part = columns.subarray(first * nInputs, (first + n) * nInputs);
      if (n === 1) vector(weights, part);
      else batch(weights, part, n);
      out.set(y.subarray(0, n * nOutputs), first * nOutputs);
      first += n;
    }
    return out;
  };
}

/** @param {Uint8Array} file @param {Float32Array} halves @returns {Kernel["multiply"]} */
function plainly(file, halves) {
  return (weights, columns, nColumns) => {
    const { nInputs, nOutputs } = weights;
    const out = new Float32Array(nColumns * nOutputs);
    const row = new Float32Array(nInputs);
    for (let index = 0; index < nOutputs; index++) {
      unpack(file, halves, weights, index, row);
      for (let column = 0; column < nColumns; column++) {
        const start = column * nInputs;
        let sum = 0;
        for (let i = 0; i < nInputs; i++) sum += row[i] * columns[start + i];
        out[column * nOutputs + index] = sum;
      }
    }
    return out;
  };
}

/**
 * Row `index` of the weights, as numbers, into `out`, which is returned.
 * @param {Uint8Array} file @param {Float32Array} halves @param {Weights} weights @param {number} index
 * @param {Float32Array} out
 */
function unpack(file, halves, { kind, offset, nInputs }, index, out) {
  const { bytes } = KINDS[kind];
  let at = offset + index * (nInputs / BLOCK) * bytes;
  for (let start = 0; start < nInputs; start += BLOCK, at += bytes) {
    const scale = halves[file[at] | (file[at + 1] << 8)];
    if (kind === Q8_0) {
      for (let i = 0; i < BLOCK; i++) out[start + i] = scale * ((file[at + 2 + i] << 24) >> 24);
      continue;
    }
    const smallest = halves[file[at + 2] | (file[at + 3] << 8)];
    for (let i = 0; i < BLOCK / 2; i++) {
      const byte = file[at + 4 + i];
      out[start + i] = scale * (byte & 15) + smallest;
      out[start + BLOCK / 2 + i] = scale * (byte >> 4) + smallest;
    }
  }
  return out;
}
