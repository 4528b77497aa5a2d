import { interpolate, wcagContrast } from "culori";
import { expect, test } from "vitest";
import { TINT } from "../../src/draw/marks";
import { theme } from "../../src/draw/paint/theme";

const AXES = Array.from({ length: 6 }, (_, i) => `axis${i}`);

for (const scheme of ["light", "dark"] as const) {
  const { tokens } = theme(scheme);
  const color = (name: string) => tokens[name] ?? "";

  test.each(["ink", "muted", "ok", "warn", "error", ...AXES])(`${scheme}: %s can be read on every ground`, (name) => {
    const tint = interpolate([color("bg"), color(name)], "rgb")(TINT);
    for (const ground of [color("bg"), color("panel"), tint]) {
      expect(wcagContrast(color(name), ground)).toBeGreaterThanOrEqual(4.5);
    }
  });

  test.each(AXES)(`${scheme}: the sign on a disc of %s can be seen`, (name) => {
    expect(wcagContrast(color(name), color("bg"))).toBeGreaterThanOrEqual(4.5);
  });
}

test("a page's own colour takes the place of ours, the colours of axes stay", () => {
  const { tokens } = theme("dark", { bg: "#000000", axis0: "#ff0000" });
  expect([tokens.bg, tokens.axis0, tokens.ink]).toEqual(["#000000", "#6DB0FF", theme("dark").tokens.ink]);
});
