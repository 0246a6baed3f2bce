// The dotted way from the end of one part to the start of the next.

import { find, findAll } from "./page.js";

const map = find(".map");
const draw = () => {
  const box = map.getBoundingClientRect();
  const roads = findAll(".road", map).map((road) => road.getBoundingClientRect());
  const lines = roads.slice(1).map((next, i) => {
    const [x, y, x2, y2] = [roads[i].left + 14.5, roads[i].bottom + 3, next.left + 14.5, next.top - 6];
    const turn = 11;
    if (Math.abs(x - x2) < 2) return `M${x - box.left} ${y - box.top}V${y2 - box.top}`;
    const low = y2 < y || next.top < roads[i].bottom ? Math.max(...roads.map((r) => r.bottom)) + 18 : y2 - 40;
    const high = next.top - 124;
    const middle = x2 - 32;
    const at = (a, b) => `${a - box.left} ${b - box.top}`;
    return (
      `M${at(x, y)}L${at(x, low - turn)}Q${at(x, low)} ${at(x + turn, low)}L${at(middle - turn, low)}` +
      `Q${at(middle, low)} ${at(middle, low - turn)}L${at(middle, high + turn)}Q${at(middle, high)} ${at(middle + turn, high)}` +
      `L${at(x2 - turn, high)}Q${at(x2, high)} ${at(x2, high + turn)}L${at(x2, y2)}`
    );
  });
  find(":scope > svg", map)?.remove();
  map.insertAdjacentHTML("beforeend", `<svg aria-hidden="true">${lines.map((d) => `<path d="${d}"/>`).join("")}</svg>`);
};
if (map) new ResizeObserver(draw).observe(map);
