// A term or a citation shows what it means where it stands: in the margin, or under the line where there is none. It
// opens when the pointer rests on the link, when the focus comes to it, and by a first tap; Escape closes it.
// previews.js in _static calls bookPreviews with {address: HTML}.

import { announce, find } from "./page.js";

const LINKS = 'article a:is([href*="#term-"], [href*="bibliography.html#"]):not(.headerlink)';
const OPENS = 250; // milliseconds: a pointer that passes over a link wants nothing
const CLOSES = 500; // the time to move the pointer onto what is shown
const root = new URL(find("#contents").dataset.root || "./", location.href);

let previews = null;
const load = () =>
  (previews ??= new Promise((resolve, reject) => {
    window.bookPreviews = resolve;
    const script = document.createElement("script");
    script.src = new URL("_static/previews.js", root).href;
    script.onerror = reject;
    document.head.append(script);
  }));

const box = document.createElement("div");
Object.assign(box, { id: "preview", className: "preview", role: "tooltip", hidden: true });
document.body.append(box);

let shown = null; // the link that is explained
let wanted = null; // the one that will be
let timer = 0;
const after = (time, act) => {
  clearTimeout(timer);
  timer = setTimeout(act, time);
};

function close() {
  clearTimeout(timer);
  wanted = null;
  shown?.removeAttribute("aria-describedby");
  shown = null;
  box.hidden = true;
}

function place(link) {
  const line = link.getClientRects()[0];
  const text = link.closest("main").getBoundingClientRect();
  const width = document.documentElement.clientWidth;
  box.style.width = "";
  const margin = text.right + 40;
  const inMargin = matchMedia("(min-width: 1240px)").matches && line.right <= text.right;
  box.classList.toggle("in-margin", inMargin);
  const left = inMargin ? margin : Math.max(12, Math.min(line.left, width - box.offsetWidth - 12));
  const height = box.offsetHeight;
  let top = line.bottom + 8;
  if (inMargin) top = Math.max(72, Math.min(line.top - 8, innerHeight - height - 12));
  else if (top + height > innerHeight - 8 && line.top - height - 8 > 64) top = line.top - height - 8;
  box.style.left = `${left + scrollX}px`;
  box.style.top = `${top + scrollY}px`;
}

async function show(link) {
  wanted = link;
  const all = await load();
  const html = all[decodeURIComponent(link.href).slice(decodeURIComponent(root.href).length)];
  if (wanted !== link || !html || !link.isConnected) return;
  if (shown !== link) close();
  wanted = shown = link;
  box.innerHTML = html;
  box.hidden = false;
  place(link);
  link.setAttribute("aria-describedby", "preview");
}
const showOf = (event) => event.target.closest?.(LINKS);
const fails = () => {}; // the link still leads there

document.addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch") return;
  const link = showOf(event);
  if (link === shown && link) clearTimeout(timer);
  else if (link) {
    load().catch(fails);
    after(OPENS, () => show(link).catch(fails));
  } else if (box.contains(event.target)) clearTimeout(timer);
  else if (shown && !shown.matches(":focus-visible")) after(CLOSES, close);
  else clearTimeout(timer);
});
document.addEventListener("focusin", (event) => {
  const link = showOf(event);
  if (link?.matches(":focus-visible")) show(link).catch(fails);
  else if (shown && !box.contains(event.target)) close();
});
document.addEventListener("focusout", (event) => {
  if (event.target === shown) close();
});
// The first tap explains, the second one follows the link.
let byTouch = false;
document.addEventListener("pointerdown", (event) => {
  byTouch = event.pointerType === "touch";
});
document.addEventListener("click", (event) => {
  const link = showOf(event);
  const plain = event.detail && !(event.ctrlKey || event.metaKey || event.shiftKey);
  if (byTouch && plain && link && link !== shown) {
    event.preventDefault();
    show(link)
      .then(() => {
        if (shown === link) announce(box.innerText);
        else location.href = link.href;
      })
      .catch(() => {
        location.href = link.href;
      });
  } else if (!box.contains(event.target)) close();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && shown) close();
});
addEventListener("resize", close);
addEventListener("pagehide", close);
