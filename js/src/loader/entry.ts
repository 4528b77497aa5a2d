/**
 * The front end of a widget in a Jupyter kernel. The bundle that draws it is no trait of its own: one model has the
 * text for all widgets of the kernel, and a page runs it once.
 */
import { loaded } from "../card/loaded";
import type { WidgetModel } from "../card/widget";

/** What ipywidgets writes before the id of a model that a trait refers to. */
const REFERENCE = "IPY_MODEL_";

interface Bundle {
  default: { render(place: { model: WidgetModel; el: HTMLElement }): () => void };
}

/** A widget's model: `_sources` names, for each trait that Python did not fill, the model that has its text. */
export interface ReferringModel extends WidgetModel {
  widget_manager?: { get_model(id: string): Promise<{ get(name: string): unknown }> };
}

/**
 * For how many milliseconds texts are looked for, and after how many again: a notebook that opens makes its models anew.
 * JupyterLab takes seconds to say that it has none.
 */
const PATIENCE = 20_000;
const PAUSE = 250;

/** Draws the widget; where its texts cannot be found, the kernel sends them, and the whole bundle in this one's place. */
async function render({ model, el }: { model: ReferringModel; el: HTMLElement }): Promise<(() => void) | undefined> {
  let texts: ReadonlyMap<string, string>;
  try {
    texts = await found(model);
  } catch {
    el.textContent = "shardwidget's front end is not in this page. Run the cell again.";
    model.set("_alone", true);
    model.save_changes();
    return;
  }
  const bundle = await loaded<Bundle>(texts.get("_esm") ?? "");
  const whole: WidgetModel = { ...model, get: (name) => texts.get(name) ?? model.get(name) };
  return bundle.default.render({ model: whole, el });
}

/**
 * The texts, once the page's widget manager has all models.
 *
 * @throws unknown it has not had them for a while, or there is none.
 */
async function found(model: ReferringModel, since = Date.now()): Promise<ReadonlyMap<string, string>> {
  try {
    return await textsOf(model);
  } catch (error) {
    if (Date.now() - since > PATIENCE || !model.widget_manager) throw error;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    return found(model, since);
  }
}

/**
 * Texts by the names of the traits that they stand for.
 *
 * @throws unknown a model is not on the page, or the page finds none.
 */
async function textsOf(model: ReferringModel): Promise<ReadonlyMap<string, string>> {
  const sources = Object.entries(model.get("_sources") as Record<string, string>);
  const all = sources.map(async ([name, id]) => {
    const source = await model.widget_manager?.get_model(id.slice(REFERENCE.length));
    const text = source?.get("text");
    if (typeof text !== "string") throw new Error(`no text for ${name}`);
    return [name, text] as const;
  });
  return new Map(await Promise.all(all));
}

export default { render };
