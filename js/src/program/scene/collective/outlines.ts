/** Outlines of the groups that take part together, the chosen one strong, and the title of one that stands in full. */
import { some } from "../../../core/text";
import { axisStroke, axisToken, type Box, label, type Mark, type Stroke } from "../../../draw/marks";
import { fit } from "../../../draw/measure";
import { TITLE } from "./stage";
import type { CollectiveView } from "./view";

/** Up to this many groups are outlined; with more, only the chosen one. */
const MOST = 64;

export function outlineMarks(view: CollectiveView): Mark[] {
  const { stage, groups, group, axis } = view;
  const pad = Math.min(5, (stage.grid.pitch[0] - stage.grid.w) / 2 - 1, (stage.grid.pitch[1] - stage.grid.h) / 2 - 1);
  const outlined = groups.length <= MOST && stage.boxes.length <= 256 ? groups : [group];
  const stroke = (width: number): Stroke => (axis === null ? { color: "muted", width } : axisStroke(axis, width));
  const marks = outlined.flatMap((g): Mark[] => {
    const box = stage.density === "field" ? null : around(stage.boxes, g, Math.max(1, pad));
    if (!box) return [];
    const strong = g === group;
    const rect = { kind: "rect", ...box, r: stage.density === "full" ? 11 : 5 } as const;
    const ground: Mark[] = strong ? [{ ...rect, fill: stroke(1).color, alpha: 0.08 }] : [];
    // Small devices stand close: the dashes of many outlines would hatch the picture.
    const thin = stage.density === "full" ? stroke(1) : { color: stroke(1).color, width: 1 };
    return [...ground, { ...rect, stroke: strong ? stroke(2.4) : thin, ...(strong ? {} : { alpha: 0.6 }) }];
  });
  return stage.density === "full" ? marks : [...marks, ...titleMarks(view)];
}

/** Over the tiles in full: which group they are. */
function titleMarks(view: CollectiveView): Mark[] {
  const { stage, groups, group, options, axis, model } = view;
  const first = stage.seats[0] as Box;
  const left = group.length - stage.seats.length;
  const shown = left > 0 ? `, ${stage.seats.length} of its ${group.length} devices` : "";
  const where = placeOf(view);
  const what =
    groups.length > 1
      ? `group ${options.group + 1} of ${groups.length}${where && `, ${where}`}${shown}; the others do the same`
      : `${stage.seats.length < group.length ? `${stage.seats.length} of the ` : ""}${group.length} devices`;
  const color = axis === null ? "muted" : axisToken(axis);
  const text = groups.length === 0 ? some([...model.mesh.ids.slice(0, stage.seats.length)], 0) && "" : what;
  return [label(4, first.y - TITLE / 2 + 4, fit(text, stage.width - 8, 12), 12, color, { weight: 600 })];
}

/** The coordinates that all devices of the group share: `data=0`. */
function placeOf({ model, group }: CollectiveView): string {
  const digits = group.map((p) => model.mesh.digits(p));
  return model.mesh.axes
    .flatMap((a, i) => (digits.every((d) => d[i] === digits[0]?.[i]) ? [`${a.name}=${digits[0]?.[i] ?? 0}`] : []))
    .join(" ");
}

/** A box around the devices of a group, by the boxes of all; null where it would wrongly include others. */
export function around(all: readonly Box[], group: readonly number[], pad: number): Box | null {
  const boxes = group.flatMap((p) => all[p] ?? []);
  const x = Math.min(...boxes.map((b) => b.x)) - pad;
  const y = Math.min(...boxes.map((b) => b.y)) - pad;
  const w = Math.max(...boxes.map((b) => b.x + b.w)) + pad - x;
  const h = Math.max(...boxes.map((b) => b.y + b.h)) + pad - y;
  const held = all.filter((b) => b.x >= x && b.y >= y && b.x + b.w <= x + w && b.y + b.h <= y + h);
  return held.length === group.length ? { x, y, w, h } : null;
}
