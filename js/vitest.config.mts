import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { playwright } from "@vitest/browser-playwright";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// As in build.mjs: `import css from "./x.css"` is text.
const cssAsText: Plugin = {
  name: "css-as-text",
  enforce: "pre",
  resolveId: (source, importer) =>
    importer && source.endsWith(".css") ? `${resolve(dirname(importer), source)}?raw` : undefined,
};

// `make test` names the browser; Playwright's own is the last resort.
const chromium = process.env.SHARDWIDGET_CHROMIUM ?? ["/usr/bin/chromium"].find(existsSync);

export default defineConfig({
  plugins: [cssAsText],
  define: { DRAWS_BYTES: "true" },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    setupFiles: ["tests/setup.ts"],
    // By default one fewer: with two, half of the machine would wait.
    maxWorkers: "100%",
    // They end what hangs. No test depends on them: on a busy machine everything takes its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        // What is imported is kept from file to file: pictures are functions of what they are given.
        test: { name: "node", isolate: false, include: ["tests/**/*.test.ts"], exclude: ["tests/**/*.browser.test.*"] },
      },
      {
        extends: true,
        test: {
          name: "browser",
          setupFiles: ["tests/fonts.ts"],
          include: ["tests/**/*.browser.test.{ts,tsx}"],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            connectTimeout: 300_000,
            instances: [{ browser: "chromium" }],
            provider: playwright({
              launchOptions: { args: ["--no-sandbox", "--disable-gpu"], ...(chromium && { executablePath: chromium }) },
            }),
          },
        },
      },
    ],
  },
});
