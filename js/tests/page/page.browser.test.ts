/** Saved pages that somebody edited: what can be drawn is drawn, anything else is named in its place. */
import { afterEach, expect, test } from "vitest";
import view from "../../src/array/entry";
import { mount } from "../../src/page/entry";
import { array, mesh, saved } from "../documents";

const GOOD = array(mesh({ x: 2, y: 2 }), [4, 4], ["x", "y"]);

const places: HTMLElement[] = [];

afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

async function opened(state: string): Promise<HTMLElement> {
  const place = document.createElement("div");
  places.push(place);
  document.body.append(place);
  await mount(place, JSON.parse(state), view.render);
  return place;
}

test.each([10, null, "neon"])("a theme that is none, %j, is the page's own", async (theme) => {
  const place = await opened(saved(GOOD, { _look: { theme }, color_by: "position" }));
  expect(place.dataset.ready).toBe("true");
  await expect.poll(() => place.querySelector<HTMLElement>(".shardwidget")?.dataset.swReady).toBeDefined();
});

test("a mesh that cannot be is named", async () => {
  const [x] = GOOD.mesh.axes;
  const document = { ...GOOD, mesh: { ...GOOD.mesh, axes: [{ ...x, size: 1e9 }] } };
  const place = await opened(saved(document, { _look: { theme: "light" } }));
  expect(place.dataset.ready).toBe("error");
  expect(place.textContent).toContain("its mesh of 1000000000 has 4 devices");
});
