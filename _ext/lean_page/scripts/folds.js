// A link that leads into a fold opens it, and so do all folds around it. Printing opens what is folded (print.css).

const openAround = (element) => {
  for (let fold = element?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
};
const follow = () => {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1).split("?")[0]));
  if (!place) return;
  if (place.tagName === "DETAILS") place.open = true;
  if (!place.closest("details")) return;
  openAround(place);
  place.scrollIntoView();
};
addEventListener("hashchange", follow);
document.addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="#"]');
  if (link && link.hash === location.hash) follow(); // the same place again: the address does not change
});
follow();
