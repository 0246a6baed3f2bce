// A dial for each pair: the hand starts at twelve and turns clockwise by ω_j a position, so its tip is (sin, cos).

import { palette } from "../kit/colour.js";
import { make, penOf } from "../kit/elements.js";
import { pairColumns, waveOf } from "./encoding.js";

const RADIUS = 0.42; // of a dial, in its room

// The largest dials for which n of them fit into the box, in rows of equal length.
/** @type {(width: number, height: number, n: number) => { side: number, across: number }} */
function dialsIn(width, height, n) {
  for (let side = Math.floor(Math.min(width, height)); side > 1; side -= 1) {
    const rows = Math.ceil(n / Math.max(1, Math.floor(width / side)));
    if (rows * side <= height) return { side, across: Math.ceil(n / rows) };
  }
  return { side: 1, across: Math.max(1, Math.floor(width)) };
}

// `onPick(pair)`: a dial was clicked. `draw` fills the room of `root`.
/** @type {(onPick: (pair: number) => void) => { root: HTMLElement, draw: (matrix: Table, state: EncodingExplorerState, dark: boolean) => void }} */
export function handDials(onPick) {
  let [across, side, nPairs] = [1, 1, 0];
  const canvas = make("canvas", {
    role: "img",
    onclick(/** @type {MouseEvent} */ { offsetX, offsetY }) {
      const column = Math.floor(offsetX / side);
      const pair = Math.floor(offsetY / side) * across + column;
      if (column < across && pair < nPairs) onPick(pair);
    },
  });
  const root = make("div", { class: "inorder-hands" }, canvas);

  /** @type {(matrix: Table, state: EncodingExplorerState, dark: boolean) => void} */
  function draw({ values, nColumns }, state, dark) {
    nPairs = nColumns / 2;
    const { position, column } = state;
    const { pair } = waveOf(column, state);
    const { stride, step } = pairColumns(nColumns, state.column_layout);
    canvas.ariaLabel =
      `Clock hands at position ${position}: one for each of the ${nPairs} frequencies, fastest first. ` +
      `The tip of each is at (sin, cos); hand ${pair} is marked`;
    if (root.clientWidth === 0) return;
    ({ side, across } = dialsIn(root.clientWidth, root.clientHeight, nPairs));
    const density = Math.min(devicePixelRatio || 1, 2);
    const [width, height] = [across * side, Math.ceil(nPairs / across) * side];
    [canvas.width, canvas.height] = [Math.round(width * density), Math.round(height * density)]; // this clears it
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    const pen = penOf(canvas);
    pen.scale(density, density);
    const colours = palette(dark);
    /** @type {(name: string) => string} */
    const rgb = (name) => `rgb(${colours[name].join(" ")})`;
    const radius = RADIUS * side;
    /** @type {(j: number) => [number, number]} */
    const centre = (j) => [((j % across) + 0.5) * side, (Math.floor(j / across) + 0.5) * side];
    for (let j = 0; j < nPairs; j += 1) {
      const [x, y] = centre(j);
      const sine = position * nColumns + j * stride;
      pen.beginPath();
      pen.arc(x, y, radius, 0, 2 * Math.PI);
      pen.fillStyle = rgb("raised");
      pen.fill();
      pen.strokeStyle = rgb(j === pair ? "ink" : "edge");
      pen.lineWidth = j === pair ? Math.max(1.5, side / 26) : 1;
      pen.stroke();
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + radius * values[sine], y - radius * values[sine + step]);
      pen.strokeStyle = rgb("position");
      pen.lineWidth = Math.max(1.25, side / 22);
      pen.stroke();
    }
  }
  return { root, draw };
}
