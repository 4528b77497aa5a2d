/** Names and their arrays as Python read them: `python -m tests.fixtures`. */
import type { Namespace } from "../../src/model/document.gen";
import { decodeNamespace, NamespaceModel } from "../../src/model/namespace";
import { reviveBytes } from "../../src/model/saved";
import namespaces from "./namespaces.json";

export type NamespaceName = keyof typeof namespaces;
export const NAMESPACES = Object.keys(namespaces) as NamespaceName[];

/** A wire document of its own. */
export function wire(name: NamespaceName): Namespace {
  return reviveBytes(namespaces[name]) as unknown as Namespace;
}

export const model = (name: NamespaceName) => new NamespaceModel(decodeNamespace(wire(name)));
