// What the figures are made of is fetched once the words are painted; where a place of the page is asked for, figures_now.js
// has fetched it. The host comes last, and after the style sheets: it puts the figures on the page.

const template = document.querySelector("template#figure-files");

const fetchFiles = () => {
  const files = document.importNode(template.content, true);
  const sheets = [...files.querySelectorAll("link")];
  const scripts = [...files.querySelectorAll("script")];
  for (const script of scripts) script.async = false; // in their order
  const host = scripts.pop();
  host.remove();
  const done = (sheet) =>
    new Promise((resolve) => ["load", "error"].forEach((end) => sheet.addEventListener(end, resolve)));
  Promise.all(sheets.map(done)).then(() => document.body.append(host));
  document.body.append(files);
};

if (template && !("laidOut" in document.documentElement.dataset)) {
  requestAnimationFrame(() => requestAnimationFrame(fetchFiles));
}
