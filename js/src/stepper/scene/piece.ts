/** What a member of a group sends to the receiver whose addition is drawn, with the id of who sends it. */
import { product } from "../../core/mesh";
import { axisToken, BOLD, type Box, label, type Mark } from "../../draw/marks";
import { gathers, ragged } from "../model/semantics";
import { blockMarks } from "./block";
import { type Face, partOf } from "./contents";
import { blockColor, givenNumber, numberOf, numbers, together } from "./look";
import type { Setting } from "./setting";
import type { Lane } from "./stage";
import type { Moving } from "./view";

/** What a member sends, in a box. */
export function pieceMarks(
  view: Moving,
  lane: Lane,
  box: Box,
  look: { alpha?: number; mark?: number | null } = {},
): Mark[] {
  const { input, output, collective: c, stage, adds } = view;
  const face = pieceOf(view, lane);
  const [p = 0] = lane.members;
  const v = gathers(c) ? output : input;
  const folded = lane.members.length > 1;
  const text = (element: number) => {
    if (folded) return adds ? together(view, lane.members, element) : "";
    return numberOf(view, v, p, element);
  };
  const color = blockColor(view, input, p);
  const written = numbers(view, v, face, text);
  return blockMarks(box, {
    ...written,
    text: written.text && ((cell) => written.text?.(cell) || givenNumber(view, p, cell, face.columns)),
    fill: color,
    ...(ragged(c) ? { fillAt: (cell: number) => ((face.elements[cell] ?? -1) < 0 ? null : color) } : {}),
    hatch: adds ? view.hatch : null,
    ...(stage.bare ? {} : look),
  });
}

/** The face of what a member sends. */
export function pieceOf(view: Moving, lane: Lane): Face {
  const { stage, collective: c } = view;
  if (ragged(c)) return sentRows(view, lane.members[0] ?? 0);
  return gathers(c) && stage.chunks > 1 ? partOf(stage.face, stage.chunks, [lane.rank]) : stage.piece;
}

/** Whether a member of a ragged exchange has no rows for the receiver. */
export function sendsNothing(view: Moving, lane: Lane): boolean {
  return ragged(view.collective) && pieceOf(view, lane).elements.every((i) => i < 0);
}

/** The rows that a member sends, by its own offsets and sizes, from the first place on. */
function sentRows({ stage, trace, step, receiver, input }: Moving, p: number): Face {
  const rank = stage.group.indexOf(receiver);
  const [from = [], sizes = []] = [2, 3].map((k) => {
    const v = trace.variable(step.inputs[k] ?? -1);
    const corner = v && trace.corner(v);
    const many = product(corner?.shape ?? []) / stage.group.length;
    return Array.from({ length: many }, (_, i) => corner?.elements.number(corner.start(p) + rank * many + i) ?? 0);
  });
  const rows = from.flatMap((at, i) => Array.from({ length: sizes[i] ?? 0 }, (_, row) => at + row));
  const [all = 0, ...rest] = trace.corner(input)?.shape ?? [];
  const inner = product(rest);
  const place = (cell: number) => {
    const row = rows[Math.floor(cell / inner)] ?? all;
    return row < all ? row * inner + (cell % inner) : -1;
  };
  return { ...stage.piece, elements: stage.piece.elements.map(place) };
}

/** Who several members are, in short: how many there are, of one its id. */
export function idOf({ trace: { mesh } }: Pick<Setting, "trace">, members: readonly number[]): string {
  return members.length > 1 ? `×${members.length}` : String(mesh.ids[members[0] ?? 0] ?? 0);
}

/** Ids of senders, in the ink of an axis. */
export function tagMarks(view: Setting, members: readonly number[], { x, y, w, h }: Box, axis: number): Mark[] {
  const text = idOf(view, members);
  const size = text.length > 2 ? 8.5 : 10.5;
  const color = axisToken(axis);
  return [
    { kind: "rect", x, y, w, h, r: 4, fill: "bg", stroke: { color, width: 1.4 } },
    label(x + w / 2, y + h / 2 + size * 0.36, text, size, color, { ...BOLD, anchor: "middle" }),
  ];
}
