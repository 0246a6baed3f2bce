// The outputs of a layer on every change of the text, as runs.py packed them.

/**
 * @typedef {OrderAuditState} State
 * @typedef {{ name: string, laws: string, why: string, verdict: string, errors: number[] }} Facts
 * @typedef {Facts & { codes: DataView, places: number, low: number, step: number, nWords: number, dOutput: number }} Packed
 * @typedef {{ layers: Packed[], places: DataView[], words: string[], others: string[], zeros: [number, number] }} Data
 * @typedef {Facts & { row: (number: number) => number[], placesOf: (change: number) => number[] }} Layer
 */

/** @type {(view: DataView) => Uint16Array} */
const shorts = (view) => new Uint16Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));

// { name: { laws, why, verdict, errors, placesOf(change), row(number) } }
/** @type {(data: Data) => Record<string, Layer>} */
export function unpack({ layers, places: patterns }) {
  /** @type {(packed: Packed) => Layer} */
  const unpackOne = ({ codes, places, low, step, nWords, dOutput, ...facts }) => {
    const numbers = shorts(codes);
    const row = (/** @type {number} */ number) =>
      Array.from({ length: dOutput }, (_, column) => low + step * numbers[number * dOutput + column]);
    const standing = shorts(patterns[places]); // which row stands where, (change, word)
    return { ...facts, row, placesOf: (change) => [...standing.subarray(change * nWords, (change + 1) * nWords)] };
  };
  return Object.fromEntries(layers.map((layer) => [layer.name, unpackOne(layer)]));
}

/** @type {(n: number) => number} */
const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));

// The number of an order among all, counted as Python's itertools.permutations does.
/** @type {(order: number[]) => number} */
function rankOf(order) {
  return order.reduce((rank, one, place) => {
    const smaller = order.slice(place + 1).filter((other) => other < one).length;
    return rank + smaller * factorial(order.length - 1 - place);
  }, 0);
}

// What the picture shows of a state. Lists by word have the words' order before the change.
/**
 * @type {(state: State, layer: Layer, data: Data, mostMoved: number) => { before: Matrix, after: Matrix,
 *   follows: boolean[], differences: number[], placeAfter: number[], asked: number, largest: number, kept: number,
 *   wordsAfter: string[], zeros: [number, number], moved: number, isSame: boolean }}
 */
export function calculate(state, layer, { others, zeros }, mostMoved) {
  const { question, words, order, moved } = state;
  const n = words.length;
  const all = factorial(n);
  const change = { order: rankOf(order), move: all + moved - 1, future: all + mostMoved + state.new_from - 2 }[
    question
  ];
  const placeAfter = words.map((_, word) => (question === "order" ? order.indexOf(word) : word));
  const [standing, now] = [layer.placesOf(0), layer.placesOf(change)];
  const before = standing.map(layer.row);
  const after = placeAfter.map((place) => layer.row(now[place])); // put back to where the words stood
  const follows = words.map((_, word) => now[placeAfter[word]] === standing[word]);
  const size = Math.max(...before.flat().map(Math.abs));
  const differences = before.map((row, word) =>
    follows[word] ? 0 : Math.max(...row.map((value, column) => Math.abs(value - after[word][column]))) / size,
  );
  const asked = question === "future" ? state.new_from : n;
  return {
    ...{
      before,
      after,
      follows,
      differences,
      placeAfter,
      asked,
      largest: Math.max(size, ...after.flat().map(Math.abs)),
    },
    kept: follows.slice(0, asked).filter(Boolean).length,
    wordsAfter: words.map((word, place) => (place < asked ? word : others[place])),
    zeros: question === "move" ? zeros : [0, 0], // before and after the text
    moved: question === "move" ? moved : 0,
    isSame: question === "order" && order.every((word, place) => word === place),
  };
}
