/** Decoding and checking of a document as it comes over the wire or out of a saved page. */
import { type Document, type Ints, type Mesh, VERSION } from "./document.gen";
import { isBytes } from "./ints";

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
  if (typeof wire !== "object" || wire === null || !("kind" in wire) || !("version" in wire)) {
    throw new DocumentError(
      "This is not a shardwidget document: it has no kind or no version. Make the view again to replace it.",
    );
  }
  const { kind, version } = wire;
  if (typeof version !== "number" || version > VERSION) {
    throw new DocumentError(
      `This document has version ${String(version)}; this page draws versions up to ${VERSION}. Update shardwidget, or make the view again with this version.`,
    );
  }
  if (kind !== wanted) {
    throw new DocumentError(`This document is of kind ${JSON.stringify(kind)}; this page draws "${wanted}".`);
  }
  const document = wire as Extract<Document, { kind: Kind }>;
  const problem = (meshless ? null : flawOfMesh(document)) ?? flaw(document);
  if (problem) throw new DocumentError(`This document is damaged: ${problem}. Make the view again to replace it.`);
  return document;
}

/** What is missing or of the wrong form in the mesh of a document, or null. */
function flawOfMesh(document: object): string | null {
  const { mesh } = document as { mesh?: Partial<Mesh> | null };
  const isInts = (v?: Partial<Ints> | null) => Array.isArray(v?.shape) && isBytes(v.raw);
  if (!mesh) return "it has no mesh";
  if (!Array.isArray(mesh.axes)) return "its mesh has no axes";
  return isInts(mesh.device_ids) && isInts(mesh.process) ? null : "its device ids cannot be read";
}
