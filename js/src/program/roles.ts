/** What each part of the table is to a screen reader: a grid, of which only the grid itself takes focus. */

export function grid(label: string, lines: number, active: string | undefined) {
  return {
    role: "grid",
    "aria-label": label,
    "aria-rowcount": lines + 1,
    "aria-activedescendant": active,
    tabIndex: 0,
  } as const;
}

export const HEADS = { role: "row", "aria-rowindex": 1, class: "line heads" } as const;

/** `sorted`: in which direction, if it is sorted by this column. */
export function head(column: string, sorted: "ascending" | "descending" | null) {
  return { role: "columnheader", class: column, "aria-sort": sorted ?? "none" } as const;
}

export function row(at: number, line: number, selected: boolean, current: boolean) {
  return {
    role: "row",
    id: `line-${at}`,
    "aria-rowindex": line + 2,
    "aria-selected": selected,
    class: current ? "line current" : "line",
  } as const;
}

export function cell(column: string) {
  return { role: "gridcell", class: column } as const;
}
