// Marks as `inorder.widgets.marks` makes them, for figures whose pictures the page itself computes.

/** @type {(numbers: ArrayLike<number>) => ArrayOf} */
export const vector = (numbers) => ({ shape: [numbers.length], values: Float64Array.from(numbers) });

/** @type {(rows: Matrix) => ArrayOf} */
export const matrix = (rows) => ({
  shape: [rows.length, rows[0]?.length ?? 0],
  values: Float64Array.from(rows.flat()),
});

/** @type {(rows: Matrix) => ArrayOf} of (n, 2), also where n is 0 */
const pairs = (rows) => ({ ...matrix(rows), shape: [rows.length, 2] });

const BARS = { columns: {}, column_names: [], axis: "", label_axis: "", reference: null, actor: "ink", digits: 2 };
const CLOCKS = {
  labels: [],
  notes: [],
  wheels: [],
  wheel: "0123456789",
  wedge: false,
  halves: false,
  text: [],
  drag: [],
};
const MAP = {
  columns: [],
  part: null,
  row_axis: "",
  column_axis: "",
  row_actor: "ink",
  column_actor: "ink",
  digits: 2,
  drag: [],
};

// What is as Python has it where nothing else is given, then what is given.
/** @type {(kind: string, ...parts: object[]) => object} */
const mark = (kind, ...parts) => Object.assign({ kind, title: "" }, ...parts);

/** @type {(series: Record<string, number[]>, labels: string[], more: object) => object} */
export const bars = (series, labels, more) =>
  mark("bars", BARS, { values: matrix(Object.values(series)), series: Object.keys(series), labels }, more);

/** @type {(words: string[], weights: number[], more: object) => object} */
export function ink(words, weights, more) {
  const usual = {
    across: true,
    asks: null,
    target: null,
    absent: [],
    notes: words.map(() => ""),
    actor: "ink",
    drag: [],
  };
  return mark("ink", usual, { labels: words, weights: vector(weights) }, more);
}

/** @type {(upper: string[], lower: string[], order: number[], more: { above: Matrix, below: Matrix, kept: boolean[], limits: number[], notes?: string[], drag?: string[] }) => object} */
export function crossing(upper, lower, order, { above, below, ...more }) {
  const rows = { above: matrix(above), below: matrix(below) };
  return mark(
    "crossing",
    { across: true, notes: lower.map(() => ""), drag: [] },
    { upper, lower, order: vector(order), ...rows },
    more,
  );
}

/** @type {(values: Matrix, rows: string[], more: object) => object} */
export const heatMap = (values, rows, more) => mark("heat_map", MAP, { values: matrix(values), rows }, more);

// Faces with one hand each.
/** @type {(angles: ArrayLike<number>, more: object) => object} */
export function clocks(angles, more) {
  const hand = { name: "", actor: "position", angles: vector(angles), lengths: null, place: null };
  return mark("clocks", CLOCKS, { hands: [hand] }, more);
}

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

/** @type {(layers: object[], more: object) => object} */
const planeOf = (layers, more) => mark("plane", { layers, log: "", equal: false, bare: false }, more);

// A plane of such places, one unit as long across as up.
/** @type {(layers: object[], limits: [number, number]) => object} */
export const square = (layers, limits) =>
  planeOf(layers, { x_axis: "", y_axis: "", x_limits: limits, y_limits: limits, equal: true });

/** @typedef {{ x: number[], y: Record<string, number[]>, bands?: Record<string, number[][]>, levels?: Record<string, number>, handle?: number, drag?: string[] }} Curves */

// A plane with curves, each with what `lines` takes.
/** @type {(curves: Curves[], more: object) => object} */
export const plane = (curves, more) => planeOf(curves.map(linesOf), more);

/** @type {(curves: Curves) => object} */
function linesOf({ x, y, bands, levels = {}, handle, drag = [] }) {
  const names = Object.keys(y);
  const shaded = bands ? names : [];
  return {
    kind: "lines",
    x: vector(x),
    y: { shape: [names.length, x.length], values: matrix(Object.values(y)).values },
    labels: names,
    actors: names.map(() => "ink"),
    bands: {
      shape: [shaded.length, 2, x.length],
      values: Float64Array.from(shaded.flatMap((name) => (bands?.[name] ?? [y[name], y[name]]).flat())),
    },
    levels: vector(Object.values(levels)),
    level_names: Object.keys(levels),
    handle: vector(handle === undefined ? [] : [handle]),
    drag,
  };
}

// A curve of a plane that shades it between two places; its line itself is at `out`.
/** @type {(x: number[], limits: [low: number, high: number], out?: number) => Curves} */
export function shade(x, [low, high], out = low) {
  const [least, most] = [low, high].map((end) => [end, end]);
  return { x, y: { "": [out, out] }, bands: { "": [least, most] } };
}

// What a handle sets, and the states between which it goes.
/** @type {(name: string, keys: number[], label?: string) => Control} */
export const axis = (name, keys, label = name) => ({
  name,
  label,
  kind: "slider",
  keys,
  texts: keys.map(String),
  ends: ["", ""],
  by_hand: true,
});
