/** Golden pictures of placements, written by the code that `to_svg` runs. */
import { test } from "vitest";
import { svg } from "../src/picture/entry";
import { saved } from "./documents";
import { expectInGallery, SCHEMES } from "./golden";
import { PICTURES } from "./pictures";

for (const [name, { document, traits, width = 960 }] of Object.entries(PICTURES)) {
  test.each(SCHEMES)(`${name}, %s`, async (theme) => {
    await expectInGallery(svg(saved(document, traits), JSON.stringify({ width, theme })), name, theme);
  });
}
