/** Where the lanes of a run stand, and where a moment is on them. */
import type { RunModel } from "../model/run";

/** Ticks of a call that are shown. */
export interface Span {
  from: number;
  to: number;
}

export interface LanePlace {
  /** Index in `RunModel.lanes`. */
  lane: number;
  y: number;
  /** Lanes that it stands for, itself among them. */
  alike: number;
}

export interface RunLayout {
  width: number;
  height: number;
  /** Where time begins, and how wide it is. */
  left: number;
  span: number;
  /** Height of a lane. */
  lane: number;
  top: number;
  /** Height that brackets of loops have, above the lanes; 0 where there are none. */
  loops: number;
  places: readonly LanePlace[];
  /** Lanes that are not drawn. */
  omitted: number;
  /** Whether lanes stand for others. */
  folded: boolean;
  labels: boolean;
}

/** Lanes that are drawn at most. */
export const MOST_LANES = 32;
const GUTTER = 118;
const NARROW = 560;
/** Wider cards have the table beside the devices: few lanes may be higher, many are lower, to leave it room. */
const ROOMY = 826;
const AXIS = 26;
const LOOPS = 20;

/** How much height there is: for one run, for several, or for several in a card that shows them at once. */
export type Room = "ample" | "shared" | "dense";

/** Lanes of one run below one another. */
export function layoutOf(model: RunModel, width: number, room: Room = "ample"): RunLayout {
  const lanes = chosen(model);
  const labels = width >= NARROW;
  const dense = room === "dense" ? lanes.length > 4 : width >= ROOMY && lanes.length > 8;
  const lane = lanes.length > 16 || dense ? 12 : lanes.length > 4 || room !== "ample" || width < ROOMY ? 18 : 21;
  const [near, far] = lane > 20 ? [5, 10] : dense ? [2, 6] : [3, 8];
  const left = labels ? (model.mesh.axes.length > 1 ? GUTTER : 58) : 30;
  const pair = model.mesh.axes.at(-1)?.size ?? 1;
  const places: LanePlace[] = [];
  const loops = model.looped ? LOOPS : 0;
  let y = AXIS + loops;
  let before = -1;
  for (const [k, alike] of lanes) {
    const position = model.lanes[k]?.position ?? 0;
    const outer = model.mesh.axes.length > 1 ? Math.floor(position / pair) : 0;
    if (before >= 0) y += outer === before ? near : far;
    before = outer;
    places.push({ lane: k, y, alike });
    y += lane;
  }
  const span = Math.max(40, width - left);
  return {
    width,
    height: y + 4,
    left,
    span,
    lane,
    top: AXIS + loops,
    loops,
    places,
    omitted: model.lanes.length - lanes.length,
    folded: lanes.some(([, alike]) => alike > 1),
    labels,
  };
}

/** A lane that is drawn, and how many it stands for. */
type Chosen = readonly [lane: number, alike: number];

/** All lanes; of many, one for those that behave alike, or else some evenly. The one most waited for has its own. */
function chosen(model: RunModel): readonly Chosen[] {
  const all = [...model.lanes.keys()];
  if (all.length <= MOST_LANES) return all.map((k) => [k, 1]);
  const { late } = model;
  const lateOf = (k: number) => late[model.lanes[k]?.position ?? 0] ?? 0;
  const slowest = all.reduce((a, b) => (lateOf(b) > lateOf(a) ? b : a), 0);
  const folds = new Map<string, number[]>();
  for (const k of all) {
    const key = k === slowest ? "slowest" : behaviour(model, k);
    folds.set(key, [...(folds.get(key) ?? []), k]);
  }
  if (folds.size <= MOST_LANES)
    return [...folds.values()].map((like): Chosen => [like[0] ?? 0, like.length]).sort((a, b) => a[0] - b[0]);
  const step = all.length / MOST_LANES;
  const kept = new Set(Array.from({ length: MOST_LANES }, (_, i) => Math.floor(i * step)));
  kept.delete(Math.floor((MOST_LANES - 1) * step));
  kept.add(slowest);
  return [...kept].sort((a, b) => a - b).map((k) => [k, 1]);
}

/** Lanes are alike if they run the same operations and wait as long, within 5 % of the time of all calls. */
function behaviour(model: RunModel, k: number): string {
  const lane = model.lanes[k];
  if (!lane) return "";
  const times = new Int32Array(model.doc.operations.length);
  for (const o of lane.operation) times[o] = (times[o] ?? 0) + 1;
  const whole = model.doc.seconds.reduce((sum, _, call) => sum + model.ticks(call), 0);
  const waited = lane.waited.reduce((sum, ticks) => sum + ticks, 0);
  return `${times.join()} ${Math.round((20 * waited) / Math.max(1, whole))}`;
}

export function xOf(layout: RunLayout, { from, to }: Span, tick: number): number {
  return layout.left + ((tick - from) / (to - from)) * layout.span;
}

export function tickAt(layout: RunLayout, { from, to }: Span, x: number): number {
  return from + ((x - layout.left) / layout.span) * (to - from);
}

/** The lane under a height; the nearest where there is none. */
export function laneAt(layout: RunLayout, y: number): number {
  let best = layout.places[0];
  for (const place of layout.places) {
    const middle = place.y + layout.lane / 2;
    if (best && Math.abs(middle - y) < Math.abs(best.y + layout.lane / 2 - y)) best = place;
  }
  return best?.lane ?? 0;
}
