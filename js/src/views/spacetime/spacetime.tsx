/** The space-time view of one stepper, in its shadow root. */
import { render } from "preact";
import type { SpacePage } from "../stepper/space";
import type { StepperState } from "../stepper/state";
import { Page } from "./page";
import { Space } from "./Space";
import css from "./spacetime.css";

export function spacetime(state: StepperState, root: ShadowRoot): SpacePage {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const page = new Page(state);
  return {
    draw: (host) => render(<Space page={page} />, host),
    picture: (view) => page.picture(view),
    trail: (by) => page.trail(by),
  };
}
