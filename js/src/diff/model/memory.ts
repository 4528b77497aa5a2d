/** Two memories: what is alive at each peak, by the user's lines. */
import { headOf } from "../../core/columns";
import { MEMORY_DIFFERENCES } from "../../core/columns.gen";
import type { MemoryChange, MemoryDiff } from "../../core/document.gen";
import { bytes, bytesColumn } from "../../core/format";
import { clauses } from "../../core/text";
import { type Diff, named, type Row, signed, type Total } from "./diff";

export function memoryDiff(doc: MemoryDiff): Diff {
  const { before, after, changes } = doc;
  const head = (key: (typeof MEMORY_DIFFERENCES)[number]["key"]) => headOf(MEMORY_DIFFERENCES, key);
  const write = bytesColumn(changes.flatMap((change) => [change.before, change.after]));
  const more = after.peak_bytes - before.peak_bytes;
  const peaks = `${bytes(before.peak_bytes)} → ${bytes(after.peak_bytes)} alive at the peak on a device`;
  return {
    name: named(before.name, after.name) || "program",
    about: clauses(["before and after", named(before.target, after.target)], ", "),
    mesh: null,
    sides: ["before", "after"],
    verdict: more === 0 ? `the same peak, ${bytes(after.peak_bytes)} on a device` : `${signed(more, bytes)}: ${peaks}`,
    also: changes.length === 0 ? "The same lines have the same bytes at both peaks" : "",
    totals: [
      totalOf("alive at the peak on a device", before.peak_bytes, after.peak_bytes),
      totalOf("allocated by the compiler", before.allocated_bytes, after.allocated_bytes),
    ],
    rows: changes.map((change, index) => rowOf(change, index, write)),
    same: [],
    sameText: doc.same_bytes > 0 ? `${bytes(doc.same_bytes)} are the same at both peaks` : "",
    heads: { op: head("name"), source: head("source"), difference: head("difference") },
    words: false,
    orders: [],
    lines: [],
  };
}

function totalOf(title: string, before: number, after: number): Total {
  const side = (label: string, size: number) => ({ label, text: bytes(size), parts: [{ axes: [], size }] });
  return { title, difference: signed(after - before, bytes), sides: [side("before", before), side("after", after)] };
}

function rowOf(change: MemoryChange, index: number, write: (bytes: number) => string): Row {
  const { before, after, source, types } = change;
  const side = (size: number) => (size > 0 ? { text: write(size), note: "", size } : null);
  return {
    index,
    change: before === 0 ? "added" : after === 0 ? "gone" : "changed",
    name: change.name,
    axes: [],
    over: "",
    code: source?.text ?? "",
    note: clauses([source ? `line ${source.line}` : "", change.kind, change.backward ? "backward" : ""], " · "),
    before: side(before),
    after: side(after),
    difference: signed(after - before, write),
    lines: [source, source],
    why: [
      `Its type on a device: ${[...new Set(types.filter(Boolean))].join(" → ")}.`,
      ...(after === 0
        ? ["It may be alive at another step of the program after the change: each peak is a moment of its own."]
        : []),
    ],
  };
}
