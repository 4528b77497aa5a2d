/** The first lines of a comparison as one scene, for the picture without a page. */

import type { Scheme } from "../../core/color";
import { count } from "../../core/text";
import { type Band, headBand } from "../../draw/bands";
import { label, type Mark, PAD, type RectMark, type Scene, shift } from "../../draw/marks";
import { fit, wrapped } from "../../draw/measure";
import type { ComparisonModel } from "../model/comparison";
import { linesOf, openAtFirst, treeOf } from "../model/lines";
import { badgesOf, columnsOf, titleOf } from "../model/words";
import { type Columns, ground, lineBand, START } from "./bands";

const NONE: ReadonlySet<number> = new Set();
/** Lines of the table that are drawn; the rest is counted. */
const MOST = 24;
/** Below this width the Auto column is left out. */
const FULL = 860;
/** Below this one a row is drawn under its source line. */
const NARROW = 620;

export function comparisonScene(model: ComparisonModel, { width, scheme }: { width: number; scheme: Scheme }): Scene {
  const tree = treeOf(model);
  const lines = linesOf(model, tree, {
    open: openAtFirst(model, tree),
    spread: NONE,
    search: "",
    filter: "all",
    picture: true,
  });
  const columns = placesOf(width, model.doc.of === "arrays");
  const bands: Band[] = [
    headBand(titleOf(model), model.mesh, badgesOf(model), width),
    titlesBand(model, columns),
    ...lines.slice(0, MOST).map((line) => lineBand(model, line, columns, scheme)),
    footBand(model, width, lines.length - MOST),
  ];
  const marks: Mark[] = [];
  let y = 0;
  for (const [i, band] of bands.entries()) {
    if (i > 0)
      marks.push({
        kind: "line",
        points: [
          [0, y + 0.5],
          [width, y + 0.5],
        ],
        stroke: { color: "line", width: 1 },
      });
    marks.push(...shift(band.marks, 0, y));
    y += band.height;
  }
  const frame: RectMark = {
    kind: "rect",
    x: 0.5,
    y: 0.5,
    w: width - 1,
    h: y - 1,
    r: 8,
    stroke: { color: "line", width: 1 },
  };
  return { width, height: y, marks: [...marks, frame] };
}

function placesOf(width: number, arrays: boolean): Columns {
  const end = width - 8;
  if (width < NARROW) {
    const half = Math.round((START + end) / 2);
    return { source: START, explicit: START, auto: null, concrete: half, verdict: START, end, narrow: true };
  }
  const shares = arrays || width < FULL ? [1.1, 1.3, 0, 1.2, 1] : [1.2, 1.38, 0.82, 1.26, 1.2];
  const total = shares.reduce((a, b) => a + b, 0);
  const at = (n: number) => Math.round((width * shares.slice(0, n).reduce((a, b) => a + b, 0)) / total) + 8;
  return {
    source: START,
    explicit: at(1),
    auto: shares[2] === 0 ? null : at(2),
    concrete: at(3),
    verdict: at(4),
    end,
    narrow: false,
  };
}

function titlesBand(model: ComparisonModel, c: Columns): Band {
  // Each column ends where the next one that is drawn begins; narrow pictures have two.
  const ends = {
    source: c.explicit,
    explicit: c.auto ?? c.concrete,
    auto: c.concrete,
    concrete: c.verdict,
    verdict: 0,
  };
  const marks = columnsOf(model).flatMap(({ key, head, note = "" }) => {
    const x = c.narrow && (key === "source" || key === "verdict") ? null : c[key as keyof typeof ends];
    const next = ends[key as keyof typeof ends];
    const end = next > (x ?? 0) ? next - 8 : c.end;
    return x === null
      ? []
      : [
          label(x, 20, fit(head, end - x, 13), 13, "ink", { weight: 600 }),
          label(x, 37, fit(note, end - x, 12), 12, "muted"),
        ];
  });
  return { marks, height: 48 };
}

function footBand(model: ComparisonModel, width: number, left: number): Band {
  const { doc, mesh } = model;
  const target = doc.program?.target || `${mesh.size} ${doc.mesh.abstract ? "positions" : "devices"}`;
  const notes = [
    left > 0 ? `${count(left, "more line")} of the table.` : "",
    ...wrapped(doc.note, width - 2 * PAD),
  ].filter((s) => s !== "");
  const height = 34 + notes.length * 16;
  return {
    marks: [
      ground(0, width, height, "panel"),
      ...notes.map((text, i) => label(PAD, 22 + 16 * i, text, 12, "muted")),
      label(PAD, height - 12, "×n: copies along an axis", 12, "muted"),
      label(width - PAD, height - 12, target, 12, "muted", { anchor: "end" }),
    ],
    height,
  };
}
