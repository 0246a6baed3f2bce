// Colours: as the machine has them, light, or dark; set before the first paint by the page's head.

import { announce, find, settings } from "./page.js";

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const forced = matchMedia("(forced-colors: active)");
const modes = ["auto", "light", "dark"];

const show = () => {
  const { mode } = root.dataset;
  root.dataset.theme = mode === "auto" || forced.matches ? (dark.matches ? "dark" : "light") : mode;
  find("#colours-state").textContent = mode;
};
find("#colours").onclick = () => {
  root.dataset.mode = modes[(modes.indexOf(root.dataset.mode) + 1) % modes.length];
  settings.write("mode", root.dataset.mode);
  show();
  announce(`Colours: ${root.dataset.mode}`);
};
for (const choice of [dark, forced]) choice.addEventListener("change", show);
show();
