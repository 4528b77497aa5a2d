// Bundles each file of src/entries into shardwidget/static/, beside bundles.json, which lists them. The output depends on the sources and the lock file alone.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { minify } from "terser";

const root = fileURLToPath(new URL(".", import.meta.url));
const outputFolder = new URL("../shardwidget/static/", import.meta.url);

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

/** Bundles with pictures of bytes and times, see src/build.d.ts. */
const DRAWS_BYTES = ["inspector.js", "model.js", "program.js", "reshard.js", "run.js", "pipeline.js", "headless.js"];

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  target: "es2022",
  // Arguments of `h` are shorter than the properties of the automatic form, by some 300 compressed bytes a bundle.
  jsx: "transform",
  jsxFactory: "jsxElement",
  jsxFragment: "JsxFragment",
  tsconfigRaw: {},
  plugins: [cssAsText],
  logLevel: "warning",
};

/** Bundles that draw no page of their own: they have no JSX. */
const BARE = ["page.js", "headless.js", "share.js", "array-parts.js"];

/** Calls that are written often, by the names of short.mjs: some 150 compressed bytes of the largest bundle. */
const SHORT = {
  "Array.from": "arrayFrom",
  "Math.abs": "mathAbs",
  "Math.ceil": "mathCeil",
  "Math.floor": "mathFloor",
  "Math.max": "mathMax",
  "Math.min": "mathMin",
  "Math.round": "mathRound",
};

/** esbuild joins the modules; terser, given the whole, makes them some 4 % smaller than esbuild alone. */
async function bundle(outfile, options) {
  const define = {
    "process.env.NODE_ENV": '"production"',
    DRAWS_BYTES: String(DRAWS_BYTES.includes(outfile)),
    ...SHORT,
  };
  const inject = BARE.includes(outfile) ? ["short.mjs"] : ["jsx.mjs", "short.mjs"];
  const { outputFiles } = await build({ ...shared, ...options, define, inject, write: false });
  const { code } = await minify(outputFiles[0].text, {
    ecma: 2020,
    module: options.format === "esm",
    compress: {
      passes: 5,
      unsafe: true,
      unsafe_math: true,
      unsafe_arrows: true,
      pure_getters: true,
      keep_fargs: false,
      arguments: true,
      // Functions stay beside what they resemble, and whole, which compresses better.
      hoist_funs: false,
      inline: 1,
      lhs_constants: false,
    },
    mangle: { toplevel: true },
  });
  await mkdir(outputFolder, { recursive: true });
  await writeFile(new URL(outfile, outputFolder), code);
}

// One bundle an entry. Of those that are not a widget, page.js is what a saved page has in place of a kernel,
// share.js the menu that Python brings to any card, array-parts.js and stepper-parts.js what ArrayView and the stepper
// load after their first picture, and headless.js, for a bare V8 (mini-racer), sets
// globalThis.shardwidget = { svg }.
const entries = await readdir(new URL("src/entries/", import.meta.url));
const bundles = entries.map((file) => file.replace(/\.ts$/, ".js")).sort();
// The list is written last: where it is, all of them are.
await rm(outputFolder, { recursive: true, force: true });
for (const file of entries) {
  const format = file === "headless.ts" ? { format: "iife", platform: "neutral" } : { format: "esm" };
  await bundle(file.replace(/\.ts$/, ".js"), { entryPoints: [`src/entries/${file}`], ...format });
}
await writeFile(new URL("bundles.json", outputFolder), JSON.stringify(bundles));
