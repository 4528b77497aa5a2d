/** Whether the numbers in a document can be drawn: a page may have been edited, or made by somebody else. */
import { bytesOf, isBytes, MOST_PACKED } from "./ints";
import { RANGES } from "./ranges.gen";
import { items } from "./table";
import { DocumentError, flawOfMesh } from "./wire";

/** What a field of numbers may be, by its name. */
const FORMS = new Map(
  Object.entries(RANGES).flatMap(([forms, names]) => names.split(" ").map((name) => [name, forms.split(" ")] as const)),
);

/** The greatest legal value of a field, wherever it stands; `begins` is in nanoseconds of a 64-bit clock. */
const GREATEST: Readonly<Record<string, number>> = {
  begins: 2 ** 63,
  bits: 2 ** 16,
  n: 2 ** 16,
  group_size: 2 ** 22,
  hops: 2 ** 22,
  steps: 2 ** 22,
  ranks: 2 ** 16,
  stages: 2 ** 20,
  microbatches: 2 ** 20,
  most_devices: 2 ** 22,
  most_dims: 64,
};

/** The most tasks of a schedule that a recipe makes, one for each stage and microbatch; and inputs of a form. */
const MOST_TASKS = 2 ** 20;
const MOST_INPUTS = 2 ** 14;
const MOST_DIMS = 64;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Checks every number in a saved document, whatever its kind, before anything is made of it.
 *
 * @throws DocumentError one cannot be.
 */
export function checkNumbers(document: unknown): void {
  const flaw = flawOfNumbers(document);
  if (flaw) throw new DocumentError(`This document is damaged: ${flaw}. Make the view again.`);
}

/** The first number in a document that cannot be, in words; null if all can. */
function flawOfNumbers(document: unknown): string | null {
  const seen = new Set<object>();
  const left: unknown[] = [document];
  while (left.length > 0) {
    const at = left.pop();
    if (typeof at !== "object" || at === null || seen.has(at) || isBytes(at)) continue;
    seen.add(at);
    if (Array.isArray(at)) {
      for (const item of at) if (typeof item === "object") left.push(item);
      continue;
    }
    const fields = at as Fields;
    if (isTable(fields)) {
      left.push(items(fields));
      continue;
    }
    const flaw =
      flawOfFields(fields) ??
      flawOfPacked(fields) ??
      (fields.device_ids ? flawOfMesh(fields) : null) ??
      flawOfWhole(fields);
    if (flaw) return flaw;
    for (const name in fields) if (typeof fields[name] === "object") left.push(fields[name]);
  }
  return null;
}

/** Whether it is a table, by its columns. */
function isTable(fields: Fields): boolean {
  const columns = Object.values(fields);
  return (
    columns.length > 0 && columns.every((c) => typeof c === "object" && c !== null && "at" in c && !Array.isArray(c))
  );
}

function flawOfFields(fields: Fields): string | null {
  for (const name in fields) {
    const forms = FORMS.get(name);
    const flaw = forms && flawOfField(name, fields[name], forms);
    if (flaw) return flaw;
  }
  return null;
}

/** Of a number, or of lists of them; objects are walked. */
function flawOfField(name: string, value: unknown, forms: readonly string[]): string | null {
  if (Array.isArray(value)) {
    if (name === "shape" && value.length > MOST_DIMS) return `it has a shape of ${value.length} dimensions`;
    for (const item of value) {
      const flaw = flawOfField(name, item, forms);
      if (flaw) return flaw;
    }
    return null;
  }
  if (typeof value === "object" && value !== null) return null;
  const legal = forms.some((form) => isOf(form, value));
  const { [name]: most = Number.MAX_SAFE_INTEGER } = GREATEST;
  if (legal && !(typeof value === "number" && value > most && Number.isInteger(value))) return null;
  return `its ${name} is ${typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : value}`;
}

function isOf(form: string, value: unknown): boolean {
  if (form === "null") return value === null;
  if (form === "number") return Number.isFinite(value);
  if (form === "string" || form === "boolean") return typeof value === form;
  return Number.isInteger(value) && (form === "integer" || (value as number) >= 0);
}

function product(shape: unknown): number {
  return Array.isArray(shape) ? shape.reduce((a: number, b: number) => a * b, 1) : Number.NaN;
}

/** Of packed integers and of values: as many bytes as their shape says. */
function flawOfPacked(fields: Fields): string | null {
  const { shape, raw, data, format } = fields;
  if (isBytes(raw)) {
    const bytes = bytesOf(raw).byteLength;
    const count = product(shape);
    if (bytes === 0 ? !(count <= MOST_PACKED) : count * Number(fields.raw_bytes) !== bytes) {
      return `${count} integers are packed in ${bytes} bytes`;
    }
  }
  if (isBytes(data) && typeof format === "string" && Array.isArray(shape)) {
    const bytes = bytesOf(data).byteLength;
    const each = product(shape) * Number(format.slice(1));
    if (each === 0 ? bytes !== 0 : bytes % each !== 0)
      return `values of shape (${shape.join(", ")}) have ${bytes} bytes`;
  }
  return null;
}

/** Of a recipe and of a form: no more in all than can be made. */
function flawOfWhole({ stages, microbatches, form, shape }: Fields): string | null {
  if (typeof stages === "number" && typeof microbatches === "number" && stages * microbatches > MOST_TASKS) {
    return `its schedule has ${stages} stages and ${microbatches} microbatches`;
  }
  return form === "grid" && product(shape) > MOST_INPUTS ? `a grid has ${product(shape)} numbers` : null;
}
