// Opens a page in Firefox, moves and pins with the keyboard, and prints what a screen reader would hear, as JSON.
// node firefox.mjs FIREFOX ADDRESS SCREENSHOT
import { createRequire } from "node:module";

const require = createRequire(new URL("../../js/package.json", import.meta.url));
const puppeteer = require("puppeteer-core");
const [program, address, screenshot] = process.argv.slice(2);

// Ends what hangs.
const timeout = 120_000;
const launch = { browser: "firefox", executablePath: program, headless: true, timeout, protocolTimeout: timeout };

const browser = await puppeteer.launch(launch);
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(timeout);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(address);
  const view = await page.waitForSelector(">>> [data-sw-ready]");
  const mesh = await view.waitForSelector('>>> [role=listbox][aria-label^="mesh"]');
  await mesh.focus();
  for (const key of ["Home", "ArrowDown", "ArrowDown", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  const pinned = await mesh.waitForSelector("[role=option][aria-selected=true]");
  const heard = await pinned.evaluate((option) => option.getAttribute("aria-label"));
  const array = await view.waitForSelector('>>> [role=listbox][aria-label^="logical array"] [role=option]');
  const linked = await array.evaluate((option) => option.getAttribute("aria-label"));
  const drawn = await view.evaluate((root) => {
    const canvas = root.shadowRoot.querySelector("canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  await page.screenshot({ path: screenshot });
  console.log(JSON.stringify({ heard, linked, drawn, asked: asked.filter((url) => !/^(file|blob|data):/.test(url)) }));
} finally {
  await browser.close();
}
