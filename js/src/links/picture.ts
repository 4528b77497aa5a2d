/** Device orders without a page. */
import type { Picture, SavedState } from "../picture/picture";
import { decodeLinks, OrderModel, planeOf } from "./model/links";
import { linksScene } from "./scene/card";

interface State extends SavedState {
  order?: number;
}

export default {
  kinds: ["links"],
  draw({ _document, order = 0 }, { width, scheme }) {
    const doc = decodeLinks(_document);
    const models = doc.orders.map((one) => new OrderModel(one));
    const at = Math.min(order, models.length - 1);
    return [linksScene(doc, { models, at, plane: planeOf(models[at]), focus: -1 }, width, scheme), doc.answer];
  },
} satisfies Picture<State>;
