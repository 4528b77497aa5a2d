/** A small map of the whole mesh: each device a swatch of its block, those that are drawn in full outlined. */
import { hex } from "../../core/color";
import { type DeviceGrid, deviceBox } from "../../draw/grid";
import { axisStroke, axisToken, CENTER, label, type Mark } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { rails } from "../../draw/rails";
import { blockMarks } from "./block";
import { blockColor, partial } from "./look";
import type { StepView } from "./view";

/** The other groups in small: each device its id and a swatch of its block. */
function smallMarks(view: StepView): Mark[] {
  const { trace, stage, options, collective: c, axis } = view;
  const v = shownIn(view);
  const line = { color: c ? axisToken(axis) : "faint", width: 1, dash: [4, 3] } as const;
  const hatch = v && partial(view, v) && !(view.finished && c) ? view.hatch : null;
  const marks: Mark[] = stage.large ? [{ kind: "rect", ...stage.large, r: 10, stroke: { ...line, width: 1.4 } }] : [];
  for (const { box, tiles } of stage.small) {
    marks.push({ kind: "rect", ...box, r: 8, stroke: line });
    for (const [p, tile] of tiles) {
      const { x, y, w, h } = tile;
      const swatch = { x: x + 24, y: y + 4, w: w - 29, h: h - 8 };
      const runs = v && (view.active === null || view.active.has(p));
      const ink =
        options.device === p ? ({ color: "ink", width: 2 } as const) : ({ color: "faint", width: 1 } as const);
      marks.push(
        { kind: "rect", ...tile, r: 5, fill: "panel", stroke: ink },
        label(x + 12, y + h / 2 + 4, String(trace.mesh.ids[p] ?? 0), 10.5, "ink", CENTER),
      );
      if (runs)
        marks.push(
          ...blockMarks(swatch, { rows: 1, columns: 1, size: 1, text: null, fill: blockColor(view, v, p), hatch }),
        );
    }
  }
  return marks;
}

/** What a map shows of each device. */
function shownIn({ finished, show }: StepView) {
  const [first, second] = finished ? [show.after, show.before] : [show.before, show.after];
  return first[0] ?? second[0];
}

/** What shows the mesh around the tiles: rails of its grid, a map, or the other groups in small. */
export function mapMarks(view: StepView): Mark[] {
  const { map, grid } = view.stage;
  // Where devices are told apart.
  const told = grid && grid.density !== "cell" && grid.density !== "field";
  return [...(told ? rails(view.trace.mesh, grid) : []), ...(map ? swatchMarks(view, map) : smallMarks(view))];
}

/** A device of many: its id and a swatch of its block, or the swatch alone. */
function swatchMarks(view: StepView, map: DeviceGrid): Mark[] {
  const { trace, stage, options } = view;
  const v = shownIn(view);
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
