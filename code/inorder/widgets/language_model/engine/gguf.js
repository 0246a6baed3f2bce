// Reads a GGUF file: what its header says, and where its tensors lie. Nothing of the weights is copied.
//
// The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. All numbers are little-endian. The header is
// "GGUF", a version, two counts, the metadata (name, type, value), the tensors (name, axes, kind, offset); the weights
// follow, each tensor at a multiple of `general.alignment`.

export const F32 = 0;
export const Q4_1 = 3;
export const Q8_0 = 8;
/** How the kinds of weights that the engine can read lie in the file. @type {Record<number, { block: number, bytes: number }>} */
export const KINDS = {
  [F32]: { block: 1, bytes: 4 },
  [Q4_1]: { block: 32, bytes: 20 },
  [Q8_0]: { block: 32, bytes: 34 },
};
const NAMES = ["F32", "F16", "Q4_0", "Q4_1", "", "", "Q5_0", "Q5_1", "Q8_0", "Q8_1"];
NAMES.push("Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "Q8_K");

const ALTERED = "so it was altered, or it is broken";
const DEEPEST = 4; // axes of a tensor, arrays in arrays

/**
 * @param {Uint8Array<ArrayBuffer>} file
 * @returns {Gguf}
 */
export function readGguf(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let at = 0;

  const step = (/** @type {number} */ bytes) => {
    if (bytes > file.length - at)
      throw new Error(`The model’s file ends within its header, at byte ${file.length}: it is truncated or altered.`);
    at += bytes;
    return at - bytes;
  };
  const count = () => Number(view.getBigUint64(step(8), true)); // beyond 2^53 rounded, and too large for any file
  const whole = (/** @type {bigint} */ value) => (BigInt(Number(value)) === value ? Number(value) : value);
  const string = () => {
    const length = count();
    const start = step(length);
    try {
      return text.decode(file.subarray(start, start + length));
    } catch {
      throw new Error(`The text at byte ${start} of the model’s file is not UTF-8, ${ALTERED}.`);
    }
  };
  const bool = () => {
    const byte = view.getUint8(step(1));
    if (byte > 1) throw new Error(`Byte ${at - 1} of the model’s file should be 0 or 1 and is ${byte}, ${ALTERED}.`);
    return byte === 1;
  };
  /** By the number of the type. @type {((depth: number) => GgufValue)[]} */
  const values = [
    () => view.getUint8(step(1)),
    () => view.getInt8(step(1)),
    () => view.getUint16(step(2), true),
    () => view.getInt16(step(2), true),
    () => view.getUint32(step(4), true),
    () => view.getInt32(step(4), true),
    () => view.getFloat32(step(4), true),
    bool,
    string,
    array,
    () => whole(view.getBigUint64(step(8), true)),
    () => whole(view.getBigInt64(step(8), true)),
    () => view.getFloat64(step(8), true),
  ];
  /** @param {number} type @param {number} depth */
  function value(type, depth) {
    if (type >= values.length || depth > DEEPEST)
      throw new Error(`Before byte ${at} the model’s file has a value of unknown type ${type}, ${ALTERED}.`);
    return values[type](depth);
  }
  /** @param {number} depth */
  function array(depth) {
    const [type, length] = [view.getUint32(step(4), true), count()];
    step(length); // each value has a byte or more: no room is made for more than the file holds
    at -= length;
    const entries = [];
    for (let i = 0; i < length; i++) entries.push(value(type, depth + 1));
    return entries;
  }

  const magic = String.fromCharCode(...file.subarray(0, 4));
  if (file.length < 4 || magic !== "GGUF")
    throw new Error(`This is not a GGUF file: it begins with ${JSON.stringify(magic)}, not with "GGUF".`);
  step(4);
  const version = view.getUint32(step(4), true);
  if (version !== 2 && version !== 3)
    throw new Error(`The model’s file is version ${version} of GGUF. Versions 2 and 3 can be read.`);
  const [nTensors, nValues] = [count(), count()];

  /** @type {Gguf["metadata"]} */
  const metadata = new Map();
  for (let i = 0; i < nValues; i++) {
    const name = string();
    metadata.set(name, value(view.getUint32(step(4), true), 0));
  }
  /** @type {Gguf["tensors"]} */
  const tensors = new Map();
  for (let i = 0; i < nTensors; i++) {
    const name = string();
    const nAxes = view.getUint32(step(4), true);
    if (nAxes > DEEPEST) throw new Error(`The tensor ${name} has ${nAxes} axes in the model’s file, ${ALTERED}.`);
    const shape = Array.from({ length: nAxes }, count);
    const kind = view.getUint32(step(4), true);
    tensors.set(name, { name, kind, shape, offset: count() });
  }
  const alignment = Number(metadata.get("general.alignment") ?? 32);
  if (!(alignment > 0 && alignment % 8 === 0))
    throw new Error(`The tensors of the model’s file are aligned to ${alignment} bytes, ${ALTERED}.`);
  const start = Math.ceil(at / alignment) * alignment;
  for (const tensor of tensors.values()) {
    tensor.offset += start;
    const end = tensor.offset + tensorBytes(tensor);
    if (tensor.offset % alignment !== 0)
      throw new Error(`The tensor ${tensor.name} lies at byte ${tensor.offset} of the model’s file, ${ALTERED}.`);
    if (end > file.length)
      throw new Error(
        `The model’s file has ${file.length} bytes, but the tensor ${tensor.name} reaches to byte ${end}: ` +
          "the file is truncated or altered.",
      );
  }
  return { metadata, tensors };
}

/** @param {Tensor} tensor */
function tensorBytes({ name, kind, shape }) {
  if (!(kind in KINDS)) {
    const known = Object.keys(KINDS).map((each) => NAMES[Number(each)]);
    throw new Error(
      `The tensor ${name} is stored as ${NAMES[kind] || `type ${kind}`}. This page can read ${known.join(", ")}.`,
    );
  }
  const { block, bytes } = KINDS[kind];
  const size = shape.reduce((product, length) => product * length, 1);
  if (size === 0 || (shape[0] ?? 1) % block !== 0)
    throw new Error(`The tensor ${name} has the shape ${shape.join(" × ")}, which its kind cannot have, ${ALTERED}.`);
  return (size / block) * bytes;
}
