/** The real sheet in a page, with a model in place of the notebook's. */
import { render } from "../../src/entries/exercise";
import { drawn, FakeModel, type Mounted, type Place } from "../widget/harness";

export async function mountSheet(
  document: unknown,
  traits: Record<string, unknown> = {},
  place: Place = {},
): Promise<Mounted> {
  const el = window.document.createElement("div");
  el.style.width = `${place.width ?? 1100}px`;
  el.style.background = place.background ?? "#fff";
  window.document.body.append(el);
  const model = new FakeModel({ _document: document, _static: false, current: 0, _asked: {}, _heard: 0, ...traits });
  const end = render({ model, el });
  const frame = el.querySelector<HTMLElement>(".shardwidget");
  if (!frame?.shadowRoot) throw new Error("the widget made no frame");
  const mounted = {
    model,
    frame,
    root: frame.shadowRoot,
    stop() {
      end();
      if (el.childElementCount > 0) throw new Error(`the widget left ${el.innerHTML}`);
      el.remove();
    },
  };
  await drawn(mounted);
  return mounted;
}
