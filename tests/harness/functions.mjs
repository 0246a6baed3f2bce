// Calls JavaScript for harness.functions: a line of JavaScript comes in, { paths, script, argument }, and a line of JSON
// goes out, { result } or { error }. Both may hold NaN and ∞, as Python's JSON does.

import { readdirSync } from "node:fs";
import { registerHooks } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [, , folder, palette] = process.argv; // kit/palette.js is not a file
const WIDGETS = pathToFileURL(`${folder}/`).href;
const OWN = /^(?:async )?function (\w+)|^const (\w+) = \([^)]*\) =>/gm; // the functions that a module keeps to itself

// A test may ask for what a module does not export: nothing need be exported for tests alone.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.endsWith("/palette.js")
      ? { url: `data:text/javascript,${encodeURIComponent(palette)}`, shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) => {
    if (!url.startsWith(WIDGETS)) return next(url, context);
    const source = String(next(url, { ...context, format: "module" }).source);
    const own = [...source.matchAll(OWN)].map(([, declared, arrow]) => declared ?? arrow);
    return { format: "module", source: `${source}\nexport const own = { ${own.join(", ")} };\n`, shortCircuit: true };
  },
});

// "kit.js" stands for all modules of the kit.
async function load(path) {
  const files = path === "kit.js" ? readdirSync(`${folder}/kit`).filter((file) => file.endsWith(".js")) : [path];
  const base = path === "kit.js" ? `${folder}/kit` : folder;
  return Promise.all(files.map((file) => import(pathToFileURL(`${base}/${file}`))));
}

const marked = (_, value) => {
  if (ArrayBuffer.isView(value)) return [...value];
  if (typeof value === "number" && !Number.isFinite(value)) return `\u0000${value}`;
  return value === undefined ? null : value;
};
const toText = (value) => JSON.stringify(value, marked).replace(/"\\u0000(-?\w+)"/g, "$1");

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const { paths, script, argument } = new Function(`return ${line}`)();
    const modules = (await Promise.all(paths.map(load))).flat();
    const js = Object.assign({}, ...modules.map(({ own }) => own), ...modules);
    answer = { result: await new Function("js", `return ${script}`)(js)(argument) };
  } catch (error) {
    answer = { error: String(error) };
  }
  console.log(toText(answer));
}
