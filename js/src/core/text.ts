/** Words as JAX and notebooks write them. */
import type { MeshModel } from "./mesh";
import type { PlacementModel } from "./placement";

/** Those that are not empty, one after another. */
export function clauses(all: readonly string[], between = "; "): string {
  return all.filter((clause) => clause !== "").join(between);
}

export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}

/** With a capital letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A list separated by commas, truncated after a few items. */
export function some(items: readonly (string | number)[], most = 6): string {
  return items.length > most ? `${items.slice(0, most).join(", ")} … ${items.length - most} more` : items.join(", ");
}

/** Ids in few words: `1 to 7`, `1, 3, … 15`, else `some` of them. */
export function ranges(ids: readonly number[], most = 6): string {
  const [a = 0, b = 0] = ids;
  const last = ids.at(-1) ?? 0;
  const even = ids.length > 3 && ids.every((id, i) => id === a + i * (b - a));
  return !even ? some(ids, most) : b === a + 1 ? `${a} to ${last}` : `${a}, ${b}, … ${last}`;
}

/** The global slice of a tile, `[0:2, :]`: a whole dimension is a bare colon, as in numpy. */
export function sliceText(model: PlacementModel, tile: number): string {
  const parts = model.parts(tile).map((part, d) => {
    if ((model.grid[d] ?? 1) === 1) return ":";
    const [a, b] = model.bounds(d, part);
    return `${a}:${b}`;
  });
  return `[${parts.join(", ")}]`;
}

/** Short dtype of a type string: what stands before its bracket. */
function shortType(model: PlacementModel): string {
  const { type, dtype } = model.doc;
  const at = type.indexOf("[");
  return at > 0 ? type.slice(0, at) : dtype;
}

/** A dtype as types spell it: `f32` for `float32`. */
export function shortDtype(name: string): string {
  return name.replace("float", "f").replace("uint", "u").replace("int", "i").replace("complex", "c");
}

/** Local type of a shard, `f32[2,8]`. */
export function shardType(model: PlacementModel, tile: number): string {
  return `${shortType(model)}[${model.tileShape(tile).join(",")}]`;
}

/** Mesh coordinates of a position, `x=2, y=1`; empty for a mesh without axes. */
export function coordinates(model: PlacementModel, position: number): string {
  const digits = model.digits(position);
  return model.axes.map((a, i) => `${a.name}=${digits[i] ?? 0}`).join(", ");
}

export interface Token {
  text: string;
  /** Index of the mesh axis that the text names, or null. */
  axis: number | null;
}

/** Where JAX writes the names of mesh axes: after `@`, in quotes, and inside `{…}`. */
const PLACES = /@\([^()@]*\)|@[^,[\](){}]+|'[^']*'|\{[^{}]*\}/g;

/** Splits a type or spec string into runs, so that the names of mesh axes can take their colour. */
export function axisTokens(text: string, model: MeshModel): Token[] {
  const known = new Map(model.axes.map((a, i) => [a.name, i]));
  const out: Token[] = [];
  const push = (piece: string, axis: number | null) => {
    const last = out.at(-1);
    if (last && last.axis === axis) last.text += piece;
    else if (piece) out.push({ text: piece, axis });
  };
  let done = 0;
  for (const { 0: place, index } of text.matchAll(PLACES)) {
    push(text.slice(done, index), null);
    // The quotes and the `@` of a single name take its colour with it.
    const single = known.get(place.replace(/^[@']|'$/g, ""));
    if (single !== undefined) push(place, single);
    // `U:` and its like stand before names, and are not names even where an axis is called U.
    else for (const word of place.split(/((?:[@(){},:'"\s]+(?:[UVR]:)?)+)/)) push(word, known.get(word) ?? null);
    done = index + place.length;
  }
  push(text.slice(done), null);
  return out;
}

export type Tone = "plain" | "ok" | "warn" | "error";

export interface Badge {
  strong: string;
  text: string;
  tone: Tone;
  title?: string;
  /** What shows more of it: a page, a finding; absent where nothing does. */
  to?: string | undefined;
}

/** Words after which a sentence names mesh axes: `split over x and y`. */
const NAMING = /\b(?:over|on|along|axis|axes)\s+/g;

/** A word, and what is between it and the next one of a list. */
const PIECE = /([\w-]+)(,?\s+and\s+|,\s*)?/y;

/** Cuts a sentence into runs, so that the mesh axes that it names can take their colour. */
export function sentenceTokens(text: string, mesh: MeshModel): Token[] {
  const known = new Map(mesh.axes.map((a, i) => [a.name, i]));
  const out: Token[] = [];
  let done = 0;
  for (const { 0: word, index } of text.matchAll(NAMING)) {
    let at = index + word.length;
    if (at < done) continue;
    out.push({ text: text.slice(done, at), axis: null });
    for (PIECE.lastIndex = at; ; at = PIECE.lastIndex) {
      const [, piece, between = ""] = PIECE.exec(text) ?? [];
      const axis = piece === undefined ? undefined : known.get(piece);
      if (piece === undefined || axis === undefined) break;
      out.push({ text: piece, axis });
      if (between) out.push({ text: between, axis: null });
    }
    done = at;
  }
  out.push({ text: text.slice(done), axis: null });
  return out;
}

/** What a sentence begins with: `Copied on all 8 devices`. */
export function clauseOf(sentence: string): string {
  return sentence.split(/[,;:.](?: |$)/)[0] ?? "";
}
