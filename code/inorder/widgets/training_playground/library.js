// The training as one library, for this page and, as text, for a worker made from a blob: that runs from file:// and in
// JupyterLab, where a worker has no other file to import.

import { numbersFromText } from "../kit/arithmetic.js";
import { adam } from "./adam.js";
import { kernels } from "./kernels.js";
import { network } from "./network.js";
import { tasks } from "./tasks.js";
import { training } from "./training.js";

/** @typedef {{ numbersFromText: typeof numbersFromText } & ReturnType<typeof kernels> & ReturnType<typeof network> &
 *   ReturnType<typeof adam> & ReturnType<typeof tasks> & ReturnType<typeof training>} Library */

/** @type {((library: Library) => object)[]} */
const FILES = [kernels, network, adam, tasks, training]; // each is given what those before it return

export const library = /** @type {Library} */ ({ numbersFromText });
for (const file of FILES) Object.assign(library, file(library));

export const libraryText = `
const library = { numbersFromText: ${numbersFromText} };
for (const file of [${FILES.join(",\n")}]) Object.assign(library, file(library));
`;
