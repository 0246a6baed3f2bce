// Once the words are painted, the rest is fetched. First what the figures are made of, but where a place of the page is
// asked for, figures_now.js has fetched it and left no template: the host comes last, and after the style sheets; it puts
// the figures on the page. The browser fetches the pictures that the reader is near. Those far below follow, one at a
// time, once the reader does something or has looked for a while: the network may be lost, or the page printed.

import { findAll, onceBegun, oncePainted, oneByOne } from "./page.js";

const LONGEST_WAIT = 3000; // milliseconds after everything else has come
const PATIENCE = 5000;

const fetchFigures = ({ content }) => {
  const files = document.importNode(content, true);
  const sheets = findAll("link", files);
  const scripts = findAll("script", files);
  for (const script of scripts) script.async = false; // in their order
  const host = scripts.pop();
  host.remove();
  const done = (sheet) =>
    new Promise((resolve) => ["load", "error"].forEach((end) => sheet.addEventListener(end, resolve)));
  Promise.all(sheets.map(done)).then(() => document.body.append(host));
  document.body.append(files);
};

const pictures = findAll("img[loading=lazy]");
const fetchPicture = (picture) => {
  picture.loading = "eager";
};

const template = document.querySelector("template#figure-files");
let begun = false;
const begin = () => {
  if (begun) return;
  begun = true;
  if (template) fetchFigures(template);
  onceBegun(() => oneByOne(pictures, fetchPicture), PATIENCE);
};
oncePainted(begin);
// A page in the background is not painted, and some readers' browsers do not tell.
const tells = PerformanceObserver.supportedEntryTypes.includes("paint");
addEventListener("load", () => setTimeout(begin, document.hidden || !tells ? 0 : LONGEST_WAIT));
