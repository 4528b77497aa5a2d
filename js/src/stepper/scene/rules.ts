/** What steppers load later, by which more of a step is drawn and said. */
import { transitText } from "../model/transit";
import { equalMarks } from "./equals";
import { fromText, worked } from "./explain";
import { flightsOf } from "./flights";
import { litMarks } from "./hit";
import { mapMarks } from "./mapmarks";
import { readingMarks, stripMarks } from "./strips";
import { resting } from "./transit";
import type { Rules } from "./view";
import { wholeMarks } from "./whole";

export const RULES: Rules = {
  equalMarks,
  flightsOf,
  fromText,
  litMarks,
  mapMarks,
  readingMarks,
  resting,
  stripMarks,
  transitText,
  wholeMarks,
  worked,
};
