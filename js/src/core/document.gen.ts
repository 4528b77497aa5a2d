// Generated from shardwidget/document/ by js/generate_types.py. Do not edit.

/** Version of the wire format. The front end refuses a document with a greater one. */
export const VERSION = 1;

/** An algorithm, and how much each of its rounds sends. A chunk is `Algorithms.chunk` of a block. */
export interface Algorithm {
  readonly plan: Plan;
  /** Of each round: the chunks that a device sends, the most of all devices. */
  readonly sent: readonly number[];
  /** Of each round: the chunks that pass the busiest link of a ring in one direction. */
  readonly busiest: readonly number[];
}

/**
 * A collective in a group of n devices by each of its algorithms.
 *
 * A round takes `start` plus the time of the bytes that the busiest link carries. A message takes the shorter way
 * round a ring; where both are equally long, half of it takes each.
 */
export interface Algorithms {
  /** JAX's name: `psum`, `all_gather` … */
  readonly collective: string;
  readonly n: number;
  /** Bytes of a device's block, the operand. */
  readonly nbytes: number;
  /** The part of a block that a chunk is. */
  readonly chunk: number;
  readonly algorithms: readonly Algorithm[];
  readonly networks: readonly Network[];
  /** Seconds that a message takes to start, however far it goes. */
  readonly start: number;
  readonly kind: "algorithms";
  readonly version: number;
}

/** Values of one device's shard: every `steps`-th element along each dimension, from its first one on. */
export interface Block {
  readonly device_id: number;
  /** Sampled shape. */
  readonly shape: readonly number[];
  /** Sampling step of each dimension, 1 where nothing is left out. */
  readonly steps: readonly number[];
  /** Element format of `data`, little-endian: numpy's letter and bytes. Narrow floats come as f4. */
  readonly format: "f4" | "f8" | "i4" | "u4" | "i8" | "u8" | "b1" | "c8" | "c16";
  readonly data: DataView;
  /** Least finite value (magnitude for complex) of what was read; 0 if there is none. */
  readonly low: number;
  readonly high: number;
  /** `low` as the dtype prints it; empty if there is no finite value. */
  readonly low_text: string;
  readonly high_text: string;
  /** Whether the whole shard was read for `low` … `infs`, rather than the sample. */
  readonly exact: boolean;
  readonly nans: number;
  readonly infs: number;
}

/** Memory that a value takes up on each device. */
export interface Buffer {
  /** With the padding of the device's tiles. */
  readonly bytes: number;
  /** On one device, as JAX writes it: `bf16[8,4]`. */
  readonly type: string;
  /** What the user calls it: an argument's path, or the variable that its line binds; else the instruction's name. */
  readonly name: string;
  /** `kept`: made in the forward and needed in the backward pass; `collective`: the result of a collective. */
  readonly kind: "argument" | "output" | "kept" | "temporary" | "collective";
  /** The step that makes it; 0 for an argument. */
  readonly born: number;
  /** The last step that it is alive at. */
  readonly dies: number;
  /** The user's line that makes it. */
  readonly source: Source | null;
  /** Whether it is made in the backward pass. */
  readonly backward: boolean;
  /** Index in `Memory.loops` of the innermost loop that makes it again in each pass; -1 for none. */
  readonly loop: number;
  /** Name of the instruction that makes it. */
  readonly instruction: string;
  /** Of an argument: whether a result is written in its place. */
  readonly donated: boolean;
  /** Mesh axes that cut it; None where that is not certain: the compiled program no longer shows it. */
  readonly axes: readonly string[] | null;
}

/** A device by the memory that it has. */
export interface Chip {
  readonly name: string;
  readonly bytes: number;
  /** Where the number is from. */
  readonly source: string;
}

/** The clock of a process, compared with that of the first. */
export interface Clock {
  readonly process: number;
  /** Seconds that were subtracted from its times. */
  readonly offset_s: number;
  /** What may still be wrong: 90th percentile of how far apart collectives that both took part in end. */
  readonly skew_s: number;
  /** Collectives that the clocks were aligned on; 0: they could not be. */
  readonly collectives: number;
}

/** What a step communicates: who takes part together, and how much each device sends. */
export interface Collective {
  /** What happens, whatever JAX calls it: `psum`, `all_gather`, `reduce_scatter`, `ppermute` … */
  readonly kind: string;
  readonly semantics: Semantics;
  /** The user's mesh axes, as the program names them. */
  readonly axes: readonly string[];
  /** Mesh positions of the groups, one group after another; a shorter group is filled up with -1. */
  readonly positions: Ints;
  /** Ranks of the largest group; 1 where no rank has another one to send to. */
  readonly group_size: number;
  /** Bytes that a device sends, rounded up, where it can reach every other directly (a switch): see `arithmetic`. */
  readonly bytes_per_device: number;
  /**
   * How that number is computed, for example `2·V·(N−1)/N, V = 32 B, N = 2`. V is the bytes of the whole array of
   * a group: of all blocks together where each rank has a part of its own, else of one block.
   */
  readonly arithmetic: string;
  /** Rounds of the ring algorithm, one neighbour apart each; 1 for a permutation. */
  readonly hops: number;
  /** Indices in `Trace.plans`: the algorithms that apply, the meaning first. */
  readonly plans: readonly number[];
  /** For each of `plans`: bytes that a device sends by it, including what it passes on for others. */
  readonly plan_bytes: readonly number[];
  /**
   * Dimension along which the sent block is cut into n equal chunks; -1 where its elements, in row-major order, are
   * cut into n ranges (chunk c: from `c·size//n`), or where a chunk is a whole block.
   */
  readonly split_axis: number;
  /** Dimension along which chunks are in the received block; -1 as in `split_axis`. */
  readonly concat_axis: number;
  /** Estimated seconds of latency on each of `Trace.interconnects`. */
  readonly latency: readonly number[];
  /** Estimated seconds that the bytes take on each; the estimate is the greater of the two. */
  readonly bandwidth: readonly number[];
}

/** One value, three ways. */
export interface Compared {
  /** The user's name where it is known, else JAX's letter. */
  readonly name: string;
  /** Global; of the block inside a `shard_map`. */
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bits: number;
  /** Its type on an Explicit mesh; None at an error that nothing fixes, and below it. */
  readonly explicit: Layout | null;
  /** Its type on an Auto mesh; empty where that side stopped. */
  readonly auto: string;
  /** Its sharding in the compiled program; None where that is not known (see `Comparison.note`). */
  readonly concrete: Layout | null;
  /**
   * The explicit type against the concrete sharding; silent where the type leaves it to the compiler; empty where
   * there is nothing to compare.
   */
  readonly agreement: "same" | "differs" | "silent" | "";
  /** What differs, or why the place is not known, in one sentence; empty where there is nothing to say. */
  readonly note: string;
}

/** What is compared of a leaf. */
export interface ComparedArray {
  /** What comes before the row's path in this tree: `0/mu`; empty for the path itself. */
  readonly under: string;
  /** Short dtype and shape with the mesh axes that cut it: `bf16[1024@data,3072]`. */
  readonly type: string;
  /** The PartitionSpec as JAX prints it; None where the sharding has none. */
  readonly spec: string | null;
  /** Of the array, held once. */
  readonly bytes: number;
  /** Of its largest shard; 0 for what is on no device. */
  readonly bytes_per_device: number;
  /** Devices that hold each tile; 0 for what is on no device. */
  readonly copies: number;
}

/** What a tree holds at a path: several arrays where it has another tree in it several times, as Adam's state. */
export interface ComparedCell {
  readonly arrays: readonly ComparedArray[];
  /**
   * Against the first tree. `moved`: other devices, or the same axes at other dimensions; `only here`: the first
   * tree has none; `only there`: only the first tree has one; `absent`: neither has. Of several arrays each is
   * compared with its counterpart, and the first status in the order above counts.
   */
  readonly status: "lost an axis" | "gained an axis" | "moved" | "grew" | "shrank" | "another type" | "same" | "only here" | "only there" | "absent";
  /** The mesh axes that were lost or gained. */
  readonly axes: readonly string[];
}

/** Rows that are equal but for numbers in their paths, such as those of layers. */
export interface ComparedLine {
  /** `layers/0…11/qkv`. */
  readonly path: string;
  /** Indices in `ModelComparison.rows`. */
  readonly rows: Ints;
}

/** A path, and what each tree holds there. */
export interface ComparedRow {
  /** With `/` between its steps; without what a tree has before it. */
  readonly path: string;
  /** One for each tree. */
  readonly cells: readonly ComparedCell[];
}

/** One of the trees, and its totals. */
export interface ComparedTree {
  readonly name: string;
  readonly arrays: number;
  /** Of all its arrays, each held once. */
  readonly bytes: number;
  /** On the device that holds most. */
  readonly bytes_per_device: number;
}

/** What the types say, beside where the data is. */
export interface Comparison {
  readonly of: "function" | "arrays";
  readonly mesh: Mesh;
  readonly rows: readonly Row[];
  readonly scopes: readonly Scope[];
  readonly continuations: readonly Continuation[];
  /** The compiled program; None where nothing was compiled. */
  readonly program: Program | null;
  /** Which variant of the mesh was compiled; `given` for the user's own mixed one. */
  readonly compiled_from: "" | "Auto" | "Explicit" | "given";
  readonly listings: readonly Listing[];
  readonly name: string;
  /** What is not known, why, and how to get it, in one or two sentences. */
  readonly note: string;
  readonly jax_version: string;
  readonly kind: "comparison";
  readonly version: number;
}

/** The explicit side below a fix other than the one that `rows` show. */
export interface Continuation {
  readonly row: number;
  /** Index in that row's `fixes`. */
  readonly choice: number;
  /** Indices of the rows that differ with it. */
  readonly at: readonly number[];
  /** Those rows. */
  readonly rows: readonly Row[];
  /** The program compiled with the fix. */
  readonly program: Program | null;
}

/** How one dimension is cut where mesh axes do not determine it: by an index map of the sharding's own. */
export interface Cut {
  /** First index of each distinct part. */
  readonly starts: Ints;
  /** One past the last index of each distinct part. */
  readonly stops: Ints;
  /** The part that the device at each mesh position holds. */
  readonly part: Ints;
}

/** Devices on which everything is the same. */
export interface DeviceGroup {
  /** Indices in the order of `Namespace.meshes`, each device where it comes first. */
  readonly devices: Ints;
  /** Bytes of all arrays. */
  readonly held: number;
  /** Bytes that would be there if nothing were held twice. */
  readonly own: number;
  /** Bytes that the last cell added. */
  readonly added: number;
  /** Bytes that it freed. */
  readonly freed: number;
  /** Bytes in use by the backend's own count; None where it gives none. */
  readonly in_use: number | null;
  /** The most that were in use since the process began. */
  readonly peak: number | null;
  /** The most that can be in use. */
  readonly limit: number | null;
}

/** One dimension of the array. */
export interface Dim {
  readonly size: number;
  /** Mesh axes that split it, major to minor. */
  readonly axes: readonly string[];
  /** Whether the spec is `P.UNCONSTRAINED` here: the compiler chooses. */
  readonly unconstrained: boolean;
  readonly cut: Cut | null;
}

/** A dtype that the array may have. */
export interface DtypeName {
  readonly name: string;
  /** As types spell it: `f32`. */
  readonly short: string;
  /** Bits of one element in memory. */
  readonly bits: number;
}

/** How long tasks take, in any one unit. Each kind has one entry for all stages, or one per stage. */
export interface Durations {
  readonly forward: readonly number[];
  readonly backward_input: readonly number[];
  /** A whole backward task takes the sum of both halves. */
  readonly backward_weight: readonly number[];
  /** From the end of a task until its result has arrived on another rank. It keeps neither rank busy. */
  readonly communication: number;
}

/** One operation on one device, once. */
export interface Event {
  readonly name: string;
  readonly kind: "compute" | "collective";
  /** Index of the call of the program. */
  readonly call: number;
  /** Seconds from the beginning of the call: the first event on any device. */
  readonly start_s: number;
  readonly end_s: number;
  /** Of a collective: seconds from its own arrival to that of the last member. */
  readonly waited_s: number;
  /** Of the loops that it is in, outermost first. */
  readonly iteration: readonly number[];
  readonly source: Source | null;
}

/** A sheet of exercises; a single exercise is a sheet of one. */
export interface Exercises {
  /** The first question's. */
  readonly mesh: Mesh;
  readonly questions: readonly Question[];
  /** Of the set; empty for a single exercise. */
  readonly name: string;
  readonly student: string;
  /** Where progress is kept, in words; empty where it is not. */
  readonly kept: string;
  /** What the reader should know of their record: one that could not be read, or is another student's. */
  readonly notes: readonly string[];
  /** The record as JSON, to copy; empty for a single exercise. */
  readonly record: string;
  readonly jax_version: string;
  readonly kind: "exercises";
  readonly version: number;
}

/** Why a program stops, at the value that causes it. */
export interface Failure {
  /** Class of the exception. */
  readonly error: string;
  /** JAX's own words, or the user's exception. */
  readonly message: string;
  /** What it means, in terms of mesh axes: which value varies over which one, and where that came from. */
  readonly explanation: string;
  /** The mesh axes in question. */
  readonly axes: readonly string[];
  readonly fixes: readonly Fix[];
  /** Index of the fix with which the program continues below; -1 where it does not. */
  readonly chosen: number;
  readonly kind: "out_specs" | "scan_carry" | "branches" | "traced_value" | "shape" | "indivisible" | "sharding_type" | "in_specs" | "axis_name" | "user" | "other";
  /** The value of the trace that causes it; -1 where none does. */
  readonly variable: number;
  /** Index of the step of the trace where the value became so; -1 where not known. */
  readonly origin: number;
  /** The user's frames, as Python prints them. */
  readonly traceback: string;
}

/** What came of an answer. It never gives the right one. */
export interface Feedback {
  /** A malformed answer does not have the form that is asked for; it does not count as an attempt. */
  readonly verdict: "right" | "partly" | "wrong" | "malformed";
  /** What the answer means, and the quantity that is off. */
  readonly message: string;
  /** What the reader should ask next; empty when all is right. */
  readonly question: string;
  /** What the answer would have given, in a few words: `f32[2,8]`. */
  readonly gives: string;
  readonly parts: readonly Part[];
  /** What the answer would have given. */
  readonly figure: Figure | null;
  /** Class of the exception that JAX raises; empty if there is none. */
  readonly error: string;
  /** JAX's own words. */
  readonly said: string;
}

/** One thing to fill in. */
export interface Field {
  readonly name: string;
  readonly label: string;
  /** `devices` takes device ids, `grid` numbers in rows, `code` a function that a notebook cell assigns. */
  readonly form: "text" | "spec" | "choice" | "devices" | "grid" | "code";
  /** Of a choice. */
  readonly options: readonly string[];
  /** Of a grid: rows and columns. */
  readonly shape: readonly number[];
  /** An answer of the right form, which need not be right. */
  readonly example: string;
}

/** Something to look at: a placement, lines of code with the types they are given, or blocks of numbers. */
export interface Figure {
  readonly title: string;
  readonly placement: Placement | null;
  readonly listing: Listing | null;
  /** `a: f32[8@x,16]`, one for each argument. */
  readonly types: readonly string[];
  readonly tables: readonly Table[];
}

/** A change that makes a program run. */
export interface Fix {
  /** In a few words: `keep rows split over x`. */
  readonly title: string;
  /**
   * The lines with the change, without indentation. Where the source does not show the place (`line` is 0), an
   * argument or a statement whose place the title names.
   */
  readonly code: string;
  /** File name without its folders, as `Source.file`. */
  readonly file: string;
  /** The first line that `code` replaces. */
  readonly line: number;
  /** How many lines it replaces; 0 where it goes before `line`. */
  readonly lines: number;
  /** The type of the equation's first result with the change; None where the program is not compared. */
  readonly layout: Layout | null;
  /** What the change makes the devices do, in words: `all-reduce over y`; `none`. Empty where not known. */
  readonly communication: string;
  /** Bytes that a device sends for it. */
  readonly bytes_per_device: number;
}

/** Something to look at, of one leaf or of several equal ones. */
export interface Flag {
  readonly kind: "copied" | "unlike" | "one device" | "uneven" | "tiny" | "unreadable";
  /** Indices in `Model.leaves`. */
  readonly leaves: Ints;
  /** Bytes on each device that could be saved, of all these leaves together. */
  readonly cost: number;
  /** One sentence. */
  readonly reason: string;
  /** A spec without this cost, as code; empty where none is known. */
  readonly spec: string;
}

/** What one device needs of another. */
export interface Flow {
  /** Position in the mesh of the nearest device that has it. */
  readonly source: number;
  /** Position in the mesh of the target. */
  readonly target: number;
  readonly bytes: number;
}

/** What was answered for one field. */
export interface Given {
  readonly field: string;
  readonly text: string;
}

/** One collective of an optimised module. */
export interface HloCollective {
  /** XLA's name for it, in the synchronous form: `all-reduce`, `reduce-scatter`, `collective-permute`. */
  readonly kind: string;
  readonly semantics: Semantics;
  /** The user's mesh axes whose groups these are, in mesh order; empty where none fit, see `irregular`. */
  readonly axes: readonly string[];
  /** Whether no set of mesh axes has these groups. */
  readonly irregular: boolean;
  /** Mesh positions of the groups, one group after another; a shorter group is filled up with -1. */
  readonly positions: Ints;
  /** Ranks of the largest group. */
  readonly group_size: number;
  /** Types of the operands on one device, as JAX writes them: `f32[32,16]`. Several in a combined collective. */
  readonly shapes: readonly string[];
  /** Bytes that a device sends each time, in the ring algorithm (directly, for a permutation), rounded up. */
  readonly bytes_per_device: number;
  /** How that number is computed, for example `2·V·(N−1)/N, V = 32 B, N = 2`. */
  readonly arithmetic: string;
  /**
   * How often it runs in one call of the program, in a branch at most; None inside a loop whose trip count is not
   * known.
   */
  readonly times: number | null;
  /**
   * Index in `Program.nests` of the innermost one that it is in; -1 in the entry computation. Of one that several
   * calls run: what these have in common.
   */
  readonly nest: number;
  /** Calls that run it, where it is in a computation that is called from several places. */
  readonly calls: number;
  /** Of irregular groups: the mesh axes that they stay within. `('x',)` alone: each is a part of a group of x. */
  readonly within: readonly string[];
  /** For collective-permute: (source, destination) mesh positions. */
  readonly pairs: readonly (readonly [number, number])[];
  /**
   * The user's line that it belongs to; of a combined collective, that of the most bytes. A line of an installed
   * package only where the user's own is not known.
   */
  readonly source: Source | null;
  /** The line of an installed package (flax, optax …) that the user's line runs; None where there is none. */
  readonly library: Source | null;
  /** Its `jax.named_scope`s, which flax and others name by their modules: `Transformer/mlp`. */
  readonly module: string;
  /** Of a combined collective: the other lines that it belongs to. */
  readonly also: readonly Source[];
  /** JAX's path to the operation: `jit(f)/transpose(jvp(dot_general))`. */
  readonly op: string;
  /** Whether it belongs to a transposed operation: the backward pass. */
  readonly backward: boolean;
  /** Whether the program asks for it (a `psum` in a `shard_map`); else the compiler added it. */
  readonly by_user: boolean;
  /** Whether it is split into `-start` and `-done`, so that other work may run meanwhile. */
  readonly asynchronous: boolean;
  /** Name of the instruction in the module. */
  readonly name: string;
  /** The function's argument that it moves: `params['w']`; empty where it moves a computed value. */
  readonly operand: string;
  /** The groups as XLA writes them: `replica_groups=[4,4]<=[4,4]T(1,0)`. */
  readonly groups_text: string;
  /** The groups in words: `4 groups of 2 devices (…)`. */
  readonly groups_meaning: string;
  /** The dtype that the program has, where XLA's CPU backend sends a wider one in its place: `bf16`. */
  readonly widened_from: string;
  /** Why it deserves a look: `undoes the split of w over model, for sort`. Empty if it does not. */
  readonly remark: string;
  /** Indices in `Program.plans`: the algorithms that apply, the meaning first. */
  readonly plans: readonly number[];
  /** Estimated seconds of latency, each time, on each of `Program.interconnects`. */
  readonly latency: readonly number[];
  /** Estimated seconds that the bytes take on each; the estimate is the greater of the two. */
  readonly bandwidth: readonly number[];
}

/** A name and the arrays that it holds; or, with an empty name, arrays that no name holds. */
export interface Holder {
  /** As code that gives it: `params`, `Out[4]`. Empty for what no name holds. */
  readonly name: string;
  /** Arrays, each counted once, including those that other names hold as well. */
  readonly arrays: number;
  /** Index in `Namespace.types`; -1 for a tree, and for what no name holds. */
  readonly type: number;
  /** Bytes of the arrays, each held once, without those that are counted at another name. */
  readonly bytes: number;
  /** Of the same arrays, on the device that holds most of them. */
  readonly bytes_per_device: number;
  /** On all devices, beyond one copy of each tile. */
  readonly spent: number;
  /** The types of a tree, most bytes first; empty for a single array. */
  readonly parts: readonly TypeCount[];
  /** Types that are not in `parts`. */
  readonly more_types: number;
  /** Arrays that were deleted or donated. */
  readonly deleted: number;
  /** Arrays that are counted at another name, which holds them too. */
  readonly shared: number;
  /** The first such name. */
  readonly shared_with: string;
  readonly change: "" | "new" | "resharded" | "changed" | "updated" | "deleted" | "gone";
  /** Arrays that the change is about. */
  readonly moved: number;
  /** Type before; of a tree, that of `path`. Empty where it is the same as now. */
  readonly was: string;
  /** The first array of a tree that the change is about, as `jax.tree_util.keystr` writes it. */
  readonly path: string;
  /** Change of `bytes_per_device`. */
  readonly delta: number;
  /** Reasons to look at it. */
  readonly flags: number;
  /** The worst of them, in one sentence. */
  readonly reason: string;
  /** Path of the array in a tree that this is about. */
  readonly flagged: string;
  /** Bytes on each device that all of them could save. */
  readonly cost: number;
  /** A spec without this cost, as code; empty where none is known. */
  readonly spec: string;
}

/**
 * A flat array of integers, written as a nested count where it is one.
 *
 * Device ids, process indices and coordinates of a pod are nearly always nested counts: `array()` is
 * `start + sum(stride[k] * digit[k])` over the mixed-radix digits of the position, first digit slowest. Integers
 * that do not follow such a pattern are kept raw.
 */
export interface Ints {
  readonly start: number;
  /** Radix of each digit; the product is the length. */
  readonly shape: readonly number[];
  /** What one step of each digit adds. */
  readonly strides: readonly number[];
  /** Little-endian integers of `raw_bytes` bytes each, used in place of the pattern when not empty. */
  readonly raw: DataView;
  /** Bytes of one raw integer: 1 and 2 are unsigned, 4 is signed. */
  readonly raw_bytes: 1 | 2 | 4;
}

/** One step of a path. */
export interface Key {
  /** As `jax.tree_util.keystr` writes it: `['embed']`, `[0]`, `.mu`. */
  readonly text: string;
  /** As it writes it with `simple=True`: `embed`, `0`, `mu`. */
  readonly name: string;
}

/** The events of one device, in columns: by call, then by start. */
export interface Lane {
  /** Mesh position of the device. */
  readonly position: number;
  /** Events of each call. */
  readonly counts: Ints;
  /** Index in `Run.operations`. */
  readonly operation: Ints;
  /** Ticks from the beginning of the call. */
  readonly start: Ints;
  /** Ticks. */
  readonly duration: Ints;
  /** Of the events that are collectives, in order: ticks from the device's own arrival to that of the last member. */
  readonly waited: Ints;
}

/** How a value is sharded over the mesh, as a type or a sharding states it. */
export interface Layout {
  /**
   * In JAX's spelling: a type, `f32[8@x,16]{U:y}`; or a spec, `P('x', None)`. The sharding's own text where no
   * spec fits.
   */
  readonly text: string;
  /** How each dimension is cut; None where the text does not show it (Auto axes). */
  readonly dims: readonly Dim[] | null;
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
}

/** What equal leaves share: a shape, a dtype, and where the shards live. */
export interface LeafType {
  /**
   * Short dtype and shape with the mesh axes that cut it, whatever their axis types: `bf16[1024@data,3072]`. Of
   * what is not an array, its class.
   */
  readonly type: string;
  /**
   * `abstract`: a shape that holds no data yet; `host`: in the host's memory; `none`: None; `other`: no
   * array; `unreadable`: `note` says why.
   */
  readonly state: "live" | "abstract" | "deleted" | "host" | "none" | "other" | "unreadable";
  readonly shape: readonly number[];
  /** Long dtype name, for example `bfloat16` or `key<fry>`. */
  readonly dtype: string;
  /** Bits of one element in memory. */
  readonly bits: number;
  /** Index in `Model.meshes`; -1 for what is on no device. */
  readonly mesh: number;
  readonly dims: readonly Dim[];
  /** The PartitionSpec as JAX prints it; None where the sharding has none. */
  readonly spec: string | null;
  /** Class of the sharding. */
  readonly sharding: string;
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
  readonly memory_kind: string;
  /** Whether `memory_kind` is another memory than that of the devices themselves. */
  readonly offloaded: boolean;
  /** Why it cannot be read, in JAX's words. */
  readonly note: string;
  /** Logical names of its dimensions, as flax keeps them beside a parameter, empty for a dimension that has none. */
  readonly logical: readonly string[];
  /**
   * Bits of one element once `jax.device_put` has put it on devices: of `float64` in the host's memory 32, unless
   * 64-bit types are enabled. 0 where devices cannot hold it.
   */
  readonly device_bits: number;
}

/** Lines of a user's function, for the source panel. */
export interface Listing {
  readonly file: string;
  readonly first_line: number;
  readonly lines: readonly string[];
}

/** A collective of the program, and how long it took. */
export interface MeasuredCollective {
  /** XLA's name for it: `all-reduce`, `reduce-scatter`, `collective-permute`. */
  readonly kind: string;
  readonly semantics: Semantics;
  /** The user's mesh axes that it goes over; empty where none fit, see `irregular`. */
  readonly axes: readonly string[];
  readonly irregular: boolean;
  /** Of irregular groups: the mesh axes that they stay within. */
  readonly within: readonly string[];
  /** Mesh positions of the groups, one group after another; a shorter group is filled up with -1. */
  readonly positions: Ints;
  readonly group_size: number;
  /** Of a permutation: (source, destination) mesh positions. */
  readonly pairs: readonly (readonly [number, number])[];
  readonly source: Source | null;
  /** Whether it belongs to a transposed operation: the backward pass. */
  readonly backward: boolean;
  /** Whether the program asks for it; else the compiler added it. */
  readonly by_user: boolean;
  /** Name of the instruction in the module. */
  readonly name: string;
  /** Bytes that a device sends each time. */
  readonly bytes_per_device: number;
  /** Estimated seconds, by `Run.interconnect`. */
  readonly estimate_s: number;
  /** Times that it was measured, over all devices and calls. */
  readonly times: number;
  /** Seconds from the last member's arrival to the end: median over devices, calls and iterations. */
  readonly median_s: number;
  /** 10th percentile of the same. */
  readonly low_s: number;
  /** 90th percentile. */
  readonly high_s: number;
  /** Seconds from a device's own arrival to that of the last member: median. */
  readonly wait_s: number;
  /** 90th percentile. */
  readonly wait_high_s: number;
  /** Seconds after the last arrival in one call, on one device: mean. */
  readonly call_s: number;
  /** Seconds waited in one call, on one device: mean. */
  readonly call_wait_s: number;
  /** Share of the time after the last arrival in which the device computed. */
  readonly hidden: number;
  /** What a device sent in the median time; 0 where no time was measured. */
  readonly bytes_per_second: number;
  /** Of each mesh position, how often it was the last to arrive in its group, with others waiting. */
  readonly last: Ints;
}

/**
 * Memory over the schedule of a compiled program, on one device: all have the same.
 *
 * A *step* is one instruction of the schedule, with one pass of each loop in its place.
 */
export interface Memory {
  readonly mesh: Mesh;
  readonly buffers: readonly Buffer[];
  readonly steps: number;
  readonly loops: readonly MemoryLoop[];
  /** The user's lines that the schedule works on, by file and number. */
  readonly lines: readonly Source[];
  /** Of each step: 0 for no line, else one more than twice the index in `lines`, plus one in the backward pass. */
  readonly work: Ints;
  /** Devices whose memory can be drawn as a limit. */
  readonly chips: readonly Chip[];
  /** Index of the one that it is compiled for, or that was asked for; None where none is known. */
  readonly chip: number | null;
  /** Where sizes come from: the compiler's own assignment of buffers, or types in the module's text. */
  readonly basis: "assignment" | "text";
  /** What the compiler itself allocates; None where it does not report it. */
  readonly compiler: MemoryTotals | null;
  /**
   * Bytes that the compiler allocates for temporaries and that hold none at the peak: it places each where it fits.
   *
   * 0 where its assignment is not known.
   */
  readonly gaps: number;
  readonly name: string;
  /** What it is compiled for, in words: `TPU v5e 2×4`. */
  readonly target: string;
  readonly jax_version: string;
  readonly kind: "memory";
  readonly version: number;
}

/** A loop of the schedule, of which one pass stands for all: each needs the same. */
export interface MemoryLoop {
  readonly first: number;
  /** Its first and its last step. */
  readonly last: number;
  /** How often it runs; None where that is not known. */
  readonly times: number | null;
  /** `scan`, `while_loop`, or what the user's line says. */
  readonly name: string;
  readonly source: Source | null;
  readonly backward: boolean;
}

/** Bytes on one device, from the compiler's own analysis. */
export interface MemoryTotals {
  readonly arguments: number;
  readonly outputs: number;
  readonly temporaries: number;
  /** Of arguments whose memory outputs reuse (donated). */
  readonly aliased: number;
  readonly code: number;
  /** The most that is alive at once, including arguments; 0 where the compiler does not report it (CPU). */
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
  /** The process that made the document. */
  readonly this_process: number;
  /** Physical coordinates where devices have them (TPU): one entry for each coordinate, over all positions. */
  readonly coords: readonly Ints[];
  /** `Device.device_kind`, for example `TPU v5 lite`; empty for an abstract mesh. */
  readonly kind: string;
  readonly platform: string;
  readonly abstract: boolean;
  /** Index of each position's slice, where devices are on several that no fast link connects; None for one slice. */
  readonly slices: Ints | null;
  /** Whether links join each device to the next and the last to the first: for a mesh of one axis (TPU). */
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
  /** The mesh that holds most bytes. */
  readonly mesh: Mesh;
  /** Meshes, and devices by themselves, that the other leaves are on. */
  readonly other_meshes: readonly Mesh[];
  readonly types: readonly LeafType[];
  readonly keys: readonly Key[];
  /** Index in `keys` of each node. */
  readonly node_key: Ints;
  /** Steps from the root to each node, less one. */
  readonly node_depth: Ints;
  /** Index in `types` of each leaf. */
  readonly leaf_type: Ints;
  /** Nodes side by side that are equal but for a number in their key, such as the layers of a model. */
  readonly folds: readonly Ints[];
  /** Worst first. */
  readonly flags: readonly Flag[];
  /** How this version of JAX spells shardings and refuses them. */
  readonly terms: Terms;
  /** What the user calls the tree; empty if not known. */
  readonly name: string;
  readonly jax_version: string;
  readonly kind: "model";
  readonly version: number;
}

/** Two or more trees of arrays side by side, each against the first. */
export interface ModelComparison {
  /** The mesh that holds most bytes of the first tree. */
  readonly mesh: Mesh;
  readonly trees: readonly ComparedTree[];
  readonly rows: readonly ComparedRow[];
  readonly lines: readonly ComparedLine[];
  readonly jax_version: string;
  readonly kind: "model comparison";
  readonly version: number;
}

/**
 * What all ranks of a group do at once: each sends `count` consecutive chunks to one peer.
 *
 * Offsets count from the sender r: an offset d means rank or chunk `(r + d) mod n` in a shift and `r ^ d` in an
 * exchange. A permutation or a broadcast names its ranks instead, pair by pair, and each pair moves chunk 0.
 */
export interface Move {
  readonly peer: "shift" | "exchange" | "pairs";
  /** Whether the destination's chunk is replaced, or combined with what arrives (by the collective's operation). */
  readonly op: "copy" | "add";
  /** Offset of the peer. In a shift +1 is the next rank of the ring and -1 the one before. */
  readonly by: number;
  /** Offset of the first chunk; the others are at `first + 1`, `first + 2` … */
  readonly first: number;
  readonly count: number;
  /**
   * Where chunks have an origin: offset of the rank that they started on. There a chunk's number says where it goes.
   *
   */
  readonly origin: number;
  /** (source rank, destination rank). */
  readonly pairs: readonly (readonly [number, number])[];
}

/** One array of a plan. */
export interface MovedArray {
  /** Its path in the tree: `layers/0/up`, or `x` where the tree is one array. */
  readonly path: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  /** Its PartitionSpec before: on the whole mesh, or inside a group. The class of a sharding that has no spec. */
  readonly source: string;
  /** How it is split before. */
  readonly source_dims: readonly Dim[];
  /** Its PartitionSpec after. */
  readonly target: string;
  readonly target_dims: readonly Dim[];
  /** Groups that keep it, in ascending order; of `mpmd_to_spmd` those that have it; the first one sends it. */
  readonly groups: readonly number[];
  /** Bytes of a shard before, on each device that has one. */
  readonly source_bytes: number;
  /**
   * Bytes of a shard after, on each device that has one. Of `spmd_to_mpmd` every group makes it while its chunk
   * moves; those that do not keep it free it again.
   */
  readonly target_bytes: number;
  /** Mesh axes over which data has to move, in mesh order; empty where each device has what it needs. */
  readonly axes: readonly string[];
  /** Bytes, in all, that the devices which keep it lack before: no way of moving it sends fewer. */
  readonly least_bytes: number;
  /** Bytes that each group gets from every other; of `mpmd_to_spmd` from the one that provides it. */
  readonly between_bytes: number;
  /** Those of the compiled program that moves it alone; None where none was compiled. */
  readonly collectives: readonly PlanCollective[] | null;
}

/**
 * Where an array lives on the groups of a mesh that one of its axes divides.
 *
 * A *group* is the part of the mesh at one index of the MPMD axis. Every group that holds the array holds all of it,
 * laid out in the same way over the group's own devices.
 */
export interface MpmdPlacement {
  /** The mesh of all groups. */
  readonly mesh: Mesh;
  /** The mesh axis that divides it into groups. */
  readonly axis: string;
  /** Global shape: that of the array in each group. */
  readonly shape: readonly number[];
  /** How each group splits it; no dimension is split by the MPMD axis. */
  readonly dims: readonly Dim[];
  /** What each group has, by its index on the MPMD axis. */
  readonly holds: readonly ("none" | "live" | "deleted" | "dropped" | "remote" | "abstract")[];
  readonly dtype: string;
  /** Bits of one element in memory. */
  readonly bits: number;
  readonly name: string;
  /** `jax.typeof` of the array in one group. */
  readonly type: string;
  /** The PartitionSpec inside a group, as JAX prints it. */
  readonly spec: string;
  /** Class of what was read, for example `MpmdArray`. */
  readonly source: string;
  readonly memory_kind: string;
  readonly jax_version: string;
  readonly kind: "mpmd";
  readonly version: number;
}

/** What the arrays of a session take. Made without touching their data, and without keeping any of them. */
export interface Namespace {
  /** The mesh with the most devices and bytes first; devices by themselves are meshes without axes. */
  readonly meshes: readonly Mesh[];
  /** Of the holders that are single arrays. */
  readonly types: readonly LeafType[];
  /** Most bytes on a device first; then what the last cell unbound. */
  readonly holders: readonly Holder[];
  /** Most bytes first. */
  readonly groups: readonly DeviceGroup[];
  /** Number of names that hold arrays: `holders` has only the largest. */
  readonly names: number;
  /** Bytes on a device of names that are not among the holders. */
  readonly left_out: number;
  /** On all devices, beyond one copy of each tile. */
  readonly spent: number;
  /** Number of the cell that ran last; 0 where none did. */
  readonly cell: number;
  readonly jax_version: string;
  readonly kind: "namespace";
  readonly version: number;
}

/** What collectives are in: a loop, a branch, a computation that is called. */
export interface Nest {
  /** `condition` is the test of a loop, which runs once more than its body. */
  readonly kind: "loop" | "condition" | "branch" | "call";
  /** `scan`, `fori_loop`, `while`; of a branch its number, of a call the name of what is called. */
  readonly name: string;
  /** Index in `Program.nests` of the one around it; -1 in the entry computation. */
  readonly parent: number;
  /** How often it runs each time that the program reaches it; None where that is not known. */
  readonly times: number | null;
  /** The user's line of it. */
  readonly source: Source | null;
  /** Whether it belongs to the backward pass. */
  readonly backward: boolean;
}

/** What connects the devices of a group, for estimates. */
export interface Network {
  readonly name: string;
  /** `torus`: the group is a ring of links. `switch`: every device reaches every other directly. */
  readonly topology: "torus" | "switch";
  /** Bytes per second: of a link in one direction (torus), or that a device sends (switch). */
  readonly bandwidth: number;
}

/** An instruction of the program that devices ran. */
export interface Operation {
  /** In the module: `fusion.12`, `all-reduce.1`. */
  readonly name: string;
  /** The user's line that it belongs to; None where there is none. */
  readonly source: Source | null;
  /** JAX's path to the operation: `jit(f)/transpose(jvp(dot_general))`. */
  readonly op: string;
  /** Its index in `Run.collectives`; -1 for compute. */
  readonly collective: number;
  /**
   * Trip counts of the loops that it is in, outermost first; 0 where not known. The k-th time that a device runs
   * it in a call, its iterations are the digits of k in this mixed radix.
   */
  readonly trips: readonly number[];
  /** Whether the program has an instruction of this name. */
  readonly known: boolean;
}

/** An order written out: columns over all tasks, those of rank 0 first, each rank's in the order it runs them. */
export interface Order {
  /** Tasks of each rank. */
  readonly counts: Ints;
  readonly stage: Ints;
  /** Index in `FBIW`. */
  readonly task_kind: Ints;
  readonly microbatch: Ints;
  /** 1 where a task is fused with the task before it: both start when both can, and end together. */
  readonly fused: Ints;
  /** Where all ranks advance together, as a loop around `ppermute` makes them: the tick of each task. Else empty. */
  readonly tick: Ints;
  /** 1 where nothing uses what the task computes. Empty where that is not known. */
  readonly wasted: Ints;
}

/** Whose blocks the blocks of a variable are: they were only moved, cut, joined and reshaped. */
export interface Origin {
  /** Index in `Trace.variables` of the variable whose blocks they are. */
  readonly variable: number;
  /**
   * By mesh position and piece: the position of the device whose block the piece comes from; -1 where nothing was
   * sent to the device, -2 where it is not known.
   */
  readonly positions: Ints;
  /** Dimension along which the pieces are joined, all of one size; -1 where a block is a single piece. */
  readonly axis: number;
}

/** The verdict on one field. */
export interface Part {
  readonly field: string;
  readonly right: boolean;
  /** Which quantity is off, in one sentence; empty where it is right. */
  readonly note: string;
  /** Of a grid: whether each number is right, row by row. */
  readonly cells: readonly boolean[];
}

/**
 * Where an array's shards live on a mesh. Made without touching the array's data.
 *
 * A *tile* is a distinct piece of the global array; a *shard* is a copy of a tile on one device. With unreduced
 * axes each device along them holds a *partial sum* of its tile, which is not a copy.
 */
export interface Placement {
  readonly mesh: Mesh;
  /** Global shape; None for a mesh shown alone. */
  readonly shape: readonly number[] | null;
  readonly dims: readonly Dim[];
  /** Long dtype name, for example `bfloat16` or `key<fry>`. */
  readonly dtype: string;
  /** Bits of one element in memory. */
  readonly bits: number;
  /** What the user calls the array; empty if not known. */
  readonly name: string;
  /** `jax.typeof` with short dtypes, for example `f32[8@x,16]{U:y}`. */
  readonly type: string;
  /** Class of the sharding, for example `NamedSharding`. */
  readonly sharding: string;
  /** The PartitionSpec as JAX prints it; None where the sharding has none. */
  readonly spec: string | null;
  /**
   * The type's spec against the sharding's: the same; silent (no Explicit axis); silent on the Auto axes of a mixed
   * mesh; different; or nothing to compare.
   */
  readonly agreement: "same" | "silent" | "partly" | "differs" | "";
  readonly unreduced: readonly string[];
  /** The operation that must combine the parts on unreduced axes: `sum`, `max` or `min`. */
  readonly unreduced_kind: string;
  readonly reduced: readonly string[];
  readonly memory_kind: string;
  /** The sharding's own permutation of the mesh's devices, already applied to `mesh`. */
  readonly logical_device_ids: Ints | null;
  /** HLO sharding text; empty where JAX has none, as for unreduced axes of some versions. */
  readonly hlo: string;
  /** Shardy (sdy) sharding text. */
  readonly shardy: string;
  readonly state: "live" | "deleted" | "abstract";
  /** Values that travel with the document, as in a saved page. */
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
  readonly algorithm: "meaning" | "ring" | "bidirectional ring" | "halving-doubling";
  readonly semantics: Semantics;
  readonly n: number;
  readonly rounds: readonly (readonly Move[])[];
}

/** A collective of the compiled program that moves one array. */
export interface PlanCollective {
  /** XLA's name for it: `all-gather`, `collective-permute`. */
  readonly kind: string;
  /** The mesh axes whose groups take part; empty where no set of axes has these groups. */
  readonly axes: readonly string[];
  /** The most bytes that a device sends, in the ring algorithm (directly, for a permutation). */
  readonly bytes_per_device: number;
  /** Bytes that all devices send. */
  readonly total_bytes: number;
}

/** A spec to play with, and the words that describe its result. */
export interface Playground {
  /** The devices that meshes are made of, in order and without axes; if abstract, as many as asked for. */
  readonly mesh: Mesh;
  /** What is on screen. */
  readonly draft: SpecDraft;
  /** Axes of the mesh that the user's variable `mesh` holds. */
  readonly given: readonly MeshAxis[];
  readonly dtypes: readonly DtypeName[];
  readonly terms: Terms;
  readonly name: string;
  /** Type of the real array that *Apply* moves; empty where there is none. Shape and dtype are then fixed. */
  readonly array: string;
  /** Whether only the spec is edited: an exercise asks for one, and for what follows from it. */
  readonly fixed: boolean;
  /** The most positions that a mesh may have on screen. */
  readonly most_devices: number;
  readonly most_dims: number;
  readonly jax_version: string;
  readonly kind: "playground";
  readonly version: number;
}

/** The collectives of a compiled program. */
export interface Program {
  /** The user's mesh. Without one: the program's devices in a row. */
  readonly mesh: Mesh;
  /** In the order of the module's schedule. */
  readonly collectives: readonly HloCollective[];
  /** The loops, branches and calls that they are in; outer ones before what they contain. */
  readonly nests: readonly Nest[];
  readonly plans: readonly Plan[];
  /** Names of the interconnects that estimates are for. */
  readonly interconnects: readonly string[];
  /** Index of the one that is shown first: the one asked for, or the devices' own, or a common one. */
  readonly interconnect: number;
  /** Whether each physical coordinate of `mesh.coords` has wraparound links. */
  readonly wraps: readonly boolean[];
  readonly name: string;
  /** What it is compiled for, in words: `TPU v5e 4×4`, `8 CPU devices`. */
  readonly target: string;
  /** Instructions in the module. */
  readonly instructions: number;
  readonly memory: MemoryTotals | null;
  readonly work: Work | null;
  readonly listings: readonly Listing[];
  /** Instructions that look like collectives and could not be read, as the module writes them, and why. */
  readonly unread: readonly string[];
  /** What is not known and why, in one sentence. */
  readonly note: string;
  readonly timing: Timing | null;
  readonly jax_version: string;
  readonly kind: "program";
  readonly version: number;
}

/** Compiled programs side by side. */
export interface Programs {
  /** The first program's. */
  readonly mesh: Mesh;
  /** Each with the name that the user gave it. */
  readonly programs: readonly Program[];
  readonly kind: "programs";
  readonly version: number;
}

/** One exercise and how far its reader has come. */
export interface Question {
  /** Unique in its set. */
  readonly name: string;
  readonly task: "read_placement" | "write_spec" | "predict_type" | "predict_error" | "choose_collective" | "fill_block" | "put_specs" | "repair" | "lower_communication" | "read_schedule" | "order_tasks" | "find_leaf" | "shard_tree" | "predict_peak" | "choose_threshold";
  /** Plain text; code is between backquotes. */
  readonly prompt: string;
  readonly mesh: Mesh;
  readonly fields: readonly Field[];
  /** What the one field is edited with, where it is the spec of an array. */
  readonly playground: Playground | null;
  readonly figures: readonly Figure[];
  /** What is asked for, where that is short: `f32[4,4]`. */
  readonly goal: string;
  /** What a cell calls it: `lab["rows"]`. It answers with `lab["rows"].answer = …`. */
  readonly target: string;
  /** Those that were asked for, in order. */
  readonly hints: readonly string[];
  readonly hints_left: number;
  readonly attempts: number;
  readonly passed: boolean;
  /** The last answer. */
  readonly answer: readonly Given[];
  /** To the last answer. */
  readonly feedback: Feedback | null;
}

/** An order that a generator makes: Python and the front end follow the same rules. */
export interface Recipe {
  readonly generator: "gpipe" | "one_f_one_b" | "eager_1f1b" | "interleaved_1f1b" | "zb_h1" | "zb_v" | "dualpipe_v" | "circular";
  /** The total number of stages, not those on each rank. */
  readonly stages: number;
  readonly microbatches: number;
  readonly ranks: number;
}

/** A `shard_map` in the program. */
export interface Region {
  readonly name: string;
  readonly mesh: Mesh;
  /** Axes that are Manual inside. */
  readonly manual: readonly string[];
  readonly in_specs: readonly string[];
  readonly out_specs: readonly string[];
  readonly check_vma: boolean;
  /** The region around a nested one. */
  readonly parent: number;
}

/** A change that lowers the peak, found by compiling the program with it. */
export interface Remedy {
  /** In words: `donate argument 0`. */
  readonly what: string;
  /** As code, or as the spec of an argument: `jax.jit(step, donate_argnums=0)`. */
  readonly code: string;
  /** Bytes of the peak as the program is. */
  readonly before: number;
  /** And with the change. */
  readonly after: number;
  /** The change in the user's source; None where it is not of one place in it. */
  readonly fix: Fix | null;
}

/**
 * Arrays on their way to another layout: in which order, which of them together, and what devices hold.
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
  readonly direction: "spmd_to_mpmd" | "mpmd_to_spmd" | "device_put";
  /** All devices; of `device_put` those before. */
  readonly mesh: Mesh;
  /** The mesh axis that divides the mesh into groups; empty for `device_put`, which has one group. */
  readonly axis: string;
  /** In the order of the tree. */
  readonly arrays: readonly MovedArray[];
  /** Arrays in the order in which they move, whatever the threshold. */
  readonly order: readonly number[];
  /**
   * The most bytes that the weights of a chunk may add up to; an array that weighs more is a chunk of its own. 0 for
   * `device_put`, which has none.
   */
  readonly threshold: number;
  /** Of `device_put`: the mesh after, where it is another. */
  readonly target_mesh: Mesh | null;
  /** Of `device_put` on at most 64 devices: how much each device needs from which other. */
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
  /** Its results. */
  readonly values: readonly Compared[];
  /** The user's line; one of an installed package only where there is no other. */
  readonly source: Source | null;
  /** Names of the operands. */
  readonly inputs: readonly string[];
  /** Index of the innermost scope in `Comparison.scopes`. */
  readonly scope: number;
  /** The user's own decision about sharding that the equation carries. */
  readonly decision: "" | "reshard" | "with_sharding_constraint" | "out_sharding" | "device_put";
  readonly error: Failure | null;
  /** Indices in `Comparison.program.collectives` of those that the compiler put before or into this equation. */
  readonly collectives: readonly number[];
  /** Unexpected replication, in words: `w is gathered whole over model`; empty if there is none. */
  readonly remark: string;
  /** Bytes on each device that the remark is about. */
  readonly wasted_bytes: number;
  /**
   * Whether its shardings are of the program with inspections, which has other collectives here than the program
   * itself: the compiler may never make these values there.
   */
  readonly inspected: boolean;
  /** The line of an installed package that `source` runs; None where it runs none. */
  readonly library: Source | null;
}

/** Measured calls of a program. */
export interface Run {
  /** The user's mesh. Without one: the program's devices in a row. */
  readonly mesh: Mesh;
  readonly name: string;
  /** What it ran on, in words: `8 CPU devices`. */
  readonly target: string;
  /** Of each call, from the first event on any device to the last. */
  readonly seconds: readonly number[];
  /** Seconds of a tick, the unit of lanes. */
  readonly tick_s: number;
  readonly operations: readonly Operation[];
  /** Of each measured device, in mesh order. Those of another process have none until runs are merged. */
  readonly lanes: readonly Lane[];
  /** Those that were measured, in the order of the module's schedule. */
  readonly collectives: readonly MeasuredCollective[];
  readonly shares: Shares;
  /** Share of the measured device time that has a source line. */
  readonly joined: number;
  /** What has no source line, most time first. */
  readonly unjoined: readonly Unjoined[];
  /** Short events that were joined with their neighbours, because there were too many to send. */
  readonly merged_events: number;
  /** What estimates and the peak are for: `H100`, `a copy on this host`. */
  readonly interconnect: string;
  /** Bytes per second that a device can send on it; 0 where not known. */
  readonly peak: number;
  /** Of the processes after the first, where runs were merged. */
  readonly clocks: readonly Clock[];
  /** What these times do not show, and what is not known, in sentences. */
  readonly note: string;
  readonly jax_version: string;
  readonly kind: "run";
  readonly version: number;
}

/** Runs side by side, on one time axis. */
export interface Runs {
  /** The first run's. */
  readonly mesh: Mesh;
  /** Each with the name that the user gave it. */
  readonly runs: readonly Run[];
  readonly kind: "runs";
  readonly version: number;
}

/**
 * Tasks of a pipeline: which rank runs which stage on which microbatch, in which order.
 *
 * What a task waits for follows from its stage, kind and microbatch: a forward task for that of the stage before; a
 * backward task for that of the next stage, and its own forward task; a weight task for its input half.
 */
export interface Schedule {
  readonly source: Recipe | Order;
  readonly name: string;
  readonly durations: Durations;
  /** Bytes of the activation that a stage sends on: one entry for all stages, or one per stage. Empty: not known. */
  readonly send_bytes: readonly number[];
  readonly mesh: Mesh | null;
  /** Name of the mesh axis that the ranks are positions of. */
  readonly axis: string;
  /** What is not known and why, in one sentence. */
  readonly note: string;
  readonly kind: "schedule";
  readonly version: number;
}

/** Schedules side by side, on one time axis. */
export interface Schedules {
  /** Each with the name that the user gave it. */
  readonly schedules: readonly Schedule[];
  readonly kind: "schedules";
  readonly version: number;
}

/** What a step of a trace or a row of a comparison is in: a function, a named scope, a loop, a branch. */
export interface Scope {
  readonly kind: "function" | "named_scope" | "loop" | "iteration" | "branch" | "region" | "auto_axes" | "explicit_axes";
  /** For example `attention`, `scan`, `cond branch 1`. */
  readonly name: string;
  /** Index of the scope around it; -1 at the top. */
  readonly parent: number;
  /** For an iteration of a loop: its index. */
  readonly iteration: number;
  /** For a loop or an iteration: how often the loop runs; None if not known. */
  readonly times: number | null;
  /** Types of the mesh's axes inside, where they differ from those outside. */
  readonly axis_types: readonly ("Auto" | "Explicit" | "Manual")[];
}

/** What a collective does with the blocks of a group; the same in every program. `chunk` is an n-th of a block. */
export interface Semantics {
  /** A character or two that stand for it in lists: `Σ`, `⇉`. */
  readonly sign: string;
  /** The operation by which chunks are combined; empty where they are only moved. */
  readonly combines: "" | "sum" | "max" | "min";
  /**
   * What a rank holds of the block that algorithms work on, before the first round: all chunks (`whole`), its own
   * chunk, the block on the source rank alone (`source`), or nothing, because only what arrives counts.
   */
  readonly starts: "whole" | "own" | "source" | "nothing";
  /**
   * Which blocks are n chunks side by side: the one sent, the one received, or both. If only the sent one is,
   * algorithms work on it; otherwise on the received one.
   */
  readonly cuts: "none" | "sent" | "received" | "both";
  /** Whether a received chunk is named by the rank that it comes from, and a sent one by the rank that it goes to. */
  readonly by_origin: boolean;
  /** Whether all ranks of a group receive the same block. */
  readonly replicates: boolean;
}

/** What a device did in a call: mean over devices and calls. The four add up to 1. */
export interface Shares {
  readonly compute: number;
  /** In a collective after the last arrival, with nothing computed meanwhile. */
  readonly communication: number;
  /** In a collective before the last arrival, with nothing computed meanwhile. */
  readonly waiting: number;
  /** No event. */
  readonly idle: number;
  /** Share of the communication in which the device computed. */
  readonly hidden: number;
}

/** A line of the user's program. */
export interface Source {
  /** File name without its folders; `cell 3` for a notebook cell. */
  readonly file: string;
  readonly line: number;
  /** The line, stripped; empty where it cannot be read. */
  readonly text: string;
  readonly function: string;
}

/** What is on screen: an array, a mesh and a spec, which need not fit. */
export interface SpecDraft {
  readonly shape: readonly number[];
  /** Long name of one of `Playground.dtypes`. */
  readonly dtype: string;
  /** Of the mesh. More positions than there are devices make an abstract mesh. */
  readonly axes: readonly MeshAxis[];
  /** As many as are written; there may be fewer than dimensions, or more. */
  readonly entries: readonly SpecEntry[];
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
}

/** The entry of a PartitionSpec for one dimension: `None` where there are no axes. */
export interface SpecEntry {
  /** Mesh axes, major to minor. */
  readonly axes: readonly string[];
  /** Whether it is `P.UNCONSTRAINED`; then there are no axes. */
  readonly unconstrained: boolean;
}

/** One equation executed, or the start or end of a region. */
export interface Step {
  /** JAX's primitive; `in_specs` and `out_specs` for the ends of a region; `error` where the program stops. */
  readonly primitive: string;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  /** What happened, in words. */
  readonly sentence: string;
  readonly source: Source | null;
  /**
   * The largest piece of the user's source that begins with this step. The steps that follow belong to it, up to the
   * next one that begins a piece as large: `x % n` is one expression and nine steps.
   */
  readonly begins: "" | "expression" | "statement";
  /** The text of that expression, on one line; empty where the source cannot be read. */
  readonly expression: string;
  /** Parameters that matter, as JAX prints them. */
  readonly params: readonly (readonly [string, string])[];
  /** Constants among the operands, as JAX prints them. */
  readonly literals: readonly string[];
  readonly region: number;
  /** Index of the innermost scope in `Trace.scopes`. */
  readonly scope: number;
  readonly collective: Collective | null;
  /** Inserted by JAX, not written by the user: an automatic `pvary`. */
  readonly implicit: boolean;
  /** Moves or reshapes elements and computes nothing: may be folded. */
  readonly shape_only: boolean;
  /** Elementwise: makes each element of its result from those in the same place. */
  readonly elementwise: boolean;
  /** Mesh positions that execute it, where a branch or a loop leaves some out; None for all. */
  readonly active: Ints | null;
  /** What `jax.debug.print` and other callbacks wrote at this step. */
  readonly printed: string;
}

/** Numbers as they are laid out in one block. */
export interface Table {
  /** Whose they are: `device 3 · before`. */
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/** How this version of JAX spells shardings and their errors. */
export interface Terms {
  readonly wordings: readonly Wording[];
  /** What a spec's text begins with: `P`. */
  readonly spec: string;
  /** What it adds to a spec with unreduced axes: `, unreduced_kind=sum`. */
  readonly sums: string;
  /** A mesh, `Mesh({axes}, axis_types={types})`. */
  readonly mesh: string;
  readonly abstract_mesh: string;
  /** A sharding on devices, `NamedSharding(mesh={mesh}, spec={spec}, memory_kind=device)`. */
  readonly sharding: string;
  readonly abstract_sharding: string;
  /** Whether axes of size 1 take part in the HLO sharding. */
  readonly hlo_counts_ones: boolean;
}

/** Measured time of one call, after warm-up. */
export interface Timing {
  /** Median. */
  readonly seconds: number;
  readonly low: number;
  readonly high: number;
  readonly runs: number;
}

/** A program executed step by step. */
export interface Trace {
  /**
   * The mesh that is drawn: that of the first region. Positions of every window, group and step are positions in it.
   *
   */
  readonly mesh: Mesh;
  readonly steps: readonly Step[];
  readonly variables: readonly Variable[];
  readonly regions: readonly Region[];
  readonly scopes: readonly Scope[];
  readonly listings: readonly Listing[];
  readonly plans: readonly Plan[];
  /** Names of the interconnects that estimates are for, starting with the one to show first. */
  readonly interconnects: readonly string[];
  readonly name: string;
  /** Where the values come from: the user's devices, a simulation on the host, or nowhere (types only). */
  readonly engine: "mesh" | "host" | "types";
  /** What was left out and why, in one sentence. */
  readonly note: string;
  readonly error: Failure | null;
  readonly jax_version: string;
  readonly kind: "trace";
  readonly version: number;
}

/** Arrays of one type among those of a holder. */
export interface TypeCount {
  /** As `LeafType.type`. */
  readonly type: string;
  readonly count: number;
  /** Of all of them together, on the device that holds most of them. */
  readonly bytes_per_device: number;
}

/** Measured operations that have no source line. */
export interface Unjoined {
  readonly name: string;
  /** `not in the program`, or `no source line`. */
  readonly why: string;
  readonly times: number;
  /** Of the measured device time. */
  readonly share: number;
}

/** The values that a view asked for, or why there are none. */
export interface Values {
  readonly blocks: readonly Block[];
  /** What was left out and why, in one sentence; empty if nothing was. */
  readonly note: string;
}

/** A value of the program: in a region the block of each device, outside it a global array. */
export interface Variable {
  /** Index in `Trace.variables`. */
  readonly id: number;
  /**
   * The user's name where there is one; else the expression that produces it, `psum(p, "y")`, where that is short;
   * else `tmp1`, `tmp2` …
   */
  readonly name: string;
  /** As JAX prints it: `f32[2,4]{V:(x,y)}` in a region, `f32[8@x,16]` outside. */
  readonly type: string;
  /** Of the block in a region, of the global array outside. */
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bits: number;
  /** Index of the region that the value is local to; -1 for a global array. */
  readonly region: number;
  /** Mesh axes over which a block varies, by its type; with `check_vma=False` all manual axes. */
  readonly varying: readonly string[];
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
  /** How a global array is sharded over `Trace.mesh`; empty for a block. */
  readonly dims: readonly Dim[];
  readonly window: Window | null;
  /** Whose blocks its blocks are; None where they are its own, or not known to be another's. */
  readonly origin: Origin | null;
  /** Whether it can be drawn on `Trace.mesh`; False where it is on a mesh with other axes or devices. */
  readonly drawn: boolean;
}

/** The part of a value that is sent: its leading corner on every device. */
export interface Window {
  /** Shape of the corner; smaller than the value where something was cut. */
  readonly shape: readonly number[];
  /** Element format of `data`, little-endian: numpy's letter and bytes. Narrow floats come as f4. */
  readonly format: "f4" | "f8" | "i4" | "u4" | "i8" | "u8" | "b1" | "c8" | "c16";
  /** Distinct blocks one after another, each of `shape` in row-major order. */
  readonly data: DataView;
  /** Index of the block that the device at each mesh position holds. Replicas share one. */
  readonly block: Ints;
}

/** JAX's words for one kind of error, with `{fields}` where it states what it was given. */
export interface Wording {
  readonly kind: "states_overlap" | "unreduced_overlap" | "reduced_overlap" | "repeated" | "unknown" | "unconstrained" | "unreduced_unknown" | "unreduced_auto" | "reduced_unknown" | "reduced_auto" | "rank" | "scalar_rank" | "indivisible";
  /** Class of the exception. */
  readonly error: string;
  readonly text: string;
}

/**
 * What one device does in a call, from the compiler's own analysis; -1 for what it does not report.
 *
 * It counts the body of a loop once, however often that runs.
 */
export interface Work {
  readonly flops: number;
  readonly bytes_accessed: number;
  /** The compiler's own estimate of an optimal run (TPU). */
  readonly seconds: number;
}

export type Document = Algorithms | Comparison | Exercises | Memory | Model | ModelComparison | MpmdPlacement | Namespace | Placement | Playground | Program | Programs | ReshardPlan | Run | Runs | Schedule | Schedules | Trace;
