/** The logical array: faces with tiles coloured by place, brackets of mesh axes, dimension titles. */
import { hex, type Rgb } from "../../core/color";
import { unravel } from "../../core/mesh";
import type { PlacementModel } from "../../core/placement";
import { sliceText, some } from "../../core/text";
import {
  axisToken,
  type Box,
  CENTER,
  field,
  label,
  type Mark,
  PARTIAL_DASH,
  type Span,
  strike,
} from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { bracketDepth, brackets, cornerWidth } from "./brackets";
import { type Choice, type Faces, layoutFaces, roles, tileOf } from "./faces";
import { heat, NUMBER, type Paints } from "./paints";

/** More tiles than this in view are drawn as one picture instead of rectangles. */
const FIELD_TILES = 1024;

export interface ArrayPanel {
  /** Where the faces start. */
  x: number;
  y: number;
  box: Box;
  faces: Faces;
  /** Tiles in view are drawn as one field of colours. */
  field: boolean;
}

const FACET_GAP = 22;
/** Least width of a facet: with the gap, of the index under it. */
const LEAST = 24;
const TITLE = 20;

/** Places the array panel with its labels into a width, at (x, y). */
export function layoutArray(
  model: PlacementModel,
  choice: Choice,
  area: { x: number; y: number; width: number; height: number },
): ArrayPanel {
  const { row, column, across } = roles(model, choice);
  const facets = across !== null;
  const { size = 0 } = model.doc.dims[column ?? -1] ?? {};
  const corner =
    column === null ? 0 : cornerWidth(model, column, size === 0 ? 60 : area.width / (model.grid[across ?? -1] ?? 1));
  const left = Math.max(corner, row === null ? 0 : TITLE + 4 + bracketDepth(model, row, "left"));
  const top =
    (column === null ? 0 : TITLE + bracketDepth(model, column, "top")) +
    (facets ? TITLE + bracketDepth(model, across, "top") + 6 : 0);
  const width = Math.max(60, area.width - left - 4);
  const below = facets ? 26 : 8;
  const faces = layoutFaces(model, choice, width, row === null ? 72 : area.height - top - below, {
    tile: 4,
    least: LEAST,
    facet: FACET_GAP,
    facetRow: 34,
    largestCell: 72,
  });
  return {
    x: area.x + left,
    y: area.y + top,
    box: { x: area.x, y: area.y, w: left + faces.width, h: top + faces.height + below },
    faces,
    field: faces.rows.segments.length * faces.columns.segments.length > FIELD_TILES,
  };
}

/** Everything of the panel but what hovering adds. */
export function arrayMarks(model: PlacementModel, panel: ArrayPanel, paints: Paints): Mark[] {
  const { faces, x, y } = panel;
  const marks: Mark[] = [];
  const minor = minorStretch(faces);
  for (const down of faces.down) {
    for (const facet of faces.across.segments) {
      const at = { x: x + facet.from, y: y + down.from, w: faces.faceWidth, h: faces.faceHeight };
      if (panel.field) marks.push(...fieldMarks(model, faces, facet, down, at, paints.fill));
      else {
        for (const r of faces.rows.segments) {
          for (const c of faces.columns.segments) {
            const tile = tileOf(model, faces, facet, down, r, c);
            const box = { x: at.x + c.from, y: at.y + r.from, w: c.to - c.from, h: r.to - r.from };
            const cells = { rows: r.stop - r.start, columns: c.stop - c.start };
            marks.push(...tileMarks(model, tile, box, cells, paints.bare ? null : paints.fill(tile), paints, minor));
            if (paints.colorBy === "values" && !paints.bare) {
              marks.push(...valueMarks(model, faces, tile, box, facet, down, [r, c], paints));
            }
          }
        }
      }
      if (faces.across.dim !== null) {
        const room = faces.faceWidth + FACET_GAP - 4;
        const full = facetText(model, faces, facet, down);
        const row = rowSpans(model, faces, down);
        const fits = (all: readonly Span[]) => textWidth(all.map((s) => s.text).join(""), 10, true) <= room;
        // As indexing goes, dimensions that follow whole may be left out; and what the facets of a row share comes first.
        const short = full.replaceAll(" ", "").replace(/(,:)+]/, "]");
        const words = [[...row, { text: full }], [...row, { text: short }], row, [{ text: short }]].find(fits);
        if (words) marks.push(label(at.x + at.w / 2, at.y + at.h + 16, words, 10, "muted", CENTER));
      }
    }
  }
  marks.push(...frame(model, panel));
  return marks;
}

/** A tile with its edge, element grid and slice. */
function tileMarks(
  model: PlacementModel,
  tile: number,
  box: Box,
  cells: { rows: number; columns: number },
  fill: Rgb | null,
  paints: Paints,
  smallest: number,
): Mark[] {
  const partial = model.doc.unreduced.length > 0;
  const stroke = { color: fill ? "edge" : "faint", width: 1, ...(partial ? { dash: PARTIAL_DASH } : {}) } as const;
  const rect: Mark = {
    kind: "rect",
    ...box,
    r: smallest >= 12 ? 2 : 0,
    hatch: partial,
    ...(fill ? { fill: hex(fill) } : { fill: "panel" }),
    ...(smallest >= 4 ? { stroke } : {}),
  };
  const marks: Mark[] = [rect];
  if (model.doc.state === "deleted") return [rect, strike(box)];
  if (paints.colorBy === "values" || paints.bare) return marks;
  const lined = box.w / cells.columns >= 6 && box.h / cells.rows >= 6;
  if (lined) marks.push({ kind: "grid", ...box, columns: cells.columns, rows: cells.rows, color: "cell" });
  const text = paints.colorBy === "device" ? deviceText(model, tile) : sliceText(model, tile);
  const size = box.h >= 26 ? 12 : 10;
  if (box.h < 13) return marks;
  const middle = box.x + box.w / 2;
  // Stripes and lines would run through a text: they are filled in under it.
  const plate = (w: number, h: number): Mark[] =>
    (partial || lined) && fill
      ? [{ kind: "rect", x: middle - w / 2, y: box.y + (box.h - h) / 2, w, h, r: 3, fill: hex(fill) }]
      : [];
  // All tiles write it the same way: as the one with the longest slice can.
  const longest = paints.colorBy === "device" ? text : sliceText(model, model.tiles - 1);
  if (textWidth(longest, size, true) + 8 <= box.w) {
    marks.push(
      ...plate(textWidth(text, size, true) + 6, size + 6),
      label(middle, box.y + box.h / 2 + size * 0.36, text, size, "tile-ink", CENTER),
    );
  } else if (box.h >= 2 * size + 10) {
    const halves = (whole: string) => {
      const cut = whole.indexOf(", ", whole.length / 2 - 2) + 1 || whole.indexOf(", ") + 1;
      return cut > 0 ? [whole.slice(0, cut), whole.slice(cut + 1)] : [];
    };
    if (halves(longest).every((l) => textWidth(l, 10, true) + 6 <= box.w)) {
      marks.push(...plate(Math.max(0, ...halves(text).map((l) => textWidth(l, 10, true) + 6)), 28));
      halves(text).forEach((l, i) => {
        marks.push(label(middle, box.y + box.h / 2 - 2 + i * 13, l, 10, "tile-ink", CENTER));
      });
    }
  }
  return marks;
}

/** Values inside a tile: heat cells, with the numbers where a cell can hold them. */
function valueMarks(
  model: PlacementModel,
  faces: Faces,
  tile: number,
  box: Box,
  facet: { start: number },
  down: Faces["down"][number],
  [r, c]: readonly [{ start: number; stop: number }, { start: number; stop: number }],
  paints: Paints,
): Mark[] {
  const block = paints.values.get(tile);
  if (!block?.length) return [];
  const origin = model.parts(tile).map((part, d) => model.bounds(d, part)[0]);
  const fixed = new Array<number>(model.rank).fill(0);
  const pick = (dim: number | null, start: number) => {
    if (dim !== null) fixed[dim] = start - (origin[dim] ?? 0);
  };
  pick(faces.across.dim, facet.start);
  faces.downDims.forEach((d, i) => {
    pick(d, down.stretches[i]?.start ?? 0);
  });
  const plane = block.plane(faces.rows.dim, faces.columns.dim, fixed);
  const { rows, columns, at } = plane;
  const marks = [heat(block, plane, box, paints)];
  const cellWidth = box.w / columns;
  const cellHeight = box.h / rows;
  if (cellWidth >= 6 && cellHeight >= 6) marks.push({ kind: "grid", ...box, rows, columns, color: "cell" });
  const whole = rows === r.stop - r.start && columns === c.stop - c.start;
  if (whole && faces.numbers) {
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        const place = [box.x + (j + 0.5) * cellWidth, box.y + (i + 0.5) * cellHeight + NUMBER * 0.36] as const;
        marks.push(label(...place, block.text(at(i, j), paints.range.write), NUMBER, "tile-ink", CENTER));
      }
    }
  }
  marks.push({ kind: "rect", ...box, stroke: { color: "edge", width: 1 } });
  return marks;
}

function deviceText(model: PlacementModel, tile: number): string {
  const ids = model.holders(tile).map((p) => model.ids[p] ?? 0);
  return some(ids, 4);
}

/** One face of very many tiles, as a picture with lines between groups of equal size. */
function fieldMarks(
  model: PlacementModel,
  faces: Faces,
  facet: Faces["across"]["segments"][number],
  down: Faces["down"][number],
  at: Box,
  color: (tile: number) => Rgb | null,
): Mark[] {
  const rows = faces.rows.segments.length;
  const columns = faces.columns.segments.length;
  const rgb = new Uint8Array(rows * columns * 3);
  const none: Rgb = [128, 128, 128];
  faces.rows.segments.forEach((r, i) => {
    faces.columns.segments.forEach((c, j) => {
      rgb.set(color(tileOf(model, faces, facet, down, r, c)) ?? none, (i * columns + j) * 3);
    });
  });
  return field(at, rows, columns, rgb, 8);
}

/** Brackets and dimension titles around the faces. */
function frame(model: PlacementModel, panel: ArrayPanel): Mark[] {
  const { faces, x, y } = panel;
  const marks: Mark[] = [];
  const title = (dim: number) => [
    { text: `dim ${dim} ` },
    { text: String(model.doc.dims[dim]?.size ?? 0), weight: 700, color: "ink" as const },
  ];
  const facets = faces.across.dim !== null;
  const columnDepth = bracketDepth(model, faces.columns.dim, "top");
  if (faces.columns.dim !== null) {
    const first = faces.across.segments;
    first.forEach((f, i) => {
      if (!facets || faces.faceWidth >= 24) marks.push(...brackets(model, faces.columns, x + f.from, y, "top", i > 0));
    });
    marks.push(
      label(
        x + (first[0]?.from ?? 0) + faces.faceWidth / 2,
        y - columnDepth - 10,
        title(faces.columns.dim),
        12,
        "muted",
        {
          anchor: "middle",
        },
      ),
    );
  }
  if (faces.rows.dim !== null) {
    const depth = bracketDepth(model, faces.rows.dim, "left");
    faces.down.forEach((down, i) => {
      marks.push(...brackets(model, faces.rows, x, y + down.from, "left", i > 0));
    });
    marks.push(
      label(x - depth - 10, y + faces.height / 2, title(faces.rows.dim), 12, "muted", {
        anchor: "middle",
        turned: true,
      }),
    );
  }
  if (faces.across.dim !== null) {
    const top = y - columnDepth - (faces.columns.dim === null ? 0 : TITLE) - 6;
    marks.push(...brackets(model, faces.across, x, top, "top"));
    const unit = faces.across.segments.every((s) => s.stop - s.start === 1)
      ? "one facet per index"
      : "one facet per part";
    const shown =
      faces.across.segments.length < faces.total[0] ? `, ${faces.across.segments.length} of ${faces.total[0]}` : "";
    const long = `dim 0 000000  ${unit}${shown}`;
    marks.push(
      label(
        x + faces.width / 2,
        top - bracketDepth(model, faces.across.dim, "top") - 10,
        [...title(faces.across.dim), { text: textWidth(long, 12) <= faces.width ? `  ${unit}${shown}` : shown }],
        12,
        "muted",
        { anchor: "middle" },
      ),
    );
  }
  return marks;
}

function facetText(
  model: PlacementModel,
  faces: Faces,
  facet: { start: number; stop: number },
  down: Faces["down"][number],
): string {
  const texts = new Array<string>(model.rank).fill(":");
  const put = (dim: number, s: { start: number; stop: number }) => {
    if (s.stop - s.start === 1) texts[dim] = String(s.start);
    else if (s.stop - s.start < (model.doc.dims[dim]?.size ?? 0)) texts[dim] = `${s.start}:${s.stop}`;
  };
  if (faces.across.dim !== null) put(faces.across.dim, facet);
  faces.downDims.forEach((d, i) => {
    const s = down.stretches[i];
    if (s) put(d, s);
  });
  return `[${texts.join(", ")}]`;
}

/** The coordinates, along the axes that split them, of the dimensions that run down the facets. */
function rowSpans(model: PlacementModel, faces: Faces, down: Faces["down"][number]): Span[] {
  return faces.downDims.flatMap((d, i) => {
    const axes = model.doc.dims[d]?.axes ?? [];
    const digits = unravel(
      down.stretches[i]?.part ?? 0,
      axes.map((a) => model.axisSize(a)),
    );
    return axes.map((a, k) => ({
      text: `${a}=${digits[k]} `,
      color: axisToken(model.axisOf(a)),
      weight: 700,
    }));
  });
}

function minorStretch(faces: Faces): number {
  const least = (segments: readonly { from: number; to: number }[]) => Math.min(...segments.map((s) => s.to - s.from));
  return Math.min(least(faces.rows.segments), least(faces.columns.segments));
}
