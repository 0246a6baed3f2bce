// The reader's example: letters as the tokens of a task. In which-first A and B are the pair, and the others fill.

/** @type {(text: string, known: { letters: string }) => string[] | null} */
export function lettersOf(text, { letters }) {
  const written = [...text.toUpperCase()].filter((letter) => !/[\s,]/.test(letter));
  return written.every((letter) => letters.includes(letter)) ? written : null;
}

/**
 * @type {(example: string[], task: import("./run.js").Task, known: { letters: string },
 *   library: import("./library.js").Library) => import("./network.js").Batch}
 */
export function exampleBatch(example, task, { letters }, { batchOf, IGNORED }) {
  const places = example.map((letter) => letters.indexOf(letter));
  if (task.name !== "which-first") return batchOf(task, [places]);
  const sequence = places.map((place) => (place < 2 ? task.n_fillers + place : place - 2));
  const isFit = [0, 1].every((one) => places.filter((place) => place === one).length === 1);
  const batch = batchOf(task, [sequence]);
  if (!isFit) batch.targets.fill(IGNORED); // nothing can be asked
  return batch;
}
