/** Keys of the places of a spec. */
import type { KeyWords } from "../card/Foot";
import type { SpecDraft } from "../core/document.gen";
import { axesAt, clear, isUsed, type Place, take } from "../core/spec/spec";
import type { SpecEditor } from "./editor";

/** Keys as a foot shows them, the most useful first: axes by their first letters. */
export function keysOf(editor: SpecEditor): KeyWords {
  const letters = [...new Set(editor.draft().axes.map((a) => a.name[0] ?? ""))].slice(0, 3);
  return [
    [letters.join(" "), "put an axis"],
    ["Del", "take away"],
    ["← →", "slots"],
    ...(editor.doc.fixed ? [] : [["?", "UNCONSTRAINED"] as const]),
    ["Ctrl Z", "undo"],
    ["Ctrl Y", "redo"],
  ];
}

/** Handles a key at a place; returns whether it did. */
export function onKey(editor: SpecEditor, place: Place, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const draft = editor.kept();
  const { cursor } = editor.now;
  switch (event.key) {
    case "ArrowLeft":
      editor.moveCursor(cursor - 1);
      return true;
    case "ArrowRight":
      editor.moveCursor(cursor + 1);
      return true;
    case "Home":
      editor.moveCursor(0);
      return true;
    case "End":
      editor.moveCursor(Number.POSITIVE_INFINITY);
      return true;
    case "Delete":
      editor.edit(clear(draft, place));
      return true;
    case "Backspace": {
      const last = axesAt(draft, place).length - 1;
      editor.edit(last < 0 ? clear(draft, place) : take(draft, { place, index: last }));
      return true;
    }
    case "?":
      if (typeof place === "number") editor.drop(null, place);
      return true;
    case "Escape":
      if (editor.now.armed === undefined) return false;
      editor.set({ armed: undefined });
      return true;
  }
  const name = axisOf(draft, event.key);
  if (name === null) return false;
  editor.drop(name, place);
  return true;
}

/** The axis that a key means: by its number in the mesh, or by its first letter, unused axes first. */
export function axisOf(draft: SpecDraft, key: string): string | null {
  if (/^[1-9]$/.test(key)) return draft.axes[Number(key) - 1]?.name ?? null;
  if (key.length !== 1) return null;
  const named = draft.axes.map((a) => a.name).filter((n) => n.startsWith(key));
  return named.find((n) => !isUsed(draft, n)) ?? named[0] ?? null;
}

/** Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y anywhere in the card but where text is typed, and Escape; returns a way to stop. */
export function historyKeys(current: () => SpecEditor | null, frame: HTMLElement): () => void {
  const listen = (event: KeyboardEvent) => {
    const editor = current();
    if (!editor) return;
    if (event.key === "Escape" && editor.now.drag) editor.release(false);
    const typed = event.composedPath()[0] instanceof HTMLInputElement;
    if (typed || event.altKey || !(event.ctrlKey || event.metaKey)) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    editor.step(key === "y" || event.shiftKey ? 1 : -1);
    event.preventDefault();
    event.stopPropagation();
  };
  frame.addEventListener("keydown", listen);
  return () => frame.removeEventListener("keydown", listen);
}
