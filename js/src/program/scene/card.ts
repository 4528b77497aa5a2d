/**
 * A compiled program as one scene, for the picture without a page: the call over time, its first groups of equal
 * collectives, and one collective on the mesh.
 */

import type { Algorithm } from "../../collective/model/algorithm";
import { axesOf, type Cells } from "../../core/cells";
import type { Scheme } from "../../core/color";
import { COLLECTIVES } from "../../core/columns.gen";
import type { HloCollective } from "../../core/document.gen";
import { bytes, duration } from "../../core/format";
import { count, sentenceTokens, type Token } from "../../core/text";
import { type Band, framed, headBand, headsBand, lookedAt, rule, stack } from "../../draw/bands";
import { axisBar, cellMarks } from "../../draw/cells";
import { axisToken, type Box, label, type Mark, PAD, type Scene, type Span, shift } from "../../draw/marks";
import { fit, wrapped } from "../../draw/measure";
import { cellsOf } from "../model/cells";
import { type Group, groupsOf, groupTotal, type Sort, totalFigures } from "../model/groups";
import type { ProgramModel } from "../model/program";
import { badgesOf, estimateText, groupsText, groupTexts, linksText, totalName, verdictOf } from "../model/words";
import { collectiveMarks } from "./collective";
import { captionOf } from "./collective/caption";
import { stageOf } from "./collective/stage";
import { CollectiveView } from "./collective/view";
import { laneMarks, layoutLanes } from "./lanes";

export interface ProgramPicture {
  width: number;
  scheme: Scheme;
  /** Index of the collective on the mesh; null for the first of the table. */
  selection: number | null;
  axis: string | null;
  sort: Sort;
  algorithm?: Algorithm;
  /** How far the collective on the mesh has come: 0 before it, 1 after it. */
  phase?: number;
}

/** Below this width the mesh stands under the table. */
const STACKED = 860;
const PANEL = 372;
/** How much wider the sentence at the top is than text of 12 px, which lines are measured in. */
const SCALE = 1.36;
/** Lines of the table that are drawn; the rest is counted. */
const MOST = 16;
const LINE = 48;
/** A line in a narrow picture: what it is over what it is for. */
const CARD = 74;
const NARROW = 640;

/** Index of the collective on the mesh. */
export function chosenOf(model: ProgramModel, picture: ProgramPicture): number | null {
  return picture.selection ?? listed(model, picture)[0]?.at ?? null;
}

function listed(model: ProgramModel, picture: ProgramPicture): Group[] {
  return groupsOf(model, { ...picture, search: "", interconnect: model.doc.interconnect });
}

export function programScene(model: ProgramModel, picture: ProgramPicture): Scene {
  const { width } = picture;
  const { interconnect } = model.doc;
  const groups = listed(model, picture);
  const at = chosenOf(model, picture);
  const c = at === null ? null : (model.collectives[at] ?? null);
  const chosen = groups.find((group) => at !== null && group.members.includes(at));
  const head = stack([
    headBand(model.doc.name || "program", model.mesh, badgesOf(model, interconnect), width),
    ...answerBand(model, width),
    ...timeBands(model, at, chosen?.members ?? [], width),
  ]);
  const stacked = width < STACKED;
  const left = stacked || !c ? width : width - PANEL;
  const table = stack([
    ...noteBands(model, left),
    ...(groups.length > 0 && left >= NARROW ? [headsBand(COLLECTIVES, spotsOf(left), left)] : []),
    ...rowBands(model, groups.slice(0, MOST), left, chosen),
    footBand(model, c, left, groups.slice(MOST)),
  ]);
  const mesh = c ? panelBand(model, c, stacked ? width : PANEL, picture) : { marks: [], height: 0 };
  const body = stacked ? table.height + mesh.height : Math.max(table.height, mesh.height);
  const height = Math.ceil(head.height + body);
  const panel: Box = stacked
    ? { x: 0, y: head.height + table.height, w: width, h: mesh.height }
    : { x: left, y: head.height, w: width - left, h: body };
  return framed(width, height, [
    ...(c ? [{ kind: "rect", ...panel, fill: "panel" } as const] : []),
    ...head.marks,
    ...shift(table.marks, 0, head.height),
    ...shift(mesh.marks, panel.x, panel.y),
    rule(0, head.height, width),
  ]);
}

/** What dominates, in a sentence. */
function answerBand(model: ProgramModel, width: number): Band[] {
  const said = verdictOf(model, model.doc.interconnect);
  if (!said) return [];
  const lines = wrapped(said, (width - 2 * PAD) / SCALE);
  const marks = lines.map((line, i) =>
    label(PAD, 12 + 20 * i, spansOf(sentenceTokens(line, model.mesh)), 15, "ink", { weight: 600 }),
  );
  return [{ marks, height: 4 + 20 * lines.length }];
}

function spansOf(tokens: readonly Token[]): Span[] {
  return tokens.map(({ text, axis }) => (axis === null ? { text } : { text, color: axisToken(axis) }));
}

/** The call over time; none for one collective, whose time would be all of it. */
function timeBands(model: ProgramModel, at: number | null, equal: readonly number[], width: number): Band[] {
  const lanes = layoutLanes(model, model.doc.interconnect, width - 2 * PAD);
  if (!lanes) return [];
  return [
    { marks: [rule(0, 0, width)], height: 10 },
    { marks: shift(laneMarks(model, lanes, at, equal), PAD, 0), height: lanes.height + 6 },
  ];
}

function noteBands(model: ProgramModel, width: number): Band[] {
  const { note, unread } = model.doc;
  const words = [note, unread.length > 0 ? `${count(unread.length, "instruction")} could not be read.` : ""];
  return words
    .filter((text) => text !== "")
    .map((text) => {
      const lines = wrapped(text, width - 2 * PAD);
      const marks = lines.map((line, i) => label(PAD, 20 + 17 * i, line, 12, model.doubtful ? "warn" : "muted"));
      return { marks, height: 14 + 17 * lines.length };
    });
}

/** Where the columns stand. */
function spotsOf(width: number) {
  const [y, end] = [[28], width - 14];
  return {
    op: { x: 16, end: 154, y, size: 12.5 },
    axes: { x: 158, end: 232, y },
    sent: { x: 232, end: 298, y, anchor: "end" },
    runs: { x: 298, end: 336, y, anchor: "end" },
    source: { x: 350, end: end - 174, y: [21, 38] },
    time: { x: end - 166, end, y, anchor: "apart", bar: [106, 12] },
  } as const;
}

/** Lines of the table, with their bars on one scale. */
function rowBands(model: ProgramModel, groups: readonly Group[], width: number, chosen: Group | undefined): Band[] {
  const totals = groups.map((group) => groupTotal(model, group, model.doc.interconnect));
  const figures = totalFigures(totals);
  const longest = Math.max(1e-12, ...totals.map((total) => total.seconds));
  return groups.map((group, i) => {
    const c = model.collectives[group.at];
    const total = totals[i];
    return c && total
      ? rowBand(cellsOf(model, c, total, figures, longest), width, group === chosen)
      : { marks: [], height: 0 };
  });
}

function rowBand(cells: Cells<typeof COLLECTIVES>, width: number, chosen: boolean): Band {
  const [narrow, end] = [width < NARROW, width - 14];
  const height = narrow ? CARD : LINE;
  const spots = spotsOf(width);
  const keys = COLLECTIVES.map(({ key }) => key);
  const marks = narrow
    ? [
        ...cellMarks(cells.op, { ...spots.op, y: [22] }),
        ...cellMarks(cells.axes, { ...spots.axes, end: width, y: [22] }),
        ...cellMarks([[cells.sent, cells.runs].flatMap(([line = []]) => line)], { x: PAD, end: PAD + 130, y: [44] }),
        ...cellMarks(cells.time, { x: PAD + 130, end, y: [44], anchor: "apart", bar: [width - PAD - 240, 11] }),
        ...cellMarks(cells.source, { x: PAD, end, y: [63] }),
      ]
    : keys.flatMap((key) => cellMarks(cells[key], spots[key]));
  return {
    marks: [...(chosen ? lookedAt({ x: 0, y: 0, w: width, h: height }) : []), ...marks, rule(0, height - 1, width)],
    height,
  };
}

/** Totals by axis, the arithmetic of what is on the mesh, how much is left out. */
function footBand(model: ProgramModel, c: HloCollective | null, width: number, more: readonly Group[]): Band {
  const left = more.reduce((sum, group) => sum + group.members.length, 0);
  const room = width - 2 * PAD;
  const totals = model.sized ? model.totals(model.doc.interconnect) : [];
  const whole = Math.max(
    1e-12,
    totals.reduce((sum, t) => sum + t.seconds, 0),
  );
  const marks: Mark[] = [];
  let x = PAD;
  for (const t of totals) {
    const w = Math.max(1, (Math.min(320, room) * t.seconds) / whole - 2);
    marks.push(...axisBar(axesOf(model.mesh, t.axes), { x, y: 12, w, h: 14 }));
    x += w + 2;
  }
  const said = totals.map((t) => `${totalName(t)} ${duration(t.seconds)}, ${bytes(t.bytes)}/device`).join("; ");
  const on = model.doc.interconnects[model.doc.interconnect] ?? "";
  const lines = [
    ...(left > 0 ? [`${count(left, "more collective")} in the table.`] : []),
    ...(totals.length > 0 ? wrapped(said, room) : []),
    ...(c ? wrapped(`${linksText(model, c)} ${estimateText(model, c, model.doc.interconnect)}`, room, 5) : []),
    ...(totals.length > 0
      ? [fit(`Estimates: scaling-book roofline on ${on}; overlap is not modelled.`, room, 12)]
      : []),
  ];
  marks.push(...lines.map((text, i) => label(PAD, 46 + 17 * i, text, 12, "muted")));
  return { marks, height: 52 + 17 * lines.length };
}

/** The mesh with the groups of a collective before it runs, and the groups as XLA writes them. */
function panelBand(
  model: ProgramModel,
  c: HloCollective,
  width: number,
  { scheme, algorithm = "meaning", phase = 0 }: ProgramPicture,
): Band {
  const room = Math.min(560, width - 2 * PAD);
  const stage = stageOf(model, room, false, c.group_size);
  const options = { scheme, algorithm, phase, group: 0, device: null, lit: null, still: false } as const;
  const view = new CollectiveView(model, stage, c, options);
  const axis = c.axes[0] === undefined ? null : model.mesh.axisOf(c.axes[0]);
  const over = c.axes.length > 0 ? c.axes.join(", ") : "irregular groups";
  const title: Span[] = [
    { text: `${c.kind} over `, weight: 700 },
    { text: fit(over, room / 2, 13), weight: 700, ...(axis === null ? {} : { color: axisToken(axis) }) },
  ];
  const groups = groupTexts(model, c, 0);
  const more = view.groups.length > groups.length ? " …" : "";
  const below = [
    // A moment without a caption still has the line for it.
    captionOf(view) || " ",
    ...wrapped(`XLA ${c.groups_text}`, room, 2),
    `= ${c.axes.length > 0 ? `your ${over}` : "no mesh axis"}: ${groups.map((g) => g.text).join(" ")}${more}`,
  ].filter((text) => text !== "");
  const top = 54;
  return {
    marks: [
      label(PAD, 24, title, 13, "ink"),
      label(PAD, 42, fit(groupsText(model, c), room, 12), 12, "muted"),
      ...shift(collectiveMarks(view), PAD + (room - stage.width) / 2, top),
      ...below.map((text, i) => label(PAD, top + stage.height + 16 + 17 * i, fit(text, room, 12), 12, "muted")),
    ],
    height: top + stage.height + 16 + 17 * below.length + 8,
  };
}
