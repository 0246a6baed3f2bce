"""What an element looks like, for tests that something else on the page does not change it."""

# What has changed since the first call with that element, in it and in all that it contains: computed styles, and so
# widths and heights. Not places: what sticks to the window moves with the page.
DIFFERENCES = """(root) => {
  const PLACES = /^(top|right|bottom|left|inset-.*)$/;
  const looks = [root, ...root.querySelectorAll("*")].map((element) => {
    const style = getComputedStyle(element);
    const names = [...style].filter((name) => !name.startsWith("--") && !PLACES.test(name));
    return { element, look: names.map((name) => `${name}: ${style.getPropertyValue(name)}`) };
  });
  root.firstLooks ??= looks;
  return looks.flatMap(({ element, look }, i) => {
    const changed = look.filter((part, j) => part !== root.firstLooks[i]?.look[j]);
    return changed.length ? [`${element.tagName} ${element.getAttribute("class")}: ${changed.join("; ")}`] : [];
  });
}"""
