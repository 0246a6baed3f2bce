"""What an element looks like, for tests that something else on the page does not change it."""

# What has changed since the first call with that element, in it and in all that it contains: computed styles, and so
# widths and heights. Not places: what sticks to the window moves with the page.
DIFFERENCES = """(root) => {
  const PLACES = /^(--|(top|right|bottom|left|inset-.*)$)/;
  const names = [...getComputedStyle(root)].filter((name) => !PLACES.test(name)); // every element has them all
  const looks = [root, ...root.querySelectorAll("*")].map((element) => {
    const style = getComputedStyle(element);
    return { element, look: names.map((name) => style.getPropertyValue(name)).join("\\n") };
  });
  root.firstLooks ??= looks;
  return looks.flatMap(({ element, look }, i) => {
    const first = root.firstLooks[i]?.look;
    if (look === first) return [];
    const [now, before] = [look.split("\\n"), first?.split("\\n") ?? []];
    const changed = names.flatMap((name, j) => (now[j] === before[j] ? [] : [`${name}: ${now[j]}`]));
    return [`${element.tagName} ${element.getAttribute("class")}: ${changed.join("; ")}`];
  });
}"""
