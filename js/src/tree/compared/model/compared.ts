/** Trees side by side: their lines, what differs in each, in words. */
import { mono } from "../../../core/cells";
import type {
  ComparedArray,
  ComparedCell,
  ComparedLine,
  ComparedRow,
  ModelComparison,
} from "../../../core/document.gen";
import { bytes } from "../../../core/format";
import { unpack } from "../../../core/ints";
import { MeshModel } from "../../../core/mesh";
import { items } from "../../../core/table";
import { axisTokens, type Badge, count } from "../../../core/text";
import { decodeDocument } from "../../../core/wire";

export const COMPARED_SORTS = ["tree", "difference"] as const;
export type ComparedSort = (typeof COMPARED_SORTS)[number];

export function decodeModelComparison(wire: unknown): ModelComparison {
  const doc = decodeDocument(wire, "model comparison", (d) =>
    !Array.isArray(d.trees) || d.trees.length < 2 ? "it has fewer than two trees" : null,
  );
  return { ...doc, rows: items(doc.rows) as ComparedRow[], lines: items(doc.lines) as ComparedLine[] };
}

/** A line of the table: rows that are equal but for numbers in their paths. */
export interface Compared {
  path: string;
  /** How many rows it stands for. */
  times: number;
  cells: readonly ComparedCell[];
  /** Bytes on a device in each tree, of all its rows. */
  held: readonly number[];
  differs: boolean;
  /** The most that any tree has more, or less, than the first. */
  difference: number;
}

export class ComparedModel {
  readonly mesh: MeshModel;
  readonly lines: readonly Compared[];

  constructor(readonly doc: ModelComparison) {
    this.mesh = new MeshModel(doc.mesh);
    this.lines = doc.lines.map(({ path, rows }) => {
      const members = unpack(rows);
      const { cells } = doc.rows[members[0] ?? 0] as ComparedRow;
      const held = cells.map((c) => members.length * c.arrays.reduce((sum, a) => sum + a.bytes_per_device, 0));
      const difference = Math.max(...held.map((n) => Math.abs(n - (held[0] ?? 0))));
      return { path, times: members.length, cells, held, differs: cells.some(isOther), difference };
    });
  }

  get first(): string {
    return this.doc.trees[0]?.name ?? "";
  }
}

/** The lines that pass the filters, in order. */
export function listCompared(
  model: ComparedModel,
  sort: ComparedSort,
  search: string,
  differs: boolean,
): readonly Compared[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = model.lines.filter((line) => {
    if (differs && !line.differs) return false;
    const text = words.length > 0 ? labelOf(model, line).toLowerCase() : "";
    return words.every((word) => text.includes(word));
  });
  return sort === "tree" ? found : found.sort((a, b) => b.difference - a.difference);
}

export function pathsOf(lines: readonly Compared[]): number {
  return lines.reduce((sum, line) => sum + line.times, 0);
}

/** `lost model`, `only in params`; what does not differ is `same`, and what neither tree has, nothing. */
export function statusText({ status, axes }: Pick<ComparedCell, "status" | "axes">, first: string): string {
  if (status === "lost an axis" || status === "gained an axis") return `${status.split(" ")[0]} ${axes.join(", ")}`;
  if (status === "only there") return `only in ${first}`;
  return status === "absent" ? "" : status;
}

/** The types of a cell: equal ones once with their number; of different ones, where each stands. */
export function typesOf(arrays: readonly ComparedArray[]): readonly string[] {
  const types = [...new Set(arrays.map((a) => a.type))];
  if (types.length === 1) return arrays.length > 1 ? [`${arrays.length} × ${types[0]}`] : types;
  return arrays.map((a) => `${a.under.split("/").at(-1)} ${a.type}`.trim());
}

/** What a tree holds at a line: types, bytes as a share of the greatest, and how it differs from the first. */
export function cellOf({ mesh, first }: ComparedModel, { cells, held }: Compared, tree: number, greatest: number) {
  const { arrays, ...cell } = cells[tree] as ComparedCell;
  const bytesHere = held[tree] ?? 0;
  const share = bytesHere / greatest;
  const [text, other] = [tree > 0 ? statusText(cell, first) : "", isOther(cell)];
  const types = arrays.length > 0 ? typesOf(arrays) : ["–"];
  return {
    types: types.map((type) => [mono(type, { tokens: (some) => axisTokens(some, mesh) })]),
    holds:
      arrays.length > 0
        ? [
            { held: share, own: share },
            mono(bytes(bytesHere), { strong: true }),
            mono(copiesOf(arrays), { tone: "soft" }),
          ]
        : [],
    status: { text, strong: other, tone: isWorse(cell) ? "warn" : other ? undefined : "soft" },
  } as const;
}

function copiesOf(arrays: readonly ComparedArray[]): string {
  const copies = [...new Set(arrays.map((a) => a.copies).filter((n) => n > 0))].sort((a, b) => a - b);
  return copies.length > 0 ? `×${copies.join(", ")}` : "";
}

function isOther({ status }: Pick<ComparedCell, "status">): boolean {
  return status !== "same" && status !== "absent";
}

/** Whether a device holds more than in the first tree, or is likely to. */
function isWorse({ status }: Pick<ComparedCell, "status">): boolean {
  return status === "lost an axis" || status === "grew";
}

/** How many rows have each status, the most frequent first. */
export function comparedBadges(model: ComparedModel): Badge[] {
  const found = new Map<string, number>();
  for (const line of model.lines)
    for (const cell of line.cells.slice(1).filter(isOther))
      found.set(cell.status, (found.get(cell.status) ?? 0) + line.times);
  return [...found]
    .sort((a, b) => b[1] - a[1])
    .map(([text, n]) => ({ strong: String(n), text, tone: text === "lost an axis" ? "warn" : "plain", to: text }));
}

export function titleOf(model: ComparedModel): string {
  const paths = pathsOf(model.lines);
  const differing = pathsOf(model.lines.filter((line) => line.differs));
  return differing > 0 ? `${differing} of ${count(paths, "path")} differ` : `all ${count(paths, "path")} are the same`;
}

/** A tree's name and total: `optimizer 218 MiB, +174 MiB`. */
export function totalOf(model: ComparedModel, tree: number): string {
  const [here, first] = [tree, 0].map((i) => model.doc.trees[i]?.bytes_per_device ?? 0) as [number, number];
  const more = here === first || tree === 0 ? "" : `, ${here > first ? "+" : "−"}${bytes(Math.abs(here - first))}`;
  return `${bytes(here)} on a device${more}`;
}

/** A line in words, for screen readers. */
export function labelOf(model: ComparedModel, line: Compared): string {
  const cells = line.cells.map((cell, i) => {
    const name = model.doc.trees[i]?.name;
    if (cell.arrays.length === 0)
      return i > 0 && cell.status !== "absent" ? `${name}: ${statusText(cell, model.first)}` : "";
    const said = i > 0 ? `, ${statusText(cell, model.first)}` : "";
    return `${name}: ${typesOf(cell.arrays).join(", ")}, ${bytes(line.held[i] ?? 0)} on a device${said}`;
  });
  return [`${line.path || "the whole tree"}${line.times > 1 ? ` ×${line.times}` : ""}`, ...cells.filter(Boolean)].join(
    "; ",
  );
}
