/** One algorithm at a moment: devices on a ring or at a switch, what is on its way, how loaded the links are. */

import { hex, positionColor, type Scheme } from "../../core/color";
import { bytes } from "../../core/format";
import { count } from "../../core/text";
import { axisStroke, axisToken, BOLD, type Box, CENTER, label, type Mark } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import type { At, Course, Way } from "../model/algorithms";

/** Parts of its first hop where a message may begin: the first at which it stands beside its device. */
const STARTS = Array.from({ length: 24 }, (_, k) => 0.04 + k / 50);
/** More devices than this have no rank in their tile. */
const NAMED = 16;
/** Of a link each way: beside the other, forward outside. */
const LANE = 5;
/** Of a spoke, what its device covers. */
const HIDDEN = 0.24;

/** `ink` is the axis whose colour and line pattern the algorithm has: 0 or 1. */
export function ringMarks(course: Course, seconds: number, ink: number, box: Box, scheme: Scheme): Mark[] {
  const at = course.at(seconds);
  const switched = course.network.topology === "switch";
  const { n } = course.doc;
  const [cx, cy] = [box.x + box.w / 2, box.y + 24 + (box.h - 24 - 36) / 2];
  const [rx, ry] = [Math.min(176, box.w / 2 - 30), Math.min((box.h - 84) / 2, box.w / 2 - 30)];
  const point = (rank: number, off = 0): readonly [number, number] => {
    const angle = angleOf(rank / n);
    return [cx + (rx + off) * Math.cos(angle), cy + (ry + off) * Math.sin(angle)];
  };
  const angleOf = evenly(rx, ry);
  const ways = at.done ? [] : course.ways(at.round);
  const part = (round: number) => `${Math.min(round, course.rounds)}/${course.rounds}`;
  const room = box.w - textWidth(part(course.rounds), 12, true) - 10;
  const size = textWidth(course.name, 13, true) <= room ? 13 : 12;
  const load = loadOf(course, at, ways).find((text) => textWidth(text, 11) <= box.w) ?? "";
  const marks: Mark[] = [
    label(box.x, box.y + 13, fit(course.name, room, size, true), size, axisToken(ink), BOLD),
    label(box.x + box.w, box.y + 13, part(at.round + 1), 12, "muted", { mono: true, anchor: "end" }),
    label(cx, box.y + box.h - 18, fit(stateOf(course, at, ways), box.w, 11.5), 11.5, "ink", { anchor: "middle" }),
    label(cx, box.y + box.h - 3, load, 11, "muted", { anchor: "middle" }),
  ];
  const colors = (chunk: number) => hex(positionColor(chunk, n, 0, 1, scheme));
  marks.push(...(switched ? spokes(n, point, [cx, cy]) : linkMarks(n, point, ways, ink)));
  const tile = sizeOf(n, point);
  for (const way of ways) marks.push(...message(way, at, colors, tile, point, switched ? [cx, cy] : null));
  if (switched) {
    const hub = { x: cx - 28, y: cy - 12, w: 56, h: 24, r: 5 };
    marks.push({ kind: "rect", ...hub, fill: "panel", stroke: { color: "faint", width: 1 } });
    marks.push(label(cx, cy + 4, "switch", 11, "muted", { anchor: "middle" }));
  }
  marks.push(...tiles(course, at, ink, tile, point));
  return marks;
}

/** Parts of an ellipse that are measured. */
const MEASURED = 360;

/** The angle at which a part of an ellipse is behind, from its top: devices stand equally far apart, also at its ends. */
function evenly(rx: number, ry: number): (part: number) => number {
  const angle = (k: number) => (2 * Math.PI * k) / MEASURED - Math.PI / 2;
  const behind = [0];
  for (let k = 0; k < MEASURED; k++)
    behind.push((behind[k] as number) + Math.hypot(rx * Math.sin(angle(k + 0.5)), ry * Math.cos(angle(k + 0.5))));
  return (part) => {
    const turns = Math.floor(part);
    const long = (part - turns) * (behind[MEASURED] as number);
    const k = Math.max(
      0,
      behind.findLastIndex((at) => at <= long),
    );
    const [from, to = from] = behind.slice(k, k + 2) as [number, number?];
    return angle(turns * MEASURED + k + (to > from ? (long - from) / (to - from) : 0));
  };
}

/** Where a rank stands, or what is between two; so far outside of the ring. */
type Point = (rank: number, off?: number) => readonly [number, number];

/** `round 3: messages start`, `round 3: over 2 links`, `done`. */
function stateOf(course: Course, at: At, ways: readonly Way[]): string {
  if (at.done) return "done";
  if (at.progress === 0) return `round ${at.round + 1}: messages start`;
  const hops = Math.max(0, ...ways.map((w) => w.hops));
  return course.network.topology === "switch"
    ? `round ${at.round + 1}`
    : `round ${at.round + 1}: over ${count(hops, "link")}`;
}

/** What links carry in a round, in full and in short. */
function loadOf(course: Course, at: At, ways: readonly Way[]): readonly string[] {
  if (at.done) return [`${bytes(Math.round(course.sent.reduce((a, b) => a + b, 0)))} sent by a device`];
  const load = bytes(Math.round(course.carried[at.round] ?? 0));
  if (course.network.topology === "switch") return [`a device sends ${load}`];
  const messages = count(Math.max(1, Math.round(shared(course.doc.n, ways))), "message");
  return [`${messages} on a link, ${load}`, `${messages}, ${load}`];
}

/** Messages on the busiest link: those that go half and half count as halves. */
export function shared(n: number, ways: readonly Way[]): number {
  const whole = Math.max(1, ...ways.map((w) => w.chunks));
  return Math.max(...linkLoads(n, ways).values()) / whole;
}

/** Chunks on each link of a ring, by `rank step`: the link from a rank to its neighbour. */
export function linkLoads(n: number, ways: readonly Way[]): Map<string, number> {
  const loads = new Map<string, number>();
  for (const { source, step, hops, chunks } of ways) {
    for (let hop = 0; hop < hops; hop++) {
      const key = `${(source + step * hop + n * hops) % n} ${step}`;
      loads.set(key, (loads.get(key) ?? 0) + chunks);
    }
  }
  return loads;
}

/** Links: thicker where more is on them, an arrow each way. */
function linkMarks(n: number, point: Point, ways: readonly Way[], ink: number): Mark[] {
  const loads = linkLoads(n, ways);
  const each = Math.max(1, ...loads.values());
  return Array.from({ length: n }, (_, rank) => rank).flatMap((rank) => {
    const line = (step: 1 | -1): Mark => {
      const load = loads.get(`${rank} ${step}`) ?? 0;
      const off = step * LANE;
      const stroke =
        load > 0 ? { ...axisStroke(ink), width: 1.2 + (2.4 * load) / each } : ({ color: "faint", width: 1 } as const);
      const points = [0.14, 0.32, 0.5, 0.68, 0.86].map((part) => point(rank + step * part, off));
      return { kind: "line", points, stroke };
    };
    return [line(1), line(-1)];
  });
}

function spokes(n: number, point: Point, hub: readonly [number, number]): Mark[] {
  return Array.from({ length: n }, (_, rank) => ({
    kind: "line" as const,
    points: [
      point(rank),
      [hub[0] + (point(rank)[0] - hub[0]) * 0.36, hub[1] + (point(rank)[1] - hub[1]) * 0.36],
    ] as const,
    stroke: { color: "faint" as const, width: 1 },
  }));
}

/**
 * A message where it is now, on its links or on its spokes, in the colours of its chunks; below devices, which it passes
 * through. Before it starts it is pale, beside its device.
 */
function message(
  way: Way,
  { progress }: At,
  colors: (chunk: number) => `#${string}`,
  tile: Size,
  point: Point,
  hub: readonly [number, number] | null,
): Mark[] {
  const side = Math.min(17, 10 + 2 * Math.sqrt(way.chunks));
  const destination = way.source + way.step * way.hops;
  const along = () => {
    const [x0, y0] = point(way.source);
    const beside = (part: number) => {
      const [x1, y1] = point(way.source + way.step * part, way.step * LANE);
      return Math.abs(x1 - x0) >= (tile.w + side) / 2 || Math.abs(y1 - y0) >= (tile.h + side) / 2;
    };
    const from = STARTS.find(beside) ?? 0.5;
    const hops = from + (way.hops - 2 * from) * progress;
    return point(way.source + way.step * hops, way.step * LANE);
  };
  const spoke = (hub: readonly [number, number]) => {
    const [[x, y], part] =
      progress < 0.5 ? [point(way.source), 2 * progress] : [point(destination), 2 * (1 - progress)];
    const t = HIDDEN + (1 - HIDDEN) * part;
    return [x + (hub[0] - x) * t, y + (hub[1] - y) * t] as const;
  };
  const [x, y] = hub ? spoke(hub) : along();
  // Of many chunks a few stripes.
  const shown = way.ids.filter((_, k) => k % Math.ceil(way.ids.length / 4) === 0);
  const box = { x: x - side / 2, y: y - side / 2, w: side, h: side };
  const alpha = progress === 0 ? 0.45 : 1;
  return [
    { kind: "rect", ...box, r: 2, fill: "bg" },
    ...shown.map((chunk, k): Mark => {
      const w = side / shown.length;
      return { kind: "rect", ...box, x: box.x + k * w, w, fill: colors(chunk), alpha };
    }),
    { kind: "rect", ...box, r: 2, stroke: { color: "edge", width: 1 } },
  ];
}

interface Size {
  w: number;
  h: number;
}

/** Of a device's tile: ranks are named where the nearest neighbours have room for that. */
function sizeOf(n: number, point: Point): Size {
  const gaps = Array.from({ length: n }, (_, rank) => {
    const [[x0, y0], [x1, y1]] = [point(rank), point(rank + 1)];
    return Math.max(Math.abs(x0 - x1) / 28, Math.abs(y0 - y1) / 23);
  });
  return n > NAMED || Math.min(...gaps) < 1 ? { w: 8, h: 8 } : { w: 26, h: 21 };
}

/** Devices: how much of their final content has arrived. */
function tiles(course: Course, at: At, ink: number, { w, h }: Size, point: Point): Mark[] {
  return Array.from({ length: course.doc.n }, (_, rank) => rank).flatMap((rank): Mark[] => {
    const [x, y] = point(rank);
    const box = { x: x - w / 2, y: y - h / 2, w, h, r: 4 };
    const share = course.share(rank, at.arrived);
    return [
      { kind: "rect", ...box, fill: "bg" },
      { kind: "rect", ...box, w: Math.max(0.01, w * share), fill: axisToken(ink), alpha: 0.28 },
      { kind: "rect", ...box, stroke: { color: at.done ? axisToken(ink) : "muted", width: at.done ? 1.8 : 1 } },
      ...(w < 26 ? [] : [label(x, y + 4, String(rank), 12, "ink", { ...CENTER, weight: 700 })]),
    ];
  });
}
