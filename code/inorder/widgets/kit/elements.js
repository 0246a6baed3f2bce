// Making elements of a page.

// make("button", { class: "x", onclick: f }, "text"): strings become text, never HTML.
/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
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

// Writing the same text again costs a layout, and replacing a text node costs more than changing its text.
/** @type {(node: Node, text: string) => void} */
export function write(node, text) {
  const { firstChild } = node;
  if (firstChild instanceof Text && !firstChild.nextSibling) {
    if (firstChild.data !== text) firstChild.data = text;
  } else if (node.textContent !== text) node.textContent = text;
}

// Writing the same attribute again costs as much.
/** @type {(node: Element, attributes: Record<string, any>) => void} */
export function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
}

// A drawing so wide and high, in units of so many pixels.
/** @type {(drawing: SVGElement, width: number, height: number, unit: number, more?: Record<string, string>) => void} */
export function sizeDrawing(drawing, width, height, unit, more) {
  const size = { viewBox: `0 0 ${width} ${height}`, width: width * unit, height: height * unit };
  setAttributes(drawing, { ...size, ...more });
}

// The context that paints on a canvas.
/** @type {(canvas: HTMLCanvasElement) => CanvasRenderingContext2D} */
export function penOf(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

// Is the element in a closed fold? Browsers give it a size even there.
/** @type {(element: Element) => boolean} */
export function isFolded(element) {
  return element.closest("details:not([open])") !== null;
}

// Is the page being printed? Then no frame comes any more.
let isForPaper = false;
globalThis.addEventListener?.("beforeprint", () => {
  isForPaper = true;
});
globalThis.addEventListener?.("afterprint", () => {
  isForPaper = false;
});
export const isPrinting = () => isForPaper;

// The prefix made unique, because several views of one model, and several widgets, may stand on one page.
/** @type {(prefix: string) => string} */
export function uniqueId(prefix) {
  return `${prefix}-${Math.random().toString(36).slice(2)}`;
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} attributes
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svgNode(tag, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name !== "xmlns") node.setAttribute(name, value);
  }
  return node;
}
