// Where a place of the page is asked for, the figures must stand before the browser goes there: their heights are above it.
// Then the parser reads their files as if they stood here. Else they come after the words (after_words.js).
if ("laidOut" in document.documentElement.dataset) {
  document.write(document.getElementById("figure-files").innerHTML);
}
