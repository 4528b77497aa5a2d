/** One algorithm at a moment: devices on a ring or at a switch, what is on its way, how loaded the links are. */

import { bytes } from "../../core/format";
import { count } from "../../core/text";
import { axisStroke, axisToken, BOLD, type Box, CENTER, label, type Mark } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import type { At, Course, Way } from "../model/algorithms";

/** More devices than this stand on an oval; up to so many have their rank in their tile. */
const FEW = 8;
const NAMED = 16;
/** Of messages: beside the links that they go along, outside forward and inside backward. */
const LANE = 22;

/** `ink` is the axis whose colour and line pattern the algorithm has: 0 or 1. */
export function ringMarks(course: Course, seconds: number, ink: number, box: Box): Mark[] {
  const at = course.at(seconds);
  const switched = course.network.topology === "switch";
  const { n } = course.doc;
  const [cx, cy] = [box.x + box.w / 2, box.y + 30 + 80];
  const r = Math.min(64, box.w / 2 - 32);
  // Many devices stand on an oval, where there is room for one.
  const wide = n > FEW ? Math.min(112, box.w / 2 - 32) : r;
  const point = (rank: number, radius = r): readonly [number, number] => {
    const angle = (2 * Math.PI * rank) / n - Math.PI / 2;
    const across = radius + (wide - r) * Math.min(1, radius / r);
    return [cx + across * Math.cos(angle), cy + radius * Math.sin(angle)];
  };
  const moving = !at.done && at.progress > 0 && at.progress < 1;
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
  if (switched)
    marks.push({
      kind: "rect",
      x: cx - 26,
      y: cy - 11,
      w: 52,
      h: 22,
      r: 5,
      fill: "panel",
      stroke: { color: "faint", width: 1 },
    });
  marks.push(...(switched ? spokes(n, point, [cx, cy]) : linkMarks(n, point, ways, ink)));
  if (moving) for (const way of ways) marks.push(...message(way, at, ink, switched, point));
  if (switched) marks.push(label(cx, cy + 4, "switch", 11, "muted", { anchor: "middle" }));
  marks.push(...tiles(course, at, ink, point));
  return marks;
}

type Point = (rank: number, radius?: number) => readonly [number, number];

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
      const [from, to] = [rank + 0.22 * step, rank + 0.78 * step];
      const off = step > 0 ? 2.5 : -2.5;
      const radius = radiusOf(point) + off;
      const stroke =
        load > 0 ? { ...axisStroke(ink), width: 1.2 + (3 * load) / each } : ({ color: "faint", width: 1 } as const);
      return { kind: "line", points: [point(from, radius), point((from + to) / 2, radius), point(to, radius)], stroke };
    };
    return [line(1), line(-1)];
  });
}

/** Radius of the ring that a point is on by itself. */
function radiusOf(point: Point): number {
  const [[x0, y0], [x1, y1]] = [point(0), point(0, 0)];
  return Math.hypot(x0 - x1, y0 - y1);
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

/** A message where it is now: on its lane beside the links, or on its spoke to the switch and from it. */
function message(way: Way, { progress }: At, ink: number, switched: boolean, point: Point): Mark[] {
  const side = Math.min(10, 5 + 1.5 * Math.sqrt(way.chunks));
  const put = ([x, y]: readonly [number, number]): Mark => ({
    kind: "rect",
    x: x - side / 2,
    y: y - side / 2,
    w: side,
    h: side,
    r: 2,
    fill: axisToken(ink),
    stroke: { color: "bg", width: 1 },
  });
  const r = radiusOf(point);
  if (!switched) return [put(point(way.source + way.step * way.hops * progress, r + way.step * LANE))];
  const destination = way.source + way.step * way.hops;
  const near = 0.36 * r;
  // At the switch a message belongs to no spoke: it is not drawn.
  if (progress > 0.42 && progress < 0.58) return [];
  return [
    progress < 0.5
      ? put(point(way.source, r - (r - near) * (progress / 0.42)))
      : put(point(destination, near + (r - near) * ((progress - 0.58) / 0.42))),
  ];
}

/** Devices: how much of their final content has arrived. */
function tiles(course: Course, at: At, ink: number, point: Point): Mark[] {
  const { n } = course.doc;
  // Ranks are named where neighbours on the ring have room for that.
  const apart = (2 * Math.PI * radiusOf(point)) / n;
  const small = n > NAMED || apart < 24;
  const { w, h } = small ? { w: 8, h: 8 } : apart < 36 ? { w: 18, h: 16 } : { w: 22, h: 18 };
  return Array.from({ length: n }, (_, rank) => rank).flatMap((rank): Mark[] => {
    const [x, y] = point(rank);
    const box = { x: x - w / 2, y: y - h / 2, w, h, r: 4 };
    const share = course.share(rank, at.arrived);
    return [
      { kind: "rect", ...box, fill: "bg" },
      { kind: "rect", ...box, w: Math.max(0.01, w * share), fill: axisToken(ink), alpha: 0.28 },
      { kind: "rect", ...box, stroke: { color: at.done ? axisToken(ink) : "muted", width: at.done ? 1.8 : 1 } },
      ...(small ? [] : [label(x, y + 4, String(rank), w < 20 ? 10 : 11, "ink", { ...CENTER, weight: 700 })]),
    ];
  });
}
