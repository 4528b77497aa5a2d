/** A page without a kernel: a small model over a saved state, in place of the notebook's. */

import { fixedModel } from "../card/fixed";
import type { WidgetModel } from "../card/widget";
import { checkNumbers } from "../core/checked";
import { reviveBytes } from "../core/saved";
import { printValues } from "../share/values";
import { saveButton } from "./saved";

type Render = (props: { model: WidgetModel; el: HTMLElement }) => unknown;

/**
 * Draws a saved state into an element. Failure is shown there as text; it is never thrown and never blank.
 * Sets `data-ready` to `true`, or to `error`, when it is done.
 */
export async function mount(element: HTMLElement, state: unknown, render: Render): Promise<void> {
  try {
    const model = savedModel(state);
    await render({ model, el: element });
    const root = element.querySelector(".shardwidget")?.shadowRoot;
    if (root) {
      saveButton(root);
      printValues(model, root);
    }
    element.dataset.ready = "true";
  } catch (error) {
    const message = document.createElement("p");
    message.setAttribute("role", "alert");
    message.textContent = `shardwidget cannot draw this saved picture. ${error instanceof Error ? error.message : error}`;
    element.replaceChildren(message);
    element.dataset.ready = "error";
  }
}

function savedModel(state: unknown): WidgetModel {
  if (typeof state !== "object" || state === null || !("_document" in state)) {
    throw new Error("The saved state has no document: the file is damaged or truncated.");
  }
  const traits = new Map(Object.entries(state).map(([name, value]) => [name, reviveBytes(value)]));
  // Anybody may have edited the page.
  for (const value of traits.values()) checkNumbers(value);
  const look = traits.get("_look") as { theme?: unknown } | null | undefined;
  if (!["auto", "light", "dark"].includes(look?.theme as string)) traits.set("_look", { ...look, theme: "auto" });
  // A saved document contains its values, so that they are in the file only once.
  const saved = traits.get("_document") as { values?: unknown } | null;
  traits.set("_values", saved?.values ?? null);
  return fixedModel(traits);
}
