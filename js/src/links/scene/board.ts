/** One plane of chips with its links. A strand stands for the hops of one crossing, in the ink of its mesh axis. */
import { axisStroke, axisToken, type Box, type Color, label, type Mark, MONO, type Span } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { LETTERS, type Link, type OrderModel } from "../model/links";

export interface Board {
  readonly width: number;
  readonly height: number;
  readonly tile: number;
  readonly pitch: number;
  /** Where the first tile stands. */
  readonly x: number;
  readonly y: number;
}

/** Room outside of the tiles, for wraparound. */
const EDGE = 34;
const STRAND = 2.6;
const WIDEST = 7;
/** Between two strands. */
const APART = 1.5;

export function boardOf(model: OrderModel, width: number, tallest: number): Board {
  const [columns, rows] = model.chips;
  const room = Math.min((width - 2 * EDGE) / (columns - 0.42), (tallest - 2 * EDGE) / (rows - 0.42), 100);
  const pitch = Math.max(12, room);
  const tile = Math.min(58, pitch * 0.58);
  const x = Math.max(EDGE, (width - (columns - 1) * pitch - tile) / 2);
  return { width, height: (rows - 1) * pitch + tile + 2 * EDGE, tile, pitch, x, y: EDGE };
}

/** The tile of a chip. */
export function tileOf({ tile, pitch, x, y }: Board, [column, row]: readonly [number, number, number]): Box {
  return { x: x + column * pitch, y: y + row * pitch, w: tile, h: tile };
}

/** The two ends of a link in the picture; of one that goes round, of both its halves. */
export function lines(model: OrderModel, board: Board, link: Link): [number, number, number, number][] {
  const box = tileOf(board, model.at(link.chip));
  const [mx, my] = [box.x + box.w / 2, box.y + box.h / 2];
  const gap = board.pitch - board.tile;
  const there = model.there(link);
  if (there === null) return [];
  if (link.axis === 2) {
    const reach = Math.min(16, gap * 0.4);
    return [[box.x + box.w - 2, box.y + 2, box.x + box.w - 2 + reach, box.y + 2 - reach]];
  }
  const out = Math.min(EDGE - 14, 20);
  if (link.axis === 0) {
    const right: [number, number, number, number] = [
      box.x + box.w,
      my,
      box.x + box.w + (there === "inside" ? gap : out),
      my,
    ];
    return there === "inside" ? [right] : [right, [board.x - out, my, board.x, my]];
  }
  const down: [number, number, number, number] = [
    mx,
    box.y + box.h,
    mx,
    box.y + box.h + (there === "inside" ? gap : out),
  ];
  return there === "inside" ? [down] : [down, [mx, board.y - out, mx, board.y]];
}

/** The links of a plane. */
export function linksOf(model: OrderModel, plane: number): Link[] {
  const found: Link[] = [];
  for (let axis = 0; axis < model.axes; axis++)
    for (let chip = 0; chip < model.devices.length; chip++)
      if (model.at(chip)[2] === plane && model.there({ axis, chip })) found.push({ axis, chip });
  return found;
}

export function boardMarks(model: OrderModel, board: Board, plane: number, focus: number, lit: Link | null): Mark[] {
  const marks: Mark[] = [...trays(model, board, plane)];
  for (const link of linksOf(model, plane)) {
    const strands = model.order.crossings.flatMap((crossing, k) => {
      const hops = focus < 0 || focus === k ? model.load(k, link) : 0;
      return hops > 0 ? [{ hops, ink: model.ink(crossing) }] : [];
    });
    const isLit = lit?.axis === link.axis && lit.chip === link.chip;
    for (const line of lines(model, board, link)) {
      if (isLit) marks.push(straight(line, 0, { color: "faint", width: 14 }));
      if (strands.length === 0) marks.push(straight(line, 0, { color: "line", width: 1 }));
      const wanted = strands.map(({ hops }) => Math.min(WIDEST, STRAND * hops));
      const all = wanted.reduce((a, b) => a + b, 0) + APART * (wanted.length - 1);
      // Many of them are as wide as the tile, together.
      const scale = Math.min(1, (board.tile - 4) / all);
      const widths = wanted.map((width) => width * scale);
      let at = (-all * scale) / 2;
      strands.forEach(({ ink }, k) => {
        const width = widths[k] ?? STRAND;
        marks.push(straight(line, at + width / 2, ink < 0 ? { color: "muted", width } : axisStroke(ink, width)));
        at += width + APART * scale;
      });
    }
  }
  for (let chip = 0; chip < model.devices.length; chip++)
    if (model.at(chip)[2] === plane) marks.push(...tileMarks(model, board, chip));
  marks.push(label(board.x, 14, `${LETTERS[0]} →`, 12, "muted"));
  if (model.axes > 1) marks.push(label(board.x - 26, board.y + 12, `${LETTERS[1]} ↓`, 12, "muted", { anchor: "end" }));
  return marks;
}

/** A link, moved to the side by some pixels. */
function straight(
  [x0, y0, x1, y1]: readonly [number, number, number, number],
  aside: number,
  stroke: { color: Color; width: number },
): Mark {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [dx, dy] = [(-(y1 - y0) / length) * aside, ((x1 - x0) / length) * aside];
  return {
    kind: "line",
    points: [
      [x0 + dx, y0 + dy],
      [x1 + dx, y1 + dy],
    ],
    stroke,
  };
}

/** The chips of a host stand on common ground, where they are a rectangle. */
function trays(model: OrderModel, board: Board, plane: number): Mark[] {
  if (model.mesh.processes < 2 || board.tile < 20) return [];
  const hosts = new Map<number, Box[]>();
  model.host.forEach((host, chip) => {
    const at = model.at(chip);
    if (at[2] === plane) hosts.set(host, [...(hosts.get(host) ?? []), tileOf(board, at)]);
  });
  const room = Math.min(10, (board.pitch - board.tile) * 0.24);
  return [...hosts.values()].flatMap((boxes): Mark[] => {
    const [x, y] = [Math.min(...boxes.map((b) => b.x)), Math.min(...boxes.map((b) => b.y))];
    const [right, bottom] = [Math.max(...boxes.map((b) => b.x + b.w)), Math.max(...boxes.map((b) => b.y + b.h))];
    const [w, h] = [right - x, bottom - y];
    const side = (length: number) => Math.round((length - board.tile) / board.pitch) + 1;
    if (side(w) * side(h) !== boxes.length) return [];
    const box = { x: x - room, y: y - room, w: w + 2 * room, h: h + 2 * room };
    return [{ kind: "rect", ...box, r: 6, fill: "panel", stroke: { color: "line", width: 1, dash: [3, 3] } }];
  });
}

/** A chip with its devices: the index of each on every mesh axis, in the axis' ink. */
function tileMarks(model: OrderModel, board: Board, chip: number): Mark[] {
  const box = tileOf(board, model.at(chip));
  const devices = model.devices[chip] ?? [];
  const r = Math.min(6, board.tile / 6);
  const marks: Mark[] = [{ kind: "rect", ...box, r, fill: "bg", stroke: { color: "edge", width: 1 } }];
  const w = box.w / Math.max(1, devices.length);
  devices.forEach((position, k) => {
    if (k > 0)
      marks.push({
        kind: "line",
        points: [
          [box.x + k * w, box.y],
          [box.x + k * w, box.y + box.h],
        ],
        stroke: { color: "edge", width: 1 },
      });
    const spans = model.mesh
      .digits(position)
      .flatMap((digit, axis): Span[] => [
        ...(axis > 0 ? [{ text: ",", color: "muted" as const }] : []),
        { text: String(digit), color: axisToken(axis), weight: 600 },
      ]);
    const text = spans.map((s) => s.text).join("");
    const size = [13, 11, 9].find((s) => textWidth(text, s, true) <= w - 4);
    if (size)
      marks.push(
        label(box.x + (k + 0.5) * w, box.y + box.h / 2 + size * 0.36, spans, size, "ink", {
          ...MONO,
          anchor: "middle",
        }),
      );
  });
  return marks;
}

/** The link that is drawn at a place; null for none near. */
export function linkAt(model: OrderModel, board: Board, plane: number, x: number, y: number): Link | null {
  let best: { link: Link; far: number } | null = null;
  for (const link of linksOf(model, plane))
    for (const [x0, y0, x1, y1] of lines(model, board, link)) {
      const length = (x1 - x0) ** 2 + (y1 - y0) ** 2 || 1;
      const t = Math.max(0, Math.min(1, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length));
      const far = Math.hypot(x - x0 - t * (x1 - x0), y - y0 - t * (y1 - y0));
      if (far < (best?.far ?? 9)) best = { link, far };
    }
  return best?.link ?? null;
}
