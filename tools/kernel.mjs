// Writes kernel_bytes.js of the language model's engine: kernel.wat compiled by wabt. Same text, same wabt, same bytes.
//
//   node tools/kernel.mjs            write it
//   node tools/kernel.mjs --check    is it what kernel.wat says? If not, status 1

import { readFileSync, writeFileSync } from "node:fs";
import wabt from "wabt";

const folder = new URL("../code/inorder/widgets/language_model/engine/", import.meta.url);
const [source, target] = [new URL("kernel.wat", folder), new URL("kernel_bytes.js", folder)];

const { parseWat } = await wabt();
const module = parseWat("kernel.wat", readFileSync(source, "utf8"));
module.validate();
const bytes = Buffer.from(module.toBinary({}).buffer).toString("base64");
const text = `// kernel.wat, compiled: node tools/kernel.mjs writes this file.

export const KERNEL =
  "${bytes.match(/.{1,112}/g).join('" +\n  "')}";
`;
if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text) {
  console.error("kernel_bytes.js is not what kernel.wat says. Run: node tools/kernel.mjs");
  process.exit(1);
}
