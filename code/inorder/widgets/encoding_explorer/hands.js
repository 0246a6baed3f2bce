// A dial for each pair: the hand starts at twelve and turns clockwise by ω_j a position, so its tip is (sin, cos).

import { palette } from "../kit/colour.js";
import { make, penOf } from "../kit/elements.js";
import { pairColumns, waveOf } from "./encoding.js";

const GAP = 0.08; // of a dial's room, on each side

// The largest dials for which n of them fit into the box, in rows of equal length.
/** @type {(width: number, height: number, n: number) => { side: number, across: number }} */
function dialsIn(width, height, n) {
  for (let side = Math.floor(Math.min(width, height)); side > 1; side -= 1) {
    const rows = Math.ceil(n / Math.max(1, Math.floor(width / side)));
    if (rows * side <= height) return { side, across: Math.ceil(n / rows) };
  }
  return { side: 1, across: Math.max(1, Math.floor(width)) };
}

// `onPick(pair)`: a dial was clicked. `update` fills the room that style.css gives it.
/**
 * @type {(options: { onPick: (pair: number) => void }) => { root: HTMLElement, update: (matrix: Table, row: number,
 *   column: number, state: EncodingExplorerState, dark: boolean) => void }}
 */
export function handDials({ onPick }) {
  const canvas = make("canvas", { role: "img" });
  const root = make("div", { class: "inorder-hands" }, canvas);
  let [across, side, nPairs] = [1, 1, 0];

  canvas.addEventListener("click", ({ clientX, clientY }) => {
    const { left, top } = canvas.getBoundingClientRect();
    const column = Math.floor((clientX - left) / side);
    const pair = Math.floor((clientY - top) / side) * across + column;
    if (column < across && pair < nPairs) onPick(pair);
  });

  /** @type {(matrix: Table, row: number, column: number, state: EncodingExplorerState, dark: boolean) => void} */
  function update({ values, nColumns }, row, column, state, dark) {
    nPairs = nColumns / 2;
    const { pair } = waveOf(column, state);
    const { stride, step } = pairColumns(nColumns, state.column_layout);
    canvas.setAttribute(
      "aria-label",
      `Clock hands at position ${row}: one for each of the ${nPairs} frequencies, fastest first. ` +
        `The tip of each is at (sin, cos); hand ${pair} is marked`,
    );
    if (root.clientWidth === 0) return;
    ({ side, across } = dialsIn(root.clientWidth, root.clientHeight, nPairs));
    const density = Math.min(devicePixelRatio || 1, 2);
    const [width, height] = [across * side, Math.ceil(nPairs / across) * side];
    if (canvas.width !== Math.round(width * density) || canvas.height !== Math.round(height * density)) {
      [canvas.width, canvas.height] = [Math.round(width * density), Math.round(height * density)];
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    const pen = penOf(canvas);
    const colours = palette(dark);
    const rgb = (/** @type {string} */ name) => `rgb(${colours[name].join(" ")})`;
    const radius = side * (0.5 - GAP);
    const centre = (/** @type {number} */ j) => [((j % across) + 0.5) * side, (Math.floor(j / across) + 0.5) * side];
    const dial = (/** @type {number} */ j) => {
      const [x, y] = centre(j);
      pen.moveTo(x + radius, y);
      pen.arc(x, y, radius, 0, 2 * Math.PI);
    };
    const stroke = (
      /** @type {string} */ name,
      /** @type {number} */ lineWidth,
      /** @type {{ (): void; (): void; (): void; (): void; }} */ trace,
    ) => {
      pen.beginPath();
      pen.strokeStyle = rgb(name);
      pen.lineWidth = lineWidth;
      trace();
      pen.stroke();
    };
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.beginPath();
    for (let j = 0; j < nPairs; j += 1) dial(j);
    pen.fillStyle = rgb("raised");
    pen.fill();
    stroke("edge", 1, () => {
      for (let j = 0; j < nPairs; j += 1) dial(j);
    });
    stroke("ink", Math.max(1.5, side / 26), () => dial(pair));
    stroke("position", Math.max(1.25, side / 22), () => {
      for (let j = 0; j < nPairs; j += 1) {
        const [x, y] = centre(j);
        const sine = row * nColumns + j * stride;
        pen.moveTo(x, y);
        pen.lineTo(x + radius * values[sine], y - radius * values[sine + step]);
      }
    });
  }
  return { root, update };
}
