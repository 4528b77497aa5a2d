/** A comparison as its table reads it: the rows that the choices lead to, and where each value lies. */
import type {
  Compared,
  Comparison,
  Continuation,
  HloCollective,
  Layout,
  MeshAxis,
  Program,
  Row,
} from "../../core/document.gen";
import { MeshModel } from "../../core/mesh";
import { PlacementModel } from "../../core/placement";
import { items } from "../../core/table";
import { decodeDocument } from "../../core/wire";

/** By row, the index of the fix that the rows below assume. Keys are text, as in JSON. */
export type Choices = Readonly<Record<string, number>>;

type AxisType = MeshAxis["type"];

/** A comparison as it came over the wire; one that was read already stays as it is. */
export function decodeComparison(wire: unknown): Comparison {
  if (typeof wire !== "object" || wire === null) return decodeDocument(wire, "comparison", flaw);
  const { rows, continuations, reasons } = wire as { rows?: unknown; continuations?: unknown; reasons?: unknown };
  const others = Array.isArray(continuations) ? continuations.map((c) => ({ ...c, rows: items(c.rows) })) : [];
  const why = { groups: [], causes: [], steps: 0, ...wire, reasons: items(reasons ?? {}) };
  return decodeDocument({ ...why, rows: items(rows), continuations: others }, "comparison", flaw);
}

/** What is worth a look in a comparison. */
export interface Tally {
  errors: number;
  differs: number;
  /** Collectives that the compiler put in. */
  inserted: number;
  replications: number;
}

export class ComparisonModel {
  readonly mesh: MeshModel;
  readonly rows: readonly Row[];
  /** Types from this row on, the one that is fixed, are those that a chosen fix leads to. */
  readonly fixed: number;
  /** How many errors have a fix that was chosen. */
  readonly used: number;

  /** From this row on, and in all placements, what is shown does not yet follow from the chosen fix; else infinite. */
  readonly waiting: number;

  /** What it comes to, in a sentence. */
  readonly verdict: string;
  readonly #program: Program | null;
  readonly #placements = new Map<string, PlacementModel>();
  readonly #sums: readonly Tally[];
  readonly #words: string[] = [];
  #producers: readonly (readonly number[])[] | null = null;

  constructor(
    readonly doc: Comparison,
    choices: Choices = {},
  ) {
    this.mesh = new MeshModel(doc.mesh);
    const others = taken(doc, choices);
    this.rows = continued(doc, others);
    this.verdict = others.at(-1)?.verdict || doc.verdict;
    this.#program = others.length > 0 ? (others.at(-1)?.program ?? null) : doc.program;
    this.waiting = Object.entries(choices)
      .filter(([row, choice]) => !known(doc, choices, Number(row), choice))
      .reduce((first, [row]) => Math.min(first, Number(row)), Infinity);
    const stop = this.rows.findIndex((r) => r.error !== null && r.error.chosen >= 0);
    this.fixed = stop < 0 ? this.rows.length : stop;
    this.used = this.rows.filter((row, k) => (row.error?.chosen ?? -1) >= 0 && k in choices).length;
    this.#sums = this.#sum();
  }

  row(index: number): Row | null {
    return this.rows[index] ?? null;
  }

  collective(index: number): HloCollective | null {
    return this.#program?.collectives[index] ?? null;
  }

  /** What rows hold, from one up to before another. */
  tally(first = 0, stop = this.rows.length): Tally {
    const [a, b] = [this.#sums[first] ?? NOTHING, this.#sums[stop] ?? NOTHING];
    return {
      errors: b.errors - a.errors,
      differs: b.differs - a.differs,
      inserted: b.inserted - a.inserted,
      replications: b.replications - a.replications,
    };
  }

  /** Where a value lies by a type or a sharding; null where that does not say. Equal placements share one. */
  placement(v: Compared, layout: Layout): PlacementModel | null {
    const { dims, unreduced, reduced } = layout;
    if (!dims) return null;
    const key = JSON.stringify([v.dtype, dims, unreduced, reduced]);
    let placement = this.#placements.get(key);
    if (!placement) {
      placement = new PlacementModel({
        ...PLAIN,
        mesh: this.doc.mesh,
        shape: v.shape,
        dims,
        dtype: v.dtype,
        bits: v.bits,
        unreduced,
        reduced,
      });
      this.#placements.set(key, placement);
    }
    return placement;
  }

  /** Rows that result in a row's operands: for each, the last one above of that name. */
  inputs(row: number): readonly number[] {
    this.#producers ??= producers(this.rows);
    return this.#producers[row] ?? [];
  }

  /** Everything that a search looks at, in small letters. */
  words(row: number): string {
    let words = this.#words[row];
    if (words === undefined) {
      words = wordsOf(this, this.rows[row]).toLowerCase();
      this.#words[row] = words;
    }
    return words;
  }

  /** Names of what a row stands in, outermost first. */
  trail(row: number): readonly number[] {
    const path: number[] = [];
    for (let at = this.rows[row]?.scope ?? -1; at >= 0; at = this.doc.scopes[at]?.parent ?? -1) path.unshift(at);
    return path;
  }

  /** Types of the mesh's axes in a scope; -1 for outside of all. */
  axisTypes(scope: number): readonly AxisType[] {
    const e = this.doc.scopes[scope];
    if (!e) return this.mesh.axes.map((a) => a.type);
    return e.axis_types.length > 0 ? e.axis_types : this.axisTypes(e.parent);
  }

  #sum(): Tally[] {
    const sums: Tally[] = [NOTHING];
    const seen = new Set<number>();
    const differing = new Set<string>();
    for (const row of this.rows) {
      // A result of a row that already differs does not count again.
      const isNew = (v: Compared) =>
        row.primitive !== "outputs" || row.inputs.every((name) => !differing.has(placesOf(v, name)));
      const last = sums.at(-1) ?? NOTHING;
      const fresh = row.collectives.filter((c) => !seen.has(c) && this.collective(c)?.by_user === false);
      for (const c of fresh) seen.add(c);
      sums.push({
        errors: last.errors + (row.error ? 1 : 0),
        differs: last.differs + (row.values.some((v) => v.agreement === "differs" && isNew(v)) ? 1 : 0),
        inserted: last.inserted + fresh.length,
        replications: last.replications + (row.remark === "" ? 0 : 1),
      });
      for (const v of row.values) if (v.agreement === "differs") differing.add(placesOf(v, v.name));
    }
    return sums;
  }
}

/** Whether a saved page has the rows below a fix: only one choice at a time may differ from the first. */
export function known(doc: Comparison, choices: Choices, row: number, choice: number): boolean {
  if (doc.rows[row]?.error?.chosen === choice) return true;
  const others = Object.entries(choices).some(
    ([r, c]) => Number(r) !== row && doc.rows[Number(r)]?.error?.chosen !== c,
  );
  return !others && doc.continuations.some((c) => c.row === row && c.choice === choice);
}

/** A value by a name and by where it lies, as its type says and as it was compiled. */
const placesOf = (v: Compared, name: string) => JSON.stringify([name, v.explicit?.text, v.concrete?.text]);

const NOTHING: Tally = { errors: 0, differs: 0, inserted: 0, replications: 0 };

/** A placement of which only the split is known. */
const PLAIN = {
  kind: "placement",
  version: 1,
  name: "",
  type: "",
  sharding: "",
  spec: null,
  agreement: "",
  unreduced_kind: "sum",
  memory_kind: "",
  logical_device_ids: null,
  hlo: "",
  shardy: "",
  state: "live",
  values: null,
  jax_version: "",
} as const;

function taken(doc: Comparison, choices: Choices): readonly Continuation[] {
  return doc.continuations.filter((c) => choices[c.row] === c.choice && doc.rows[c.row]?.error?.chosen !== c.choice);
}

function continued(doc: Comparison, others: readonly Continuation[]): readonly Row[] {
  if (others.length === 0) return doc.rows;
  const rows = [...doc.rows];
  for (const { at, rows: changed } of others) {
    for (const [k, row] of changed.entries()) rows[at[k] ?? -1] = row;
  }
  return rows;
}

function producers(rows: readonly Row[]): number[][] {
  const last = new Map<string, number>();
  return rows.map((row, index) => {
    const from = [...new Set(row.inputs.flatMap((name) => last.get(name) ?? []))];
    for (const v of row.values) if (v.name !== "") last.set(v.name, index);
    return from;
  });
}

function wordsOf(model: ComparisonModel, row: Row | undefined): string {
  if (!row) return "";
  const values = row.values.flatMap((v) => [v.name, v.explicit?.text ?? v.auto, v.concrete?.text ?? "", v.note]);
  const ops = row.collectives.flatMap((c) => {
    const op = model.collective(c);
    return op ? [op.kind, ...op.axes] : [];
  });
  const source = row.source ? [row.source.text, row.source.function, `${row.source.file}:${row.source.line}`] : [];
  return [row.primitive, row.decision, row.error?.error ?? "", row.remark, ...source, ...values, ...ops].join(" ");
}

function flaw(doc: Comparison): string | null {
  if (!Array.isArray(doc.rows)) return "it has no rows";
  if (!Array.isArray(doc.scopes)) return "it has no scopes";
  const depth = doc.rows.find((r) => r.scope >= doc.scopes.length);
  if (depth) return `a row is in the scope ${depth.scope}, which does not exist`;
  const count = doc.program?.collectives.length ?? 0;
  const missing = doc.rows.flatMap((r) => r.collectives).find((c) => c >= count);
  return missing === undefined ? null : `a row names the collective ${missing}, which does not exist`;
}
