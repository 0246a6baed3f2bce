// Lines of code, one below the other, and beside each what it does to the rows: which rows it lets into which, and how
// far the ink of one word has come. Lines that are not lit are still to come.

import { sequentialColour } from "../kit/colour.js";
import { sizeDrawing, svgNode } from "../kit/elements.js";
import { MARKS } from "../kit/marks.js";
import { nothing, render, svg } from "../kit/vendor/lit.js";
import { formatNumber } from "../kit/words.js";

/** @typedef {import("./states.js").ProgramPanel} ProgramPanel */
const NARROW = 560; // there, a line of code stands above its picture
const LETTER = 8.9; // of code
const MARGIN = 26; // left of the code, where the ring goes down
const HEAD = 46; // for the words
const GAP = { plain: 50, crossed: 104 }; // from row to row
const COLUMN = 104; // the widest
const TILE = { width: 50, height: 20 };

/** @type {MakeMark<ProgramPanel>} */
function programMark(place, hand) {
  const picture = svgNode("svg", { class: "inorder-program", role: "application" });
  const { root, set: setHandles } = hand.handlesOver(picture, hand);
  const read = hand.readerOver(root, picture);
  /** @type {ProgramPanel | null} */
  let settled = null; // the panel whose words and handles are there
  let ground = { left: 0, across: 1, heights: [0], unit: 1 };

  /** @type {(level: number, row: number) => Spot} the middle of a tile */
  const at = (level, row) => [ground.left + (row + 0.5) * ground.across, ground.heights[level]];

  /** @type {(name: string) => number} */
  const controlOf = (name) => hand.controls.findIndex((control) => control.name === name);

  // A press on a word inks it, one on a line lights all lines down to it.
  picture.addEventListener("click", ({ clientX, clientY }) => {
    if (!settled?.drag.length) return;
    const box = picture.getBoundingClientRect();
    const [x, y] = [(clientX - box.left) / ground.unit, (clientY - box.top) / ground.unit];
    const { labels, lines, drag } = settled;
    const column = Math.floor((x - ground.left) / ground.across);
    const isWord = y < HEAD + 10 && column >= 0 && column < labels.length;
    const line = ground.heights.filter((height) => height <= y).length;
    const [which, next] = isWord ? [drag[1], column] : [drag[0], Math.min(line, lines.length)];
    if (which && (isWord || y > HEAD)) hand.set(hand.places().with(controlOf(which), next));
  });

  /** @type {MarkOf<ProgramPanel>["update"]} */
  function update(panel, { width, unit }, dark, goal) {
    const { labels, lines, lit, row: inked, drag, adds } = goal;
    const n = labels.length;
    const isNarrow = width < NARROW;
    const code = MARGIN + 12 + LETTER * Math.max(...lines.map((line) => line.length));
    const left = isNarrow ? MARGIN : code;
    const across = Math.min((width - left) / n, COLUMN);
    const start = Math.max(0, (width - left - n * across) / 2);
    const weightOf = (
      /** @type {ProgramPanel} */ one,
      /** @type {number} */ line,
      /** @type {number} */ row,
      /** @type {number} */ from,
    ) => one.threads.values[(line * n + row) * n + from];
    const rows = labels.map((_, row) => row);
    const crosses = lines.map((_, line) =>
      rows.some((row) => rows.some((from) => from !== row && weightOf(goal, line, row, from) > 0)),
    );
    const heights = [HEAD];
    for (const isCrossed of crosses)
      heights.push(heights[heights.length - 1] + (isCrossed ? GAP.crossed : GAP.plain) + (isNarrow ? 14 : 0));
    ground = { left: start + left, across, heights, unit };
    const tile = { width: Math.min(TILE.width, across - 8), height: TILE.height };
    const holds = (/** @type {ProgramPanel} */ one, /** @type {number} */ level, /** @type {number} */ row) =>
      one.values.values[level * n + row];

    const picturesOfLines = lines.map((line, k) => {
      const look = k < lit ? "is-lit" : "is-ahead";
      const middle = (heights[k] + heights[k + 1]) / 2;
      const yarns = rows.flatMap((row) =>
        rows.map((from) => {
          const weight = weightOf(panel, k, row, from);
          if (weight === 0) return nothing;
          const [[x, y], [x2, y2]] = [at(k, from), at(k + 1, row)];
          const [high, low] = [y + tile.height / 2, y2 - tile.height / 2];
          const bend = (high + low) / 2;
          const { fill } = sequentialColour(k < lit ? 0.25 + 0.75 * holds(panel, k, from) : 0.25, dark);
          return svg`<path d="M${x} ${high}C${x} ${bend} ${x2} ${bend} ${x2} ${low}" stroke=${fill}
            stroke-width=${1 + 8 * weight} class="inorder-thread"/>`;
        }),
      );
      // What is added goes around what has been done since.
      const added = adds[k];
      const detours =
        added < 0
          ? nothing
          : rows.map((row) => {
              const [x, y] = at(added, row);
              const [, y2] = at(k + 1, row);
              const side = x + tile.width / 2;
              const out = side + Math.min(0.42 * (across - tile.width), 16);
              return svg`<path d="M${side} ${y}C${out} ${y} ${out} ${y + 8} ${out} ${y + 16}V${y2 - 16}C${out} ${y2 - 8} ${out} ${y2} ${side} ${y2}"
                class="inorder-detour"/>`;
            });
      const [x, y] = [start + MARGIN, isNarrow ? heights[k] + 27 : middle + 5];
      const isNow = k === lit - 1;
      return svg`<g class=${look}>${
        isNow
          ? svg`<rect x=${start} y=${heights[k] + tile.height / 2 + 3} width=${left + n * across} height=${heights[k + 1] - heights[k]}
              rx="6" class="inorder-line-now"/>`
          : nothing
      }${yarns}${detours}<text x=${x} y=${y} class="is-code ${isNow ? "is-now" : ""}" paint-order="stroke" stroke-width="5"
        stroke-linejoin="round">${line}</text></g>`;
    });
    const tiles = heights.map((_, level) =>
      rows.map((row) => {
        const [x, y] = at(level, row);
        const isLit = level <= lit;
        const { fill } = sequentialColour(isLit ? holds(panel, level, row) : 0, dark);
        return svg`<rect x=${x - tile.width / 2} y=${y - tile.height / 2} width=${tile.width} height=${tile.height} rx="4"
          class="inorder-tile-of ${isLit ? "" : "is-ahead"}" fill=${fill} data-name="${place}.values" data-row=${level}
          data-col=${row} data-value=${holds(goal, level, row)}/>`;
      }),
    );
    const words = rows.map((row) => {
      const [x] = at(0, row);
      const size = Math.min(18, (2 * (across - 4)) / Math.max(...labels.map((label) => [...label].length)));
      return svg`<text x=${x} y="22" text-anchor="middle" class="is-word ${row === inked ? "is-inked" : ""}"
        style="font-size: ${size.toFixed(1)}px">${labels[row]}</text>`;
    });
    const whole = heights[heights.length - 1] + tile.height;
    sizeDrawing(picture, width, whole, unit);
    render(svg`<g aria-hidden="true">${picturesOfLines}${tiles}${words}</g>`, picture);
    if (settled === goal) return; // on its way to what is said already
    settled = goal;

    /** @type {(spot: Spot) => Spot} */
    const onScreen = ([x, y]) => [unit * x, unit * y];
    read(() =>
      heights.slice(0, lit + 1).map((_, level) =>
        rows.map((row) => ({
          at: onScreen(at(level, row)),
          reach: onScreen([across / 2, tile.height]),
          words: `${level ? lines[level - 1] : "before"}, row of “${labels[row]}”: ${formatNumber(holds(goal, level, row), 2)} of “${labels[inked]}”`,
        })),
      ),
    );
    picture.setAttribute("aria-label", `${describe(goal)} Arrow keys read the shares.`);
    root.classList.toggle("is-drawn-on", drag.length > 0);
    if (!drag.length) return setHandles([]);
    const [line, word] = drag.map(controlOf);
    const lineAt = (/** @type {number} */ k) => onScreen([start + 4, heights[k] + tile.height / 2 + 3]);
    const wordAt = (/** @type {number} */ row) => onScreen([at(0, row)[0], 17]);
    const grips = [
      {
        names: [drag[0]],
        label: "the last line that is lit",
        at: lineAt(lit),
        isDown: true,
        of: (/** @type {unknown} */ _, /** @type {number[]} */ places) => lineAt(places[line]),
      },
    ];
    if (drag[1])
      grips.push({
        names: [drag[1]],
        label: "the inked word",
        at: wordAt(inked),
        isDown: false,
        of: (_, places) => wordAt(places[word]),
      });
    return setHandles(grips);
  }

  return { root, update };
}

// As program.py says it.
/** @type {(panel: ProgramPanel) => string} */
function describe({ lines, labels, lit, row, values }) {
  const n = labels.length;
  const reached = labels.filter((_, one) => values.values[lit * n + one] > 0);
  const code = lit
    ? `${lit} of ${lines.length} lines of code are lit, the last “${lines[lit - 1]}”`
    : `${lines.length} lines of code, none lit`;
  return `${code}. The ink of “${labels[row]}” is in the rows of ${reached.join(", ")}.`;
}

MARKS.program = { make: programMark, narrowest: 320 };
