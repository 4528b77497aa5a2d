/** The addition of the picked group: lanes, slots that keep the sources, the sum. */
import { ranges } from "../../core/text";
import { around, axisStroke, axisToken, BOLD, type Box, label, type Mark, type Stroke } from "../../draw/marks";
import { fit, fitName, textWidth } from "../../draw/measure";
import { blockMarks } from "./block";
import { resultName } from "./cells";
import { futureMarks } from "./future";
import { blockColor, finalText, inkBetween, markIn, numbers, together } from "./look";
import { pieceMarks, pieceOf, sendsNothing, tagMarks } from "./piece";
import { combinesMarks } from "./sign";
import { endOf, type Lane } from "./stage";
import type { Flight, Moving } from "./view";

/** The outline of a slot whose copy has not come. */
const SLOT: Stroke = { color: "faint", width: 1, dash: [2, 3] };

/** Everything of an addition that does not fly. */
export function additionMarks(view: Moving, flights: readonly Flight[]): Mark[] {
  return [
    ...headerMarks(view),
    ...view.stage.lanes.flatMap((lane, i) => laneMarks(view, lane, i, flights)),
    ...resultMarks(view),
  ];
}

/** `on device 0, same on 2 4 6`. */
function headerMarks(view: Moving): Mark[] {
  const { stage, trace, collective, output, receiver } = view;
  if (!stage.header) return [];
  const { x, y, lines, width } = stage.header;
  const id = (p: number) => trace.mesh.ids[p] ?? 0;
  const others = stage.group.filter((p) => p !== receiver).map(id);
  const same = collective.semantics.replicates;
  const first = { text: same ? "on device " : "to device " };
  const own = { text: `${id(receiver)}`, color: "ink", weight: 700 } as const;
  if (lines === 2) {
    const name = { text: resultName(output), color: "ink", weight: 700 } as const;
    return [
      label(x, y, [name, first, own], 11, "ink"),
      label(x, y + 13, fit(same ? sameOn(others, width) : "", width, 10.5), 10.5, "muted"),
    ];
  }
  const all = same ? fit(`, same on ${ranges(others)}`, Math.max(120, width - 78), 11) : "";
  // Where an addition lies over other columns, words end where it ends.
  const end = stage.covered.size > 0 ? x + width : endOf(stage);
  const long = textWidth(first.text + own.text + all, 11);
  const tail = stage.covered.size > 0 && stage.result && long > width ? "" : all;
  const words = textWidth(first.text + own.text + tail, 11);
  return [label(Math.min(x, end - words), y, [first, own, { text: tail, color: "muted" }], 11, "ink")];
}

/** Who holds the same: where there is no room for all, how many. */
function sameOn(others: readonly number[], width: number): string {
  const all = [ranges(others, 4), `${others.length} others`].map((who) => `same on ${who}`);
  return all.find((text) => textWidth(text, 10.5) <= width) ?? `and ${others.length} others`;
}

/** One member's lane: how its copy goes, its slot, the sign before it. */
function laneMarks(view: Moving, lane: Lane, i: number, flights: readonly Flight[]): Mark[] {
  const { stage, flow, adds, receiver } = view;
  const { slot, tag, sign } = lane;
  const own = i === stage.receiver;
  const nothing = sendsNothing(view, lane);
  const there = !nothing && (own || flow.arrived > 0);
  const order = view.order.indexOf(lane);
  const added = order < flow.added;
  const current = flow.current === order;
  const ink = inkBetween(view, lane.members[0] ?? 0, receiver);
  const marks: Mark[] = nothing ? [] : wayToSlot(lane, stage.run === "down", own, axisStroke(ink, 1.3));
  if (there) {
    const alpha = adds && added && !current ? 0.72 : 1;
    const mark = adds ? markIn(view, pieceOf(view, lane), receiver) : null;
    marks.push(...pieceMarks(view, lane, slot, { alpha, mark }));
  } else marks.push({ kind: "rect", ...slot, r: 2, stroke: SLOT });
  // The copy brings its tag with it.
  if (!flights.some(({ box }) => meets(box, tag))) marks.push(...tagMarks(view, lane.members, tag, ink));
  if (current) {
    marks.push({ kind: "rect", ...around([slot, tag], 2), r: 4, stroke: axisStroke(ink, 2) });
  }
  if (sign && adds) marks.push(...combinesMarks(view.combines, ...sign, 6.5, axisToken(view.axis), !added || !there));
  return marks;
}

function meets(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

function wayToSlot({ tile, slot, tag }: Lane, down: boolean, own: boolean, stroke: Stroke): Mark[] {
  const [x, y] = [slot.x + slot.w / 2, slot.y + slot.h / 2];
  const up = !down && slot.y < tile.box.y;
  const start = down ? tile.box.x + tile.box.w + 2 : up ? tile.box.y - 2 : tile.box.y + tile.box.h + 2;
  const end = down ? Math.min(slot.x, tag.x) - 4 : up ? slot.y + slot.h + 4 : slot.y - 4;
  const points = down
    ? ([
        [start, y],
        [end, y],
      ] as const)
    : ([
        [x, start],
        [x, end],
      ] as const);
  if (!own) return Math.abs(end - start) < 8 ? [] : [{ kind: "line", points, stroke, arrow: true }];
  const marks: Mark[] = [{ kind: "line", points, stroke: { color: "faint", width: 1.2, dash: [1.5, 3] } }];
  if (down && end - start > 26) marks.push(label((start + end) / 2, y - 4, "own", 9.5, "muted", { anchor: "middle" }));
  if (!down && Math.abs(end - start) > 14) marks.push(label(x + 6, (start + end) / 2 + 4, "own", 10, "muted"));
  return marks;
}

/** The sum under its rule: hatched until the last term is in. */
function resultMarks(view: Moving): Mark[] {
  const { stage, input, output, flow, receiver } = view;
  if (!stage.result) return [];
  const { box, face, name, sign, rule } = stage.result;
  const complete = flow.added >= stage.lanes.length;
  const text = (element: number) => (complete ? finalText(view, element) : together(view, view.summed, element));
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
  const future = view.flow.arrived === 0 && view.trace.transfer(view.step)?.future;
  const named = fitName((future || output).name, 76, 12, true);
  if (stage.run === "down") marks.push(label(name[0], name[1], named, 12, "ink", BOLD));
  if (future) return [...marks, ...futureMarks(view.trace, future, box)];
  marks.push(
    ...blockMarks(box, {
      ...numbers(view, input, face, text),
      fill: blockColor(view, complete ? output : input, receiver),
      hatch: complete ? null : view.hatch,
      mark: markIn(view, face, receiver),
    }),
    { kind: "disc", x: sign[0], y: sign[1], r: 6.5, color: axisToken(view.axis), hollow: !complete, sign: "=" },
  );
  return marks;
}
