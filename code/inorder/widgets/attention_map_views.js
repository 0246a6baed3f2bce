// The three views of AttentionMap. Each has { root, draw(now) }; `now` is what AttentionMap's draw says:
//   state, dark, data, tokens, keyTokens, ahead (keys before the first query), thumbnails, head (null: not here),
//   shares (of full colour, of that head), width (px).
// and asks through `actions`: choose({ … }), point(query, key) or point(null) under the mouse, open().

import { cellAt, cellBox, colourScale, paintHeatMap, panView, wholeView, zoomView } from "./heat_map.js";
import { make, sequentialColour } from "./kit.js";
import { largestOf, largestOfBlocks, strongest } from "./attention_map_data.js";

// A token as it is shown: never empty, on one line, up to 24 characters. As spell in attention_map.py.
export function spell(token) {
  const text = token.replaceAll("\n", "⏎").replaceAll("\t", "⇥").replace(/\p{Cc}/gu, "·");
  const letters = [...text];
  const short = letters.length > 24 ? `${letters.slice(0, 23).join("")}…` : text;
  return short.trim() ? short : "␣";
}

const once = () => {
  let last = null;
  return (key, act) => {
    const text = JSON.stringify(key);
    if (text !== last) act();
    last = text;
  };
};

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

// -------------------------------------------------------------------------------------------------------- the grid

export function pictureOfHead({ data: { shape: [, nHeads], thumbnails: { rows, columns, largest } }, thumbnails }, layer, head) {
  const first = (layer * nHeads + head) * rows * columns;
  const scale = largest[layer][head] / 255;
  return Float64Array.from(thumbnails.subarray(first, first + rows * columns), (code) => code * scale);
}

// [layer, head] of each place, in the order of the model or from the head that looks back farthest.
export function gridOrder({ shape: [nLayers, nHeads], look_back: far }, order) {
  const heads = Array.from({ length: nLayers * nHeads }, (_, i) => [Math.floor(i / nHeads), i % nHeads]);
  return order === "model" ? heads : heads.sort(([a, b], [c, d]) => far[c][d] - far[a][b]);
}

export function gridView(actions) {
  const root = make("div", { class: "inorder-heads", role: "group", tabindex: -1 });
  const [arrange, paint] = [once(), once()];
  let buttons = new Map(); // "layer/head" → button
  let order = [];

  function arrow(event, place) {
    const perRow = Number(root.dataset.perRow);
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -perRow, ArrowDown: perRow, Home: -place, End: order.length - 1 - place };
    if (event.key === "Enter") {
      event.preventDefault();
      actions.open();
    }
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    const to = order[place + steps[event.key]];
    if (!to) return;
    actions.choose({ layer: to[0], head: to[1], combine: "none" });
    buttons.get(to.join("/")).focus();
  }

  function build({ state, data }) {
    const { shape: [nLayers, nHeads], look_back: far, odd_rows: odd, aligned } = data;
    order = gridOrder(data, state.order);
    const byModel = state.order === "model";
    buttons = new Map(order.map(([layer, head], place) => {
      const distance = far[layer][head].toFixed(1).replace("-", "−");
      const words = [`Layer ${layer}, head ${head}`];
      if (aligned) words.push(`looks back ${distance} tokens`);
      if (odd[layer][head]) words.push(`${odd[layer][head]} rows do not sum to 1`);
      const button = make("button", { type: "button", class: "inorder-thumbnail", "aria-label": words.join(", "),
        title: words.join(", "), onkeydown: (event) => arrow(event, place), ondblclick: () => actions.open(),
        onclick: () => actions.choose({ layer, head, combine: "none" }) }, make("canvas", { "aria-hidden": "true" }));
      if (!byModel) button.append(make("span", { class: "inorder-far" }, `${layer}.${head}: ${distance}`));
      if (odd[layer][head]) button.append(make("span", { class: "inorder-odd", "aria-hidden": "true" }, "≠1"));
      return [`${layer}/${head}`, button];
    }));
    const label = (text) => make("div", { class: "inorder-grid-label", "aria-hidden": "true" }, text);
    const heads = Array.from({ length: nHeads }, (_, head) => label(String(head)));
    const rows = order.flatMap(([layer, head]) =>
      byModel && head === 0 ? [label(String(layer)), buttons.get(`${layer}/0`)] : [buttons.get(`${layer}/${head}`)]);
    root.replaceChildren(...(byModel ? [label("layer\\head"), ...heads] : []), ...rows);
    root.setAttribute("aria-label", `${nLayers} layers with ${nHeads} heads each, as small heat maps`);
  }

  function draw(now) {
    const { state, data, dark } = now;
    const width = now.width - 6; // less its padding
    const { shape: [, nHeads, nQuery, nKey], thumbnails: { rows, columns } } = data;
    const byModel = state.order === "model";
    const label = byModel ? 62 : 0;
    const perRow = byModel ? nHeads : Math.max(1, Math.min(nHeads, Math.floor(width / 74)));
    const cell = clamp(Math.floor((width - label) / perRow) - 6, byModel ? 24 : 66, 150);
    const height = clamp(Math.round((cell * nQuery) / nKey), 16, 150);
    arrange([state.order], () => build(now));
    root.dataset.perRow = perRow;
    root.style.gridTemplateColumns = `${byModel ? `${label}px ` : ""}repeat(${perRow}, ${cell + 6}px)`;
    const { threshold, triangle, scale } = state;
    paint([state.order, threshold, triangle, scale, dark, cell, Boolean(now.thumbnails)], () => {
      if (!now.thumbnails) return;
      const colours = colourScale({ kind: "sequential", largest: 1, dark });
      for (const [layer, head] of order) {
        const values = shadedPicture(now, layer, head);
        const canvas = buttons.get(`${layer}/${head}`).firstChild;
        paintHeatMap(canvas, { values, nRows: rows, nColumns: columns, scale: colours, width: cell, height });
      }
    });
    for (const [name, button] of buttons) {
      const chosen = name === `${state.layer}/${state.head}` && state.combine === "none";
      const inLayer = state.combine !== "none" && name.startsWith(`${state.layer}/`);
      button.setAttribute("aria-pressed", String(chosen || inLayer));
      button.tabIndex = name === `${state.layer}/${state.head}` ? 0 : -1;
    }
  }

  // As visibleShares, of a picture: a block is later if all its tokens are.
  function shadedPicture(now, layer, head) {
    const { state: { threshold, triangle, scale }, data: { shape: [, , nQuery, nKey], thumbnails: { rows, columns } }, ahead } = now;
    const values = pictureOfHead(now, layer, head);
    const largest = scale === "one" ? 1 : largestOf(values, 0, values.length);
    for (let row = 0; row < rows; row += 1) {
      const start = row * columns;
      const full = (scale === "row" ? largestOf(values, start, start + columns) : largest) || 1;
      const lastQuery = Math.floor(((row + 1) * nQuery) / rows) - 1;
      for (let column = 0; column < columns; column += 1) {
        const isLater = triangle && Math.floor((column * nKey) / columns) > ahead + lastQuery;
        const x = values[start + column];
        values[start + column] = isLater ? NaN : x >= threshold ? x / full : 0;
      }
    }
    return values;
  }

  return { root, draw };
}

// ------------------------------------------------------------------------------------------------------ the matrix

const LABEL_HEIGHT = 84; // px, at most
const GUTTER = 7; // px, where rows that do not sum to 1 have their mark

export function matrixView(actions) {
  const canvas = make("canvas", { class: "inorder-heat", role: "application", tabindex: 0, "aria-roledescription": "heat map" });
  const gutter = make("canvas", { class: "inorder-gutter", "aria-hidden": "true" });
  const [rowMark, cellMark, hoverMark] = ["is-row", "is-cell", "is-hover"].map((kind) => make("div", { class: `inorder-mark ${kind}`, hidden: true }));
  const rowLabels = make("div", { class: "inorder-row-labels", "aria-hidden": "true" });
  const columnLabels = make("div", { class: "inorder-column-labels", "aria-hidden": "true" });
  const heat = make("div", { class: "inorder-heat-box" }, canvas, rowMark, cellMark, hoverMark);
  const root = make("div", { class: "inorder-matrix-view" }, columnLabels, rowLabels, gutter, heat);
  const [paint, relabel] = [once(), once()];
  let now = null;
  let view = null; // what is in sight; while it is dragged, ahead of state.window
  let size = null;
  let drag = null;

  const matrix = () => ({ nRows: now.data.shape[2], nColumns: now.data.shape[3] });
  const inSight = ([row, column, nRows, nColumns]) => ({ row, column, nRows, nColumns });
  const isWhole = () => view.nRows === matrix().nRows && view.nColumns === matrix().nColumns;

  function show(next) {
    const { row, column, nRows, nColumns } = next;
    view = next;
    actions.choose({ window: isWhole() ? [] : [row, column, nRows, nColumns] });
  }

  function zoom(factor, at = { row: now.state.query, column: now.state.key }) {
    if (factor === 0) show(wholeView(matrix()));
    else show(zoomView(matrix(), view, factor, at));
  }

  function follow(query, key) {
    const down = query < view.row ? query - view.row : Math.max(0, query - (view.row + view.nRows - 1));
    const right = key < view.column ? key - view.column : Math.max(0, key - (view.column + view.nColumns - 1));
    if (down || right) show(panView(matrix(), view, down, right));
  }

  canvas.addEventListener("keydown", (event) => {
    const { query, key } = now.state;
    const { nRows, nColumns } = matrix();
    const all = event.ctrlKey || event.metaKey;
    const moves = {
      ArrowUp: [query - 1, key], ArrowDown: [query + 1, key], ArrowLeft: [query, key - 1], ArrowRight: [query, key + 1],
      PageUp: [query - 10, key], PageDown: [query + 10, key],
      Home: [all ? 0 : query, 0], End: [all ? nRows - 1 : query, nColumns - 1],
    };
    const zooms = { "+": 2, "=": 2, "-": 0.5, "−": 0.5, 0: 0 };
    if (Object.hasOwn(moves, event.key)) {
      event.preventDefault();
      const [to, along] = [clamp(moves[event.key][0], 0, nRows - 1), clamp(moves[event.key][1], 0, nColumns - 1)];
      actions.choose({ query: to, key: along });
      follow(to, along);
    } else if (!all && !event.altKey && Object.hasOwn(zooms, event.key)) {
      event.preventDefault();
      zoom(zooms[event.key]);
    }
  });

  // A press chooses a cell; where the matrix is zoomed, dragging moves it.
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, y: event.clientY, view, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag && !isWhole()) {
      const down = Math.round(((drag.y - event.clientY) / size.height) * view.nRows);
      const right = Math.round(((drag.x - event.clientX) / size.width) * view.nColumns);
      drag.moved ||= Math.hypot(drag.x - event.clientX, drag.y - event.clientY) > 5;
      if (drag.moved) {
        view = panView(matrix(), drag.view, down, right);
        redraw();
      }
      return;
    }
    const at = event.pointerType === "mouse" ? cellAt(canvas, view, event) : null;
    place(hoverMark, at);
    actions.point(at && at.row, at && at.column);
  });
  canvas.addEventListener("pointerup", (event) => {
    const at = cellAt(canvas, view, event);
    const moved = drag?.moved;
    drag = null;
    if (moved) show(view);
    else if (at) actions.choose({ query: at.row, key: at.column });
  });
  canvas.addEventListener("pointercancel", () => {
    drag = null;
  });
  canvas.addEventListener("pointerleave", () => {
    place(hoverMark, null);
    actions.point(null);
  });
  canvas.addEventListener("dblclick", (event) => zoom(2, cellAt(canvas, view, event) ?? undefined));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // a pinch on a touch pad comes as ctrl + wheel; the wheel alone scrolls the page
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.25 : 0.8, cellAt(canvas, view, event) ?? undefined);
  }, { passive: false });

  function place(mark, at) {
    const box = at && cellBox(canvas, view, at);
    mark.hidden = !box;
    if (box) Object.assign(mark.style, box);
  }

  function measure() {
    const { nRows, nColumns } = matrix();
    const label = now.width < 480 ? 62 : 104;
    const width = Math.min(now.width - label - GUTTER - 2, nColumns * 56);
    const height = clamp(Math.round(Math.min((width * nRows) / nColumns, nRows * 40)), Math.min(nRows * 22, 140), 560);
    size = { label, width, height };
    root.style.gridTemplateColumns = `${label}px ${GUTTER}px ${width}px`;
    const longest = stepFor(width / view.nColumns) > 1 ? 4 : Math.max(...now.keyTokens.map((token) => spell(token).length));
    root.style.gridTemplateRows = `${Math.min(LABEL_HEIGHT, 10 + 7 * longest)}px ${height}px`;
  }

  function redraw() {
    const { state, data, dark, shares, head } = now;
    measure();
    const { width, height } = size;
    const { layer, head: h, combine, threshold, triangle, scale } = state;
    canvas.style.touchAction = isWhole() ? "pan-y" : "none";
    paint([layer, h, combine, threshold, triangle, scale, dark, view, size, head ? "head" : Boolean(now.thumbnails)], () => {
      const density = Math.min(devicePixelRatio || 1, 2);
      const colours = colourScale({ kind: "sequential", largest: 1, dark });
      if (!shares) return paintBlocks(colours);
      const [nRows, nColumns] = [Math.min(view.nRows, Math.round(height * density)), Math.min(view.nColumns, Math.round(width * density))];
      const reduced = nRows < view.nRows || nColumns < view.nColumns;
      const source = reduced
        ? { values: largestOfBlocks(shares, data.shape[3], view, nRows, nColumns), nRows, nColumns }
        : { values: shares, ...matrix(), view };
      paintHeatMap(canvas, { ...source, scale: colours, width, height });
      writeNumbers(width / view.nColumns, height / view.nRows);
      paintGutter();
    });
    relabel([view, size, dark, Boolean(head), layer, h, combine], label);
    place(rowMark, { row: state.query });
    place(cellMark, { row: state.query, column: state.key });
    const what = combine === "none" ? `layer ${layer}, head ${h}` : `layer ${layer}, ${combine} of the heads`;
    canvas.setAttribute("aria-label", `Weights of ${what}: arrow keys choose query and key, plus and minus zoom, 0 shows all`);
  }

  // While the head itself is not here, its thumbnail.
  function paintBlocks(colours) {
    const { thumbnails: { rows, columns } } = now.data;
    const values = now.thumbnails ? pictureOfHead(now, now.state.layer, now.state.head) : new Float64Array(rows * columns).fill(NaN);
    if (now.state.combine !== "none") values.fill(NaN);
    const largest = largestOf(values, 0, values.length) || 1;
    paintHeatMap(canvas, { values: values.map((x) => x / largest), nRows: rows, nColumns: columns, scale: colours, ...size });
    gutter.width = 0;
  }

  function writeNumbers(cellWidth, cellHeight) {
    if (cellWidth < 33 || cellHeight < 15) return;
    const pen = canvas.getContext("2d");
    const density = canvas.width / size.width;
    pen.setTransform(density, 0, 0, density, 0, 0);
    Object.assign(pen, { font: `11px ${getComputedStyle(canvas).fontFamily}`, textAlign: "center", textBaseline: "middle" });
    for (let row = 0; row < view.nRows; row += 1) {
      for (let column = 0; column < view.nColumns; column += 1) {
        const i = (view.row + row) * now.data.shape[3] + view.column + column;
        const share = now.shares[i];
        if (!(share > 0)) continue;
        pen.fillStyle = sequentialColour(share, now.dark).ink;
        pen.fillText(now.head.values[i].toFixed(cellWidth < 42 ? 2 : 3), (column + 0.5) * cellWidth, (row + 0.5) * cellHeight + 0.5);
      }
    }
  }

  const isOdd = (query) => Boolean(now.head?.sums) && Math.abs(now.head.sums[query] - 1) > now.data.tolerance;

  function paintGutter() {
    const density = Math.min(devicePixelRatio || 1, 2);
    [gutter.width, gutter.height] = [GUTTER * density, Math.round(size.height * density)];
    Object.assign(gutter.style, { width: `${GUTTER}px`, height: `${size.height}px` });
    const pen = gutter.getContext("2d");
    pen.fillStyle = getComputedStyle(root).getPropertyValue("--first");
    const height = gutter.height / view.nRows;
    for (let row = 0; row < view.nRows; row += 1) {
      if (isOdd(view.row + row)) pen.fillRect(0, row * height, (GUTTER - 2) * density, Math.max(height, density));
    }
  }

  // From one label to the next: tokens where there is room for each, else numbers.
  const stepFor = (cell) => [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => step * cell >= 13) ?? 1000;

  function label() {
    const { label: left, width, height } = size;
    const names = (n, first, cell, list, place) => {
      const step = stepFor(cell);
      const start = Math.ceil(first / step) * step;
      return Array.from({ length: Math.max(0, Math.ceil((first + n - start) / step)) }, (_, i) => {
        const index = start + i * step;
        const text = make("bdi", {}, step === 1 ? spell(list[index]) : String(index));
        return make("span", { style: place((index - first + 0.5) * cell), "data-index": index, title: `${index}: ${list[index]}` }, text);
      });
    };
    const rows = names(view.nRows, view.row, height / view.nRows, now.tokens, (y) => `top: ${y}px; max-width: ${left - 6}px`);
    for (const span of rows) if (isOdd(Number(span.dataset.index))) span.prepend(make("b", { class: "inorder-odd" }, "≠1 "));
    rowLabels.replaceChildren(...rows);
    columnLabels.replaceChildren(...names(view.nColumns, view.column, width / view.nColumns, now.keyTokens,
      (x) => `left: ${left + GUTTER + x}px; max-height: ${LABEL_HEIGHT - 6}px`));
  }

  function draw(next) {
    now = next;
    if (!drag?.moved) view = now.shares && now.state.window.length ? inSight(now.state.window) : wholeView(matrix());
    redraw();
  }
  return { root, draw, zoom, isWhole: () => view === null || isWhole() };
}

// ------------------------------------------------------------------------------------------------------- the lines

const LINE = 22; // px, from one token to the next
const MOST_LINES = 4000; // in the background: the strongest
const MOST_HEIGHT = 21 * LINE;

export function linesView(actions) {
  const canvas = make("canvas", { class: "inorder-lines", "aria-hidden": "true" });
  const spacer = make("div", {});
  // Above the canvas, so that the browser's own scrolling works: the canvas shows what would be in sight.
  const scroller = make("div", { class: "inorder-scroller", role: "application", tabindex: 0, "data-picture": "skip",
    "aria-roledescription": "lines from queries to keys" }, spacer);
  const root = make("div", { class: "inorder-lines-view" }, canvas, scroller);
  const background = document.createElement("canvas");
  const [find, paintBackground] = [once(), once()];
  let now = null;
  let lines = []; // indices of the strongest shares
  let pointed = null; // { query } or { key } under the mouse
  let size = null;
  let shown = null; // the query that was scrolled to

  const yOf = (line) => (line + 0.5) * LINE - scroller.scrollTop;
  const lineOfQuery = (query) => query + now.ahead; // beside its own key, where there is one

  function tokenAt(event) {
    const { left, top } = scroller.getBoundingClientRect();
    const line = Math.floor((event.clientY - top + scroller.scrollTop) / LINE);
    const [, , nQuery, nKey] = now.data.shape;
    const isQuery = event.clientX - left < size.width / 2;
    const index = isQuery ? line - now.ahead : line;
    return index >= 0 && index < (isQuery ? nQuery : nKey) ? { [isQuery ? "query" : "key"]: index } : null;
  }

  function point(at) {
    if (at?.query === pointed?.query && at?.key === pointed?.key) return;
    pointed = at;
    paint();
    if (!at) actions.point(null);
    else if (at.query !== undefined) actions.point(at.query, strongestOf(at.query));
    else actions.point(now.state.query, at.key);
  }

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
    else if (at) actions.choose({ key: at.key });
  });
  scroller.addEventListener("scroll", () => now && paint());
  scroller.addEventListener("keydown", (event) => {
    const [, , nQuery, nKey] = now.data.shape;
    const { query, key } = now.state;
    const queries = { ArrowUp: query - 1, ArrowDown: query + 1, PageUp: query - 10, PageDown: query + 10, Home: 0, End: nQuery - 1 };
    const keys = { ArrowLeft: key - 1, ArrowRight: key + 1 };
    if (!Object.hasOwn(queries, event.key) && !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    if (Object.hasOwn(keys, event.key)) return actions.choose({ key: clamp(keys[event.key], 0, nKey - 1) });
    const to = clamp(queries[event.key], 0, nQuery - 1);
    actions.choose({ query: to, key: strongestOf(to) });
  });

  function measure() {
    const n = Math.max(now.data.shape[3], now.data.shape[2] + now.ahead);
    const height = Math.min(n * LINE, MOST_HEIGHT);
    const width = Math.min(now.width, 720);
    const label = Math.round(Math.min(170, width * 0.33));
    const density = devicePixelRatio || 1;
    if (size?.width === width && size.height === height && size.density === density) return;
    size = { width, height, label, density };
    for (const one of [canvas, background]) [one.width, one.height] = [width * density, height * density];
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    Object.assign(scroller.style, { width: `${width}px`, height: `${height}px` });
    spacer.style.height = `${n * LINE}px`;
  }

  // Strokes of about the same strength are one path: eight paths, not thousands.
  function strokeLines(pen, indices, { alpha, width }) {
    const nKey = now.data.shape[3];
    const paths = Array.from({ length: 8 }, () => new Path2D());
    const { label } = size;
    for (const i of indices) {
      const share = now.shares[i];
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

  function scaled(target) {
    const pen = target.getContext("2d");
    pen.setTransform(size.density, 0, 0, size.density, 0, 0);
    pen.clearRect(0, 0, size.width, size.height);
    return pen;
  }

  function indicesOf({ query, key }) {
    const [, , nQuery, nKey] = now.data.shape;
    const [first, step, n] = query === undefined ? [key, nKey, nQuery] : [query * nKey, 1, nKey];
    const indices = [];
    for (let i = 0; i < n; i += 1) if (now.shares[first + i * step] > 0) indices.push(first + i * step);
    return indices;
  }

  function paint() {
    const { state, dark, shares } = now;
    const chosen = pointed ?? { query: state.query };
    const pen = scaled(canvas);
    if (shares) {
      const { layer, head, combine, threshold, triangle, scale } = state;
      const crowd = Math.min(1, 12 / Math.sqrt(lines.length)); // the more there are, the fainter
      paintBackground([layer, head, combine, threshold, triangle, scale, dark, size, scroller.scrollTop], () =>
        strokeLines(scaled(background), lines, { alpha: (share) => (0.06 + 0.44 * share) * crowd, width: () => 1 }));
      pen.drawImage(background, 0, 0, size.width, size.height);
      strokeLines(pen, indicesOf(chosen), { alpha: (share) => 0.25 + 0.75 * share, width: (share) => 1 + 2.5 * share });
    }
    writeTokens(pen, chosen);
  }

  function writeTokens(pen, chosen) {
    const [, , nQuery, nKey] = now.data.shape;
    const { label, width } = size;
    const style = getComputedStyle(root);
    const inkOfPage = style.getPropertyValue("--ink");
    pen.font = `14px ${style.fontFamily}`;
    pen.textBaseline = "middle";
    const [first, last] = [Math.floor(scroller.scrollTop / LINE), Math.ceil((scroller.scrollTop + size.height) / LINE)];
    for (let line = Math.max(first, 0); line < last; line += 1) {
      const query = line - now.ahead;
      if (query >= 0 && query < nQuery) write(query, now.tokens[query], false);
      if (line < nKey) write(line, now.keyTokens[line], true);
    }

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
        pen.fillRect(left, y - LINE / 2 + 1, label - 4, LINE - 2);
        pen.fillStyle = ink;
      }
      pen.textAlign = isKey ? "left" : "right";
      const odd = !isKey && now.head?.sums && Math.abs(now.head.sums[index] - 1) > now.data.tolerance ? "≠1 " : "";
      pen.fillText(odd + spell(token), isKey ? left + 5 : label - 9, y + 0.5, label - 14);
      if (!isChosen) return;
      pen.strokeStyle = inkOfPage;
      pen.lineWidth = isKey && chosen.key === undefined ? 1 : 2;
      pen.strokeRect(left + 1, y - LINE / 2 + 1, label - 6, LINE - 2);
    }
  }

  function draw(next) {
    now = next;
    measure();
    const { state, shares } = now;
    const { layer, head, combine, threshold, triangle, scale } = state;
    find([layer, head, combine, threshold, triangle, scale, Boolean(shares)], () => {
      lines = shares ? strongest(shares, MOST_LINES) : [];
    });
    if (shown !== state.query) {
      shown = state.query;
      const y = lineOfQuery(state.query) * LINE;
      const outside = y < scroller.scrollTop || y + LINE > scroller.scrollTop + size.height;
      if (outside) scroller.scrollTop = y - size.height / 2;
    }
    scroller.setAttribute("aria-label", "Lines from query tokens to key tokens: up and down choose a query, left and right a key");
    paint();
  }
  return { root, draw };
}
