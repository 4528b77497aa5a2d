/** Pointer and keyboard over the whole card, listened to in one place: a table of many lines has no listeners of its own. */

import { type Acts, cardKeys, lineKeys, searchKeys } from "../card/keys";
import type { Line } from "./model/lines";
import { tileIn } from "./scene/mini";
import type { ComparisonState } from "./state";

/** Listens on the frame; returns a function that stops listening. */
export function listen(state: ComparisonState, frame: HTMLElement): () => void {
  const end = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(name: K, call: (event: HTMLElementEventMap[K]) => void) =>
    frame.addEventListener(name, call, { signal: end.signal });
  on("click", (event) => click(state, targetOf(event)));
  on("pointermove", (event) => point(state, frame, event));
  on("pointerleave", () => state.set({ hovered: null, pointed: null }));
  const stopKeys = keys(state, frame);
  return () => {
    end.abort();
    stopKeys();
  };
}

/** The element under an event, inside the shadow root too. */
function targetOf(event: Event): Element | null {
  const target = event.composedPath()[0];
  return target instanceof Element ? target : null;
}

function lineAt(state: ComparisonState, target: Element | null): [Line, number] | null {
  const el = target?.closest<HTMLElement>("[data-line]");
  const index = Number(el?.dataset.line);
  const line = el && state.shown()?.lines[index];
  return line ? [line, index] : null;
}

function click(state: ComparisonState, target: Element | null): void {
  const found = lineAt(state, target);
  // Whoever selects text of a row does not mean to open it.
  if (!found || target?.closest("button, a, .stop") || getSelection()?.isCollapsed === false) return;
  const [line, index] = found;
  state.set({ cursor: index });
  enter(state, line);
}

/** Opens or closes what a line stands for. */
function enter(state: ComparisonState, line: Line): void {
  if (line.kind === "fold") state.toggle(line.scope);
  else if (line.kind === "same") state.spread(line.row);
  else state.select(state.now.selection === line.row ? null : line.row);
}

function point(state: ComparisonState, frame: HTMLElement, event: PointerEvent): void {
  const target = targetOf(event);
  const [line] = lineAt(state, target) ?? [null];
  state.set({ hovered: line && line.kind !== "fold" && line.kind !== "same" ? line.row : null });
  const shown = state.shown();
  const row = line && shown?.model.row(line.row);
  const image = target?.closest<HTMLElement>("[data-picture]");
  const which = image?.dataset.picture;
  const value = row?.values[Number(image?.closest<HTMLElement>("[data-value]")?.dataset.value ?? 0)];
  const layout = which?.startsWith("fix ")
    ? row?.error?.fixes[Number(which.slice(5))]?.layout
    : value?.[which === "concrete" ? "concrete" : "explicit"];
  const placement = image && value && layout ? shown?.model.placement(value, layout) : null;
  if (!image || !shown || !placement) {
    state.set({ pointed: null });
    return;
  }
  const picture = shown.pictures.of(placement);
  const box = image.getBoundingClientRect();
  const tile = tileIn(picture.mini, event.clientX - box.left - 1, event.clientY - box.top - 1);
  const now = state.now.pointed;
  if (tile === null) state.set({ pointed: null });
  else if (now?.picture !== picture || now.tile !== tile || now.name !== value?.name) {
    const { left, top } = frame.getBoundingClientRect();
    const at = { x: box.left - left, y: box.top - top, w: box.width, h: box.height };
    state.set({ pointed: { picture, name: value?.name ?? "", tile, at } });
  }
}

const keys = cardKeys((state: ComparisonState, target, find): Acts => {
  const search = find("input[type=search]");
  return (
    searchKeys(target, state, () => find(".table")) ?? {
      ...(search && { "/": () => search.focus() }),
      n: () => state.walk()?.go(1),
      ...(target.matches(".table") && walk(state)),
    }
  );
});

/** What keys do in the table. */
function walk(state: ComparisonState): Acts {
  const { cursor, selection } = state.now;
  const lines = state.shown()?.lines ?? [];
  const line = lines[cursor];
  if (!line) return {};
  const fold = line.kind === "fold" || line.kind === "same" ? line : null;
  return {
    ...lineKeys(state),
    ArrowRight: () => (fold && !fold.open ? enter(state, fold) : state.move(cursor + 1)),
    ArrowLeft: () => {
      if (fold?.open) enter(state, fold);
      else state.move(around(lines, cursor));
    },
    Enter: () => {
      const lit = state.lit();
      if (lit === null) enter(state, line);
      else state.open(lit);
    },
    " ": () => enter(state, line),
    d: () => state.ask(state.now.asked + 1),
    w: () => line.kind === "row" && line.row !== selection && state.select(line.row),
    "[": () => state.along(-1),
    "]": () => state.along(1),
    Escape: () => selection !== null && state.select(null),
  };
}

/** The head of what a line stands in; the line itself at the top. */
function around(lines: readonly Line[], index: number): number {
  const depth = lines[index]?.depth ?? 0;
  for (let i = index - 1; i >= 0; i--) if (lines[i]?.kind === "fold" && (lines[i]?.depth ?? 0) < depth) return i;
  return index;
}
