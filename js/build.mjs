// Bundles the front end into shardwidget/static/. The output depends on the sources and the lock file alone.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const root = fileURLToPath(new URL(".", import.meta.url));

/** `import css from "./x.css"` is the minified text: the widget adopts it in its own shadow root. */
const cssAsText = {
  name: "css-as-text",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const { code } = await transform(source, { loader: "css", minify: true });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { "process.env.NODE_ENV": '"production"' },
  plugins: [cssAsText],
  logLevel: "warning",
};

await Promise.all([
  build({
    ...shared,
    entryPoints: ["src/host/widget.tsx"],
    format: "esm",
    outfile: "../shardwidget/static/widget.js",
  }),
  // For a bare V8 (mini-racer): sets globalThis.shardwidget = { svg }.
  build({
    ...shared,
    entryPoints: ["src/host/headless.ts"],
    format: "iife",
    platform: "neutral",
    outfile: "../shardwidget/static/headless.js",
  }),
]);
