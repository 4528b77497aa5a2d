/** The layers of a board: what stands, and what changes with the reader. */
import type { Mark } from "../../draw/marks";
import type { Board, Place } from "./board";
import { cellMarks, lensMarks } from "./cells";
import { frameMarks, lensFrame } from "./frame";
import { keptMarks } from "./kept";
import { criticalMarks, hoverMarks, momentMarks, wayMarks } from "./over";
import type { Palette } from "./palette";

/** What the reader looks at. */
export interface Reader {
  at: { readonly schedule: number; readonly task: number } | null;
  place: Place | null;
  follow: number | null;
  critical: boolean;
  moment: number;
}

export function baseMarks(board: Board, palettes: readonly Palette[], follow: number | null): Mark[] {
  return [
    ...frameMarks(board),
    ...board.blocks.flatMap((block, i) => {
      const palette = palettes[i];
      return palette ? [...cellMarks(board, block, palette, follow), ...keptMarks(board, block, palette, follow)] : [];
    }),
  ];
}

export function overMarks(board: Board, palettes: readonly Palette[], reader: Reader): Mark[] {
  const { at, place, follow, critical, moment } = reader;
  return board.blocks
    .flatMap((block, i) => {
      const palette = palettes[i];
      if (!palette) return [];
      return [
        ...(critical ? criticalMarks(board, block) : []),
        ...(follow === null ? [] : wayMarks(board, block, palette, follow)),
        ...(block.dense ? [...lensFrame(board, block, place), ...lensMarks(board, block, palette, place, follow)] : []),
        ...(at?.schedule === i ? hoverMarks(board, block, palette, at.task) : []),
      ];
    })
    .concat(momentMarks(board, palettes, moment));
}
