// Reads a GGUF file: what its header says, and where its tensors lie. Nothing of the weights is copied.
//
// The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. All numbers are little-endian. The header is
// "GGUF", a version, two counts, the metadata (name, type, value), the tensors (name, axes, kind, offset); the weights
// follow, each tensor at a multiple of `general.alignment`.

export const F32 = 0;
export const Q4_1 = 3;
export const Q8_0 = 8;
export const BLOCK = 32; // weights
/** Bytes of a block. @type {Record<number, number>} */
export const BLOCK_BYTES = { [Q4_1]: 20, [Q8_0]: 34 };

/** @param {Uint8Array<ArrayBuffer>} file @returns {Gguf} */
export function readGguf(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const text = new TextDecoder("utf-8", { ignoreBOM: true });
  let at = 0;

  const step = (/** @type {number} */ bytes) => {
    at += bytes;
    return at - bytes;
  };
  const count = () => Number(view.getBigUint64(step(8), true));
  const string = () => {
    const length = count();
    return text.decode(file.subarray(step(length), at));
  };
  /** By the number of the type. @type {(() => GgufValue)[]} */
  const values = [
    () => view.getUint8(step(1)),
    () => view.getInt8(step(1)),
    () => view.getUint16(step(2), true),
    () => view.getInt16(step(2), true),
    () => view.getUint32(step(4), true),
    () => view.getInt32(step(4), true),
    () => view.getFloat32(step(4), true),
    () => view.getUint8(step(1)) === 1,
    string,
    () => {
      const [type, length] = [view.getUint32(step(4), true), count()];
      return Array.from({ length }, () => values[type]());
    },
    count,
    () => Number(view.getBigInt64(step(8), true)),
    () => view.getFloat64(step(8), true),
  ];

  const magic = String.fromCharCode(...file.subarray(0, 4));
  if (magic !== "GGUF")
    throw new Error(`The model’s file begins with ${JSON.stringify(magic)}, not with "GGUF": it is not a GGUF file.`);
  step(8);
  const [nTensors, nValues] = [count(), count()];
  /** @type {Gguf["metadata"]} */
  const metadata = new Map();
  for (let i = 0; i < nValues; i++) {
    const name = string();
    metadata.set(name, values[view.getUint32(step(4), true)]());
  }
  /** @type {Gguf["tensors"]} */
  const tensors = new Map();
  for (let i = 0; i < nTensors; i++) {
    const name = string();
    const shape = Array.from({ length: view.getUint32(step(4), true) }, count);
    const kind = view.getUint32(step(4), true);
    tensors.set(name, { name, kind, shape, offset: count() });
  }
  const alignment = Number(metadata.get("general.alignment") ?? 32);
  const start = Math.ceil(at / alignment) * alignment;
  for (const tensor of tensors.values()) tensor.offset += start;
  return { metadata, tensors };
}
