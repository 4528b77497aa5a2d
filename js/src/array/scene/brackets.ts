/** Brackets along a dimension: which coordinate of which mesh axis owns each stretch. One level an axis, major outside. */
import type { PlacementModel } from "../../core/placement";
import { isLong } from "../../draw/grid";
import {
  axisStroke,
  axisToken,
  BOLD,
  type Color,
  type LineMark,
  label,
  type Mark,
  type Stroke,
} from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import type { Segment, Track } from "./faces";

export type Side = "top" | "left";

const FONT = 11;
const TOP_LEVEL = 22;
const LEG = 6;
const MOST_RANGES = 8;

/** Pixels that the brackets of a dimension take beside the track. */
export function bracketDepth(model: PlacementModel, dim: number | null, side: Side): number {
  return levels(model, dim).reduce((sum, level) => sum + levelDepth(level, side), 0);
}

/** Pixels beside the first bracket on top for the names of axes whose coordinates stand as ranges in this width. */
export function cornerWidth(model: PlacementModel, dim: number, width: number): number {
  const each = width / (model.grid[dim] ?? 1);
  const names = levels(model, dim).flatMap((l) =>
    l.name !== null && !isLong(l.name) && each * l.span < l.widest + 8 ? [l.name] : [],
  );
  return Math.max(0, ...names.map((name) => textWidth(name, FONT, true) + 6));
}

/**
 * Draws the brackets of a track whose first pixel is at (x, y); they stand above it or to its left. The name of an axis
 * stands at the first coordinate alone, and not at all in facets `again`.
 */
export function brackets(model: PlacementModel, track: Track, x: number, y: number, side: Side, again = false): Mark[] {
  const marks: Mark[] = [];
  let offset = 5;
  // The minor axis splits finest and is nearest.
  for (const level of levels(model, track.dim).reverse()) {
    const { name, color } = level;
    const fits = (g: Group, text: string) =>
      side === "left" ? g.to - g.from >= FONT + 1 : g.to - g.from >= textWidth(text, FONT, true) + 4;
    const merged = merge(group(track.segments, level), (g) => fits(g, rangeText(level, g)));
    const [first] = merged;
    const full = first && name !== null ? `${name}=${rangeText(level, first)}` : "";
    const beside =
      first &&
      !isLong(name ?? "") &&
      fits(first, full) &&
      textWidth(full, FONT, true) <= (side === "left" ? level.widest : track.length);
    for (const g of merged) {
      const text = g === first && beside && !again && name !== null ? full : rangeText(level, g);
      marks.push(bracket(g, x, y, offset, side, level.stroke));
      const middle = (g.from + g.to) / 2;
      const weight = name === null ? 400 : 700;
      marks.push(
        side === "top"
          ? label(x + middle, y - offset - LEG - 4, text, FONT, color, { mono: true, anchor: "middle", weight })
          : label(x - offset - LEG - 5, y + middle + 4, text, FONT, color, { mono: true, anchor: "end", weight }),
      );
    }
    if (name !== null && !beside && !again) {
      // The axis name appears once: a long one along its numbers, others before those on top and under those on the left.
      const along = isLong(name);
      const text = along ? fit(name, track.length + 20, FONT, true) : name;
      const [middle, far] = [track.length / 2, offset + levelDepth(level, side) - 12];
      const [dx, dy] =
        side === "top"
          ? along
            ? [middle, -far]
            : [-6, -offset - LEG - 4]
          : along
            ? [-far, middle]
            : [-offset - LEG - 5, track.length + 13];
      const turned = along && side === "left";
      marks.push(label(x + dx, y + dy, text, FONT, color, { ...BOLD, anchor: along ? "middle" : "end", turned }));
    }
    offset += levelDepth(level, side);
  }
  return marks;
}

interface Level {
  /** Mesh axis, or null for a dimension that no axis splits. */
  name: string | null;
  color: Color;
  stroke: Stroke;
  /** Parts of the dimension that one coordinate of the axis covers, and the axis size. */
  span: number;
  size: number;
  texts: (segment: Segment) => string;
  widest: number;
}

interface Group {
  first: number;
  last: number;
  from: number;
  to: number;
  text: string;
}

function levels(model: PlacementModel, dim: number | null): Level[] {
  if (dim === null) return [];
  const d = model.doc.dims[dim];
  if (!d) return [];
  if (d.axes.length === 0) {
    const whole = (model.grid[dim] ?? 1) === 1;
    const texts = whole ? () => "whole" : (s: Segment) => `${s.start}:${s.stop}`;
    const widest = whole ? textWidth("whole", FONT, true) : textWidth(`${d.size}:${d.size}`, FONT, true);
    return [{ name: null, color: "muted", stroke: { color: "muted", width: 1.5 }, span: 1, size: 1, texts, widest }];
  }
  let span = model.grid[dim] ?? 1;
  return d.axes.map((name) => {
    const axis = model.axisOf(name);
    const size = model.axisSize(name);
    span /= size;
    // Where there is no room for single coordinates, they stand as ranges.
    const range = `${size - 2}–${size - 1}`;
    const widest = Math.max(
      textWidth(isLong(name) ? "" : `${name}=${size - 1}`, FONT, true),
      textWidth(range, FONT, true),
    );
    return { name, color: axisToken(axis), stroke: axisStroke(axis), span, size, texts: () => "", widest };
  });
}

function levelDepth(level: Level, side: Side): number {
  const turned = isLong(level.name ?? "") ? 16 : 0;
  return side === "top" ? TOP_LEVEL + turned : Math.min(level.widest, 90) + turned + LEG + 12;
}

/** Neighbouring segments with the same coordinate of the level's axis. */
function group(segments: readonly Segment[], level: Level): Group[] {
  const groups: Group[] = [];
  for (const s of segments) {
    const coordinate = level.name === null ? s.part : Math.floor(s.part / level.span) % level.size;
    const before = groups.at(-1);
    const text = level.texts(s);
    if (before && before.first === coordinate && (level.name !== null || before.text === text)) before.to = s.to;
    else groups.push({ first: coordinate, last: coordinate, from: s.from, to: s.to, text });
  }
  return groups;
}

/** Joins runs of 2, 4, 8 … groups until their labels fit. */
function merge(groups: readonly Group[], fits: (g: Group) => boolean): Group[] {
  for (let n = 1; ; n *= 2) {
    const out: Group[] = [];
    for (let i = 0; i < groups.length; i += n) {
      const run = groups.slice(i, i + n);
      const first = run[0];
      const last = run.at(-1);
      if (first && last) out.push({ ...first, last: last.last, to: last.to });
    }
    // Once labels are ranges, few long ones read better than many short ones.
    if (n >= groups.length || (out.every(fits) && (n === 1 || out.length <= MOST_RANGES))) return out;
  }
}

/** The coordinates of a group; what a stretch of a dimension without axes is. */
function rangeText({ name }: Level, g: Group): string {
  return name === null ? g.text : g.first === g.last ? `${g.first}` : `${g.first}–${g.last}`;
}

function bracket(g: Group, x: number, y: number, offset: number, side: Side, stroke: Stroke): LineMark {
  const from = g.from + 1;
  const to = g.to - 1;
  const points: (readonly [number, number])[] =
    side === "top"
      ? [
          [x + from, y - offset],
          [x + from, y - offset - LEG],
          [x + to, y - offset - LEG],
          [x + to, y - offset],
        ]
      : [
          [x - offset, y + from],
          [x - offset - LEG, y + from],
          [x - offset - LEG, y + to],
          [x - offset, y + to],
        ];
  return { kind: "line", points, stroke };
}
