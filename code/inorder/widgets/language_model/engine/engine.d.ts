// What tsc knows of the engine: names for all its files. No page loads it.

// A value of the header of a GGUF file.
type GgufValue = string | number | boolean | GgufValue[];
type Tensor = { name: string; kind: number; shape: number[]; offset: number }; // shape: the innermost axis first
type Gguf = { metadata: Map<string, GgufValue>; tensors: Map<string, Tensor> };

// A weight of nOutputs rows of nInputs numbers; its first byte in the file.
type Weights = { kind: number; offset: number; nInputs: number; nOutputs: number };
type Kernel = {
  file: Uint8Array<ArrayBuffer>; // to be filled by the caller
  row(weights: Weights, index: number): Float32Array;
  multiply(weights: Weights, x: Float32Array, nColumns: number): Float32Array; // (column, nInputs) -> (column, nOutputs)
};
type Products = {
  memory: WebAssembly.Memory;
  vector4(w: number, x: number, sums: number, y: number, rows: number, blocks: number): void;
  vector8(w: number, x: number, y: number, rows: number, blocks: number): void;
  unpack4(w: number, out: number, blocks: number): void;
  unpack8(w: number, out: number, blocks: number): void;
  tile(w: number, x: number, y: number, width: number, stride: number, fours: number): void;
};

type Tokenizer = {
  encode(text: string): number[];
  decode(ids: number[], options?: { special?: boolean }): string;
  ends: Set<number>;
};

interface ArrayBuffer {
  transfer?(newByteLength?: number): ArrayBuffer; // since 2024
}

type ModelShape = {
  dModel: number;
  nHeads: number;
  nKeyHeads: number;
  dHead: number;
  nLayers: number;
  base: number;
  eps: number;
};
type DecoderBlock = {
  attentionNorm: Float32Array;
  feedForwardNorm: Float32Array;
  query: Weights;
  key: Weights;
  value: Weights;
  output: Weights;
  gate: Weights;
  up: Weights;
  down: Weights;
};
type DecoderModel = {
  kernel: Kernel;
  shape: ModelShape;
  embedding: Weights;
  outputNorm: Float32Array;
  blocks: DecoderBlock[];
};

// As `Placement` of inorder.pretrained.decoder; or positions one by one.
type PlacementRule = { scale: number; offset: number; restarted: boolean; pairing: Pairing };
type Pairing = "interleaved" | "halves";
type Positions = string | Partial<PlacementRule> | number[];

// A text that the model has read: its cache, and what it keeps of the prompt.
type ReadText = {
  length: number; // tokens in the cache
  keys: Float32Array[]; // a layer: (position, key head × d_head), rotated
  values: Float32Array[];
  pairing: Pairing;
  positions: number[]; // of the prompt
  rows: Float32Array[]; // (row, d_model) entering each block, and leaving the last: of the prompt
};

type Likely = { id: number; token: string; probability: number };
// What worker.js is asked, and what it answers: see there.
type EngineRequest = { id: number; kind: string } & EngineFields;
type EngineFields = {
  size: number;
  buffer: ArrayBuffer;
  slot: string;
  text: string;
  positions: Positions;
  k: number;
  last: number;
};
type EngineReply = { id: number; error?: string };
type PromptReply = { words: string[]; likeliest: Likely[] };
type NextReply = { end: boolean; text: string };
type RowsReply = { rows: Float32Array[] };
type AttentionReply = { weights: Float32Array[]; nHeads: number };
type WorkerScope = {
  onmessage: ((event: { data: EngineRequest }) => void) | null;
  postMessage(message: unknown): void;
};
