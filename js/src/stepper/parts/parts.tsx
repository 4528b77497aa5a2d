/** The parts of one stepper that few readers open, drawn in its shadow root: space-time, keys, why a program stops. */
import { render } from "preact";
import tipStyles from "../../card/tip.css";
import type { Parts } from "../parts";
import { fromText, sourceMarks, worked } from "../scene/explain";
import { Page } from "../spacetime/page";
import { Space } from "../spacetime/Space";
import spaceStyles from "../spacetime/spacetime.css";
import type { StepperState } from "../state";
import { BlockTip } from "./BlockTip";
import { Help } from "./Help";
import styles from "./parts.css";
import { Trouble } from "./Trouble";

export function parts(state: StepperState, root: ShadowRoot): Parts {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(tipStyles + spaceStyles + styles);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const page = new Page(state);
  return {
    space: (host) => render(<Space page={page} />, host),
    help: (host) => render(<Help />, host),
    tip: (host) => render(<BlockTip state={state} />, host),
    trouble: (host) => render(<Trouble state={state} />, host),
    paint: (view, theme) => page.paint(view, theme),
    rules: { sourceMarks, fromText, worked },
    trail: (by) => page.trail(by),
  };
}
