/** Over the columns of space-time: devices, and where they are in the mesh. */

import { axisStroke, axisToken, BOLD, label, type Mark } from "../../../draw/marks";
import { fit, textWidth } from "../../../draw/measure";
import type { TraceModel } from "../../model/trace";
import type { SpaceLayout } from "./layout";

/** Devices over their columns, with the rail of a mesh of one axis. */
export function headMarks(trace: TraceModel, { left, pitch, tile }: SpaceLayout): Mark[] {
  const { mesh } = trace;
  const n = mesh.size;
  const marks: Mark[] = [];
  const last = mesh.axes.length - 1;
  const inner = mesh.meshShape[last] ?? n;
  // A bracket over the devices of each row of the mesh; the last axis runs from column to column.
  const every = Math.max(1, Math.ceil(textWidth(String(n - 1), 11, true) / pitch + 0.2));
  for (let p = 0; p < n; p += every)
    marks.push(
      label(left + p * pitch + tile / 2, 36, String(mesh.ids[p] ?? p), 11, "ink", { ...BOLD, anchor: "middle" }),
    );
  if (last < 0) return marks;
  for (let start = 0; start < n; start += inner) {
    const [x0, x1] = [left + start * pitch, left + (start + inner - 1) * pitch + tile];
    const points = [
      [x0, 20],
      [x1, 20],
    ] as const;
    const alone = last === 0;
    marks.push({ kind: "line", points, stroke: axisStroke(alone ? 0 : last - 1, 1.6), arrow: alone });
    const digits = mesh.digits(start);
    const names = alone
      ? (mesh.axes[0]?.name ?? "")
      : mesh.axes
          .slice(0, last)
          .map((a, i) => `${a.name}=${digits[i]}`)
          .join(" ");
    const text = fit(names, x1 - x0 + 8, 11, true);
    marks.push(label((x0 + x1) / 2, 14, text, 11, axisToken(alone ? 0 : last - 1), { ...BOLD, anchor: "middle" }));
  }
  return marks;
}
