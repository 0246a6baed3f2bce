// Products with 4-bit and 8-bit weights as they lie in the file, by WebAssembly with SIMD.
//
// The WebAssembly is kernel.wat, compiled by `node tools/kernel.mjs` (wabt) into kernel_bytes.js. Its memory holds a table
// of the 16-bit numbers, room to work in, and the file. A vector meets the weights as they are; for more columns, two rows
// at a time are unpacked and then serve all columns.

import { BLOCK, BLOCK_BYTES, Q4_1, Q8_0 } from "./gguf.js";
import { KERNEL } from "./kernel_bytes.js";

const PAGE = 65536; // bytes, of WebAssembly's memory
const ROOM = 1 << 17; // numbers: for the columns that go into a product, and as many for those that come out
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

/** Room for a file of so many bytes, which the caller fills, and the products with the weights in it. @param {number} size @returns {Kernel} */
export function reserve(size) {
  const products = instance(size);
  const { buffer } = products.memory;
  const halves = new Float32Array(buffer, TABLE, 65536);
  for (let bits = 0; bits < halves.length; bits++) halves[bits] = half(bits);
  const file = new Uint8Array(buffer, FILE, size);
  return {
    file,
    row: (weights, index) => unpack(file, halves, weights, index),
    multiply: multiplier(products),
  };
}

/** @param {number} size @returns {Products} */
function instance(size) {
  let module;
  try {
    module = new WebAssembly.Module(Uint8Array.from(atob(KERNEL), (byte) => byte.charCodeAt(0)));
  } catch {
    throw new Error("This browser has no WebAssembly with SIMD here, which the model needs.");
  }
  let memory;
  try {
    const initial = Math.ceil((FILE + size) / PAGE);
    memory = new WebAssembly.Memory({ initial, maximum: initial });
  } catch {
    throw new Error(`There is no room for the model: it needs ${Math.ceil(size / 1e6)} MB of this browser’s memory.`);
  }
  const { exports } = new WebAssembly.Instance(module, { engine: { memory } });
  return /** @type {Products} */ ({ ...exports, memory });
}

/** @param {Products} products @returns {Kernel["multiply"]} */
function multiplier({ memory, vector4, vector8, unpack4, unpack8, tile }) {
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
    const bytes = blocks * BLOCK_BYTES[kind];
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

/** Row `index` of the weights, as numbers. @type {(file: Uint8Array, halves: Float32Array, weights: Weights, index: number) => Float32Array} */
function unpack(file, halves, { kind, offset, nInputs }, index) {
  const out = new Float32Array(nInputs);
  const bytes = BLOCK_BYTES[kind];
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
