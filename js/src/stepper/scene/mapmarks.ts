/** A small map of the whole mesh: each device a swatch of its block, those that are drawn in full outlined. */
import { hex } from "../../core/color";
import { deviceBox } from "../../draw/grid";
import { axisStroke, CENTER, label, type Mark } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { blockColor, partial } from "./look";
import type { StepView } from "./view";

/** A device of many: its id and a swatch of its block, or the swatch alone. */
export function mapMarks(view: StepView): Mark[] {
  const { trace, stage, options } = view;
  const { map } = stage;
  if (!map) return [];
  const v = (view.finished ? view.show.after[0] : view.show.before[0]) ?? view.show.after[0] ?? view.show.before[0];
  const compact = map.density === "compact";
  const hatched = v !== undefined && partial(view, v);
  const marks: Mark[] = [];
  const shown = new Set(stage.tiles.flatMap((t) => t.members));
  for (let p = 0; p < trace.mesh.size; p++) {
    const box = deviceBox(trace.mesh, map, p);
    const runs = view.active === null || view.active.has(p);
    const fill = v && runs ? hex(blockColor(view, v, p)) : "panel";
    marks.push({
      kind: "rect",
      ...box,
      r: compact ? 4 : 1,
      fill,
      hatch: !compact && hatched,
      ...(map.density === "field" ? {} : { stroke: { color: "edge", width: 1 } }),
    });
    if (compact) {
      const id = String(trace.mesh.ids[p] ?? 0);
      const ink = runs && v ? "tile-ink" : "muted";
      if (textWidth(id, 10, true) <= box.w - 4 && box.h >= 12)
        marks.push(label(box.x + box.w / 2, box.y + box.h / 2 + 3.5, id, 10, ink, CENTER));
    }
  }
  const stroke = view.collective ? axisStroke(view.axis, 2) : ({ color: "ink", width: 1.6 } as const);
  for (const p of shown) {
    const box = deviceBox(trace.mesh, map, p);
    const looked = options.device === p;
    const width = looked ? 2.2 : stroke.width;
    marks.push({ kind: "rect", ...box, r: compact ? 4 : 1, stroke: looked ? { color: "ink", width } : stroke });
  }
  return marks;
}
