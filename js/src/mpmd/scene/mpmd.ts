/** The groups of an MPMD array as panels across, each with its own mesh; `=` joins those that hold the same. */

import { layoutMesh, type MeshPanel, meshMarks, paintsOf, WHOLE } from "../../array/scene/public";
import type { Scheme } from "../../core/color";
import {
  AXIS_DASH,
  axisStroke,
  axisToken,
  BOLD,
  type Box,
  type Color,
  inside,
  label,
  type Mark,
  shift,
} from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import { type Fold, foldName, holdText, type MpmdModel, processText } from "../model/mpmd";

export interface GroupPanel extends Box {
  fold: Fold;
  mesh: MeshPanel;
}

export interface GroupPanels {
  width: number;
  height: number;
  panels: readonly GroupPanel[];
}

/** Least and greatest width of a panel; what the rails of its mesh take, and a row of tiles. */
const LEAST = 188;
const MOST = 460;
const RAILS = 36;
const TILE = 62;
const GAP = 14;
/** Room over the first row for the rail of the MPMD axis, and under a row for the line that joins copies. */
const RAIL = 28;
const JOIN = 34;
const TITLE = 46;
const INNER = 10;

/** Places the panels: in as few rows as leave each wide enough to be read. */
export function layoutGroups(model: MpmdModel, width: number): GroupPanels {
  const n = model.folds.length;
  const most = Math.max(1, Math.min(n, Math.floor((width + GAP) / (LEAST + GAP))));
  const rows = Math.ceil(n / most);
  const across = Math.ceil(n / rows);
  const w = Math.min(n > 2 ? width : MOST, (width - (across - 1) * GAP) / across);
  // A card is as high in every cell that has room for its panels in one row.
  const [inner = 1] = model.folds[0]?.place.meshShape ?? [];
  const height = Math.min(rows > 2 ? 110 : rows > 1 ? 150 : 240, RAILS + inner * TILE);
  const area = { x: INNER, y: TITLE, width: w - 2 * INNER, height, least: 44 };
  const placed = model.folds.map((fold) => layoutMesh(fold.place, WHOLE, area));
  const h = TITLE + Math.max(height, ...placed.map(({ box }) => box.h)) + INNER;
  const joined = n <= across && model.folds.filter(holds).length > 1;
  const pitch = h + GAP;
  const panels = model.folds.map((fold, i) => ({
    fold,
    mesh: placed[i] as MeshPanel,
    x: (i % across) * (w + GAP),
    y: RAIL + Math.floor(i / across) * pitch,
    w,
    h,
  }));
  return { width, height: Math.ceil(RAIL + rows * pitch - GAP + (joined ? JOIN : 4)), panels };
}

/** The panel at a point. */
export function groupAt({ panels }: GroupPanels, x: number, y: number): number | null {
  const at = panels.findIndex((panel) => inside(panel, x, y));
  return at < 0 ? null : at;
}

/** The chosen panel has a bold edge, the one that is pointed at a thin one. */
export function groupMarks(
  model: MpmdModel,
  layout: GroupPanels,
  scheme: Scheme,
  chosen: number | null,
  hover: number | null = null,
): Mark[] {
  const marks: Mark[] = [...railMarks(model, layout)];
  layout.panels.forEach((panel, i) => {
    marks.push(...panelMarks(model, panel, scheme, i === chosen ? 2.4 : i === hover ? 1.2 : 0));
  });
  marks.push(...joinMarks(model, layout));
  return marks;
}

/** The MPMD axis, over all panels. */
function railMarks(model: MpmdModel, { panels, width }: GroupPanels): Mark[] {
  const last = panels[Math.min(panels.length, panels.filter((p) => p.y === RAIL).length) - 1];
  const end = last ? last.x + last.w : width;
  const name = fit(`${model.doc.axis}, the MPMD axis`, end - 20, 12, true);
  return [
    label(0, 10, name, 12, axisToken(model.axis), BOLD),
    {
      kind: "line",
      points: [
        [0, 18.5],
        [end - 2, 18.5],
      ],
      stroke: axisStroke(model.axis),
      arrow: true,
    },
  ];
}

function panelMarks(model: MpmdModel, panel: GroupPanel, scheme: Scheme, bold: number): Mark[] {
  const { x, y, w, h, fold, mesh } = panel;
  const held = fold.hold !== "none";
  const away = fold.hold === "remote" || !fold.model.ids.some((_, p) => fold.model.addressable(p));
  const stroke = bold
    ? { color: "ink" as const, width: bold }
    : { color: away || !held ? ("faint" as const) : ("muted" as const), width: 1.2, ...(away ? { dash: [2, 3] } : {}) };
  const processes = processText(model, fold);
  const room = w - 2 * INNER - textWidth(processes, 11) - 8;
  const gone = fold.hold === "deleted" || fold.hold === "dropped";
  const marks: Mark[] = [
    { kind: "rect", x, y, w, h, r: 8, ...(held ? { fill: "panel" as const } : {}) },
    { kind: "rect", x, y, w, h, r: 8, stroke },
    label(x + INNER, y + 19, fit(foldName(model, fold), room, 13, true), 13, axisToken(model.axis), BOLD),
    label(x + w - INNER, y + 19, processes, 11, "muted", { anchor: "end" }),
    label(x + INNER, y + 36, fit(holdText(fold), w - 2 * INNER, 11.5), 11.5, gone ? "warn" : "muted"),
  ];
  const paints = paintsOf(fold.model, scheme, "position", new Map());
  marks.push(...shift(inked(meshMarks(fold.model, mesh, paints), model.inks), x, y));
  return marks;
}

/** A line under the panels that hold the same array, with `=` between. */
function joinMarks(model: MpmdModel, { panels }: GroupPanels): Mark[] {
  const same = panels.filter((panel) => holds(panel.fold));
  const [first] = same;
  const last = same.at(-1);
  if (!first || !last || first === last || panels.some((panel) => panel.y !== first.y)) return [];
  const y = first.y + first.h;
  const middle = (panel: GroupPanel) => panel.x + panel.w / 2;
  const stroke = axisStroke(model.axis);
  const low = y + 16;
  const stems = same.map(
    (panel): Mark => ({
      kind: "line",
      points: [
        [middle(panel), y + 1],
        [middle(panel), low],
      ],
      stroke,
    }),
  );
  return [
    ...stems,
    {
      kind: "line",
      points: [
        [middle(first), low],
        [middle(last), low],
      ],
      stroke,
    },
    {
      kind: "disc",
      x: (middle(first) + middle(last)) / 2,
      y: low,
      r: 9,
      color: axisToken(model.axis),
      hollow: false,
      sign: "=",
    },
  ];
}

function holds(fold: Fold): boolean {
  return fold.hold === "live" || fold.hold === "remote";
}

/** Marks of a group's own mesh in the ink of the whole mesh, where its axes have other numbers. */
function inked(marks: readonly Mark[], inks: readonly number[]): Mark[] {
  const axisIn = (color: Color): number | null => {
    const found = /^axis(\d+)$/.exec(color)?.[1];
    return found === undefined ? null : (inks[Number(found)] ?? Number(found));
  };
  const recolored = <C extends Color | undefined>(color: C): C => {
    const axis = color === undefined ? null : axisIn(color);
    return (axis === null ? color : axisToken(axis)) as C;
  };
  return marks.map((mark): Mark => {
    if (mark.kind === "text") {
      const spans = mark.spans.map((s) => (s.color ? { ...s, color: recolored(s.color) } : s));
      return { ...mark, color: recolored(mark.color), spans };
    }
    if (mark.kind === "disc") return { ...mark, color: recolored(mark.color) };
    if (mark.kind === "line" || (mark.kind === "rect" && mark.stroke)) {
      const { stroke } = mark;
      const axis = stroke ? axisIn(stroke.color) : null;
      if (!stroke || axis === null) return mark;
      const dash = AXIS_DASH[axis % AXIS_DASH.length] ?? [];
      const { dash: _, ...rest } = stroke;
      return { ...mark, stroke: { ...rest, color: axisToken(axis), ...(dash.length > 0 ? { dash } : {}) } };
    }
    return mark;
  });
}
