/** The addition of the picked group: lanes, slots that keep the sources, the sum; and ways of copies that go round. */
import { ranges } from "../../core/text";
import { around, axisStroke, axisToken, BOLD, type Box, label, type Mark, type Stroke } from "../../draw/marks";
import { fit, fitName, textWidth } from "../../draw/measure";
import { blockMarks } from "./block";
import {
  chunkBox,
  columnsOf,
  type Flight,
  laneWidth,
  pieceMarks,
  pieceOf,
  routesIn,
  rowOf,
  sendsNothing,
  tagMarks,
} from "./flights";
import { markIn, numbers } from "./look";
import { elbow, permutedMarks } from "./permuted";
import { combinesMarks } from "./sign";
import type { Lane, Tile } from "./stage";
import type { StepView } from "./view";

const EMPTY: Stroke = { color: "faint", width: 1, dash: [2, 3] };

/** Everything about lanes that does not fly. */
export function additionMarks(view: StepView, flights: readonly Flight[]): Mark[] {
  const { stage } = view;
  if (stage.motion === "gutters" || stage.motion === "lanes") return wayMarks(view);
  if (stage.motion === "permute") return permutedMarks(view);
  if (stage.motion !== "gather") return [];
  return view.opened.flatMap((each) => groupAddition(each, flights));
}

function groupAddition(view: StepView, flights: readonly Flight[]): Mark[] {
  const { stage } = view;
  return [
    ...headerMarks(view),
    ...stage.lanes.flatMap((lane, i) => laneMarks(view, lane, i, flights)),
    ...(stage.result ? resultMarks(view) : []),
  ];
}

/** `on device 0, same on 2 4 6`. */
function headerMarks(view: StepView): Mark[] {
  const { stage, trace, collective: c, output } = view;
  if (!stage.header || !output) return [];
  const { x, y, lines, width } = stage.header;
  const id = (p: number) => trace.mesh.ids[p] ?? 0;
  const others = stage.group.filter((p) => p !== view.receiver).map(id);
  const same = c?.semantics.replicates === true;
  const first = { text: same ? "on device " : "to device " };
  const own = { text: `${id(view.receiver)}`, color: "ink", weight: 700 } as const;
  if (lines === 2) {
    const name = { text: `${fitName(output.name, 60, 11)} `, color: "ink", weight: 700 } as const;
    return [
      label(x, y, [name, first, own], 11, "ink"),
      label(x, y + 13, fit(same ? `same on ${ranges(others, 4)}` : "", width, 10.5), 10.5, "muted"),
    ];
  }
  const tail = same ? fit(`, same on ${ranges(others)}`, Math.max(120, width - 78), 11) : "";
  const words = textWidth(first.text + own.text + tail, 11);
  return [label(Math.min(x, view.layout.width - words), y, [first, own, { text: tail, color: "muted" }], 11, "ink")];
}

/** One member's lane: how its copy goes, its slot, the sign before it. */
function laneMarks(view: StepView, lane: Lane, i: number, flights: readonly Flight[]): Mark[] {
  const { stage, flow } = view;
  const { slot, tag, sign } = lane;
  const own = i === stage.receiver;
  const nothing = sendsNothing(view, lane);
  const there = !nothing && (own || flow.arrived > 0);
  const order = view.order.indexOf(lane);
  const added = order < flow.added;
  const current = flow.current === order;
  const ink = view.inkBetween(lane.members[0] ?? 0, view.receiver);
  const marks: Mark[] = nothing ? [] : [...wayToSlot(view, lane, own)];
  if (there) {
    const face = pieceOf(view, lane);
    const alpha = view.adds && added && !current ? 0.72 : 1;
    marks.push(
      ...pieceMarks(view, lane, slot, { alpha, mark: face && view.adds ? markIn(view, face, view.receiver) : null }),
    );
  } else marks.push({ kind: "rect", ...slot, r: 2, stroke: EMPTY });
  // The copy brings its tag with it.
  const covered = flights.some(({ box }) => meets(box, tag));
  if (!covered) marks.push(...tagMarks(view, lane.members, tag, ink));
  if (current) {
    marks.push({ kind: "rect", ...around([slot, tag], 2), r: 4, stroke: axisStroke(ink, 2) });
  }
  if (sign && view.adds) {
    const color = axisToken(view.axis);
    marks.push(...combinesMarks(view.combines, ...sign, 6.5, color, !added || !there));
  }
  return marks;
}

export function meets(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

function wayToSlot(view: StepView, { members, tile, slot, tag }: Lane, own: boolean): Mark[] {
  const down = view.stage.run === "down";
  const stroke = axisStroke(view.inkBetween(members[0] ?? 0, view.receiver), 1.3);
  const [x, y] = [slot.x + slot.w / 2, slot.y + slot.h / 2];
  const start = down ? tile.box.x + tile.box.w + 2 : tile.box.y + tile.box.h + 2;
  const end = down ? Math.min(slot.x, tag.x) - 4 : slot.y - 4;
  const points = down
    ? ([
        [start, y],
        [end, y],
      ] as const)
    : ([
        [x, start],
        [x, end],
      ] as const);
  if (!own) return end - start < 8 ? [] : [{ kind: "line", points, stroke, arrow: true }];
  const marks: Mark[] = [{ kind: "line", points, stroke: { color: "faint", width: 1.2, dash: [1.5, 3] } }];
  if (down && end - start > 26) marks.push(label((start + end) / 2, y - 4, "own", 9.5, "muted", { anchor: "middle" }));
  if (!down) marks.push(label(x + 6, (start + end) / 2 + 4, "own", 10, "muted"));
  return marks;
}

/** The sum under its rule: hatched until the last term is in. */
function resultMarks(view: StepView): Mark[] {
  const { stage, input, output, flow } = view;
  if (!stage.result || !input || !output) return [];
  const { box, face, name, sign, rule } = stage.result;
  const complete = flow.added >= stage.lanes.length;
  const text = (element: number) => (complete ? finalText(view, element) : view.together(view.summed, element));
  const marks: Mark[] = [];
  if (rule.w > 0)
    marks.push({
      kind: "line",
      points: [
        [rule.x, rule.y],
        [rule.x + rule.w, rule.y],
      ],
      stroke: { color: "ink", width: 1.6 },
    });
  if (stage.run === "down") marks.push(label(name[0], name[1], fitName(output.name, 76, 12, true), 12, "ink", BOLD));
  marks.push(
    ...blockMarks(box, {
      ...numbers(view, input, face, text),
      fill: complete ? view.color(output, view.receiver, output.unreduced) : view.color(input, view.receiver),
      hatch: complete ? null : view.hatch,
      mark: markIn(view, face, view.receiver),
    }),
    { kind: "disc", x: sign[0], y: sign[1], r: 6.5, color: axisToken(view.axis), hollow: !complete, sign: "=" },
  );
  return marks;
}

/** What JAX returned for an element of the sum, where the result has it in the same place. */
export function finalText(view: StepView, element: number): string {
  const { input, output, trace } = view;
  const [from, to] = [input && trace.corner(input), output && trace.corner(output)];
  if (!from || !to || !output) return "";
  return from.shape.join() === to.shape.join()
    ? view.text(output, view.receiver, element)
    : view.together(view.stage.group, element);
}

/** Ways of copies that go from tile to tile: thin lines, drawn under everything. */
function wayMarks(view: StepView): Mark[] {
  const { stage, finished, played, flow } = view;
  if (finished || flow.progress >= 1) return [];
  if (stage.motion === "lanes") {
    const width = laneWidth(view);
    return routesIn(view).flatMap((route): Mark[] => {
      const [tileFrom, tileTo] = [stage.lanes[route.from]?.tile, stage.lanes[route.to]?.tile];
      if (!tileFrom || !tileTo) return [];
      const [from, to] = [tileFrom.box, tileTo.box];
      const edge = from.x + from.w;
      const x = edge + (route.lane + 0.5) * width;
      const [y0, y1] = [from.y + from.h / 2 + 2, to.y + to.h / 2 - 2];
      const stroke = axisStroke(view.inkBetween(tileFrom.members[0] ?? 0, tileTo.members[0] ?? 0), 1);
      return [elbow([edge + 2, y0], x, [edge + 5, y1], stroke)];
    });
  }
  return columnsOf(view).flatMap(({ group, tiles }) =>
    (played?.rounds[flow.round] ?? []).flatMap((t): Mark[] => {
      const [from, to] = [tiles[t.source], tiles[t.destination]];
      const at = from && chunkBox(view, from, t.chunks);
      if (!from || !to || !at) return [];
      const stroke = axisStroke(view.inkBetween(group[t.source] ?? 0, group[t.destination] ?? 0), 1.3);
      if (t.destination === t.source + 1) {
        const x = at.x + at.w / 2;
        const points = [
          [x, from.box.y + from.box.h + 1],
          [x, to.box.y - 3],
        ] as const;
        return [{ kind: "line", points, stroke, arrow: true }];
      }
      const edge = from.box.x + from.box.w;
      const middle = (tile: Tile) => rowOf(tile, { ...at, h: 0 });
      return [elbow([edge + 1, middle(from)], edge + (stage.room?.w ?? 30) / 2, [edge + 4, middle(to)], stroke)];
    }),
  );
}
