/** Names and their arrays as Python read them: `python -m tests.fixtures`. */
import type { Namespace } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import { decodeNamespace, NamespaceModel } from "../../src/inspector/model/namespace";
import namespaces from "./namespaces.json";

export type NamespaceName = keyof typeof namespaces;
export const NAMESPACES = Object.keys(namespaces) as NamespaceName[];

/** A wire document of its own. */
export function wire(name: NamespaceName): Namespace {
  return reviveBytes(namespaces[name]) as unknown as Namespace;
}

export const model = (name: NamespaceName) => new NamespaceModel(decodeNamespace(wire(name)));
