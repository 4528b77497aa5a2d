/** A tree of arrays as one scene, for the picture without a page: its first lines, one device as a map, the mesh. */

import { LEAVES } from "../../core/columns.gen";
import { axisTokens, count, sentenceTokens } from "../../core/text";
import { type Band, framed, headBand, headsBand, rule, saysBand, stack } from "../../draw/bands";
import { broken } from "../../draw/broken";
import { bar, deviceMarks, layoutDevices } from "../../draw/devices";
import { BOLD, type Box, label, type Mark, MONO, PAD, type Scene, shift, spans } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import { type Row, rowsOf, type Sort } from "../model/rows";
import { timesText } from "../model/stacked";
import { ownBytes, type TreeModel } from "../model/tree";
import {
  answerOf,
  badgesOf,
  copiesText,
  costText,
  deviceHead,
  type Figures,
  figuresOf,
  findingText,
  numberOf,
  typeText,
  unitOf,
} from "../model/words";
import { barMarks, layoutBar } from "./bar";
import { layoutTreemap, treemapMarks } from "./treemap";

export interface ModelPicture {
  width: number;
  sort: Sort;
  search: string;
}

/** Below this width the map stands under the lines, and below that one a line is two. */
const STACKED = 860;
const NARROW = 560;
const PANEL = 400;
/** Lines that are drawn; the rest is counted. */
const MOST = 24;
const LINE = 30;

export function modelScene(tree: TreeModel, { width, sort, search }: ModelPicture): Scene {
  const listing = { axis: null, device: tree.fullest, open: new Map() };
  const rows = rowsOf(tree, { ...listing, sort, search, flat: false });
  const leaves = rowsOf(tree, { ...listing, sort: "tree", search: "", flat: true });
  const name = `${tree.doc.name ? `${tree.doc.name}  ` : ""}${count(tree.arrays, "array")}`;
  const figures = figuresOf(tree, leaves);
  const { says, also } = answerOf(tree, figures.here);
  const head = stack([
    headBand(name, tree.mesh, badgesOf(tree, figures), width),
    saysBand(says, [{ text: also }], width),
    deviceBand(tree, width, figures),
  ]);
  const stacked = width < STACKED;
  const left = stacked ? width : width - PANEL;
  const most = Math.max(1, ...rows.map((row) => row.sums.here));
  const table = stack([
    ...(left >= NARROW ? [heads(tree, left, figures)] : []),
    ...rows.slice(0, MOST).map((row) => rowBand(tree, row, left, most, figures)),
    footBand(rows.length - MOST),
  ]);
  const panel = panelBand(tree, leaves, stacked ? width : PANEL, figures);
  const body = stacked ? table.height + panel.height : Math.max(table.height, panel.height);
  const height = Math.ceil(head.height + body);
  const place: Box = stacked
    ? { x: 0, y: head.height + table.height, w: width, h: panel.height }
    : { x: left, y: head.height, w: PANEL, h: body };
  return framed(width, height, [
    { kind: "rect", ...place, fill: "panel" },
    ...head.marks,
    ...shift(table.marks, 0, head.height),
    ...shift(panel.marks, place.x, place.y),
    rule(0, head.height, width),
  ]);
}

/** Where the columns stand: type, the ends of three numbers, and where a bar begins. */
function columnsOf(width: number) {
  const end = width - PAD;
  const bar = end - 170;
  return { type: Math.max(150, 0.27 * width), all: bar - 14, bar, here: end - 44, copies: end };
}

const END = { ...MONO, anchor: "end" } as const;

function heads(tree: TreeModel, width: number, figures: Figures): Band {
  const { type, all, here, copies } = columnsOf(width);
  const places = {
    path: [PAD],
    type: [type],
    all: [all, "end"],
    here: [here, "end"],
    copies: [copies, "end"],
  } as const;
  const other = unitOf(figures.all) === unitOf(figures.here) ? "" : `, ${unitOf(figures.all)}`;
  return headsBand(LEAVES, places, width, { all: `in all${other}`, here: deviceHead(tree, tree.fullest) });
}

/** The fullest device as a bar, with the unit of all numbers below it. */
function deviceBand(tree: TreeModel, width: number, figures: Figures): Band {
  const bar = layoutBar(tree, width - 2 * PAD);
  if (bar.parts.length === 0) return { marks: [], height: 0 };
  const name = tree.alike ? "One device" : `Device ${tree.devices[tree.fullest]?.id}`;
  const text = `${name}, all numbers in ${unitOf(figures.here)}`;
  const title = label(PAD, 22, text, 12, "muted");
  return { marks: [title, ...shift(barMarks(tree, bar, null, figures), PAD, 26)], height: 26 + bar.height + 12 };
}

function rowBand(tree: TreeModel, row: Row, width: number, most: number, figures: Figures): Band {
  const c = columnsOf(width);
  const narrow = width < NARROW;
  const x = PAD + 14 + row.depth * 16;
  const inner = row.leaf === null;
  const said = timesText(tree, row);
  const times = said && ` ${said}`;
  const room = (narrow ? c.all - 60 : c.type) - x - 8;
  const name = fit(row.name || "·", room - textWidth(times, 13, true), 13, true) + times;
  const mesh = tree.meshes[inner ? 0 : tree.typeAt(row.leaf ?? 0).mesh] ?? tree.mesh;
  const type = fit(typeText(tree, row), narrow ? width - x - PAD : c.all - 70 - c.type, 12, true);
  const held = row.sums.copies[1] > 0 ? numberOf(figures.here(row.sums.here)) : "–";
  const scale = (c.here - 66 - c.bar) / most;
  const marks: Mark[] = [
    ...(inner ? [label(x - 14, 20, row.open ? "▾" : "▸", 11, "muted")] : []),
    label(x, 20, name, 13, "ink", inner ? BOLD : MONO),
    label(narrow ? x : c.type, narrow ? 38 : 20, spans(axisTokens(type, mesh)), 12, "ink", inner ? {} : MONO),
    ...(row.sums.leaves > 0 && !narrow
      ? [label(c.all, 20, numberOf(figures.all(row.sums.bytes)), 12, "ink", END)]
      : []),
    ...bar({ x: c.bar, y: 10, w: row.sums.here * scale, h: 11 }, row.sums.own * scale),
    label(c.here, 20, held, 12, "ink", inner ? { ...END, weight: 700 } : END),
    label(c.copies, 20, copiesText(row), 12, row.flags.length > 0 && row.sums.copies[0] > 1 ? "warn" : "ink", END),
  ];
  let height = narrow ? LINE + 18 : LINE;
  const [finding] = row.said;
  if (finding) {
    const words = `${findingText(finding)} ${costText(row, figures.here)}`;
    const lines = broken(spans(sentenceTokens(words, mesh)), width - x - PAD, 12, 3);
    for (const line of lines) {
      marks.push(label(x, height + 8, line, 12, "warn"));
      height += 17;
    }
    height += 5;
  }
  return { marks: [...marks, rule(0, height, width)], height: height + 1 };
}

function footBand(left: number): Band {
  if (left <= 0) return { marks: [], height: 8 };
  return { marks: [label(PAD, 22, `${count(left, "more line")} in the table.`, 12, "muted")], height: 36 };
}

function panelBand(tree: TreeModel, leaves: readonly Row[], width: number, { here: write }: Figures): Band {
  const room = width - 2 * PAD;
  const map = layoutTreemap(tree, leaves, room, 300);
  const plain = (n: number) => numberOf(write(n));
  const mesh = layoutDevices(tree, room, plain);
  const title = tree.alike ? "One device" : `Device ${tree.devices[tree.fullest]?.id}`;
  const chosen = tree.alike ? null : tree.fullest;
  const top = 34 + map.height + 44;
  const key = `Lines are splits: dim 0 left, dim 1 top.${tree.spent > 0 ? " Amber: copies." : ""}`;
  return {
    marks: [
      label(PAD, 24, title, 13, "ink", { weight: 700 }),
      ...shift(treemapMarks(tree, map, new Set(), null, write), PAD, 34),
      label(PAD, 34 + map.height + 18, fit(key, room, 11.5), 11.5, "muted"),
      label(PAD, top + 10, tree.mesh.axes.length > 0 ? "Mesh" : "Devices", 13, "ink", { weight: 700 }),
      ...shift(deviceMarks(tree, mesh, ownBytes(tree), chosen, plain), PAD, top + 20),
    ],
    height: top + 20 + mesh.height + PAD,
  };
}
