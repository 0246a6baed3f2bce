// At an old address: go where the chapter is now, with the place, the figure's state and the rest of what was asked for.
{
  const { to, moved } = document.currentScript.dataset;
  const [place] = location.hash.slice(1).split("?");
  location.replace((JSON.parse(moved)[place] ?? to) + location.search + location.hash);
}
