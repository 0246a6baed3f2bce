// The form above the list of questions: choose by words and by verdict.
document.addEventListener("DOMContentLoaded", () => {
  const entries = [...document.querySelectorAll(".inorder-question")];
  const form = document.querySelector(".inorder-filter");
  const [words, verdict, count] = form.elements;

  function show() {
    const terms = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let nShown = 0;
    for (const entry of entries) {
      const text = entry.textContent.toLowerCase();
      const fits =
        terms.every((word) => text.includes(word)) &&
        (!verdict.value || entry.classList.contains(`is-${verdict.value}`));
      entry.hidden = !fits;
      nShown += fits;
    }
    for (const section of document.querySelectorAll(".inorder-source")) {
      section.hidden = !section.querySelector(".inorder-question:not([hidden])");
    }
    count.textContent = `${nShown} of ${entries.length}`;
  }

  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show(); // a browser may have kept what was chosen before a reload
});
