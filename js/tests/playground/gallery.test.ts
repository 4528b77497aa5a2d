/** Golden pictures of what a playground's specs come to. */
import { test } from "vitest";
import { cardScene } from "../../src/array/scene/card";
import type { SpecDraft } from "../../src/core/document.gen";
import { PlacementModel } from "../../src/core/placement";
import { placementOf } from "../../src/playground/model/playground";
import { expectSceneInGallery, SCHEMES } from "../golden";
import { axis, draft, LOOSE, on, playground } from "./documents";

const GOLDEN: Readonly<Record<string, SpecDraft>> = {
  playground: draft({ entries: [on("y"), on("x")] }),
  "playground-sum": draft({ entries: [on("x")], unreduced: ["y"] }),
  "playground-loose": draft({ axes: [axis("x", 4, "Auto"), axis("y", 2, "Auto")], entries: [on("x"), LOOSE] }),
  "playground-abstract": draft({ axes: [axis("x", 4), axis("y", 4)], entries: [on("x"), on("y")] }),
};

for (const [name, given] of Object.entries(GOLDEN)) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    const model = new PlacementModel(placementOf(given, playground()));
    const scene = cardScene(model, { width: 960, scheme });
    await expectSceneInGallery(scene, model.doc.type, name, scheme);
  });
}
