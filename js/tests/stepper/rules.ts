/** What steppers load later, for tests of what they draw with it. */
import { fromText, worked } from "../../src/stepper/scene/explain";
import { flightsOf } from "../../src/stepper/scene/flights";
import { litMarks } from "../../src/stepper/scene/hit";
import { mapMarks } from "../../src/stepper/scene/mapmarks";
import { readingMarks, stripMarks } from "../../src/stepper/scene/strips";
import type { Rules } from "../../src/stepper/scene/view";
import { wholeMarks } from "../../src/stepper/scene/whole";

export const RULES: Rules = { flightsOf, litMarks, mapMarks, fromText, readingMarks, stripMarks, wholeMarks, worked };
