// The states of a figure, as states.py packed them.

/**
 * @typedef {string | number | boolean} Key
 * @typedef {{ name: string, label: string, kind: string, keys: Key[], texts: string[], ends: [string, string], by_hand: boolean,
 *   typed?: boolean }} Control
 * @typedef {ArrayOf | string[]} Column numbers, or words
 *
 * @typedef {{ type: "words", table: unknown[], index?: number | "own" }} Words
 * @typedef {{ type: keyof typeof ARRAYS, shapes: number[] | number[][], start: number, low?: number, step: number,
 *   index?: number | "own" }} PackedArrays
 * @typedef {object} Tree of lists and objects, with { slot: number } at the leaves
 *
 * @typedef {{ kind: "lines", x: ArrayOf, y: ArrayOf, labels: string[], actors: Actor[], bands: ArrayOf, levels: ArrayOf,
 *   level_names: string[], handle: ArrayOf, drag: string[] }} Lines
 * @typedef {{ kind: "points" | "arrows" | "threads", xy: ArrayOf, tails: ArrayOf | null, shares?: ArrayOf, labels: string[],
 *   actor: Actor, drag: string[] }} Places
 * @typedef {{ kind: string, title: string, across?: boolean, values: ArrayOf, limits: [number, number],
 *   digits: number }} Panel across: as wide as the figure, above the other panels
 * @typedef {Panel & { labels: string[], series: string[], columns: Record<string, Column>, actor: Actor, axis: string,
 *   label_axis: string, reference: number | null, column_names: string[] }} BarsPanel
 * @typedef {Panel & { rows: string[], columns: Record<string, Column>, column_names: string[],
 *   column_digits: number[], cards: boolean }} TablePanel
 * @typedef {Panel & { rows: string[], columns: string[], row_actor: Actor, column_actor: Actor, row_axis: string,
 *   column_axis: string, part: [row: number, column: number, rows: number, columns: number] | null, drag: string[] }} HeatMapPanel
 * @typedef {Panel & { labels: string[], levels: string[], sources: string[], threads: ArrayOf | null, inked: boolean,
 *   drag: string[] }} StreamPanel
 * @typedef {Panel & { at: ArrayOf, counts: number[], kept: ArrayOf, names: string[], drag: string[] }} BlocksPanel
 * @typedef {Panel & { layers: (Lines | Places)[], x_limits: [number, number], y_limits: [number, number],
 *   x_axis: string, y_axis: string, log: string, equal: boolean, bare: boolean }} PlanePanel
 * @typedef {Panel & { labels: string[], places: ArrayOf, weights: ArrayOf, rounds: string[], asks: number | null,
 *   notes: string[], small: number[], heads: boolean, spoken: string, drag: string[] }} SentencePanel
 * @typedef {Panel & { labels: string[], rows: ArrayOf, chosen: ArrayOf, matrices: ArrayOf, made: ArrayOf, landed: ArrayOf,
 *   row_axes: string[], axes: string[], drag: string[] }} ProjectionsPanel
 * @typedef {Panel & { labels: string[], weights: ArrayOf, asks: number | null, target: number | null, absent: number[],
 *   notes: string[], actor: Actor, drag: string[] }} InkPanel
 * @typedef {Panel & { upper: string[], lower: string[], order: ArrayOf, above: ArrayOf, below: ArrayOf, kept: boolean[],
 *   notes: string[], drag: string[] }} CrossingPanel
 * @typedef {Panel & { labels: string[], held: number, first: number, drag: string[] }} CakesPanel
 * @typedef {Panel & { labels: string[], order: ArrayOf, left: ArrayOf, right: ArrayOf, drag: string[] }} MirrorPanel
 * @typedef {Panel & { lines: string[], labels: string[], threads: ArrayOf, lit: number, row: number, adds: number[],
 *   drag: string[] }} ProgramPanel
 * @typedef {Panel & { labels: string[], places: ArrayOf, details: string[], round: boolean[], ways: [number, number][],
 *   doors: string[], door_places: ArrayOf, leads: number[][], opened: string, box_depths: number[], way_depths: number[],
 *   drag: string[] }} DiagramPanel
 * @typedef {{ kind: "lines" | "points" | "arrows", xyz: ArrayOf, tails: ArrayOf | null, labels: string[], actor: Actor,
 *   drag: string[] }} InSpace
 * @typedef {Panel & { layers: InSpace[], view: ArrayOf, turn: string[], heights: string,
 *   sphere: [x: number, y: number, z: number, radius: number] }} SpacePanel
 * @typedef {{ name: string, actor: Actor, angles: ArrayOf, lengths: ArrayOf | null, place: ArrayOf | null }} ClockHand
 * @typedef {Panel & { hands: ClockHand[], labels: string[], notes: string[], wheels: { name: string, counts: ArrayOf }[],
 *   wheel: string, wedge: boolean, halves: boolean, text: string[], drag: string[] }} ClocksPanel
 * @typedef {BarsPanel & TablePanel & HeatMapPanel & PlanePanel & SentencePanel & StreamPanel &
 *   BlocksPanel & ClocksPanel & CrossingPanel & CakesPanel & DiagramPanel & InkPanel & MirrorPanel &
 *   ProgramPanel & ProjectionsPanel} FlatPanel
 * @typedef {FlatPanel & SpacePanel} AnyPanel that of one kind
 * @typedef {{ panels: AnyPanel[], answer: { words: string, sign: Sign } | null }} Picture
 */

const ARRAYS = { float64: Float64Array, float32: Float32Array, uint16: Uint16Array, uint8: Uint8Array };

// Which state of a control shows this setting: of a slider the nearest, for a linked widget may stand between two of
// them; −1 where there is none.
/** @type {(control: Control, setting: unknown) => number} */
export function placeOf({ kind, keys }, setting) {
  const isBetween =
    typeof setting === "number" && Number(keys[0]) <= setting && setting <= Number(keys[keys.length - 1]);
  if (kind !== "slider" || keys.includes(/** @type {Key} */ (setting)) || !isBetween)
    return keys.indexOf(/** @type {Key} */ (setting));
  const distances = keys.map((key) => Math.abs(Number(key) - setting));
  return distances.indexOf(Math.min(...distances));
}

// One number of a state from the places of all controls, the last control running fastest.
/** @type {(controls: Control[], places: number[]) => number} */
export function stateNumber(controls, places) {
  return controls.reduce((number, { keys }, i) => number * keys.length + places[i], 0);
}

/** @type {(part: object) => part is { slot: number }} */
const isSlot = (part) => typeof Reflect.get(part, "slot") === "number";

// stateOf(number) gives the tree of that state: its slots filled with words, or with arrays { shape, values }.
/**
 * @type {(packed: { tree: Tree, slots: (Words | PackedArrays)[], numbers: DataView, nStates: number }) =>
 *   (number: number) => Picture}
 */
export function readStates({ tree, slots, numbers, nStates }) {
  /** @type {<Part>(Type: { new (buffer: ArrayBuffer): Part, BYTES_PER_ELEMENT: number }, start: number, length: number) => Part} */
  const view = (Type, start, length) =>
    new Type(
      /** @type {ArrayBuffer} */ (numbers.buffer).slice(
        numbers.byteOffset + start,
        numbers.byteOffset + start + length * Type.BYTES_PER_ELEMENT,
      ),
    ); // a copy, whose start is aligned

  const filled = slots.map((slot) => {
    const index = typeof slot.index === "number" ? view(Uint16Array, slot.index, nStates) : null;
    const count = index ? Math.max(...index) + 1 : slot.index ? nStates : 1;
    const table = slot.type === "words" ? slot.table : arraysOf(slot, count);
    return (/** @type {number} */ number) => table[index?.[number] ?? Math.min(number, count - 1)];
  });

  /** @type {(packed: PackedArrays, count: number) => ArrayOf[]} */
  function arraysOf({ type, shapes, start, low, step }, count) {
    const shapeOf = (/** @type {number} */ i) =>
      /** @type {number[]} */ (Array.isArray(shapes[0]) ? shapes[i] : shapes);
    const sizes = Array.from({ length: count }, (_, i) => shapeOf(i).reduce((product, n) => product * n, 1));
    const packed = view(
      /** @type {{ new (buffer: ArrayBuffer): Float64Array | Float32Array | Uint16Array | Uint8Array, BYTES_PER_ELEMENT: number }} */ (
        ARRAYS[type]
      ),
      start,
      sizes.reduce((sum, size) => sum + size, 0),
    );
    const all =
      low === undefined && packed instanceof Float32Array
        ? packed
        : Float64Array.from(packed, (whole) => (low ?? 0) + (low === undefined ? 1 : step) * whole);
    let end = 0;
    return sizes.map((size, i) => {
      end += size;
      return { shape: shapeOf(i), values: all.subarray(end - size, end) };
    });
  }

  // What all states share is made once; of the other parts this names the entries that change.
  /** @type {Map<unknown, string[]>} */
  const changing = new Map();
  /** @type {(part: any) => any} */
  function share(part) {
    if (isSlot(part)) {
      if (slots[part.slot].index === undefined) return filled[part.slot](0);
      changing.set(part, []);
      return part;
    }
    const shared = change(part, Object.keys(part), share);
    const names = Object.keys(part).filter((name) => changing.has(shared[name]));
    if (names.length) changing.set(shared, names);
    return shared;
  }
  /** @type {(part: any, names: string[], next: (entry: any) => any) => any} */
  function change(part, names, next) {
    const copy = Array.isArray(part) ? [...part] : { ...part };
    for (const name of names) copy[name] = next(copy[name]);
    return copy;
  }
  const shared = share(tree);
  return (number) => {
    /** @type {(part: any) => any} */
    const fill = (part) => (isSlot(part) ? filled[part.slot](number) : change(part, changing.get(part) ?? [], fill));
    return fill(shared);
  };
}
