/** Where files stand, and who may import whom: see `docs/architecture.md`. */
import { expect, test } from "vitest";

/** Texts by paths within `src`. */
const sources = new Map(
  Object.entries(import.meta.glob("../src/**/*", { query: "?raw", import: "default", eager: true })).map(
    ([path, text]) => [path.replace(/^\.\.\/src\//, ""), text],
  ),
);

/** Rooms that features share, each with the rooms that it may use itself. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  draw: ["core"],
  collective: ["core", "draw"],
  card: ["core", "draw"],
  picture: ["core", "draw"],
  share: ["card"],
  page: ["card", "core", "share"],
  loader: ["card"],
};
/** What no feature needs: entries of their own. */
const APART = ["share", "page", "loader"];
/** The one list of all features' pictures. */
const LIST = "picture/pictures.ts";

const roomOf = (file: string) => file.split("/")[0] as string;
const features = [...new Set([...sources.keys()].filter((file) => file.includes("/")).map(roomOf))].filter(
  (name) => !ROOMS[name],
);

/** The path within `src` of what a file imports by a relative path. */
function resolved(from: string, path: string): string {
  const { pathname } = new URL(path, `file:///${from}`);
  return ["", ".ts", ".tsx"].map((end) => pathname.slice(1) + end).find((file) => sources.has(file)) ?? pathname;
}

/** Every import of a file by another. */
const imports = [...sources].flatMap(([from, text]) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, path]) => ({
    from,
    to: resolved(from, path as string),
  })),
);

test("every feature is one folder, with its entry, its card, its state and its picture", () => {
  const needed = ["Card.tsx", "entry.ts", "picture.ts", "state.ts"];
  const missing = features.flatMap((name) => needed.map((file) => `${name}/${file}`)).filter((f) => !sources.has(f));
  // A program's memory has a picture of its own, and a playground is drawn as the array that it describes.
  expect(missing).toEqual(["playground/picture.ts"]);
});

test("a feature imports another's public files only", () => {
  const reaching = imports.filter(
    ({ from, to }) =>
      features.includes(roomOf(to)) &&
      roomOf(from) !== roomOf(to) &&
      !/\/public\.ts$/.test(to) &&
      !(from === LIST && /^\w+\/(\w+\/)?picture\.ts$/.test(to)),
  );
  expect(reaching).toEqual([]);
});

test("rooms import no feature, and only the rooms below them", () => {
  const up = imports.filter(({ from, to }) => {
    const below = ROOMS[roomOf(from)];
    return below && from !== LIST && roomOf(to) !== roomOf(from) && !below.includes(roomOf(to));
  });
  expect(up).toEqual([]);
  expect(imports.filter(({ from, to }) => features.includes(roomOf(from)) && APART.includes(roomOf(to)))).toEqual([]);
});

test("the features that use each other form no circle", () => {
  const uses = (name: string) =>
    new Set(imports.filter(({ from }) => roomOf(from) === name).map(({ to }) => roomOf(to)));
  const circle = (path: readonly string[]): string[] =>
    path.indexOf(path.at(-1) as string) < path.length - 1
      ? [path.join(" → ")]
      : [...uses(path.at(-1) as string)]
          .filter((next) => features.includes(next) && next !== path.at(-1))
          .flatMap((next) => circle([...path, next]));
  expect(features.flatMap((name) => circle([name]))).toEqual([]);
});

test("what only one feature uses stands in its folder", () => {
  const users = new Map<string, Set<string>>();
  const reach = (file: string, by: string) => {
    if (users.get(file)?.has(by)) return;
    users.set(file, (users.get(file) ?? new Set()).add(by));
    for (const { from, to } of imports) if (from === file) reach(to, by);
  };
  for (const file of sources.keys()) if (/\/(entry|picture)\.ts$/.test(file)) reach(file, roomOf(file));
  const shared = [...users].filter(([file]) => roomOf(file) in ROOMS && !APART.includes(roomOf(file)));
  expect(shared.filter(([file, by]) => by.size === 1 && !by.has(roomOf(file)))).toEqual([]);
  // And there is no file that nobody uses.
  expect([...sources.keys()].filter((file) => !users.has(file) && !file.endsWith(".d.ts"))).toEqual([]);
});
