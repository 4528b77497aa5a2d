/** One of every kind of card, for what holds of all of them. */

import { wire as algorithms } from "./algorithms/algorithms";
import { mount as mountAlgorithms } from "./algorithms/harness";
import { mount as mountArray } from "./array/harness";
import { comparison as types } from "./comparison/comparisons";
import { mount as mountComparison } from "./comparison/harness";
import { wire as difference } from "./diff/diffs";
import { mount as mountDiff } from "./diff/harness";
import { array, block, mesh, values } from "./documents";
import { mount as mountExercise } from "./exercise/harness";
import { ALL, LEAF, sheet } from "./exercise/sheets";
import type { Mounted } from "./harness";
import { wire as namespace } from "./inspector/documents";
import { mount as mountInspector } from "./inspector/harness";
import { mount as mountKernel } from "./kernel/harness";
import { wire as kernel } from "./kernel/kernels";
import { mount as mountLinks } from "./links/harness";
import { wire as links } from "./links/links";
import { mount as mountMpmd } from "./mpmd/harness";
import { wire as mpmd } from "./mpmd/mpmds";
import { mount as mountPipeline } from "./pipeline/harness";
import { wire as schedule } from "./pipeline/schedules";
import { axis, draft, on, playground } from "./playground/documents";
import { mount as mountPlayground } from "./playground/harness";
import { mount as mountProgram } from "./program/harness";
import { wire as memory } from "./program/memory/memories";
import { wire as overlap } from "./program/overlap/overlaps";
import { program, wire as programs, silent } from "./program/programs";
import { mount as mountReshard } from "./reshard/harness";
import { wire as plan } from "./reshard/reshards";
import { mount as mountRun } from "./run/harness";
import { wire as run } from "./run/runs";
import { mount as mountSearch } from "./search/harness";
import { wire as search } from "./search/searches";
import { mount as mountStepper } from "./stepper/harness";
import { trace } from "./stepper/traces";
import { mountCompared, mount as mountModel } from "./tree/harness";
import { wire as model, comparisonWire as trees } from "./tree/models";

export type Mount = (width: number) => Promise<Mounted>;
type Views = Readonly<Record<string, Mount>>;

const placed = () => array(mesh({ x: 4, y: 2 }), [8, 16], ["x", "y"]);

const LONG = mesh({ replica: 2, data: 2, sequence: 2, model: 2 });

/** Arrays of many kinds: a mesh's size and names decide how the card looks. */
export const ARRAYS: Views = {
  sharded: (width) => mountArray(placed(), {}, { width }),
  long: (width) =>
    mountArray(array(mesh({ tensor_parallel: 4, data: 2 }), [8, 16], ["tensor_parallel", "data"]), {}, { width }),
  "3 long axes": (width) =>
    mountArray(
      array(mesh({ replica: 2, data: 2, sequence: 4 }), [16, 32], ["data", ["replica", "sequence"]]),
      {},
      { width },
    ),
  "4 long axes": (width) =>
    mountArray(
      array(
        LONG,
        [16, 32],
        [
          ["replica", "data"],
          ["sequence", "model"],
        ],
      ),
      {},
      { width },
    ),
  "4 long axes, replicated": (width) => mountArray(array(LONG, [16, 32], ["data"]), {}, { width }),
  "4 axes of 128": (width) =>
    mountArray(
      array(
        mesh({ replica_group: 4, data_parallel: 4, sequence: 2, tensor_model: 4 }),
        [64, 128],
        [
          ["replica_group", "data_parallel"],
          ["sequence", "tensor_model"],
        ],
      ),
      {},
      { width },
    ),
  "64 devices": (width) => mountArray(array(mesh({ x: 8, y: 8 }), [1024, 1024], ["x", "y"]), {}, { width }),
  pod: (width) => mountArray(array(mesh({ x: 16, y: 16, z: 16 }), [65536, 65536], [["x", "y"], "z"]), {}, { width }),
  "a pod with copies": (width) =>
    mountArray(array(mesh({ data: 16, fsdp: 16, tensor: 16 }), [4096, 32768], ["fsdp", "tensor"]), {}, { width }),
  vector: (width) => mountArray(array(mesh({ x: 4, y: 2 }), [32], [["x", "y"]]), {}, { width }),
  copies: (width) => mountArray(array(mesh({ x: 4, y: 2 }), [8, 16], ["x"]), {}, { width }),
  "4096 devices": (width) => mountArray(array(mesh({ x: 64, y: 64 }), [65536, 65536], ["x", "y"]), {}, { width }),
  "a pod of 4 axes": (width) =>
    mountArray(
      array(
        mesh({ pod: 4, data: 8, sequence: 8, model: 16 }),
        [4096, 4096, 128],
        [["pod", "data"], "sequence", "model"],
      ),
      {},
      { width },
    ),
  "planes of values": (width) => {
    const numbers = Array.from({ length: 48 }, (_, i) => Math.sin(i));
    const blocks = Array.from({ length: 8 }, (_, device) => block(device, [3, 1, 4, 4], numbers));
    const document = array(mesh({ x: 4, y: 2 }), [3, 4, 8, 4], [null, "x", "y"], { values: values(...blocks) });
    return mountArray(document, { color_by: "values" }, { width });
  },
  facets: (width) => mountArray(array(mesh({ x: 4, y: 2 }), [16, 8, 64, 4], ["x", null, "y", null]), {}, { width }),
  "three split dimensions": (width) => {
    const note = "as they were when the array was shown; it no longer exists";
    const numbers = Array.from({ length: 512 }, (_, i) => i);
    const read = { blocks: [block(0, [8, 8, 8], numbers)], note };
    const on = mesh({ data: 2, seq: 2, model: 2 });
    return mountArray(array(on, [16, 16, 16], ["data", "seq", "model"], { values: read }), {}, { width });
  },
};

const TROUBLE = { trouble: "its rates are not known" };

/** Every other kind. */
const LONG_NAMES = draft({
  axes: [axis("data_parallel_replica", 4), axis("tensor_model_parallel", 2)],
  shape: [64, 128],
});

const THREE_AXES = draft({
  axes: [axis("data", 4), axis("fsdp", 4), axis("tensor", 2)],
  shape: [64, 128, 256],
  entries: [on("fsdp"), on(), on("tensor")],
});

export const OTHERS: Views = {
  "programs before and after": (width) => mountDiff(difference("training"), {}, { width }),
  "lowered and compiled": (width) => mountDiff(difference("lowered"), {}, { width }),
  "traces of two functions": (width) => mountDiff(difference("traces"), {}, { width }),
  "types before and after": (width) => mountDiff(difference("comparison"), {}, { width }),
  links: (width) => mountLinks(links("orders"), {}, { width }),
  kernel: (width) => mountKernel(kernel("race"), {}, { width }),
  search: (width) => mountSearch(search("compiled"), {}, { width }),
  playground: (width) => mountPlayground(playground(), {}, { width }),
  ...Object.fromEntries(
    [...ALL, LEAF].map((question) => [
      `exercise: ${question.name}`,
      (width: number) => mountExercise(sheet(question), {}, { width }),
    ]),
  ),
  exercises: (width) => mountExercise(sheet(...ALL), {}, { width }),
  model: (width) => mountModel(model("state"), {}, { width }),
  "trees side by side": (width) => mountCompared(trees("three"), {}, { width }),
  "playground, three axes": (width) => mountPlayground(playground(THREE_AXES, { name: "q" }), {}, { width }),
  "playground, long names": (width) => mountPlayground(playground(LONG_NAMES, { name: "kernel" }), {}, { width }),
  comparison: (width) => mountComparison(types("training"), {}, { width }),
  program: (width) => mountProgram(program("training"), {}, { width }),
  "program without collectives": (width) =>
    mountProgram(silent(), { _pages: { "memory 0": memory("plain"), "overlap 0": TROUBLE } }, { width }),
  programs: (width) => mountProgram(programs("layouts"), {}, { width }),
  memory: (width) =>
    mountProgram(program("training"), { page: "memory", _pages: { "memory 0": memory("training") } }, { width }),
  overlap: (width) =>
    mountProgram(program("training"), { page: "overlap", _pages: { "overlap 0": overlap("training") } }, { width }),
  inspector: (width) => mountInspector(namespace("session"), {}, { width }),
  mpmd: (width) => mountMpmd(mpmd("remote"), {}, { width }),
  algorithms: (width) => mountAlgorithms(algorithms("psum"), {}, { width }),
  pipeline: (width) => mountPipeline(schedule("one_f_one_b"), {}, { width }),
  schedules: (width) => mountPipeline(schedule("compared"), {}, { width }),
  plan: (width) => mountReshard(plan("large"), {}, { width }),
  put: (width) => mountReshard(plan("put"), {}, { width }),
  run: (width) => mountRun(run("step"), {}, { width }),
  "runs side by side": (width) => mountRun(run("compared"), {}, { width }),
  stepper: (width) => mountStepper(trace("psum"), {}, { width }),
};

export const VIEWS: Views = { ...ARRAYS, ...OTHERS };

/** Second ones of those that have parts with names. */
export const MORE: Views = {
  program: (width) => mountProgram(program("shard_map"), {}, { width }),
  memory: (width) =>
    mountProgram(program("shard_map"), { page: "memory", _pages: { "memory 0": memory("plain") } }, { width }),
  pipeline: (width) => mountPipeline(schedule("zb_v"), {}, { width }),
  run: (width) => mountRun(run("many"), {}, { width }),
  stepper: (width) => mountStepper(trace("all_gather"), {}, { width }),
  playground: (width) => mountPlayground(playground(undefined, { name: "w" }), {}, { width }),
  mpmd: (width) => mountMpmd(mpmd("large"), {}, { width }),
};
