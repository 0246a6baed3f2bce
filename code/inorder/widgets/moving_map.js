// A heat map whose rows, and columns, travel with their tokens.

import { make } from "./kit.js";

// One canvas. `look` says what stands in each cell, by token; `at` where each token stands.
//   look: { labels: { number, text, fill, ink } by token, columns: is it a matrix of tokens by tokens?,
//           cells: { fill, ink, text, hidden, differs } by token and column }
export function movingMap({ focusable, onPoint, onLeave }) {
  const canvas = make("canvas", { class: "inorder-map", role: focusable ? "application" : "img" });
  if (focusable) canvas.tabIndex = 0;
  const pen = canvas.getContext("2d");
  let drawn = {};
  let [look, size] = [null, null]; // size: { width, height, label, head, badge, cellWidth, cellHeight }

  function cellAt(event) {
    const { left, top } = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - left - size.label) / size.cellWidth);
    const row = Math.floor((event.clientY - top - size.head) / size.cellHeight);
    return look.cells[row]?.[column] ? [row, column] : null;
  }
  canvas.addEventListener("pointermove", (event) => onPoint(cellAt(event)));
  canvas.addEventListener("pointerdown", (event) => onPoint(cellAt(event)));
  canvas.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") onLeave(); // a finger that lifts has not finished reading
  });

  function measure(next) {
    size = next;
    const density = devicePixelRatio || 1;
    canvas.width = Math.round(size.width * density);
    canvas.height = Math.round(size.height * density);
    canvas.style.width = `${size.width}px`;
    canvas.style.height = `${size.height}px`;
  }

  // Text is what takes time: a font is set once for all labels, and nothing is drawn twice.
  function draw(at, held, marks, paint) {
    const wanted = JSON.stringify([at, marks]);
    if (drawn.look === look && drawn.size === size && drawn.wanted === wanted) return;
    drawn = { look, size, wanted };
    const { label: left, head, badge, cellWidth: w, cellHeight: h } = size;
    const gap = w > 6 ? 1 : 0;
    const stack = [...at.keys()].sort((a, b) => (a === held) - (b === held)); // the held one last
    const places = look.columns ? at : look.cells[0].map((_, column) => column);
    const columnStack = look.columns ? stack : places;
    const [xOf, yOf] = [(column) => left + places[column] * w, (token) => head + at[token] * h];
    const forEachCell = (visit) => stack.forEach((token) => columnStack.forEach((column) =>
      visit(look.cells[token][column], xOf(column), yOf(token))));
    const density = canvas.width / size.width;
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.clearRect(0, 0, size.width, size.height);
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    pen.lineWidth = 1;

    forEachCell(({ fill }, x, y) => {
      pen.fillStyle = fill;
      pen.fillRect(x, y, w - gap, h - gap);
    });
    pen.beginPath();
    forEachCell(({ hidden }, x, y) => {
      if (hidden) pen.moveTo(x, y + h - gap);
      if (hidden) pen.lineTo(x + w - gap, y);
    });
    pen.strokeStyle = paint.line;
    pen.stroke();
    pen.beginPath();
    const side = Math.min(7, 0.3 * w, 0.3 * h);
    forEachCell(({ differs }, x, y) => {
      if (differs) triangle(pen, x + w - gap, y, side);
    });
    pen.fillStyle = paint.muted;
    pen.fill();
    pen.font = `${Math.min(11.5, w * 0.38)}px ${paint.font}`;
    forEachCell(({ text, ink }, x, y) => {
      if (!text) return;
      pen.fillStyle = ink;
      pen.fillText(text, x + (w - gap) / 2, y + h / 2 + 0.5);
    });

    pen.font = `${Math.max(7, Math.min(10, w - 3, h - 2))}px ${paint.font}`;
    for (const token of stack) {
      const label = look.labels[token];
      pen.fillStyle = label.fill;
      pen.fillRect(left - badge - 2, yOf(token), badge, h - gap);
      if (look.columns) pen.fillRect(xOf(token), head - badge - 2, w - gap, badge);
      pen.fillStyle = label.ink;
      pen.fillText(label.number, left - badge / 2 - 2, yOf(token) + h / 2);
      if (look.columns) pen.fillText(label.number, xOf(token) + (w - gap) / 2, head - badge / 2 - 1.5);
    }
    if (left > 2 * badge) {
      pen.font = `${Math.min(12, h - 1)}px ${paint.font}`;
      pen.textAlign = "right";
      pen.fillStyle = paint.ink;
      for (const token of stack) pen.fillText(look.labels[token].text, left - badge - 6, yOf(token) + h / 2);
    }
    pen.strokeStyle = paint.ink;
    pen.lineWidth = 2;
    for (const { row, column } of marks) {
      const [x, width] = column === undefined ? [left, size.width - left - 1] : [xOf(column), w - gap];
      const [y, height] = row === undefined ? [head, size.height - head - 1] : [yOf(row), h - gap];
      pen.strokeRect(x, y, width, height);
    }
  }

  const setLook = (next) => {
    look = next;
  };
  const hasRoom = () => size.cellWidth >= 27 && size.cellHeight >= 16; // for a number in each cell
  return { canvas, measure, draw, setLook, hasRoom };
}

function triangle(pen, right, top, side) {
  pen.moveTo(right - side, top);
  pen.lineTo(right, top);
  pen.lineTo(right, top + side);
}
