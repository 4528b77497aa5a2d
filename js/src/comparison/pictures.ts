/** Small placements as images: rows that lie alike share one, so a long table costs few. */
import type { PlacementModel } from "../core/placement";
import { pngDataUri } from "../draw/paint/png";
import { paintSvg } from "../draw/paint/svg";
import type { Theme } from "../draw/paint/theme";
import { type Mini, miniMarks, miniOf } from "./scene/mini";

export interface SmallPicture {
  placement: PlacementModel;
  mini: Mini;
  /** Address of the image. */
  src: string;
  width: number;
  height: number;
}

export class Pictures {
  readonly #known = new Map<PlacementModel, SmallPicture>();
  readonly #sources = new Map<string, string>();
  readonly #theme: Theme;

  constructor(theme: Theme) {
    // What is behind the picture, an amber cell say, shows between its tiles.
    this.#theme = { ...theme, tokens: { ...theme.tokens, bg: "none" } };
  }

  of(placement: PlacementModel): SmallPicture {
    let picture = this.#known.get(placement);
    if (!picture) {
      const mini = miniOf(placement);
      const [width, height] = [mini.width + 2, mini.height + 2];
      picture = { placement, mini, src: this.#source(placement, mini, width, height), width, height };
      this.#known.set(placement, picture);
    }
    return picture;
  }

  #source(placement: PlacementModel, mini: Mini, width: number, height: number): string {
    const key = `${placement.grid} ${placement.doc.unreduced.length > 0}`;
    let source = this.#sources.get(key);
    if (!source) {
      const marks = miniMarks(placement, mini, this.#theme.scheme);
      const svg = paintSvg({ width, height, marks }, this.#theme, "", pngDataUri);
      source = `data:image/svg+xml,${encodeURIComponent(svg)}`;
      this.#sources.set(key, source);
    }
    return source;
  }
}
