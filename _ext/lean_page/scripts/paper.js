// Paper is white: figures in dark mode are redrawn before they are printed.

const root = document.documentElement;
let theme;

addEventListener("beforeprint", () => {
  theme = root.dataset.theme;
  root.dataset.theme = "light";
});
addEventListener("afterprint", () => {
  root.dataset.theme = theme;
});
