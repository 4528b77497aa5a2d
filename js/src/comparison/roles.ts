/** What each part of the table is to a screen reader: a tree in a grid, of which only the grid itself takes focus. */
import { VALUES } from "../core/columns.gen";
import type { Line } from "./model/lines";

export const GROUP = { role: "rowgroup" } as const;

export const HEADS = { role: "row", "aria-rowindex": 1, class: "line" } as const;

export function head(column: string) {
  return { role: "columnheader", class: column } as const;
}

export function cell(column: string) {
  return { role: "gridcell", class: column } as const;
}

/** A cell across the whole table. */
export const ACROSS = { role: "gridcell", "aria-colspan": VALUES.length - 1 } as const;

export function grid(label: string, lines: number, active: string | undefined) {
  return {
    role: "treegrid",
    "aria-label": label,
    "aria-rowcount": lines + 1,
    "aria-activedescendant": active,
    tabIndex: 0,
  } as const;
}

export interface Standing {
  line: Line;
  /** Index in the table. */
  index: number;
  current: boolean;
  selected: boolean;
}

/** `expanded` of a line that opens: whether it is open. */
export function rowProps({ line, index, current, selected }: Standing, kind: string, expanded?: boolean) {
  return {
    role: "row",
    id: `line-${line.key}`,
    "data-line": index,
    "aria-rowindex": index + 2,
    "aria-level": line.depth + 1,
    "aria-selected": selected,
    "aria-expanded": expanded,
    class: `line ${kind}${current ? " current" : ""}`,
    style: line.bracket > 0 ? { "--depth": line.depth, "--bracket": line.bracket } : { "--depth": line.depth },
  } as const;
}

export function details(level: number) {
  return { role: "row", "aria-level": level, class: "line details" } as const;
}
