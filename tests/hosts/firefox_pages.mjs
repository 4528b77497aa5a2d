// Opens pages of the guide in one Firefox, one after another, and prints for each how its first view came out, as JSON.
// node firefox_pages.mjs FIREFOX ADDRESS…
import { createRequire } from "node:module";

const require = createRequire(new URL("../../js/package.json", import.meta.url));
const puppeteer = require("puppeteer-core");
const [program, ...addresses] = process.argv.slice(2);

// Ends what hangs.
const timeout = 120_000;
const launch = { browser: "firefox", executablePath: program, headless: true, timeout, protocolTimeout: timeout };

const browser = await puppeteer.launch(launch);
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(timeout);
  const found = [];
  for (const address of addresses) {
    await page.goto(address);
    const view = await page.waitForSelector("[data-sw=view][data-ready]");
    found.push([address, await view.evaluate((element) => element.dataset.ready)]);
  }
  console.log(JSON.stringify(found));
} finally {
  await browser.close();
}
