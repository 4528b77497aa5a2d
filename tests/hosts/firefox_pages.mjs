// Opens pages of the guide in one Firefox, one after another, and prints for each how its views came out, and what axe finds
// in a part of it, as JSON. node firefox_pages.mjs FIREFOX PART ADDRESS…
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../js/package.json", import.meta.url));
const puppeteer = require("puppeteer-core");
const [program, part, ...addresses] = process.argv.slice(2);

// Ends what hangs.
const timeout = 120_000;
const launch = { browser: "firefox", executablePath: program, headless: true, timeout, protocolTimeout: timeout };

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const browser = await puppeteer.launch(launch);
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(timeout);
  const found = [];
  for (const address of addresses) {
    await page.goto(address);
    await page.waitForFunction(() => !document.querySelector("[data-sw=view]:not([data-ready])"));
    const ready = await page.$$eval("[data-sw=view]", (views) => views.map((view) => view.dataset.ready));
    await page.evaluate(axe);
    const { violations } = await page.evaluate((part) => window.axe.run(part), part);
    found.push([address, ready, violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])]);
  }
  console.log(JSON.stringify(found));
} finally {
  await browser.close();
}
