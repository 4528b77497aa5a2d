/** Rails beside the devices of a grid: arrows along mesh axes 0 and 1, their coordinates, and titles of boxes. */
import type { MeshModel } from "../core/mesh";
import { BOX_GAP, boxAt, boxDigits, type DeviceGrid, deviceBox, isLong, MOST_NAMED } from "./grid";
import { axisStroke, axisToken, BOLD, type DiscMark, label, type Mark } from "./marks";
import { fit, textWidth } from "./measure";

/** The sign that says what devices along an axis have of each other's data; null for none. */
export type SignOf = (axis: number) => Omit<DiscMark, "x" | "y" | "r"> | null;

/** Arrowed rails with the coordinates of axes 0 and 1, and titles of the boxes that later axes make. */
export function rails(model: MeshModel, panel: DeviceGrid, signOf: SignOf = () => null): Mark[] {
  const marks: Mark[] = [];
  const { rows, columns, pitch, w, h } = panel;
  const height = rows * pitch[1] - (pitch[1] - h);
  const width = columns * pitch[0] - (pitch[0] - w);

  // An axis is meant by its place in the order: rows, columns.
  const axisAt = (k: number) => panel.order[k] ?? k;
  const nameOf = (k: number) => model.axes[axisAt(k)]?.name ?? "";
  /** How wide a coordinate is with its axis. */
  const widthOf = (k: number, index: number) =>
    textWidth(isLong(nameOf(k)) ? `${index}` : `${nameOf(k)}=${index}`, 11, true) + 6;
  const text = (k: number, what: string, x: number, y: number, anchor: "middle" | "end", room = 110) => {
    const written = isLong(nameOf(k)) ? what : nameAndIndex(nameOf(k), what, room);
    marks.push(label(x, y, written, 11, axisToken(axisAt(k)), { ...BOLD, anchor }));
  };
  /** A long name, once: along the rail. */
  const once = (k: number, x: number, y: number, room: number, turned = false) => {
    const rest = { ...BOLD, anchor: "middle", turned } as const;
    if (isLong(nameOf(k))) marks.push(label(x, y, fit(nameOf(k), room, 11, true), 11, axisToken(axisAt(k)), rest));
  };
  const besideRows = (x: number, y: number) =>
    once(0, x - panel.x + panel.box.x + 10, y + height / 2, height + 20, true);
  const rail = (k: number, x0: number, y0: number, x1: number, y1: number, arrow = true) => {
    const points = [
      [x0, y0],
      [x1, y1],
    ] as const;
    marks.push({ kind: "line", points, stroke: axisStroke(axisAt(k)), arrow });
  };

  const drawRing = () => {
    once(0, panel.x + width / 2, panel.y - 20, width);
    const step = runs(columns, pitch[0], widthOf(0, model.size - 1))[0]?.[1] ?? 1;
    for (let p = 0; p < model.size; p++) {
      const [from, to] = [deviceBox(model, panel, p), deviceBox(model, panel, (p + 1) % model.size)];
      // From edge to edge: half the gap to both sides of the middle between the two.
      const [x, y] = [(from.x + to.x + w) / 2, (from.y + to.y + h) / 2];
      const [dx, dy] = from.y === to.y ? [(pitch[0] - w) / 2, 0] : [0, (pitch[1] - h) / 2];
      rail(0, x - dx, y - dy, x + dx, y + dy, false);
      const below = p >= columns;
      if ((below ? model.size - 1 - p : p) % step === 0)
        text(0, `${p}`, from.x + w / 2, below ? from.y + h + 14 : from.y - 6, "middle");
    }
  };

  const drawWrapped = () => {
    besideRows(panel.x, panel.y);
    for (const [row, count] of runs(rows, pitch[1], 13)) {
      const last = Math.min(model.size, (row + count) * columns) - 1;
      text(0, `${row * columns}–${last}`, panel.x - 8, panel.y + (row + count / 2) * pitch[1] + 4, "end");
    }
  };

  const drawRows = (x: number, y: number) => {
    besideRows(x, y);
    rail(0, x - 14, y, x - 14, y + height);
    for (const [row, count] of named(panel, rows, pitch[1], 13)) {
      const middle = count === rows ? y + height / 2 : y + row * pitch[1] + h / 2;
      text(0, count === rows ? `0…${rows - 1}` : `${row}`, x - 21, middle + 4, "end");
    }
  };

  const drawColumns = (x: number, y: number) => {
    once(1, x + width / 2, y - 29, width + BOX_GAP);
    rail(1, x, y - 10, x + width, y - 10);
    for (const [column, count] of named(panel, columns, pitch[0], widthOf(1, columns - 1))) {
      const middle = count === columns ? x + width / 2 : x + column * pitch[0] + w / 2;
      const room = count === columns ? width + 2 * BOX_GAP : pitch[0] * count;
      text(1, count === columns ? `0…${columns - 1}` : `${column}`, middle, y - 16, "middle", room);
    }
  };

  const drawBoxes = () => {
    for (let box = 0; box < panel.boxesAcross * panel.boxesDown; box++) {
      const { x, y } = boxAt(panel, box);
      const railed = box === 0 || !panel.multiples;
      if (railed && rows > 1 && box % panel.boxesAcross === 0) drawRows(x, y);
      if (railed && columns > 1) drawColumns(x, panel.multiples ? y - 16 : y);
      const above = panel.multiples ? 5 : columns > 1 ? (isLong(nameOf(1)) ? 47 : 34) : 12;
      if (model.axes.length > 2 && panel.boxesAcross * panel.boxesDown <= MOST_NAMED)
        marks.push(...boxTitle(model, panel, box, x, y - above, signOf));
    }
  };

  if (model.axes.length > 0) (panel.ring ? drawRing : panel.wrapped ? drawWrapped : drawBoxes)();
  return marks;
}

/** Runs of 1, 2, 4 … of n things so that a run has room for its label: `[first, count]`. */
function runs(n: number, pitch: number, room: number): (readonly [number, number])[] {
  const step = Math.min(n, Math.max(1, 2 ** Math.ceil(Math.log2(room / pitch))));
  return Array.from({ length: Math.ceil(n / step) }, (_, i) => [i * step, Math.min(step, n - i * step)]);
}

/** Runs of coordinates to name; one for all in a field, where single ones cannot be told apart. */
function named(panel: DeviceGrid, n: number, pitch: number, room: number) {
  return panel.density === "field" ? [[0, n] as const] : runs(n, pitch, room);
}

/** `name=index` in a width: the name gives way to its beginning, or to nothing. */
function nameAndIndex(name: string, index: string, width: number): string {
  const room = width - textWidth(`=${index}`, 11, true);
  const short = fit(name, room, 11, true);
  return short === name || room > 26 ? `${short}=${index}` : index;
}

/** The coordinates of a box over it; on the first box also the sign of each axis, for all boxes. */
function boxTitle(model: MeshModel, panel: DeviceGrid, box: number, x: number, y: number, signOf: SignOf): Mark[] {
  const digits = boxDigits(model, panel, box);
  const axes = panel.order.slice(2);
  // A title may reach into the gap before the next box.
  const signs = axes.flatMap((axis) => signOf(axis) ?? []);
  const room = panel.boxPitch[0] - BOX_GAP + 8 - 15 * signs.length;
  const nameOf = (axis: number) => model.axes[axis]?.name ?? "";
  const all = axes.map((axis, i) => `${nameOf(axis)}=${digits[i] ?? 0}`).join(" ");
  const each = textWidth(all, 11, true) <= room ? room : room / axes.length - 7;
  let left = room;
  const spans = axes.flatMap((axis, i) => {
    const index = `${digits[i] ?? 0}`;
    const text = (i > 0 ? " " : "") + (panel.multiples && box > 0 ? index : nameAndIndex(nameOf(axis), index, each));
    left -= textWidth(text, 11, true);
    return left < 0 ? [] : [{ text, color: axisToken(axis) }];
  });
  const marks: Mark[] = spans.length > 0 ? [label(x, y, spans, 11, "muted", BOLD)] : [];
  const end = x + textWidth(spans.map((t) => t.text).join(""), 11, true) + 12;
  if (box === 0) marks.push(...signs.map((sign, i) => ({ ...sign, x: end + 15 * i, y: y - 4, r: 6 })));
  return marks;
}
