// Before the first paint: the reader's colours and switch, what the address leaves out, and whether a place of the page is asked for (late_layout.js).
{
  const root = document.documentElement;
  const stored = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // forbidden by the reader's settings
    }
  };
  const mode = stored("mode") || "auto";
  const machine = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.mode = mode;
  const forced = matchMedia("(forced-colors: active)").matches; // then the reader has chosen for all pages
  root.dataset.theme = mode === "auto" || forced ? machine : mode;
  root.dataset.code = stored("code") || "shown";
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (/^(solutions|only)$/.test(name)) root.dataset[name] = value; // ?solutions=none&only=exercises (print.css)
  }
  const arrival = performance.getEntriesByType("navigation")[0]?.type;
  if (location.hash || arrival !== "navigate") root.dataset.laidOut = "";
  // Until the words are painted, a phone lays out no more than its first screen (page.css, late_layout.js).
  if (PerformanceObserver.supportedEntryTypes.includes("paint")) {
    root.dataset.unpainted = "";
    addEventListener("scroll", () => delete root.dataset.unpainted, { once: true, passive: true });
  }
  if (location.protocol !== "file:") {
    // A file's page may not fetch them ahead.
    for (const href of document.currentScript.dataset.fonts.split(" ")) {
      const preload = { rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href };
      document.head.append(Object.assign(document.createElement("link"), preload));
    }
  }
}
