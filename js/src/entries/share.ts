/** The menu that saves a picture: Python draws it, the browser puts it among its downloads. Any card, with a kernel. */

import type { WidgetModel } from "../views/card/widget";
import { Menu } from "../views/share/menu";
import { adopt } from "../views/share/row";
import css from "../views/share/share.css";

/** Puts the menu into a card; returns a function that removes it. */
export default function share(model: WidgetModel, root: ShadowRoot): () => void {
  adopt(root, css);
  const menu = new Menu(model, root);
  return () => menu.end();
}
