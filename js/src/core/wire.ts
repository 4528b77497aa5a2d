/** Decoding and checking of a document as it comes over the wire or out of a saved page. */
import { type Document, type Ints, type Mesh, VERSION } from "./document.gen";
import { isBytes } from "./ints";
import { product } from "./mesh";

/** A document that cannot be drawn, with what to do about it. */
export class DocumentError extends Error {}

/**
 * Turns a wire document into a typed one: checks kind, version and what the picture is built on.
 *
 * `flaw` says what is missing or of the wrong form in a document of its kind, or null. One may be `meshless`: schedules may
 * be of ranks alone, algorithms are of a group, and names may hold nothing.
 */
export function decodeDocument<Kind extends Document["kind"]>(
  wire: unknown,
  wanted: Kind,
  flaw: (document: Extract<Document, { kind: Kind }>) => string | null,
  meshless = false,
): Extract<Document, { kind: Kind }> {
  const { kind, version } = Object(wire) as Partial<Document>;
  if ((version ?? 0) > VERSION) {
    throw new DocumentError(
      `This document has version ${version}; this page draws up to version ${VERSION}. Update shardwidget.`,
    );
  }
  const document = wire as Extract<Document, { kind: Kind }>;
  const problem =
    kind !== wanted || typeof version !== "number"
      ? `it is of kind ${JSON.stringify(kind)}; this page draws "${wanted}"`
      : ((meshless ? null : flawOfMesh((document as { mesh?: Mesh | null }).mesh)) ?? flaw(document));
  if (problem) throw new DocumentError(`This document is damaged: ${problem}. Make the view again.`);
  return document;
}

/** What is missing or of the wrong form in a mesh, or null: axes of at least one device, and as many devices as they say. */
export function flawOfMesh(mesh?: Partial<Mesh> | null): string | null {
  if (!mesh) return "it has no mesh";
  if (!Array.isArray(mesh.axes)) return "its mesh has no axes";
  const { axes, device_ids: ids, process } = mesh as Mesh;
  if (![ids, process].every((v?: Partial<Ints> | null) => Array.isArray(v?.shape) && isBytes(v.raw)))
    return "its device ids cannot be read";
  const sizes = axes.map((axis) => axis.size);
  const count = product(ids.shape);
  return count === product(process.shape) &&
    sizes.every((size) => size > 0 && size % 1 === 0) &&
    (count === product(sizes) || sizes.length === 0)
    ? null
    : `its mesh of ${sizes.join(" × ")} has ${count} devices`;
}
