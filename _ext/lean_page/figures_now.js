// Where a place of the page is asked for, the figures must stand before the browser goes there: their heights are above it.
// Then the parser reads their files as if they stood here. Else they come after the words, from the template that is left
// (after_words.js).
if ("laidOut" in document.documentElement.dataset) {
  const template = document.getElementById("figure-files");
  document.write(template.innerHTML);
  template.remove();
}
