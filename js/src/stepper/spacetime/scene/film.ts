/** Space-time of a trace without a page: every step and device, with the blocks of each hop on their way. */
import { BOLD, label, type Mark, MONO, PAD, type Scene, shift } from "../../../draw/marks";
import { fit } from "../../../draw/measure";
import { BETWEEN, type Film, filmOf, LEAD, REST, type Shot, stand } from "../../../picture/scene/film";
import type { TraceModel } from "../../model/trace";
import type { StepPicture } from "../../scene/card";
import { StepperLayout } from "../../scene/layout";
import { type SpaceTime, spaceTime } from "../model/spacetime";
import { layoutSpace, type PlacedRow, type SpaceLayout } from "./layout";
import { ridingMarks } from "./links";
import { linksTo, spaceMarks } from "./rows";

/** A row, and how far its blocks have come. */
interface Moment {
  row: PlacedRow | undefined;
  time: number;
}

const HEAD = 26;

/** Hop after hop: what is drawn at rest is whole at every moment, with the blocks that move over it. */
export function spaceFilm(trace: TraceModel, speed: number, { width, scheme }: StepPicture): Film {
  const all = spaceTime(trace);
  const space = layoutSpace(trace, all, width - 2 * PAD, new Set(all.loops.keys()));
  const layout = new StepperLayout(trace, space.width);
  const options = { scheme, device: null, tile: null };
  const hops = space.rows.filter(({ row }) => row.collective);
  const shots: Shot<Moment>[] = [stand(LEAD, { row: hops[0], time: 0 })];
  for (const row of hops) {
    const step = trace.step(row.row.steps[0] ?? 0);
    const ms = step ? trace.duration(step, "meaning") / speed : 0;
    shots.push({ ms, at: (time) => ({ row, time }) }, stand(row === hops.at(-1) ? REST : BETWEEN, { row, time: 1 }));
  }
  const height = HEAD + space.height + PAD;
  const frame = { x: 0.5, y: 0.5, w: width - 1, h: height - 1, r: 8 };
  return filmOf(shots, ({ row, time }): Scene => {
    const links = row && linksTo(trace, layout, space, row, options);
    const at = row?.row.steps[0] ?? -1;
    const marks = [
      ...spaceMarks(trace, layout, space, at, options),
      ...wordMarks(space, all),
      ...(links ? ridingMarks(trace, links, time) : []),
    ];
    return {
      width,
      height,
      marks: [
        { kind: "rect", ...frame, fill: "bg", stroke: { color: "line", width: 1 } },
        label(PAD, PAD + 6, trace.doc.name, 14, "ink", BOLD),
        ...shift(marks, PAD, HEAD - 6),
      ],
    };
  });
}

/** What stands as text in a page: the names of rows, loops beside theirs. */
function wordMarks(space: SpaceLayout, { loops }: SpaceTime): Mark[] {
  const x = space.names + 4;
  const room = space.left - x - 8;
  const names = space.rows.flatMap(({ y, h, text, note }) => [
    label(x, y + h / 2 - 3, fit(text, room, 11, true), 11, "ink", BOLD),
    label(x, y + h / 2 + 12, fit(note, room, 11, true), 11, "muted", MONO),
  ]);
  const beside = space.brackets.flatMap(({ loop, x, y, h, text }): Mark[] => [
    { kind: "line", points: [[x, y] as const, [x, y + h] as const], stroke: { color: "muted", width: 2 } },
    label(x + 14, y + h / 2, text || (loops[loop]?.name ?? ""), 11, "muted", {
      anchor: "middle",
      turned: true,
      weight: 600,
    }),
  ]);
  return [...names, ...beside];
}
