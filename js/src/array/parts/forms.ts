/** Forms of a sharding that few readers need at once: JAX's, XLA's and Shardy's. */
import type { PlacementModel } from "../../core/placement";

export interface Fact {
  label: string;
  value: string;
  note: string;
}

const AGREEMENT: Readonly<Record<string, string>> = {
  same: "agrees with the type",
  silent: "the type is silent: no Explicit axis",
  partly: "agrees with the type on its Explicit axes",
  differs: "differs from the type",
};

export function formsOf(model: PlacementModel): Fact[] {
  const { doc } = model;
  const out: Fact[] = [];
  const add = (label: string, value: string, note = "") => {
    if (value) out.push({ label, value, note });
  };
  add("type", doc.type, `jax.typeof(${doc.name || "x"})`);
  add("spec", doc.spec ?? "", AGREEMENT[doc.agreement]);
  add("sharding", doc.sharding);
  add("HLO", doc.hlo);
  add("Shardy", doc.shardy);
  add("memory", doc.memory_kind);
  if (doc.logical_device_ids) add("devices", "logical_device_ids", "reorder the mesh; the picture shows the result");
  add("dtype", doc.dtype, doc.bits > 0 ? `${doc.bits} bits per element` : "");
  add("JAX", doc.jax_version);
  return out;
}
