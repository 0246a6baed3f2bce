// One head as lines from query tokens to key tokens. `now` and `actions` are as in grid.js.

import { palette, sequentialColour } from "../kit/colour.js";
import { make, penOf } from "../kit/elements.js";
import { largestOf, strongest } from "./data.js";
import { clamp, once, spell } from "./words.js";

/** @typedef {{ query?: number, key?: number }} At one of both */

/** @typedef {import("./data.js").Now} Now */

const LINE = 1.467; // em, from one token to the next
const MOST_LINES = 4000; // in the background: the strongest
const [MOST_TOKENS, ON_A_PHONE] = [16, 11]; // in sight

/** @type {(actions: import("./data.js").Actions) => { root: HTMLElement, draw: (now: Now) => void }} */
export function linesView(actions) {
  const canvas = make("canvas", { class: "inorder-lines", "aria-hidden": "true" });
  const spacer = make("div", {});
  // Above the canvas, so that the browser's own scrolling works: the canvas shows what would be in sight.
  const scroller = make(
    "div",
    {
      class: "inorder-scroller",
      role: "application",
      tabindex: 0,
      "data-picture": "skip",
      "aria-roledescription": "lines from queries to keys",
    },
    spacer,
  );
  const root = make("div", { class: "inorder-lines-view" }, canvas, scroller);
  const background = document.createElement("canvas");
  const [find, paintBackground] = [once(), once()];
  let now = /** @type {Now} */ ({});
  /** @type {number[]} */
  let lines = []; // indices of the strongest shares
  /** @type {At | null} */
  let pointed = null; // under the mouse
  let size = /** @type {{ width: number, height: number, label: number, density: number }} */ ({});
  let line = 22; // px, from one token to the next
  let scrolledTo = -1; // the query

  let scrolled = 0; // read once for a picture: each time, the browser makes sure of its layout
  /** @type {(place: number) => number} */
  const yOf = (place) => (place + 0.5) * line - scrolled;
  /** @type {(query: number) => number} */
  const lineOfQuery = (query) => query + now.ahead; // beside its own key, where there is one

  /** @type {(event: MouseEvent) => At | null} */
  function tokenAt(event) {
    const { left, top } = scroller.getBoundingClientRect();
    const place = Math.floor((event.clientY - top + scroller.scrollTop) / line);
    const [, , nQuery, nKey] = now.data.shape;
    const isQuery = event.clientX - left < size.width / 2;
    const index = isQuery ? place - now.ahead : place;
    return index >= 0 && index < (isQuery ? nQuery : nKey) ? { [isQuery ? "query" : "key"]: index } : null;
  }

  /** @type {(at: At | null) => void} */
  function point(at) {
    if (at?.query === pointed?.query && at?.key === pointed?.key) return;
    pointed = at;
    paint();
    if (!at) actions.point(null);
    else if (at.query !== undefined) actions.point(at.query, strongestOf(at.query));
    else actions.point(now.state.query, at.key ?? null);
  }

  /** @type {(query: number) => number} */
  function strongestOf(query) {
    const nKey = now.data.shape[3];
    if (!now.head) return 0;
    const row = now.head.values.subarray(query * nKey, (query + 1) * nKey);
    return row.indexOf(largestOf(row, 0, nKey));
  }

  scroller.addEventListener("pointermove", (event) => event.pointerType === "mouse" && point(tokenAt(event)));
  scroller.addEventListener("pointerleave", () => point(null));
  scroller.addEventListener("click", (event) => {
    const at = tokenAt(event);
    if (at?.query !== undefined) actions.choose({ query: at.query, key: strongestOf(at.query) });
    else if (at?.key !== undefined) actions.choose({ key: at.key });
  });
  scroller.addEventListener("scroll", () => now.state && paint());
  scroller.addEventListener("keydown", (event) => {
    const [, , nQuery, nKey] = now.data.shape;
    const { query, key } = now.state;
    /** @type {Record<string, number>} */
    const queries = {
      ArrowUp: query - 1,
      ArrowDown: query + 1,
      PageUp: query - 10,
      PageDown: query + 10,
      Home: 0,
      End: nQuery - 1,
    };
    /** @type {Record<string, number>} */
    const keys = { ArrowLeft: key - 1, ArrowRight: key + 1 };
    if (!Object.hasOwn(queries, event.key) && !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    if (Object.hasOwn(keys, event.key)) return actions.choose({ key: clamp(keys[event.key], 0, nKey - 1) });
    const to = clamp(queries[event.key], 0, nQuery - 1);
    actions.choose({ query: to, key: strongestOf(to) });
  });

  function measure() {
    const n = Math.max(now.data.shape[3], now.data.shape[2] + now.ahead);
    line = Math.round(LINE * now.em);
    const width = root.clientWidth;
    const height = Math.min(n, width < 25 * now.em ? ON_A_PHONE : MOST_TOKENS) * line;
    const label = Math.round(Math.min(10 * now.em, width * 0.33));
    const density = devicePixelRatio || 1;
    if (size.width === width && size.height === height && size.density === density) return;
    size = { width, height, label, density };
    for (const one of [canvas, background]) [one.width, one.height] = [width * density, height * density];
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    Object.assign(scroller.style, { width: `${width}px`, height: `${height}px` });
    spacer.style.height = `${n * line}px`;
  }

  // Strokes of about the same strength are one path: eight paths, not thousands.
  /**
   * @type {(pen: CanvasRenderingContext2D, indices: number[], shares: Float32Array,
   *   look: { alpha: (share: number) => number, width: (share: number) => number }) => void}
   */
  function strokeLines(pen, indices, shares, { alpha, width }) {
    const nKey = now.data.shape[3];
    const paths = Array.from({ length: 8 }, () => new Path2D());
    const { label } = size;
    for (const i of indices) {
      const share = shares[i];
      const [y, toY] = [yOf(lineOfQuery(Math.floor(i / nKey))), yOf(i % nKey)];
      if ((y < 0 && toY < 0) || (y > size.height && toY > size.height)) continue;
      const path = paths[clamp(Math.ceil(share * 8) - 1, 0, 7)];
      path.moveTo(label, y);
      path.lineTo(size.width - label, toY);
    }
    pen.strokeStyle = sequentialColour(1, now.dark).fill;
    paths.forEach((path, i) => {
      pen.globalAlpha = alpha((i + 0.5) / 8);
      pen.lineWidth = width((i + 0.5) / 8);
      pen.stroke(path);
    });
    pen.globalAlpha = 1;
  }

  /** @type {(target: HTMLCanvasElement) => CanvasRenderingContext2D} */
  function scaled(target) {
    const pen = penOf(target);
    pen.setTransform(size.density, 0, 0, size.density, 0, 0);
    pen.clearRect(0, 0, size.width, size.height);
    return pen;
  }

  /** @type {(at: At, shares: Float32Array) => number[]} */
  function indicesOf({ query, key }, shares) {
    const [, , nQuery, nKey] = now.data.shape;
    const [first, step, n] = query === undefined ? [key ?? 0, nKey, nQuery] : [query * nKey, 1, nKey];
    /** @type {number[]} */
    const indices = [];
    for (let i = 0; i < n; i += 1) if (shares[first + i * step] > 0) indices.push(first + i * step);
    return indices;
  }

  function paint() {
    const { state, dark, shares } = now;
    scrolled = scroller.scrollTop;
    const chosen = pointed ?? { query: state.query };
    const pen = scaled(canvas);
    if (shares) {
      const { layer, head, combine, threshold, triangle, scale } = state;
      const crowd = Math.min(1, 12 / Math.sqrt(lines.length)); // the more there are, the fainter
      paintBackground([layer, head, combine, threshold, triangle, scale, dark, size, scrolled], () =>
        strokeLines(scaled(background), lines, shares, {
          alpha: (share) => (0.06 + 0.44 * share) * crowd,
          width: () => 1,
        }),
      );
      pen.drawImage(background, 0, 0, size.width, size.height);
      strokeLines(pen, indicesOf(chosen, shares), shares, {
        alpha: (share) => 0.25 + 0.75 * share,
        width: (share) => 1 + 2.5 * share,
      });
    }
    writeTokens(pen, chosen);
  }

  /** @type {(pen: CanvasRenderingContext2D, chosen: At) => void} */
  function writeTokens(pen, chosen) {
    const [, , nQuery, nKey] = now.data.shape;
    const { label, width } = size;
    const style = getComputedStyle(root);
    const inkOfPage = style.getPropertyValue("--ink");
    pen.font = `${0.933 * now.em}px ${style.fontFamily}`;
    pen.textBaseline = "middle";
    const [first, last] = [Math.floor(scrolled / line), Math.ceil((scrolled + size.height) / line)];
    for (let place = Math.max(first, 0); place < last; place += 1) {
      const query = place - now.ahead;
      if (query >= 0 && query < nQuery) write(query, now.tokens[query], false);
      if (place < nKey) write(place, now.keyTokens[place], true);
    }

    /** @type {(index: number, token: string, isKey: boolean) => void} */
    function write(index, token, isKey) {
      const y = yOf(isKey ? index : lineOfQuery(index));
      const isChosen = isKey ? index === (chosen.key ?? now.state.key) : index === chosen.query;
      const left = isKey ? width - label + 4 : 0;
      const i = isKey ? (chosen.query ?? -1) * nKey + index : index * nKey + (chosen.key ?? -1);
      const isOther = isKey ? chosen.query !== undefined : chosen.key !== undefined;
      const share = now.shares && isOther ? now.shares[i] : 0;
      pen.fillStyle = inkOfPage;
      if (share > 0) {
        const { fill, ink } = sequentialColour(share, now.dark);
        pen.fillStyle = fill;
        pen.fillRect(left, y - line / 2 + 1, label - 4, line - 2);
        pen.fillStyle = ink;
      }
      pen.textAlign = isKey ? "left" : "right";
      const odd = !isKey && now.head?.sums && Math.abs(now.head.sums[index] - 1) > now.data.tolerance ? "≠1 " : "";
      pen.fillText(odd + spell(token), isKey ? left + 5 : label - 9, y + 0.5, label - 14);
      if (!isChosen) return;
      pen.strokeStyle = inkOfPage;
      pen.lineWidth = isKey && chosen.key === undefined ? 1 : 2;
      pen.strokeRect(left + 1, y - line / 2 + 1, label - 6, line - 2);
      if (!isKey || chosen.key !== undefined) mark(pen, isKey ? left - 2 : label, y, isKey);
    }
  }

  // Query ◆, key ●: at the end of the lines.
  /** @type {(pen: CanvasRenderingContext2D, x: number, y: number, isKey: boolean) => void} */
  function mark(pen, x, y, isKey) {
    const [red, green, blue] = palette(now.dark)[isKey ? "key" : "query"];
    const radius = 0.33 * now.em;
    pen.fillStyle = `rgb(${red} ${green} ${blue})`;
    pen.beginPath();
    if (isKey) pen.arc(x, y, radius, 0, 2 * Math.PI);
    else
      for (const [dx, dy] of [
        [0, -1],
        [1, 0],
        [0, 1],
        [-1, 0],
      ])
        pen.lineTo(x + dx * radius, y + dy * radius);
    pen.fill();
  }

  /** @type {(next: Now) => void} */
  function draw(next) {
    now = next;
    measure();
    const { state, shares } = now;
    const { layer, head, combine, threshold, triangle, scale } = state;
    find([layer, head, combine, threshold, triangle, scale, Boolean(shares)], () => {
      lines = shares ? strongest(shares, MOST_LINES) : [];
    });
    if (scrolledTo !== state.query) {
      scrolledTo = state.query;
      const y = lineOfQuery(state.query) * line;
      const outside = y < scroller.scrollTop || y + line > scroller.scrollTop + size.height;
      if (outside) scroller.scrollTop = y - size.height / 2;
    }
    scroller.setAttribute(
      "aria-label",
      "Lines from query tokens to key tokens: up and down choose a query, left and right a key",
    );
    paint();
  }
  return { root, draw };
}
