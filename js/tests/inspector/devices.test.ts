/** The devices with the bytes on each. */
import { expect, test } from "vitest";
import { MeshModel } from "../../src/core/mesh";
import { deviceMarks, layoutDevices } from "../../src/draw/devices";
import { deviceBox } from "../../src/draw/grid";
import { mesh } from "../documents";

const on = new MeshModel(mesh({ replica: 2, fully_sharded_data: 4, tensor: 2 }));
const held = Float64Array.from(on.ids, (id) => (id < 8 ? 12_300_000 + id : 258_000));
const holding = { mesh: on, held, devices: [...on.ids].map((id) => ({ id, position: id })) };

test("bytes are whole at every width: where they have no room, groups of devices stand in lines", () => {
  for (let width = 240; width <= 1200; width += 16) {
    const panel = layoutDevices(holding, width);
    const texts = deviceMarks(holding, panel, held, null).flatMap((m) => (m.kind === "text" ? m.spans : []));
    const bytes = texts.map(({ text }) => text).filter((text) => /[\d.]+ .*iB|…/.test(text));
    expect(bytes.length).toBe(panel.grid ? 16 : panel.groups.length);
    expect(bytes.join(), `${width} px`).not.toContain("…");
  }
});

test("panels of a third axis stand beside one another in a card 934 px wide", () => {
  const { grid } = layoutDevices(holding, 902);
  if (!grid) return expect.fail("there are no devices");
  expect(deviceBox(on, grid, 1).y).toBe(deviceBox(on, grid, 0).y);
});
