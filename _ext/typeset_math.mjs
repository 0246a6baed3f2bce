// Reads [TeX, whether it stands by itself] by the line, as JSON, and answers each line with [HTML] or [null, what is wrong].

import { createInterface } from "node:readline";
import katex from "katex";

const settings = { strict: "error", macros: { "\\softmax": "\\operatorname{softmax}" } };

for await (const line of createInterface({ input: process.stdin })) {
  const [tex, displayMode] = JSON.parse(line);
  let answer;
  try {
    answer = [katex.renderToString(tex, { ...settings, displayMode })];
  } catch (error) {
    answer = [null, error.message];
  }
  console.log(JSON.stringify(answer));
}
