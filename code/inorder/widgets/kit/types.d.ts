// What the figures' JavaScript is checked against (tsc): names that every file of widgets/ knows. No page loads it.
// The states of the figures are in _build/states.d.ts, which tools/state_types.py writes from their Python.

type Matrix = number[][];
type Mask = boolean[][];
type Heads = Matrix[]; // (head, row, column)
type Numbers = Float64Array | Float32Array;

// A colour of the palette, as [red, green, blue].
type Channels = number[];
type Tint = { fill: string; ink: string };

type Box = { x: number; y: number; width: number; height: number };
type Point = { x: number; y: number };
type Cell = { row: number; column: number };
type View = { row: number; column: number; nRows: number; nColumns: number }; // a part of a matrix
type Shape = { nRows: number; nColumns: number };
// The colours of a heat map: 256 pixels, and that of a hatching line.
type ColourScale = { kind: string; smallest: number; largest: number; colours: Uint32Array; hatch: number };
type Table = Shape & { values: Numbers }; // row after row

// What a control takes for its ends.
type Ends = { low: number; high: number };

// --------------------------------------------------------------------------------------- a figure and its page

type Sign = "=" | "≠" | "✓" | "×" | "";

// A figure's traits, as anywidget hands them over.
interface FigureModel<State, Sent = unknown> {
  get<Name extends keyof Traits<State, Sent>>(name: Name): Traits<State, Sent>[Name];
  set<Name extends keyof Traits<State, Sent>>(name: Name, value: Traits<State, Sent>[Name]): void;
  save_changes(): void;
  send(content: unknown): void;
  on(event: string, callback: Listener): void;
  off(event: string, callback: Listener): void;
}
type Listener = (content?: Record<string, unknown> & { head?: string }, buffers?: DataView<ArrayBuffer>[]) => void; // of "msg:custom", and others

// A sentence that Python declares in `templates`, by the parts that it has room for.
type Sentence<Part extends string> = string & { part?: Part };

// A limit of one part of a state, as state.py declares it.
interface Limit {
  kind: string;
  low: number;
  high: number;
  step?: number; // whole numbers: only every step-th from low on
  below?: string; // the part of the state that the number stays below
  like?: string; // the part of the state that the list is as long as
  options: string[];
  fewest: number;
  most: number;
  shortest: number;
  longest: number;
  spaces: boolean;
  rows?: [number, number];
  columns?: [number, number];
}

// The traits that every figure has, its state and what else Python sends it.
type Traits<State, Sent = unknown> = State &
  Sent & {
    title: string;
    name: string;
    limits: Record<keyof State & string, Limit>;
    initial_state: State;
  };

// The page of the book; none in a notebook.
interface Page {
  initialState?: unknown; // what the address says
  link?(state: object): string; // none in a file that somebody saved
  file?(state: object): Promise<string>; // the figure as a page of its own; not where nothing may be read, as from a disk
}

// What a figure's `render` is called with.
interface Context<State, Sent = unknown> {
  model: FigureModel<State, Sent>;
  el: Element;
  page?: Page;
}

// What `figureShell` returns.
type Shell<State, Sent = unknown> = ReturnType<typeof import("./shell.js").figureShell<State, Sent>>;

// ------------------------------------------------------------------------------------------- marks of `interact`

type Key = import("../interact/states.js").Key;
type Control = import("../interact/states.js").Control;
type AnyPanel = import("../interact/states.js").AnyPanel;
type Picture = import("../interact/states.js").Picture;
type Hand = import("../interact/handles.js").Hand;
type Grip = import("../interact/handles.js").Grip;
type ArrayOf = { shape: number[]; values: Numbers };
type Actor = "query" | "key" | "value" | "position" | "ink";
type Size = { width: number; height: number; unit: number }; // in units of so many pixels
type Spot = [x: number, y: number];

// Draws a panel on its way to the goal, whose numbers it carries as data.
type MarkOf<Panel = AnyPanel> = {
  root: HTMLElement | SVGElement;
  update: (panel: Panel, size: Size, dark: boolean, goal: Panel) => void;
};
type MakeMark<Panel = AnyPanel> = (place: number, hand: Hand) => MarkOf<Panel>;

// ------------------------------------------------------------------------------- a transformer, as model_state.py has it

// A position scheme: its name and its settings, in Python's names; a scheme has those of its kind.
interface Scheme {
  name: string; // "python": the browser does not have it, and its settings are not here
  layout: "interleaved" | "halves";
  pairing: "interleaved" | "halves";
  base: number;
  concatenate: number;
  length: number;
  n_bits: number;
  direction: Direction;
  n_buckets: number;
  max_distance: number;
  bidirectional: boolean;
}
type Direction = "symmetric" | "left" | "right" | "split";
type Tables = Record<string, Matrix>; // what a scheme learns

interface Config {
  vocabulary_size: number;
  d_model: number;
  n_heads: number;
  d_ff: number;
  n_layers: number;
  norm: "pre" | "post" | "none";
  eps: number;
  activation: "gelu" | "relu";
  residual: number;
  n_outputs: number | null;
  scheme: Scheme;
}

type Norm = { gain: number[]; bias: number[] };
interface AttentionParameters {
  w_query: Matrix;
  w_key: Matrix;
  w_value: Matrix;
  w_output: Matrix;
  b_query: number[] | null;
  b_key: number[] | null;
  b_value: number[] | null;
  b_output: number[] | null;
}
interface FeedForwardParameters {
  w_in: Matrix;
  w_out: Matrix;
  b_in: number[] | null;
  b_out: number[] | null;
}
interface BlockParameters {
  attention: AttentionParameters;
  feed_forward: FeedForwardParameters | null;
  norm_attention: Norm; // null, and not looked at, where `norm` is "none"; so the others
  norm_feed_forward: Norm;
}
interface TransformerParameters {
  embedding: Matrix;
  position: Tables;
  norm_embedding: Norm | null;
  blocks: BlockParameters[];
  norm_output: Norm;
  w_output: Matrix;
  b_output: number[] | null;
}

// The angles of each pair of columns, (position, pair), and where its columns are.
type Turns = { angles: Matrix; first: number[]; second: number[] };

// What a position scheme does, at most one of these each: see HOOKS in transformer.js.
interface Hooks {
  features?(positions: number[], width: number, scheme: Scheme): Matrix;
  turns?(positions: number[], dHead: number, scheme: Scheme): Turns;
  bias?(nHeads: number, queryPositions: number[], keyPositions: number[], scheme: Scheme): Heads;
  row?(r: number, scheme: Scheme): number;
  table?: string;
  isKey?: boolean;
}

// The places of the tokens, and which of them sees which: null for all.
type Run = { positions: number[]; mask?: Mask | null };

// What one block computes: see `block` in transformer.js.
interface Layer {
  x: Matrix;
  query: Heads;
  key: Heads;
  value: Heads;
  weights: Heads;
  attended: Matrix;
  hidden: Matrix;
}

// {"config", "parameters", "schemes"} of `take_model`.
interface TransformerState {
  config: Config;
  parameters: TransformerParameters;
  schemes: Record<string, { label: string; scheme: Scheme; tables: Tables }>;
}
