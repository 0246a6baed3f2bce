// A button that copies the code of a box; it follows the box, so that it does not scroll with it.

import { announce, find, findAll } from "./page.js";

for (const box of findAll("article .highlight")) {
  if (box.closest(".cell_output")) continue;
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "copy", textContent: "Copy" });
  button.setAttribute("aria-label", "Copy the code");
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(find("pre", box).textContent);
      announce("Copied.");
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(find("pre", box)); // where a page may not write to the clipboard
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  };
  box.append(button);
}
