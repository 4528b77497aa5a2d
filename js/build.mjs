// Bundles each feature of src into shardwidget/static/, beside bundles.json, which lists them. The output depends on the sources and the lock file alone.
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";
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

/** Bundles that draw no bytes and no time, see src/build.d.ts: some 500 compressed bytes less each. */
const WITHOUT_BYTES = ["algorithms", "array", "array-parts", "comparison", "mpmd", "playground"]
  .concat("stepper", "stepper-parts")
  .map((name) => `${name}.js`);

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
  // Fields that the constructor's parameters declare are not declared again: some 30 compressed bytes a bundle.
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
  plugins: [cssAsText],
  logLevel: "warning",
};

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

/**
 * Browsers compile a function when it is first called, on the thread that draws. With this line Chromium compiles all of
 * a bundle while it is loaded, on another thread: a third less script before the first picture. Others ignore it.
 */
const COMPILED_WHEN_LOADED = "//# allFunctionsCalledOnLoad\n";

/** A view's state before the rest of it: in that order of modules bundles are 1 % smaller, compressed. */
function stateFirst(entry) {
  const contents = 'import "./state"; export * from "./entry"; export { default } from "./entry";';
  return { entryPoints: [], stdin: { contents, resolveDir: root + entry.replace("/entry.ts", ""), loader: "ts" } };
}

/** esbuild joins the modules; terser, given the whole, makes them some 4 % smaller than esbuild alone. */
async function bundle(outfile, options) {
  const define = {
    "process.env.NODE_ENV": '"production"',
    DRAWS_BYTES: String(!WITHOUT_BYTES.includes(outfile)),
    ...SHORT,
  };
  const { metafile } = await build({ ...shared, ...options, define, metafile: true, write: false });
  const drawsPage = Object.keys(metafile.inputs).some((file) => file.endsWith(".tsx"));
  const inject = drawsPage ? ["jsx.mjs", "short.mjs"] : ["short.mjs"];
  const [entry] = options.entryPoints;
  const ordered =
    entry.replace("entry.ts", "state.ts") in metafile.inputs ? { ...options, ...stateFirst(entry) } : options;
  const { outputFiles } = await build({ ...shared, ...ordered, define, inject, write: false });
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
    // Of properties, those that Preact has for itself.
    mangle: { toplevel: true, properties: { regex: /^__/ } },
  });
  await mkdir(outputFolder, { recursive: true });
  const isLoaded = options.format === "esm";
  await writeFile(new URL(outfile, outputFolder), isLoaded ? COMPILED_WHEN_LOADED + code : code);
}

// One bundle a file `entry.ts`, named after its folder: `array/parts/entry.ts` is array-parts.js. Of those that are not a
// widget, loader.js is what widgets of a Jupyter kernel have to find theirs, page.js what a saved page has in place of a
// kernel, share.js the menu that Python brings to any card, array-parts.js, stepper-parts.js and program-pages.js what
// ArrayView, the stepper and programs load when it is needed, and picture.js, for a bare V8 (mini-racer), sets globalThis.shardwidget.
const files = await readdir(new URL("src/", import.meta.url), { recursive: true });
const entries = files.filter((file) => file.endsWith("/entry.ts")).sort();
const bundles = entries.map((file) =>
  file
    .replace(/\/entry\.ts$/, "")
    .replaceAll("/", "-")
    .concat(".js"),
);
/** Which bundle is made next: every processor makes one at a time. */
const next = new Int32Array(workerData ?? new SharedArrayBuffer(4));

async function makeBundles() {
  for (let i = Atomics.add(next, 0, 1); i < entries.length; i = Atomics.add(next, 0, 1)) {
    const format = bundles[i] === "picture.js" ? { format: "iife", platform: "neutral" } : { format: "esm" };
    await bundle(bundles[i], { entryPoints: [`src/${entries[i]}`], ...format });
  }
}

if (isMainThread) {
  await rm(outputFolder, { recursive: true, force: true });
  const others = Array.from(
    { length: Math.min(availableParallelism(), entries.length) - 1 },
    () => new Worker(fileURLToPath(import.meta.url), { workerData: next.buffer }),
  );
  await Promise.all([makeBundles(), ...others.map((other) => once(other, "exit"))]);
  // The list is written last: where it is, all of them are.
  await writeFile(new URL("bundles.json", outputFolder), JSON.stringify(bundles));
} else await makeBundles();
