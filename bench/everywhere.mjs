// Opens pages in one browser, works every figure on them, and prints what it found, a line of JSON a page.
//
// node everywhere.mjs '{"browser": "firefox", "executablePath": "…", "looks": [[1280, "light"], …], "addresses": […]}'

import puppeteer from "puppeteer-core";

const MAX_CONTROLS = 12; // of one figure
const CONTROLS = "input[type=range], input[type=checkbox], input[type=radio]:not(:checked), select";
const { browser: name, executablePath, looks, addresses } = JSON.parse(process.argv[2]);
const args = name === "chrome" ? ["--no-sandbox", "--disable-gpu"] : [];
// A page that is kept whole in memory cannot lose its place: the browser has let go of it.
if (name === "chrome") args.push("--disable-features=BackForwardCache");
const extraPrefsFirefox = { "browser.sessionhistory.max_total_viewers": 0 };
const browser = await puppeteer.launch({ browser: name, executablePath, headless: true, args, extraPrefsFirefox });

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Scrolls through the page, so that all that starts late has started. A busy machine may leave out frames. */
const walk = async () => {
  const frame = () =>
    new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(resolve));
      setTimeout(resolve, 1000);
    });
  document.documentElement.dataset.laidOut = "";
  for (let y = 0; y < document.body.scrollHeight; y += 700) {
    scrollTo({ top: y, behavior: "instant" });
    await frame();
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
};

/** What each figure says, and the numbers it shows, by matrix, row and column. */
const read = () =>
  [...document.querySelectorAll(".inorder-figure")].map((figure) => ({
    summary: figure.querySelector(".inorder-summary")?.textContent ?? "",
    numbers: Object.fromEntries(
      [...figure.querySelectorAll("[data-value]")].map(({ dataset: { name, row, col, value } }, i) => [
        [name, row ?? i, col].join(" "),
        Number(value),
      ]),
    ),
  }));

/** What the figures of a page say once that stays: a worker, or what comes late, may need its time. */
const settled = async (page) => {
  let before;
  let now;
  for (let turn = 0; turn < 40 && (turn < 2 || now !== before); turn++) {
    await pause(turn && 500);
    [before, now] = [now, JSON.stringify(await page.evaluate(read))];
  }
  return JSON.parse(now);
};

/** Moves every visible control of every figure by one step; how many it moved. */
const work = (controls, most) => {
  let moved = 0;
  for (const figure of document.querySelectorAll(".inorder-figure")) {
    const visible = [...figure.querySelectorAll(controls)].filter((control) => control.getClientRects().length);
    for (const control of visible.slice(0, most)) {
      if (!control.isConnected || control.disabled) continue;
      if (control.type === "range") {
        const step = control.step === "any" ? (control.max - control.min) / 20 : Number(control.step || 1);
        const up = control.valueAsNumber + step <= Number(control.max || 100);
        control.valueAsNumber += up ? step : -step;
        for (const type of ["input", "change"]) control.dispatchEvent(new Event(type, { bubbles: true }));
      } else if (control.tagName === "SELECT") {
        control.selectedIndex = (control.selectedIndex + 1) % control.options.length;
        for (const type of ["input", "change"]) control.dispatchEvent(new Event(type, { bubbles: true }));
      } else control.click();
      moved += 1;
    }
  }
  return moved;
};

/** The words half-way down the window, and their height there; or the height of those that are asked for. */
const words = (index) => {
  const all = [...document.querySelectorAll("article p")].filter((p) => !p.closest("details, .inorder-view"));
  const height = (p) => p.getBoundingClientRect().top;
  const at = index ?? Math.max(0, all.findIndex((p) => height(p) > innerHeight / 2));
  return [at, all[at] ? height(all[at]) : -scrollY];
};

/** Waits for the page that the way back leads to. Between two pages Firefox may answer with an error, or not at all. */
const arrived = async (page) => {
  const isThere = () => document.readyState === "complete" && location.href !== "about:blank";
  for (let turn = 0; turn < 300; turn++) {
    if (await Promise.race([page.evaluate(isThere).catch(() => false), pause(2000)])) return;
    await pause(100);
  }
  throw new Error("the way back leads nowhere");
};

/** How far the words of the page, three fifths down, move in the window by a reload, and on the way back to the page. */
const moved = async (page) => {
  await page.evaluate(() => scrollTo({ top: 0.6 * document.body.scrollHeight, behavior: "instant" }));
  await pause(400);
  const [index, before] = await page.evaluate(words);
  const off = async () => {
    await pause(600);
    return Math.abs((await page.evaluate(words, index))[1] - before);
  };
  await page.reload({ waitUntil: "load" });
  const byReload = await off();
  await page.goto("about:blank");
  await page.evaluate(() => void setTimeout(() => history.back())); // or the answer may go with the page
  await arrived(page);
  return { byReload, byBack: await off() };
};

for (const address of addresses)
  for (const [width, theme] of looks) {
    const page = await browser.newPage();
    const trouble = [];
    page.on("pageerror", (error) => trouble.push(`exception: ${error.message}`));
    page.on("console", async (message) => {
      if (message.type() !== "error") return;
      const said = await Promise.all(message.args().map((one) => one.evaluate(String).catch(() => "")));
      trouble.push(`console: ${said.join(" ") || message.text()}`);
    });
    await page.setViewport({ width, height: width < 600 ? 844 : 800 });
    await page.evaluateOnNewDocument((chosen) => {
      try {
        localStorage.setItem("mode", chosen);
      } catch {} // the empty page before it has none
    }, theme);
    await page.goto(address, { waitUntil: "load" });
    await page.evaluate(walk);
    const found = {
      browser: name,
      address,
      width,
      theme,
      themeShown: await page.evaluate(() => document.documentElement.dataset.theme),
      // A scroll bar that takes room is no overflow.
      sideways: await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
      brokenImages: await page.evaluate(() => [...document.images].filter((i) => i.complete && !i.naturalWidth).length),
      waiting: await page.evaluate(() => document.querySelectorAll(".inorder-view").length),
      atFirst: await settled(page),
      moved: await page.evaluate(work, CONTROLS, MAX_CONTROLS),
    };
    if (found.moved) await page.evaluate(walk); // what is out of sight may wait with its drawing
    found.atLast = await settled(page);
    found.off = await moved(page);
    found.trouble = trouble;
    console.log(JSON.stringify(found));
    await page.close();
  }
await browser.close();
