// On a page that has moved: leads on, to the place that the address names, with the state of its figure.
{
  const link = document.querySelector("a[data-places]");
  const places = JSON.parse(link.dataset.places);
  const [place, ...state] = location.hash.slice(1).split("?");
  const goal = new URL(
    Object.hasOwn(places, place) ? places[place] : `${link.getAttribute("href")}#${place}`,
    location,
  );
  goal.search = location.search;
  if (state.length) goal.hash += `?${state.join("?")}`;
  location.replace(goal);
}
