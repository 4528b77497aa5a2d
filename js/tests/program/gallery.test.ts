/** Golden pictures of compiled programs. */
import { expect, test } from "vitest";
import type { Scene } from "../../src/draw/marks";
import { decodePrograms, ProgramModel } from "../../src/program/model/program";
import { programScene } from "../../src/program/scene/card";
import { programsScene } from "../../src/program/scene/sidebyside";
import { expectInsideAtAnyWidth, expectSceneInGallery, SCHEMES, type Scheme } from "../golden";
import { many, modelOf, PROGRAMS, type ProgramName, wire } from "./programs";

const GOLDEN: Readonly<Record<string, { of: ProgramName; width?: number; selection?: number }>> = {
  training: { of: "training", selection: 0 },
  "shard-map": { of: "shard_map", selection: 0 },
  irregular: { of: "shard_map", selection: 3 },
  torus: { of: "torus" },
  pod: { of: "pod" },
  layouts: { of: "layouts" },
  narrow: { of: "training", width: 480 },
};

function picture(name: ProgramName, width: number, scheme: Scheme, selection: number | null = null): Scene {
  const { programs, sideBySide } = decodePrograms(wire(name));
  const models = programs.map((p) => new ProgramModel(p));
  const options = { width, scheme, selection, axis: null, sort: "time" as const };
  return sideBySide ? programsScene(models, width) : programScene(models[0] as ProgramModel, options);
}

for (const [name, { of, width = 1100, selection }] of Object.entries(GOLDEN)) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    await expectSceneInGallery(picture(of, width, scheme, selection), of, `program-${name}`, scheme);
  });
}

test.each(PROGRAMS)("%s: nothing stands outside of its picture, at any width", (name) => {
  expectInsideAtAnyWidth((width) => picture(name, width, "light"));
});

test("a long table is cut, and says so", () => {
  const scene = programScene(modelOf(many(40)), {
    width: 1100,
    scheme: "light",
    selection: null,
    axis: null,
    sort: "time",
  });
  const texts = scene.marks.flatMap((m) => (m.kind === "text" ? m.spans.map((s) => s.text).join("") : []));
  expect(texts).toContain("24 more collectives in the table.");
});
