// At an address without a page: leads on to where the page is now, to the place that the address names, with the state of
// its figure. Else the links of this page, which are written from the site's root, are made to lead from here.
{
  const [, root, page] = /^(.*?\/)((?:chapters\/)?[^/]*)$/.exec(location.pathname) ?? [null, "/", ""];
  const link = document.querySelector("[data-moved]");
  const moved = JSON.parse(link.dataset.moved);
  const name = page.replace(/^chapters\/|\.html$/g, "");
  if (Object.hasOwn(moved, name)) {
    const { to, places } = moved[name];
    const [place, ...state] = location.hash.slice(1).split("?");
    const goal = new URL(root + (Object.hasOwn(places, place) ? places[place] : `${to}#${place}`), location);
    goal.search = location.search;
    if (state.length) goal.hash += `?${state.join("?")}`;
    location.replace(goal);
  } else if (!link.dataset.root) {
    for (const there of document.links) there.href = root + there.getAttribute("href");
  }
}
