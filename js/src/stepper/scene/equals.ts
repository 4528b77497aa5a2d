/** `=` between neighbours whose blocks are equal, in the ink of the axis between them. */
import { axisToken, type Mark } from "../../draw/marks";
import { differing, sameBlocks } from "../model/origins";
import type { Tile } from "./stage";
import type { StepView } from "./view";

const R = 6.5;

/** After a step in which every device works alone. */
export function equalMarks(view: StepView): Mark[] {
  const { stage, show, trace } = view;
  const shown = show.after.filter((v) => v.shape.length > 0);
  if (shown.length === 0) return [];
  const equal = (a: number, b: number) =>
    shown.every((v) => {
      const first = trace.firstEqual(v);
      return first ? first[a] === first[b] : sameBlocks(trace, v, a, b);
    });
  return stage.tiles.flatMap((tile): Mark[] => {
    const [a = 0] = tile.members;
    return [true, false].flatMap((down): Mark[] => {
      const next = neighbour(stage.tiles, tile, down);
      const [b] = next?.members ?? [];
      if (!next || b === undefined || !equal(a, b)) return [];
      const [axis = 0] = differing(trace.mesh, a, b);
      const gap = down ? next.box.y - tile.box.y - tile.box.h : next.box.x - tile.box.x - tile.box.w;
      const x = down ? tile.box.x + (gap < 2 * R ? tile.box.w + R + 3 : 20) : next.box.x - gap / 2;
      const y = down ? next.box.y - gap / 2 : tile.box.y + tile.box.h / 2;
      return [{ kind: "disc", x, y, r: R, color: axisToken(axis), hollow: false, sign: "=" }];
    });
  });
}

/** The next tile below in the same column, or at the right in the same row. */
function neighbour(tiles: readonly Tile[], { box }: Tile, down: boolean): Tile | undefined {
  const after = tiles.filter(({ box: b }) => (down ? b.x === box.x && b.y > box.y : b.y === box.y && b.x > box.x));
  return after.sort((p, q) => (down ? p.box.y - q.box.y : p.box.x - q.box.x))[0];
}
