/** The real AlgorithmView in a page. */
import view from "../../src/algorithms/entry";
import type { Algorithms } from "../../src/core/document.gen";
import { mounting } from "../harness";

const initial = { nbytes: 2 ** 20, pair: ["ring", "halving-doubling"] };

export const { start, mount } = mounting<Algorithms>(view.render, initial, 934);
