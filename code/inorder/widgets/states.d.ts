// The states of the figures, and the sentences that they share with Python, as their figure.py declares them.
// Written by tools/state_types.py: do not edit.

interface AddOrConcatenateState {
  d: number;
  token: number;
  position: number;
  n_tokens: number;
  n_positions: number;
  ratio: number;
  share: number;
}

interface AddOrConcatenateSentences {
  neither: string;
  no_token: string;
  no_position: string;
  both: string;
  both_ways: Sentence<"answer">;
  each_way: Sentence<"added" | "beside">;
  rates: Sentence<"pairs" | "added" | "beside">;
  exact: Sentence<"added" | "beside">;
  exact_both_ways: Sentence<"from_width">;
  from: Sentence<"d">;
  nowhere: string;
}

interface AttentionCalculatorState {
  tokens: string[];
  x: Matrix;
  w_query: Matrix;
  w_key: Matrix;
  w_value: Matrix;
  scale: boolean;
  mask: "none" | "causal";
  row: number;
}

interface AttentionCalculatorSentences {
  alone: Sentence<"token">;
  equally: Sentence<"token" | "count" | "weight">;
  itself: Sentence<"token" | "weight">;
  other: Sentence<"token" | "other" | "weight">;
  tied: Sentence<"token" | "count" | "weight">;
  scaled: Sentence<"d_head" | "mask">;
  unscaled: Sentence<"mask">;
  causal: string;
  none: string;
}

interface AttentionMapState {
  view: "lines" | "matrix";
  layer: number;
  head: number;
  query: number;
  key: number;
  combine: "none" | "mean" | "max";
  threshold: number;
  triangle: boolean;
  scale: "head" | "row" | "one";
  order: "model" | "look back";
  window: number[];
}

interface AttentionMapSentences {
  nothing: Sentence<"token" | "query">;
  most: Sentence<"token" | "query" | "weight" | "key_token" | "key">;
  head: Sentence<"layer" | "head">;
  mean: Sentence<"n_heads" | "layer">;
  max: Sentence<"n_heads" | "layer">;
  back: Sentence<"distance">;
  ahead: Sentence<"distance">;
  neither: string;
  looks: Sentence<"chosen" | "looks" | "share">;
  chosen: Sentence<"chosen">;
  odd_rows: Sentence<"rows" | "odd">;
  odd_rows_here: Sentence<"rows" | "odd" | "here">;
}

interface EncodingExplorerState {
  position: number;
  length: number;
  d_model: number;
  base: number;
  column_layout: "interleaved" | "halves";
  column: number;
  product: "all" | "sines";
  zoom: number;
  top: number;
  left: number;
}

interface EncodingExplorerSentences {
  same_row: Sentence<"row">;
  no_other_row: string;
  no_other_angle: string;
  no_other_angles: Sentence<"pairs">;
  nearest: Sentence<"row" | "distance">;
  entry: Sentence<"row" | "column" | "value">;
  wave: Sentence<"row" | "column" | "wave" | "pair" | "value" | "turn">;
  speeds: Sentence<"fastest" | "slowest" | "last" | "slow" | "pairs" | "make">;
  likeness: Sentence<"row" | "own" | "other" | "product">;
}

interface InductionHeadsState {
  words: string[];
  first_head: "looks back" | "no positions" | "off";
  back: number;
}

interface InductionHeadsSentences {
  one: Sentence<"last" | "word" | "share">;
  several: Sentence<"last" | "words">;
  none: Sentence<"last" | "count">;
}

interface LanguageModelState {
  prompts: string[];
  positions: string;
  shift: number;
  stretch: number;
  own: number[];
  layer: number;
  head: number;
}

interface LanguageModelSentences {
  same: Sentence<"token">;
  other: Sentence<"first" | "second">;
  unmoved: Sentence<"token">;
  missing: string;
  distance: Sentence<"distance" | "source">;
  stored: string;
  computed: string;
}

interface LoomState {
  words: string[];
  order: number[];
  mask: boolean;
  positions: boolean;
  trained: boolean;
}

interface LoomSentences {
  words_only: Sentence<"count">;
  masked: string;
  placed: string;
  masked_and_placed: string;
  learned: string;
  record: string;
  coming: string;
  none: Sentence<"total">;
  some: Sentence<"changed" | "total" | "causes" | "kept">;
  all: Sentence<"total" | "causes">;
  start: Sentence<"words">;
  layer: Sentence<"words" | "layer">;
}

interface OrderAuditState {
  layer: string;
  question: "order" | "move" | "future";
  words: string[];
  order: number[];
  moved: number;
  new_from: number;
}

interface OrderAuditSentences {
  unchanged: string;
  order: string;
  move: string;
  future: string;
  always: Sentence<"kept" | "asked" | "happened" | "verdict">;
  by_luck: Sentence<"kept" | "asked" | "happened" | "verdict">;
}

interface PermutationPlaygroundState {
  tokens: string[];
  ids: number[];
  order: number[];
  position: string;
  mask: "none" | "causal" | "prefix";
  n_prefix: number;
  mask_moves: boolean;
  depth: number;
  residual: boolean;
  layer: number;
  head: number;
}

interface PermutationPlaygroundSentences {
  law: Sentence<"sign">;
  law_mask_moves: Sentence<"sign">;
  law_mask_stays: Sentence<"sign">;
  unmoved: string;
  kept: string;
  all: Sentence<"total">;
  some: Sentence<"new" | "total">;
  positions: Sentence<"count" | "scheme">;
  mask: Sentence<"count" | "mask">;
  both: Sentence<"count" | "scheme" | "mask">;
  mean_stayed: Sentence<"law" | "error">;
  mean_changed: Sentence<"law" | "error">;
}

interface PromptOrderLabState {
  first_order: number[];
  second_order: number[];
  depth: number;
  mask: "none" | "causal" | "prefix";
  n_prefix: number;
  position: string;
  head: number;
}

interface PromptOrderLabSentences {
  equal: string;
  rounding: string;
  different: Sentence<"distance">;
  unmoved: Sentence<"prompt">;
  one_layer: Sentence<"token">;
  every_layer: Sentence<"token">;
  rounded_away: Sentence<"layer">;
  queries: Sentence<"first" | "second">;
  positions: Sentence<"token" | "scheme" | "parts">;
  mask: Sentence<"token" | "before" | "mask" | "changed" | "layer">;
  order: Sentence<"token" | "before" | "changed" | "layer">;
  same_prompt: string;
  same_set: string;
  differs: Sentence<"parts">;
  differ: Sentence<"parts">;
  part_here: Sentence<"words">;
}

interface RelativeBiasExplorerState {
  n: number;
  query: number;
  key: number;
  scheme: "alibi" | "t5" | "shaw" | "rotary" | "sinusoidal";
  as_weights: boolean;
  n_heads: number;
  head: number;
  direction: "symmetric" | "left" | "right" | "split";
  max_distance: number;
  bidirectional: boolean;
  clip: number;
  base: number;
  pairing: "interleaved" | "halves";
  d_model: number;
  sharpness: number;
}

interface RelativeBiasExplorerSentences {
  weight: Sentence<"number">;
  own: Sentence<"number">;
  alone: Sentence<"distance" | "here" | "number" | "there">;
  same: Sentence<"distance" | "here" | "number" | "there">;
  other: Sentence<"distance" | "here" | "number" | "there" | "other">;
  note: Sentence<"head" | "schemes">;
  alibi: Sentence<"slope">;
  alibi_left: Sentence<"slope">;
  alibi_right: Sentence<"slope">;
  t5: string;
  shaw: Sentence<"d_head">;
  rotary: Sentence<"d_head">;
  sinusoidal: Sentence<"d_model">;
}

interface SameOrNotState {
  words: string[];
  order: number[];
  positions: boolean;
}

interface SameOrNotSentences {
  unmoved: string;
  none: Sentence<"total">;
  some: Sentence<"changed" | "total">;
  all: Sentence<"total">;
  different: Sentence<"sentence" | "difference">;
  same: Sentence<"sentence">;
}

interface SchemeExplorerState {
  task: string;
  schemes: string[];
  length: number;
}

interface SchemeExplorerSentences {
  untested: Sentence<"length">;
  only: Sentence<"length" | "schemes" | "accuracy">;
  best: Sentence<"length" | "schemes" | "accuracy">;
  several: Sentence<"length" | "schemes" | "accuracy">;
  note: Sentence<"floor" | "ceiling" | "low" | "high">;
}

interface SoftLookupState {
  tokens: string[];
  q: Matrix;
  k: Matrix;
  v: Matrix;
  x: Matrix;
  w_query: Matrix;
  w_key: Matrix;
  w_value: Matrix;
  attention: "cross" | "self";
  matching: "dot" | "distance";
  sharpness: number;
  hard: boolean;
  tied: boolean;
  chosen: number;
}

interface SoftLookupSentences {
  query: Sentence<"i">;
  query_of: Sentence<"token">;
  all: Sentence<"name" | "count" | "output">;
  several: Sentence<"name" | "count" | "output">;
  one: Sentence<"name" | "weight" | "token" | "output">;
  note: Sentence<"attention" | "matching" | "sharpness">;
  note_tied: Sentence<"attention" | "matching" | "sharpness">;
  beta: Sentence<"beta">;
  hard: string;
}

interface TrainingPlaygroundState {
  task: "which-first" | "copy-left" | "last-token" | "reversal";
  first: string;
  second: string;
  mask: "none" | "causal";
  n_layers: number;
  seed: number;
  example: string[];
}

interface TrainingPlaygroundSentences {
  untrained: string;
  equal: Sentence<"steps" | "right">;
  unequal: Sentence<"steps" | "first" | "first_right" | "second" | "second_right">;
  bound: Sentence<"bound">;
  bounds: Sentence<"floor" | "ceiling">;
}
