/** Cutting text to a width: as much as fits, and time that is linear in the text. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fit as cut, fitClauses, fitName, textWidth, wrapped } from "../../src/draw/measure";

/** The rule, slowly: the longest beginning that fits with its ellipsis, and at least one character. */
function slowly(text: string, width: number, mono: boolean): string {
  if (textWidth(text, 12, mono) <= width + 1e-6) return text;
  const characters = [...text];
  let keep = characters.length;
  while (keep > 1 && textWidth(`${characters.slice(0, keep).join("")}…`, 12, mono) > width + 1e-6) keep--;
  return `${characters.slice(0, keep).join("")}…`;
}

test("cutting keeps the longest beginning that fits", () => {
  const text = fc.string({ unit: fc.constantFrom("i", "M", "a", " ", "🙂", "…", "Q") });
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 200 }), fc.boolean(), (t, width, mono) => {
      expect(cut(t, width, 12, mono)).toBe(slowly(t, width, mono));
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["One. Two; three. Four", 30, "One."],
  ["One. Two; three. Four", 58, "One. Two"],
  ["One. Two; three. Four", 1000, "One. Two; three. Four"],
  ["Unbreakable", 30, "Unb…"],
])("clauses of %s in %i pixels", (text, width, expected) => expect(fitClauses(text, width, 12)).toBe(expected));

const LONG = 1_000_000;

test.each(["e", "MM", "word ", "a; ", "a. ", "🙂", "  ", "g(", "x = ", " of device "])(
  "a million characters of %s are measured in linear time",
  (text) => {
    const long = text.repeat(LONG / text.length);
    expect(cut(long, 300, 12).length).toBeLessThan(200);
    expect(fitClauses(long, 300, 12).length).toBeLessThan(200);
    expect(fitName(long, 300, 12).length).toBeLessThan(200);
    expect(wrapped(long, 300).length).toBeLessThanOrEqual(3);
    expect(textWidth(long, 12)).toBeGreaterThan(0);
  },
);
