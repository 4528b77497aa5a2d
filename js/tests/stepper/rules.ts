/** What steppers load later, for tests of what they draw with it. */
export { RULES } from "../../src/stepper/scene/rules";
