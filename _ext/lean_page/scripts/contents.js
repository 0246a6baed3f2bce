// The dialog of contents: chapters, and the search of the whole book.

import { find } from "./page.js";

const dialog = find("#contents");
const opener = find("#contents-open");
const open = () => {
  dialog.showModal();
  find("[aria-current]", dialog)?.scrollIntoView({ block: "center" });
};
const search = () => {
  if (!dialog.open) open();
  find("input", dialog).focus();
};
opener.setAttribute("role", "button");
opener.setAttribute("aria-haspopup", "dialog");
opener.onclick = (event) => {
  event.preventDefault();
  open();
};
opener.onkeydown = (event) => {
  if (event.key === " ") opener.onclick(event);
};
find("#search-open").onclick = search;
find("#contents-close").onclick = () => dialog.close();
dialog.onclick = (event) => {
  if (event.target === dialog || event.target.closest("a[href*='#']")) dialog.close(); // beside it, or on this page
};
dialog.onclose = () => opener.focus();
addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea");
  if (!typing && (event.key === "/" || (event.key === "k" && (event.ctrlKey || event.metaKey)))) {
    event.preventDefault();
    search();
  }
});
