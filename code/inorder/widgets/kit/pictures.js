// Marks as `inorder.widgets.marks` makes them, for figures whose pictures the page itself computes.

/** @typedef {import("../interact/states.js").Actor} Actor */

/** @type {(numbers: ArrayLike<number>) => { shape: number[], values: Numbers }} */
export const vector = (numbers) => ({ shape: [numbers.length], values: Float64Array.from(numbers) });

/** @type {(rows: Matrix) => { shape: number[], values: Numbers }} */
export const matrix = (rows) => ({
  shape: [rows.length, rows[0]?.length ?? 0],
  values: Float64Array.from(rows.flat()),
});

/** @type {(rows: Matrix) => { shape: number[], values: Numbers }} of (n, 2), also where n is 0 */
const pairs = (rows) => ({ ...matrix(rows), shape: [rows.length, 2] });

/** @type {(series: Record<string, number[]>, labels: string[], more: object) => object} */
export const bars = (series, labels, more) => ({
  kind: "bars",
  title: "",
  values: matrix(Object.values(series)),
  series: Object.keys(series),
  labels,
  columns: {},
  column_names: [],
  axis: "",
  label_axis: "",
  reference: null,
  actor: "ink",
  digits: 2,
  drag: [],
  ...more,
});

// Words on a line. `order`: the word at each place, of those in the first order.
/** @type {(words: string[], more: { order?: number[], notes?: string[], weights?: Record<string, Matrix>, [name: string]: unknown }) => object} */
export function sentence(words, { order = [...words.keys()], notes = words.map(() => ""), weights = {}, ...more }) {
  const places = order.map((_, word) => order.indexOf(word));
  const rounds = Object.keys(weights);
  return {
    kind: "sentence",
    title: "",
    labels: places.map((at) => words[at]),
    places: vector(places),
    weights: {
      shape: [rounds.length, words.length, words.length],
      values: Float64Array.from(
        rounds.flatMap((name) => places.flatMap((row) => places.map((col) => weights[name][row][col]))),
      ),
    },
    rounds,
    asks: null,
    small: [],
    notes: places.map((at) => notes[at]),
    heads: false,
    limits: [0, 1],
    digits: 2,
    drag: [],
    tap: [],
    spoken: "",
    ...more,
  };
}

/** @type {(words: string[], weights: number[], more: object) => object} */
export const ink = (words, weights, more) => ({
  kind: "ink",
  title: "",
  labels: words,
  weights: vector(weights),
  asks: null,
  target: null,
  absent: [],
  notes: words.map(() => ""),
  actor: "ink",
  digits: 2,
  drag: [],
  ...more,
});

/** @type {(upper: string[], lower: string[], order: number[], more: { above: Matrix, below: Matrix, kept: boolean[], limits: number[], notes?: string[], drag?: string[] }) => object} */
export const crossing = (upper, lower, order, { above, below, ...more }) => ({
  kind: "crossing",
  title: "",
  upper,
  lower,
  order: vector(order),
  above: matrix(above),
  below: matrix(below),
  notes: lower.map(() => ""),
  drag: [],
  ...more,
});

// Points, arrows or threads of a plane; `tails` and `shares` where they have them.
/** @type {(kind: "points" | "arrows" | "threads", xy: Matrix, more: { labels?: string[], tails?: Matrix, shares?: number[], actor?: Actor, drag?: string[] }) => object} */
export const places = (kind, xy, { tails, shares, ...more }) => ({
  kind,
  xy: pairs(xy),
  ...(tails && { tails: pairs(tails) }),
  ...(shares && { shares: vector(shares) }),
  labels: [],
  actor: "ink",
  drag: [],
  ...more,
});

// A plane of such places, one unit as long across as up.
/** @type {(layers: object[], limits: [number, number]) => object} */
export const square = (layers, limits) => ({
  ...plane([], { x_axis: "", y_axis: "", x_limits: limits, y_limits: limits, equal: true }),
  layers,
});

// A plane with curves. Each of `curves` is { x, y: { name: numbers } } and what else `lines` takes.
/** @type {(curves: { x: number[], y: Record<string, number[]>, bands?: Record<string, number[][]>, levels?: Record<string, number>, handle?: number, drag?: string[] }[], more: object) => object} */
export const plane = (curves, more) => ({
  kind: "plane",
  title: "",
  layers: curves.map(({ x, y, bands, levels = {}, handle, drag = [] }) => ({
    kind: "lines",
    x: vector(x),
    y: { shape: [Object.keys(y).length, x.length], values: matrix(Object.values(y)).values },
    labels: Object.keys(y),
    actors: Object.keys(y).map(() => /** @type {Actor} */ ("ink")),
    bands: {
      shape: [bands ? Object.keys(y).length : 0, 2, x.length],
      values: Float64Array.from(
        bands ? Object.keys(y).flatMap((name) => (bands[name] ?? [y[name], y[name]]).flat()) : [],
      ),
    },
    levels: vector(Object.values(levels)),
    level_names: Object.keys(levels),
    handle: vector(handle === undefined ? [] : [handle]),
    drag,
  })),
  log: "",
  equal: false,
  bare: false,
  ...more,
});

/** @type {(values: Matrix, rows: string[], more: object) => object} */
export const heatMap = (values, rows, more) => ({
  kind: "heat_map",
  title: "",
  values: matrix(values),
  rows,
  columns: [],
  part: null,
  drag: [],
  row_axis: "",
  column_axis: "",
  row_actor: "ink",
  column_actor: "ink",
  digits: 2,
  ...more,
});

// Faces with one hand each.
/** @type {(angles: ArrayLike<number>, more: object) => object} */
export const clocks = (angles, more) => ({
  kind: "clocks",
  title: "",
  hands: [{ name: "", actor: "position", angles: vector(angles), lengths: null, place: null }],
  labels: [],
  notes: [],
  wheels: [],
  wheel: "0123456789",
  wedge: false,
  halves: false,
  text: [],
  drag: [],
  ...more,
});

// What a handle sets, and the states between which it goes.
/** @type {(name: string, keys: number[], label?: string) => import("../interact/live.js").Control} */
export const axis = (name, keys, label = name) => ({
  name,
  label,
  kind: "slider",
  keys,
  texts: keys.map(String),
  ends: ["", ""],
  by_hand: true,
});

// A curve of a plane that shades it between two places; its line itself is at `out`.
/** @type {(x: number[], limits: [low: number, high: number], out?: number) => Parameters<typeof plane>[0][number]} */
export const shade = (x, [low, high], out = low) => ({
  x,
  y: { "": [out, out] },
  bands: {
    "": [
      [low, low],
      [high, high],
    ],
  },
});
