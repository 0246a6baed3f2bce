// Reads {css, content: [path]} from standard input, writes the rules that are in use.
import { readFileSync } from "node:fs";
import { PurgeCSS } from "purgecss";

const { css, content } = JSON.parse(readFileSync(0, "utf8"));
const defaultExtractor = (text) => text.match(/[A-Za-z0-9_-]+/g) ?? [];
const [{ css: purged }] = await new PurgeCSS().purge({ content, css: [{ raw: css }], defaultExtractor });
process.stdout.write(purged);
