/** What differs, without a page. */
import type { Picture, SavedState } from "../picture/picture";
import type { Order } from "./model/diff";
import { decodeDiff, diffOf, KINDS } from "./model/kinds";
import { decodeSteps, nameOf } from "./model/steps";
import { diffScene } from "./scene/card";
import { tracesScene } from "./scene/traces";

interface State extends SavedState {
  selection?: number;
  sort?: Order;
}

export default {
  kinds: [...KINDS, "trace diff"],
  draw({ _document, selection = -1, sort = "time" }, { width, scheme }) {
    if (Object(_document).kind === "trace diff") {
      const traces = decodeSteps(_document);
      return [tracesScene(traces, { width, scheme, selection }), `${nameOf(traces)}: ${traces.verdict}`];
    }
    const diff = diffOf(decodeDiff(_document), sort);
    return [diffScene(diff, { width, selected: selection }), `${diff.name}: ${diff.verdict}`];
  },
} satisfies Picture<State>;
