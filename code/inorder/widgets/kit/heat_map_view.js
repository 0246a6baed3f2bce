// Which part of a matrix a heat map shows, and which of its cells stands where: from pixels to cells and back.

import { clamp } from "./arithmetic.js";

// The cell of the matrix under a pointer event (or anything with clientX and clientY), null outside the canvas.
/** @type {(canvas: HTMLCanvasElement, view: View, event: { clientX: number, clientY: number }) => Cell | null} */
export function cellAt(canvas, view, { clientX, clientY }) {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const down = Math.floor(((clientY - top) / height) * view.nRows);
  const across = Math.floor(((clientX - left) / width) * view.nColumns);
  const inside = down >= 0 && down < view.nRows && across >= 0 && across < view.nColumns;
  return inside ? { row: view.row + down, column: view.column + across } : null;
}

// Where a cell lies, as the style of a mark in a box that the canvas fills; a missing row or column stands for all of them.
/** @type {(view: View, cell: Partial<Cell>) => string} */
export function cellStyle(view, { row, column }) {
  const [down, across] = [row === undefined ? 0 : row - view.row, column === undefined ? 0 : column - view.column];
  if (down < 0 || across < 0 || down >= view.nRows || across >= view.nColumns) return "display: none";
  const [height, width] = [
    row === undefined ? 100 : 100 / view.nRows,
    column === undefined ? 100 : 100 / view.nColumns,
  ];
  return `left: ${across * width}%; top: ${down * height}%; width: ${width}%; height: ${height}%`;
}

// `factor` times as close, as far as there is something to see: at least one cell, at most all. The cell `at`
// keeps its place on the canvas, as nearly as whole cells allow; without it, the middle does.
/** @type {(matrix: Shape, view: View, factor: number, at?: Cell) => View} */
export function zoomView(matrix, view, factor, at = middleOf(view)) {
  const nRows = clampCount(view.nRows / factor, matrix.nRows);
  const nColumns = clampCount(view.nColumns / factor, matrix.nColumns);
  const row = at.row - ((at.row - view.row) / view.nRows) * nRows;
  const column = at.column - ((at.column - view.column) / view.nColumns) * nColumns;
  const zoomed = { row: Math.ceil(row), column: Math.ceil(column), nRows, nColumns }; // up: `at` stays in view
  return panView(matrix, zoomed, 0, 0);
}

/** @type {(view: View) => Cell} */
function middleOf({ row, column, nRows, nColumns }) {
  return { row: row + nRows / 2, column: column + nColumns / 2 };
}

// The view moved by whole cells, as far as the matrix reaches. With 0, 0 it is only made to lie inside the matrix.
/** @type {(matrix: Shape, view: View, down: number, right: number) => View} */
export function panView(matrix, view, down, right) {
  const [nRows, nColumns] = [clampCount(view.nRows, matrix.nRows), clampCount(view.nColumns, matrix.nColumns)];
  const row = clamp(view.row + down, 0, matrix.nRows - nRows);
  const column = clamp(view.column + right, 0, matrix.nColumns - nColumns);
  return { row, column, nRows, nColumns };
}

/** @type {(count: number, most: number) => number} */
function clampCount(count, most) {
  return clamp(Math.round(count), 1, most);
}
