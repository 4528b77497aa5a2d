/** Documents with one number changed: each is refused with a message, or drawn in places that are numbers. */
import { expect, test } from "vitest";
import { checkNumbers } from "../src/core/checked";
import { isBytes } from "../src/core/ints";
import { reviveBytes } from "../src/core/saved";
import { DocumentError } from "../src/core/wire";
import type { Scene } from "../src/draw/marks";
import type { SavedState } from "../src/picture/picture";
import { pictureOf } from "../src/picture/pictures";
import { ALL, sheet } from "./exercise/sheets";
import { farCorner } from "./golden";
import { PICTURES } from "./pictures";
import { playground } from "./playground/documents";

type Fields = Readonly<Record<string, unknown>>;
type Document = Fields & { kind: string };
type Path = readonly (string | number)[];

const BAD = [-1, 1e9, 0.5, Number.NaN, Number.POSITIVE_INFINITY, null, "text"];

const isDocument = (value: Fields): value is Document => typeof value.kind === "string" && value.version === 1;

/** The documents in what a file of fixtures contains. */
function documents(value: unknown): Document[] {
  if (typeof value !== "object" || value === null) return [];
  return isDocument(value as Fields) ? [value as Document] : Object.values(value).flatMap(documents);
}

const files = import.meta.glob("./*/*.json", { import: "default", eager: true });
const FIXTURES = [
  ...Object.values(files)
    .flatMap(documents)
    .map((document) => reviveBytes(document) as Document),
  ...Object.values(PICTURES).map(({ document }) => document as unknown as Document),
  sheet(...ALL) as unknown as Document,
  playground() as unknown as Document,
];
const KINDS = [...new Set(FIXTURES.map((document) => document.kind))].sort();

/** Where numbers stand: the first and the last of those whose paths differ in indices alone. */
function numbers(document: unknown): Path[] {
  const found = new Map<string, Path>();
  const walk = (value: unknown, path: Path) => {
    if (typeof value === "number") {
      const shape = path.map((key) => (typeof key === "number" ? "*" : key)).join();
      found.set(found.has(shape) ? `${shape} last` : shape, path);
    } else if (Array.isArray(value)) for (const [i, item] of value.entries()) walk(item, [...path, i]);
    else if (typeof value === "object" && value !== null && !isBytes(value))
      for (const [key, item] of Object.entries(value)) walk(item, [...path, key]);
  };
  walk(document, []);
  return [...found.values()];
}

/** A document with another value at a path. */
function changed(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined) return to;
  if (Array.isArray(value)) return value.with(key as number, changed(value[key as number], rest, to));
  return { ...(value as Fields), [key]: changed((value as Fields)[key], rest, to) };
}

function draw(document: Document): Scene {
  checkNumbers(document);
  const [scene] = pictureOf(document.kind).draw({ _document: document } as SavedState, { width: 800, scheme: "light" });
  return scene;
}

test("what Python wrote is drawn", () => {
  for (const document of FIXTURES) expect(() => checkNumbers(document), document.kind).not.toThrow();
});

/** Whether every mark stands at numbers, in a picture that has a height. */
function placed({ marks, height }: Scene): boolean {
  return height > 0 && height < 1e6 && marks.every((mark) => farCorner(mark).every(Number.isFinite));
}

test.each(KINDS)("one number of a %s is another", (kind) => {
  const seen = new Set<string>();
  for (const document of FIXTURES.filter((fixture) => fixture.kind === kind)) {
    for (const path of numbers(document)) {
      const place = path.map((key) => (typeof key === "number" ? "*" : key)).join();
      if (seen.has(place)) continue;
      seen.add(place);
      for (const bad of BAD) {
        try {
          expect(placed(draw(changed(document, path, bad) as Document)), `${path.join(".")} = ${bad}`).toBe(true);
        } catch (error) {
          // A DocumentError says what is wrong; a card shows a TypeError in place of the picture, too.
          if (!(error instanceof DocumentError || error instanceof TypeError || error instanceof RangeError))
            throw error;
        }
      }
    }
  }
});
