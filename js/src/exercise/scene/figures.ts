/** What an exercise gives to look at: placements, lines of code, types, tables. */

import { bodyMarks, layoutBody, paintsOf, WHOLE } from "../../array/scene/public";
import type { Scheme } from "../../core/color";
import type { Figure, Listing, Placement, Table } from "../../core/document.gen";
import type { MeshModel } from "../../core/mesh";
import { PlacementModel } from "../../core/placement";
import { axisTokens } from "../../core/text";
import { type Band, stack } from "../../draw/bands";
import { deviceBox } from "../../draw/grid";
import { label, type Mark, MONO, outline, PAD, type Span, shift, spans } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { proseLines } from "./prose";

/** Maximum width of a picture, and of a mesh alone: a wider one would be higher. */
const WIDE = 1100;
const BARE = 400;
/** Maximum height of a panel. */
const HIGH = 280;
const CODE = 12;
const LINE = 18;
const CELL = 22;

export function figureBand(
  figure: Figure,
  mesh: MeshModel,
  chosen: ReadonlySet<number>,
  width: number,
  scheme: Scheme,
): Band {
  const { title, placement, listing, types, tables } = figure;
  const room = width - 2 * PAD;
  return stack([
    ...types.map((type) => textBand(coloured(type, mesh), room, 13)),
    ...(listing ? [listingBand(listing, mesh, room)] : title ? [textBand(titleOf(figure, mesh), room, 12, false)] : []),
    ...(placement ? [placementBand(placement, chosen, room, scheme)] : []),
    ...(tables.length > 0 ? [tablesBand(tables, room)] : []),
  ]);
}

/** Text of a document, with its mesh axes in their colours. */
export function coloured(text: string, mesh: MeshModel): Span[] {
  return spans(axisTokens(text, mesh));
}

/** Lines of text under one another. */
export function textBand(text: readonly Span[], room: number, size: number, mono = true): Band {
  const lines = proseLines(text, room, size, mono);
  const marks = lines.map((line, i) => label(PAD, 15 + LINE * i, line, size, mono ? "ink" : "muted", mono ? MONO : {}));
  return { marks, height: LINE * lines.length + 6 };
}

function titleOf({ title, placement }: Figure, mesh: MeshModel): Span[] {
  const type = placement?.type ?? "";
  const named = type === "" || title.includes(type) ? title : `${title}   ${type}   ${placement?.spec ?? ""}`;
  return coloured(named, mesh);
}

function listingBand({ lines }: Listing, mesh: MeshModel, room: number): Band {
  const rows = lines.flatMap((line) => codeLines(line, mesh, room - 24));
  const marks: Mark[] = rows.map((row, i) => label(PAD + 12, 24 + LINE * i, row, CODE, "ink", MONO));
  const height = LINE * rows.length + 16;
  return {
    marks: [{ kind: "rect", x: PAD, y: 2, w: room, h: height, r: 6, fill: "panel" }, ...marks],
    height: height + 12,
  };
}

/** A line of code, continued with its own indent where it is too long. */
function codeLines(line: string, mesh: MeshModel, room: number): Span[][] {
  const indent = line.length - line.trimStart().length;
  const [first = [], ...rest] = proseLines(
    coloured(line.trimStart(), mesh),
    room - textWidth(" ", CODE, true) * (indent + 4),
    CODE,
    true,
  );
  // Spaces at the beginning of a text are not drawn.
  const blank = (count: number): Span => ({ text: "\u00a0".repeat(count) });
  return [[blank(indent), ...first], ...rest.map((part) => [blank(indent + 4), ...part])];
}

/** An array on its mesh, or the mesh alone; devices that are chosen are outlined. */
function placementBand(placement: Placement, chosen: ReadonlySet<number>, room: number, scheme: Scheme): Band {
  const model = new PlacementModel(placement);
  const wide = Math.min(room, placement.shape === null ? BARE : WIDE);
  const layout = layoutBody(model, WHOLE, wide, false, HIGH);
  const marks = bodyMarks(model, layout, paintsOf(model, scheme, "position", new Map()));
  const around = [...model.ids].flatMap((id, position) =>
    chosen.has(id) ? outline(deviceBox(model, layout.mesh, position), 6) : [],
  );
  return { marks: shift([...marks, ...around], PAD, 16), height: layout.height + 32 };
}

function tablesBand(tables: readonly Table[], room: number): Band {
  const marks: Mark[] = [];
  let [x, y, below] = [0, 0, 0];
  for (const { title, rows } of tables) {
    const columns = Math.max(0, ...rows.map((row) => row.length));
    const widths = Array.from({ length: columns }, (_, c) =>
      Math.max(30, ...rows.map((row) => textWidth(row[c] ?? "", CODE, true) + 12)),
    );
    const w = Math.max(
      textWidth(title, 11),
      widths.reduce((a, b) => a + b, 0),
    );
    if (x > 0 && x + w > room) [x, y] = [0, below];
    const top = y + (title ? 19 : 4);
    marks.push(label(PAD + x, y + 13, title, 11, "muted"), ...cells(rows, widths, PAD + x, top));
    below = Math.max(below, top + CELL * rows.length + 10);
    x += w + 14;
  }
  return { marks, height: below };
}

function cells(rows: readonly (readonly string[])[], widths: readonly number[], left: number, top: number): Mark[] {
  return rows.flatMap((row, r) => {
    let x = left;
    return row.flatMap((cell, c) => {
      const box = { x, y: top + CELL * r, w: widths[c] ?? 0, h: CELL };
      x += box.w;
      return [
        { kind: "rect", ...box, fill: "panel", stroke: { color: "line", width: 1 } } as const,
        label(box.x + box.w - 6, box.y + 15, cell, CODE, "ink", { ...MONO, anchor: "end" }),
      ];
    });
  });
}
