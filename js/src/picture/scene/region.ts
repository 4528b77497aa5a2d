/** The part of a film's pictures in which anything changes. */

import { around, type Box, type Mark, type Scene } from "../../draw/marks";
import { textWidth } from "../../draw/measure";
import { standing, type Track } from "./tracks";

/** Room for strokes, arrow heads and letters that are wider than measured. */
const ROOM = 14;

/** In whole pixels; null where nothing changes. */
export function changing(tracks: readonly Track[], { width, height }: Scene): Box | null {
  const boxes = tracks
    .filter((track) => !standing(track))
    .flatMap(({ mark, places }) => {
      const box = boxOf(mark);
      return places.flatMap((p) => (p ? [{ ...box, x: box.x + p.dx, y: box.y + p.dy }] : []));
    });
  if (boxes.length === 0) return null;
  const { x, y, w, h } = around(boxes);
  const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
  return { x: left, y: top, w: Math.min(width, Math.ceil(x + w)) - left, h: Math.min(height, Math.ceil(y + h)) - top };
}

/** The marks that may be visible in a part of a scene. */
export function seenIn(box: Box, marks: readonly Mark[]): Mark[] {
  return marks.filter((m) => {
    const b = boxOf(m);
    return b.x < box.x + box.w && b.x + b.w > box.x && b.y < box.y + box.h && b.y + b.h > box.y;
  });
}

function boxOf(m: Mark): Box {
  switch (m.kind) {
    case "line":
      return around(
        m.points.map(([x, y]) => ({ x, y, w: 0, h: 0 })),
        ROOM,
      );
    case "disc":
      return around([{ x: m.x - m.r, y: m.y - m.r, w: 2 * m.r, h: 2 * m.r }], ROOM);
    case "text": {
      const long = textWidth(m.spans.map((s) => s.text).join(""), m.size, m.mono);
      const before = m.anchor === "end" ? long : m.anchor === "middle" ? long / 2 : 0;
      if (m.turned) return around([{ x: m.x - m.size, y: m.y - long + before, w: m.size, h: long }], ROOM);
      return around([{ x: m.x - before, y: m.y - m.size, w: long, h: m.size }], ROOM);
    }
    default:
      return around([m], ROOM);
  }
}
