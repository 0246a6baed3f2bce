import { make, svgNode } from "./elements.js";
import { boxShapes } from "./picture_boxes.js";

// An SVG file of what the reader sees, without the controls: every box, every word, at its place on the screen.
// A plain SVG, drawn by hand, opens everywhere, needs no network, and works from file:// (a canvas would be tainted).
/** @type {(root: HTMLElement, title: string) => void} */
export const savePicture = (root, title) => download(pictureOf(root), "image/svg+xml", title, "svg");

/** @type {(text: string, type: string, title: string, ending: string) => void} */
export function download(text, type, title, ending) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const name =
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "figure";
  make("a", { href: address, download: `${name}.${ending}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @type {(root: HTMLElement) => string} */
export function pictureOf(root) {
  root.classList.add("is-picture"); // style.css: without what is marked data-picture="skip"
  const frame = root.getBoundingClientRect();
  const svg = svgNode("svg", { xmlns: "http://www.w3.org/2000/svg" });
  /** @type {SVGElement} */
  let sheet = svg; // what is being drawn on: in a box that cuts off what leaves it, or fades it, a sheet of its own
  /** @type {SVGElement[]} */
  let outlines = []; // above all else on the sheet
  let [right, bottom] = [frame.width, 0];

  // The box on whole pixels, as browsers draw it.
  /** @type {(box: Box) => Box} */
  function onPixels({ x, y, width, height }) {
    const column = (/** @type {number} */ at) => Math.round(frame.x + at) - Math.round(frame.x);
    const row = (/** @type {number} */ at) => Math.round(frame.y + at) - Math.round(frame.y);
    return { x: column(x), y: row(y), width: column(x + width) - column(x), height: row(y + height) - row(y) };
  }

  /** @type {(box: Box, style: CSSStyleDeclaration) => void} */
  function drawBox(box, style) {
    const { shapes, outline } = boxShapes(onPixels(box), style);
    sheet.append(...shapes);
    outlines.push(...outline);
  }

  // isTurned: the text is written upwards
  /** @type {(text: string, box: Box, style: CSSStyleDeclaration, isTurned: boolean) => void} */
  function drawWord(text, box, style, isTurned) {
    const size = parseFloat(style.fontSize);
    const middle = box.y + box.height / 2;
    const place = isTurned
      ? { x: box.x + box.width / 2 - box.height / 2, y: middle + 0.35 * size, textLength: box.height }
      : { x: box.x, y: middle + 0.35 * size, textLength: box.width };
    const font = { "font-family": style.fontFamily, "font-size": size, "font-weight": style.fontWeight };
    const node = svgNode("text", { ...place, ...font, "font-style": style.fontStyle, fill: style.color });
    if (isTurned) node.setAttribute("transform", `rotate(-90 ${box.x + box.width / 2} ${middle})`);
    node.textContent = text;
    sheet.append(node);
  }

  /** @type {(rect: Box) => Box} */
  function placeOf(rect) {
    const box = { x: rect.x - frame.x, y: rect.y - frame.y, width: rect.width, height: rect.height };
    right = Math.max(right, box.x + box.width);
    bottom = Math.max(bottom, box.y + box.height);
    return box;
  }

  /** @type {(node: Text) => void} */
  function drawText(node) {
    const style = getComputedStyle(/** @type {Element} */ (node.parentElement));
    const range = document.createRange();
    for (const word of node.data.matchAll(/\S+/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      drawWord(word[0], placeOf(range.getBoundingClientRect()), style, style.writingMode === "vertical-rl");
    }
    if (style.textDecorationLine.includes("line-through")) {
      range.selectNodeContents(node);
      for (const { x, y, width, height } of range.getClientRects()) {
        const thick = Math.max(1, Math.round(parseFloat(style.fontSize) / 12));
        const line = placeOf({ x, y: y + (height - thick) / 2, width, height: thick });
        sheet.append(svgNode("rect", { ...onPixels(line), fill: style.color }));
      }
    }
  }

  // What a reader has typed has no text node.
  /** @type {(field: HTMLInputElement, box: Box, style: CSSStyleDeclaration) => void} */
  function drawTyped(field, box, style) {
    const line = make("span", { style: "position: absolute; white-space: pre" }, field.value);
    line.style.font = style.font;
    line.style.letterSpacing = style.letterSpacing;
    root.append(line);
    const { width } = line.getBoundingClientRect();
    line.remove();
    const x = box.x + parseFloat(style.borderLeftWidth) + parseFloat(style.paddingLeft);
    drawWord(field.value, { ...box, x, width }, style, false);
  }

  // The line that a style sheet draws before or after an element, at a place of its own.
  /** @type {(node: Element, which: string, corner: Point, outer: CSSStyleDeclaration) => void} */
  function drawGenerated(node, which, { x, y }, outer) {
    const style = getComputedStyle(node, which);
    if (style.content !== '""' || style.position !== "absolute" || style.display === "none") return;
    const [left, top, width, height] = [style.left, style.top, style.width, style.height].map(parseFloat);
    const inside = { x: x + parseFloat(outer.borderLeftWidth), y: y + parseFloat(outer.borderTopWidth) };
    drawBox(placeOf({ x: inside.x + left, y: inside.y + top, width, height }), style);
  }

  /** @type {(node: Element) => void} */
  function drawElement(node) {
    const style = getComputedStyle(node);
    if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") return;
    if (style.clipPath === "inset(50%)") return; // for a screen reader only
    if (node.matches("details:not([open])")) return; // a closed fold, whose boxes are those of an open one
    const beside = sheet;
    if (style.opacity !== "1") {
      sheet = svgNode("g", { opacity: style.opacity });
      beside.append(sheet);
    }
    const rect = node.getBoundingClientRect();
    const isSeen = node !== root && rect.width > 0;
    const box = isSeen ? placeOf(rect) : rect;
    if (isSeen) {
      drawBox(box, style);
      for (const which of ["::before", "::after"]) drawGenerated(node, which, rect, style);
    }
    if (node instanceof HTMLCanvasElement) {
      const stretch = { preserveAspectRatio: "none", "image-rendering": style.imageRendering }; // as on the page
      sheet.append(svgNode("image", { ...box, href: node.toDataURL(), ...stretch }));
    } else if (node instanceof SVGSVGElement) {
      sheet.append(copyOfDrawing(node, box));
    } else if (node instanceof HTMLInputElement) {
      if (node.type === "text") drawTyped(node, box, style);
    } else if (isSeen && (style.overflowX === "hidden" || style.overflowX === "clip")) {
      const [outer, outlinesOutside, ends] = [sheet, outlines, [right, bottom]];
      sheet = svgNode("svg", { ...box, viewBox: `${box.x} ${box.y} ${box.width} ${box.height}` });
      outer.append(sheet);
      outlines = [];
      drawChildren(node);
      sheet.append(...outlines);
      [sheet, outlines, [right, bottom]] = [outer, outlinesOutside, ends];
    } else drawChildren(node);
    sheet = beside;
  }

  /** @type {(node: Element) => void} */
  function drawChildren(node) {
    for (const child of node.childNodes) {
      if (child instanceof Element) drawElement(child);
      if (child instanceof Text) drawText(child);
    }
  }

  drawElement(root);
  svg.append(...outlines);
  root.classList.remove("is-picture");
  const [width, height] = [Math.ceil(right), Math.ceil(bottom) + 16];
  const paper = svgNode("rect", { width, height, fill: getComputedStyle(root).backgroundColor });
  svg.prepend(paper);
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) {
    svg.setAttribute(name, String(value));
  }
  return new XMLSerializer().serializeToString(svg);
}

// The style sheet does not travel with the file, so each shape carries its own styles.
/** @type {(drawing: SVGSVGElement, box: Box) => SVGSVGElement} */
function copyOfDrawing(drawing, box) {
  const look = [
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-opacity",
    "vector-effect",
    "opacity",
    "display",
  ];
  const font = ["font-family", "font-size", "font-style", "font-weight", "text-anchor", "dominant-baseline"];
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  const shapes = [...copy.querySelectorAll("*")];
  drawing.querySelectorAll("*").forEach((shape, i) => {
    const style = getComputedStyle(shape);
    for (const name of [...look, ...font]) shapes[i].setAttribute(name, style.getPropertyValue(name));
  });
  const { overflow } = getComputedStyle(drawing);
  for (const [name, value] of Object.entries({ ...box, overflow })) copy.setAttribute(name, String(value));
  return copy;
}
