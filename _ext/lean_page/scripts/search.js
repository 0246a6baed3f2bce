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
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[-‐–]/g, " ");
const prepare = (pages) =>
  pages.flatMap(([page, chapter, sections]) => {
    const texts = sections.map(([, , text]) => plain(text));
    return sections.map(([place, title, text], i) => ({
      address: i ? `${page}#${place}` : page,
      chapter,
      title,
      text,
      isOpening: !i,
      chapterPlain: plain(chapter.replace(/^\d+ /, "")), // 1, 2, 3 are no words of a title
      titlePlain: plain(title),
      titleCounts: Math.min(1, 5 / title.split(" ").length), // a word of a long one says less
      textPlain: texts[i],
      aboutPlain: i ? texts[i] : texts.join(" "), // the top of a page stands for all of it
    }));
  });

const starts = (text, word) => {
  const places = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (!at || !/[\p{L}\p{N}]/u.test(text[at - 1]) || !/^[\p{L}\p{N}]/u.test(word)) places.push(at);
  }
  return places;
};

// Words that every text has say nothing about the query, if there are others.
const SMALL =
  /^(an?|and|are|as|at|be|by|can|do|does|for|from|how|i|in|is|it|its|just|my|not?|of|on|or|that|the|there|this|to|vs|was|we|what|when|which|who|why|with|you)$/;
const ENDING = /(?:ations?|at(?:e|es|ed|ing)|al|ance|ant|ings?|ed|ies|es|s|e|y)$/;
const stem = (word) => (word.replace(ENDING, "").length > 3 ? word.replace(ENDING, "") : word);

// What others call what the book calls something else.
const ALSO = new Map(
  [
    ["database", "dictionary"],
    ["embedding", "encod"],
    ["generalization", "extrapol"],
    ["generalisation", "extrapol"],
    ["sinusoid", "wave"],
    ["trainable", "learn"],
  ].map(([word, also]) => [stem(word), also]),
);

// A name from code is also found by its last part, and as words or a symbol: rotate_half as "rotate half", d_head as dhead.
const namesOf = (word) => {
  const last = word.split(/\.(?=\p{L})/u).at(-1);
  return [...new Set([word, last, last.replaceAll("_", " "), last.replaceAll("_", ""), ALSO.get(word) ?? word])];
};

// The query as the index writes it, √d for sqrt(d_k), and its words: those that tell, without their endings. A dot, a
// comma or an underscore belongs to its word where it stands inside: nn.Module, 0.955, 1,000, rotate_half.
function read(query) {
  const phrase = plain(query)
    .replace(/\bsqrt[\s(]*/g, "√")
    .replace(/√d\w+/g, "√d")
    .replace(/(?<!\d),|,(?!\d)|(?<![\p{L}\p{N}])[._]|[._](?![\p{L}\p{N}])|[()[\]{}?!;:"“”]/gu, " ")
    .trim()
    .replace(/\s+/g, " ");
  const words = phrase.split(" ").filter(Boolean);
  const small = words.filter((word) => SMALL.test(word));
  const telling = words.filter((word) => !SMALL.test(word));
  const parts = words.map((word) => (SMALL.test(word) ? word : stem(word)).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const inOrder = new RegExp(`(^|[^\\p{L}\\p{N}])${parts.join("\\p{L}*,? (?:(?:and|or) )?")}`, "u");
  return { phrase, inOrder, small, words: (telling.length ? telling : words).map(stem) };
}

const BEFORE_REFERENCE = 2; // places that explain come before those that define

// The entries that have most of the words. The phrase counts most, then the words of a title, then how often the text has
// them; a word counts by how few have it, and a small word a little, in a title.
function ranked(entries, { phrase, inOrder, small, words }) {
  const hits = entries.map((entry) => words.map((word) => pointsOf(entry, word)));
  const weights = words.map((_, w) => Math.log(1 + entries.length / (1 + hits.filter((hit) => hit[w]).length)));
  const counts = hits.map((hit) => hit.filter(Boolean).length);
  const most = Math.max(1, ...counts);
  const best = entries
    .map((entry, e) => {
      const inWords = hits[e].reduce((sum, points, w) => sum + points * weights[w], 0);
      const inSmall = small.filter((word) => starts(`${entry.chapterPlain} ${entry.titlePlain}`, word).length).length;
      return [counts[e] === most ? inWords + inSmall + pointsOfPhrase(entry, phrase, inOrder) : 0, entry];
    })
    .filter(([points]) => points > 0)
    .sort((a, b) => b[0] - a[0]);
  const first = best.filter(([, { address }]) => !address.startsWith("chapters/api.")).slice(0, BEFORE_REFERENCE);
  return [...first, ...best.filter((each) => !first.includes(each))];
}

function pointsOf({ titlePlain, titleCounts, chapterPlain, aboutPlain }, word) {
  const has = (text) => namesOf(word).reduce((sum, name) => sum + starts(text, name).length, 0);
  const inText = has(aboutPlain);
  const often = (4 * inText) / (inText + 2 + aboutPlain.length / 3000);
  return 6 * titleCounts * (has(titlePlain) > 0) + 3 * (has(chapterPlain) > 0) + often;
}

function pointsOfPhrase({ titlePlain, titleCounts, chapterPlain, textPlain, isOpening }, phrase, inOrder) {
  let points = 0;
  if (inOrder.test(titlePlain)) points += titlePlain === phrase ? 60 : 25 * titleCounts;
  if (inOrder.test(chapterPlain)) points += titlePlain && chapterPlain.endsWith(titlePlain) ? 30 : 5;
  if (phrase.includes(" ") && inOrder.test(textPlain)) points += isOpening ? 25 : 15; // a page opens with what it is about
  return points;
}

function excerpt({ text, textPlain }, { words, phrase }) {
  const at = Math.max(0, Math.min(...[phrase, ...words].map((w) => starts(textPlain, w)[0] ?? Infinity)));
  const from = Number.isFinite(at) ? text.lastIndexOf(" ", Math.max(0, at - 60)) + 1 : 0;
  const piece = text.slice(from, from + 170);
  const line = document.createElement("p");
  if (from) line.append("… ");
  let rest = 0;
  const low = plain(piece).length === piece.length ? plain(piece) : piece.toLowerCase();
  const end = (at) => at + /^\p{L}*/u.exec(low.slice(at))[0].length; // of the word
  const hits = words.flatMap((w) => starts(low, w).map((i) => [i, end(i + w.length)])).sort((a, b) => a[0] - b[0]);
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
  const asked = read(query);
  list.hidden = !asked.words.length;
  list.replaceChildren();
  if (!asked.words.length) return;
  let entries;
  try {
    entries = await load(root);
  } catch {
    list.textContent = "The search index could not be loaded.";
    return;
  }
  const hits = ranked(entries, asked);
  const items = hits.slice(0, 20).map(([, entry]) => {
    const item = document.createElement("li");
    const link = Object.assign(document.createElement("a"), { href: root + entry.address, textContent: entry.title });
    const where = Object.assign(document.createElement("small"), { textContent: entry.chapter });
    item.append(link, where, excerpt(entry, asked));
    return item;
  });
  list.replaceChildren(...items);
  announce(["Nothing found", "1 place found"][hits.length] ?? `${hits.length} places found`);
  if (!hits.length) list.textContent = `No section of the book contains “${query.trim()}”.`;
}

const root = find("#contents").dataset.root;
for (const form of findAll("form.search")) {
  const input = find("input", form);
  const around = form.closest("dialog") ?? form.parentElement;
  const list = find(".results", around);
  const nav = find("nav", around);
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
