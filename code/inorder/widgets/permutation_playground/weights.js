// The weights three times: as given, moved both ways, recomputed. Rows and columns glide with their words.

import { ROUNDING } from "../kit/arithmetic.js";
import { sequentialColour } from "../kit/colour.js";
import { numberSelect } from "../kit/inputs.js";
import { permuteMask } from "../kit/transformer.js";
import { html, nothing } from "../kit/vendor/lit.js";
import { formatDifference, formatNumber, shorten } from "../kit/words.js";
import { largestEntry } from "./arithmetic.js";

/** @typedef {PermutationPlaygroundState} State */
/** @typedef {Cell | null} Cursor both are tokens */

const LABELS = {
  weights: "Heat map of the weights A as given",
  moved: "Heat map of P A P transposed: the rows and columns of A moved",
  recomputed: "Heat map of the weights recomputed for the words as you moved them; arrow keys read a cell",
};
/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const [A, P, X] = ["A", "P", "X"].map((letter) => html`<var>${letter}</var>`);

/** @param {{ limits: Record<"head", Limit>, change: (parts: Partial<State>) => void, redraw: () => void }} options */
export function weightsPanel({ limits, change, redraw }) {
  /** @type {Cursor} */
  let cursor = null;
  /** @type {(next: Cursor) => void} */
  function point(next) {
    cursor = next;
    redraw();
  }
  /** @type {(event: Event) => Cursor} */
  function cellUnder({ target }) {
    const { row, col } = target instanceof HTMLElement ? target.dataset : {};
    return row && col ? { row: Number(row), column: Number(col) } : null;
  }
  // A finger that lifts has not finished reading.
  const leave = (/** @type {PointerEvent} */ { pointerType }) => pointerType === "mouse" && point(null);

  /** @type {(state: State, computed: import("./arithmetic.js").Computed, dark: boolean) => unknown} */
  function maps({ tokens, order, layer, head, depth }, { weights, newWeights, mask, newMask, weightsChange }, dark) {
    if (cursor && Math.max(cursor.row, cursor.column) >= tokens.length) cursor = null;
    const strongest = largestEntry(weights, newWeights);
    const movedWeights = permuteMask(weights, order);
    const asGiven = tokens.map((_, token) => token);
    const asMoved = asGiven.map((token) => order.indexOf(token));
    const first = { row: order[0], column: order[0] };
    /** @type {(event: KeyboardEvent) => void} */
    function press(event) {
      if (!Object.hasOwn(STEPS, event.key)) return;
      event.preventDefault();
      const [down, right] = STEPS[event.key];
      const { row, column } = cursor ?? first;
      const next = { row: order[asMoved[row] + down], column: order[asMoved[column] + right] };
      if (next.row !== undefined && next.column !== undefined) point(next);
    }
    // Cells by token, at the places of their tokens.
    /** @type {(name: keyof typeof LABELS, formula: unknown, places: number[], values: Matrix, allowed: Mask | null) => unknown} */
    function map(name, formula, places, values, allowed) {
      const isRead = name === "recomputed";
      const words = asGiven.toSorted((a, b) => places[a] - places[b]).map((token) => tokens[token]);
      const cells = asGiven.flatMap((row) =>
        asGiven.map((column) => {
          const [down, across] = [places[row], places[column]];
          const value = values[down][across];
          const looks = [
            allowed && !allowed[down][across] ? "is-masked" : "",
            Math.abs(value - weights[row][column]) > ROUNDING ? "is-new" : "",
            cursor?.row === row && cursor.column === column ? "is-target" : "",
          ];
          const { fill, ink } = sequentialColour(value / strongest, dark);
          const style = `--down: ${down}; --across: ${across}; background-color: ${fill}; color: ${ink}`;
          return html`<i class=${looks.join(" ")} data-row=${row} data-col=${column} style=${style}></i>`;
        }),
      );
      return html`<div class="inorder-panel"><div class="inorder-equation">${formula}</div>
        <div class="inorder-map" role=${isRead ? "application" : "img"} tabindex=${isRead ? 0 : nothing}
          aria-label="${LABELS[name]}; rows: ${words.join(", ")}" style="--n: ${tokens.length}"
          @pointermove=${(/** @type {Event} */ event) => point(cellUnder(event))} @pointerleave=${leave}
          @pointerdown=${(/** @type {Event} */ event) => point(cellUnder(event))}
          @focus=${isRead ? () => point(first) : nothing} @blur=${isRead ? () => point(null) : nothing}
          @keydown=${isRead ? press : nothing}>
          ${tokens.map(
            (
              text,
              token,
            ) => html`<span class="is-row" style="--down: ${places[token]}"><span>${shorten(text, 7) || "␣"}</span> ${token}</span>
            <span class="is-column" style="--across: ${places[token]}">${token}</span>`,
          )}${cells}</div></div>`;
    }
    /** @type {(name: string, value: number) => unknown} */
    const number = (name, value) =>
      html`<strong data-name=${name} data-row=${cursor?.row} data-col=${cursor?.column} data-value=${value}>${formatNumber(value, 3)}</strong>`;
    const nameOf = (/** @type {number} */ token) => `“${tokens[token]}” (${token})`;
    /** @type {(cell: Cell) => unknown} */
    const read = ({
      row,
      column,
    }) => html`${nameOf(row)} attends to ${nameOf(column)}: ${number("weights", weights[row][column])} as given,
      ${number("moved_weights", movedWeights[asMoved[row]][asMoved[column]])} moved,
      ${number("new_weights", newWeights[asMoved[row]][asMoved[column]])} recomputed`;
    const isEqual = weightsChange <= ROUNDING;
    return html`<div class="inorder-weights">${map("weights", html`${A} <small>as given</small>`, asGiven, weights, mask)}
      ${map("moved", html`${P}${A}${P}<sup>⊤</sup> <small>moved both ways</small>`, asMoved, movedWeights, mask && permuteMask(mask, order))}
      <div class="inorder-comparison"><span class="inorder-sign ${isEqual ? "" : "is-different"}" role="img"
        aria-label=${isEqual ? "equal" : "different"}>${isEqual ? "=" : "≠"}</span>off by ${formatDifference(weightsChange)}</div>
      ${map("recomputed", html`${A} of ${P}${X} <small>recomputed</small>`, asMoved, newWeights, newMask)}
      <div class="inorder-reading"><div class="inorder-choices" data-picture="skip">
        ${numberSelect({ label: "Layer", value: Math.min(layer, depth - 1), low: 0, high: depth - 1, onInput: (value) => change({ layer: value }) })}
        ${numberSelect({ label: "Head", value: head, ...limits.head, onInput: (value) => change({ head: value }) })}</div>
        <p class="inorder-full">Full colour is ${formatNumber(strongest)}.</p>
        <p class="inorder-readout" aria-live=${cursor ? "polite" : "off"}>${
          cursor ? read(cursor) : "Point at a cell to read its number, and what became of it."
        }</p></div></div>`;
  }

  return maps;
}
