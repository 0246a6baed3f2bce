// Words as tiles in a row, to be put into another order (`drag.js`).

import { dragTiles, sortInPage } from "./drag.js";
import { make, setAttributes, write } from "./elements.js";

/**
 * describe: what a screen reader is told of a tile that the hand can move. order(): the token at each place. onHold(place, isDragged): the focus
 * is on another tile, or a drag begins or ends. onGlide(at): at each frame, where the middle of each token's tile is, in
 * places from 0.5.
 * @param {{ label: string, describe: (text: string, place: number, n: number) => string, order: () => number[],
 *   onMove: (from: number, to: number) => void, onHold?: (place: number, isDragged: boolean) => void,
 *   onGlide?: (at: number[]) => void }} options
 */
export function tileRow({ label, describe, order, onMove, onHold = () => {}, onGlide = () => {} }) {
  const root = make("div", { class: "inorder-tiles", role: "group", "aria-label": label });
  /** @type {HTMLElement[]} */
  let tiles = []; // by token
  /** @type {number[]} */
  let shown = []; // the token at each place, as drawn
  let size = 1; // of a tile, as a share of its place
  const drag = dragTiles({
    box: root,
    order,
    unit() {
      const pitch = root.clientWidth / tiles.length;
      size = tiles[0].offsetWidth / pitch;
      return pitch;
    },
    slotsOf: (tokens) => tokens.map((_, token) => ({ at: tokens.indexOf(token) + 0.5, size })),
    move: (token, to) => onMove(order().indexOf(token), to),
    draw,
    hold: (token, isHeld) => onHold(order().indexOf(token), isHeld),
  });

  /** @type {(at: number[], lifted: number | null) => void} */
  function draw(at, lifted) {
    tiles.forEach((tile, token) => {
      const away = at[token] - 0.5 - shown.indexOf(token);
      tile.style.setProperty("--away", String(away));
      tile.classList.toggle("is-away", away !== 0);
      tile.classList.toggle("is-dragged", token === lifted);
    });
    onGlide(at);
  }

  /** @type {(token: number, kind: "button" | "span") => HTMLElement} */
  function makeTile(token, kind) {
    const parts = [make("span", { class: "inorder-word", dir: "auto" }), make("span", { class: "inorder-place" })];
    if (kind === "span") return make(kind, { class: "inorder-tile" }, ...parts);
    const onfocus = () => onHold(order().indexOf(token), drag.held() === token);
    const tile = make(kind, { type: "button", class: "inorder-tile", onfocus }, ...parts);
    drag.take(tile, token);
    return tile;
  }

  // texts: of the tokens, place by place; plain words where nothing can move them
  /** @type {(tokens: number[], texts: string[], isLoose?: boolean) => void} */
  function update(tokens, texts, isLoose = true) {
    const kind = isLoose ? "button" : "span";
    if (tiles.length !== tokens.length || tiles[0]?.localName !== kind) {
      tiles = tokens.map((_, token) => makeTile(token, kind));
      root.replaceChildren(...tiles);
    }
    shown = tokens;
    root.style.setProperty("--n", String(texts.length));
    root.style.setProperty("--letters", String(Math.max(4, ...texts.map((text) => [...text].length))));
    tokens.forEach((token, place) => {
      const [tile, text] = [tiles[token], texts[place]];
      write(/** @type {Node} */ (tile.firstChild), text);
      write(/** @type {Node} */ (tile.lastChild), String(place));
      tile.style.gridArea = `1 / ${place + 1}`;
      setAttributes(tile, { title: text });
      if (isLoose) setAttributes(tile, { "aria-label": describe(text, place, texts.length) });
    });
    sortInPage(
      root,
      tokens.map((token) => tiles[token]),
      tokens.indexOf(drag.held() ?? -1),
    );
    drag.follow();
  }
  return { root, draw: update, stop: drag.stop };
}
