// Paper is white: figures that stand in the dark are drawn anew before they are printed.

const root = document.documentElement;
let theme;

addEventListener("beforeprint", () => {
  theme = root.dataset.theme;
  root.dataset.theme = "light";
});
addEventListener("afterprint", () => {
  root.dataset.theme = theme;
});
