/** What the lines of a comparison say, beside where values lie. */
import { axesOf, type Cell, mono, type Piece, soft, type Words } from "../../core/cells";
import type { Compared, Layout, Row } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { axisTokens, count, sentenceTokens } from "../../core/text";
import type { ComparisonModel } from "./comparison";
import { type Line, rowsOf } from "./lines";
import { copiesOf, kindOf, purpose, rangeOf, remarkText, subject, timesText, typed } from "./words";

/** The user's line over the primitive; the primitive alone where the line is already above. */
export function sourceOf(row: Row, { again }: Line & { kind: "row" }) {
  const { primitive, source } = row;
  const end = primitive === "arguments" || primitive === "outputs";
  const name = row.values.find((v) => v.name !== "")?.name;
  const gives = (again || !source) && name && !end ? ` → ${name}` : "";
  return {
    number: again ? undefined : source?.line,
    text: again ? "" : subject(row),
    primitive: primitive === "array" ? "" : primitive + gives,
  };
}

/** What a row that stops gives with a fix: the result of that shape; the fix may be of the whole call that it is in. */
export function fixedValue(row: Row, layout: Layout): Compared {
  const shape = layout.dims?.map(({ size }) => size) ?? [];
  const found = row.values.find((v) => String(v.shape) === String(shape));
  return found ?? { ...UNNAMED, shape };
}

const UNNAMED = {
  name: "",
  dtype: "",
  bits: 0,
  explicit: null,
  auto: "",
  concrete: null,
  agreement: "",
  note: "",
} as const;

/** Where a value lies: its parts, along which axes there are copies of them, the text. */
export function placedOf(model: ComparisonModel, value: Compared, layout: Layout) {
  const placement = model.placement(value, layout);
  const text = model.doc.of === "function" ? typed(value, layout) : layout.text;
  return { placement, copies: placement ? copiesOf(placement) : [], tokens: axisTokens(text, model.mesh) };
}

/** Whether both sides are the same, and what differs: a sentence a line. */
export function verdictOf(model: ComparisonModel, row: Row, index: number): readonly (readonly Words[])[] {
  const tokens = (text: string) => sentenceTokens(text, model.mesh);
  const has = (agreement: string) => row.values.some((v) => v.agreement === agreement);
  const odd = row.values.find((v) => v.agreement === "differs");
  const notes = [...new Set(row.values.map((v) => v.note))].join(" ").trim();
  const withFix = index >= model.fixed && row.values.some((v) => v.explicit);
  const remark = remarkText(row);
  return [
    ...(odd
      ? [
          [
            { text: "Differs.", strong: true },
            { text: odd.note, tokens },
          ],
        ]
      : has("same")
        ? [[{ text: "✓ same", tone: "ok" } as const, soft(withFix ? "with the fix" : "")], [{ text: notes, tokens }]]
        : [[soft(has("silent") ? "the type leaves it open" : notes)]]),
    ...(remark
      ? [
          [
            { text: "Replicated.", strong: true },
            { text: remark, tokens },
          ],
        ]
      : []),
  ];
}

/** The cells of a collective. */
export function collectiveCells(model: ComparisonModel, row: Row, at: number) {
  const op = model.collective(at);
  if (!op) return null;
  const axes = axesOf(model.mesh, op.axes).map((a) => ({ ...a, says: model.mesh.axes[a.axis]?.size }));
  return {
    semantics: op.semantics,
    axis: axes[0]?.axis ?? null,
    source: [[mono(op.kind, { strong: true }), ...axes, soft(op.irregular ? "irregular groups" : "")]],
    explicit: [
      [
        mono(op.shapes.join(", ")),
        mono(`· ${bytes(op.bytes_per_device)}/device ${timesText(op)}`.trim(), { title: op.arithmetic }),
      ],
    ],
    auto: [[soft(op.by_user ? "your own" : "inserted by the compiler")]],
    concrete: [[soft(purpose(row, op), { tokens: (text) => sentenceTokens(text, model.mesh) })]],
  } as const satisfies Record<string, Cell | unknown>;
}

/** The head of what is folded: of a scope, or of lines that are as their types say. */
export function foldOf(model: ComparisonModel, line: Line & { kind: "fold" | "same" }): readonly Piece[] {
  if (line.kind === "same") {
    // Passes of scopes alone have their names.
    const heads = line.of.filter(({ depth }) => depth === line.depth);
    const scopes = heads.flatMap((of) => (of.kind === "fold" ? (model.doc.scopes[of.scope]?.name ?? "") : []));
    const names = scopes.length === heads.length ? [...new Set([scopes[0], scopes.at(-1)])] : [];
    const rows = line.of.filter((of) => of.kind === "row");
    const range = mono(names.join(" to ") || rangeOf(model, rows), { strong: true });
    const operations = soft(count(line.of.flatMap(rowsOf).length, "operation"));
    const again =
      names.length > 1 || (names.length > 0 && line.times === 1) ? "the same" : count(line.times, "more time");
    if (line.times > 0) return [range, soft(again), operations];
    return [range, operations, { text: "✓ all same", tone: "ok" }];
  }
  const scope = model.doc.scopes[line.scope];
  if (!scope) return [];
  const outside = model.axisTypes(scope.parent);
  const types = scope.axis_types.map((type, axis) => ({
    axis,
    name: model.mesh.axes[axis]?.name ?? "",
    says: type === outside[axis] ? type : `${outside[axis]} → ${type}`,
  }));
  return [mono(scope.name, { strong: true }), soft(kindOf(scope)), ...types, soft(count(line.stop - line.row, "row"))];
}
