// Opens pages in a browser, narrow and wide, light and dark: none may be wider than its window, ask for anything but files beside it, or
// hold text of too little contrast (WCAG 2, level AA). Pictures go beside the pages.
import { readdirSync } from "node:fs";
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

const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".html")).sort();
const browser = await puppeteer.launch({ executablePath: await chromium.executablePath(), args: chromium.args, headless: "shell" });
let wrong = files.length === 0 ? 1 : 0;
const fault = (text) => { console.log(text); wrong += 1; };
const page = await browser.newPage();
page.on("request", (r) => {
  if (!r.url().startsWith(pathToFileURL(folder).href) && !r.url().startsWith("data:")) fault(`asks for ${r.url()}`);
});
for (const [width, scheme] of [[360, "light"], [1200, "dark"]]) {
  await page.setViewport({ width, height: 800 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  for (const file of files) {
    await page.goto(pathToFileURL(join(folder, file)).href);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) fault(`${file}: ${wide} wide in a window of ${width}`);
    for (const text of await page.evaluate(pale)) fault(`${file}, ${scheme}: contrast of ${text}`);
    if (["index.html", "gentoo.html", "gpu/gfx1032.html", "package/rocblas.html"].includes(file)) {
      await page.screenshot({ path: join(pictures, `${file.replaceAll("/", "-")}-${width}-${scheme}.png`) });
    }
  }
}
await browser.close();
console.log(`    ${files.length} pages looked at, ${wrong} faults`);
process.exit(wrong ? 1 : 0);
