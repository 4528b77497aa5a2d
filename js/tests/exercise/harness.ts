/** The real sheet of exercises in a page. */
import view from "../../src/exercise/entry";
import { mounting } from "../harness";

export const { start, mount } = mounting<unknown>(view.render, { current: 0, _asked: {}, _heard: 0 }, 1100);
