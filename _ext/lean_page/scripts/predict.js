// A prediction answers to the number keys while the reader is in it, and says its verdict aloud.

import { announce, find, findAll } from "./page.js";

for (const frame of findAll(".predict")) {
  const options = findAll("details.option", frame);
  find(".predict-title span:last-child", frame).textContent = `choose one, or press 1 to ${options.length}`;
  options.forEach((option) =>
    option.addEventListener("toggle", () => {
      if (option.open) announce(find(".verdict", option).textContent);
    }),
  );
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea")) return;
    const option = /^[1-9]$/.test(event.key) && options[event.key - 1];
    if (!option || !frame.matches(":hover, :focus-within")) return;
    option.open = !option.open;
    find("summary", option).focus();
    event.preventDefault();
  });
}
