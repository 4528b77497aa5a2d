/** JAX's error for a spec that does not fit its mesh or its array, in its own words, and what that means. */
import type { Mesh, MeshAxis, SpecDraft, Terms, Wording } from "../document.gen";
import { axesAt, entryText, type Place, partsOf, positions, quoted, setText, tupleText } from "./spec";

export type RefusalKind = Wording["kind"];

/** What spells a sharding: a playground, a model. */
export interface Spelled {
  /** The devices that there are. */
  mesh: Mesh;
  terms: Terms;
}

export interface Refusal {
  kind: RefusalKind;
  /** Class of the exception. */
  error: string;
  /** JAX's own words. */
  said: string;
  meaning: string;
  /** Short notes by offending place. */
  notes: ReadonlyMap<Place, string>;
}

interface Found {
  kind: RefusalKind;
  /** What the words are filled with, beside what every text may name. */
  fields: Readonly<Record<string, string>>;
  meaning: string;
  notes: readonly (readonly [Place, string])[];
}

/** The first error, in the order in which JAX checks; null where there is none. */
export function refusalOf(draft: SpecDraft, doc: Spelled): Refusal | null {
  const found = inSpec(draft) ?? onMesh(draft) ?? onArray(draft);
  const wording = found && doc.terms.wordings.find((w) => w.kind === found.kind);
  if (!wording) return null;
  const said = filled(wording.text, { ...texts(draft, doc), ...found.fields });
  return { kind: found.kind, error: wording.error, said, meaning: found.meaning, notes: new Map(found.notes) };
}

/** Whether a mesh of these axes needs no more devices than there are. */
export function isConcrete(axes: readonly MeshAxis[], doc: Spelled): boolean {
  return !doc.mesh.abstract && positions(axes) <= doc.mesh.device_ids.shape.reduce((a, b) => a * b, 1);
}

/** What `PartitionSpec(…)` refuses. */
function inSpec(draft: SpecDraft): Found | null {
  const { entries, unreduced, reduced } = draft;
  const both = unreduced.find((a) => reduced.includes(a));
  const sets = { unreduced: frozen(unreduced), reduced: frozen(reduced) };
  if (both !== undefined) {
    return {
      kind: "states_overlap",
      fields: sets,
      meaning: `Along ${both} the array is either a sum still to be made or equal copies, never both.`,
      notes: [
        ["unreduced", `${both} is reduced too`],
        ["reduced", `${both} is unreduced too`],
      ],
    };
  }
  for (const [dim, { axes }] of entries.entries()) {
    for (const axis of axes) {
      const state = unreduced.includes(axis) ? "unreduced" : reduced.includes(axis) ? "reduced" : null;
      if (!state) continue;
      return {
        kind: `${state}_overlap`,
        fields: { ...sets, partitions: tupleText(entries.map((e) => entryText(e, "UNCONSTRAINED"))) },
        meaning: `${axis} cuts dim ${dim}, so devices along ${axis} hold different blocks: none that are ${
          state === "unreduced" ? "parts of one sum" : "equal"
        }. Take ${axis} off one of the two.`,
        notes: [[state, `${axis} is taken by dim ${dim}`]],
      };
    }
  }
  return null;
}

/** What `NamedSharding(mesh, spec)` refuses. */
function onMesh(draft: SpecDraft): Found | null {
  const all = draft.entries.flatMap((e) => e.axes);
  const repeated = [...new Set(all)].filter((a) => all.indexOf(a) !== all.lastIndexOf(a));
  const [twice] = repeated;
  if (twice !== undefined) {
    return {
      kind: "repeated",
      fields: { repeated: repeated.map((a) => `\`${a}\``).join(", ") },
      meaning: `A device has one coordinate along ${twice}: it cannot pick two slices independently. Take ${twice} off one place.`,
      notes: repeatedNotes(draft, repeated),
    };
  }
  const known = new Map(draft.axes.map((a) => [a.name, a.type]));
  const missing = all.find((a) => !known.has(a));
  if (missing !== undefined) return unknown("unknown", draft, missing);
  if (draft.entries.some((e) => e.unconstrained) && draft.axes.every((a) => a.type !== "Auto")) {
    return {
      kind: "unconstrained",
      fields: {},
      meaning:
        "UNCONSTRAINED leaves a dimension to the compiler, which decides only over Auto axes. This mesh has none.",
      notes: draft.entries.flatMap((e, d) => (e.unconstrained ? [[d, "no Auto axis to choose"] as const] : [])),
    };
  }
  for (const state of ["unreduced", "reduced"] as const) {
    for (const axis of draft[state]) {
      if (!known.has(axis)) return unknown(`${state}_unknown`, draft, axis);
      if (known.get(axis) === "Explicit") continue;
      return {
        kind: `${state}_auto`,
        fields: { unreduced: frozen(draft.unreduced), reduced: frozen(draft.reduced) },
        meaning: `${axis} is ${known.get(axis)}: ${
          state === "unreduced" ? "a sum that is still pending" : "what a gradient will be"
        } is part of the type, and types speak of Explicit axes alone.`,
        notes: [[state, `${axis} is ${known.get(axis)}`]],
      };
    }
  }
  return null;
}

/** What `sharding.check_compatible_aval(shape)` and `sharding.shard_shape(shape)` refuse. */
function onArray(draft: SpecDraft): Found | null {
  const { shape, entries } = draft;
  if (entries.length > shape.length) {
    return {
      kind: shape.length === 0 ? "scalar_rank" : "rank",
      fields: { entries: String(entries.length), rank: String(shape.length) },
      meaning: `The spec has ${entries.length} entries and the array ${shape.length} ${
        shape.length === 1 ? "dimension" : "dimensions"
      }. Fewer entries than dimensions are legal, more are not.`,
      notes: entries.slice(shape.length).map((_, i) => [shape.length + i, "no such dimension"] as const),
    };
  }
  const factors = shape.map((_, d) => String(partsOf(draft, d)));
  const spelled = { factor_list: `[${factors.join(", ")}]`, factor_tuple: tupleText(factors) };
  const dim = shape.findIndex((size, d) => size % partsOf(draft, d) !== 0);
  if (dim < 0) return null;
  const [size, parts] = [shape[dim] ?? 0, partsOf(draft, dim)];
  return {
    kind: "indivisible",
    fields: { dim: String(dim), size: String(size), parts: String(parts), ...spelled },
    meaning: `Every device along ${axesAt(draft, dim).join(", ")} gets a block of the same size, and ${size} is not divisible by ${parts}.`,
    notes: shape.flatMap((n, d) =>
      n % partsOf(draft, d) === 0 ? [] : [[d, `${n} ÷ ${partsOf(draft, d)} leaves a remainder`] as const],
    ),
  };
}

function unknown(kind: RefusalKind, draft: SpecDraft, axis: string): Found {
  const places: Place[] = [...draft.entries.keys(), "unreduced", "reduced"];
  const there = draft.axes.map((a) => a.name).join(", ");
  return {
    kind,
    fields: { axis },
    meaning: `The mesh has the axes ${there} and no ${axis}.`,
    notes: places.filter((p) => axesAt(draft, p).includes(axis)).map((p) => [p, `no axis ${axis}`] as const),
  };
}

/** `x is taken by dim 0`, at every use but the first. */
function repeatedNotes(draft: SpecDraft, repeated: readonly string[]): (readonly [Place, string])[] {
  return draft.entries.flatMap(({ axes }, d) => {
    const axis = axes.find((a, i) => repeated.includes(a) && (firstDim(draft, a) < d || axes.indexOf(a) < i));
    if (axis === undefined) return [];
    const first = firstDim(draft, axis);
    return [[d, first === d ? `${axis} is here twice` : `${axis} is taken by dim ${first}`] as const];
  });
}

function firstDim(draft: SpecDraft, axis: string): number {
  return draft.entries.findIndex((e) => e.axes.includes(axis));
}

// ── Texts that errors quote ─────────────────────────────────────────────────────────────────────────────────────────

/** The spec as this JAX prints it: `P('x',)`. */
export function specRepr(draft: SpecDraft, doc: Spelled): string {
  const { spec, sums } = doc.terms;
  const entries = draft.entries.map((e) => entryText(e, "UNCONSTRAINED"));
  const states = [
    ...(draft.unreduced.length > 0 ? [`unreduced=${setText(draft.unreduced)}`] : []),
    ...(draft.reduced.length > 0 ? [`reduced=${setText(draft.reduced)}`] : []),
  ];
  if (states.length === 0) return `${spec}${tupleText(entries)}`;
  return `${spec}(${[...entries, ...states].join(", ")}${draft.unreduced.length > 0 ? sums : ""})`;
}

function texts(draft: SpecDraft, doc: Spelled): Record<string, string> {
  const { terms } = doc;
  const here = isConcrete(draft.axes, doc);
  // JAX puts quotes around a name as it is.
  const axes = draft.axes.map((a) => `'${a.name}': ${a.size}`).join(", ");
  const types = tupleText(draft.axes.map((a) => a.type));
  const spec = specRepr(draft, doc);
  const mesh = filled(here ? terms.mesh : terms.abstract_mesh, { axes, types });
  return {
    spec,
    mesh,
    types,
    names: tupleText(draft.axes.map((a) => quoted(a.name))),
    shape: tupleText(draft.shape.map(String)),
    sharding: filled(here ? terms.sharding : terms.abstract_sharding, { mesh, spec }),
  };
}

function frozen(names: readonly string[]): string {
  return names.length === 0 ? "frozenset()" : `frozenset(${setText(names)})`;
}

/** Fields in words; what is filled in is not looked at again. */
function filled(text: string, fields: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (all, name) => fields[name] ?? all);
}
