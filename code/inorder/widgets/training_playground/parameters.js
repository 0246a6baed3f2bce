// The parameters of inorder.transformer, by name: their shapes, and where they start.

import { numbersFromText } from "../kit/arithmetic.js";

/** @typedef {Config & { d_token: number, n_outputs: number }} ModelConfig */

/** @typedef {[name: string, shape: number[], deviation: number][]} Shapes */

// [[name, shape, deviation]], in the order of flatten_parameters; deviation 0: starts at 0; gains start at 1. `tables` are
// those of the position scheme, { name: [deviation, ...shape] }.
/** @type {(config: ModelConfig, tables: Record<string, number[]>) => Shapes} */
export function parameterShapes(config, tables) {
  const { vocabulary_size, d_token, d_model, d_ff, n_layers, n_outputs } = config;
  /** @type {(name: string, dIn: number, dOut: number) => Shapes[number]} */
  const weight = (name, dIn, dOut) => [name, [dIn, dOut], dIn ** -0.5];
  /** @type {(name: string, length: number) => Shapes[number]} */
  const zeros = (name, length) => [name, [length], 0];
  /** @type {(name: string) => Shapes} */
  const norm = (name) => [zeros(`${name}.gain`, d_model), zeros(`${name}.bias`, d_model)];
  const names = ["query", "key", "value", "output"];
  /** @type {(layer: number) => Shapes} */
  const block = (layer) => [
    ...names.map((name) => weight(`blocks.${layer}.attention.w_${name}`, d_model, d_model)),
    ...names.map((name) => zeros(`blocks.${layer}.attention.b_${name}`, d_model)),
    weight(`blocks.${layer}.feed_forward.w_in`, d_model, d_ff),
    weight(`blocks.${layer}.feed_forward.w_out`, d_ff, d_model),
    zeros(`blocks.${layer}.feed_forward.b_in`, d_ff),
    zeros(`blocks.${layer}.feed_forward.b_out`, d_model),
    ...norm(`blocks.${layer}.norm_attention`),
    ...norm(`blocks.${layer}.norm_feed_forward`),
  ];
  return [
    ["embedding", [vocabulary_size, d_token], 1],
    ...Object.entries(tables).map(
      ([name, [deviation, ...shape]]) => /** @type {Shapes[number]} */ ([`position.${name}`, shape, deviation]),
    ),
    ...Array.from({ length: n_layers }, (_, layer) => block(layer)).flat(),
    ...norm("norm_output"),
    weight("w_output", d_model, n_outputs),
    zeros("b_output", n_outputs),
  ];
}

// Evenly distributed numbers of that deviation, always the same for a name and a seed: two models start alike where their
// parameters have the same names and shapes.
/** @type {(shapes: Shapes, seed: number) => number[]} */
export function startNumbers(shapes, seed) {
  return shapes.flatMap(([name, shape, deviation]) => {
    const size = shape.reduce((product, count) => product * count, 1);
    if (deviation === 0) return new Array(size).fill(name.endsWith(".gain") ? 1 : 0);
    return numbersFromText(`${name}, seed ${seed}`, size).map((number) => number * deviation * Math.sqrt(3));
  });
}
