import { make, svgNode } from "./elements.js";

// An SVG file of what the reader sees, without the controls: every box, every word, at its place on the screen.
// A plain SVG, drawn by hand, opens everywhere, needs no network, and works from file:// (a canvas would be tainted).
/** @type {(root: HTMLElement, title: string) => void} */
export function savePicture(root, title) {
  const file = new Blob([pictureOf(root)], { type: "image/svg+xml" });
  const address = URL.createObjectURL(file);
  const name =
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "figure";
  make("a", { href: address, download: `${name}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @type {(root: HTMLElement) => string} */
export function pictureOf(root) {
  root.classList.add("is-picture"); // style.css: without what is marked data-picture="skip"
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
    if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") return;
    if (node.matches("details:not([open])")) return; // a closed fold, whose boxes are those of an open one
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
    svg.setAttribute(name, String(value));
  }
  return new XMLSerializer().serializeToString(svg);
}

// The style sheet does not travel with the file, so each shape takes its look along.
function copyOfDrawing(drawing, box) {
  const look = [
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-opacity",
    "vector-effect",
    "opacity",
    "display",
  ];
  const font = ["font-family", "font-size", "font-style", "font-weight", "text-anchor", "dominant-baseline"];
  const copy = drawing.cloneNode(true);
  const shapes = [...copy.querySelectorAll("*")];
  drawing.querySelectorAll("*").forEach((shape, i) => {
    const style = getComputedStyle(shape);
    for (const name of [...look, ...font]) shapes[i].setAttribute(name, style.getPropertyValue(name));
  });
  const { overflow } = getComputedStyle(drawing);
  for (const [name, value] of Object.entries({ ...box, overflow })) copy.setAttribute(name, value);
  return copy;
}
