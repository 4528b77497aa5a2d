/** What steppers load later, by which more of a step is drawn and said. */
import { transitText } from "../model/transit";
import { equalMarks } from "./equals";
import { fromText, said } from "./explain";
import { flightsOf } from "./flights";
import { litMarks } from "./hit";
import { lineMarks } from "./line";
import { mapMarks } from "./mapmarks";
import { roundsStage } from "./rounds";
import { barMarks, readingMarks, stripMarks } from "./strips";
import { resting } from "./transit";
import type { Rules } from "./view";
import { wayMarks } from "./ways";
import { wholeMarks } from "./whole";

export const RULES: Rules = {
  barMarks,
  equalMarks,
  flightsOf,
  fromText,
  lineMarks,
  litMarks,
  mapMarks,
  readingMarks,
  resting,
  roundsStage,
  said,
  stripMarks,
  transitText,
  wayMarks,
  wholeMarks,
};
