/** Lines of blocks on their way to a row: the core has the colour of the data, the outline the inks of the mesh axes. */
import { hex } from "../../model/color";
import type { Collective, Variable } from "../../model/document.gen";
import { originsOf } from "../../model/origins";
import { permutes } from "../../model/semantics";
import { linksOf, type SpaceRow } from "../../model/spacetime";
import type { TraceModel } from "../../model/trace";
import { axisToken, type Color, type Mark } from "../scene";
import { type ColorOf, colorAt } from "./tiles";

interface Between {
  /** Lower edge of the row above, upper edge of the row. */
  y0: number;
  y1: number;
  middle: (p: number) => number;
  color: ColorOf;
  space: { left: number; pitch: number };
  /** The device whose block is followed. */
  device: number | null;
}

type Points = readonly (readonly [number, number])[];

/** The lines of all collectives of a row; those that send blocks the same way are drawn once. */
export function linkMarks(trace: TraceModel, row: SpaceRow, between: Between): Mark[] {
  const drawn = new Set<string>();
  return row.steps.flatMap((i) => {
    const step = trace.step(i);
    const [sent, made] = [trace.variable(step?.inputs[0] ?? -1), trace.variable(step?.outputs[0] ?? -1)];
    const c = step?.collective;
    if (!c || !sent || !made) return [];
    const way = `${c.plans.join()} ${sent.origin ? trace.origins(sent.origin).join() : ""}`;
    if (drawn.has(way)) return [];
    drawn.add(way);
    return collectiveMarks(trace, c, sent, made, between);
  });
}

function collectiveMarks(trace: TraceModel, c: Collective, sent: Variable, made: Variable, between: Between): Mark[] {
  const { y0, y1, middle, color, space, device } = between;
  const n = trace.mesh.size;
  const { pairs, knots } = linksOf(trace, c);
  const axes = c.axes.map((name) => trace.mesh.axisOf(name));
  const fillOf = (p: number) => hex(colorAt(trace, sent, originsOf(trace, sent, p)[0] ?? p, color));
  const thin = pairs.length > 4 * n;
  const full = thin ? 1.4 : Math.min(5, space.pitch * 0.16);
  const ribbon = (
    points: Points,
    core: `#${string}`,
    inks: readonly Color[],
    part = 1,
    dash: readonly number[] = [],
  ) => {
    const width = full * part;
    const around = width + (thin ? 0.6 : 1.8);
    return [
      ...inks.slice(0, 2).map(
        (ink, k): Mark => ({
          kind: "line",
          points,
          stroke: { color: ink, width: around, ...(k > 0 ? { dash: [TURN, TURN] } : {}) },
        }),
      ),
      { kind: "line", points, stroke: { color: core, width, ...(dash.length > 0 ? { dash } : {}) } },
    ] satisfies Mark[];
  };
  const marks: Mark[] = [];
  const all = axes.map(axisToken);
  for (const group of knots) {
    const x = group.reduce((sum, p) => sum + middle(p), 0) / group.length;
    const y = (y0 + y1) / 2;
    for (const p of group) marks.push(...ribbon(curve(middle(p), y0, x, y), fillOf(p), all, 1, [4, 2.6]));
    for (const p of group) marks.push(...ribbon(curve(x, y, middle(p), y1), hex(color(made, p)), all));
    const [ink = "muted", second] = all;
    if (second) marks.push({ kind: "rect", x: x - 10, y: y - 10, w: 20, h: 20, r: 10, fill: second });
    marks.push({ kind: "disc", x, y, r: 7, color: ink, hollow: false, sign: "+" });
  }
  // A link is in the ink of the axis that it runs along, of both where it crosses two.
  const crossed = (a: number, b: number) => {
    const [from, to] = [trace.mesh.digits(a), trace.mesh.digits(b)];
    const inks = axes.filter((axis) => from[axis] !== to[axis]).map(axisToken);
    return inks.length > 0 ? inks : all;
  };
  const edge = space.left + n * space.pitch + 12;
  const lines = (a: number, b: number, part: number): Mark[] => {
    // A ring's last block leaves at one side and comes in at the other.
    const round = !permutes(c) || Math.abs(b - a) < n - 1 || n <= 2 ? 0 : Math.sign(a - b);
    const [x0, x1] = [middle(a), middle(b)];
    const [core, inks] = [fillOf(a), crossed(a, b)];
    if (round === 0) return ribbon(curve(x0, y0, x1, y1), core, inks, part);
    const y = (y0 + y1) / 2;
    const [out, into] = round > 0 ? [edge, space.left - 12] : [space.left - 12, edge];
    return [...ribbon(curve(x0, y0, out, y), core, inks, part), ...ribbon(curve(into, y, x1, y1), core, inks, part)];
  };
  // Of several groups that send to all, one stands in front.
  const groups = trace.groups(c);
  const front = groups.find((g) => g.includes(device ?? -1)) ?? groups[0] ?? [];
  const behind = (a: number) => !permutes(c) && !front.includes(a);
  for (const [a, b] of pairs) if (behind(a)) marks.push(...lines(a, b, 0.5));
  for (const [a, b] of pairs) if (!behind(a)) marks.push(...lines(a, b, 1));
  return marks;
}

/** Two inks of one outline take turns, as often as this. */
const TURN = 7;

/** An S from one point to another, upright at both ends. */
function curve(x0: number, y0: number, x1: number, y1: number): readonly (readonly [number, number])[] {
  return Array.from({ length: 13 }, (_, i) => {
    const t = i / 12;
    const s = t * t * (3 - 2 * t);
    return [x0 + (x1 - x0) * s, y0 + (y1 - y0) * t] as const;
  });
}
