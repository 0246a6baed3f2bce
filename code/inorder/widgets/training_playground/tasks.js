// The tasks of inorder.lab.tasks: sequences and what is asked of them, drawn from numbers that belong to a text, so that
// Python (twin.py) draws the same. A token is a number; which-first has A and B after its fillers, and then "?".

/** @typedef {import("./run.js").Task} Task */

/** @typedef {import("./network.js").Batch} Batch */

/** @param {{ numbersFromText: (text: string, n: number) => number[], IGNORED: number }} library */
export function tasks({ numbersFromText, IGNORED }) {
  // Whole numbers below `kinds`, from numbers in [−1, 1).
  /** @type {(number: number, kinds: number) => number} */
  const below = (number, kinds) => Math.floor(((number + 1) / 2) * kinds);

  // What each row should name, for tasks that ask each row: the place of the answer, or −1.
  /** @type {Record<string, (i: number, n: number) => number>} */
  const ANSWERS = {
    "copy-left": (i) => i - 1,
    "last-token": (_, n) => n - 1,
    reversal: (i, n) => n - 1 - i,
  };

  // One sequence of which-first: fillers, and A and B at two places.
  /** @type {(numbers: number[], at: number, n: number, nFillers: number) => number[]} */
  function withPair(numbers, at, n, nFillers) {
    const sequence = Array.from({ length: n }, (_, i) => below(numbers[at + i], nFillers));
    const first = below(numbers[at + n], n);
    const other = below(numbers[at + n + 1], n - 1);
    sequence[first] = nFillers;
    sequence[other < first ? other : other + 1] = nFillers + 1;
    return sequence;
  }

  // The sequence, the same with A and B swapped, both backwards.
  /** @type {(sequence: number[], nFillers: number) => Matrix} */
  function closed(sequence, nFillers) {
    const swap = (/** @type {number} */ token) => (token < nFillers ? token : 2 * nFillers + 1 - token);
    const swapped = sequence.map(swap);
    return [sequence, swapped, sequence.toReversed(), swapped.toReversed()];
  }

  // What is asked of one sequence: [tokens, targets].
  /** @type {(task: Task, sequence: number[]) => [tokens: number[], targets: number[]]} */
  function asked(task, sequence) {
    const n = sequence.length;
    if (task.name !== "which-first") {
      const place = ANSWERS[task.name];
      return [sequence, sequence.map((_, i) => sequence[place(i, n)] ?? IGNORED)];
    }
    const answer = sequence.indexOf(task.n_fillers) < sequence.indexOf(task.n_fillers + 1) ? 1 : 0;
    if (task.pooled) return [sequence, [answer]];
    return [
      [...sequence, task.n_fillers + 2],
      [...sequence.map(() => IGNORED), answer],
    ];
  }

  // A batch of sequences, as network.js takes it. `isTest`: those of which-first are closed under swap and reversal.
  /** @type {(task: Task, text: string, nSequences: number, n: number, isTest?: boolean) => Batch} */
  function draw(task, text, nSequences, n, isTest = false) {
    const isPair = task.name === "which-first";
    const width = isPair ? n + 2 : n;
    const nDrawn = isPair && isTest ? nSequences / 4 : nSequences;
    const numbers = numbersFromText(text, nDrawn * width);
    const sequences = Array.from({ length: nDrawn }, (_, s) =>
      isPair
        ? withPair(numbers, s * width, n, task.n_fillers)
        : Array.from({ length: n }, (_, i) => below(numbers[s * n + i], task.n_tokens)),
    );
    return batchOf(task, isPair && isTest ? sequences.flatMap((one) => closed(one, task.n_fillers)) : sequences);
  }

  /** @type {(task: Task, sequences: Matrix) => Batch} */
  function batchOf(task, sequences) {
    const pairs = sequences.map((sequence) => asked(task, sequence));
    return {
      tokens: Int32Array.from(pairs.flatMap(([tokens]) => tokens)),
      targets: Int32Array.from(pairs.flatMap(([, targets]) => targets)),
      nSequences: sequences.length,
      n: pairs[0][0].length,
      pooled: task.pooled,
    };
  }

  return { draw, batchOf };
}
