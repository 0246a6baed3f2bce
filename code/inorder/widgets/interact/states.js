// The states of a figure, as states.py packed them.

const ARRAYS = { float32: Float32Array, uint16: Uint16Array, uint8: Uint8Array };

// Which state of a control shows this setting: of a slider the nearest, for a linked widget may stand between two of
// them; −1 where there is none.
export function placeOf({ kind, keys }, setting) {
  const isBetween = typeof setting === "number" && keys[0] <= setting && setting <= keys.at(-1);
  if (kind !== "slider" || keys.includes(setting) || !isBetween) return keys.indexOf(setting);
  const distances = keys.map((key) => Math.abs(key - setting));
  return distances.indexOf(Math.min(...distances));
}

// One number of a state from the places of all controls, the last control running fastest.
export function stateNumber(controls, places) {
  return controls.reduce((number, { keys }, i) => number * keys.length + places[i], 0);
}

// stateOf(number) gives the tree of that state: its slots filled with words, or with arrays { shape, values }.
export function readStates({ tree, slots, numbers, nStates }) {
  const view = (Type, start, length) =>
    new Type(
      numbers.buffer.slice(numbers.byteOffset + start, numbers.byteOffset + start + length * Type.BYTES_PER_ELEMENT),
    ); // a copy, whose start is aligned

  const filled = slots.map((slot) => {
    const index = slot.index === undefined ? null : view(Uint16Array, slot.index, nStates);
    const table = slot.type === "words" ? slot.table : arraysOf(slot, index);
    return (number) => table[index ? index[number] : 0];
  });

  function arraysOf({ type, shapes, start, low, step }, index) {
    const count = index ? Math.max(...index) + 1 : 1;
    const shapeOf = (i) => (Array.isArray(shapes[0]) ? shapes[i] : shapes);
    const sizes = Array.from({ length: count }, (_, i) => shapeOf(i).reduce((product, n) => product * n, 1));
    const packed = view(
      ARRAYS[type],
      start,
      sizes.reduce((sum, size) => sum + size, 0),
    );
    const all = low === undefined ? packed : Float64Array.from(packed, (whole) => low + step * whole);
    let end = 0;
    return sizes.map((size, i) => {
      end += size;
      return { shape: shapeOf(i), values: all.subarray(end - size, end) };
    });
  }

  const fill = (part, number) => {
    if (Array.isArray(part)) return part.map((entry) => fill(entry, number));
    if (typeof part.slot === "number") return filled[part.slot](number);
    return Object.fromEntries(Object.entries(part).map(([name, entry]) => [name, fill(entry, number)]));
  };
  return (number) => fill(tree, number);
}
