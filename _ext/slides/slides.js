// One slide at a time, as large as the screen allows. The address says which: #7, or the state of a figure that is on it.
// The notes of a slide are in its template; on demand they stand below it.

(() => {
  const slides = [...document.querySelectorAll(".slide")];
  const [WIDE, HIGH] = [0.94, 0.9]; // what a sheet may take of the screen; below it stands where we are
  const NOTES = 0.28; // and what the notes take
  const [notes, notesButton] = [document.getElementById("notes"), document.getElementById("show-notes")];
  let here = -1;

  function fit() {
    const slide = slides[here];
    const { offsetWidth: width, offsetHeight: height } = slide.firstElementChild;
    const high = notes.hidden ? HIGH : HIGH - NOTES;
    const scale = Math.min((WIDE * innerWidth) / width, (high * innerHeight) / height);
    const left = (innerWidth - scale * width) / 2;
    const top = Math.max(0.03 * innerHeight, ((high + 0.02) * innerHeight - scale * height) / 2);
    slide.style.transformOrigin = "0 0";
    slide.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
  }

  function showNotes() {
    const template = slides[here].querySelector("template.notes");
    notes.replaceChildren(template?.content.cloneNode(true) ?? "No notes: the slide says it all.");
    notes.scrollTop = 0;
  }

  function toggleNotes() {
    notes.hidden = !notes.hidden;
    notesButton.setAttribute("aria-pressed", String(!notes.hidden));
    fit();
  }

  function show(number, address = `#${number + 1}`) {
    const next = Math.max(0, Math.min(slides.length - 1, number));
    if (next !== here) {
      here = next;
      slides.forEach((slide, i) => {
        slide.classList.toggle("here", i === here);
        slide.inert = i !== here;
      });
      document.getElementById("place").textContent = `${here + 1} / ${slides.length}`;
      showNotes();
      if (location.hash !== address) history.replaceState(null, "", address);
    }
    fit();
  }

  function follow() {
    const name = decodeURIComponent(location.hash.slice(1).split("?")[0]);
    const holds = slides.findIndex((slide) => name && slide.querySelector(`#${CSS.escape(name)}`));
    if (holds >= 0) show(holds, location.hash);
    else show(Number.parseInt(name, 10) - 1 || 0);
  }

  const steps = { ArrowRight: 1, ArrowDown: 1, " ": 1, PageDown: 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const clicker = event.key.startsWith("Page");
    if (!clicker && event.target.closest("input, select, textarea, button, summary, [tabindex]")) return;
    if (event.key === "n") return toggleNotes();
    const goal = { Home: 0, End: slides.length - 1 }[event.key] ?? here + (steps[event.key] ?? 0);
    if (goal === here) return;
    event.preventDefault();
    document.activeElement.blur();
    show(goal);
  });
  notesButton.onclick = toggleNotes;
  document.getElementById("before").onclick = () => show(here - 1);
  document.getElementById("next").onclick = () => show(here + 1);
  addEventListener("hashchange", follow);
  addEventListener("resize", fit);
  const observer = new ResizeObserver(fit); // a figure that grows, an answer that opens
  slides.forEach((slide) => observer.observe(slide.firstElementChild));
  follow();
})();
