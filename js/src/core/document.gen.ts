// Generated from shardwidget/document/ by js/generate_types.py. Do not edit.

/** Version of the wire format. The front end refuses a document with a greater one. */
export const VERSION = 1;

/** An algorithm, and how much each of its rounds sends. A chunk is `Algorithms.chunk` of a block. */
export interface Algorithm {
  readonly plan: Plan;
  /** For each round, the most chunks that any device sends. */
  readonly sent: readonly number[];
  /** For each round, the chunks that pass the busiest link of a ring in one direction. */
  readonly busiest: readonly number[];
}

/**
 * A collective in a group of n devices, by each of its algorithms.
 *
 * A round takes `start` plus the time of the bytes that the busiest link carries. A message takes the shorter way
 * round a ring; where both are equally long, half of it takes each.
 */
export interface Algorithms {
  /** JAX's name for it: `psum`, `all_gather` … */
  readonly collective: string;
  /** The number of devices in the group. */
  readonly n: number;
  /** Bytes of the operand on each device: its block. */
  readonly nbytes: number;
  /** The fraction of a block that one chunk is. */
  readonly chunk: number;
  readonly algorithms: readonly Algorithm[];
  readonly networks: readonly Network[];
  /** Seconds that a message takes to start, however far it goes. */
  readonly start: number;
  readonly kind: "algorithms";
  readonly version: number;
}

/** The program with what decides a split otherwise, compiled. */
export interface Alternative {
  /** `as it is`, `had line 7 won`, `without line 7`. */
  readonly what: string;
  /** What to write: the line as it would be, or an argument with its spec; empty as it is. */
  readonly code: string;
  /** The compiled sharding of the value that is asked about; empty where it is not known. */
  readonly gives: string;
  /** The kinds of its collectives, each with its mesh axes, once. */
  readonly collectives: readonly string[];
  /** Bytes that a device sends in a call. */
  readonly sent: number;
  /** What a device computes in a call, loops by their number of turns; -1 where it is not known. */
  readonly flops: number;
  /** The compiled program: `diff` compares it with another. */
  readonly program: Program;
}

/** What differs from a baseline. */
export interface BaselineDiff {
  /** The file of the baseline. */
  readonly name: string;
  /** What the counts are of. */
  readonly counted: "runs" | "copies" | "buffers";
  /** What differs, the most bytes first. */
  readonly rows: readonly BaselineRow[];
  /** The number of rows that do not differ. */
  readonly same: number;
  readonly kind: "baseline diff";
  readonly version: number;
}

/** A row that is not as the baseline has it. */
export interface BaselineRow {
  /** What became of it. */
  readonly change: "new" | "gone" | "changed";
  /** What it is of: a collective, its mesh axes and the text of its line; a leaf and its type; a kind of buffer. */
  readonly of: string;
  /** The bytes that the baseline has; 0 where it has none. */
  readonly bytes_before: number;
  /** The bytes that there are; 0 where it is gone. */
  readonly bytes_now: number;
  /** The runs, copies or buffers that the baseline has. */
  readonly count_before: number;
  /** The runs, copies or buffers that there are. */
  readonly count_now: number;
}

/** Values of one device's shard: every `steps`-th element along each dimension, from its first one on. */
export interface Block {
  readonly device_id: number;
  /** The shape of the sample. */
  readonly shape: readonly number[];
  /** The sampling step of each dimension; 1 where nothing is left out. */
  readonly steps: readonly number[];
  /**
   * The little-endian format of the elements of `data`: numpy's letter and the number of bytes. Narrow floats come
   * as `f4`.
   */
  readonly format: "f4" | "f8" | "i4" | "u4" | "i8" | "u8" | "b1" | "c8" | "c16";
  /** The sampled elements, in row-major order. */
  readonly data: DataView;
  /** The least finite value that was read (of complex values, the least magnitude); 0 if there is none. */
  readonly low: number;
  /** The greatest finite value that was read, likewise. */
  readonly high: number;
  /** `low` as the dtype prints it; empty if there is no finite value. */
  readonly low_text: string;
  /** `high` as the dtype prints it; empty if there is no finite value. */
  readonly high_text: string;
  /** Whether `low` to `infs` are those of the whole shard, rather than of the sample. */
  readonly exact: boolean;
  /** The number of NaNs that were read. */
  readonly nans: number;
  /** The number of infinities that were read. */
  readonly infs: number;
}

/** Memory that a value takes up on each device. */
export interface Buffer {
  /** Its size, with the padding of the device's tiles. */
  readonly bytes: number;
  /** The type on one device, as JAX writes it: `bf16[8,4]`. */
  readonly type: string;
  /** The path of an argument, or the variable that the user's line assigns; otherwise the instruction's name. */
  readonly name: string;
  /**
   * `constant` is in the program itself: what the function closes over, or computes while it is traced; `kept` is
   * made in the forward pass and needed in the backward pass; `collective` is the result of a collective.
   */
  readonly kind: "argument" | "constant" | "output" | "kept" | "temporary" | "collective";
  /** Index of the step that makes it; 0 for an argument or a constant. */
  readonly born: number;
  /** Index of the last step that needs it. */
  readonly dies: number;
  /** The user's line that makes it; None where that is not known. */
  readonly source: Source | null;
  /** Whether it is made in the backward pass. */
  readonly backward: boolean;
  /** Index in `Memory.loops` of the innermost loop that makes it anew in every iteration; -1 for none. */
  readonly loop: number;
  /** The name of the instruction that makes it, where `name` is another; empty for an argument. */
  readonly instruction: string;
  /** Whether it is an argument that a result takes the place of. */
  readonly donated: boolean;
  /** Of a donated argument: the result that is put there, `result[0]['w']`; empty where its path is not known. */
  readonly taken_by: string;
  /**
   * The mesh axes that split it, in the order of the mesh; None where that is not certain, because the compiled
   * program no longer shows it.
   */
  readonly axes: readonly string[] | null;
}

/** A mesh and how arrays are split over it. */
export interface Candidate {
  /** Its axes in short: `FSDP 16 × TP 4`. */
  readonly name: string;
  /** What it differs in from others of that name: `activations split`. */
  readonly rule: string;
  readonly axes: readonly MeshAxis[];
  readonly estimated: Figures;
  /** For each of `Search.leaves`, the index of its spec in `Search.specs`. */
  readonly specs: readonly number[];
  /** Its code: an index in `Search.code_lines` for each line. */
  readonly lines: readonly number[];
  /** The same, of the program that was compiled for the target; None where it was not. Compute is as estimated. */
  readonly compiled: Figures | null;
  /** The compiler's message, where it did not compile. */
  readonly failure: string;
  /** Whether it fits in a chip's memory; None where an estimate leaves that open or the memory is not known. */
  readonly fits: boolean | null;
}

/** A candidate that differs, or that one of the searches has alone. */
export interface CandidateChange {
  /** Its name with the rule: `FSDP 16 × TP 4, activations split`; of the user's own sharding `now: DP 16`. */
  readonly name: string;
  /** None where it was added. */
  readonly before: CandidateSide | null;
  /** None where it is gone. */
  readonly after: CandidateSide | null;
}

/** What a candidate takes, of one origin. */
export interface CandidateFigures {
  /** Seconds of a step by the rule. */
  readonly time_s: number;
  /** Bytes of memory on a device. */
  readonly bytes_per_device: number;
  /** Bytes that a device sends in a step. */
  readonly sent: number;
}

/** A candidate in one of the searches. */
export interface CandidateSide {
  readonly estimated: CandidateFigures;
  /** None where it was not compiled. */
  readonly compiled: CandidateFigures | null;
  /** Whether it fits in a chip's memory; None where that is open. */
  readonly fits: boolean | null;
}

/** The splits that a collective follows from. */
export interface Cause {
  /** Index in `Comparison.program.collectives`. */
  readonly collective: number;
  /** Index in `Comparison.rows` of the operation that needs it. */
  readonly row: number;
  /** Indices in `Comparison.reasons`: the operands of that operation that are split over its axes. */
  readonly reasons: readonly number[];
}

/** A kind of device, and how much memory it has. */
export interface Chip {
  readonly name: string;
  /** The size of its memory. */
  readonly bytes: number;
  /** Where that number comes from. */
  readonly source: string;
}

/** The clock of a process, compared with that of the first process. */
export interface Clock {
  /** The index of the process. */
  readonly process: number;
  /** Seconds that were subtracted from its times. */
  readonly offset_s: number;
  /**
   * The error that may remain: the 90th percentile of how far apart, in seconds, both processes see a collective
   * end.
   */
  readonly skew_s: number;
  /** The number of collectives that the clocks were aligned on; 0 where they could not be aligned. */
  readonly collectives: number;
}

/** What a step communicates: who takes part together, and how much each device sends. */
export interface Collective {
  /** What happens, whatever JAX calls it: `psum`, `all_gather`, `reduce_scatter`, `ppermute` … */
  readonly kind: string;
  readonly semantics: Semantics;
  /** The user's mesh axes, as the program names them. */
  readonly axes: readonly string[];
  /** The mesh positions of the groups, one group after another; shorter groups are padded with -1. */
  readonly positions: Ints;
  /** The number of ranks in the largest group; 1 where no rank has another one to send to. */
  readonly group_size: number;
  /** Bytes that a device sends, rounded up, if it can reach every other directly (a switch). See `arithmetic`. */
  readonly bytes_per_device: number;
  /**
   * How that number is computed, for example `2·V·(N−1)/N, V = 32 B, N = 2`. V is the size of a group's whole array
   * in bytes: all blocks together where each rank has a part of its own, otherwise one block.
   */
  readonly arithmetic: string;
  /** The number of rounds of the ring algorithm, in each of which ranks send to a neighbour; 1 for a permutation. */
  readonly hops: number;
  /** Indices in `Trace.plans` of the algorithms that apply, the meaning first. */
  readonly plans: readonly number[];
  /** For each of `plans`, the bytes that a device sends by it, including what it passes on for others. */
  readonly plan_bytes: readonly number[];
  /**
   * The dimension along which the sent block is cut into n equal chunks; -1 where its elements, in row-major order,
   * are cut into n ranges (chunk c begins at `c·size//n`), or where a chunk is a whole block.
   */
  readonly split_axis: number;
  /** The dimension along which chunks are joined in the received block; -1 as in `split_axis`. */
  readonly concat_axis: number;
  /** Estimated latency in seconds on each of `Trace.interconnects`. */
  readonly latency: readonly number[];
  /** Estimated seconds that the bytes take on each of them. The estimate is the greater of the two. */
  readonly bandwidth: readonly number[];
}

/** One value: its explicit type, its type on an Auto mesh, and its concrete sharding. */
export interface Compared {
  /** The user's name for it where it is known, otherwise JAX's letter. */
  readonly name: string;
  /** The global shape; inside a `shard_map`, that of the block. */
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bits: number;
  /** The type on an Explicit mesh; None at an error that no fix removes, and below it. */
  readonly explicit: Layout | null;
  /** The type on an Auto mesh; empty where tracing on that mesh stopped. */
  readonly auto: string;
  /** The sharding in the compiled program; None where it is not known (see `Comparison.note`). */
  readonly concrete: Layout | null;
  /**
   * Whether the explicit type and the concrete sharding agree; `silent` where the type leaves the sharding to the
   * compiler, empty where there is nothing to compare.
   */
  readonly agreement: "same" | "differs" | "silent" | "";
  /** What differs, or why the sharding is not known, in one sentence; empty where there is nothing to say. */
  readonly note: string;
}

/** The properties of a leaf that are compared. */
export interface ComparedArray {
  /** What precedes the row's path in this tree, `0/mu`; empty where nothing does. */
  readonly under: string;
  /** The short dtype and the shape with the mesh axes that split it: `bf16[1024@data,3072]`. */
  readonly type: string;
  /** The PartitionSpec as JAX prints it; None where the sharding has none. */
  readonly spec: string | null;
  /** Bytes of the array, held once. */
  readonly bytes: number;
  /** Bytes of its largest shard; 0 where it is on no device. */
  readonly bytes_per_device: number;
  /** The number of devices that hold each tile; 0 where it is on no device. */
  readonly copies: number;
}

/** What a tree holds at a path: several arrays where it contains another tree more than once, as in Adam's state. */
export interface ComparedCell {
  readonly arrays: readonly ComparedArray[];
  /**
   * How it differs from the first tree. `moved`: on other devices, or the same axes split other dimensions;
   * `only here`: the first tree has nothing there; `only there`: only the first tree has something there;
   * `absent`: neither has. Where there are several arrays, each is compared with its counterpart, and the first status
   * that applies, in the order above, counts.
   */
  readonly status: "lost an axis" | "gained an axis" | "moved" | "grew" | "shrank" | "another type" | "same" | "only here" | "only there" | "absent";
  /** The mesh axes that were lost or gained. */
  readonly axes: readonly string[];
}

/** Rows that are equal but for numbers in their paths, such as those of a model's layers. */
export interface ComparedLine {
  /** Their paths in one, with the range of the numbers: `layers/0…11/qkv`. */
  readonly path: string;
  /** Indices of the rows in `ModelComparison.rows`. */
  readonly rows: Ints;
}

/** A path, and what each tree holds there. */
export interface ComparedRow {
  /** The path with `/` between its steps, without what precedes it in one of the trees. */
  readonly path: string;
  /** What each tree holds there. */
  readonly cells: readonly ComparedCell[];
}

/** The totals of one of the trees. */
export interface ComparedTree {
  readonly name: string;
  /** The number of its arrays. */
  readonly arrays: number;
  /** Bytes of all its arrays, each held once. */
  readonly bytes: number;
  /** Bytes on the device that holds the most. */
  readonly bytes_per_device: number;
}

/** What the types say, beside where the compiled program puts the data. */
export interface Comparison {
  /** What is compared: the equations of a function, or arrays by themselves. */
  readonly of: "function" | "arrays";
  readonly mesh: Mesh;
  readonly rows: readonly Row[];
  readonly scopes: readonly Scope[];
  readonly continuations: readonly Continuation[];
  /** The compiled program; None where nothing was compiled. */
  readonly program: Program | null;
  /**
   * The axis types of the mesh that was compiled for; `given` for the user's own mixed types. Empty where nothing
   * was compiled.
   */
  readonly compiled_from: "" | "Auto" | "Explicit" | "given";
  readonly listings: readonly Listing[];
  /** Why dimensions of values are split, as far as it is known. */
  readonly reasons: readonly Reason[];
  /** Values that were given the same axis for the same. */
  readonly groups: readonly Group[];
  /** The splits that collectives follow from. */
  readonly causes: readonly Cause[];
  /** How many steps the compiler's propagation of shardings had; 0 where it is not known. */
  readonly steps: number;
  readonly name: string;
  /** Where it stops, or what differs, or what the compiler adds, in a sentence. */
  readonly verdict: string;
  /** What is not known, why, and how to get it, in one or two sentences. */
  readonly note: string;
  readonly jax_version: string;
  readonly kind: "comparison";
  readonly version: number;
}

/** An operation that differs, or that one of the programs has alone. */
export interface ComparisonChange {
  /** JAX's primitive; `arguments` and `outputs` for what the function takes and returns. */
  readonly primitive: string;
  /** The names of its results. */
  readonly name: string;
  /** How many operations, one after another in the program, differ in the same way on one line. */
  readonly times: number;
  /** None where it was added. */
  readonly before: ComparisonSide | null;
  /** None where it is gone. */
  readonly after: ComparisonSide | null;
}

/** What differs between two comparisons. Operations are matched by primitive and by the text of their line. */
export interface ComparisonDiff {
  /** The mesh of the comparison after. */
  readonly mesh: Mesh;
  /** What is compared, before and after. */
  readonly names: readonly [string, string];
  /** What differs: errors, then collectives, then the rest, each in the order of the program. */
  readonly changes: readonly ComparisonChange[];
  /** How many operations are the same in both. */
  readonly same: number;
  /** What differs, in a sentence. */
  readonly verdict: string;
  readonly kind: "comparison diff";
  readonly version: number;
}

/** One operation in one of the programs. */
export interface ComparisonSide {
  /** The user's line; None where it is not known. */
  readonly source: Source | null;
  /** Types of its results on an Explicit mesh; empty where it stops there. */
  readonly explicit: string;
  /** Where the compiled program puts them, written as types; empty where that is not known. */
  readonly compiled: string;
  /** Why it stops on an Explicit mesh, in a sentence; empty where it does not. */
  readonly error: string;
  /** What the compiler adds before or into it: `all-gather over model`. */
  readonly collectives: readonly string[];
}

/** One difference between a call and the most similar earlier call of the same function. */
export interface CompileCause {
  /** What differs. */
  readonly what: "function" | "structure" | "shape" | "dtype" | "weak type" | "sharding" | "mesh" | "memory" | "static" | "options" | "context" | "unknown";
  /** The first argument that differs so, as an expression: `state['w']`; empty for the call as a whole. */
  readonly path: string;
  /** What it was, in words or as a spec: `P('data')`. */
  readonly before: string;
  /** What it is. */
  readonly now: string;
  /** The number of other arguments with the same difference. */
  readonly more: number;
}

/** A call for which JAX compiled a function. */
export interface CompiledCall {
  /** The name of the function under `jax.jit`. */
  readonly function: string;
  /** The name of the file of the call, as in `Source.file`; empty where none of the user's is found. */
  readonly file: string;
  /** The line of the call; 0 where none is found. */
  readonly line: number;
  /** The time of the compiler, without tracing. */
  readonly seconds: number;
  /** Whether the function was compiled before. */
  readonly again: boolean;
  /** Why it was compiled again; empty for the first time. */
  readonly causes: readonly CompileCause[];
}

/** The explicit side below a fix that `Comparison.rows` do not continue with. */
export interface Continuation {
  /** Index in `Comparison.rows` of the row with the error. */
  readonly row: number;
  /** Index of the fix in that row's `fixes`. */
  readonly choice: number;
  /** Indices in `Comparison.rows` of the rows that differ with the fix. */
  readonly at: readonly number[];
  /** Those rows as they are with the fix. */
  readonly rows: readonly Row[];
  /** The program compiled with the fix; None where it was not compiled. */
  readonly program: Program | null;
  /** `Comparison.verdict` with the fix. */
  readonly verdict: string;
}

/**
 * The transfers of groups of devices, all groups at once: each group passes its blocks round a ring, in order.
 *
 * A hop goes along the first physical axis first, the shorter way. A ring is used in both directions, so a link counts
 * once for each hop that crosses it.
 */
export interface Crossing {
  /** The mesh axes, `data`, `data, model`; with the kind of collective where it is one that makes no ring. */
  readonly name: string;
  /** The mesh axes whose groups these are; empty for irregular groups. */
  readonly axes: readonly string[];
  /** Devices of a group. */
  readonly size: number;
  /** Links that a hop crosses, on average; between the devices of one chip it crosses none. */
  readonly links_a_hop: number;
  /** Links that the longest hop crosses. */
  readonly most_links: number;
  /** Hops that cross the link that carries most. */
  readonly busiest: number;
  /** The physical axes whose wraparound links are crossed. */
  readonly wraparound: readonly number[];
  /** The share of hops that stay within a chip. */
  readonly within_chips: number;
  /** The hosts that a group is on, at most. */
  readonly hosts: number;
  /**
   * Hops that cross each link: for each physical axis, and each chip of the box (first axis slowest), the link from
   * that chip to the next along the axis.
   */
  readonly load: Ints;
  /** With a program: bytes that a hop carries in a call, both directions together. 0 without one. */
  readonly bytes: number;
  /** With a program: the indices of its collectives that make these hops. */
  readonly collectives: readonly number[];
  /** With a program: those collectives in words, one a line of code, most bytes first: `2 all-gathers, line 41`. */
  readonly of: readonly string[];
}

/** How one dimension is cut by a sharding's own index map, where mesh axes do not determine it. */
export interface Cut {
  /** The first index of each distinct part. */
  readonly starts: Ints;
  /** One past the last index of each distinct part. */
  readonly stops: Ints;
  /** The index of the part that the device at each mesh position holds. */
  readonly part: Ints;
}

/** Devices for which all numbers below are the same. */
export interface DeviceGroup {
  /** Indices of the devices in the order of `Namespace.meshes`, where each device counts at its first place. */
  readonly devices: Ints;
  /** Bytes of all arrays on each of them. */
  readonly held: number;
  /** Bytes that would be left on each of them if no data were held twice. */
  readonly own: number;
  /** Bytes that the last cell added. */
  readonly added: number;
  /** Bytes that the last cell freed. */
  readonly freed: number;
  /** Bytes in use, by the backend's own count; None where the backend does not count. */
  readonly in_use: number | null;
  /** The most bytes in use since the process began; None where the backend does not count. */
  readonly peak: number | null;
  /** The most bytes that can be in use; None where the backend does not say. */
  readonly limit: number | null;
}

/** One order of devices: where each position of a mesh is on the chips. */
export interface DeviceOrder {
  readonly name: string;
  readonly mesh: Mesh;
  /** Chips along each physical axis of the box that the devices fill. */
  readonly chips: readonly number[];
  /** Whether each physical axis has wraparound links. */
  readonly wraps: readonly boolean[];
  readonly devices_a_chip: number;
  /** The number of links. */
  readonly links: number;
  readonly crossings: readonly Crossing[];
  /** Hops of all crossings together on the link that carries most. */
  readonly busiest: number;
  /** Links that none crosses. */
  readonly idle: number;
  /** With a program: bytes on the link that carries most, in a call. */
  readonly bytes: number;
  /** The link that carries most: the physical axis, and the chip that it leads from. -1 where all are idle. */
  readonly most: readonly [number, number];
  /** With a program: how long that link takes for them at its full rate, an estimate. */
  readonly seconds: number;
}

/** A line of the functions that collectives come from, before and after. */
export interface DiffLine {
  /** As in `Source.file`: of the program after where the line is in both. */
  readonly file: string;
  /** Its number before; 0 where it was added. */
  readonly before: number;
  /** Its number after; 0 where it is gone. */
  readonly after: number;
  /** Its text, indented as in the file. */
  readonly text: string;
}

/** One of two programs. */
export interface DiffProgram {
  readonly name: string;
  /** What it is compiled for, as in `Program.target`. */
  readonly target: string;
  /** Bytes on each device: arguments, outputs and temporaries; -1 where the compiler does not report them. */
  readonly memory: number;
}

/** One operation over the same mesh axes, caused by lines of the same text, in one phase: before and after. */
export interface DiffRow {
  /** `changed`: it runs or sends more or less than before. */
  readonly change: "added" | "gone" | "changed" | "same";
  /** XLA's name for it: `all-gather`. */
  readonly op: string;
  /** The mesh axes of its groups; empty for irregular ones. */
  readonly axes: readonly string[];
  /** The same in words. */
  readonly over: string;
  /** `forward`, `recomputed`, `backward` or `other`; empty where the program has no backward pass. */
  readonly phase: string;
  /** None where it was added. */
  readonly before: DiffSide | null;
  /** None where it is gone. */
  readonly after: DiffSide | null;
}

/** Equal collectives of one program that lines of one text cause. */
export interface DiffSide {
  /** The first of these lines; None where it is not known. */
  readonly source: Source | null;
  /** Their indices in `Program.collectives`. */
  readonly collectives: readonly number[];
  /** How often they run in a call; an unknown number of times counts as one. */
  readonly runs: number;
  /** Bytes that a device sends in a call. */
  readonly bytes_per_device: number;
  /** Estimated seconds in a call, on `ProgramDiff.interconnect`; 0 where there is none. */
  readonly seconds: number;
  /** Whether one is in a loop whose trip count is not known. */
  readonly at_least: boolean;
  /** Whether the program asks for them itself; otherwise the compiler added them. */
  readonly by_user: boolean;
  /** How the bytes that a device sends in one run are computed, for the largest of them. */
  readonly arithmetic: string;
  /** Why they deserve a look; empty if they do not. */
  readonly remark: string;
  /** What may avoid them; empty without a remark. */
  readonly advice: string;
}

/** One dimension of an array. */
export interface Dim {
  readonly size: number;
  /** The mesh axes that split it, major to minor. */
  readonly axes: readonly string[];
  /** Whether the spec is `P.UNCONSTRAINED` here, so that the compiler chooses. */
  readonly unconstrained: boolean;
  /** How an index map cuts it; None where mesh axes determine that. */
  readonly cut: Cut | null;
}

/** Dimensions of the arguments that a step ties together, so that they are split alike. */
export interface DimGroup {
  readonly role: "batch" | "sequence" | "width" | "tensor" | "expert";
  readonly size: number;
  /** Where it is: `params['up'] dim 1`; the first of each name. */
  readonly dims: readonly string[];
}

/** A dtype that the array may have. */
export interface DtypeName {
  readonly name: string;
  /** The short name, as in types: `f32`. */
  readonly short: string;
  /** Bits of one element in memory. */
  readonly bits: number;
}

/** How long tasks take, all in the same unit: for each kind one entry for all stages, or one per stage. */
export interface Durations {
  /** The time of a forward task. */
  readonly forward: readonly number[];
  /** The time of the half of a backward task that makes the gradient of the input. */
  readonly backward_input: readonly number[];
  /** The time of the half that makes the gradient of the weights. A whole backward task takes the sum of both. */
  readonly backward_weight: readonly number[];
  /** The time from the end of a task until its result has arrived on another rank. It keeps neither rank busy. */
  readonly communication: number;
}

/** One execution of an operation on one device. */
export interface Event {
  readonly name: string;
  readonly kind: "compute" | "collective";
  /** Index of the call of the program. */
  readonly call: number;
  /** When it starts, in seconds from the beginning of the call: the first event on any device. */
  readonly start_s: number;
  /** When it ends, likewise. */
  readonly end_s: number;
  /** Seconds from the device's own arrival at a collective to that of the last member; 0 for compute. */
  readonly waited_s: number;
  /** The iteration of each loop that it is in, outermost first. */
  readonly iteration: readonly number[];
  /** The user's line that it belongs to; None where there is none. */
  readonly source: Source | null;
}

/** A sheet of exercises; a single exercise is a sheet of one. */
export interface Exercises {
  /** The mesh of the first question. */
  readonly mesh: Mesh;
  readonly questions: readonly Question[];
  /** The name of the set; empty for a single exercise. */
  readonly name: string;
  readonly student: string;
  /** Where progress is saved, in words; empty where it is not saved. */
  readonly kept: string;
  /** What the student should know about their saved record: that it could not be read, or is another student's. */
  readonly notes: readonly string[];
  /** The record as JSON, to copy; empty for a single exercise. */
  readonly record: string;
  readonly jax_version: string;
  readonly kind: "exercises";
  readonly version: number;
}

/** Why a program stops, at the value that causes it. */
export interface Failure {
  /** The class of the exception. */
  readonly error: string;
  /** The message of the exception, in JAX's or the user's own words. */
  readonly message: string;
  /**
   * What the message means in terms of mesh axes: which value varies over which axis, and where that began. Empty
   * where it is not known.
   */
  readonly explanation: string;
  /** The mesh axes that the explanation is about. */
  readonly axes: readonly string[];
  readonly fixes: readonly Fix[];
  /** Index of the fix that the rows below continue with; -1 where the program does not continue. */
  readonly chosen: number;
  readonly kind: "out_specs" | "scan_carry" | "branches" | "traced_value" | "shape" | "indivisible" | "sharding_type" | "in_specs" | "axis_name" | "user" | "other";
  /** Index in `Trace.variables` of the value that causes it; -1 where no value does. */
  readonly variable: number;
  /** Index in `Trace.steps` of the step that made that value as it is; -1 where not known. */
  readonly origin: number;
  /** The frames of the user's own code, as Python prints them. */
  readonly traceback: string;
}

/** The verdict on an answer. It never gives the correct answer. */
export interface Feedback {
  /** `malformed` if the answer does not have the form that is asked for; it then does not count as an attempt. */
  readonly verdict: "right" | "partly" | "wrong" | "malformed";
  /** What the answer means, and which quantity is wrong. */
  readonly message: string;
  /** A question that leads on from a wrong answer; empty where the answer is correct. */
  readonly question: string;
  /** What the answer would have given, in a few words: `f32[2,8]`. */
  readonly gives: string;
  /** The verdict on each field; empty where fields are not judged one by one. */
  readonly parts: readonly Part[];
  /** A picture of what the answer would have given; None where there is none. */
  readonly figure: Figure | null;
  /** The class of the exception that JAX raises; empty if it raises none. */
  readonly error: string;
  /** The message of that exception, in JAX's own words. */
  readonly said: string;
}

/** One thing to fill in. */
export interface Field {
  /** Unique in its question. */
  readonly name: string;
  /** What stands beside it. */
  readonly label: string;
  /**
   * How it is filled in: `devices` takes device ids, `grid` numbers in rows, `code` a function that a notebook
   * cell assigns, `order` a list in another order, `threshold` a number of bytes that cuts a list into chunks.
   * `timeline`: tasks are moved along a time axis, and the number follows; of several such fields the first has the
   * tasks.
   */
  readonly form: "text" | "spec" | "choice" | "devices" | "grid" | "code" | "order" | "threshold" | "timeline";
  /**
   * What can be chosen, where `form` is `choice`; what is put in order, or cut into chunks; the tasks of
   * each rank, with spaces between them, where it is `timeline`.
   */
  readonly options: readonly string[];
  /** The bytes that each of `options` counts against the threshold, where `form` is `threshold`. */
  readonly sizes: readonly number[];
  /** The number of rows and of columns, where `form` is `grid`. */
  readonly shape: readonly number[];
  /** An answer of the right form, which need not be correct. */
  readonly example: string;
}

/** Something to look at: a placement, lines of code with the types they are given, or blocks of numbers. */
export interface Figure {
  readonly title: string;
  /** The layout to show; None where the figure shows none. */
  readonly placement: Placement | null;
  /** The code to show; None where the figure shows none. */
  readonly listing: Listing | null;
  /** The type of each argument of the code: `a: f32[8@x,16]`. */
  readonly types: readonly string[];
  /** The blocks of numbers to show. */
  readonly tables: readonly Table[];
}

/** What a candidate takes, of one origin. */
export interface Figures {
  /** Seconds in which a device computes and reads its memory, by its chip's peaks. */
  readonly compute_s: number;
  /** Seconds of collectives during which, by the rule, nothing is computed. */
  readonly exposed_s: number;
  /** Seconds of collectives that, by the rule, overlap with compute. */
  readonly hidden_s: number;
  /** Bytes of the arguments on a device. */
  readonly arguments: number;
  /** Bytes of memory on a device, arguments included. */
  readonly bytes_per_device: number;
  readonly sent: readonly Sent[];
}

/** What deserves a look: equal collectives of a line that have one remark. */
export interface Finding {
  /** Their indices in `Program.collectives`. */
  readonly collectives: readonly number[];
  /** What they are and why, `all-gather in line 7 undoes the split of w over model, for sort`. */
  readonly said: string;
  /** What may avoid it. */
  readonly advice: string;
}

/** A change that makes a program run. */
export interface Fix {
  /** What it does, in a few words: `keep rows split over x`. */
  readonly title: string;
  /**
   * The changed lines, without indentation. Where the change has no place in the source (`line` is 0): an argument
   * or a statement, for the place that the title names.
   */
  readonly code: string;
  /** The name of the file without its folders, as in `Source.file`. */
  readonly file: string;
  /** The number of the first line that `code` replaces; 0 where the source does not show the place. */
  readonly line: number;
  /** The number of lines that `code` replaces; 0 where it is inserted before `line`. */
  readonly lines: number;
  /** The type of the first array that the equation gives with the change; None outside comparisons. */
  readonly layout: Layout | null;
  /**
   * What devices communicate because of the change, in words: `all-reduce over y`, `none`. Empty where not
   * known.
   */
  readonly communication: string;
  /** Bytes that a device sends: of a comparison because of the change, of a trace in the whole program with it. */
  readonly bytes_per_device: number;
  /**
   * Whether the program then gives what it gives on the whole array, without sharding; empty where the change alters
   * no value.
   */
  readonly value: "" | "same" | "other" | "unknown";
  /** What the program gives instead, in words; empty where `value` is not `other`. */
  readonly effect: string;
  /**
   * The first numbers of the first row of what the program gives, to look at; empty where it was not run. Of several
   * results, the first that differs.
   */
  readonly row: readonly string[];
  /** How many numbers that row has. */
  readonly row_size: number;
}

/** A reason to look at one leaf, or at several equal ones. */
export interface Flag {
  readonly kind: "copied" | "unlike" | "one device" | "uneven" | "tiny" | "unreadable";
  /** Indices in `Model.leaves` of the leaves that it is about. */
  readonly leaves: Ints;
  /** Bytes that could be saved on each device, over all these leaves. */
  readonly cost: number;
  /** The reason, in one sentence. */
  readonly reason: string;
  /** A spec that avoids the cost, as code; empty where none is known. */
  readonly spec: string;
}

/** How much one device needs from another. */
export interface Flow {
  /** Position in the mesh of the nearest device that has the data. */
  readonly source: number;
  /** Position in the target's mesh of the device that needs it. */
  readonly target: number;
  /** The bytes that it needs. */
  readonly bytes: number;
}

/**
 * What `jax.sharding.no_collectives` forbids where the playground was made.
 *
 * It is about `jax.reshard` on Explicit axes. The messages have `{axis}` in place of the axis.
 */
export interface Forbids {
  /** The axes over which collectives are forbidden. */
  readonly axes: readonly string[];
  /** What is resharded: the array as it is, or the first spec. */
  readonly before: SpecDraft;
  /** The class of the exception. */
  readonly error: string;
  /** The message where parts of a sum over the axis would be added up. */
  readonly sums: string;
  /** The message where the array would no longer be split over the axis. */
  readonly gathers: string;
  /** The message where the axis would split another dimension. */
  readonly moves: string;
}

/** The answer given for one field. */
export interface Given {
  /** The field's name. */
  readonly field: string;
  /** The answer as text. */
  readonly text: string;
}

/** Values that were given the same axis, along dimensions that operations between them split alike. */
export interface Group {
  /** Indices in `Comparison.reasons`. Without one of them the others may give the same. */
  readonly reasons: readonly number[];
}

/** One collective of an optimised module. */
export interface HloCollective {
  /** XLA's name for it, in the synchronous form: `all-reduce`, `reduce-scatter`, `collective-permute`. */
  readonly kind: string;
  readonly semantics: Semantics;
  /**
   * The user's mesh axes that have these groups, in mesh order; empty where no set of axes has them
   * (`irregular`).
   */
  readonly axes: readonly string[];
  /** Whether no set of mesh axes has these groups. */
  readonly irregular: boolean;
  /** The mesh positions of the groups, one group after another; shorter groups are padded with -1. */
  readonly positions: Ints;
  /** The number of ranks in the largest group. */
  readonly group_size: number;
  /**
   * The types of the operands on one device, as JAX writes them: `f32[32,16]`. A combined collective has
   * several.
   */
  readonly shapes: readonly string[];
  /** Bytes that a device sends each time by the ring algorithm (by a permutation: directly), rounded up. */
  readonly bytes_per_device: number;
  /** How that number is computed, for example `2·V·(N−1)/N, V = 32 B, N = 2`. */
  readonly arithmetic: string;
  /**
   * How often it runs in one call of the program (in a branch: at most); None inside a loop whose trip count is not
   * known.
   */
  readonly times: number | null;
  /**
   * Index in `Program.nests` of the innermost loop, branch or call that it is in; -1 in the entry computation.
   * Where several calls run it: of the innermost one that they have in common.
   */
  readonly nest: number;
  /** The number of places that call the computation it is in. */
  readonly calls: number;
  /**
   * The mesh axes that irregular groups stay within: with `('x',)` each is a part of a group of x. Empty for
   * regular ones.
   */
  readonly within: readonly string[];
  /** The pairs (source, destination) of a permutation, as mesh positions; empty for other collectives. */
  readonly pairs: readonly (readonly [number, number])[];
  /**
   * The user's line that it belongs to (for a combined collective, the one with the most bytes); a line of an
   * installed package only where the user's own is not known.
   */
  readonly source: Source | null;
  /** The line of an installed package (flax, optax …) that the user's line runs; None where it runs none of one. */
  readonly library: Source | null;
  /** The `jax.named_scope` it is in, which flax and others name after modules: `Transformer/mlp`. */
  readonly module: string;
  /** The other lines that a combined collective belongs to; empty for any other. */
  readonly also: readonly Source[];
  /** JAX's path of the operation: `jit(f)/transpose(jvp(dot_general))`. */
  readonly op: string;
  /** Whether it belongs to a transposed operation, and so to the backward pass. */
  readonly backward: boolean;
  /** Whether it belongs to what `jax.checkpoint` computes once more in the backward pass. */
  readonly recomputed: boolean;
  /** Whether the program asks for it, as by `psum` in a `shard_map`; otherwise the compiler added it. */
  readonly by_user: boolean;
  /** Whether it is split into a `-start` and a `-done` half, so that other work can run meanwhile. */
  readonly asynchronous: boolean;
  /** The name of the instruction in the module. */
  readonly name: string;
  /**
   * The argument of the function that it moves, `params['w']`, or in each turn of a loop a slice of; empty where it
   * moves a computed value.
   */
  readonly operand: string;
  /** The groups as XLA writes them: `replica_groups=[4,4]<=[4,4]T(1,0)`. */
  readonly groups_text: string;
  /** The groups in words: `4 groups of 2 devices (…)`. */
  readonly groups_meaning: string;
  /** The dtype in the program, `bf16`, where XLA's CPU backend sends a wider one instead; otherwise empty. */
  readonly widened_from: string;
  /** Why it deserves a look, `undoes the split of w over model, for sort`; empty if it does not. */
  readonly remark: string;
  /** What may avoid it; empty without a remark. */
  readonly advice: string;
  /** Indices in `Program.plans` of the algorithms that apply, the meaning first. */
  readonly plans: readonly number[];
  /** Estimated latency in seconds, each time, on each of `Program.interconnects`. */
  readonly latency: readonly number[];
  /** Estimated seconds that the bytes take on each of them. The estimate is the greater of the two. */
  readonly bandwidth: readonly number[];
}

/** A name and the arrays that it holds; or, with an empty name, arrays that no name holds. */
export interface Holder {
  /** The name as an expression, `params` or `Out[4]`; empty for arrays that no name holds. */
  readonly name: string;
  /** The number of arrays, each counted once, including those that other names hold as well. */
  readonly arrays: number;
  /** Index in `Namespace.types` of a single array's type; -1 for a tree, and for arrays that no name holds. */
  readonly type: number;
  /** Bytes of the arrays, each held once, without those that are counted under another name. */
  readonly bytes: number;
  /** Bytes of the same arrays on the device that holds the most of them. */
  readonly bytes_per_device: number;
  /** Bytes on all devices beyond one copy of each tile. */
  readonly spent: number;
  /** The types of a tree, those with the most bytes first; empty for a single array. */
  readonly parts: readonly TypeCount[];
  /** The number of types that are not in `parts`. */
  readonly more_types: number;
  /** The number of arrays that were deleted or donated. */
  readonly deleted: number;
  /** The number of arrays that are counted under another name, which holds them too. */
  readonly shared: number;
  /** The first such name; empty where there is none. */
  readonly shared_with: string;
  /** What the last cell did with the name; empty where it did nothing. */
  readonly change: "" | "new" | "resharded" | "changed" | "updated" | "deleted" | "gone";
  /** The number of arrays that changed. */
  readonly moved: number;
  /** The type before the change: of a single array, or of the one at `path`. Empty where the type is the same. */
  readonly was: string;
  /** The path of the first array of a tree that changed, as `jax.tree_util.keystr` writes it. */
  readonly path: string;
  /** The change of `bytes_per_device`; negative where it shrank. */
  readonly delta: number;
  /** The number of reasons to look at it. */
  readonly flags: number;
  /** The most important of these reasons, in one sentence. */
  readonly reason: string;
  /** The path of the array that `reason` is about, in a tree. */
  readonly flagged: string;
  /** Bytes that could be saved on each device if all these reasons went away. */
  readonly cost: number;
  /** A spec that avoids this cost, as code; empty where none is known. */
  readonly spec: string;
}

/** What happens during some of a call. One turn of a loop is drawn as wide as all of its turns. */
export interface Interval {
  /** `wait`: the device computes nothing, because of a collective. */
  readonly what: "compute" | "wait" | "transfer";
  /** Seconds since the call began. */
  readonly begin: number;
  readonly seconds: number;
  /** Index in `Overlap.transfers`; -1 where it computes. */
  readonly transfer: number;
  /** How many of the last seconds of a transfer are waited for; 0 for others. */
  readonly exposed: number;
  /** The line that computes; of several short ones together the longest. */
  readonly source: Source | null;
}

/**
 * A flat array of integers, written as a nested count where it is one.
 *
 * Device ids, process indices and coordinates of a pod are nearly always nested counts: `array()` is
 * `start + sum(stride[k] * digit[k])` over the mixed-radix digits of the position, first digit slowest. Integers
 * that do not follow such a pattern are kept raw.
 */
export interface Ints {
  /** The first integer; may be negative. */
  readonly start: number;
  /** Radix of each digit; the product is the length. */
  readonly shape: readonly number[];
  /** What one step of each digit adds; may be negative. */
  readonly strides: readonly number[];
  /** Little-endian integers of `raw_bytes` bytes each, used in place of the pattern when not empty. */
  readonly raw: DataView;
  /** Bytes of one raw integer: 1 and 2 are unsigned, 4 is signed. */
  readonly raw_bytes: 1 | 2 | 4;
}

/** A Pallas kernel as it ran under JAX's interpreter. */
export interface Kernel {
  /** The kernel function. */
  readonly name: string;
  /** The axes of the mesh that it runs on. */
  readonly axes: readonly MeshAxis[];
  readonly slots: readonly KernelSlot[];
  readonly semaphores: readonly KernelSemaphore[];
  /** What all cores do, those of one core in order. */
  readonly ops: readonly KernelOp[];
  /** The lines of operations. */
  readonly sources: readonly Source[];
  readonly blocks: readonly KernelBlock[];
  /** The first has no delays; the others show faults. */
  readonly orders: readonly KernelOrder[];
  /** The worst first. */
  readonly faults: readonly KernelFault[];
  /** Cores of a device. */
  readonly cores: number;
  /** The kernel's text; None where it cannot be read. */
  readonly listing: Listing | null;
  /** Whether every pair of accesses was checked. */
  readonly checked: boolean;
  /** What else is to be known, each in a sentence. */
  readonly notes: readonly string[];
  readonly jax_version: string;
  readonly kind: "kernel";
  readonly version: number;
}

/** What a slot may hold. */
export interface KernelBlock {
  /** The position of the device that it comes from. */
  readonly device: number;
  /** A short name: the device's position; with `′` for what it computed. */
  readonly text: string;
  /** Whether a device computed it; otherwise it is part of an argument. */
  readonly computed: boolean;
  /** The first of its values. */
  readonly values: string;
}

/** Something that is wrong, for all places that are alike. */
export interface KernelFault {
  /**
   * `race`: nothing orders two accesses; `deadlock`: a wait never ends; `unwritten`: a copy sends what nobody
   * has written; `semaphore`: one does not end at zero; `error`: the interpreter stopped.
   */
  readonly kind: "race" | "deadlock" | "unwritten" | "semaphore" | "error";
  /** What happens, in a sentence. */
  readonly headline: string;
  /** Where it happens, and how often. */
  readonly detail: string;
  /** What to add; empty where nothing was found that helps. */
  readonly advice: string;
  /** Indices in `Kernel.ops`: of a race, both accesses; of a deadlock, the waits that never end. */
  readonly ops: readonly number[];
  /** What each access of a race is: `read` or `write`; that of the copy where it is one. */
  readonly events: readonly string[];
  /** The device whose slot or semaphore it is about; -1 for several. */
  readonly device: number;
  /** The slot that both access; -1 for none. */
  readonly slot: number;
  /** Whose slot or semaphore it is; 0 for a slot that the cores of a device share. */
  readonly core: number;
  /** Index in `Kernel.orders` of one that shows it. */
  readonly order: number;
  /** How many pairs of accesses, waits or semaphores are alike. */
  readonly count: number;
}

/** An operation of a core. */
export interface KernelOp {
  /** The device's position in the mesh. */
  readonly device: number;
  /** Which core of the device. */
  readonly core: number;
  /** `enter` and `leave` are the kernel's begin and end; a `copy` starts a DMA. */
  readonly kind: "enter" | "read" | "write" | "copy" | "wait" | "signal" | "leave";
  /** Index of its line in `Kernel.sources`; -1 for what has none. */
  readonly source: number;
  /** Indices in `Kernel.slots` of what is read or written; of a copy, of its source. */
  readonly slots: readonly number[];
  /** Indices in `Kernel.slots` of what a copy writes; empty for anything else. */
  readonly to: readonly number[];
  /** The device that a copy goes to or whose semaphore is signalled; -1 for others. */
  readonly target: number;
  /** Which core of that device. */
  readonly target_core: number;
  /**
   * Index in `Kernel.semaphores` of what is waited for, signalled, or signalled when a copy has arrived; -1 for
   * none.
   */
  readonly semaphore: number;
  /** The same of what is signalled when a copy's source has been read; -1 for none. */
  readonly sent: number;
  /** By how much: bytes for copies and for semaphores that copies signal. */
  readonly amount: number;
  /** The first of the values that are read or written. */
  readonly values: string;
}

/** An order in which the kernel may run. Moments are counted from 0 and are no times. */
export interface KernelOrder {
  /** What it shows. */
  readonly title: string;
  /** The moment at which each operation begins; -1 where it does not. */
  readonly begins: readonly number[];
  /** The moment at which it ends; -1 where it does not. */
  readonly ends: readonly number[];
  /** The moment at which the source of the copy that it starts has been read; -1 for others. */
  readonly sent: readonly number[];
  /** The moment at which that copy has arrived; -1 for others. */
  readonly arrived: readonly number[];
  /** What slots hold. */
  readonly stretches: readonly KernelStretch[];
  /** The last moment. */
  readonly length: number;
}

/** A semaphore. Every core has one. */
export interface KernelSemaphore {
  /** As the kernel calls it, with an index: `recv_sems[1]`. */
  readonly name: string;
  /** Whether copies signal it, with their bytes. */
  readonly counts_bytes: boolean;
}

/**
 * A part of a buffer that is read, written or copied as a whole.
 *
 * Every device has one in `hbm`; in other memory every core does.
 */
export interface KernelSlot {
  /** The buffer's, as the kernel calls it, with an index: `slots[1]`. */
  readonly name: string;
  /** Its memory: `vmem`, `hbm`, `smem`. */
  readonly space: string;
  /** Type and shape: `f32[8,128]`. */
  readonly type: string;
  readonly bytes: number;
}

/** A slot that holds one block for a while. */
export interface KernelStretch {
  readonly device: number;
  /** Index in `Kernel.slots`. */
  readonly slot: number;
  /** Moment of the order. */
  readonly begin: number;
  readonly end: number;
  /** Index in `Kernel.blocks`. */
  readonly block: number;
  /** The block that it holds at the end of the first order, where it is another; -1 where it is the same. */
  readonly instead_of: number;
  /** Whose slot it is; 0 where the cores of a device share it. */
  readonly core: number;
}

/** One step of a path. */
export interface Key {
  /** The key as `jax.tree_util.keystr` writes it: `['embed']`, `[0]`, `.mu`. */
  readonly text: string;
  /** The key as `keystr(…, simple=True)` writes it: `embed`, `0`, `mu`. */
  readonly name: string;
}

/** The events of one device as columns, sorted by call and then by start. */
export interface Lane {
  /** The mesh position of the device. */
  readonly position: number;
  /** The number of events in each call. */
  readonly counts: Ints;
  /** The index of each event's operation in `Run.operations`. */
  readonly operation: Ints;
  /** When each event starts, in ticks from the beginning of the call. */
  readonly start: Ints;
  /** How long each event takes, in ticks. */
  readonly duration: Ints;
  /** For each event that is a collective, in order: ticks from the device's own arrival to that of the last member. */
  readonly waited: Ints;
}

/** How a value is sharded over the mesh, as a type or a sharding states it. */
export interface Layout {
  /**
   * A type, `f32[8@x,16]{U:y}`, or a spec, `P('x', None)`, as JAX prints it; the sharding's own text where no
   * spec fits.
   */
  readonly text: string;
  /** How each dimension is split; None where the text does not show it (Auto axes). */
  readonly dims: readonly Dim[] | null;
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
}

/** What equal leaves have in common: a shape, a dtype, and where their shards live. */
export interface LeafType {
  /**
   * The short dtype and the shape with the mesh axes that split it, whatever their axis types:
   * `bf16[1024@data,3072]`. The class of what is not an array.
   */
  readonly type: string;
  /**
   * What kind of leaf it is: `abstract` has a shape and no data, `shared` has the memory of another leaf, where
   * it counts (`note` says which), `host` is in the host's memory, `none` is None, `other` is no array,
   * `unreadable` is an array that cannot be read (`note` says why).
   */
  readonly state: "live" | "abstract" | "deleted" | "shared" | "host" | "none" | "other" | "unreadable";
  readonly shape: readonly number[];
  /** The long name of the dtype, for example `bfloat16` or `key<fry>`. */
  readonly dtype: string;
  /** Bits of one element in memory. */
  readonly bits: number;
  /** Index in `Model.meshes`; -1 for what is on no device. */
  readonly mesh: number;
  readonly dims: readonly Dim[];
  /** The PartitionSpec as JAX prints it; None where the sharding has none. */
  readonly spec: string | null;
  /** The class of the sharding; empty where there is none. */
  readonly sharding: string;
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
  readonly memory_kind: string;
  /** Whether `memory_kind` is a memory other than that of the devices themselves. */
  readonly offloaded: boolean;
  /** Why it cannot be read, in JAX's words. */
  readonly note: string;
  /** The logical name of each dimension, as flax keeps it beside a parameter; empty for a dimension without one. */
  readonly logical: readonly string[];
  /**
   * Bits of one element after `jax.device_put`: 32 for `float64` in the host's memory, unless 64-bit types are
   * enabled; 0 where devices cannot hold it.
   */
  readonly device_bits: number;
}

/** The collectives of one kind, over the same axes, that belong to one source line, over all runs in a call. */
export interface LineTransfers {
  readonly kind: string;
  readonly axes: readonly string[];
  readonly source: Source | null;
  readonly backward: boolean;
  readonly transfers: readonly Transfer[];
}

/** What the operations of one source line compute in a call. */
export interface LineWork {
  /** The line; None for operations whose line is not known. */
  readonly source: Source | null;
  readonly flops: number;
  /** Between the device and its memory. */
  readonly bytes: number;
  /** Estimated: of each operation the longer of computing and of reading and writing. */
  readonly seconds: number;
  /** Which of the two takes longer for the line as a whole. */
  readonly bound: "compute" | "memory" | "links" | "";
}

/** A value of the chain. */
export interface Link {
  readonly name: string;
  /** Its dtype, shape and sharding. */
  readonly type: string;
  /** The dimension that is split over the axis. */
  readonly dim: number;
  /** Index in `Comparison.rows`. */
  readonly row: number;
  /** The line that makes it; None for an argument. */
  readonly source: Source | null;
  /** The operations that passed the axis on from the link before, with their lines; empty for the first. */
  readonly through: readonly string[];
  /** Whether it was passed against the direction of the program. */
  readonly back: boolean;
  /** The step of the compiler's propagation, from 0; -1 where it was given. */
  readonly step: number;
}

/** Device orders of a mesh side by side, on the links of their chips. */
export interface Links {
  readonly orders: readonly DeviceOrder[];
  /** The chips in words: `TPU v5p 4×4×4`. */
  readonly target: string;
  /** What differs between them, or what the only one does, in a sentence. */
  readonly answer: string;
  /** The program whose collectives these are; empty for all axes of the mesh at once. */
  readonly program: string;
  readonly kind: "links";
  readonly version: number;
}

/** Lines of a user's function, for the source panel. */
export interface Listing {
  /** The name of the file, as in `Source.file`. */
  readonly file: string;
  /** The number of the first line. */
  readonly first_line: number;
  /** The lines' text. */
  readonly lines: readonly string[];
}

/** A loop of the schedule. */
export interface Loop {
  /** Seconds since the call began. */
  readonly begin: number;
  /** All of its turns. */
  readonly seconds: number;
  readonly times: number;
  readonly source: Source | null;
  readonly backward: boolean;
}

/** A measured run of the same program: seconds of its median call. The last four are the mean over devices. */
export interface MeasuredCall {
  /** What it ran on, and how often: `8 CPU devices, 5 calls`. */
  readonly on: string;
  readonly seconds: number;
  readonly compute: number;
  /** Seconds in collectives after the last device has arrived, with nothing computed meanwhile. */
  readonly exposed: number;
  /** Seconds in collectives before the last device has arrived, with nothing computed meanwhile. */
  readonly waiting: number;
  /** Seconds without any event. */
  readonly idle: number;
  readonly lines: readonly MeasuredLine[];
}

/** A collective of the program, and how long it took. */
export interface MeasuredCollective {
  /** XLA's name for it: `all-reduce`, `reduce-scatter`, `collective-permute`. */
  readonly kind: string;
  readonly semantics: Semantics;
  /** The user's mesh axes that it goes over; empty where no set of axes has its groups (`irregular`). */
  readonly axes: readonly string[];
  /** Whether no set of mesh axes has its groups. */
  readonly irregular: boolean;
  /** The mesh axes that irregular groups stay within; empty for regular ones. */
  readonly within: readonly string[];
  /** The mesh positions of the groups, one group after another; shorter groups are padded with -1. */
  readonly positions: Ints;
  /** The number of ranks in the largest group. */
  readonly group_size: number;
  /** The pairs (source, destination) of a permutation, as mesh positions; empty for other collectives. */
  readonly pairs: readonly (readonly [number, number])[];
  /** The user's line that it belongs to; None where there is none. */
  readonly source: Source | null;
  /** Whether it belongs to a transposed operation, and so to the backward pass. */
  readonly backward: boolean;
  /** Whether the program asks for it; otherwise the compiler added it. */
  readonly by_user: boolean;
  /** The name of the instruction in the module. */
  readonly name: string;
  /** Bytes that a device sends each time. */
  readonly bytes_per_device: number;
  /** Estimated seconds for each time, on `Run.interconnect`. */
  readonly estimate_s: number;
  /** How many times it was measured, over all devices and calls. */
  readonly times: number;
  /** Seconds from the last member's arrival to the end: the median over devices, calls and iterations. */
  readonly median_s: number;
  /** The 10th percentile of these seconds. */
  readonly low_s: number;
  /** The 90th percentile of these seconds. */
  readonly high_s: number;
  /** Seconds from a device's own arrival to that of the last member: the median. */
  readonly wait_s: number;
  /** The 90th percentile of the seconds waited. */
  readonly wait_high_s: number;
  /** Seconds that a device spends in it after the last arrival in one call: the mean. */
  readonly call_s: number;
  /** Seconds that a device waits in it in one call: the mean. */
  readonly call_wait_s: number;
  /** The share of the time after the last arrival in which the device also computed. */
  readonly hidden: number;
  /** Bytes that a device sends, divided by the median time; 0 where no time was measured. */
  readonly bytes_per_second: number;
  /** For each mesh position, how often it was the last of its group to arrive while others waited. */
  readonly last: Ints;
}

/** The collectives of a `LineTransfers` in a measured run: seconds of a call, the mean over devices and calls. */
export interface MeasuredLine {
  readonly kind: string;
  readonly axes: readonly string[];
  readonly source: Source | null;
  readonly backward: boolean;
  /** How long they take after the last device has arrived. */
  readonly seconds: number;
  /** How much of that passes with nothing computed meanwhile. */
  readonly exposed: number;
}

/**
 * Memory over the schedule of a compiled program, on one device: it is the same on all.
 *
 * A *step* is one instruction of the schedule. A loop is replaced by the instructions of one iteration.
 */
export interface Memory {
  readonly mesh: Mesh;
  readonly buffers: readonly Buffer[];
  /** The number of steps. */
  readonly steps: number;
  readonly loops: readonly MemoryLoop[];
  /** The user's lines that the schedule works on, sorted by file and number. */
  readonly lines: readonly Source[];
  /** What each step works on: 0 for no line, otherwise 1 + 2 · the index in `lines`, plus 1 in the backward pass. */
  readonly work: Ints;
  /** The kinds of devices whose memory can be drawn as a limit. */
  readonly chips: readonly Chip[];
  /**
   * Index in `chips` of the kind that was asked for or that the program is compiled for; None where it is not
   * known.
   */
  readonly chip: number | null;
  /** Where sizes come from: the compiler's own assignment of buffers, or the types in the module's text. */
  readonly basis: "assignment" | "text";
  /** What the compiler itself allocates; None where it does not report it. */
  readonly compiler: MemoryTotals | null;
  /**
   * Bytes that the compiler allocates for temporaries but that hold none at the peak, because it places each
   * temporary where it fits; 0 where its assignment is not known.
   */
  readonly gaps: number;
  /**
   * The compiler's message where the program needs more memory than the device has. The schedule is then the one that
   * the compiler had made when it found that. Empty where it compiled.
   */
  readonly failure: string;
  readonly name: string;
  /** What it is compiled for, in words: `TPU v5e 2×4`. */
  readonly target: string;
  readonly jax_version: string;
  readonly kind: "memory";
  readonly version: number;
}

/** What a value, or all values of one name on one line, take up at the peak of each program. */
export interface MemoryChange {
  /** The path of an argument, or the variable that the line assigns; otherwise the instruction's name. */
  readonly name: string;
  /** What kind of buffer it is, as in `Buffer.kind`: after the change, or before it where it is gone. */
  readonly kind: string;
  /** Whether it is made in the backward pass. */
  readonly backward: boolean;
  /** The user's line that makes it, after the change where it is still there; None where that is not known. */
  readonly source: Source | null;
  /** Its type on one device before and after: `f32[8,4]`; empty where it is not alive at that peak. */
  readonly types: readonly [string, string];
  /** Its bytes at the peak before the change; 0 where it is not alive there. */
  readonly before: number;
  /** Its bytes at the peak after the change; 0 where it is not alive there. */
  readonly after: number;
}

/**
 * What a change does to the memory of a program, on one device.
 *
 * Each peak is a moment of its own, so what is gone at the second may be alive at another step of that program.
 * Buffers are matched by name and by the text of the line that makes them: a line may have moved.
 */
export interface MemoryDiff {
  readonly before: MemorySide;
  readonly after: MemorySide;
  /** What differs, the largest difference first. */
  readonly changes: readonly MemoryChange[];
  /** Bytes at the peak of both that are equal. */
  readonly same_bytes: number;
  readonly jax_version: string;
  readonly kind: "memory diff";
  readonly version: number;
}

/** A loop of the schedule. One iteration stands for all, since each needs the same memory. */
export interface MemoryLoop {
  /** Index of its first step. */
  readonly first: number;
  /** Index of its last step. */
  readonly last: number;
  /** The number of iterations; None where it is not known. */
  readonly times: number | null;
  /** `scan`, `while_loop`, or what the user's line says. */
  readonly name: string;
  /** The user's line of the loop; None where that is not known. */
  readonly source: Source | null;
  /** Whether it belongs to the backward pass. */
  readonly backward: boolean;
}

/** The totals of one of the programs. */
export interface MemorySide {
  readonly name: string;
  /** What it is compiled for, in words: `TPU v5e 2×4`. */
  readonly target: string;
  /** The most bytes that are alive at once on a device. */
  readonly peak_bytes: number;
  /** Bytes that the compiler allocates on a device. */
  readonly allocated_bytes: number;
}

/** Bytes on one device, by the compiler's own analysis. */
export interface MemoryTotals {
  readonly arguments: number;
  readonly outputs: number;
  readonly temporaries: number;
  /** Bytes of donated arguments whose memory outputs reuse. */
  readonly aliased: number;
  /** Bytes of the machine code. */
  readonly code: number;
  /** The most bytes that are alive at once, arguments included; 0 where the compiler does not report it (CPU). */
  readonly peak: number;
}

/**
 * Devices in a grid with named axes, in the order of `jax.sharding.Mesh.devices.flat` (axis 0 slowest).
 *
 * Everything per device is indexed by this *position*, not by device id. A sharding that names no mesh (one device,
 * or an index map of its own) has no axes and its devices in a row.
 */
export interface Mesh {
  readonly axes: readonly MeshAxis[];
  /** `Device.id` at each position; the positions themselves for an abstract mesh. */
  readonly device_ids: Ints;
  /** Process index at each position. */
  readonly process: Ints;
  /** Index of the process that made the document. */
  readonly this_process: number;
  /** Physical coordinates, where devices have them (TPU): for each coordinate, its value at each position. */
  readonly coords: readonly Ints[];
  /** `Device.device_kind`, for example `TPU v5 lite`; empty for an abstract mesh. */
  readonly kind: string;
  /** `Device.platform`, for example `tpu`; empty for an abstract mesh. */
  readonly platform: string;
  /** Whether it is an abstract mesh, which has no devices. */
  readonly abstract: boolean;
  /**
   * The slice index at each position, where devices are in several slices, which no fast links connect; None for one
   * slice.
   */
  readonly slices: Ints | null;
  /** Whether the mesh has one axis, with links from each device to the next and from the last to the first (TPU). */
  readonly ring: boolean;
}

/** One named axis of a mesh. */
export interface MeshAxis {
  readonly name: string;
  readonly size: number;
  readonly type: "Auto" | "Explicit" | "Manual";
}

/**
 * A tree of arrays and where they live. Made without touching their data.
 *
 * The nodes of the tree are in *preorder*: a node, then all below it, then its next sibling. Its leaves are the
 * nodes that have nothing below. A tree that is one leaf has one node, whose key is empty.
 */
export interface Model {
  /** The mesh that holds the most bytes. */
  readonly mesh: Mesh;
  /** The other meshes, and single devices, that leaves are on. */
  readonly other_meshes: readonly Mesh[];
  /** The distinct types of leaves. */
  readonly types: readonly LeafType[];
  /** The distinct keys of nodes. */
  readonly keys: readonly Key[];
  /** For each node, the index of its key in `keys`. */
  readonly node_key: Ints;
  /** For each node, the number of nodes above it, the root not counted. */
  readonly node_depth: Ints;
  /** For each leaf, the index of its type in `types`. */
  readonly leaf_type: Ints;
  /** Groups of sibling nodes that are equal but for a number in their keys, such as the layers of a model. */
  readonly folds: readonly Ints[];
  /** The reasons to look at leaves, the worst first. */
  readonly flags: readonly Flag[];
  /** How this version of JAX spells shardings and words their errors. */
  readonly terms: Terms;
  /** Further reasons to look, each about less than 1 % of what is on the fullest device; they are not listed. */
  readonly small_flags: number;
  /** Bytes that these could save on each device, in all. */
  readonly small_cost: number;
  /** What came of rules that were tried; without them this is the tree as it is. */
  readonly rules: readonly RuleEffect[];
  /** Bytes on the device that held most without the rules; 0 where none were tried. */
  readonly bytes_per_device_before: number;
  /** What the user calls the tree; empty where that is not known. */
  readonly name: string;
  readonly jax_version: string;
  readonly kind: "model";
  readonly version: number;
}

/** Two or more trees of arrays side by side, each against the first. */
export interface ModelComparison {
  /** The mesh that holds the most bytes of the first tree. */
  readonly mesh: Mesh;
  readonly trees: readonly ComparedTree[];
  readonly rows: readonly ComparedRow[];
  readonly lines: readonly ComparedLine[];
  readonly jax_version: string;
  readonly kind: "model comparison";
  readonly version: number;
}

/**
 * What all ranks of a group do at the same time: each sends `count` consecutive chunks to one peer.
 *
 * Offsets count from the sender r: an offset d means rank or chunk `(r + d) mod n` in a shift and `r ^ d` in an
 * exchange. A permutation or a broadcast names its ranks instead, pair by pair, and each pair moves chunk 0.
 */
export interface Move {
  /** How a rank finds its peer: by adding `by`, by flipping the bits of `by`, or in `pairs`. */
  readonly peer: "shift" | "exchange" | "pairs";
  /**
   * Whether the destination's chunk is replaced (`copy`) or combined with what arrives, by the collective's
   * operation.
   */
  readonly op: "copy" | "add";
  /** Offset of the peer. In a shift, +1 is the next rank of the ring and -1 the previous one. */
  readonly by: number;
  /** Offset of the first chunk, modulo n, so it may be negative; the others are at `first + 1`, `first + 2` … */
  readonly first: number;
  /** The number of chunks. */
  readonly count: number;
  /**
   * Offset of the rank that the chunks started on, modulo n, so it may be negative, where `Semantics.by_origin`
   * tells chunks apart by it. A chunk's number is then the rank that it goes to.
   */
  readonly origin: number;
  /** The pairs (source rank, destination rank). */
  readonly pairs: readonly (readonly [number, number])[];
}

/** One array of a plan. */
export interface MovedArray {
  /** The path in the tree: `layers/0/up`, or `x` where the tree is one array. */
  readonly path: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  /** The PartitionSpec before, on the whole mesh or inside a group; the class of a sharding that has no spec. */
  readonly source: string;
  /** How each dimension is split before. */
  readonly source_dims: readonly Dim[];
  /** The PartitionSpec after, likewise. */
  readonly target: string;
  /** How each dimension is split after. */
  readonly target_dims: readonly Dim[];
  /**
   * The groups that keep it (for `mpmd_to_spmd`: that have it, and the first of which sends it), in ascending
   * order.
   */
  readonly groups: readonly number[];
  /** Bytes of a shard before the move, on each device that has one. */
  readonly source_bytes: number;
  /**
   * Bytes of a shard after the move, on each device that has one. By `spmd_to_mpmd` every group makes it while its
   * chunk moves; groups that do not keep it free it again.
   */
  readonly target_bytes: number;
  /** The mesh axes over which data must move, in mesh order; empty where every device has what it needs. */
  readonly axes: readonly string[];
  /** Total bytes that the devices which keep it do not have before: no way of moving it sends fewer. */
  readonly least_bytes: number;
  /** Bytes that each group receives from every other one (by `mpmd_to_spmd`: from the one that provides it). */
  readonly between_bytes: number;
  /** The collectives of a compiled program that moves it alone; None where none was compiled. */
  readonly collectives: readonly PlanCollective[] | null;
}

/**
 * Where an array lives on the groups of a mesh that one of its axes divides.
 *
 * A *group* is the part of the mesh at one index of the MPMD axis. Every group that holds the array holds all of it,
 * laid out in the same way over the group's own devices.
 */
export interface MpmdPlacement {
  /** The mesh of all groups together. */
  readonly mesh: Mesh;
  /** The mesh axis that divides it into groups. */
  readonly axis: string;
  /** The global shape, which the array has in every group. */
  readonly shape: readonly number[];
  /** How each group splits it; the MPMD axis splits no dimension. */
  readonly dims: readonly Dim[];
  /** What each group has of the array, by the group's index on the MPMD axis. */
  readonly holds: readonly ("none" | "live" | "deleted" | "dropped" | "remote" | "abstract")[];
  readonly dtype: string;
  /** Bits of one element in memory. */
  readonly bits: number;
  readonly name: string;
  /** `jax.typeof` of the array in one group. */
  readonly type: string;
  /** The PartitionSpec inside a group, as JAX prints it. */
  readonly spec: string;
  /** The class of the object that was read, for example `MpmdArray`. */
  readonly source: string;
  readonly memory_kind: string;
  readonly jax_version: string;
  readonly kind: "mpmd";
  readonly version: number;
}

/** What the arrays of a session take. Made without touching their data, and without keeping any of them. */
export interface Namespace {
  /** The meshes, that with the most devices and bytes first; a single device is a mesh without axes. */
  readonly meshes: readonly Mesh[];
  /** The types of the holders that are single arrays. */
  readonly types: readonly LeafType[];
  /** The largest names, those with the most bytes on a device first; then those that the last cell unbound. */
  readonly holders: readonly Holder[];
  /** The devices, those with the most bytes first. */
  readonly groups: readonly DeviceGroup[];
  /** The number of names that hold arrays, of which `holders` has only the largest. */
  readonly names: number;
  /** Bytes on a device that belong to names that are not in `holders`. */
  readonly left_out: number;
  /** Bytes on all devices beyond one copy of each tile. */
  readonly spent: number;
  /** The number of the cell that ran last; 0 where none did. */
  readonly cell: number;
  readonly jax_version: string;
  readonly kind: "namespace";
  readonly version: number;
}

/** A loop, a branch or a called computation that collectives are in. */
export interface Nest {
  /** What it is. `condition` is the test of a loop, which runs once more often than the body. */
  readonly kind: "loop" | "condition" | "branch" | "call";
  /** `scan`, `fori_loop` or `while` for a loop, the number of a branch, the name of what is called. */
  readonly name: string;
  /** Index in `Program.nests` of the loop, branch or call around it; -1 in the entry computation. */
  readonly parent: number;
  /** How often it runs each time the program reaches it; None where that is not known. */
  readonly times: number | null;
  /** The user's line that it belongs to; None where that is not known. */
  readonly source: Source | null;
  /** Whether it belongs to the backward pass. */
  readonly backward: boolean;
}

/** How the devices of a group are connected, for estimates. */
export interface Network {
  readonly name: string;
  /** `torus`: the group is a ring of links. `switch`: every device reaches every other directly. */
  readonly topology: "torus" | "switch";
  /** Bytes per second that a link carries in one direction (torus), or that a device sends (switch). */
  readonly bandwidth: number;
}

/** What may be done next, for a button. */
export interface Offer {
  readonly label: string;
  /** Copies `text`; searches for so many `chips`; or searches again without `whole=` and `sizes=`. */
  readonly do: "copy" | "chips" | "free";
  readonly text: string;
  readonly chips: number;
}

/** An instruction of the program that the devices ran. */
export interface Operation {
  /** The name in the module: `fusion.12`, `all-reduce.1`. */
  readonly name: string;
  /** The user's line that it belongs to; None where there is none. */
  readonly source: Source | null;
  /** JAX's path of the operation: `jit(f)/transpose(jvp(dot_general))`. */
  readonly op: string;
  /** Index in `Run.collectives`; -1 for compute. */
  readonly collective: number;
  /**
   * The trip counts of the loops that it is in, outermost first; 0 where a count is not known. When a device runs it
   * for the k-th time in a call, the loops' iterations are the digits of k in this mixed radix.
   */
  readonly trips: readonly number[];
  /** Whether the program has an instruction of this name. */
  readonly known: boolean;
}

/** An order that is written out: columns over all tasks, rank by rank, in the order in which a rank runs them. */
export interface Order {
  /** The number of tasks of each rank. */
  readonly counts: Ints;
  /** The stage of each task. */
  readonly stage: Ints;
  /** The kind of each task, as an index in `FBIW`: forward, whole backward, its input half, its weight half. */
  readonly task_kind: Ints;
  /** The microbatch of each task. */
  readonly microbatch: Ints;
  /** 1 for a task that is fused with the task before it: both start when both can start, and end together. */
  readonly fused: Ints;
  /**
   * The tick of each task, where all ranks advance together, as a loop around `ppermute` makes them; otherwise
   * empty.
   */
  readonly tick: Ints;
  /** 1 for a task whose result nothing uses; empty where that is not known. */
  readonly wasted: Ints;
}

/** Where the blocks of a variable come from, if they were only moved, cut, joined and reshaped. */
export interface Origin {
  /** Index in `Trace.variables` of the variable whose blocks they were. */
  readonly variable: number;
  /**
   * For each mesh position and each piece of its block, the position of the device whose block the piece comes from;
   * -1 where nothing was sent to the device, -2 where it is not known.
   */
  readonly positions: Ints;
  /** The dimension along which pieces of equal size are joined; -1 where a block is a single piece. */
  readonly axis: number;
}

/** A compiled program's schedule, replayed against a chip's figures. Every time is an estimate in seconds. */
export interface Overlap {
  readonly mesh: Mesh;
  /** What one device computes, without waiting. */
  readonly compute: number;
  /** What it waits for collectives. */
  readonly exposed: number;
  /** The whole call, if in every loop and every stretch computation and communication ran beside each other. */
  readonly overlapped: number;
  /** The most exposed first. */
  readonly transfers: readonly Transfer[];
  /** The costliest first, at most ten. */
  readonly lines: readonly LineWork[];
  /** The call over time, by when they begin. */
  readonly intervals: readonly Interval[];
  readonly loops: readonly Loop[];
  readonly flops: number;
  readonly bytes: number;
  /** Seconds in which the busiest mesh axis sends. */
  readonly links: number;
  /** What would limit the program if everything overlapped. */
  readonly bound: "compute" | "memory" | "links" | "";
  readonly chip: string;
  readonly flops_per_second: number;
  readonly bytes_per_second: number;
  readonly link_bytes_per_second: number;
  /** Operations for each byte at which the chip's matrix units are as busy as its memory, and as a link. */
  readonly ridges: readonly [number, number];
  /** How the times are estimated, in a sentence. */
  readonly formula: string;
  /** How much of the call is waiting, in a sentence without its end. */
  readonly verdict: string;
  readonly name: string;
  readonly target: string;
  /** What is not known, and how it is counted. */
  readonly note: string;
  /** A measured run of it, where one was put beside it. */
  readonly measured: MeasuredCall | null;
  readonly kind: "overlap";
  readonly version: number;
}

/** The verdict on one field. */
export interface Part {
  /** The field's name. */
  readonly field: string;
  /** Whether the answer is correct. */
  readonly right: boolean;
  /** Which quantity is wrong, in one sentence; empty where none is. */
  readonly note: string;
  /** Whether each number of a grid is correct, row by row; empty for other forms. */
  readonly cells: readonly boolean[];
}

/** What a device holds of a value in both traces: cells of one row of its block. */
export interface PartedCells {
  /** Its id; -1 for a global array, which all have in common. */
  readonly device: number;
  readonly mine: readonly string[];
  /** As many as `mine`, unless the shapes differ. */
  readonly reference: readonly string[];
  /** Which of these cells differ, by their place. */
  readonly parted: readonly number[];
  /** How many elements of the whole block differ. */
  readonly count: number;
  /** The device whose block it is, in both traces, where blocks were only moved; otherwise -1. */
  readonly origins: readonly [number, number];
  /** The device that sent it, in both traces, where the step is a permutation; -1 where none did, and for others. */
  readonly senders: readonly [number, number];
  /** Cells of the first operand on this device, in both traces; empty where it is not known. */
  readonly operands: readonly [readonly string[], readonly string[]];
}

/** The code of one of the two functions. */
export interface PartedSide {
  readonly name: string;
  /** As in `Source.file`; empty where the code is not known. */
  readonly file: string;
  readonly first_line: number;
  readonly lines: readonly string[];
  /** Numbers of the lines whose text differs from the other function's. */
  readonly other: readonly number[];
}

/** A step of the first trace, and the value that it makes. */
export interface PartedStep {
  /** Index in `Trace.steps`. */
  readonly step: number;
  /** Index of the step of the reference that it is compared with; -1 where there is none. */
  readonly other: number;
  readonly primitive: string;
  /** The name of the value. */
  readonly name: string;
  /** How many elements it has, of all devices. */
  readonly total: number;
  /** How many of them differ; all, where the shapes do. */
  readonly parted: number;
  /** Whether both traces have values of it. */
  readonly compared: boolean;
  /** Ids of the devices where it differs; empty for a global array. */
  readonly devices: readonly number[];
  /** The shape of the value's block in both, or of the global array. */
  readonly shapes: readonly [readonly number[], readonly number[]];
  /** The names of the first operand in both. */
  readonly operands: readonly [string, string];
  /** The index of the first cell in `cells`. */
  readonly at: readonly number[];
  /** The lines that it comes from. */
  readonly sources: readonly [Source | null, Source | null];
  /** What devices hold, of a step that differs; of the first steps and devices alone. */
  readonly cells: readonly PartedCells[];
}

/**
 * Where an array's shards live on a mesh. Made without touching the array's data.
 *
 * A *tile* is a distinct piece of the global array; a *shard* is a copy of a tile on one device. With unreduced
 * axes each device along them holds a *partial sum* of its tile, which is not a copy.
 */
export interface Placement {
  readonly mesh: Mesh;
  /** The global shape; None for a mesh that is shown alone. */
  readonly shape: readonly number[] | null;
  readonly dims: readonly Dim[];
  /** The long name of the dtype, for example `bfloat16` or `key<fry>`. */
  readonly dtype: string;
  /** Bits of one element in memory. */
  readonly bits: number;
  /** What the user calls the array; empty where that is not known. */
  readonly name: string;
  /** `jax.typeof` with short dtypes, for example `f32[8@x,16]{U:y}`. */
  readonly type: string;
  /** The class of the sharding, for example `NamedSharding`. */
  readonly sharding: string;
  /** The PartitionSpec as JAX prints it; None where the sharding has none. */
  readonly spec: string | null;
  /**
   * Whether the type's spec agrees with the sharding's: `same`; `silent`, without Explicit axes; `partly`,
   * where it is silent on the Auto axes of a mixed mesh; `differs`; empty where there is nothing to compare.
   */
  readonly agreement: "same" | "silent" | "partly" | "differs" | "";
  /** The mesh axes along which each device holds a part that is still to be combined with the others. */
  readonly unreduced: readonly string[];
  /** The operation that must combine the parts along unreduced axes: `sum`, `max` or `min`. */
  readonly unreduced_kind: string;
  /** The mesh axes that the sharding states as reduced: gradients are unreduced along them. */
  readonly reduced: readonly string[];
  readonly memory_kind: string;
  /** The sharding's own permutation of the mesh's devices, already applied to `mesh`. */
  readonly logical_device_ids: Ints | null;
  /** The HLO sharding as text; empty where JAX has none, as for unreduced axes in some versions. */
  readonly hlo: string;
  /** The Shardy (sdy) sharding as text; empty where JAX has none. */
  readonly shardy: string;
  /** Whether the array has its data, was deleted, or is a shape that has no data yet. */
  readonly state: "live" | "deleted" | "abstract";
  /** The values that travel with the document, as in a saved page; None where none do. */
  readonly values: Values | null;
  readonly jax_version: string;
  readonly kind: "placement";
  readonly version: number;
}

/**
 * An algorithm of a collective for a group of n ranks: rounds of moves.
 *
 * The moves of a round happen together: each sends what its source held when the round began.
 */
export interface Plan {
  /** Its name. `meaning` is no algorithm: every chunk goes straight to where it belongs, in one round. */
  readonly algorithm: "meaning" | "ring" | "bidirectional ring" | "halving-doubling";
  readonly semantics: Semantics;
  /** The number of ranks. */
  readonly n: number;
  readonly rounds: readonly (readonly Move[])[];
}

/** A collective of the compiled program that moves one array. */
export interface PlanCollective {
  /** XLA's name for it: `all-gather`, `collective-permute`. */
  readonly kind: string;
  /** The mesh axes over whose groups it goes; empty where no set of axes has its groups. */
  readonly axes: readonly string[];
  /** The most bytes that any device sends by the ring algorithm (by a permutation: directly). */
  readonly bytes_per_device: number;
  /** Bytes that all devices send together. */
  readonly total_bytes: number;
}

/** A spec to edit, and JAX's words for what comes of it. */
export interface Playground {
  /** The devices that meshes are made of, in order and without axes; an abstract mesh itself, where one was given. */
  readonly mesh: Mesh;
  /** What is on screen. */
  readonly draft: SpecDraft;
  /** The axes of the mesh that the user gave. */
  readonly given: readonly MeshAxis[];
  /** The dtypes that can be chosen. */
  readonly dtypes: readonly DtypeName[];
  readonly terms: Terms;
  /** What the code calls the array. */
  readonly name: string;
  /**
   * The type of the real array that *Apply* moves, whose shape and dtype are then fixed; empty where there is
   * none.
   */
  readonly array: string;
  /** Whether only the spec can be edited, as in an exercise that asks for one and for what follows from it. */
  readonly fixed: boolean;
  /** None where nothing is forbidden. */
  readonly forbids: Forbids | null;
  /** The most positions that a mesh may have on screen. */
  readonly most_devices: number;
  /** The most dimensions that an array may have on screen. */
  readonly most_dims: number;
  readonly jax_version: string;
  readonly kind: "playground";
  readonly version: number;
}

/** The collectives of a compiled program. */
export interface Program {
  /** The user's mesh; without one, the program's devices in a row. */
  readonly mesh: Mesh;
  /** The collectives, in the order of the module's schedule. */
  readonly collectives: readonly HloCollective[];
  /** The loops, branches and calls that collectives are in, outer ones before what they contain. */
  readonly nests: readonly Nest[];
  readonly plans: readonly Plan[];
  /** The names of the interconnects that estimates are for. */
  readonly interconnects: readonly string[];
  /** Index in `interconnects` of the one to show first: the one asked for, the devices' own, or a common one. */
  readonly interconnect: number;
  /** Whether each physical coordinate of `mesh.coords` has wraparound links. */
  readonly wraps: readonly boolean[];
  readonly name: string;
  /** What it is compiled for, in words: `TPU v5e 4×4`, `8 CPU devices`. */
  readonly target: string;
  /** The number of instructions in the module. */
  readonly instructions: number;
  readonly memory: MemoryTotals | null;
  readonly work: Work | null;
  readonly listings: readonly Listing[];
  /**
   * What dominates, in a sentence for each of `interconnects`; one where there is none of these, and empty where
   * nothing is known of what is sent.
   */
  readonly verdicts: readonly string[];
  /** What deserves a look, the dearest first. */
  readonly findings: readonly Finding[];
  /** Instructions that look like collectives but could not be read, as the module writes them, and why. */
  readonly unread: readonly string[];
  /** What is not known and why, in one sentence. */
  readonly note: string;
  /**
   * Whether these are the collectives that the program itself asks for, as JAX lowers it, before the compiler
   * partitions it and adds its own.
   */
  readonly lowered: boolean;
  readonly timing: Timing | null;
  readonly jax_version: string;
  readonly kind: "program";
  readonly version: number;
}

/** What differs between two programs. Lines are matched by their text, so that they may have moved. */
export interface ProgramDiff {
  /** The mesh of the program after. */
  readonly mesh: Mesh;
  readonly before: DiffProgram;
  readonly after: DiffProgram;
  /** What differs, the greatest difference of time and then of bytes first; then what does not. */
  readonly rows: readonly DiffRow[];
  /** What times are estimated for; empty where the programs have no interconnect in common. */
  readonly interconnect: string;
  /** What differs most, in a sentence. */
  readonly verdict: string;
  /** What it comes to in all, in a sentence. */
  readonly also: string;
  /**
   * What is compared: two compiled programs; or what one program asks for itself, as JAX lowers it, with what the
   * compiler makes of that.
   */
  readonly of: "before and after" | "lowered and compiled";
  /** The code that collectives come from, in the order of its lines: what is before, after or in both. */
  readonly lines: readonly DiffLine[];
  readonly kind: "program diff";
  readonly version: number;
}

/** Compiled programs side by side. */
export interface Programs {
  /** The mesh of the first program. */
  readonly mesh: Mesh;
  /** The programs, each with the name that the user gave it. */
  readonly programs: readonly Program[];
  readonly kind: "programs";
  readonly version: number;
}

/** One exercise, and the student's progress with it. */
export interface Question {
  /** Unique in its set. */
  readonly name: string;
  readonly task: "read_placement" | "write_spec" | "predict_type" | "predict_error" | "choose_collective" | "fill_block" | "put_specs" | "repair" | "lower_communication" | "read_schedule" | "order_tasks" | "find_leaf" | "shard_tree" | "predict_peak" | "choose_threshold" | "may_overlap" | "find_race" | "add_wait";
  /** The task in plain text, with code between backquotes. */
  readonly prompt: string;
  readonly mesh: Mesh;
  readonly fields: readonly Field[];
  /** The editor of the only field, where that is the spec of an array; None for any other. */
  readonly playground: Playground | null;
  readonly figures: readonly Figure[];
  /** What the answer must give, where that is short: `f32[4,4]`. Otherwise empty. */
  readonly goal: string;
  /**
   * The expression that a notebook cell has for it, `lab["rows"]`: the cell answers with `lab["rows"].answer =
   * …`.
   */
  readonly target: string;
  /** The hints that the student has asked for, in order. */
  readonly hints: readonly string[];
  /** The number of hints that are left to ask for. */
  readonly hints_left: number;
  /** The number of answers so far, without malformed ones. */
  readonly attempts: number;
  readonly passed: boolean;
  /** The last answer, field by field; empty where there is none yet. */
  readonly answer: readonly Given[];
  /** The feedback to the last answer; None where there is none yet. */
  readonly feedback: Feedback | null;
}

/** Why one dimension of a value of a `Comparison` is split over one axis: one step back. */
export interface Reason {
  /** Index in `Comparison.rows`. */
  readonly row: number;
  /** Index in that row's `values`. */
  readonly value: number;
  readonly dim: number;
  readonly axis: string;
  /** What gave it, where `giver` is -1. */
  readonly given: "" | "argument" | "constraint" | "type" | "shard_map" | "jit";
  /** Rows whose operations passed it on from the giver, the nearest first. */
  readonly through: readonly number[];
  /** Whether it was passed against the direction of the program: from a result to an operand. */
  readonly back: boolean;
  /**
   * Index in `Comparison.reasons` of the value that passed it on; -1 where it was given here, or by what
   * `through` ends with.
   */
  readonly giver: number;
  /** The step of the compiler's propagation, from 0; -1 where it was given. */
  readonly step: number;
  /**
   * Indices in `Comparison.reasons` of other values of the same operation that are split over the same axis along
   * another dimension, which was not passed on.
   */
  readonly lost: readonly number[];
  /** Why those were not passed on, in a sentence. */
  readonly because: string;
  /** The dimension of the giver that they would split instead; -1 where they need another value's. */
  readonly wanted: number;
  /** Index in `Comparison.groups` of all that asked for the same; -1 where only one did. */
  readonly group: number;
}

/** An order that a generator makes. Python and the front end follow the same rules. */
export interface Recipe {
  /** The name of the generator. */
  readonly generator: "gpipe" | "one_f_one_b" | "eager_1f1b" | "interleaved_1f1b" | "zb_h1" | "zb_v" | "dualpipe_v" | "circular";
  /** The number of stages over all ranks, not that of each rank. */
  readonly stages: number;
  /** The number of microbatches. */
  readonly microbatches: number;
  /** The number of ranks. */
  readonly ranks: number;
}

/** What JAX compiled while a function ran. */
export interface Recompiled {
  /** The function that ran. */
  readonly name: string;
  /** The calls that compiled a function of the user's, in order. */
  readonly calls: readonly CompiledCall[];
  /** The number of compiled operations that the user's code calls outside `jit`, such as `jnp.zeros`. */
  readonly operations: number;
  /** The version of JAX. */
  readonly jax_version: string;
  /** The version of the format. */
  readonly version: number;
  /** The kind of document. */
  readonly kind: "recompiled";
}

/** A `shard_map` of the program. */
export interface Region {
  readonly name: string;
  readonly mesh: Mesh;
  /** The mesh axes that are Manual inside. */
  readonly manual: readonly string[];
  /** The spec of each argument, as JAX prints it. */
  readonly in_specs: readonly string[];
  /** The spec of each result, as JAX prints it. */
  readonly out_specs: readonly string[];
  /** Whether JAX checks over which axes results vary. */
  readonly check_vma: boolean;
  /** Index of the region around a nested one; -1 for an outermost one. */
  readonly parent: number;
}

/** The changes of a program that help, the best first; a sequence of them. */
export interface Remedies {
  /** The program. */
  readonly name: string;
  /** What is to be lower. */
  readonly lowers: "peak" | "communication";
  readonly found: readonly Remedy[];
  /** How many changes were compiled. */
  readonly tried: number;
  /** Whether all were; not where it was interrupted. */
  readonly complete: boolean;
  readonly jax_version: string;
  readonly kind: "remedies";
  readonly version: number;
}

/** A change that lowers the peak of memory, or communication, found by compiling the program with it. */
export interface Remedy {
  /** The change in words: `donate argument 0`. */
  readonly what: string;
  /** The change as code, `jax.jit(step, donate_argnums=0)`, or as the spec of an argument. */
  readonly code: string;
  /** Without the change: the peak in bytes, or the bytes that a device sends in a call. */
  readonly before: number;
  /** The same with the change. */
  readonly after: number;
  /** The change in the user's source; None where no single place in it can be changed. */
  readonly fix: Fix | null;
  /** What the change is for, and what `before` and `after` count. */
  readonly lowers: "peak" | "communication";
  /** For communication: estimated seconds of a call without the change. */
  readonly seconds_before: number;
  /** The same with the change. */
  readonly seconds_after: number;
  /** For communication: bytes of memory on a device that the change adds; less than 0 where it saves some. */
  readonly memory: number;
}

/**
 * The plan for moving arrays to another layout: their order, which move together, and what devices hold meanwhile.
 *
 * A chunk is one compiled program. By direction:
 *
 * - `spmd_to_mpmd`: it lays its arrays out in every group; groups that do not keep an array then free their copy
 *   (JaxPP's `spmd_to_mpmd_reshard`).
 * - `mpmd_to_spmd`: every group adds a block (zeros where it does not provide the array) to a stack along the MPMD
 *   axis, of which the program selects the providing group's (JaxPP's `mpmd_to_spmd_reshard` on several processes).
 * - `device_put`: one array, from one sharding to another, in one chunk.
 */
export interface ReshardPlan {
  /**
   * Which way the arrays move: from the whole mesh to groups, from groups to the whole mesh, or one array to another
   * sharding.
   */
  readonly direction: "spmd_to_mpmd" | "mpmd_to_spmd" | "device_put";
  /** The mesh of all devices; for `device_put` the mesh before. */
  readonly mesh: Mesh;
  /** The mesh axis that divides the mesh into groups; empty for `device_put`, which has one group. */
  readonly axis: string;
  /** The arrays, in the order of the tree. */
  readonly arrays: readonly MovedArray[];
  /** Indices in `arrays`, in the order in which they move, whatever the threshold. */
  readonly order: readonly number[];
  /**
   * The most bytes that the weights of a chunk may add up to. An array that weighs more is a chunk of its own. 0 for
   * `device_put`, which has no threshold.
   */
  readonly threshold: number;
  /** The mesh after a `device_put`, where it is another mesh; otherwise None. */
  readonly target_mesh: Mesh | null;
  /** How much each device needs from which other, for a `device_put` on at most 64 devices; otherwise empty. */
  readonly flows: readonly Flow[];
  /** What is not known and why, in one sentence. */
  readonly note: string;
  readonly jax_version: string;
  readonly kind: "reshard";
  readonly version: number;
}

/** One equation, or the arguments or the results of the function, or one array. */
export interface Row {
  /**
   * JAX's primitive; `arguments` and `outputs` for what the function takes and returns; `array` for an array by
   * itself.
   */
  readonly primitive: string;
  /** The results. */
  readonly values: readonly Compared[];
  /** The user's source line; a line of an installed package only where there is no other. */
  readonly source: Source | null;
  /** The names of the operands. */
  readonly inputs: readonly string[];
  /** Index of the innermost scope in `Comparison.scopes`. */
  readonly scope: number;
  /** What the user wrote to decide the sharding here; empty where the equation has no such decision. */
  readonly decision: "" | "reshard" | "with_sharding_constraint" | "out_sharding" | "device_put";
  /** Why the explicit side stops here; None where it does not. */
  readonly error: Failure | null;
  /**
   * Indices in `Comparison.program.collectives` of the collectives that the compiler put before or into this
   * equation.
   */
  readonly collectives: readonly number[];
  /** Unexpected replication in words, `w is gathered whole over model`; empty if there is none. */
  readonly remark: string;
  /** Bytes that this replication costs each device. */
  readonly wasted_bytes: number;
  /**
   * Whether the shardings come from a program compiled with inspections that has other collectives here than the
   * program itself, which may never make these values.
   */
  readonly inspected: boolean;
  /** The line of an installed package that `source` runs; None where it runs none of one. */
  readonly library: Source | null;
}

/** What came of a rule that says how leaves would be split. */
export interface RuleEffect {
  /** The rule as it was written. */
  readonly rule: string;
  /** The number of leaves that it matches. */
  readonly matches: number;
  /** The number of those that it decides: a later rule may decide the others. */
  readonly counts: number;
  /** Copies of these before and after, where all have the same. */
  readonly copies: readonly [number, number] | null;
  /** The number of those that JAX refuses to split so; they stay as they are. */
  readonly refused: number;
  /** The first of them. */
  readonly refused_path: string;
  /** JAX's words for it; or why the line is no rule. */
  readonly error: string;
}

/** Measured calls of a program. */
export interface Run {
  /** The user's mesh; without one, the program's devices in a row. */
  readonly mesh: Mesh;
  readonly name: string;
  /** What it ran on, in words: `8 CPU devices`. */
  readonly target: string;
  /** Seconds of each call, from the first event on any device to the last. */
  readonly seconds: readonly number[];
  /** When the first event of each call was, in nanoseconds of the clock of the (first) process. */
  readonly begins: readonly number[];
  /** The length of a tick in seconds: the unit of time in `lanes`. */
  readonly tick_s: number;
  readonly operations: readonly Operation[];
  /** The lane of each measured device, in mesh order. Devices of other processes have one after runs are merged. */
  readonly lanes: readonly Lane[];
  /** The collectives that were measured, in the order of the module's schedule. */
  readonly collectives: readonly MeasuredCollective[];
  readonly shares: Shares;
  /** The share of the measured device time that has a source line. */
  readonly joined: number;
  /** The operations that have no source line, those with the most time first. */
  readonly unjoined: readonly Unjoined[];
  /** The number of short events that were joined with their neighbours because there were too many to send. */
  readonly merged_events: number;
  /** The interconnect that estimates and `peak` are for: `H100`, `a copy on this host`. */
  readonly interconnect: string;
  /** Bytes per second that a device can send on that interconnect; 0 where not known. */
  readonly peak: number;
  /** The clocks of the processes after the first; empty unless runs were merged. */
  readonly clocks: readonly Clock[];
  /** What these times do not show and what is not known, in full sentences. */
  readonly note: string;
  readonly jax_version: string;
  readonly kind: "run";
  readonly version: number;
}

/** Runs side by side, on one time axis. */
export interface Runs {
  /** The mesh of the first run. */
  readonly mesh: Mesh;
  /** The runs, each with the name that the user gave it. */
  readonly runs: readonly Run[];
  readonly kind: "runs";
  readonly version: number;
}

/** The best estimate for a number of chips and a size of the batch. */
export interface Scaled {
  readonly chips: number;
  /** What it is searched for, in words: `TPU v5p 4×4×8`. */
  readonly target: string;
  /** Examples of the batch. */
  readonly batch: number;
  /** The candidate: `FSDP 32 × TP 4`; empty where none may fit. */
  readonly name: string;
  /** Estimated seconds of a step; 0 where none may fit. */
  readonly time_s: number;
  /** Estimated bytes on a device; of the least where none may fit. */
  readonly bytes_per_device: number;
}

/**
 * Tasks of a pipeline: which rank runs which stage on which microbatch, in which order.
 *
 * What a task waits for follows from its stage, kind and microbatch: a forward task for that of the stage before; a
 * backward task for that of the next stage, and its own forward task; a weight task for its input half.
 */
export interface Schedule {
  /** The order of the tasks: a generator's recipe, or written out. */
  readonly source: Recipe | Order;
  readonly name: string;
  readonly durations: Durations;
  /**
   * Bytes of the activation that a stage sends on: one entry for all stages, or one per stage; empty where not
   * known.
   */
  readonly send_bytes: readonly number[];
  /** The mesh that the ranks are on; None for a schedule without devices. */
  readonly mesh: Mesh | null;
  /** The name of the mesh axis whose positions are the ranks. */
  readonly axis: string;
  /** What is not known and why, in one sentence. */
  readonly note: string;
  readonly kind: "schedule";
  readonly version: number;
}

/** Schedules side by side, on one time axis. */
export interface Schedules {
  /** The schedules, each with the name that the user gave it. */
  readonly schedules: readonly Schedule[];
  readonly kind: "schedules";
  readonly version: number;
}

/** A function, named scope, loop or branch that a step of a trace or a row of a comparison is in. */
export interface Scope {
  readonly kind: "function" | "named_scope" | "loop" | "iteration" | "branch" | "region" | "auto_axes" | "explicit_axes";
  /** The name to show, for example `attention`, `scan`, `cond branch 1`. */
  readonly name: string;
  /** Index of the scope around it; -1 for an outermost one. */
  readonly parent: number;
  /** The index of an iteration; 0 for any other scope. */
  readonly iteration: number;
  /**
   * How many iterations a loop has, for the loop and for each iteration; None where not known, 1 for any other
   * scope.
   */
  readonly times: number | null;
  /** The types of the mesh axes inside, where they differ from those outside; otherwise empty. */
  readonly axis_types: readonly ("Auto" | "Explicit" | "Manual")[];
}

/** Candidates for the sharding of a step, the fastest that fits first. */
export interface Search {
  /** The function. */
  readonly name: string;
  /** What it is searched for, in words: `TPU v5p 4×4×4`. */
  readonly target: string;
  /** The number of devices. */
  readonly chips: number;
  readonly candidates: readonly Candidate[];
  readonly specs: readonly string[];
  readonly leaves: readonly SearchLeaf[];
  readonly groups: readonly DimGroup[];
  /** Index in `candidates` of the user's own sharding; -1 where the arguments have none. */
  readonly now_index: number;
  /** The chip, and how much memory it has; None where that is not known. */
  readonly chip: Chip | null;
  /** How many candidates there are; fewer of them are known while it runs, and where it was stopped. */
  readonly planned: number;
  /** How many candidates were to be compiled. */
  readonly wanted: number;
  /** Plans that were left out: those that do not divide the dimensions, and those equal to another. */
  readonly left_out: readonly [number, number];
  /**
   * Spearman's rank correlation of the estimated and the compiled time of collectives; None for fewer than 4 compiled
   * candidates.
   */
  readonly correlation: number | null;
  /** Why it ended before everything was known; empty where it did not. */
  readonly ended: "" | "interrupted" | "time";
  /** What was left out of the user's code or is not known, each in a sentence. */
  readonly notes: readonly string[];
  /** The user's lines whose values candidates constrain. */
  readonly constraints: readonly Source[];
  /**
   * What they are ordered by: `time`, `memory`, `bytes` that a device sends, or those over an axis,
   * `bytes:tensor`.
   */
  readonly objective: string;
  /** The lines of all codes, each once. */
  readonly code_lines: readonly string[];
  /** The best estimates for other numbers of chips and sizes of the batch, where several were asked for. */
  readonly scaling: readonly Scaled[];
  /** Where no candidate fits: what is missing, and what would do. */
  readonly shortfall: Shortfall | null;
  /**
   * Where no candidate fits: the smallest slice of the same chips on which one does by the estimate; None where none
   * was found.
   */
  readonly fits_on: Scaled | null;
  /** What may be done next where nothing fits, nothing can be compiled or there is nothing to compare. */
  readonly offers: readonly Offer[];
  /** Index in `candidates` of the one that is compiled now; -1 where none is. */
  readonly compiling: number;
  /** Seconds that the estimates have taken. */
  readonly estimating_s: number;
  readonly jax_version: string;
  readonly kind: "search";
  readonly version: number;
}

/**
 * What differs between two searches. Candidates are matched by name, and the user's own with the user's own.
 *
 * What was compiled is compared where both sides were; otherwise estimates, which both have.
 */
export interface SearchDiff {
  readonly before: SearchSide;
  readonly after: SearchSide;
  /**
   * What differs: candidates of both, the greatest difference of time first; then what was added; then what is
   * gone.
   */
  readonly changes: readonly CandidateChange[];
  /** How many candidates are the same in both. */
  readonly same: number;
  /** What became of the best, in a sentence. */
  readonly verdict: string;
  /** How many candidates are faster, slower, new, gone, which fit now and which no longer, in sentences. */
  readonly also: string;
  readonly kind: "search diff";
  readonly version: number;
}

/** An array that the step is given. */
export interface SearchLeaf {
  readonly path: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  /** Whether it is a weight or other state; otherwise it is part of the batch. */
  readonly weight: boolean;
}

/** One of the searches. */
export interface SearchSide {
  /** The function. */
  readonly name: string;
  /** What it is searched for, in words: `TPU v5p 4×4×4`. */
  readonly target: string;
  readonly chips: number;
  /** How many are known. */
  readonly candidates: number;
  /** The best of them; that which takes least where none fits. */
  readonly best: string;
  /** Whether one may fit. */
  readonly any_fits: boolean;
  /** Seconds of a step of it. */
  readonly time_s: number;
  /** Bytes of memory on a device. */
  readonly bytes_per_device: number;
  /** How these are known. */
  readonly basis: "estimated" | "compiled";
}

/** What a collective does with the blocks of a group; the same in every program. `chunk` is an n-th of a block. */
export interface Semantics {
  /** One or a few characters that stand for it in lists: `Σ`, `⇉`, `max`. */
  readonly sign: string;
  /** The operation by which chunks are combined; empty where they are only moved. */
  readonly combines: "" | "sum" | "max" | "min";
  /**
   * What a rank holds, before the first round, of the block that algorithms work on: all of its chunks (`whole`),
   * its own chunk (`own`), the block, on the source rank alone (`source`), or nothing, because only what arrives
   * counts.
   */
  readonly starts: "whole" | "own" | "source" | "nothing";
  /**
   * Which block consists of n chunks side by side: the one that is sent, the one that is received, or both.
   * Algorithms work on the sent block where it alone does, otherwise on the received one.
   */
  readonly cuts: "none" | "sent" | "received" | "both";
  /** Whether a received chunk is named by the rank that it comes from, and a sent one by the rank that it goes to. */
  readonly by_origin: boolean;
  /** Whether all ranks of a group receive the same block. */
  readonly replicates: boolean;
}

/** Collectives of one kind over the same mesh axes, of a candidate, in one step. */
export interface Sent {
  readonly axes: readonly string[];
  /** XLA's name: `all-gather`. */
  readonly kind: string;
  /** How often one runs in a step. */
  readonly times: number;
  /** Whether they are in a loop. */
  readonly in_loop: boolean;
  /** Bytes that a device sends in a step. */
  readonly bytes: number;
  /** Estimated seconds of a step. */
  readonly seconds: number;
  /** Whether the rule takes them to overlap with compute. */
  readonly hidden: boolean;
}

/** How a device spent the time of a call, as the mean over devices and calls. The first four add up to 1. */
export interface Shares {
  /** The share in which it computed. */
  readonly compute: number;
  /** The share in collectives after the last arrival, with nothing computed meanwhile. */
  readonly communication: number;
  /** The share in collectives before the last arrival, with nothing computed meanwhile. */
  readonly waiting: number;
  /** The share without any event. */
  readonly idle: number;
  /** The share of all time in collectives after the last arrival in which the device also computed. */
  readonly hidden: number;
}

/** What the candidate that takes least takes too much, where none fits, and what would do. */
export interface Shortfall {
  /** Bytes of memory on a device beyond the chip's. */
  readonly over: number;
  /** Bytes that it would take less if all new state took the place of the old, as estimated; 0 where it does. */
  readonly donation: number;
  /**
   * Bytes beside the arguments that grow with the batch, as estimated: `jax.checkpoint` keeps less of these. None
   * where the step allows no other batch.
   */
  readonly growing: number | null;
  /** Whether that would be enough, in a sentence. */
  readonly words: string;
}

/** A line of the user's program. */
export interface Source {
  /** The name of the file without its folders; `cell 3` for a notebook cell. */
  readonly file: string;
  /** The line number, counted from 1. */
  readonly line: number;
  /** The text of the line, stripped; empty where it cannot be read. */
  readonly text: string;
  /** The name of the function that it is in. */
  readonly function: string;
}

/** What is on screen: an array, a mesh and a spec, which need not fit each other. */
export interface SpecDraft {
  readonly shape: readonly number[];
  /** The long name of one of `Playground.dtypes`. */
  readonly dtype: string;
  /** The axes of the mesh. A mesh with more positions than there are devices is an abstract one. */
  readonly axes: readonly MeshAxis[];
  /** The entries that are written: possibly fewer than the array has dimensions, or more. */
  readonly entries: readonly SpecEntry[];
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
}

/** The entry of a PartitionSpec for one dimension: `None` where there are no axes. */
export interface SpecEntry {
  /** The mesh axes, major to minor. */
  readonly axes: readonly string[];
  /** Whether it is `P.UNCONSTRAINED`; then there are no axes. */
  readonly unconstrained: boolean;
}

/** One equation executed, or the start or end of a region. */
export interface Step {
  /** JAX's primitive; `in_specs` and `out_specs` at the ends of a region, `error` where the program stops. */
  readonly primitive: string;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  /** What happened, in words. */
  readonly sentence: string;
  readonly source: Source | null;
  /**
   * The largest piece of the user's source that begins with this step. It extends to the next step that begins a
   * piece as large: `x % n` is one expression and nine steps.
   */
  readonly begins: "" | "expression" | "statement";
  /** The text of the expression that the step belongs to, on one line; empty where the source cannot be read. */
  readonly expression: string;
  /** The parameters that matter, as names and values that JAX prints. */
  readonly params: readonly (readonly [string, string])[];
  /** The constants among the operands, as JAX prints them. */
  readonly literals: readonly string[];
  /** Index of its region in `Trace.regions`; -1 outside regions. */
  readonly region: number;
  /** Index of the innermost scope in `Trace.scopes`. */
  readonly scope: number;
  /** What it communicates; None where it sends nothing. */
  readonly collective: Collective | null;
  /** Whether JAX inserted it, as an automatic `pvary`, and the user did not write it. */
  readonly implicit: boolean;
  /** Whether it only moves or reshapes elements and computes nothing, so that it may be folded. */
  readonly shape_only: boolean;
  /** Whether it makes each element of its result from the operands' elements in the same place. */
  readonly elementwise: boolean;
  /** The mesh positions that execute it, where a branch or a loop leaves some out; None where all do. */
  readonly active: Ints | null;
  /** What `jax.debug.print` and other callbacks wrote at this step. */
  readonly printed: string;
}

/** The numbers of one block, laid out in rows. */
export interface Table {
  /** Which block it is: `device 3 · before`. */
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/** How this version of JAX spells shardings and words their errors. */
export interface Terms {
  /** The messages of errors. */
  readonly wordings: readonly Wording[];
  /** The name that the text of a spec begins with: `P`. */
  readonly spec: string;
  /** What the text of a spec with unreduced axes has at its end: `, unreduced_kind=sum`. */
  readonly sums: string;
  /** The text of a mesh: `Mesh({axes}, axis_types={types})`. */
  readonly mesh: string;
  /** The text of an abstract mesh, with the same fields. */
  readonly abstract_mesh: string;
  /** The text of a sharding on devices: `NamedSharding(mesh={mesh}, spec={spec}, memory_kind=device)`. */
  readonly sharding: string;
  /** The text of a sharding on an abstract mesh, with the same fields. */
  readonly abstract_sharding: string;
  /** Whether axes of size 1 take part in the HLO sharding. */
  readonly hlo_counts_ones: boolean;
}

/** The measured time of one call in seconds, after warm-up. */
export interface Timing {
  /** The median call. */
  readonly seconds: number;
  /** The shortest call. */
  readonly low: number;
  /** The longest call. */
  readonly high: number;
  /** The number of calls that were measured. */
  readonly runs: number;
}

/** A program executed step by step. */
export interface Trace {
  /**
   * The mesh that is drawn: that of the first region. The positions of all windows, groups and steps are positions in
   * it.
   */
  readonly mesh: Mesh;
  readonly steps: readonly Step[];
  readonly variables: readonly Variable[];
  readonly regions: readonly Region[];
  readonly scopes: readonly Scope[];
  readonly listings: readonly Listing[];
  readonly plans: readonly Plan[];
  /** The names of the interconnects that estimates are for, the one to show first at the beginning. */
  readonly interconnects: readonly string[];
  readonly name: string;
  /** Where the values come from: the user's devices, a simulation on the host, or nowhere (types only). */
  readonly engine: "mesh" | "host" | "types";
  /** What was left out and why, in one sentence; empty if nothing was. */
  readonly note: string;
  /** Why the program stops; None where it runs to its end. */
  readonly error: Failure | null;
  readonly jax_version: string;
  /** The change that the program was traced with; None for the program as it is. */
  readonly changed: Fix | null;
  readonly kind: "trace";
  readonly version: number;
}

/** Two traces, step by step. */
export interface TraceDiff {
  /** The mesh of the first trace. */
  readonly mesh: Mesh;
  readonly mine: PartedSide;
  readonly reference: PartedSide;
  /** The steps of the first trace that make a value, in their order. */
  readonly steps: readonly PartedStep[];
  /** Index in `steps` of the first that differs; -1 where none does. */
  readonly first: number;
  readonly rtol: number;
  readonly atol: number;
  /** Where they part, in a sentence. */
  readonly verdict: string;
  readonly kind: "trace diff";
  readonly version: number;
}

/** A collective of the schedule, over all its runs in a call. All times are estimates in seconds. */
export interface Transfer {
  readonly kind: string;
  /** The name of the instruction in the module. */
  readonly name: string;
  /** The mesh axes that it goes over; empty for irregular groups. */
  readonly axes: readonly string[];
  /** How often it runs in a call; None where that is not known, and it is counted once. */
  readonly times: number | null;
  /** How long it takes by itself. */
  readonly seconds: number;
  /**
   * How long the program waits for it: at its `-done`, or all of it where it has none. Where its axis is still busy
   * with another one, the wait is longer than the transfer itself.
   */
  readonly exposed: number;
  /** Whether it has a `-start` and a `-done`. */
  readonly asynchronous: boolean;
  /** What computes between `-start` and `-done`, as JAX names it; each once. */
  readonly between: readonly string[];
  /** How long that takes. */
  readonly between_s: number;
  readonly source: Source | null;
  readonly backward: boolean;
  /** What a permutation is a step of, where a product of its line is computed beside it; empty for others. */
  readonly ring: "" | "all-gather" | "reduce-scatter";
  /** The argument of the function that it moves; empty where it moves a computed value. */
  readonly operand: string;
}

/** How many of a holder's arrays have one type. */
export interface TypeCount {
  /** The type, as in `LeafType.type`. */
  readonly type: string;
  /** The number of arrays. */
  readonly count: number;
  /** Bytes of all of them on the device that holds the most. */
  readonly bytes_per_device: number;
}

/** A measured operation that has no source line. */
export interface Unjoined {
  readonly name: string;
  /** The reason: `not in the program` or `no source line`. */
  readonly why: string;
  /** How many times it was measured. */
  readonly times: number;
  /** The share of the measured device time that it took. */
  readonly share: number;
}

/** The values that a view asked for, or why there are none. */
export interface Values {
  readonly blocks: readonly Block[];
  /** What was left out and why, in one sentence; empty if nothing was. */
  readonly note: string;
}

/** A value of the program: inside a region a block on each device, outside a global array. */
export interface Variable {
  /** Index in `Trace.variables`. */
  readonly id: number;
  /**
   * The user's name for it, if there is one; otherwise the expression that produces it, `psum(p, "y")`, if that is
   * short; otherwise `tmp1`, `tmp2` …
   */
  readonly name: string;
  /** The type as JAX prints it: `f32[2,4]{V:(x,y)}` inside a region, `f32[8@x,16]` outside. */
  readonly type: string;
  /** The shape of the block inside a region, of the global array outside. */
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bits: number;
  /** Index of the region that the value is local to; -1 for a global array. */
  readonly region: number;
  /** The mesh axes over which a block varies, by its type; with `check_vma=False` all manual axes. */
  readonly varying: readonly string[];
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
  /** How a global array is sharded over `Trace.mesh`; empty for a block. */
  readonly dims: readonly Dim[];
  /** Its values; None where they were not kept. */
  readonly window: Window | null;
  /** Where its blocks come from; None where the variable computed them itself, or where it is not known. */
  readonly origin: Origin | null;
  /** Whether it can be drawn on `Trace.mesh`; False where it is on a mesh with other axes or devices. */
  readonly drawn: boolean;
}

/** Why a dimension of a value is split over a mesh axis. */
export interface Why {
  /** The value. */
  readonly name: string;
  readonly dim: number;
  /** The mesh axis; empty where the dimension is not split. */
  readonly axis: string;
  /** The answer in one sentence. */
  readonly answer: string;
  /** What the split comes from; empty where it is not split, or where the way is not known. */
  readonly given: "" | "argument" | "constraint" | "type" | "shard_map" | "jit";
  /** From what gave the axis to the value; empty where the way is not known. */
  readonly chain: readonly Link[];
  /** Values that asked for the same axis along another dimension, and lost. */
  readonly lost: readonly Link[];
  /** Values that were given the same, and may give it where the first link does not. */
  readonly also: readonly Link[];
  /** Why they lost, one sentence each. */
  readonly because: readonly string[];
  /** The collectives over this axis that follow, in words. */
  readonly collectives: readonly string[];
  /**
   * The call that compiles it otherwise, `comparison.why(8, 1, 'model', instead=True)`, where a constraint gives it
   * or another value lost; empty elsewhere.
   */
  readonly ask: string;
  /** The program as it is, then what else was compiled; empty where that was not asked for. */
  readonly instead: readonly Alternative[];
  /** How many steps the compiler's propagation had. */
  readonly steps: number;
  readonly kind: "why";
  readonly version: number;
}

/** The part of a value that the document carries: its leading corner on every device. */
export interface Window {
  /** The shape of the corner; smaller than the value's where something was cut off. */
  readonly shape: readonly number[];
  /**
   * The little-endian format of the elements of `data`: numpy's letter and the number of bytes. Narrow floats come
   * as `f4`.
   */
  readonly format: "f4" | "f8" | "i4" | "u4" | "i8" | "u8" | "b1" | "c8" | "c16";
  /** The distinct blocks one after another, each of shape `shape`, in row-major order. */
  readonly data: DataView;
  /** For each mesh position, the index of the block that the device holds. Replicas share one. */
  readonly block: Ints;
}

/** JAX's message for one kind of error, with `{fields}` in place of what it was given. */
export interface Wording {
  readonly kind: "states_overlap" | "unreduced_overlap" | "reduced_overlap" | "repeated" | "unknown" | "unconstrained" | "unreduced_unknown" | "unreduced_auto" | "reduced_unknown" | "reduced_auto" | "rank" | "scalar_rank" | "indivisible";
  /** The class of the exception. */
  readonly error: string;
  /** The message. */
  readonly text: string;
}

/**
 * What one device does in a call, by the compiler's own analysis; -1 for what it does not report.
 *
 * The body of a loop is counted once, however often it runs.
 */
export interface Work {
  readonly flops: number;
  readonly bytes_accessed: number;
  /** The compiler's own estimate of how long an optimal run takes (TPU). */
  readonly seconds: number;
}

export type Document = Algorithms | BaselineDiff | Comparison | ComparisonDiff | Exercises | Kernel | Links | Memory | MemoryDiff | Model | ModelComparison | MpmdPlacement | Namespace | Overlap | Placement | Playground | Program | ProgramDiff | Programs | Recompiled | Remedies | ReshardPlan | Run | Runs | Schedule | Schedules | Search | SearchDiff | Trace | TraceDiff | Why;
