/** A tree of arrays as one scene, for the picture without a page: its first lines, one device as a map, the mesh. */

import { LEAVES } from "../../core/columns.gen";
import { count, sentenceTokens } from "../../core/text";
import { type Band, framed, headBand, headsBand, rule, saysBand, stack } from "../../draw/bands";
import { broken } from "../../draw/broken";
import { cellMarks } from "../../draw/cells";
import { deviceMarks, layoutDevices } from "../../draw/devices";
import { type Box, label, type Mark, PAD, type Scene, shift, spans } from "../../draw/marks";
import { fit } from "../../draw/measure";
import { cellsOf, meshOf } from "../model/cells";
import { type Row, rowsOf, type Sort } from "../model/rows";
import { ownBytes, type TreeModel } from "../model/tree";
import {
  answerOf,
  badgesOf,
  costText,
  deviceHead,
  type Figures,
  figuresOf,
  findingText,
  numberOf,
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

/** Where the columns stand. */
function spotsOf(width: number) {
  const end = width - PAD;
  const [type, bar, y] = [Math.max(150, 0.27 * width), end - 170, [20]];
  return {
    path: { x: PAD, end: type - 8, y, size: 13 },
    type: { x: type, end: bar - 84, y },
    all: { x: bar - 80, end: bar - 14, y, anchor: "end" },
    here: { x: bar, end: end - 44, y, anchor: "end", bar: [60, 11] },
    copies: { x: end - 40, end, y, anchor: "end" },
  } as const;
}

function heads(tree: TreeModel, width: number, figures: Figures): Band {
  const other = unitOf(figures.all) === unitOf(figures.here) ? "" : `, ${unitOf(figures.all)}`;
  const names = { all: `in all${other}`, here: deviceHead(tree, tree.fullest) };
  return headsBand(LEAVES, spotsOf(width), width, names);
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
  const cells = cellsOf(tree, row, figures, most);
  const narrow = width < NARROW;
  const x = PAD + 14 + row.depth * 16;
  const { path, type, all, here, copies } = spotsOf(width);
  const marks: Mark[] = [
    ...(row.leaf === null ? [label(x - 14, 20, row.open ? "▾" : "▸", 11, "muted")] : []),
    ...cellMarks(cells.path, { ...path, x, end: narrow ? all.end - 68 : path.end }),
    ...cellMarks(cells.type, narrow ? { x, end: width - PAD, y: [38] } : type),
    ...(narrow ? [] : cellMarks(cells.all, all)),
    ...cellMarks(cells.here, here),
    ...cellMarks(cells.copies, copies),
  ];
  let height = narrow ? LINE + 18 : LINE;
  const [finding] = row.said;
  if (finding) {
    const words = `${findingText(finding)} ${costText(row, figures.here)}`;
    const lines = broken(spans(sentenceTokens(words, meshOf(tree, row))), width - x - PAD, 12, 3);
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
