/** Rails and coordinates of a mesh whose rows and columns stand anywhere. */
import { axisStroke, axisToken, BOLD, label, type Mark } from "./marks";
import { fit, textWidth } from "./measure";

/** What is needed of a mesh. */
interface Axes {
  axes: readonly { name: string; size: number }[];
}

/** Width of the coordinates left of rows: `x=3`; a long name is turned, beside them. */
export function railRoom(mesh: Axes, axis: number): number {
  const { name = "", size = 1 } = mesh.axes[axis] ?? {};
  return long(name) ? textWidth(String(size - 1), 11, true) + 40 : textWidth(`${name}=${size - 1}`, 11, true) + 20;
}

/** An axis that runs down, left of `x`: its rail and the coordinate of each row. */
export function railDown(
  mesh: Axes,
  axis: number,
  x: number,
  rows: readonly (readonly [y: number, h: number, at: string])[],
  /** Top and height beside which a long name stands, where not along the rail; null where another rail has it. */
  named?: readonly [y: number, h: number] | null,
): Mark[] {
  const { name = "" } = mesh.axes[axis] ?? {};
  const [top, last] = [rows[0], rows.at(-1)];
  if (!top || !last) return [];
  const marks: Mark[] = [
    {
      kind: "line",
      points: [
        [x - 12, top[0]],
        [x - 12, last[0] + last[1]],
      ],
      stroke: axisStroke(axis),
      arrow: true,
    },
  ];
  const bare = long(name) || rows.length > 8 || rows.some((row) => row[2] === "…");
  for (const [y, h, at] of rows) {
    const text = bare ? at : `${name}=${at}`;
    marks.push(label(x - 19, y + h / 2 + 4, text, 11, axisToken(axis), { ...BOLD, anchor: "end" }));
  }
  if (!bare || named === null) return marks;
  if (!long(name)) return [...marks, label(x - 12, top[0] - 8, name, 11, axisToken(axis), { ...BOLD, anchor: "end" })];
  const [y, high] = named ?? [top[0], last[0] + last[1] - top[0]];
  const turned = { ...BOLD, anchor: "middle", turned: true } as const;
  const text = fit(name, high, 11, true);
  return [...marks, label(x - railRoom(mesh, axis) + 11, y + high / 2, text, 11, axisToken(axis), turned)];
}

/** An axis that runs across, over `y`: its rail and the coordinate of each column. */
export function railAcross(
  mesh: Axes,
  axis: number,
  y: number,
  columns: readonly (readonly [x: number, w: number])[],
): Mark[] {
  const { name = "" } = mesh.axes[axis] ?? {};
  const [first, last] = [columns[0], columns.at(-1)];
  if (!first || !last) return [];
  const marks: Mark[] = [
    {
      kind: "line",
      points: [
        [first[0], y - 10],
        [last[0] + last[1], y - 10],
      ],
      stroke: axisStroke(axis),
      arrow: true,
    },
  ];
  columns.forEach(([x, w], i) => {
    // A long name gives way, not its index.
    const text = `${fit(name, w + 10 - textWidth(`=${i}`, 11, true), 11, true)}=${i}`;
    marks.push(label(x + w / 2, y - 16, text, 11, axisToken(axis), { ...BOLD, anchor: "middle" }));
  });
  return marks;
}

function long(name: string): boolean {
  return name.length > 8;
}
