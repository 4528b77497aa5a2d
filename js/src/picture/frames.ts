/** Writes a film picture by picture, each as an SVG: what GIF and video are made of. */

import type { Box, Scene } from "../draw/marks";
import { type PngWriter, paintSvg, SvgWriter } from "../draw/paint/svg";
import type { Theme } from "../draw/paint/theme";
import type { Film } from "./scene/film";
import { changing, seenIn } from "./scene/region";
import { tracksOf } from "./scene/tracks";

/** The first picture whole; of those after it the part in which anything changes. */
export interface Frames {
  first: string;
  part: Box | null;
  /** How many milliseconds each picture stands; equal ones are one. */
  times: number[];
  /** That part of each picture but the first. */
  parts: string[];
}

export function paintFrames(film: Film, rate: number, theme: Theme, title: string, png: PngWriter): Frames {
  const step = 1000 / rate;
  const count = Math.ceil(film.ms / step);
  const scenes = Array.from({ length: count }, (_, k) => film.at(k * step));
  const first = scenes[0] as Scene;
  const part = changing(tracksOf(scenes), first);
  const times: number[] = [];
  const parts: string[] = [];
  let before: string | null = null;
  scenes.forEach((scene, k) => {
    const lasts = Math.min(step, film.ms - k * step);
    const picture: string = part ? paintPart(scene, part, theme, png) : "";
    if (picture === before) times[times.length - 1] = (times.at(-1) ?? 0) + lasts;
    else {
      times.push(lasts);
      if (k > 0) parts.push(picture);
    }
    before = picture;
  });
  return { first: paintSvg(first, theme, title, png), part, times, parts };
}

function paintPart(scene: Scene, part: Box, theme: Theme, png: PngWriter): string {
  const writer = new SvgWriter(theme, png);
  const body = seenIn(part, scene.marks).map((m) => writer.mark(m));
  return writer.document({ x: part.x, y: part.y, width: part.w, height: part.h }, "", body.join("\n"));
}
