/** The real SpecPlayground in a page. */

import type { Playground, SpecDraft } from "../../src/core/document.gen";
import { specCode } from "../../src/core/spec/spec";
import type { Edits } from "../../src/playground/editor";
import view from "../../src/playground/entry";
import { find, type Mounted, mounting } from "../harness";

export const { start, mount } = mounting<Playground>(view.render, { _edits: {}, _asked: 0, _applied: {} }, 1000);

export const slot = (view: Mounted, place: number | string) => find(view, `[data-place="${place}"]`);
export const code = (view: Mounted) => find(view, ".band.code code").textContent;
export const text = (view: Mounted, selector: string) => view.root.querySelector(selector)?.textContent ?? null;

/** The spec that Python was told last. */
export function told(view: Mounted): string | null {
  const edits = view.model.sentFor("_edits").at(-1) as Edits | undefined;
  const draft: SpecDraft | undefined = edits?.drafts[edits.at];
  return draft ? specCode(draft) : null;
}

export const chip = (view: Mounted, name: string) => find(view, `.palette [data-chip="${name}"]`);

/** A pointer goes down on one element and moves to the middle of another, or to a point; `up` lets go. */
export function drag(view: Mounted, from: Element, to: Element | [number, number], type = "mouse") {
  const editor = find(view, ".editor");
  const middle = (el: Element): [number, number] => {
    const b = el.getBoundingClientRect();
    return [b.left + b.width / 2, b.top + b.height / 2];
  };
  const send = (name: string, at: Element, [clientX, clientY]: [number, number]) =>
    at.dispatchEvent(
      new PointerEvent(name, {
        clientX,
        clientY,
        bubbles: true,
        composed: true,
        pointerId: 1,
        button: 0,
        buttons: 1,
        isPrimary: true,
        pointerType: type,
      }),
    );
  // A pointer that is made by a script cannot be captured.
  editor.setPointerCapture = () => {};
  send("pointerdown", from, middle(from));
  send("pointermove", editor, [middle(from)[0] + 9, middle(from)[1]]);
  const end = to instanceof Element ? middle(to) : to;
  send("pointermove", editor, end);
  return { up: () => send("pointerup", editor, end), cancel: () => send("pointercancel", editor, end) };
}
