/** Golden pictures of steps: at a moment, and playing. */
import { expect, test } from "vitest";
import { pngDataUri } from "../../src/draw/paint/png";
import { theme } from "../../src/draw/paint/theme";
import { paintAnimated } from "../../src/picture/animated";
import { type StepPicture, stepScene } from "../../src/stepper/scene/card";
import { stepFilm } from "../../src/stepper/scene/film";
import { spaceFilm } from "../../src/stepper/spacetime/scene/film";
import { expectInGallery, expectSceneInGallery, SCHEMES } from "../golden";
import { model, stepOf, type TraceName } from "./traces";

interface Golden extends Partial<StepPicture> {
  trace: TraceName;
  primitive: string;
  /** Done at 1. */
  phase?: number;
}

const GOLDEN: Readonly<Record<string, Golden>> = {
  "psum-half-way": { trace: "psum", primitive: "psum_invariant", phase: 0.45 },
  psum: { trace: "psum", primitive: "psum_invariant" },
  "psum-watch": { trace: "psum", primitive: "psum_invariant", watch: ["a"] },
  "psum-narrow": { trace: "psum", primitive: "psum_invariant", phase: 0.45, width: 480 },
  "in-specs": { trace: "psum", primitive: "in_specs" },
  "out-specs": { trace: "psum", primitive: "out_specs" },
  "all-gather-ring": { trace: "all_gather", primitive: "all_gather", phase: 0.45, algorithm: "ring" },
  "all-gather-doubling": { trace: "all_gather", primitive: "all_gather", phase: 0.7, algorithm: "halving-doubling" },
  "reduce-scatter-ring": { trace: "reduce_scatter", primitive: "reduce_scatter", phase: 0.45, algorithm: "ring" },
  "all-to-all": { trace: "all_to_all", primitive: "all_to_all", phase: 0.45 },
  "ppermute-hole": { trace: "ppermute", primitive: "ppermute", phase: 0.45 },
  "ppermute-hole-done": { trace: "ppermute", primitive: "ppermute" },
  broadcast: { trace: "pbroadcast", primitive: "pbroadcast", phase: 0.3, algorithm: "ring" },
  scan: { trace: "scan", primitive: "add" },
  error: { trace: "error", primitive: "error" },
  "under-way": { trace: "under way", primitive: "add" },
  "used-too-early": { trace: "used too early", primitive: "error" },
  "three-axes": { trace: "cube", primitive: "psum_invariant", phase: 0.45 },
  "64-devices": { trace: "64 devices", primitive: "psum_invariant", phase: 0.3, algorithm: "ring" },
  "256-devices": { trace: "256 devices", primitive: "psum_invariant" },
};

for (const [name, { trace, primitive, phase = 1, width = 960, ...rest }] of Object.entries(GOLDEN)) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    const t = model(trace);
    const scene = stepScene(t, { step: stepOf(t, primitive), phase }, { width, scheme, ...rest });
    await expectSceneInGallery(scene, t.doc.name, `step-${name}`, scheme);
  });
}

const MOVING: Readonly<Record<string, Golden>> = {
  "psum-playing": { trace: "psum of four", primitive: "psum_invariant" },
  "all-gather-ring-playing": { trace: "all_gather", primitive: "all_gather", algorithm: "ring" },
};

for (const [name, { trace, primitive, width = 820, ...rest }] of Object.entries(MOVING)) {
  test.each(SCHEMES)(`${name}, %s`, async (scheme) => {
    const t = model(trace);
    const step = stepOf(t, primitive);
    const film = stepFilm(t, [step, step], 0.5, { width, scheme, ...rest });
    const written = paintAnimated(film, theme(scheme), t.doc.name, pngDataUri);
    expect(written.length).toBeLessThan(150_000);
    await expectInGallery(written, `step-${name}`, scheme);
  });
}

/** The first picture of the README. */
test.each(SCHEMES)("ring-attention-playing, %s", async (scheme) => {
  const t = model("ring attention");
  const film = spaceFilm(t, 0.5, { width: 720, scheme });
  // Nothing of what stands comes or goes: the first moment is as whole as the last, but for blocks on their way.
  const texts = (ms: number) =>
    film.at(ms).marks.flatMap((m) => (m.kind === "text" && m.size !== 11 ? [m.spans.map((s) => s.text).join("")] : []));
  expect(texts(0)).toEqual(texts(film.ms));
  const written = paintAnimated(film, theme(scheme), t.doc.name, pngDataUri);
  expect(written.length).toBeLessThan(150_000);
  await expectInGallery(written, "step-ring-attention-playing", scheme);
});
