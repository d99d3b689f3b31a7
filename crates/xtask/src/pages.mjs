// Opens pages in a browser, narrow and wide, light and dark: none may be wider than its window, ask for anything but files beside it, or
// hold text of too little contrast (WCAG 2, level AA). In those of STILL, no table may be wider than its place either, except a matrix in a
// narrow window. Those of PICTURED have no serious fault by axe-core's rules. Pictures go beside the pages.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [tools, folder, pictures] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(tools, "package.json"));
const load = async (name) => (await import(pathToFileURL(require.resolve(name)))).default;
const chromium = await load("@sparticuz/chromium");
const puppeteer = await load("puppeteer-core");

// Runs in the page: the texts whose contrast is too low.
const pale = () => {
  const channel = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = (c) => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
  const colour = (text) => text.match(/[\d.]+/g).map(Number);
  const ground = (e) => {
    const c = e ? colour(getComputedStyle(e).backgroundColor) : [255, 255, 255];
    return c.length > 3 && c[3] === 0 ? ground(e.parentElement) : c;
  };
  const found = new Set();
  for (const e of document.body.querySelectorAll("*")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    const [a, b] = [light(colour(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.add(`${e.tagName} ${e.className}: ${ratio.toFixed(2)}`);
  }
  return [...found];
};

// Runs in the page, after axe-core: the rules that are broken with serious effects, each with its first element.
const barriers = async () => (await globalThis.axe.run()).violations
  .filter((v) => v.impact === "serious" || v.impact === "critical")
  .map((v) => `${v.id}: ${v.nodes[0].html}`);

// Runs in the page: the elements whose content is wider than they are, so that a reader has to scroll sideways. The text of recipes,
// which is folded away, keeps its lines.
const sideways = () => [document.documentElement, ...document.body.querySelectorAll("*")]
  .filter((e) => (e === document.documentElement || /auto|scroll/.test(getComputedStyle(e).overflowX)) && e.tagName !== "PRE")
  .filter((e) => e.scrollWidth > e.clientWidth && !(e.matches(".matrix") && innerWidth < 720))
  .map((e) => `${e.tagName} ${e.className} ${e.getAttribute("aria-labelledby") ?? ""}: ${e.scrollWidth} wide in ${e.clientWidth}`);

// Runs in the page: the bars without text or with a part that has no width, and the number of bars.
const bars = () => {
  const all = [...document.querySelectorAll(".bar[role=img]")];
  const wrong = all.filter((bar) => !bar.getAttribute("aria-label") || [...bar.children].some((part) => part.clientWidth < 1));
  return { count: all.length, wrong: wrong.map((bar) => bar.outerHTML) };
};

const PICTURED = ["index.html", "gentoo.html", "gpu/gfx1030.html", "gpu/gfx1032.html", "package/rocblas.html", "health.html"];
const STILL = ["index.html", "gpu/gfx1032.html", "health.html"];
const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".html")).sort();
const browser = await puppeteer.launch({ executablePath: await chromium.executablePath(), args: chromium.args, headless: "shell" });
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
let wrong = files.length === 0 ? 1 : 0;
const fault = (text) => { console.log(text); wrong += 1; };
const page = await browser.newPage();
page.on("request", (r) => {
  if (!r.url().startsWith(pathToFileURL(folder).href) && !r.url().startsWith("data:")) fault(`asks for ${r.url()}`);
});
for (const file of STILL.filter((file) => !files.includes(file))) fault(`${file} is missing`);
// All pages in the narrowest and the widest window, those with pictures in each.
const views = [[360, "light", files], [390, "light", PICTURED], [390, "dark", PICTURED], [1200, "light", PICTURED], [1200, "dark", files]];
for (const [width, scheme, some] of views) {
  await page.setViewport({ width, height: 800 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  for (const file of files.filter((file) => some.includes(file))) {
    await page.goto(pathToFileURL(join(folder, file)).href);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) fault(`${file}: ${wide} wide in a window of ${width}`);
    for (const text of await page.evaluate(pale)) fault(`${file}, ${scheme}: contrast of ${text}`);
    if (STILL.includes(file)) {
      for (const text of await page.evaluate(sideways)) fault(`${file}, window of ${width}: ${text}`);
    }
    if (file === "index.html") {
      const { count, wrong } = await page.evaluate(bars);
      if (count === 0) fault(`${file}: no bars`);
      for (const text of wrong) fault(`${file}, window of ${width}: ${text}`);
    }
    if (PICTURED.includes(file)) {
      await page.evaluate(axe);
      for (const text of await page.evaluate(barriers)) fault(`${file}, window of ${width}, ${scheme}: ${text}`);
      await page.screenshot({ path: join(pictures, `${file.replaceAll("/", "-")}-${width}-${scheme}.png`) });
    }
  }
}
// The search finds a GPU by a name that is folded away, and opens the fold.
await page.goto(pathToFileURL(join(folder, "index.html")).href);
await page.type("#asked", "RX 6650 XT");
const found = await page.evaluate(() =>
  [...document.getElementById("names").rows].filter((row) => !row.hidden).map((row) => [row.cells[0].textContent, row.querySelector("details")?.open]));
if (JSON.stringify(found) !== '[["gfx1032",true]]') fault(`index.html: RX 6650 XT finds ${JSON.stringify(found)}`);
// So it does in each table of applications. A search without a text shows all GPUs again.
const rows = () => page.evaluate(() => [...document.querySelectorAll("[data-gpu]")].filter((row) => row.offsetHeight > 0).map((row) => row.dataset.gpu));
const shown = await rows();
if (shown.length === 0 || shown.some((gpu) => gpu !== "gfx1032")) fault(`index.html: RX 6650 XT shows ${shown}`);
await page.$eval("#asked", (box) => { box.value = ""; box.dispatchEvent(new Event("input")); });
if ((await rows()).length < 20 * shown.length) fault(`index.html: an empty search shows ${await rows()}`);
// Each stop of the tabulator key has a visible frame, and Enter opens what is folded.
await page.goto(pathToFileURL(join(folder, "gpu/gfx1030.html")).href);
let opened = false;
for (let stop = 0; stop < 60; stop += 1) {
  await page.keyboard.press("Tab");
  const [tag, frame] = await page.evaluate(() => [document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]);
  if (frame === "none") fault(`gpu/gfx1030.html: ${tag} has no frame with the focus`);
  if (tag === "SUMMARY") {
    await page.keyboard.press("Enter");
    opened ||= await page.evaluate(() => document.activeElement.parentElement.open);
  }
}
if (!opened) fault("gpu/gfx1030.html: Enter opens nothing");
await browser.close();
console.log(`    ${files.length} pages looked at, ${wrong} faults`);
process.exit(wrong ? 1 : 0);
