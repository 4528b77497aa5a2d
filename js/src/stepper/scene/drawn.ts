/** Which blocks are drawn at a moment, and where: for what is pointed at. */
import { product } from "../../core/mesh";
import type { Box } from "../../draw/marks";
import { gathers, scatters } from "../model/semantics";
import { partOf } from "./contents";
import { chunkOf } from "./look";
import type { Tile } from "./stage";
import { type Drawn, groupViews, type Moving, moves, type StepView } from "./view";

export function drawnOf(view: StepView): readonly Drawn[] {
  const { tiles, holds } = view.stage;
  return [
    ...tiles.flatMap((tile) => inTile(view, tile, false)),
    ...holds.flatMap((tile) => inTile(view, tile, true)),
    ...groupViews(view).flatMap(inAddition),
  ];
}

function inTile(view: StepView, { members, places }: Tile, after: boolean): Drawn[] {
  const [device] = members;
  if (device === undefined || members.length > 1 || view.stage.covered.has(device)) return [];
  const late = after || (view.finished && view.stage.motion !== "permute");
  return places.map(({ v, box, face }) => {
    if (!late || !moves(view)) return { device, v, box, face };
    return scattered(view, device, box) ?? { device, box, ...view.stage.after };
  });
}

/** Slots that are filled, and the result under them. */
function inAddition(view: Moving): Drawn[] {
  const { input, output, flow, receiver, collective } = view;
  const { motion, lanes, piece, result, chunks } = view.stage;
  if (motion !== "gather" || gathers(collective)) return [];
  const slots = lanes.flatMap(({ members: [device = 0, ...more], slot }, i): Drawn[] =>
    more.length === 0 && (i === view.stage.receiver || flow.arrived > 0)
      ? [{ device, v: input, box: slot, face: piece }]
      : [],
  );
  const same = chunks <= 1 && input.shape.join() === output.shape.join();
  return result && same ? [...slots, { device: receiver, v: output, box: result.box, face: piece }] : slots;
}

/** The part of a scattered sum that a device keeps, in the place of its chunk. */
export function scattered(view: Moving, device: number, box: Box): Drawn | null {
  const { input, output, groupOf, trace, collective } = view;
  const { face, chunks } = view.stage;
  const rank = groupOf.get(device)?.indexOf(device) ?? -1;
  if (!scatters(collective) || chunks <= 1 || rank < 0) return null;
  const part = partOf(face, chunks, [rank]);
  const chunk = chunkOf(view, input);
  const size = product(trace.corner(input)?.shape ?? []);
  const own = Array.from({ length: size }, (_, i) => i).filter((i) => chunk(i) === rank);
  const w = box.w / chunks;
  const elements = part.elements.map((i) => (i < 0 ? -1 : own.indexOf(i)));
  return { device, v: output, box: { ...box, x: box.x + rank * w, w }, face: { ...part, elements } };
}

/** Where an element of a block is drawn; null where it has no room. */
export function cellBox({ box, face }: Pick<Drawn, "box" | "face">, element: number): Box | null {
  const at = face.elements.indexOf(element);
  if (at < 0) return null;
  const [w, h] = [box.w / face.columns, box.h / face.rows];
  return { x: box.x + (at % face.columns) * w, y: box.y + Math.floor(at / face.columns) * h, w, h };
}
