/** The real AlgorithmView in a page. */
import view from "../../src/entries/algorithms";
import type { Algorithms } from "../../src/model/document.gen";
import { mounting } from "../harness";

const initial = { nbytes: 2 ** 20, pair: ["ring", "halving-doubling"] };

export const { start, mount } = mounting<Algorithms>(view.render, initial, 934);
