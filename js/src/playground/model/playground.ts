/** The document of a playground, and the placement that a draft on its screen would give. */
import type { DtypeName, Ints, Mesh, Placement, Playground, SpecDraft } from "../../core/document.gen";
import { unpack } from "../../core/ints";
import { hloText, shardyText, typeText } from "../../core/spec/forms";
import { isConcrete, specRepr } from "../../core/spec/refusal";
import { entryAt, positions } from "../../core/spec/spec";
import { decodeDocument } from "../../core/wire";

export function decodePlayground(wire: unknown): Playground {
  return decodeDocument(wire, "playground", (doc) => {
    if (!isDraft(doc.draft)) return "it has no spec";
    return Array.isArray(doc.dtypes) && doc.dtypes.length > 0 ? null : "it has no dtypes";
  });
}

/** Whether this is a draft, as far as its picture needs one. */
export function isDraft(value: unknown): value is SpecDraft {
  if (typeof value !== "object" || value === null) return false;
  return ["shape", "axes", "entries", "unreduced", "reduced"].every((key) =>
    Array.isArray((value as Record<string, unknown>)[key]),
  );
}

export function dtypeOf(draft: SpecDraft, doc: Playground): DtypeName {
  return doc.dtypes.find((d) => d.name === draft.dtype) ?? { name: draft.dtype, short: draft.dtype, bits: 0 };
}

/** Where the array would be. The draft must be one that JAX accepts. */
export function placementOf(draft: SpecDraft, doc: Playground): Placement {
  const dtype = dtypeOf(draft, doc);
  const dims = draft.shape.map((size, d) => ({ size, ...entryAt(draft, d), cut: null }));
  return {
    mesh: meshOf(draft, doc),
    shape: draft.shape,
    dims,
    dtype: dtype.name,
    bits: dtype.bits,
    name: doc.name,
    type: typeText(draft, dtype),
    sharding: "NamedSharding",
    spec: specRepr(draft, doc),
    agreement: "",
    unreduced: draft.unreduced,
    unreduced_kind: "sum",
    reduced: draft.reduced,
    memory_kind: "",
    logical_device_ids: null,
    hlo: hloText(draft, doc.terms),
    shardy: shardyText(draft),
    state: "abstract",
    values: null,
    jax_version: doc.jax_version,
    kind: "placement",
    version: doc.version,
  };
}

/** The mesh alone. */
export function bareOf(draft: SpecDraft, doc: Playground): Placement {
  return { ...placementOf({ ...draft, shape: [], entries: [], unreduced: [], reduced: [] }, doc), shape: null };
}

/** The first of the devices, as many as the mesh needs; positions alone where it needs more than there are. */
function meshOf(draft: SpecDraft, doc: Playground): Mesh {
  const n = positions(draft.axes);
  const { mesh } = doc;
  if (!isConcrete(draft.axes, doc)) {
    const counted = packed(Int32Array.from({ length: n }, (_, i) => i));
    return {
      ...mesh,
      axes: draft.axes,
      device_ids: counted,
      process: packed(new Int32Array(n)),
      coords: [],
      kind: "",
      platform: "",
      abstract: true,
    };
  }
  const first = (ints: Ints) => packed(unpack(ints).slice(0, n));
  return {
    ...mesh,
    axes: draft.axes,
    device_ids: first(mesh.device_ids),
    process: first(mesh.process),
    coords: mesh.coords.map(first),
  };
}

function packed(values: Int32Array<ArrayBuffer>): Ints {
  return { start: 0, shape: [values.length], strides: [0], raw: littleEndian(values), raw_bytes: 4 };
}

function littleEndian(values: Int32Array): DataView {
  const out = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, i) => {
    out.setInt32(4 * i, value, true);
  });
  return out;
}
