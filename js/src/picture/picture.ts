/** What a feature declares so that its documents can be drawn without a page. */
import type { Scheme } from "../core/color";
import type { Scene } from "../draw/marks";
import type { Film } from "./scene/film";

/** Of every widget's state; each feature adds the traits that it draws. */
export interface SavedState {
  _document: { kind: unknown };
  _look?: { palette?: unknown };
}

/** Width in pixels and colours. */
export interface Look {
  width: number;
  scheme: Scheme;
}

export interface FilmOptions {
  /** Of a trace: the first and the last step; null for the current one. */
  steps?: readonly [number, number] | null;
  /** Speed, relative to the widget. */
  speed: number;
}

export interface Picture<State extends SavedState> {
  /** Kinds of documents that it draws. */
  kinds: readonly string[];
  draw(state: State, look: Look): readonly [scene: Scene, title: string];
  /** What moves in it; null where nothing does. */
  film?(state: State, look: Look, options: FilmOptions): readonly [film: Film, title: string] | null;
}
