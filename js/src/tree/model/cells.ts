/** The cells of a line of the tree. */
import { type Cells, mono } from "../../core/cells";
import type { LEAVES } from "../../core/columns.gen";
import { bytes } from "../../core/format";
import { axisTokens } from "../../core/text";
import type { Row } from "./rows";
import { timesText } from "./stacked";
import type { TreeModel } from "./tree";
import { copiesText, type Figures, numberOf, typeText } from "./words";

/** `most`: bytes of a whole bar. */
export function cellsOf(tree: TreeModel, row: Row, figures: Figures, most: number): Cells<typeof LEAVES> {
  const { sums } = row;
  const leaf = row.leaf === null ? null : tree.typeAt(row.leaf);
  const [mesh, strong] = [meshOf(tree, row), leaf === null];
  const text = typeText(tree, row);
  const type = { title: leaf?.note || text, tokens: (some: string) => axisTokens(some, mesh) };
  const on = sums.copies[1] > 0;
  const flagged = row.flags.length > 0 && sums.copies[0] > 1;
  return {
    path: [[mono(row.name || "·", { strong, title: row.name }), mono(timesText(tree, row), { strong, tone: "count" })]],
    type: [[leaf ? mono(text, type) : { text, tone: "soft", ...type }]],
    all: [[mono(sums.leaves > 0 ? numberOf(figures.all(sums.bytes)) : "", { title: bytes(sums.bytes) })]],
    here: [
      [
        { held: sums.here / most, own: sums.own / most },
        mono(on ? numberOf(figures.here(sums.here)) : "–", { strong, title: on ? bytes(sums.here) : undefined }),
      ],
    ],
    copies: [[mono(copiesText(row), flagged ? { strong: true, tone: "warn" } : {})]],
  };
}

/** The mesh whose axes a line names. */
export function meshOf(tree: TreeModel, { leaf }: Row) {
  return tree.meshes[leaf === null ? 0 : tree.typeAt(leaf).mesh] ?? tree.mesh;
}
