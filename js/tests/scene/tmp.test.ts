import * as fc from "fast-check";
import { test } from "vitest";
import { PlacementModel } from "../../src/model/placement";
import { layoutBody } from "../../src/scene/layout";
import { cases, extent, marksOf } from "./cases";
test("x", () => {
  const seen = new Map<string, [number, string, number]>();
  for (const c of fc.sample(cases, { numRuns: 600, seed: 3 })) {
    const model = new PlacementModel(c.document);
    const layout = layoutBody(model, c.choice, c.width, c.docked);
    for (const m of marksOf(model, layout, c.lit)) {
      const { x, y, w, h } = extent(m);
      const sides = { left: -x, top: -y, right: x + w - layout.width, bottom: y + h - layout.height };
      for (const [k, out] of Object.entries(sides)) if (out > 12) {
        const key = `${m.kind} ${k} ${m.kind === "text" ? m.spans[0]!.text.replace(/\d+/g, "N").slice(0, 20) + m.color : JSON.stringify((m as any).fill ?? (m as any).stroke?.color)} ${layout.mesh.density} ${model.doc.shape === null ? "alone" : ""} ${layout.stacked ? "stacked" : ""}`;
        const old = seen.get(key);
        const info = `W${c.width} ${model.meshShape} shape${model.doc.shape} ${JSON.stringify(m).slice(0, 150)}`;
        if (!old || old[0] < out) seen.set(key, [out, info, (old?.[2] ?? 0) + 1]); else old[2]++;
      }
    }
  }
  for (const [k, v] of [...seen].sort()) console.log(k, v[2], Math.round(v[0]), v[1]);
});
