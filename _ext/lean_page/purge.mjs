// Reads {css, content: [path], safelist: [regular expression]} from standard input, writes the rules that are in use.
import { readFileSync } from "node:fs";
import { PurgeCSS } from "purgecss";

const { css, content, safelist } = JSON.parse(readFileSync(0, "utf8"));
const [{ css: purged }] = await new PurgeCSS().purge({
  content,
  css: [{ raw: css }],
  defaultExtractor: (text) => text.match(/[A-Za-z0-9_-]+/g) ?? [],
  safelist: { standard: [], greedy: safelist.map((pattern) => new RegExp(pattern)) },
});
process.stdout.write(purged);
