// Writes code/inorder/widgets/kit/vendor/lit.js, the part of lit-html that the figures use, and its licence beside it.
// After a change of its version in package.json: npm ci, then node tools/vendor_lit.mjs
//
// The build for Node is the browser's, but that it loads without a document: tests call pure functions beside templates.

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { buildSync } from "esbuild";

const FOLDER = "code/inorder/widgets/kit/vendor";
const NAMES = ["html", "svg", "render", "nothing", "live", "ref"];
const { version } = JSON.parse(readFileSync("node_modules/lit-html/package.json", "utf-8"));
const built = buildSync({
  stdin: {
    contents: `export { html, svg, render, nothing } from "lit-html";
export { live } from "lit-html/directives/live.js";
export { ref } from "lit-html/directives/ref.js";`,
    resolveDir: ".",
  },
  bundle: true,
  minify: true,
  platform: "node",
  format: "iife",
  globalName: "lit",
  legalComments: "none",
  charset: "utf8",
  write: false,
});
const text = built.outputFiles[0].text.trim();
const exports = NAMES.map((name) => `export const ${name} = lit.${name};\n`).join("");
writeFileSync(`${FOLDER}/lit.js`, `// lit-html ${version}, BSD-3-Clause, © Google LLC: see LICENSE. Written by tools/vendor_lit.mjs.\n${text}\n${exports}`);
copyFileSync("node_modules/lit-html/LICENSE", `${FOLDER}/LICENSE`);
