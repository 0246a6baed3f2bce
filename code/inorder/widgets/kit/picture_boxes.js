// What a style sheet draws of a box, as shapes of SVG: its ground, borders, rings and outline.

import { svgNode, uniqueId } from "./elements.js";

const SIDES = /** @type {const} */ (["borderTop", "borderRight", "borderBottom", "borderLeft"]);
const NO_COLOUR = "rgba(0, 0, 0, 0)";
const SHADOW = /(\w+\([^)]*\)) (\S+)px (\S+)px (\S+)px (\S+)px( inset)?/g; // as a browser reports it

const COLOUR = /rgb\([^)]*\)/g;
const SCALE = /^linear-gradient\(90deg, ((?:rgb\([^)]*\)(?:, )?)+)\)$/; // the colours of a legend, from left to right

/** @typedef {{ stroke: string, "stroke-width": number, "stroke-dasharray"?: string }} Lines */

// { shapes, outline }: the outline, a list of one shape or none, is drawn above all else.
/** @type {(box: Box, style: CSSStyleDeclaration) => { shapes: SVGElement[], outline: SVGElement[] }} */
export function boxShapes(box, style) {
  const shapes = [];
  const rx = parseFloat(style.borderRadius);
  if (style.backgroundColor !== NO_COLOUR) shapes.push(svgNode("rect", { ...box, fill: style.backgroundColor, rx }));
  const colours = style.backgroundImage.match(SCALE)?.[1].match(COLOUR);
  if (colours) shapes.push(...scaleOf(box, colours));
  const sides = SIDES.map((side) => linesOf(style, side));
  const [first] = sides;
  if (first && sides.every((lines) => lines?.stroke === first.stroke)) {
    shapes.push(frameOf(box, -first["stroke-width"] / 2, first, rx));
  } else {
    for (const [side, lines] of sides.entries()) if (lines) shapes.push(sideOf(box, side, lines));
  }
  for (const [, stroke, x, y, blur, spread, inset] of style.boxShadow.matchAll(SHADOW)) {
    const [down, width] = [Number(y), Number(spread)];
    if (Number(blur) || Number(x) || Boolean(width) === Boolean(down)) continue; // a shadow: no line
    const line = { "stroke-width": Math.abs(width || down), stroke };
    const inner = grown(box, inset ? -parseFloat(style.borderTopWidth) : 0);
    if (width) shapes.push(frameOf(inner, (inset ? -1 : 1) * (width / 2), line, rx));
    else if (inset) shapes.push(sideOf(inner, down > 0 ? 0 : 2, line));
  }
  const around = linesOf(style, "outline");

  if (!around) return { shapes, outline: [] };
  const by = parseFloat(style.outlineOffset) + around["stroke-width"] / 2;
  return { shapes, outline: [frameOf(box, by, around, rx)] };
}

// The look of a border or an outline, or null if there is none.
/** @type {(style: CSSStyleDeclaration, name: (typeof SIDES)[number] | "outline") => Lines | null} */
function linesOf(style, name) {
  const [width, stroke, kind] = [parseFloat(style[`${name}Width`]), style[`${name}Color`], style[`${name}Style`]];
  if (kind === "none" || kind === "hidden" || !(width > 0) || stroke === NO_COLOUR) return null;
  const dashes = kind === "dashed" ? `${3 * width} ${2 * width}` : kind === "dotted" ? `${width} ${width}` : null;
  return { stroke, "stroke-width": width, ...(dashes && { "stroke-dasharray": dashes }) };
}

/** @type {(box: Box, colours: string[]) => SVGElement[]} */
function scaleOf(box, colours) {
  const id = uniqueId("scale");
  const gradient = svgNode("linearGradient", { id });
  colours.forEach((colour, i) => {
    gradient.append(svgNode("stop", { offset: i / (colours.length - 1), "stop-color": colour }));
  });
  return [gradient, svgNode("rect", { ...box, fill: `url(#${id})` })];
}

/** @type {(box: Box, by: number) => Box} */
function grown({ x, y, width, height }, by) {
  return { x: x - by, y: y - by, width: Math.max(width + 2 * by, 0), height: Math.max(height + 2 * by, 0) };
}

/** @type {(box: Box, by: number, lines: Lines, rx: number) => SVGElement} */
function frameOf(box, by, lines, rx) {
  return svgNode("rect", { ...grown(box, by), rx: rx && Math.max(rx + by, 0), fill: "none", ...lines });
}

// side: 0 is above, 1 on the right, and so on
/** @type {(box: Box, side: number, lines: Lines) => SVGElement} */
function sideOf({ x, y, width, height }, side, lines) {
  const half = lines["stroke-width"] / 2;
  const [left, right, top, bottom] = [x + half, x + width - half, y + half, y + height - half];
  const ends = [
    { x1: x, x2: x + width, y1: top, y2: top },
    { x1: right, x2: right, y1: y, y2: y + height },
    { x1: x, x2: x + width, y1: bottom, y2: bottom },
    { x1: left, x2: left, y1: y, y2: y + height },
  ];
  return svgNode("line", { ...ends[side], ...lines });
}
