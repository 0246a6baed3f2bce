// What the interactive figures share: arithmetic, words, colours, controls, matrices, the frame around a figure.
// Matrices are arrays of rows. The arithmetic repeats inorder.attention, under the same names, and is tested against it.

// ---------------------------------------------------------------------------------------------- arithmetic

// Plain loops, because a figure's every step multiplies: a third of the time that a reduce for each entry takes.
export function matmul(a, b) {
  const width = b[0].length;
  return a.map((row) => {
    const product = new Array(width).fill(0);
    for (let k = 0; k < row.length; k += 1) {
      for (let column = 0; column < width; column += 1) product[column] += row[k] * b[k][column];
    }
    return product;
  });
}

export function transpose(a) {
  return a[0].map((_, column) => a.map((row) => row[column]));
}

export function softmax(x) {
  const largest = Math.max(...x); // exp of a difference cannot overflow
  if (largest === -Infinity) throw new Error("softmax: every entry is masked");
  const exps = x.map((value) => Math.exp(value - largest));
  const total = exps.reduce((sum, value) => sum + value, 0);
  return exps.map((value) => value / total);
}

export function attentionScores(query, key, { scale = 1 / Math.sqrt(query[0].length) } = {}) {
  return matmul(query, transpose(key)).map((row) => row.map((score) => score * scale)); // (query, key)
}

export function maskedScores(scores, { mask = null, bias = null } = {}) {
  return scores.map((row, i) =>
    row.map((score, j) => (mask && !mask[i][j] ? -Infinity : score + (bias ? bias[i][j] : 0))),
  );
}

export function attentionWeights(query, key, { mask, bias, scale } = {}) {
  return maskedScores(attentionScores(query, key, { scale }), { mask, bias }).map(softmax); // (query, key)
}

export function scaledDotProductAttention(query, key, value, { mask, bias, scale } = {}) {
  return matmul(attentionWeights(query, key, { mask, bias, scale }), value); // (query, d_value)
}

export function causalMask(nQuery, nKey = nQuery) {
  const rows = Array.from({ length: nQuery }, (_, i) => nKey - nQuery + i); // the last query sits at the last key
  return rows.map((position) => Array.from({ length: nKey }, (_, j) => j <= position));
}

// PE(p)_2j = sin(p ω_j), PE(p)_2j+1 = cos(p ω_j), ω_j = base^(−2j/d_model)
export function sinusoidalEncoding(positions, dModel, { base = 10_000 } = {}) {
  const angle = (position, column) => position * base ** (-2 * Math.floor(column / 2) / dModel);
  const wave = (position, column) => (column % 2 ? Math.cos : Math.sin)(angle(position, column));
  return positions.map((position) => Array.from({ length: dModel }, (_, column) => wave(position, column))); // (position, d_model)
}

// n numbers in [−1, 1) that look random and are always the same for the same text: a vector for any word.
// An FNV-1a hash starts a 32-bit SplitMix generator; numbers_from_text in same_or_not.py gives the same.
export function numbersFromText(text, n) {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return Array.from({ length: n }, () => {
    state = (state + 0x9e3779b9) | 0;
    let bits = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return (2 * ((bits ^ (bits >>> 15)) >>> 0)) / 2 ** 32 - 1;
  });
}

// What adding the same numbers in another order may leave: a difference below it counts as none.
export const ROUNDING = 1e-12;

// The list with the entry at one place moved to another.
export function moveWithin(list, from, to) {
  const rest = list.filter((_, place) => place !== from);
  return [...rest.slice(0, to), list[from], ...rest.slice(to)];
}

export function largestMagnitude(...matrices) {
  return Math.max(1, ...matrices.flat(2).filter(Number.isFinite).map(Math.abs));
}

// -------------------------------------------------------------------------------------- numbers and words

export function formatNumber(x, digits = 2) {
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const text = Math.abs(x).toFixed(digits);
  return x < 0 && Number(text) !== 0 ? `−${text}` : text;
}

// Two decimals, or one digit and a power of ten where those would hide it.
export function formatDifference(x) {
  if (x === 0) return "0";
  return x >= 0.005 ? formatNumber(x) : x.toExponential(0);
}

// 0.1 + 0.2 is 0.3 to a reader who moves by steps.
export function tidy(x) {
  return Math.round(x * 1000) / 1000;
}

export function equalsOrNearly(x, digits = 2) {
  return Math.abs(x - Number(x.toFixed(digits))) < 1e-9 ? "=" : "≈";
}

export function subscript(n) {
  return String(n).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);
}

export function shorten(text, length) {
  const letters = [...text];
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : text;
}

export function isText(value, longest) {
  return typeof value === "string" && [...value].length <= longest;
}

export function isMatrix(value, largest) {
  const isNumber = (x) => typeof x === "number" && Math.abs(x) <= largest;
  const isRow = (row) => Array.isArray(row) && row.length === value[0].length && row.every(isNumber);
  return Array.isArray(value) && value.length > 0 && Array.isArray(value[0]) && value[0].length > 0 && value.every(isRow);
}

// -------------------------------------------------------------------------------------------------- colour

const COLOURS = {
  light: { none: [255, 255, 255], negative: [213, 94, 0], positive: [0, 114, 178], weight: [106, 79, 179] },
  dark: { none: [24, 28, 34], negative: [230, 140, 60], positive: [86, 170, 230], weight: [170, 146, 240] },
};

// By sign: orange below zero, blue above; never the full colour, so that numbers stay easy to read.
export function divergingColour(amount, dark) {
  const { none, negative, positive } = COLOURS[dark ? "dark" : "light"];
  return blend(none, amount < 0 ? negative : positive, 0.8 * Math.abs(amount));
}

export function sequentialColour(amount, dark) {
  const { none, weight } = COLOURS[dark ? "dark" : "light"];
  return blend(none, weight, amount);
}

// `ink` is black or white, whichever has the better contrast with the fill (at least 4.5 to 1).
export function blend(from, to, amount) {
  const share = Math.min(Math.max(amount, 0), 1);
  const fill = from.map((channel, i) => Math.round(channel + (to[i] - channel) * share));
  const [red, green, blue] = fill.map((c) => (c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return { fill: `rgb(${fill.join(" ")})`, ink: luminance > 0.1791 ? "#000" : "#fff" };
}

// The book, then JupyterLab, then VS Code, then the reader's system.
export function isDark() {
  const theme = document.documentElement.dataset.theme;
  if (theme) return theme === "dark";
  if (document.body.dataset.jpThemeLight) return document.body.dataset.jpThemeLight === "false";
  if (document.body.classList.contains("vscode-light")) return false;
  if (document.body.classList.contains("vscode-dark")) return true;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

export function watchTheme(onChange) {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  observer.observe(document.body, { attributes: true, attributeFilter: ["class", "data-jp-theme-light"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", onChange);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", onChange);
  };
}

// ---------------------------------------------------------------------------------- elements and controls

// make("button", { class: "x", onclick: f }, "text"): strings become text, never HTML.
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// Text that is already there costs a layout when it is written again.
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Several views of one model, and several widgets, stand on one page.
export function uniqueId(prefix) {
  return `${prefix}-${Math.random().toString(36).slice(2)}`;
}

export function button({ label, text = label, onClick }) {
  return make("button", { type: "button", class: "inorder-button", "aria-label": label, onclick: onClick }, text);
}

// A slider and, for exact values, a number box. `set` shows a value without reporting it.
export function slider({ label, min, max, step, onInput }) {
  const report = (event) => {
    if (event.target.value !== "" && event.target.validity.valid) onInput(event.target.valueAsNumber);
  };
  const range = make("input", { type: "range", min, max, step, "aria-label": label, oninput: report });
  const box = make("input", { type: "number", step: "any", "aria-label": `${label}, as a number`, oninput: report });
  const name = make("span", { class: "inorder-slider-name" }, label);
  const set = (value) => {
    range.min = Math.min(min, Math.floor(value));
    range.max = Math.max(max, Math.ceil(value));
    range.value = value;
    if (box.valueAsNumber !== value) box.value = value; // "1." must stay as it is while being typed
  };
  const rename = (text) => {
    name.textContent = text;
    range.setAttribute("aria-label", text);
    box.setAttribute("aria-label", `${text}, as a number`);
  };
  return { root: make("div", { class: "inorder-slider" }, name, range, box), range, box, set, rename };
}

export function checkbox({ label, onInput }) {
  const input = make("input", { type: "checkbox", onchange: () => onInput(input.checked) });
  const text = make("span", {}, label);
  const set = (checked) => {
    input.checked = checked;
  };
  return { root: make("label", { class: "inorder-checkbox" }, input, text), input, text, set };
}

export function select({ label, options, onInput }) {
  const choices = options.map(([value, text]) => make("option", { value }, text));
  const input = make("select", { onchange: () => onInput(input.value) }, ...choices);
  const set = (value) => {
    input.value = value;
  };
  return { root: make("label", { class: "inorder-select" }, label, input), input, set };
}

// A letter as mathematics sets it: variable("W", { sub: "Q" }).
export function variable(letter, { sub = "", sup = "" } = {}) {
  const parts = [make("var", {}, letter)];
  if (sub) parts.push(make("sub", {}, sub));
  if (sup) parts.push(make("sup", {}, sup));
  return make("span", { class: "inorder-variable" }, ...parts);
}

// ------------------------------------------------------------------------------------------------ matrices

// A labelled matrix of numbers, one tab stop; arrow keys move inside it.
//   name        goes on each cell as data-name, beside data-row, data-col and data-value (full precision)
//   equation    nodes above the matrix; words, a plain-language name below them; label, both in words for a screen reader
//   describedBy the id of the element that explains the cell under pointer or focus
//   onShow(row, column, kind)   kind: "focus" or "hover"; onLeave() when the mouse leaves
//   onEdit(row, column, value)  present: cells can be dragged sideways, and + and − change them; step, by how much
//   onType()                    present: Enter or a digit asks for a box to type a number in
export function matrixGrid({ name, label, equation, words, describedBy, onShow, onLeave, onEdit, onType, step = 0.1 }) {
  const shape = make("span", { class: "inorder-shape" });
  const formula = make("div", { class: "inorder-equation" }, ...equation);
  const caption = make("div", { class: "inorder-words" }, `${words}, `, shape);
  const grid = make("div", { class: "inorder-grid", role: "grid", "aria-readonly": String(!onEdit) });
  const root = make("div", { class: onEdit ? "inorder-matrix is-editable" : "inorder-matrix" }, formula, caption, grid);
  let values = [];
  let cells = [];
  let active = [0, 0]; // the cell that Tab reaches

  function build(nRows, nColumns) {
    const corner = make("div", { role: "gridcell", class: "inorder-corner" });
    const heads = Array.from({ length: nColumns }, () => make("div", { role: "columnheader", class: "inorder-head" }));
    const rows = [make("div", { role: "row", class: "inorder-row" }, corner, ...heads)];
    cells = [];
    for (let row = 0; row < nRows; row += 1) {
      const label = make("div", { role: "rowheader", class: "inorder-label" });
      cells.push(Array.from({ length: nColumns }, (_, column) => makeCell(row, column)));
      rows.push(make("div", { role: "row", class: "inorder-row" }, label, ...cells[row]));
    }
    grid.style.setProperty("--columns", nColumns);
    grid.replaceChildren(...rows);
    active = [Math.min(active[0], nRows - 1), Math.min(active[1], nColumns - 1)];
    cells[active[0]][active[1]].tabIndex = 0;
  }

  function makeCell(row, column) {
    const attributes = { role: "gridcell", class: "inorder-cell", tabindex: -1, "aria-describedby": describedBy };
    return make("div", { ...attributes, "data-name": name, "data-row": row, "data-col": column });
  }

  function update({ values: next, rows, columns, colour }) {
    const hadFocus = grid.contains(document.activeElement);
    const sameShape = next.length === cells.length && next[0].length === cells[0].length;
    values = next;
    if (!sameShape) build(values.length, values[0].length);
    grid.querySelectorAll(".inorder-label").forEach((label, row) => setLabel(label, rows[row]));
    grid.querySelectorAll(".inorder-head").forEach((head, column) => setLabel(head, columns[column]));
    cells.forEach((line, row) =>
      line.forEach((cell, column) => {
        const value = values[row][column];
        const { fill, ink } = colour(value);
        cell.textContent = formatNumber(value);
        cell.dataset.value = String(value);
        cell.style.backgroundColor = fill; // both "" in a matrix without colour: kit.css decides
        cell.style.color = ink;
        cell.classList.toggle("is-masked", value === -Infinity);
      }),
    );
    shape.textContent = `${values.length} × ${values[0].length}`;
    grid.setAttribute("aria-label", `${label}, ${values.length} by ${values[0].length}`);
    if (!sameShape && hadFocus) cells[active[0]][active[1]].focus();
  }

  function setLabel(node, text) {
    node.textContent = shorten(text, 6) || "␣"; // a reader may empty a token
    node.title = text;
  }

  // marks: [{ kind: "target" | "first" | "second", row, column }], a missing row or column means all of them
  function mark(marks) {
    cells.forEach((line, row) =>
      line.forEach((cell, column) => {
        const hit = (m) => (m.row ?? row) === row && (m.column ?? column) === column;
        for (const kind of ["target", "first", "second"]) {
          cell.classList.toggle(`is-${kind}`, marks.some((m) => m.kind === kind && hit(m)));
        }
      }),
    );
  }

  function place(node) {
    const cell = node.closest(".inorder-cell");
    return cell && [Number(cell.dataset.row), Number(cell.dataset.col)];
  }

  function focusCell(row, column) {
    cells[row][column].focus();
  }

  grid.addEventListener("focusin", (event) => {
    cells[active[0]][active[1]].tabIndex = -1;
    active = place(event.target);
    cells[active[0]][active[1]].tabIndex = 0;
    onShow(...active, "focus");
  });

  grid.addEventListener("pointerover", (event) => {
    const at = place(event.target);
    if (at && event.pointerType === "mouse") onShow(...at, "hover");
  });

  grid.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") onLeave();
  });

  grid.addEventListener("keydown", (event) => {
    const [row, column] = place(event.target);
    const [lastRow, lastColumn] = [values.length - 1, values[0].length - 1];
    const moves = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: event.ctrlKey ? [0, 0] : [row, 0],
      End: event.ctrlKey ? [lastRow, lastColumn] : [row, lastColumn],
    };
    const signs = { "+": 1, "=": 1, "-": -1, "−": -1 };
    const command = event.ctrlKey || event.metaKey || event.altKey;
    if (Object.hasOwn(moves, event.key)) {
      event.preventDefault();
      const [toRow, toColumn] = moves[event.key];
      if (cells[toRow]?.[toColumn]) focusCell(toRow, toColumn);
    } else if (onEdit && !command && Object.hasOwn(signs, event.key)) {
      event.preventDefault();
      onEdit(row, column, tidy(values[row][column] + signs[event.key] * step));
    } else if (onType && !command && /^(Enter|[0-9.])$/.test(event.key)) {
      if (event.key === "Enter") event.preventDefault();
      onType(); // a digit then lands in the box
    }
  });

  // Drag sideways: 6 pixels make one step. A vertical move still scrolls the page (touch-action in kit.css).
  let drag = null;
  grid.addEventListener("pointerdown", (event) => {
    const at = place(event.target);
    if (!onEdit || !at || event.button !== 0) return;
    drag = { at, x: event.clientX, from: values[at[0]][at[1]], moved: false };
    event.target.setPointerCapture(event.pointerId);
  });
  grid.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const steps = Math.round((event.clientX - drag.x) / 6);
    drag.moved ||= steps !== 0;
    if (drag.moved) onEdit(...drag.at, tidy(drag.from + steps * step));
  });
  for (const end of ["pointerup", "pointercancel"]) {
    grid.addEventListener(end, () => {
      drag = null;
    });
  }

  return { root, formula, update, mark, focusCell };
}

// ------------------------------------------------------------------------------- the frame around a figure

// Title, controls, stage, summary, toolbar, in this order in every figure.
//   checks  { name: (value) => boolean } for each part of the state; agree(state), whether the parts fit together.
//           They guard against what the address bar says and against a state that is only half updated.
// Returns the parts of the page { root, controls, stage } and what a figure does with them: state(), change(parts),
// summary(text), notify(text), close(). Drawing goes through followState.
export function figureShell({ model, el, page, checks, agree = () => true }) {
  const title = make("div", { class: "inorder-title" }, model.get("title"));
  const controls = make("div", { class: "inorder-controls", "data-picture": "skip" });
  const stage = make("div", { class: "inorder-stage" });
  const sentence = make("p", { class: "inorder-summary", "aria-live": "polite" });
  const notice = make("p", { class: "inorder-notice", role: "status", "data-picture": "skip" });
  const toolbar = make("div", { class: "inorder-toolbar", "data-picture": "skip" });
  const root = make("section", { class: "inorder-figure", role: "group", "aria-label": model.get("title") });
  root.setAttribute("data-lm-suppress-shortcuts", "true"); // arrow keys are the figure's, not JupyterLab's
  root.append(title, controls, stage, sentence, toolbar, notice);
  el.append(root);

  const names = Object.keys(model.get("initial_state"));
  const state = () => Object.fromEntries(names.map((name) => [name, model.get(name)]));
  const change = (parts) => {
    for (const [name, value] of Object.entries(parts)) model.set(name, value);
    model.save_changes();
  };
  const summary = (text) => {
    if (sentence.textContent !== text) sentence.textContent = text;
  };
  const notify = (text) => notice.replaceChildren(text);

  function restore(candidate) {
    const parts = {};
    for (const name of names) {
      if (Object.hasOwn(candidate, name) && checks[name](candidate[name])) parts[name] = candidate[name];
    }
    const fits = agree({ ...state(), ...parts });
    if (fits) change(parts);
    if (!fits || Object.keys(candidate).some((name) => !Object.hasOwn(parts, name))) {
      notify("Part of the link does not fit this figure and was left out.");
    }
  }
  if (page?.initialState && typeof page.initialState === "object") restore(page.initialState);

  async function copyLink() {
    const link = page.link(state());
    try {
      await navigator.clipboard.writeText(link);
      notify("Link copied: it opens this page with the figure as it is now.");
    } catch {
      const box = make("input", { type: "text", readonly: true, value: link, "aria-label": "Link to this state" });
      notice.replaceChildren("Copy this link: ", box);
      box.select();
    }
  }

  const fullScreen = button({
    label: "Full screen",
    onClick: () => (document.fullscreenElement === root ? document.exitFullscreen() : root.requestFullscreen()),
  });
  const nameFullScreen = () => {
    const text = document.fullscreenElement === root ? "Leave full screen" : "Full screen";
    fullScreen.textContent = text;
    fullScreen.setAttribute("aria-label", text);
  };
  document.addEventListener("fullscreenchange", nameFullScreen);

  const reset = () => {
    change(model.get("initial_state"));
    notify("");
  };
  toolbar.append(button({ label: "Reset", onClick: reset }));
  if (page) toolbar.append(button({ label: "Copy link", onClick: copyLink }));
  if (document.fullscreenEnabled) toolbar.append(fullScreen);
  toolbar.append(button({ label: "Save picture", onClick: () => savePicture(root, model.get("title")) }));

  const close = () => {
    document.removeEventListener("fullscreenchange", nameFullScreen);
    root.remove();
  };
  return { model, root, controls, stage, names, agree, state, change, summary, notify, close };
}

// Calls draw(state, dark) now, and whenever the state or the page's theme changes. Returns the function that stops it.
export function followState(shell, draw) {
  const redraw = () => {
    const state = shell.state();
    shell.root.classList.toggle("is-dark", isDark());
    if (shell.agree(state)) draw(state, isDark());
  };
  for (const name of shell.names) shell.model.on(`change:${name}`, redraw);
  const stopTheme = watchTheme(redraw);
  redraw();
  return () => {
    for (const name of shell.names) shell.model.off(`change:${name}`, redraw);
    stopTheme();
  };
}

// Draw anew when the figure becomes wider or narrower.
export function followWidth(shell, draw) {
  let width = shell.stage.clientWidth;
  const watch = new ResizeObserver(() => {
    if (shell.stage.clientWidth === width || !shell.agree(shell.state())) return;
    width = shell.stage.clientWidth;
    draw(shell.state(), isDark());
  });
  watch.observe(shell.stage);
  return () => watch.disconnect();
}

// ------------------------------------------------------------------------------------------ saving a picture

// An SVG file of what the reader sees, without the controls: every box, every word, at its place on the screen.
// A plain SVG, drawn by hand, opens everywhere, needs no network, and works from file:// (a canvas would be tainted).
export function savePicture(root, title) {
  const file = new Blob([pictureOf(root)], { type: "image/svg+xml" });
  const address = URL.createObjectURL(file);
  const name = title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "figure";
  make("a", { href: address, download: `${name}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function pictureOf(root) {
  root.classList.add("is-picture"); // kit.css: without what is marked data-picture="skip"
  const frame = root.getBoundingClientRect();
  const svg = svgNode("svg", { xmlns: "http://www.w3.org/2000/svg" });
  const outlines = []; // above all else
  let [right, bottom] = [frame.width, 0];

  function drawBox(box, style) {
    const border = parseFloat(style.borderTopWidth) > 0 && style.borderTopStyle !== "none";
    const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    if (style.backgroundColor !== "rgba(0, 0, 0, 0)" || border) {
      const stroke = border && parseFloat(style.borderBottomWidth) > 0 ? style.borderTopColor : "none";
      svg.append(svgNode("rect", { ...box, fill: style.backgroundColor, stroke, rx: parseFloat(style.borderRadius) }));
    }
    if (outline) {
      const lines = { stroke: style.outlineColor, "stroke-width": 2 };
      if (style.outlineStyle === "dashed") lines["stroke-dasharray"] = "4 3";
      outlines.push(svgNode("rect", { ...box, fill: "none", ...lines }));
    }
  }

  function drawWord(text, box, style) {
    const size = parseFloat(style.fontSize);
    const place = { x: box.x, y: box.y + box.height / 2 + 0.35 * size, textLength: box.width };
    const font = { "font-family": style.fontFamily, "font-size": size, "font-weight": style.fontWeight };
    const node = svgNode("text", { ...place, ...font, "font-style": style.fontStyle, fill: style.color });
    node.textContent = text;
    svg.append(node);
  }

  function placeOf(rect) {
    const box = { x: rect.x - frame.x, y: rect.y - frame.y, width: rect.width, height: rect.height };
    right = Math.max(right, box.x + box.width);
    bottom = Math.max(bottom, box.y + box.height);
    return box;
  }

  function drawText(node) {
    const range = document.createRange();
    for (const word of node.data.matchAll(/\S+/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      drawWord(word[0], placeOf(range.getBoundingClientRect()), getComputedStyle(node.parentElement));
    }
  }

  function drawElement(node) {
    const style = getComputedStyle(node);
    if (style.display === "none" || style.visibility === "hidden") return;
    const rect = node.getBoundingClientRect();
    if (node !== root && rect.width > 0) drawBox(placeOf(rect), style);
    if (node instanceof HTMLCanvasElement) {
      const stretch = { preserveAspectRatio: "none", "image-rendering": style.imageRendering }; // as on the page
      svg.append(svgNode("image", { ...placeOf(rect), href: node.toDataURL(), ...stretch }));
    } else if (node instanceof SVGSVGElement) {
      svg.append(copyOfDrawing(node, placeOf(rect)));
    } else {
      for (const child of node.childNodes) {
        if (child.nodeType === Node.ELEMENT_NODE) drawElement(child);
        if (child.nodeType === Node.TEXT_NODE) drawText(child);
      }
    }
  }

  drawElement(root);
  svg.append(...outlines);
  root.classList.remove("is-picture");
  const [width, height] = [Math.ceil(right), Math.ceil(bottom) + 16];
  const paper = svgNode("rect", { width, height, fill: getComputedStyle(root).backgroundColor });
  svg.prepend(paper);
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) {
    svg.setAttribute(name, value);
  }
  return new XMLSerializer().serializeToString(svg);
}

// The style sheet does not travel with the file, so each shape takes its look along.
function copyOfDrawing(drawing, box) {
  const look = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity", "display"];
  const font = ["font-family", "font-size", "font-style", "font-weight", "text-anchor", "dominant-baseline"];
  const copy = drawing.cloneNode(true);
  const shapes = [...copy.querySelectorAll("*")];
  drawing.querySelectorAll("*").forEach((shape, i) => {
    const style = getComputedStyle(shape);
    for (const name of [...look, ...font]) shapes[i].setAttribute(name, style.getPropertyValue(name));
  });
  for (const [name, value] of Object.entries(box)) copy.setAttribute(name, value);
  return copy;
}

export function svgNode(tag, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name !== "xmlns") node.setAttribute(name, value);
  }
  return node;
}
