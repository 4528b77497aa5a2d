/**
 * Where everything of a step stands. A stage depends on the step and the room, not on the moment: tiles, slots and lanes
 * stay where they are while copies move.
 *
 * ```
 *   tile 0 [0 1 2 3] ········ [0 1 2 3] 0        a group that runs down: slot k faces member k, so that lanes are
 *   tile 2 [8 9 ..] ──[8 9]─▶ [       ] 2 +      parallel and cannot cross
 *   tile 4 [..    ] ──[   ]─▶ [       ] 4 +
 *                             ─────────
 *                           a [result ]   =
 * ```
 */
import type { Variable } from "../../core/document.gen";
import type { DeviceGrid } from "../../draw/grid";
import type { Box, Mark } from "../../draw/marks";
import type { Face } from "./contents";

/** What moves where: nothing; to one receiver's sum; from tile to tile; from the tiles to what they hold afterwards. */
export type Motion = "none" | "gather" | "gutters" | "lanes" | "permute";

/** Height of tiles in which coordinates stand under ids that are beside blocks. */
export const TWO_LINES = 34;

/** Height of an id over a block. */
export const HEAD = 19;

/** A device's tile, or one for several members that are folded into one row. */
export interface Tile {
  /** Mesh positions; several where members are folded. */
  members: readonly number[];
  box: Box;
  /** Where blocks stand: one for a collective, those before and after for a local step. */
  places: readonly Place[];
  /** How the id is written: over the block, or left of it; with coordinates where there is room. */
  id: "above" | "beside";
  coordinates: boolean;
}

/** A block's place. */
export interface Place {
  v: Variable;
  box: Box;
  face: Face;
  /** Width of the name over it; 0 where there is none. */
  room: number;
  /** Where the name stands, if not right over the block. */
  name?: number | undefined;
}

/** A member of the picked group, with the place of what it sends to the receiver. */
export interface Lane {
  members: readonly number[];
  /** Rank of the first. */
  rank: number;
  tile: Tile;
  slot: Box;
  /** Of the sender's id. */
  tag: Box;
  /** Of the sign between this term and those before; null for the first. */
  sign: readonly [x: number, y: number] | null;
}

/** A group in small: its frame, and tiles of mesh positions. */
export interface Small {
  group: readonly number[];
  box: Box;
  tiles: readonly (readonly [position: number, box: Box])[];
}

export interface Stage {
  motion: Motion;
  /** Whether the picked group runs down the picture or across it. */
  run: "down" | "across";
  font: number;
  tiles: readonly Tile[];
  /** Mesh positions whose tiles are under the addition of the picked group. */
  covered: ReadonlySet<number>;
  /** A small map of the whole mesh, where not all of it is drawn in full. */
  map: DeviceGrid | null;
  /** Of a map beside the group, or of the tiles, where no rail is otherwise drawn: what rails stand beside. */
  grid: DeviceGrid | null;
  /** The other groups in small, and the frame of the one that is drawn in full; none where all are, or a map shows them. */
  small: readonly Small[];
  large: Box | null;
  /** Axes of the mesh: those that small groups stand along, and those of what is drawn in full. */
  outer: readonly Mark[];
  rails: readonly Mark[];
  /** Titles: of the picture, and of what this step alone shows. */
  fixed: readonly Mark[];
  said: readonly Mark[];
  /** Of those, the title over what a transfer will bring. */
  awaited: readonly Mark[];
  /** Groups in their frames: the picked one with its addition. */
  frames: readonly { group: readonly number[]; box: Box; picked: boolean }[];
  /** Between neighbours of a group: `+` while they are to be summed, `=` when they hold the same. */
  signs: readonly (readonly [x: number, y: number])[];
  /** Whether every group holds its addition; then each has a stage like this, for a device of its own. */
  open: boolean;
  /** Where the title ends that says which of many groups is drawn; null where all are. */
  pager: number | null;
  /** The picked group's mesh positions, in rank order. */
  group: readonly number[];
  lanes: readonly Lane[];
  /** Index of the lane of the receiver. */
  receiver: number;
  /** The part of a block that each member sends to the receiver: rows and columns as the slots have them. */
  piece: Face | null;
  result: { box: Box; face: Face; name: readonly [number, number]; sign: readonly [number, number]; rule: Box } | null;
  /** Where it says on which device, and who receives the same. */
  header: { x: number; y: number; lines: 1 | 2; width: number } | null;
  /** Of the block that is drawn in a tile of a collective, and of the one that is there in the end. */
  face: Face | null;
  after: { v: Variable; face: Face } | null;
  /** For a permutation: tiles of what each member holds in the end. */
  holds: readonly Tile[];
  /** Chunks side by side that a face has; 1 where it is a block as it is. */
  chunks: number;
  /**
   * Most chunks of a copy that goes from tile to tile with its numbers, how large that is, whether its numbers have no room, or in each row
   * only the first and the last, and what its sender's id takes.
   */
  carried: { chunks: number; width: number; height: number; swatch: boolean; ends: boolean; tag: number };
  /** Room for copies beside the tiles of the picked group: at their right, or under or over them. */
  room: Box | null;
  /** Where the line with the sum stands. */
  line: { x: number; y: number; width: number };
  /** What is not drawn. */
  note: string;
  /** Whether there is no room for numbers. */
  bare: boolean;
  /** Whether there is room for bars under the chunks of a sum. */
  bars: boolean;
  /** Then the cell that is looked at is written out in each tile, here from its left edge. */
  reading: Pick<Box, "x" | "w"> | null;
  width: number;
  height: number;
}

/** From a row of tiles to the next, where copies of a ring have no room between blocks. */
export const SLIM = 28;

export function pitchOf([first, second]: readonly Tile[]): number {
  return first && second ? second.box.y - first.box.y : 0;
}

/** Whether copies of a ring have no room between blocks: then they are drawn over them. */
export function isSlim({ motion, lanes }: Stage): boolean {
  return motion === "gutters" && pitchOf(lanes.map(({ tile }) => tile)) < SLIM;
}

/** Least width in which a whole array is drawn beside the tiles. */
export const LEAST_WHOLE = 56;

/** Where the picture of a group ends: the frame of the large one, or the whole picture. */
export function endOf({ large, width }: Pick<Stage, "large" | "width">): number {
  return large ? large.x + large.w - 6 : width;
}

/** Where a whole array stands beside the tiles, and how wide it may be. */
export function besideTiles(stage: Stage): Pick<Box, "x" | "w"> {
  const x = Math.max(...stage.tiles.map(({ box }) => box.x + box.w)) + 22;
  return { x, w: endOf(stage) - x - 2 };
}

/** Where a device of a small group stands; null for one that stands in full. */
export function smallBox({ small }: Stage, p: number): Box | null {
  return small.flatMap(({ tiles }) => tiles).find(([at]) => at === p)?.[1] ?? null;
}

/** What a stage has without copies that go from tile to tile. */
export const PLAIN = {
  map: null,
  grid: null,
  small: [],
  large: null,
  outer: [],
  said: [],
  awaited: [],
  covered: new Set<number>(),
  open: false,
  pager: null,
  holds: [],
  chunks: 1,
  carried: { chunks: 1, width: 0, height: 0, swatch: false, ends: false, tag: 0 },
  room: null,
  bare: false,
  bars: false,
  reading: null,
} as const;
