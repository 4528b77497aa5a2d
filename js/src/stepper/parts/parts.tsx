/** The parts of one stepper that few readers open, drawn in its shadow root: space-time, keys, why a program stops. */
import { render } from "preact";
import tipStyles from "../../card/tip.css";
import type { Parts } from "../parts";
import { fromText, worked } from "../scene/explain";
import { flightsOf } from "../scene/flights";
import { hitAt, litMarks } from "../scene/hit";
import { mapMarks } from "../scene/mapmarks";
import { readingMarks, stripMarks } from "../scene/strips";
import { wholeMarks } from "../scene/whole";
import { Page } from "../spacetime/page";
import { Space } from "../spacetime/Space";
import spaceStyles from "../spacetime/spacetime.css";
import type { StepperState } from "../state";
import { BlockTip, labelOf } from "./BlockTip";
import { Help } from "./Help";
import { act, goes, turnGroup } from "./keys";
import { Paper } from "./Paper";
import styles from "./parts.css";
import { Trouble } from "./Trouble";
import { Watched } from "./Watched";

export function parts(state: StepperState, root: ShadowRoot): Parts {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(tipStyles + spaceStyles + styles);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const page = new Page(state);
  return {
    space: (host) => render(<Space page={page} />, host),
    paper: (host) => render(<Paper state={state} />, host),
    help: (host) => render(<Help />, host),
    tip: (host) => render(<BlockTip state={state} />, host),
    trouble: (host) => render(<Trouble state={state} />, host),
    watched: (host) => render(<Watched state={state} />, host),
    label: () => labelOf(state),
    act: (key) => act(state, key),
    goes: (key) => goes(state, key),
    paint: (view, theme) => page.paint(view, theme),
    rules: { flightsOf, litMarks, mapMarks, fromText, readingMarks, stripMarks, wholeMarks, worked },
    turnGroup: (by) => turnGroup(state, by),
    hitAt,
    trail: (by) => page.trail(by),
  };
}
