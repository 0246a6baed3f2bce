// Above the list of questions: choose by words and by verdict. Without this script the whole list stands there.
document.addEventListener("DOMContentLoaded", () => {
  const entries = [...document.querySelectorAll(".inorder-question")];
  const verdicts = {
    "": "all",
    question: "questions",
    true: "true",
    conditional: "true with a condition",
    false: "not so",
    opinion: "opinions",
  };
  const make = (tag, attributes, ...children) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  };
  const words = make("input", { type: "search", placeholder: "mask, concatenate, RNN …" });
  const verdict = make(
    "select",
    {},
    ...Object.entries(verdicts).map(([value, text]) => make("option", { value }, text)),
  );
  const count = make("output", {});
  const form = make(
    "form",
    { className: "inorder-filter", onsubmit: () => false },
    make("label", {}, "Words ", words),
    make("label", {}, "Verdict ", verdict),
    count,
  );

  function show() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const entry of entries) {
      const text = entry.textContent.toLowerCase();
      const fits =
        wanted.every((word) => text.includes(word)) &&
        (!verdict.value || entry.classList.contains(`is-${verdict.value}`));
      entry.hidden = !fits;
      shown += fits;
    }
    for (const section of document.querySelectorAll(".inorder-source")) {
      section.hidden = !section.querySelector(".inorder-question:not([hidden])");
    }
    count.textContent = `${shown} of ${entries.length}`;
  }

  document.querySelector(".inorder-source")?.before(form);
  form.addEventListener("input", show);
  show();
});
