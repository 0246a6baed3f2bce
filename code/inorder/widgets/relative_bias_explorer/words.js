// What the figure says; figure.py says the same.

import { alibiSlopes } from "../kit/transformer.js";
import { formatNumber } from "../kit/words.js";
import { isSame } from "./kernels.js";

// A number in as many digits as a label has room for.
export function brief(x) {
  const size = Math.abs(x);
  return formatNumber(x, size < 10 ? 2 : size < 100 ? 1 : 0);
}

export function answerOf({ scheme, query, key, as_weights }, { rows, across }) {
  const [r, number] = [key - query, rows[scheme][key]];
  const gets = as_weights ? "the weight " : "";
  if (r === 0) return { text: `The key at the query’s own place gets ${gets}${brief(number)}.`, sign: "" };
  const [here, there] = r < 0 ? ["left", "right"] : ["right", "left"];
  const first = `A key ${Math.abs(r)} to the ${here} gets ${gets}${brief(number)}; as far to the ${there}`;
  if (across === null) return { text: `${first} there is none.`, sign: "" };
  const same = isSame(number, across);
  return { text: `${first}, ${same ? "the same" : brief(across)}.`, sign: same ? "=" : "≠" };
}

export function noteOf({ head }, { mirrored }, labels) {
  const named = mirrored.map((name) => labels[name]).join(", ") || "none";
  return `In head ${head}, the same on both sides at every distance: ${named}.`;
}

export function formulasOf({ head, n_heads, direction, d_model }, { queries }) {
  const isSplit = direction === "split";
  const half = n_heads / 2;
  const side = isSplit ? (head < half ? "left" : "right") : direction;
  const slope = isSplit ? alibiSlopes(half)[head % half] : alibiSlopes(n_heads)[head];
  const elsewhere = { left: ", right −∞", right: ", left −∞", symmetric: "" }[side];
  const root = `√${queries[0].length}`;
  return {
    alibi: `−m |Δ|, m = ${formatNumber(slope, 4)}${elsewhere}`,
    t5: "table[bucket(Δ)]",
    shaw: `q · a(clip Δ) / ${root}`,
    rotary: `q · R(Δ) k / ${root}`,
    sinusoidal: `β PE(i) · PE(j) / √${d_model}`,
  };
}
