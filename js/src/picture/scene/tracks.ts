/**
 * Marks followed through the scenes of a film: which of them stand all the time, which come and go, which move. A mark
 * is the same one in two scenes if it looks the same and stands near to where it was; the order of marks, which says
 * what covers what, is that of every scene.
 */
import type { Mark, Scene } from "../../draw/marks";

/** Where a mark is in a scene, from where it was at first, and how opaque; null where it is not there. */
export type Place = { dx: number; dy: number; alpha: number } | null;

export interface Track {
  /** The mark as it was at first; opaque, where it is not always as opaque. */
  mark: Mark;
  /** One for each scene. */
  places: Place[];
}

/** Whether a mark is there all the time, in one place. */
export function standing({ places }: Track): boolean {
  const [first] = places;
  return !!first && places.every((p) => p && together(p, first) && p.alpha === first.alpha);
}

/** Whether two places look the same. */
export function together(a: { dx: number; dy: number }, b: { dx: number; dy: number }): boolean {
  return Math.abs(a.dx - b.dx) < 0.01 && Math.abs(a.dy - b.dy) < 0.01;
}

/** Tracks from the lowest to the uppermost. */
export function tracksOf(scenes: readonly Scene[]): Track[] {
  let tracks: Followed[] = [];
  let seen: readonly Sight[] = [];
  scenes.forEach((scene, k) => {
    if (scene !== scenes[k - 1]) seen = scene.marks.map(sightOf);
    const next: Followed[] = [];
    for (const [track, sight] of aligned(tracks, seen, k)) next.push(taken(track, sight, k));
    tracks = next;
  });
  return tracks.map(({ mark, places }) => {
    const track = { mark, places: Array.from(scenes, (_, k) => places[k] ?? null) };
    return standing(track) || mark.kind === "line" ? track : { ...track, mark: { ...mark, alpha: 1 } };
  });
}

/** A mark in a scene: what it looks like, where it is, how opaque. */
interface Sight {
  mark: Mark;
  shape: string;
  x: number;
  y: number;
  alpha: number;
}

interface Followed extends Track {
  from: Sight;
  /** As it was seen last, and in which scene. */
  last: Sight;
  at: number;
}

function sightOf(mark: Mark): Sight {
  const [x, y] = mark.kind === "line" ? (mark.points[0] ?? [0, 0]) : [mark.x, mark.y];
  const alpha = ("alpha" in mark ? mark.alpha : undefined) ?? 1;
  return { mark, shape: JSON.stringify(bareOf(mark, x, y)), x, y, alpha };
}

/** What a mark looks like, wherever it is and however opaque. */
function bareOf(mark: Mark, x: number, y: number): unknown {
  if (mark.kind === "line")
    return { ...mark, points: mark.points.map(([px, py]) => [rounded(px - x), rounded(py - y)]) };
  const bare = { ...mark, x: 0, y: 0, alpha: 1 };
  if ("w" in bare) [bare.w, bare.h] = [rounded(bare.w), rounded(bare.h)];
  return bare.kind === "field" ? { ...bare, rgb: bare.rgb.join() } : bare;
}

/** Without the noise of sums. */
const rounded = (value: number) => Math.round(value * 100) / 100;

function taken(track: Followed | null, sight: Sight | null, k: number): Followed {
  if (!track) {
    // One of both is there.
    const from = sight as Sight;
    const places: Place[] = [];
    places[k] = { dx: 0, dy: 0, alpha: from.alpha };
    return { mark: from.mark, places, from, last: from, at: k };
  }
  if (!sight) return track;
  track.places[k] = { dx: sight.x - track.from.x, dy: sight.y - track.from.y, alpha: sight.alpha };
  track.last = sight;
  track.at = k;
  return track;
}

/** Nothing moves farther than this from one scene to the next. */
const NEAR = 80;

/** How likely a track continues in a mark. */
const [NOT, BACK, MOVED, STANDS] = [0, 2, 3, 4];

function likeness(track: Followed, sight: Sight, k: number): number {
  if (track.last.shape !== sight.shape) return NOT;
  const away = Math.abs(track.last.x - sight.x) + Math.abs(track.last.y - sight.y);
  if (away < 0.01) return track.at === k - 1 ? STANDS : BACK;
  return track.at === k - 1 && away < NEAR ? MOVED : NOT;
}

/** Whether a track continues in a mark at the same place. */
function stands(track: Followed, sight: Sight, k: number): boolean {
  const like = likeness(track, sight, k);
  return like === STANDS || like === BACK;
}

/** Tracks and marks merged in an order that keeps both orders, with the most likeness. */
function aligned(
  tracks: readonly Followed[],
  seen: readonly Sight[],
  k: number,
): (readonly [Followed | null, Sight | null])[] {
  const before: (readonly [Followed | null, Sight | null])[] = [];
  const after: (readonly [Followed | null, Sight | null])[] = [];
  // Most stand where they stood: only what lies between the first and the last change is compared one by one.
  let [i, j] = [0, 0];
  while (i < tracks.length && j < seen.length) {
    const [track, sight] = [tracks[i] as Followed, seen[j] as Sight];
    const same = stands(track, sight, k);
    if (!same && track.at === k - 1) break;
    before.push([track, same ? sight : null]);
    i += 1;
    if (same) j += 1;
  }
  let [m, n] = [tracks.length, seen.length];
  while (m > i && n > j) {
    const [track, sight] = [tracks[m - 1] as Followed, seen[n - 1] as Sight];
    const same = stands(track, sight, k);
    if (!same && track.at === k - 1) break;
    after.push([track, same ? sight : null]);
    m -= 1;
    if (same) n -= 1;
  }
  return [...before, ...merged(tracks.slice(i, m), seen.slice(j, n), k), ...after.reverse()];
}

/** The longest common subsequence by likeness. */
function merged(
  tracks: readonly Followed[],
  seen: readonly Sight[],
  k: number,
): (readonly [Followed | null, Sight | null])[] {
  const width = seen.length + 1;
  const best = new Float64Array((tracks.length + 1) * width);
  const like = new Uint8Array(tracks.length * seen.length);
  for (let i = tracks.length - 1; i >= 0; i--) {
    for (let j = seen.length - 1; j >= 0; j--) {
      const l = likeness(tracks[i] as Followed, seen[j] as Sight, k);
      like[i * seen.length + j] = l;
      const both = l > 0 ? l + (best[(i + 1) * width + j + 1] ?? 0) : 0;
      best[i * width + j] = Math.max(both, best[(i + 1) * width + j] ?? 0, best[i * width + j + 1] ?? 0);
    }
  }
  const out: (readonly [Followed | null, Sight | null])[] = [];
  let [i, j] = [0, 0];
  while (i < tracks.length || j < seen.length) {
    const [track, sight] = [tracks[i] ?? null, seen[j] ?? null];
    const l = track && sight ? (like[i * seen.length + j] ?? 0) : 0;
    if (track && sight && l > 0 && best[i * width + j] === l + (best[(i + 1) * width + j + 1] ?? 0)) {
      out.push([track, sight]);
      i += 1;
      j += 1;
    } else if (track && (!sight || best[i * width + j] === best[(i + 1) * width + j])) {
      out.push([track, null]);
      i += 1;
    } else {
      out.push([null, sight]);
      j += 1;
    }
  }
  return out;
}
