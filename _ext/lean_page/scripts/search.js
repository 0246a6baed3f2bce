// The search, in the dialog of contents and on its own page. searchindex.js calls bookIndex with
// [[address, chapter, [[place, title, text], …]], …].

import { announce, find, findAll } from "./page.js";

let index = null;
const load = (root) =>
  (index ??= new Promise((resolve, reject) => {
    window.bookIndex = (pages) => resolve(prepare(pages));
    const script = document.createElement("script");
    script.src = `${root}searchindex.js`;
    script.onerror = reject;
    document.head.append(script);
  }));

const plain = (text) =>
  text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "");
const prepare = (pages) =>
  pages.flatMap(([page, chapter, sections]) =>
    sections.map(([place, title, text], i) => ({
      address: i ? `${page}#${place}` : page,
      chapter,
      title,
      text,
      chapterPlain: plain(chapter),
      titlePlain: plain(title),
      textPlain: plain(text),
    })),
  );

const starts = (text, word) => {
  const places = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (!at || !/[\p{L}\p{N}]/u.test(text[at - 1]) || !/^[\p{L}\p{N}]/u.test(word)) places.push(at);
  }
  return places;
};

// Every word must be there. The phrase counts most, then the words of a title, then how often the text has them.
function score(entry, words, phrase) {
  let total = 0;
  for (const word of words) {
    const inTitle = starts(entry.titlePlain, word).length > 0;
    const inChapter = starts(entry.chapterPlain, word).length > 0;
    const inText = starts(entry.textPlain, word).length;
    if (!inTitle && !inText && !inChapter) return 0;
    total += 12 * inTitle + 6 * inChapter + (8 * inText) / (inText + 2 + entry.textPlain.length / 3000);
  }
  if (starts(entry.titlePlain, phrase).length) total += entry.titlePlain === phrase ? 60 : 25;
  if (starts(entry.chapterPlain, phrase).length)
    total += entry.titlePlain && entry.chapterPlain.endsWith(entry.titlePlain) ? 30 : 5;
  if (words.length > 1 && starts(entry.textPlain, phrase).length) total += 15;
  return total;
}

function excerpt({ text, textPlain }, words, phrase) {
  const at = Math.max(0, Math.min(...[phrase, ...words].map((w) => starts(textPlain, w)[0] ?? Infinity)));
  const from = Number.isFinite(at) ? text.lastIndexOf(" ", Math.max(0, at - 60)) + 1 : 0;
  const piece = text.slice(from, from + 170);
  const line = document.createElement("p");
  if (from) line.append("… ");
  let rest = 0;
  const low = plain(piece).length === piece.length ? plain(piece) : piece.toLowerCase();
  const hits = words.flatMap((w) => starts(low, w).map((i) => [i, i + w.length])).sort((a, b) => a[0] - b[0]);
  for (const [start, end] of hits) {
    if (start < rest) continue;
    const mark = document.createElement("mark");
    mark.textContent = piece.slice(start, end);
    line.append(piece.slice(rest, start), mark);
    rest = end;
  }
  line.append(piece.slice(rest), text.length > from + 170 ? " …" : "");
  return line;
}

async function search(query, list, root) {
  const phrase = plain(query).trim().replace(/\s+/g, " ");
  const words = phrase.split(" ").filter(Boolean);
  list.hidden = !words.length;
  list.replaceChildren();
  if (!words.length) return;
  let entries;
  try {
    entries = await load(root);
  } catch {
    list.textContent = "The search's list of words could not be loaded.";
    return;
  }
  const found = entries.map((entry) => [score(entry, words, phrase), entry]).filter(([points]) => points > 0);
  found.sort((a, b) => b[0] - a[0]);
  const items = found.slice(0, 20).map(([, entry]) => {
    const item = document.createElement("li");
    const link = Object.assign(document.createElement("a"), { href: root + entry.address, textContent: entry.title });
    const where = Object.assign(document.createElement("small"), { textContent: entry.chapter });
    item.append(link, where, excerpt(entry, words, phrase));
    return item;
  });
  list.replaceChildren(...items);
  announce(found.length ? `${found.length} places found` : "Nothing found");
  if (!found.length) list.textContent = `No section of the book has “${query.trim()}”.`;
}

const root = find("#contents").dataset.root;
for (const form of findAll("form.search")) {
  const input = find("input", form);
  const list = find(".results", form.parentElement);
  const nav = find("nav", form.parentElement);
  const run = () => {
    if (nav) nav.hidden = Boolean(input.value.trim());
    search(input.value, list, root);
  };
  input.oninput = run;
  form.onsubmit = (event) => {
    event.preventDefault();
    run();
  };
  if (!nav) {
    input.value = new URLSearchParams(location.search).get("q") || "";
    run();
  }
}
