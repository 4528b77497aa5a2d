/** The forms of a sharding that JAX gives: a type, an HLO sharding, a Shardy attribute. */
import type { DtypeName, SpecDraft, Terms } from "../document.gen";
import { axesAt, entryAt, partsOf } from "./spec";

/** `f32[8@x,16]{U:y}`: types name only Explicit axes. */
export function typeText(draft: SpecDraft, dtype: DtypeName): string {
  const explicit = new Set(draft.axes.filter((a) => a.type === "Explicit").map((a) => a.name));
  const sizes = draft.shape.map((size, d) => {
    const named = entryAt(draft, d).axes.filter((a) => explicit.has(a));
    return named.length > 1 ? `${size}@(${named.join(",")})` : [size, ...named].join("@");
  });
  const state = (letter: string, names: readonly string[]) => {
    const inOrder = draft.axes.map((a) => a.name).filter((n) => names.includes(n));
    return inOrder.length === 0 ? [] : [`${letter}:${inOrder.length > 1 ? `(${inOrder.join(",")})` : inOrder[0]}`];
  };
  const states = [...state("U", draft.unreduced), ...state("R", draft.reduced)].join(", ");
  return `${dtype.short}[${sizes.join(",")}]${states && `{${states}}`}`;
}

/** The type of the block on each device. */
export function shardText(draft: SpecDraft, dtype: DtypeName): string {
  return `${dtype.short}[${draft.shape.map((size, d) => size / partsOf(draft, d)).join(",")}]`;
}

/** `#sdy.sharding<mesh<["x"=4]>, [{"x"}, {?}], unreduced={"y"}>`. */
export function shardyText(draft: SpecDraft): string {
  const mesh = draft.axes.map((a) => `${mlirString(a.name)}=${a.size}`).join(", ");
  const dims = draft.shape.map((_, d) => {
    const { axes, unconstrained } = entryAt(draft, d);
    return `{${unconstrained ? "?" : axes.map(mlirString).join(", ")}}`;
  });
  const sums = draft.axes.map((a) => a.name).filter((n) => draft.unreduced.includes(n));
  const unreduced = sums.length > 0 ? `, unreduced={${sums.map(mlirString).join(", ")}}` : "";
  return `#sdy.sharding<mesh<[${mesh}]>, [${dims.join(", ")}]${unreduced}>`;
}

/** A string as MLIR prints it: bytes outside of printable ASCII as two hex digits. */
function mlirString(text: string): string {
  const utf8 = encodeURIComponent(text).replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`)));
  const escaped = [...utf8].map((c) =>
    c === "\\"
      ? "\\\\"
      : c >= " " && c <= "~" && c !== '"'
        ? c
        : `\\${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
  return `"${escaped.join("")}"`;
}

/**
 * `{devices=[4,1,2]<=[8] last_tile_dim_replicate}`: XLA's iota form, canonical.
 *
 * Dimensions of the tiling are the array's, then one for unreduced and one for replicated axes. The devices are those of
 * an array of the mesh's shape, transposed, in reading order. Rules: `named_sharding_to_xla_hlo_sharding` of JAX;
 * `HloSharding::Subgroup`, `HloSharding::PartialTile` and `IotaTileAssignment` of XLA.
 */
export function hloText(draft: SpecDraft, terms: Terms): string {
  const axes = draft.axes.filter((a) => a.size > 1 || terms.hlo_counts_ones);
  const indexOf = new Map(axes.map((a, i) => [a.name, i]));
  const cutting = draft.shape.flatMap((_, d) => axesAt(draft, d)).filter((n) => indexOf.has(n));
  const sums = axes.filter((a) => draft.unreduced.includes(a.name));
  if (cutting.length === 0 && sums.length === 0) return "{replicated}";
  const copies = axes.filter((a) => !cutting.includes(a.name) && !sums.includes(a));
  const order = [...cutting, ...sums.map((a) => a.name), ...copies.map((a) => a.name)];

  const tiles = draft.shape.map((_, d) => partsOf(draft, d));
  const count = (group: typeof axes) => group.reduce((n, a) => n * a.size, 1);
  const total = count(axes);
  // One group of all devices needs no tiling.
  if (copies.length === 0 && sums.length > 0 && count(sums) === total) return "{unreduced}";
  if (copies.length > 0 && count(copies) === total && (sums.length === 0 || total > 1)) return "{replicated}";
  const groups: string[] = [];
  for (const [name, group] of [
    ["unreduced", sums],
    ["replicated", copies],
  ] as const) {
    // Groups of one device add nothing.
    if (count(group) === 1) continue;
    tiles.push(count(group));
    groups.push(name);
  }
  const { dims, turn } = canonical(
    axes.map((a) => a.size),
    order.map((n) => indexOf.get(n) ?? 0),
  );
  const iota = dims.length > 1 ? `[${dims.join(",")}]T(${turn.join(",")})` : `[${dims.join(",")}]`;
  const last =
    groups.length === 0
      ? ""
      : groups.join() === "replicated"
        ? " last_tile_dim_replicate"
        : ` last_tile_dims={${groups.join(", ")}}`;
  return `{devices=[${tiles.join(",")}]<=${iota}${last}}`;
}

/** The same transposition with no dimension of size 1, and with dimensions that stay side by side as one. */
function canonical(shape: readonly number[], perm: readonly number[]): { dims: number[]; turn: number[] } {
  const runs: number[][] = [];
  for (const dim of perm.filter((d) => shape[d] !== 1)) {
    const last = runs.at(-1)?.at(-1);
    const between = last === undefined ? [] : shape.slice(last + 1, dim);
    if (last !== undefined && dim > last && between.every((n) => n === 1)) runs.at(-1)?.push(dim);
    else runs.push([dim]);
  }
  const first = (run: readonly number[]) => run[0] ?? 0;
  const sorted = [...runs].sort((a, b) => first(a) - first(b));
  const dims = sorted.map((run) => run.reduce((n, d) => n * (shape[d] ?? 1), 1));
  return dims.length === 0 ? { dims: [1], turn: [0] } : { dims, turn: runs.map((run) => sorted.indexOf(run)) };
}
