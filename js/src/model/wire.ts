/** Decoding and checking of a document as it comes over the wire or out of a saved page. */
import { type Placement, VERSION } from "./document.gen";

/** A document that cannot be drawn, with what to do about it. */
export class DocumentError extends Error {}

/** Turns a wire document into a typed one: checks kind, version and what the picture is built on. */
export function decodeDocument(wire: unknown): Placement {
  if (typeof wire !== "object" || wire === null || !("kind" in wire) || !("version" in wire)) {
    throw new DocumentError(
      "This is no shardwidget document: it names no kind and version. Make the view again to replace it.",
    );
  }
  const { kind, version } = wire;
  if (typeof version !== "number" || version > VERSION) {
    throw new DocumentError(
      `This document has version ${String(version)}; this page draws versions up to ${VERSION}. Update shardwidget, or make the view again with this one.`,
    );
  }
  if (kind !== "placement") {
    throw new DocumentError(`This document is of kind ${JSON.stringify(kind)}; this page draws "placement".`);
  }
  const doc = decodeBytes(wire) as Placement;
  const problem = flaw(doc);
  if (problem) throw new DocumentError(`This document is damaged: ${problem}. Make the view again to replace it.`);
  return doc;
}

/** Turns the buffers of a wire value, of whatever kind a host made them, into DataViews. */
export function decodeBytes(value: unknown): unknown {
  if (value instanceof ArrayBuffer) return new DataView(value);
  if (ArrayBuffer.isView(value)) return new DataView(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return value.map(decodeBytes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, decodeBytes(v)]));
}

/** What is missing or of the wrong form in a placement, or null. */
function flaw(doc: Placement): string | null {
  const isInts = (v: unknown) =>
    typeof v === "object" &&
    v !== null &&
    "shape" in v &&
    Array.isArray(v.shape) &&
    "raw" in v &&
    v.raw instanceof DataView;
  if (typeof doc.mesh !== "object" || doc.mesh === null) return "it has no mesh";
  if (!Array.isArray(doc.mesh.axes)) return "its mesh has no axes";
  if (!isInts(doc.mesh.device_ids) || !isInts(doc.mesh.process)) return "its device ids cannot be read";
  if (!Array.isArray(doc.dims)) return "it has no dimensions";
  if (doc.shape !== null && (!Array.isArray(doc.shape) || doc.shape.length !== doc.dims.length)) {
    return "its shape does not match its dimensions";
  }
  const names = new Set(doc.mesh.axes.map((a) => a.name));
  const missing = doc.dims.flatMap((d) => d.axes).find((a) => !names.has(a));
  return missing === undefined
    ? null
    : `a dimension names the axis ${JSON.stringify(missing)}, which the mesh does not have`;
}
