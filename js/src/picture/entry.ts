/** The picture without a page: what Python runs in a bare V8 to write an SVG. */

import { checkNumbers } from "../core/checked";
import type { Scheme } from "../core/color";
import { reviveBytes } from "../core/saved";
import { pngDataUri } from "../draw/paint/png";
import { paintSvg } from "../draw/paint/svg";
import { theme } from "../draw/paint/theme";
import { paintAnimated } from "./animated";
import { paintFrames } from "./frames";
import type { FilmOptions, SavedState } from "./picture";
import { draft, pictureOf } from "./pictures";

interface Options {
  width: number;
  theme: "light" | "dark";
}

interface MovingOptions extends Options, FilmOptions {
  /** Pictures per second, where they are written one by one. */
  rate?: number;
}

/** JSON of a widget's state (bytes as `{"$bytes": base64}`) and JSON of options to the text of an SVG. */
export function svg(stateJson: string, optionsJson: string): string {
  const [state, { width }, scheme] = read<Options>(stateJson, optionsJson);
  const [scene, title] = pictureOf(state._document.kind).draw(state, { width, scheme });
  return paintSvg(scene, theme(scheme), title, pngDataUri);
}

/** The same for what moves: an SVG that plays; empty where nothing moves. */
export function animated(stateJson: string, optionsJson: string): string {
  const [state, options, scheme] = read<MovingOptions>(stateJson, optionsJson);
  const [film, title] = filmOf(state, options, scheme);
  const drawn = film ? paintAnimated(film, theme(scheme), title, pngDataUri) : "";
  return drawn.includes("@keyframes") ? drawn : "";
}

/** The same one by one, see `Frames`, as JSON; empty where nothing moves. */
export function frames(stateJson: string, optionsJson: string): string {
  const [state, options, scheme] = read<MovingOptions>(stateJson, optionsJson);
  const [film, title] = filmOf(state, options, scheme);
  const drawn = film && paintFrames(film, options.rate ?? 20, theme(scheme), title, pngDataUri);
  return drawn && drawn.parts.length > 0 ? JSON.stringify(drawn) : "";
}

function read<O extends Options>(stateJson: string, optionsJson: string): readonly [SavedState, O, Scheme] {
  const state = reviveBytes(JSON.parse(stateJson)) as SavedState;
  checkNumbers(state._document);
  const options = JSON.parse(optionsJson) as O;
  return [state, options, state._look?.palette === "colorblind" ? `${options.theme}-safe` : options.theme];
}

function filmOf(state: SavedState, options: MovingOptions, scheme: Scheme) {
  const { width } = options;
  return pictureOf(state._document.kind).film?.(state, { width, scheme }, options) ?? ([null, ""] as const);
}

(globalThis as { shardwidget?: object }).shardwidget = { svg, animated, frames, draft };
