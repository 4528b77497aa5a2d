/** World lines of transfers: out of the row that starts them, straight down between columns, past the rows of other steps. */
import { hex, type Scheme } from "../../../core/color";
import { axisToken, CENTER, type Color, label, type Mark } from "../../../draw/marks";
import { lanesOf, type Transfer } from "../../model/futures";
import { originsOf } from "../../model/origins";
import type { TraceModel } from "../../model/trace";
import type { StepperLayout } from "../../scene/layout";
import { LEAVING, LINES, type PlacedRow, type SpaceLayout, transferOf } from "./layout";
import { curve, type Trunk } from "./links";
import { colorAt } from "./tiles";

/** Size of what is thrown away, and how far under the last row it lies. */
const GHOST = { w: 26, h: 15, below: 18 } as const;

/** The row where what a row receives set out; null for a row that receives nothing, or where that is not drawn. */
export function startOf(trace: TraceModel, space: SpaceLayout, placed: PlacedRow): PlacedRow | null {
  const transfer = transferOf(trace, placed.row, "done");
  return transfer && rowOf(space, transfer.start);
}

function rowOf({ rows }: SpaceLayout, step: number): PlacedRow | null {
  return rows.find(({ row }) => !row.again && row.steps.includes(step)) ?? null;
}

/** How what a row receives comes to it from where it set out. */
export function trunkTo(trace: TraceModel, space: SpaceLayout, placed: PlacedRow): Trunk | null {
  const transfer = transferOf(trace, placed.row, "done");
  const above = space.rows[space.rows.indexOf(placed) - 1];
  return transfer && above ? trunkOf(trace, space, transfer, above.y + above.h + 1) : null;
}

/** From the row of a start down to a height; null where that row is not drawn, or right above it. */
function trunkOf(trace: TraceModel, space: SpaceLayout, transfer: Transfer, until: number): Trunk | null {
  const from = rowOf(space, transfer.start);
  if (!from) return null;
  const { left, pitch, tile } = space;
  const lanes = lanesOf(trace.transfers);
  const [lane, count] = [lanes[trace.transfers.indexOf(transfer)] ?? 0, 1 + Math.max(...lanes)];
  const top = from.y + from.h;
  const gap = pitch - tile;
  const x = (p: number) => left + p * pitch + tile + (gap * (lane + 0.5)) / count;
  const start = (p: number) => left + p * pitch + tile * 0.8;
  if (until <= top + LEAVING) return null;
  const points = (p: number) => {
    const bend = curve(start(p), top, x(p), top + LEAVING);
    // As many points as it is long, so that what runs along it keeps its speed.
    const n = Math.ceil((until - top - LEAVING) / 5);
    return [
      ...bend,
      ...Array.from({ length: n }, (_, i) => [x(p), top + LEAVING + ((i + 1) * (until - top - LEAVING)) / n] as const),
    ];
  };
  return { points, x, width: gap / count - 1 };
}

/** Lines of transfers that no row receives: sent and thrown away, or taken for values by a step that stops. */
export function looseMarks(trace: TraceModel, layout: StepperLayout, space: SpaceLayout, scheme: Scheme): Mark[] {
  if (trace.mesh.size > LINES) return [];
  return trace.transfers.flatMap((transfer) => {
    const end = transfer.done === null ? space.rows.at(-1) : rowOf(space, transfer.done);
    if (!end || transferOf(trace, end.row, "done") === transfer) return [];
    const thrown = transfer.done === null;
    const trunk = trunkOf(trace, space, transfer, end.y + end.h + (thrown ? GHOST.below : 0));
    const from = trace.step(transfer.start);
    const sent = trace.variable(from?.inputs[0] ?? -1);
    if (!trunk || !sent) return [];
    const ink = axisToken(trace.mesh.axisOf(from?.collective?.axes[0] ?? ""));
    const core = (p: number) =>
      hex(colorAt(trace, sent, originsOf(trace, sent, p)[0] ?? p, (v, at) => layout.blockColor(v, at, scheme)));
    return Array.from({ length: trace.mesh.size }, (_, p) => loose(trunk, p, ink, core(p), thrown)).flat();
  });
}

function loose({ points, x, width }: Trunk, p: number, ink: Color, core: Color, thrown: boolean): Mark[] {
  const way = points(p);
  const thick = Math.max(1.4, Math.min(5, width - 1.8));
  if (!thrown)
    return [
      { kind: "line", points: way, stroke: { color: ink, width: thick + 1.8 } },
      { kind: "line", points: way, stroke: { color: core, width: thick } },
    ];
  const { w, h } = GHOST;
  const [left, top] = [x(p) - w / 2, way.at(-1)?.[1] ?? 0];
  const strike = [
    [left - 2, top + h + 2],
    [left + w + 2, top - 2],
  ] as const;
  return [
    { kind: "line", points: way, stroke: { color: ink, width: 2, dash: [1.5, 3.5] } },
    { kind: "rect", x: left, y: top, w, h, r: 2, fill: core, alpha: 0.3 },
    { kind: "rect", x: left, y: top, w, h, r: 2, stroke: { color: "faint", width: 1, dash: [3, 3] } },
    { kind: "line", points: strike, stroke: { color: "ink", width: 1.6 } },
  ];
}

/** What is said under the last row where something is thrown away there. */
export function endMarks(trace: TraceModel, space: SpaceLayout): Mark[] {
  const last = space.rows.at(-1);
  const names = trace.transfers.flatMap(({ done, future }) => (done === null ? [future.name] : []));
  if (!last || names.length === 0 || trace.mesh.size > LINES) return [];
  const x = space.left + (trace.mesh.size * space.pitch) / 2;
  const text = `the program ends: ${names.join(", ")} was never received`;
  return [label(x, last.y + last.h + GHOST.below + GHOST.h + 18, text, 11, "muted", CENTER)];
}
