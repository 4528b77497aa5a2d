/**
 * One device as a map: area is bytes, the lines at the left and on top of a tile are the axes that cut its dimensions 0
 * and 1, amber double lines are what other devices hold too.
 */
import type { LeafType } from "../../core/document.gen";
import type { Format } from "../../core/format";
import { axisStroke, BOLD, type Box, CENTER, label, type Mark, outline } from "../../draw/marks";
import { fit, textWidth } from "../../draw/measure";
import { added, type Row } from "../model/rows";
import type { Finding, TreeModel } from "../model/tree";
import { numberOf } from "../model/words";
import { numberedMarks } from "./bar";

export interface Treemap {
  sections: readonly Section[];
  tiles: readonly Tile[];
  /** Leaves that are too small to draw, and their bytes. */
  small: { leaves: number; bytes: number };
  width: number;
  height: number;
}

interface Section {
  name: string;
  bytes: number;
  x: number;
  w: number;
}

export interface Tile extends Box {
  /** The leaves that it stands for: one line of the table, or the first of all lines of one kind. */
  row: Row;
  nodes: readonly number[];
  /** The step of its path that says what it is. */
  name: string;
}

const HEAD = 22;
const GAP = 12;
/** Tiles with shorter sides are not drawn. */
const LEAST = 6;
/** Part of all bytes that a section of its own has. */
const SHARE = 0.12;
/** Part of all bytes of which a section is divided by the next step: an optimizer's state into `mu` and `nu`. */
const MOST = 0.5;
/** Part of all bytes below a step that does not divide the tree, and the most such steps. */
const NEARLY = 0.9;
const DEEP = 6;

/** More lines than these are drawn by their kind. */
const FEW = 48;

/** Leaves of one name, but for its numbers, that are split alike. */
interface Kind extends Row {
  nodes: readonly number[];
}

function kindsOf(tree: TreeModel, leaves: readonly Row[]): Kind[] {
  const rows = leaves.filter((row) => row.sums.here > 0);
  const groups = new Map<unknown, Row[]>();
  for (const row of rows) {
    const { dims, mesh } = tree.typeAt(row.leaf ?? 0);
    const name = tree.nameOf(row.leaf ?? 0).replace(/\d+/g, "*");
    const key = rows.length <= FEW ? row : JSON.stringify([name, mesh, dims.map((d) => d.axes), row.sums.copies]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].flatMap((all) => {
    const [first] = all;
    if (!first) return [];
    const nodes = all.map((row) => row.node);
    if (all.length === 1) return [{ ...first, nodes }];
    const name = tree.nameOf(first.leaf ?? 0).replace(/\d+/g, "*");
    const times = all.reduce((sum, row) => sum + row.times, 0);
    return [{ ...first, name, times, sums: added(all.map((row) => row.sums)), nodes }];
  });
}

/** Places the leaves of a tree, as `rowsOf` lists them flat, into a width. */
export function layoutTreemap(tree: TreeModel, leaves: readonly Row[], width: number, height: number): Treemap {
  const rows = kindsOf(tree, leaves);
  const total = sumOf(rows);
  const groups = sectionsOf(rows, total);
  const room = width - GAP * (groups.length - 1);
  const sections: Section[] = [];
  const tiles: Tile[] = [];
  let small = { leaves: 0, bytes: 0 };
  let x = 0;
  for (const { name, rows: members } of groups) {
    const sum = sumOf(members);
    const w = (room * sum) / total;
    sections.push({ name, bytes: sum, x, w });
    const sorted = [...members].sort((a, b) => b.sums.here - a.sums.here);
    const inside: Tile[] = [];
    for (const [row, box] of squarified(sorted, { x, y: HEAD, w, h: height - HEAD })) {
      if (box.w < LEAST || box.h < LEAST) {
        small = { leaves: small.leaves + row.sums.leaves, bytes: small.bytes + row.sums.here };
      } else inside.push({ row, nodes: row.nodes, name: row.name.slice(name === "" ? 0 : name.length + 1), ...box });
    }
    tiles.push(...named(inside));
    x += w + GAP;
  }
  return { sections, tiles, small, width, height };
}

/** Tiles of a section by the last step of their paths; by the one before where that is more telling: `up` of `up/kernel`. */
function named(tiles: readonly Tile[]): Tile[] {
  const steps = tiles.map(({ name }) => name.split("/").filter((step) => !/^[\d*]/.test(step)));
  const above = new Map<string, Set<string | undefined>>();
  for (const path of steps) {
    const last = path.at(-1) ?? "";
    above.set(last, (above.get(last) ?? new Set()).add(path.at(-2)));
  }
  return tiles.map((tile, i) => {
    const [last = tile.name, before] = [...(steps[i] ?? [])].reverse();
    return { ...tile, name: (above.get(last)?.size ?? 0) > 1 ? (before ?? last) : last };
  });
}

/** The parts of a tree that have columns of their own: at most four, by the first steps of the paths. */
function sectionsOf(rows: readonly Kind[], total: number): { name: string; rows: Kind[] }[] {
  const group = (all: readonly Kind[], depth: number) => {
    const out = new Map<string, Kind[]>();
    for (const row of all) {
      const steps = row.name.split("/");
      const name = steps.slice(0, Math.min(depth, steps.length - 1)).join("/");
      out.set(name, [...(out.get(name) ?? []), row]);
    }
    return [...out].map(([name, members]) => ({ name, rows: members }));
  };
  // Below the first steps that nearly all have in common: `opt_state/0` of an optimizer.
  let first = 1;
  while (first < DEEP && group(rows, first).some((part) => sumOf(part.rows) > NEARLY * total)) first++;
  const parts = group(rows, first).flatMap((part) => {
    const inner = part.name !== "" && sumOf(part.rows) > MOST * total ? group(part.rows, first + 1) : [part];
    const large = inner.filter((i) => sumOf(i.rows) > SHARE * total);
    const rest = inner.filter((i) => !large.includes(i)).flatMap((i) => i.rows);
    if (large.length < 2) return [part];
    return rest.length > 0 ? [...large, { name: part.name, rows: rest }] : large;
  });
  const large = parts.filter((p) => sumOf(p.rows) > SHARE * total);
  const rest = parts.filter((p) => !large.includes(p)).flatMap((p) => p.rows);
  if (large.length < 2 || large.length > 4) return [{ name: "", rows: [...rows] }];
  // What is too small for a column of its own goes into the last one, without a name.
  return rest.length > 0 && sumOf(rest) > 0.02 * total ? [...large, { name: "", rows: rest }] : large;
}

function sumOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + row.sums.here, 0);
}

/** Boxes with areas in proportion, near to squares: rows along the shorter side, each while that makes it squarer. */
function squarified(rows: readonly Kind[], area: Box): (readonly [Kind, Box])[] {
  const total = sumOf(rows);
  const out: (readonly [Kind, Box])[] = [];
  let { x, y, w, h } = area;
  let left = total;
  let at = 0;
  while (at < rows.length && left > 0 && w > 0 && h > 0) {
    const side = Math.min(w, h);
    const scale = (w * h) / left;
    let count = 1;
    let sum = rows[at]?.sums.here ?? 0;
    let ratio = worstRatio(rows.slice(at, at + 1), sum, scale, side);
    while (at + count < rows.length) {
      const next = sum + (rows[at + count]?.sums.here ?? 0);
      const other = worstRatio(rows.slice(at, at + count + 1), next, scale, side);
      if (other > ratio) break;
      [sum, ratio, count] = [next, other, count + 1];
    }
    const thick = (sum * scale) / side;
    let along = 0;
    for (const row of rows.slice(at, at + count)) {
      const length = (side * row.sums.here) / sum;
      out.push([row, w < h ? { x: x + along, y, w: length, h: thick } : { x, y: y + along, w: thick, h: length }]);
      along += length;
    }
    if (w < h) [y, h] = [y + thick, h - thick];
    else [x, w] = [x + thick, w - thick];
    left -= sum;
    at += count;
  }
  return out;
}

/** The least square of the boxes that rows would make on a side. */
function worstRatio(rows: readonly Row[], sum: number, scale: number, side: number): number {
  const thick = (sum * scale) / side;
  return Math.max(
    ...rows.map((row) => {
      const length = (row.sums.here * scale) / thick;
      return Math.max(length / thick, thick / length);
    }),
  );
}

/**
 * The marks of a map. `lit`: the nodes whose tiles stand out; `picked`: the finding that is looked at; `write`: as bytes
 * beside it are written, here without their unit.
 */
export function treemapMarks(
  tree: TreeModel,
  map: Treemap,
  lit: ReadonlySet<number>,
  picked: Finding | null,
  write: Format,
): Mark[] {
  const marks: Mark[] = map.sections.flatMap(({ name, bytes: sum, x, w }) => {
    const size = numberOf(write(sum));
    const whole = name || "all arrays";
    const short = whole.split("/").at(-1) ?? whole;
    const room = w - textWidth(size, 11.5) - 10;
    // Where both do not fit, the name is worth more: every tile has its bytes.
    const both = textWidth(short, 12, true) <= room;
    const words = textWidth(whole, 12, true) > (both ? room : w) ? short : whole;
    const title = w > 24 ? [label(x, 13, fit(words, both ? room : w, 12, true), 12, "ink", BOLD)] : [];
    return both ? [...title, label(x + w, 13, size, 11.5, "muted", { anchor: "end" })] : title;
  });
  for (const tile of map.tiles) marks.push(...tileMarks(tree, tile, picked, write));
  for (const tile of map.tiles) if (tile.nodes.some((node) => lit.has(node))) marks.push(...outline(inset(tile), 3));
  return marks;
}

function inset({ x, y, w, h }: Box): Box {
  return { x: x + 1, y: y + 1, w: Math.max(1, w - 2), h: Math.max(1, h - 2) };
}

function tileMarks(tree: TreeModel, tile: Tile, picked: Finding | null, write: Format): Mark[] {
  const box = inset(tile);
  const { row } = tile;
  const of = tree.typeAt(row.leaf ?? 0);
  const [least] = row.sums.copies;
  const solid = least > 1 ? row.sums.own / row.sums.here : 1;
  const marks: Mark[] = [{ kind: "rect", ...box, fill: "area" }];
  if (solid < 1) {
    const y = box.y + box.h * solid;
    marks.push({ kind: "rect", x: box.x, y, w: box.w, h: box.y + box.h - y, copies: true });
  }
  marks.push(...foldLines(row.times, box));
  marks.push({ kind: "rect", ...box, r: Math.min(2, box.w / 6, box.h / 6), stroke: { color: "kedge", width: 1 } });
  marks.push(...axisLines(tree, of, box));
  const [flag] = row.flags;
  const finding = flag && tree.findingOf.get(flag);
  const words = finding
    ? numberedMarks(box, finding.number, finding === picked, tile.name)
    : tileLabel(tile, box, solid < 1, numberOf(write(row.sums.here)));
  return [...marks, ...words];
}

/** n - 1 thin lines across a tile that stands for n equal arrays. */
function foldLines(count: number, box: Box): Mark[] {
  if (count < 2 || Math.max(box.w, box.h) / count < 2.5) return [];
  const across = box.w >= box.h;
  return [{ kind: "grid", ...box, columns: across ? count : 1, rows: across ? 1 : count, color: "bg" }];
}

function axisLines(tree: TreeModel, of: LeafType, box: Box): Mark[] {
  const mesh = tree.meshes[of.mesh];
  if (!mesh) return [];
  const ends = [
    [box.x + 1.3, box.y, box.x + 1.3, box.y + box.h],
    [box.x, box.y + 1.3, box.x + box.w, box.y + 1.3],
  ] as const;
  return ends.flatMap(([x0, y0, x1, y1], dim): Mark[] => {
    const axis = of.dims[dim]?.axes[0];
    if (axis === undefined) return [];
    return [
      {
        kind: "line",
        points: [
          [x0, y0],
          [x1, y1],
        ],
        stroke: axisStroke(mesh.axisOf(axis), 2.6),
      },
    ];
  });
}

/** A name in full or none: area says how many bytes, the table the rest. Bytes below it where they have room. */
function tileLabel({ row, name }: Tile, box: Box, hatched: boolean, size: string): Mark[] {
  const fits = (text: string, at: number) => text !== "" && textWidth(text, at, true) <= box.w - 8;
  const text = box.h < 16 ? "" : row.times > 1 && fits(`${name} ×${row.times}`, 12) ? `${name} ×${row.times}` : name;
  const at = [12, 10.5].find((one) => fits(text, one));
  if (!at) return [];
  const [x, y] = [box.x + box.w / 2, box.y + box.h / 2];
  const two = box.h >= 38 && fits(size, 11);
  const w = Math.max(textWidth(text, at, true), two ? textWidth(size, 11, true) : 0) + 8;
  const ground: Mark[] = hatched
    ? [{ kind: "rect", x: x - w / 2, y: y - (two ? 17 : 8), w, h: two ? 34 : 16, r: 3, fill: "cpb" }]
    : [];
  const below = two ? [label(x, y + 12, size, 11, "muted", CENTER)] : [];
  return [...ground, label(x, y + (two ? -2 : 4), text, at, "ink", { ...CENTER, weight: 700 }), ...below];
}
