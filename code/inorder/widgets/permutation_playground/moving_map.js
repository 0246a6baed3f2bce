// A heat map whose rows and columns travel with their tokens.

import { make, penOf } from "../kit/elements.js";

/** @typedef {{ ink: string, muted: string, line: string, font: string, n: number }} Paint */

/**
 * @typedef {{ width: number, height: number, label: number, head: number, cell: number, em: number, named: boolean }} Size in pixels; named: do the rows have words?
 */

/**
 * @typedef {{ labels: { number: string, text: string }[], cells: MapCell[][] }} Look what stands in each cell, by token
 */

/** @typedef {Tint & { hidden: boolean, differs: boolean }} MapCell */

// One canvas. `look` says what stands in each cell, by token; `at` where each token stands.
//   look: { labels: { number, text } by token, cells: { fill, ink, hidden, differs } by token and token }
//   size: { width, height, label, head, cell, em } in pixels; named: do the rows have words?
/**
 * @type {(options: { focusable: boolean, onPoint: (cell: [number, number] | null) => void, onLeave: () => void }) =>
 *   { canvas: HTMLCanvasElement, measure: (size: Size) => void, draw: (at: number[], held: number | null,
 *   marks: Cell[], paint: Paint) => void, setLook: (look: Look) => void }}
 */
export function movingMap({ focusable, onPoint, onLeave }) {
  const canvas = make("canvas", { class: "inorder-map", role: focusable ? "application" : "img" });
  if (focusable) canvas.tabIndex = 0;
  const pen = penOf(canvas);
  /** @type {{ look?: Look, size?: Size, drawing?: string }} */
  let drawn = {};
  let [look, size] = [/** @type {Look} */ ({}), /** @type {Size} */ ({})];

  /** @type {(event: PointerEvent) => [number, number] | null} */
  function cellAt(event) {
    const { left, top } = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - left - size.label) / size.cell);
    const row = Math.floor((event.clientY - top - size.head) / size.cell);
    return look.cells[row]?.[column] ? [row, column] : null;
  }
  canvas.addEventListener("pointermove", (event) => onPoint(cellAt(event)));
  canvas.addEventListener("pointerdown", (event) => onPoint(cellAt(event)));
  canvas.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") onLeave(); // a finger that lifts has not finished reading
  });

  /** @type {(next: Size) => void} */
  function measure(next) {
    if (JSON.stringify(next) === JSON.stringify(size)) return;
    size = next;
    const density = devicePixelRatio || 1;
    canvas.width = Math.round(size.width * density);
    canvas.height = Math.round(size.height * density);
    canvas.style.width = `${size.width}px`;
    canvas.style.height = `${size.height}px`;
  }

  // Text is what takes time: a font is set once for all labels, and nothing is drawn twice.
  /** @type {(at: number[], held: number | null, marks: Cell[], paint: Paint) => void} */
  function draw(at, held, marks, paint) {
    const drawing = JSON.stringify([at, marks]);
    if (drawn.look === look && drawn.size === size && drawn.drawing === drawing) return;
    drawn = { look, size, drawing };
    const { label: left, head, cell, em } = size;
    const side = cell - (cell > 6 ? 1 : 0);
    const stack = [...at.keys()].sort((a, b) => Number(a === held) - Number(b === held)); // the held one last
    const xOf = (/** @type {number} */ token) => left + at[token] * cell;
    const yOf = (/** @type {number} */ token) => head + at[token] * cell;
    const forEachCell = (/** @type {(cell: MapCell, x: number, y: number) => void} */ visit) =>
      stack.forEach((row) => stack.forEach((column) => visit(look.cells[row][column], xOf(column), yOf(row))));
    const density = canvas.width / size.width;
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.clearRect(0, 0, size.width, size.height);
    pen.lineWidth = 1;

    forEachCell(({ fill }, x, y) => {
      pen.fillStyle = fill;
      pen.fillRect(x, y, side, side);
    });
    pen.beginPath();
    forEachCell(({ hidden }, x, y) => {
      if (hidden) pen.moveTo(x, y + side);
      if (hidden) pen.lineTo(x + side, y);
    });
    pen.strokeStyle = paint.line;
    pen.stroke();
    forEachCell(({ differs, ink }, x, y) => {
      if (!differs) return;
      pen.fillStyle = ink;
      pen.beginPath();
      pen.moveTo(x + 0.65 * side, y);
      pen.lineTo(x + side, y);
      pen.lineTo(x + side, y + 0.35 * side);
      pen.fill();
    });

    pen.textBaseline = "middle";
    pen.fillStyle = paint.muted;
    pen.font = `${Math.min(0.85 * em, cell)}px ${paint.font}`;
    for (const token of stack) {
      const { number, text } = look.labels[token];
      pen.textAlign = "right";
      pen.fillText(size.named ? `${text} ${number}` : number, left - 0.35 * em, yOf(token) + cell / 2);
      pen.textAlign = "center";
      pen.fillText(number, xOf(token) + side / 2, head / 2);
    }
    pen.strokeStyle = paint.ink;
    pen.lineWidth = 2;
    for (const { row, column } of marks) pen.strokeRect(xOf(column), yOf(row), side, side);
  }

  /** @type {(next: Look) => void} */
  const setLook = (next) => {
    look = next;
  };
  return { canvas, measure, draw, setLook };
}
