import { expect, test } from "vitest";
import { fitName } from "../../src/draw/measure";

test("of a call that is too long its function is left, of other names their beginning", () => {
  expect(fitName('psum(p, "y")', 200, 11)).toBe('psum(p, "y")');
  expect(fitName('psum(p, "y")', 45, 11)).toBe("psum(…)");
  expect(fitName("a_very_long_name", 45, 11)).toMatch(/^a_ver.*…$/);
});
