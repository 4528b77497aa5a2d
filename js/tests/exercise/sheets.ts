/** Sheets of exercises made by hand. */
import type { Exercises, Feedback, Field, Question } from "../../src/core/document.gen";
import { alone, array, mesh } from "../documents";
import { draft, playground } from "../playground/documents";

export const MESH = mesh({ x: 4, y: 2 });

export const field = (name: string, form: Field["form"], rest: Partial<Field> = {}): Field => ({
  name,
  label: name,
  form,
  options: [],
  sizes: [],
  shape: [],
  example: "",
  ...rest,
});

export const feedback = (verdict: Feedback["verdict"], rest: Partial<Feedback> = {}): Feedback => ({
  verdict,
  message: "8 rows over x=4 leave 2; blocks need 4.",
  question: "What cuts 8 into pieces of 4?",
  gives: "",
  parts: [],
  figure: null,
  error: "",
  said: "",
  ...rest,
});

export const SPEC = field("spec", "spec", { example: "P(None)" });

/** Asks for a spec, by a playground. */
export const spec = (name: string, rest: Partial<Question> = {}): Question =>
  question(name, [SPEC], { playground: playground(draft(), { fixed: true }), ...rest });

export const question = (name: string, fields: readonly Field[], rest: Partial<Question> = {}): Question => ({
  name,
  task: "write_spec",
  prompt: "Split `f32[8,16]` on mesh x=4, y=2.",
  mesh: MESH,
  fields,
  playground: null,
  figures: [],
  goal: "",
  target: "exercise",
  hints: [],
  hints_left: 2,
  attempts: 0,
  passed: false,
  answer: [],
  feedback: null,
  ...rest,
});

export const sheet = (...questions: readonly Question[]): Exercises => ({
  mesh: MESH,
  questions,
  name: "",
  student: "",
  kept: "",
  notes: [],
  record: "",
  jax_version: "0.10.2",
  kind: "exercises",
  version: 1,
});

const figure = { title: "", placement: null, listing: null, types: [], tables: [] };

const LEAVES = Array.from({ length: 24 }, (_, i) => `params/layers/${i}/up`);

/** Asks for an array of a tree. */
export const LEAF = question("leaf", [field("path", "choice", { options: LEAVES })], {
  task: "find_leaf",
  figures: [{ ...figure, types: LEAVES.map((name) => `${name}: f32[4096@x,1024]`) }],
});

const ROW = ["can run meanwhile", "must run before", "must wait for it"];
const KERNEL = Array.from({ length: 19 }, (_, i) => `    copy${i} = pltpu.make_async_copy(slots.at[1 - now], out_ref)`);
const listed = (title: string, lines: readonly string[]) => ({
  ...figure,
  title,
  listing: { file: "", first_line: 1, lines: ["def kernel(out_ref, slots):", ...lines] },
});

/** Asks about the lines of a long kernel, each of which is a choice. */
export const RACE = question(
  "race",
  [
    field("buffer", "choice", { options: ["x_ref", "out_ref", "slots"] }),
    ...["one line", "the other line"].map((name) => field(name, "choice", { options: KERNEL.slice(0, 5) })),
  ],
  { task: "find_race", figures: [listed("kernel", KERNEL)] },
);

/** Asks the same of several lines. */
export const OVERLAP = question(
  "overlap",
  ["scaled = w * 2", "h = jnp.tanh(x)", "y = h @ whole"].map((name) => field(name, "choice", { options: ROW })),
  { task: "may_overlap", figures: [listed("layer", KERNEL.slice(0, 3))] },
);

/** Asks for a block of an array, of which the mesh alone is drawn. */
export const BLOCK = question(
  "block",
  ["local shape", "copies of each block", "slice that device 5 holds"].map((name) => field(name, "text")),
  {
    task: "read_placement",
    figures: [{ ...figure, types: ["f32[8@x,16]   P('x', None)"], placement: alone(MESH) }],
  },
);

/** One question of each form, some of them answered. */
export const ALL: readonly Question[] = [
  spec("spec", {
    goal: "f32[4,4]",
    figures: [{ ...figure, title: "wanted", placement: array(MESH, [8, 16], ["y", "x"]) }],
    attempts: 1,
    answer: [{ field: "spec", text: "P('x', 'y')" }],
    feedback: feedback("partly", { gives: "f32[2,8]", parts: [{ field: "spec", right: false, note: "", cells: [] }] }),
  }),
  question("devices", [field("holders", "devices")], {
    task: "read_placement",
    prompt: "Which devices hold element `(5, 3)`?",
    figures: [{ ...figure, types: ["f32[8@x,16]   P('x', None)"], placement: array(MESH, [8, 16], ["x"]) }],
    hints: ["Find the coordinate along x."],
    hints_left: 0,
    attempts: 2,
    answer: [{ field: "holders", text: "1, 4" }],
    feedback: feedback("partly", {
      parts: [{ field: "holders", right: false, note: "", cells: [false, true] }],
      figure: { ...figure, title: "here it would be right", placement: array(MESH, [8, 16], ["x", "y"]) },
    }),
  }),
  question("choice", [field("error", "choice", { options: ["it runs", "ValueError", "TypeError"] })], {
    task: "predict_error",
    figures: [
      { ...figure, title: "f", listing: { file: "", first_line: 1, lines: ["def f(a):", "    return a @ a"] } },
    ],
    attempts: 1,
    passed: true,
    answer: [{ field: "error", text: "TypeError" }],
    feedback: feedback("right", {
      question: "",
      parts: [{ field: "error", right: true, note: "", cells: [] }],
      error: "TypeError",
      said: "dot_general requires contracting dimensions to have the same shape",
    }),
  }),
  question("grid", [field("block", "grid", { shape: [2, 2] })], {
    task: "fill_block",
    figures: [{ ...figure, title: "before psum", tables: [{ title: "a on device 0", rows: [["0", "1"]] }] }],
    attempts: 1,
    answer: [{ field: "block", text: "1, 2\n3, 4" }],
    feedback: feedback("partly", {
      parts: [{ field: "block", right: false, note: "", cells: [true, false, true, true] }],
    }),
  }),
  question(
    "long choice",
    [
      field("collective", "choice", { options: Array.from({ length: 12 }, (_, i) => `all_gather along dim ${i}`) }),
      field("over", "choice", { options: ["x", "y"] }),
    ],
    {
      task: "choose_collective",
      figures: [
        { ...figure, title: "before", placement: array(MESH, [8, 16], ["x"]) },
        { ...figure, title: "after", placement: array(MESH, [8, 16]) },
      ],
    },
  ),
  question("specs", [field("in0", "spec"), field("out", "spec")], {
    task: "put_specs",
    feedback: feedback("malformed", { message: "Names of mesh axes are strings.", question: "" }),
  }),
  question("type", [field("type", "text", { example: "f32[8@x,16]" })], { task: "predict_type" }),
  question("code", [field("function", "code", { example: "fixed" })], {
    task: "repair",
    attempts: 1,
    answer: [{ field: "function", text: "@jax.jit\ndef fixed(a):\n    return a" }],
    feedback: feedback("wrong", { error: "ShardingTypeError", said: "Contracting dimensions are sharded" }),
  }),
];

export const SET: Exercises = {
  ...sheet(...ALL.map((q) => ({ ...q, target: `lab["${q.name}"]` }))),
  name: "Lab 1",
  student: "ada",
  kept: "Progress is kept in lab-1-ada-exercises.json",
  notes: ["lab.json is the record of 'bob'. It stays as it is."],
  record: '{"format": "shardwidget exercises"}\n',
};
