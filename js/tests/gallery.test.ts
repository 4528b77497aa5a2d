/** Golden pictures: each is an example of the gallery, written by the code that `to_svg` runs. */
import { expect, test } from "vitest";
import { svg } from "../src/entries/headless";
import { saved } from "./documents";
import { PICTURES } from "./pictures";

for (const [name, { document, traits, width = 960 }] of Object.entries(PICTURES)) {
  test.each(["light", "dark"])(`${name}, %s`, async (theme) => {
    const picture = svg(saved(document, traits), JSON.stringify({ width, theme }));
    await expect(`${picture}\n`).toMatchFileSnapshot(`../../docs/gallery/${name}.${theme}.svg`);
  });
}
