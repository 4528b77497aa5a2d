/** Trees side by side as one scene, for the picture without a page: the first lines, and what differs in each. */

import { count } from "../../../core/text";
import { type Band, framed, headBand, rule, stack } from "../../../draw/bands";
import { cellMarks } from "../../../draw/cells";
import { BOLD, label, type Mark, MONO, PAD, type Scene, shift } from "../../../draw/marks";
import { fit, textWidth } from "../../../draw/measure";
import { type Compared, type ComparedModel, cellOf, comparedBadges, titleOf, totalOf } from "../model/compared";

/** Lines that are drawn; the rest is counted. */
const MOST = 24;
/** Least width of a tree's column; where there is less, the trees stand below each other. */
const COLUMN = 190;
const GAP = 16;
const BAR = 56;

export function treesScene(model: ComparedModel, lines: readonly Compared[], width: number): Scene {
  const trees = model.doc.trees.length;
  const stacked = width < 150 + trees * COLUMN;
  const path = stacked ? 0 : Math.max(130, Math.floor(width / (trees + 2)));
  const column = stacked ? width - 2 * PAD : (width - 2 * PAD - path) / trees;
  const greatest = Math.max(1, ...model.lines.flatMap((line) => line.held));
  const place = { width, path, column, stacked, greatest };
  const head = headBand(titleOf(model), model.mesh, comparedBadges(model), width);
  const table = stack([
    titlesBand(model, place),
    ...lines.slice(0, MOST).map((line) => lineBand(model, line, place)),
    footBand(lines.length - MOST),
  ]);
  const height = Math.ceil(head.height + table.height);
  return framed(width, height, [...head.marks, ...shift(table.marks, 0, head.height), rule(0, head.height, width)]);
}

interface Place {
  width: number;
  /** Width of the paths' column; 0 where paths stand above. */
  path: number;
  column: number;
  stacked: boolean;
  /** The most that a line has on a device. */
  greatest: number;
}

function titlesBand(model: ComparedModel, { width, path, column, stacked }: Place): Band {
  const marks = model.doc.trees.flatMap((tree, i) => {
    const [x, y] = stacked ? [PAD, 20 + 18 * i] : [PAD + path + i * column, 21];
    const name = fit(tree.name, (column - GAP) / 2, 12, true);
    const room = column - GAP - textWidth(`${name} `, 12, true);
    return [
      label(x, y, name, 12, "ink", BOLD),
      label(x + column - GAP, y, fit(totalOf(model, i), room, 11.5), 11.5, "muted", { anchor: "end" }),
    ];
  });
  const height = stacked ? 18 * model.doc.trees.length + 12 : 32;
  return { marks: [...marks, rule(0, height, width)], height: height + 1 };
}

function lineBand(model: ComparedModel, line: Compared, place: Place): Band {
  const { width, path, column, stacked } = place;
  const times = line.times > 1 ? ` ×${line.times}` : "";
  const room = (stacked ? column : path - GAP) - textWidth(times, 13, true);
  const marks: Mark[] = [label(PAD, 20, fit(line.path || "·", room, 13, true) + times, 13, "ink", MONO)];
  let height = stacked ? 26 : 0;
  line.cells.forEach((_, i) => {
    const band = cellBand(model, line, i, place);
    const [x, y] = stacked ? [PAD, height] : [PAD + path + i * column, 0];
    marks.push(...shift(band.marks, x, y));
    height = stacked ? height + band.height : Math.max(height, band.height);
  });
  return { marks: [...marks, rule(0, height, width)], height: height + 1 };
}

function cellBand(model: ComparedModel, line: Compared, tree: number, place: Place): Band {
  const end = place.column - GAP;
  const { types, holds, status } = cellOf(model, line, tree, place.greatest);
  const marks = types.flatMap((type, k) => cellMarks([type], { x: 0, end, y: [20 + 17 * k] }));
  let y = 20 + 17 * types.length;
  const said = cellMarks([holds], { x: 0, end, y: [y], bar: [BAR, 10] });
  const words = holds.map((piece) => ("text" in piece ? piece.text : "")).join(" ");
  // Long words go below the bytes.
  if (holds.length > 0 && textWidth(status.text, 12) * 1.1 > end - BAR - 16 - textWidth(words, 12, true)) y += 17;
  return { marks: [...marks, ...said, ...cellMarks([[status]], { x: 0, end, y: [y], anchor: "end" })], height: y + 9 };
}

function footBand(left: number): Band {
  if (left <= 0) return { marks: [], height: 8 };
  return { marks: [label(PAD, 22, `${count(left, "more line")} in the table.`, 12, "muted")], height: 36 };
}
