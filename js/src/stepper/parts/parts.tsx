/** The parts of one stepper that few readers open, drawn in its shadow root: space-time, keys, why a program stops. */
import { render } from "preact";
import { AllKeys } from "../../card/KeyedFoot";
import keyedStyles from "../../card/keyed.css";
import tipStyles from "../../card/tip.css";
import type { Parts } from "../parts";
import { hitAt } from "../scene/hit";
import { RULES } from "../scene/rules";
import { Page } from "../spacetime/page";
import { Space } from "../spacetime/Space";
import spaceStyles from "../spacetime/spacetime.css";
import type { StepperState } from "../state";
import { Bill } from "./Bill";
import { BlockTip, labelOf } from "./BlockTip";
import { Changed } from "./Changed";
import { Filters } from "./Filters";
import { act, goes, KEYS } from "./keys";
import { Pager } from "./Pager";
import { Paper } from "./Paper";
import styles from "./parts.css";
import { lengthsOf, railsOf } from "./rails";
import { Trouble } from "./Trouble";
import { Watched } from "./Watched";

export function parts(state: StepperState, root: ShadowRoot): Parts {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(keyedStyles + tipStyles + spaceStyles + styles);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const page = new Page(state);
  return {
    space: (host) => render(<Space page={page} />, host),
    paper: (host) => render(<Paper state={state} />, host),
    bill: (host) => render(<Bill state={state} />, host),
    filters: (host) => render(<Filters state={state} />, host),
    changed: (host) => render(<Changed state={state} />, host),
    over: (host) => render([<Pager state={state} key="pager" />, <BlockTip state={state} key="tip" />], host),
    trouble: (host) => render(<Trouble state={state} />, host),
    watched: (host) => render(<Watched state={state} />, host),
    label: () => labelOf(state),
    keys: (host) => render(<AllKeys of={KEYS} />, host),
    act: (key) => act(state, key),
    goes: (key) => goes(state, key),
    paint: (view, theme) => page.paint(view, theme),
    rules: RULES,
    railsOf,
    lengthsOf,
    hitAt,
    trail: (by) => page.trail(by),
  };
}
