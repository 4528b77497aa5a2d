/** Outlines of the groups that take part together, and the title of the one that is shown in full. */
import { deviceBox } from "../grid";
import { fit, textWidth } from "../measure";
import { axisStroke, axisToken, BOLD, type Box, label, type Mark } from "../scene";
import { crowdText } from "./flights";
import type { StepView } from "./view";

export function groupMarks(view: StepView): Mark[] {
  const { trace, layout, collective: c } = view;
  const { grid } = layout;
  const axis = trace.mesh.axisOf(c?.axes[0] ?? "");
  if (layout.strip) return [...focusMarks(view, axis), ...stripMarks(view, axis)];
  if (!c) return [];
  const marks: Mark[] = [];
  const pad = Math.max(
    1,
    Math.min(grid.wrapped ? 5 : 7, (grid.pitch[1] - grid.h) / 2 - 3, (grid.pitch[0] - grid.w) / 2 - 3),
  );
  const boxes = boxesOf(view);
  for (const group of trace.groups(c)) {
    const box = around(boxes, group, pad);
    if (box) marks.push(...outlined(box, axis));
  }
  return marks;
}

function outlined(box: Box, axis: number): Mark[] {
  return [
    { kind: "rect", ...box, r: 11, fill: axisToken(axis), alpha: 0.05 },
    { kind: "rect", ...box, r: 11, stroke: { color: axisToken(axis), width: 1.2, dash: [6, 4] } },
  ];
}

function boxesOf({ trace, layout }: StepView): Box[] {
  return Array.from({ length: trace.mesh.size }, (_, p) => deviceBox(trace.mesh, layout.grid, p));
}

/** A box about the devices of a group, by the boxes of all; null where it would hold others too: it would lie. */
export function around(all: readonly Box[], group: readonly number[], pad: number): Box | null {
  const boxes = group.flatMap((p) => all[p] ?? []);
  const x = Math.min(...boxes.map((b) => b.x)) - pad;
  const y = Math.min(...boxes.map((b) => b.y)) - pad;
  const w = Math.max(...boxes.map((b) => b.x + b.w)) + pad - x;
  const h = Math.max(...boxes.map((b) => b.y + b.h)) + pad - y;
  const held = all.filter((b) => b.x >= x && b.y >= y && b.x + b.w <= x + w && b.y + b.h <= y + h);
  return held.length === group.length ? { x, y, w, h } : null;
}

/** Among many devices: those that are shown in full. */
function focusMarks(view: StepView, axis: number): Mark[] {
  const { trace, layout, focus } = view;
  const stroke = view.collective ? axisStroke(axis, 2) : ({ color: "ink", width: 1.6 } as const);
  const whole = around(boxesOf(view), focus, 3);
  const boxes = whole ? [whole] : focus.map((p) => deviceBox(trace.mesh, layout.grid, p));
  return boxes.map((box) => ({ kind: "rect", ...box, r: 5, stroke }));
}

/** The title over the tiles in full, and the outline of their group. */
function stripMarks(view: StepView, axis: number): Mark[] {
  const { layout, focus, collective: c } = view;
  const { strip, tile } = layout;
  if (!strip) return [];
  const rows = Math.ceil(focus.length / strip.columns);
  const columns = Math.min(focus.length, strip.columns);
  const box = {
    x: strip.x - 8,
    y: strip.y - 8,
    w: (columns - 1) * strip.pitch[0] + tile.w + 16,
    h: (rows - 1) * strip.pitch[1] + tile.h + 16,
  };
  const [which, crowd] = [titleOf(view), crowdText(view)];
  const join = (...parts: readonly string[]) => parts.filter((s) => s !== "").join("; ");
  const whole = join(which, c ? "the others do the same" : "", crowd);
  const room = layout.width - strip.x;
  const title = fit(textWidth(whole, 12) <= room ? whole : join(which, crowd), room, 12);
  const words = label(strip.x, strip.y - 18, title, 12, c ? axisToken(axis) : "muted", { ...BOLD, mono: false });
  return [...(c ? outlined(box, axis) : []), words];
}

/** Which devices are shown in full: `one of 8 groups, data=0`. */
function titleOf({ trace, focus, collective: c }: StepView): string {
  const { mesh } = trace;
  const digits = focus.map((p) => mesh.digits(p));
  const same = mesh.axes.flatMap((a, i) => {
    const at = digits[0]?.[i];
    return digits.every((d) => d[i] === at) ? [`${a.name}=${at}`] : [];
  });
  const place = same.length > 0 ? `, ${same.join(" ")}` : "";
  if (c?.group_size === mesh.size) return `${focus.length} of the ${mesh.size} devices`;
  if (!c) return `${focus.length} of ${mesh.size} devices${place}`;
  const part = c.group_size > focus.length ? `, ${focus.length} of its ${c.group_size} devices` : "";
  return `one of ${trace.groups(c).length} groups${place}${part}`;
}
