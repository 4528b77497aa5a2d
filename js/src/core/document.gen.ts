// Generated from shardwidget/document/ by js/generate_types.py. Do not edit: fields are described there.

/** Version of the wire format. The front end refuses a document with a greater one. */
export const VERSION = 1;

/** An algorithm, and how much each of its rounds sends. A chunk is `Algorithms.chunk` of a block. */
export interface Algorithm {
  readonly plan: Plan;
  readonly sent: readonly number[];
  readonly busiest: readonly number[];
}

/** A collective in a group of n devices, by each of its algorithms. */
export interface Algorithms {
  readonly collective: string;
  readonly n: number;
  readonly nbytes: number;
  readonly chunk: number;
  readonly algorithms: readonly Algorithm[];
  readonly networks: readonly Network[];
  readonly start: number;
  readonly kind: "algorithms";
  readonly version: number;
}

/** The program with what decides a split otherwise, compiled. */
export interface Alternative {
  readonly what: string;
  readonly code: string;
  readonly gives: string;
  readonly collectives: readonly string[];
  readonly sent: number;
  readonly flops: number;
  readonly program: Program;
}

/** What differs from a baseline. */
export interface BaselineDiff {
  readonly name: string;
  readonly counted: "runs" | "copies" | "buffers";
  readonly rows: readonly BaselineRow[];
  readonly same: number;
  readonly kind: "baseline diff";
  readonly version: number;
}

/** A row that is not as the baseline has it. */
export interface BaselineRow {
  readonly change: "new" | "gone" | "changed";
  readonly of: string;
  readonly bytes_before: number;
  readonly bytes_now: number;
  readonly count_before: number;
  readonly count_now: number;
}

/** Values of one device's shard: every `steps`-th element along each dimension, from its first one on. */
export interface Block {
  readonly device_id: number;
  readonly shape: readonly number[];
  readonly steps: readonly number[];
  readonly format: "f4" | "f8" | "i4" | "u4" | "i8" | "u8" | "b1" | "c8" | "c16";
  readonly data: DataView;
  readonly low: number;
  readonly high: number;
  readonly low_text: string;
  readonly high_text: string;
  readonly exact: boolean;
  readonly nans: number;
  readonly infs: number;
}

/** Memory that a value takes up on each device. */
export interface Buffer {
  readonly bytes: number;
  readonly type: string;
  readonly name: string;
  readonly kind: "argument" | "constant" | "output" | "kept" | "temporary" | "collective";
  readonly born: number;
  readonly dies: number;
  readonly source: Source | null;
  readonly backward: boolean;
  readonly loop: number;
  readonly instruction: string;
  readonly donated: boolean;
  readonly taken_by: string;
  readonly axes: readonly string[] | null;
}

/** A mesh and how arrays are split over it. */
export interface Candidate {
  readonly name: string;
  readonly rule: string;
  readonly axes: readonly MeshAxis[];
  readonly estimated: Figures;
  readonly specs: readonly number[];
  readonly lines: readonly number[];
  readonly compiled: Figures | null;
  readonly failure: string;
  readonly fits: boolean | null;
}

/** A candidate that differs, or that one of the searches has alone. */
export interface CandidateChange {
  readonly name: string;
  readonly before: CandidateSide | null;
  readonly after: CandidateSide | null;
}

/** What a candidate takes, of one origin. */
export interface CandidateFigures {
  readonly time_s: number;
  readonly bytes_per_device: number;
  readonly sent: number;
}

/** A candidate in one of the searches. */
export interface CandidateSide {
  readonly estimated: CandidateFigures;
  readonly compiled: CandidateFigures | null;
  readonly fits: boolean | null;
}

/** The splits that a collective follows from. */
export interface Cause {
  readonly collective: number;
  readonly row: number | null;
  readonly reasons: readonly number[];
}

/** A kind of device, and how much memory it has. */
export interface Chip {
  readonly name: string;
  readonly bytes: number;
  readonly source: string;
}

/** The clock of a process, compared with that of the first process. */
export interface Clock {
  readonly process: number;
  readonly offset_s: number;
  readonly skew_s: number;
  readonly collectives: number;
}

/** What a step communicates: who takes part together, and how much each device sends. */
export interface Collective {
  readonly kind: string;
  readonly semantics: Semantics;
  readonly axes: readonly string[];
  readonly positions: Ints;
  readonly group_size: number;
  readonly bytes_per_device: number;
  readonly arithmetic: string;
  readonly hops: number;
  readonly plans: readonly number[];
  readonly plan_bytes: readonly number[];
  readonly split_axis: number;
  readonly concat_axis: number;
  readonly latency: readonly number[];
  readonly bandwidth: readonly number[];
}

/** One value: its explicit type, its type on an Auto mesh, and its concrete sharding. */
export interface Compared {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bits: number;
  readonly explicit: Layout | null;
  readonly auto: string;
  readonly concrete: Layout | null;
  readonly agreement: "same" | "differs" | "silent" | "";
  readonly note: string;
}

/** The properties of a leaf that are compared. */
export interface ComparedArray {
  readonly under: string;
  readonly type: string;
  readonly spec: string | null;
  readonly bytes: number;
  readonly bytes_per_device: number;
  readonly copies: number;
}

/** What a tree holds at a path: several arrays where it contains another tree more than once, as in Adam's state. */
export interface ComparedCell {
  readonly arrays: readonly ComparedArray[];
  readonly status: "lost an axis" | "gained an axis" | "moved" | "grew" | "shrank" | "another type" | "same" | "only here" | "only there" | "absent";
  readonly axes: readonly string[];
}

/** Rows that are equal but for numbers in their paths, such as those of a model's layers. */
export interface ComparedLine {
  readonly path: string;
  readonly rows: Ints;
}

/** A path, and what each tree holds there. */
export interface ComparedRow {
  readonly path: string;
  readonly cells: readonly ComparedCell[];
}

/** The totals of one of the trees. */
export interface ComparedTree {
  readonly name: string;
  readonly arrays: number;
  readonly bytes: number;
  readonly bytes_per_device: number;
}

/** What the types say, beside where the compiled program puts the data. */
export interface Comparison {
  readonly of: "function" | "arrays";
  readonly mesh: Mesh;
  readonly rows: readonly Row[];
  readonly scopes: readonly Scope[];
  readonly continuations: readonly Continuation[];
  readonly program: Program | null;
  readonly compiled_from: "" | "Auto" | "Explicit" | "given";
  readonly listings: readonly Listing[];
  readonly reasons: readonly Reason[];
  readonly groups: readonly Group[];
  readonly causes: readonly Cause[];
  readonly steps: number;
  readonly name: string;
  readonly verdict: string;
  readonly note: string;
  readonly jax_version: string;
  readonly kind: "comparison";
  readonly version: number;
}

/** An operation that differs, or that one of the programs has alone. */
export interface ComparisonChange {
  readonly primitive: string;
  readonly name: string;
  readonly times: number;
  readonly before: ComparisonSide | null;
  readonly after: ComparisonSide | null;
}

/** What differs between two comparisons. Operations are matched by primitive and by the text of their line. */
export interface ComparisonDiff {
  readonly mesh: Mesh;
  readonly names: readonly [string, string];
  readonly changes: readonly ComparisonChange[];
  readonly same: number;
  readonly verdict: string;
  readonly kind: "comparison diff";
  readonly version: number;
}

/** One operation in one of the programs. */
export interface ComparisonSide {
  readonly source: Source | null;
  readonly explicit: string;
  readonly compiled: string;
  readonly error: string;
  readonly collectives: readonly string[];
}

/** One difference between a call and the most similar earlier call of the same function. */
export interface CompileCause {
  readonly what: "function" | "structure" | "shape" | "dtype" | "weak type" | "sharding" | "mesh" | "memory" | "static" | "options" | "context" | "unknown";
  readonly path: string;
  readonly before: string;
  readonly now: string;
  readonly more: number;
}

/** A call for which JAX compiled a function. */
export interface CompiledCall {
  readonly function: string;
  readonly file: string;
  readonly line: number;
  readonly seconds: number;
  readonly again: boolean;
  readonly causes: readonly CompileCause[];
}

/** A line of the user's program, and how long devices computed for it. */
export interface ComputedLine {
  readonly source: Source;
  readonly call_s: number;
  readonly share: number;
}

/** The explicit side below a fix that `Comparison.rows` do not continue with. */
export interface Continuation {
  readonly row: number;
  readonly choice: number;
  readonly at: readonly number[];
  readonly rows: readonly Row[];
  readonly program: Program | null;
  readonly verdict: string;
}

/** The transfers of groups of devices, all groups at once: each group passes its blocks round a ring, in order. */
export interface Crossing {
  readonly name: string;
  readonly axes: readonly string[];
  readonly size: number;
  readonly links_a_hop: number;
  readonly most_links: number;
  readonly busiest: number;
  readonly wraparound: readonly number[];
  readonly within_chips: number;
  readonly hosts: number;
  readonly load: Ints;
  readonly bytes: number;
  readonly collectives: readonly number[];
  readonly of: readonly string[];
}

/** How one dimension is cut by a sharding's own index map, where mesh axes do not determine it. */
export interface Cut {
  readonly starts: Ints;
  readonly stops: Ints;
  readonly part: Ints;
}

/** Devices for which all numbers below are the same. */
export interface DeviceGroup {
  readonly devices: Ints;
  readonly held: number;
  readonly own: number;
  readonly added: number;
  readonly freed: number;
  readonly in_use: number | null;
  readonly peak: number | null;
  readonly limit: number | null;
}

/** One order of devices: where each position of a mesh is on the chips. */
export interface DeviceOrder {
  readonly name: string;
  readonly mesh: Mesh;
  readonly chips: readonly number[];
  readonly wraps: readonly boolean[];
  readonly devices_a_chip: number;
  readonly links: number;
  readonly crossings: readonly Crossing[];
  readonly busiest: number;
  readonly idle: number;
  readonly bytes: number;
  readonly most: readonly [number, number];
  readonly seconds: number;
}

/** A line of the functions that collectives come from, before and after. */
export interface DiffLine {
  readonly file: string;
  readonly before: number;
  readonly after: number;
  readonly text: string;
}

/** One of two programs. */
export interface DiffProgram {
  readonly name: string;
  readonly target: string;
  readonly memory: number;
}

/** One operation over the same mesh axes, caused by lines of the same text, in one phase: before and after. */
export interface DiffRow {
  readonly change: "added" | "gone" | "changed" | "same";
  readonly op: string;
  readonly axes: readonly string[];
  readonly over: string;
  readonly phase: string;
  readonly before: DiffSide | null;
  readonly after: DiffSide | null;
}

/** Equal collectives of one program that lines of one text cause. */
export interface DiffSide {
  readonly source: Source | null;
  readonly collectives: readonly number[];
  readonly runs: number;
  readonly bytes_per_device: number;
  readonly seconds: number;
  readonly at_least: boolean;
  readonly by_user: boolean;
  readonly arithmetic: string;
  readonly remark: string;
  readonly advice: string;
}

/** One dimension of an array. */
export interface Dim {
  readonly size: number;
  readonly axes: readonly string[];
  readonly unconstrained: boolean;
  readonly cut: Cut | null;
}

/** Dimensions of the arguments that a step ties together, so that they are split alike. */
export interface DimGroup {
  readonly role: "batch" | "sequence" | "width" | "tensor" | "expert";
  readonly size: number;
  readonly dims: readonly string[];
}

/** A dtype that the array may have. */
export interface DtypeName {
  readonly name: string;
  readonly short: string;
  readonly bits: number;
}

/** How long tasks take, all in the same unit: for each kind one entry for all stages, or one per stage. */
export interface Durations {
  readonly forward: readonly number[];
  readonly backward_input: readonly number[];
  readonly backward_weight: readonly number[];
  readonly communication: number;
}

/** One execution of an operation on one device. */
export interface Event {
  readonly name: string;
  readonly kind: "compute" | "collective";
  readonly call: number;
  readonly start_s: number;
  readonly end_s: number;
  readonly waited_s: number;
  readonly iteration: readonly number[];
  readonly source: Source | null;
}

/** A sheet of exercises; a single exercise is a sheet of one. */
export interface Exercises {
  readonly mesh: Mesh;
  readonly questions: readonly Question[];
  readonly name: string;
  readonly student: string;
  readonly kept: string;
  readonly notes: readonly string[];
  readonly record: string;
  readonly jax_version: string;
  readonly kind: "exercises";
  readonly version: number;
}

/** Why a program stops, at the value that causes it. */
export interface Failure {
  readonly error: string;
  readonly message: string;
  readonly explanation: string;
  readonly axes: readonly string[];
  readonly fixes: readonly Fix[];
  readonly chosen: number;
  readonly kind: "out_specs" | "scan_carry" | "branches" | "traced_value" | "shape" | "indivisible" | "sharding_type" | "in_specs" | "axis_name" | "user" | "other";
  readonly variable: number;
  readonly origin: number;
  readonly traceback: string;
}

/** The verdict on an answer. It never gives the correct answer. */
export interface Feedback {
  readonly verdict: "right" | "partly" | "wrong" | "malformed";
  readonly message: string;
  readonly question: string;
  readonly gives: string;
  readonly parts: readonly Part[];
  readonly figure: Figure | null;
  readonly error: string;
  readonly said: string;
}

/** One thing to fill in. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly form: "text" | "spec" | "choice" | "devices" | "grid" | "code" | "order" | "threshold" | "timeline";
  readonly options: readonly string[];
  readonly sizes: readonly number[];
  readonly shape: readonly number[];
  readonly example: string;
}

/** Something to look at: a placement, lines of code with the types they are given, or blocks of numbers. */
export interface Figure {
  readonly title: string;
  readonly placement: Placement | null;
  readonly listing: Listing | null;
  readonly types: readonly string[];
  readonly tables: readonly Table[];
}

/** What a candidate takes, of one origin. */
export interface Figures {
  readonly compute_s: number;
  readonly exposed_s: number;
  readonly hidden_s: number;
  readonly arguments: number;
  readonly bytes_per_device: number;
  readonly sent: readonly Sent[];
}

/** What deserves a look: equal collectives of a line that have one remark. */
export interface Finding {
  readonly collectives: readonly number[];
  readonly said: string;
  readonly advice: string;
}

/** A change that makes a program run. */
export interface Fix {
  readonly title: string;
  readonly code: string;
  readonly file: string;
  readonly line: number;
  readonly lines: number;
  readonly layout: Layout | null;
  readonly communication: string;
  readonly bytes_per_device: number;
  readonly value: "" | "same" | "other" | "unknown";
  readonly effect: string;
  readonly row: readonly string[];
  readonly row_size: number;
}

/** A reason to look at one leaf, or at several equal ones. */
export interface Flag {
  readonly kind: "copied" | "unlike" | "one device" | "uneven" | "tiny" | "unreadable";
  readonly leaves: Ints;
  readonly cost: number;
  readonly reason: string;
  readonly spec: string;
}

/** How much one device needs from another. */
export interface Flow {
  readonly source: number;
  readonly target: number;
  readonly bytes: number;
}

/** What `jax.sharding.no_collectives` forbids where the playground was made. */
export interface Forbids {
  readonly axes: readonly string[];
  readonly before: SpecDraft;
  readonly error: string;
  readonly sums: string;
  readonly gathers: string;
  readonly moves: string;
}

/** The answer given for one field. */
export interface Given {
  readonly field: string;
  readonly text: string;
}

/** Values that were given the same axis, along dimensions that operations between them split alike. */
export interface Group {
  readonly reasons: readonly number[];
}

/** One collective of an optimised module. */
export interface HloCollective {
  readonly kind: string;
  readonly semantics: Semantics;
  readonly axes: readonly string[];
  readonly irregular: boolean;
  readonly positions: Ints;
  readonly group_size: number;
  readonly shapes: readonly string[];
  readonly bytes_per_device: number;
  readonly arithmetic: string;
  readonly times: number | null;
  readonly nest: number;
  readonly calls: number;
  readonly within: readonly string[];
  readonly pairs: readonly (readonly [number, number])[];
  readonly source: Source | null;
  readonly library: Source | null;
  readonly module: string;
  readonly also: readonly Source[];
  readonly op: string;
  readonly backward: boolean;
  readonly recomputed: boolean;
  readonly by_user: boolean;
  readonly asynchronous: boolean;
  readonly name: string;
  readonly operand: string;
  readonly groups_text: string;
  readonly groups_meaning: string;
  readonly widened_from: string;
  readonly remark: string;
  readonly advice: string;
  readonly plans: readonly number[];
  readonly latency: readonly number[];
  readonly bandwidth: readonly number[];
}

/** A name and the arrays that it holds; or, with an empty name, arrays that no name holds. */
export interface Holder {
  readonly name: string;
  readonly arrays: number;
  readonly type: number;
  readonly bytes: number;
  readonly bytes_per_device: number;
  readonly spent: number;
  readonly parts: readonly TypeCount[];
  readonly more_types: number;
  readonly deleted: number;
  readonly shared: number;
  readonly shared_with: string;
  readonly change: "" | "new" | "resharded" | "changed" | "updated" | "deleted" | "gone";
  readonly moved: number;
  readonly was: string;
  readonly path: string;
  readonly delta: number;
  readonly flags: number;
  readonly reason: string;
  readonly flagged: string;
  readonly cost: number;
  readonly spec: string;
}

/** What happens during some of a call. One turn of a loop is drawn as wide as all of its turns. */
export interface Interval {
  readonly what: "compute" | "wait" | "transfer";
  readonly begin: number;
  readonly seconds: number;
  readonly transfer: number;
  readonly exposed: number;
  readonly source: Source | null;
}

/** A flat array of integers, written as a nested count where it is one. */
export interface Ints {
  readonly start: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly raw: DataView;
  readonly raw_bytes: 1 | 2 | 4;
}

/** A Pallas kernel as it ran under JAX's interpreter. */
export interface Kernel {
  readonly name: string;
  readonly axes: readonly MeshAxis[];
  readonly slots: readonly KernelSlot[];
  readonly semaphores: readonly KernelSemaphore[];
  readonly ops: readonly KernelOp[];
  readonly sources: readonly Source[];
  readonly blocks: readonly KernelBlock[];
  readonly orders: readonly KernelOrder[];
  readonly faults: readonly KernelFault[];
  readonly cores: number;
  readonly listing: Listing | null;
  readonly checked: boolean;
  readonly notes: readonly string[];
  readonly jax_version: string;
  readonly kind: "kernel";
  readonly version: number;
}

/** What a slot may hold. */
export interface KernelBlock {
  readonly device: number;
  readonly text: string;
  readonly computed: boolean;
  readonly values: string;
}

/** Something that is wrong, for all places that are alike. */
export interface KernelFault {
  readonly kind: "race" | "deadlock" | "unwritten" | "semaphore" | "error";
  readonly headline: string;
  readonly detail: string;
  readonly advice: string;
  readonly ops: readonly number[];
  readonly events: readonly string[];
  readonly device: number;
  readonly slot: number;
  readonly core: number;
  readonly order: number;
  readonly count: number;
}

/** An operation of a core. */
export interface KernelOp {
  readonly device: number;
  readonly core: number;
  readonly kind: "enter" | "read" | "write" | "copy" | "wait" | "signal" | "leave";
  readonly source: number;
  readonly slots: readonly number[];
  readonly to: readonly number[];
  readonly target: number;
  readonly target_core: number;
  readonly semaphore: number;
  readonly sent: number;
  readonly amount: number;
  readonly values: string;
}

/** An order in which the kernel may run. Moments are counted from 0 and are no times. */
export interface KernelOrder {
  readonly title: string;
  readonly begins: readonly number[];
  readonly ends: readonly number[];
  readonly sent: readonly number[];
  readonly arrived: readonly number[];
  readonly stretches: readonly KernelStretch[];
  readonly length: number;
}

/** A semaphore. Every core has one. */
export interface KernelSemaphore {
  readonly name: string;
  readonly counts_bytes: boolean;
}

/** A part of a buffer that is read, written or copied as a whole. */
export interface KernelSlot {
  readonly name: string;
  readonly space: string;
  readonly type: string;
  readonly bytes: number;
}

/** A slot that holds one block for a while. */
export interface KernelStretch {
  readonly device: number;
  readonly slot: number;
  readonly begin: number;
  readonly end: number;
  readonly block: number;
  readonly instead_of: number;
  readonly core: number;
}

/** One step of a path. */
export interface Key {
  readonly text: string;
  readonly name: string;
}

/** The events of one device as columns, sorted by call and then by start. */
export interface Lane {
  readonly position: number;
  readonly counts: Ints;
  readonly operation: Ints;
  readonly start: Ints;
  readonly duration: Ints;
  readonly waited: Ints;
}

/** How a value is sharded over the mesh, as a type or a sharding states it. */
export interface Layout {
  readonly text: string;
  readonly dims: readonly Dim[] | null;
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
}

/** What equal leaves have in common: a shape, a dtype, and where their shards live. */
export interface LeafType {
  readonly type: string;
  readonly state: "live" | "abstract" | "deleted" | "shared" | "host" | "none" | "other" | "unreadable";
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bits: number;
  readonly mesh: number;
  readonly dims: readonly Dim[];
  readonly spec: string | null;
  readonly sharding: string;
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
  readonly memory_kind: string;
  readonly offloaded: boolean;
  readonly note: string;
  readonly logical: readonly string[];
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
  readonly source: Source | null;
  readonly flops: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly bound: "compute" | "memory" | "links" | "";
}

/** A value of the chain. */
export interface Link {
  readonly name: string;
  readonly type: string;
  readonly dim: number;
  readonly row: number;
  readonly source: Source | null;
  readonly through: readonly string[];
  readonly back: boolean;
  readonly step: number;
}

/** Device orders of a mesh side by side, on the links of their chips. */
export interface Links {
  readonly orders: readonly DeviceOrder[];
  readonly target: string;
  readonly answer: string;
  readonly program: string;
  readonly kind: "links";
  readonly version: number;
}

/** Lines of a user's function, for the source panel. */
export interface Listing {
  readonly file: string;
  readonly first_line: number;
  readonly lines: readonly string[];
}

/** A loop of the schedule. */
export interface Loop {
  readonly begin: number;
  readonly seconds: number;
  readonly times: number;
  readonly source: Source | null;
  readonly backward: boolean;
}

/** A measured run of the same program: seconds of its median call. The last four are the mean over devices. */
export interface MeasuredCall {
  readonly on: string;
  readonly seconds: number;
  readonly compute: number;
  readonly exposed: number;
  readonly waiting: number;
  readonly idle: number;
  readonly lines: readonly MeasuredLine[];
}

/** A collective of the program, and how long it took. */
export interface MeasuredCollective {
  readonly kind: string;
  readonly semantics: Semantics;
  readonly axes: readonly string[];
  readonly irregular: boolean;
  readonly within: readonly string[];
  readonly positions: Ints;
  readonly group_size: number;
  readonly pairs: readonly (readonly [number, number])[];
  readonly source: Source | null;
  readonly backward: boolean;
  readonly by_user: boolean;
  readonly name: string;
  readonly bytes_per_device: number;
  readonly estimate_s: number;
  readonly times: number;
  readonly median_s: number;
  readonly low_s: number;
  readonly high_s: number;
  readonly wait_s: number;
  readonly wait_high_s: number;
  readonly call_s: number;
  readonly call_wait_s: number;
  readonly hidden: number;
  readonly bytes_per_second: number;
  readonly last: Ints;
}

/** The collectives of a `LineTransfers` in a measured run: seconds of a call, the mean over devices and calls. */
export interface MeasuredLine {
  readonly kind: string;
  readonly axes: readonly string[];
  readonly source: Source | null;
  readonly backward: boolean;
  readonly seconds: number;
  readonly exposed: number;
}

/** Memory over the schedule of a compiled program, on one device: it is the same on all. */
export interface Memory {
  readonly mesh: Mesh;
  readonly buffers: readonly Buffer[];
  readonly steps: number;
  readonly loops: readonly MemoryLoop[];
  readonly lines: readonly Source[];
  readonly work: Ints;
  readonly chips: readonly Chip[];
  readonly chip: number | null;
  readonly basis: "assignment" | "text";
  readonly compiler: MemoryTotals | null;
  readonly gaps: number;
  readonly failure: string;
  readonly name: string;
  readonly target: string;
  readonly jax_version: string;
  readonly kind: "memory";
  readonly version: number;
}

/** What a value, or all values of one name on one line, take up at the peak of each program. */
export interface MemoryChange {
  readonly name: string;
  readonly kind: string;
  readonly backward: boolean;
  readonly source: Source | null;
  readonly types: readonly [string, string];
  readonly before: number;
  readonly after: number;
}

/** What a change does to the memory of a program, on one device. */
export interface MemoryDiff {
  readonly before: MemorySide;
  readonly after: MemorySide;
  readonly changes: readonly MemoryChange[];
  readonly same_bytes: number;
  readonly jax_version: string;
  readonly kind: "memory diff";
  readonly version: number;
}

/** A loop of the schedule. One iteration stands for all, since each needs the same memory. */
export interface MemoryLoop {
  readonly first: number;
  readonly last: number;
  readonly times: number | null;
  readonly name: string;
  readonly source: Source | null;
  readonly backward: boolean;
}

/** The totals of one of the programs. */
export interface MemorySide {
  readonly name: string;
  readonly target: string;
  readonly peak_bytes: number;
  readonly allocated_bytes: number;
}

/** Bytes on one device, by the compiler's own analysis. */
export interface MemoryTotals {
  readonly arguments: number;
  readonly outputs: number;
  readonly temporaries: number;
  readonly aliased: number;
  readonly code: number;
  readonly peak: number;
}

/** Devices in a grid with named axes, in the order of `jax.sharding.Mesh.devices.flat` (axis 0 slowest). */
export interface Mesh {
  readonly axes: readonly MeshAxis[];
  readonly device_ids: Ints;
  readonly process: Ints;
  readonly this_process: number;
  readonly coords: readonly Ints[];
  readonly kind: string;
  readonly platform: string;
  readonly abstract: boolean;
  readonly slices: Ints | null;
  readonly ring: boolean;
}

/** One named axis of a mesh. */
export interface MeshAxis {
  readonly name: string;
  readonly size: number;
  readonly type: "Auto" | "Explicit" | "Manual";
}

/** A tree of arrays and where they live. Made without touching their data. */
export interface Model {
  readonly mesh: Mesh;
  readonly other_meshes: readonly Mesh[];
  readonly types: readonly LeafType[];
  readonly keys: readonly Key[];
  readonly node_key: Ints;
  readonly node_depth: Ints;
  readonly leaf_type: Ints;
  readonly folds: readonly Ints[];
  readonly flags: readonly Flag[];
  readonly terms: Terms;
  readonly small_flags: number;
  readonly small_cost: number;
  readonly rules: readonly RuleEffect[];
  readonly bytes_per_device_before: number;
  readonly name: string;
  readonly jax_version: string;
  readonly kind: "model";
  readonly version: number;
}

/** Two or more trees of arrays side by side, each against the first. */
export interface ModelComparison {
  readonly mesh: Mesh;
  readonly trees: readonly ComparedTree[];
  readonly rows: readonly ComparedRow[];
  readonly lines: readonly ComparedLine[];
  readonly jax_version: string;
  readonly kind: "model comparison";
  readonly version: number;
}

/** What all ranks of a group do at the same time: each sends `count` consecutive chunks to one peer. */
export interface Move {
  readonly peer: "shift" | "exchange" | "pairs";
  readonly op: "copy" | "add";
  readonly by: number;
  readonly first: number;
  readonly count: number;
  readonly origin: number;
  readonly pairs: readonly (readonly [number, number])[];
}

/** One array of a plan. */
export interface MovedArray {
  readonly path: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly source: string;
  readonly source_dims: readonly Dim[];
  readonly target: string;
  readonly target_dims: readonly Dim[];
  readonly groups: readonly number[];
  readonly source_bytes: number;
  readonly target_bytes: number;
  readonly axes: readonly string[];
  readonly least_bytes: number;
  readonly between_bytes: number;
  readonly collectives: readonly PlanCollective[] | null;
}

/** Where an array lives on the groups of a mesh that one of its axes divides. */
export interface MpmdPlacement {
  readonly mesh: Mesh;
  readonly axis: string;
  readonly shape: readonly number[];
  readonly dims: readonly Dim[];
  readonly holds: readonly ("none" | "live" | "deleted" | "dropped" | "remote" | "abstract")[];
  readonly dtype: string;
  readonly bits: number;
  readonly name: string;
  readonly type: string;
  readonly spec: string;
  readonly source: string;
  readonly memory_kind: string;
  readonly jax_version: string;
  readonly kind: "mpmd";
  readonly version: number;
}

/** What the arrays of a session take. Made without touching their data, and without keeping any of them. */
export interface Namespace {
  readonly meshes: readonly Mesh[];
  readonly types: readonly LeafType[];
  readonly holders: readonly Holder[];
  readonly groups: readonly DeviceGroup[];
  readonly names: number;
  readonly left_out: number;
  readonly spent: number;
  readonly cell: number;
  readonly jax_version: string;
  readonly kind: "namespace";
  readonly version: number;
}

/** A loop, a branch or a called computation that collectives are in. */
export interface Nest {
  readonly kind: "loop" | "condition" | "branch" | "call";
  readonly name: string;
  readonly parent: number;
  readonly times: number | null;
  readonly source: Source | null;
  readonly backward: boolean;
}

/** How the devices of a group are connected, for estimates. */
export interface Network {
  readonly name: string;
  readonly topology: "torus" | "switch";
  readonly bandwidth: number;
}

/** What may be done next, for a button. */
export interface Offer {
  readonly label: string;
  readonly do: "copy" | "chips" | "free";
  readonly text: string;
  readonly chips: number;
}

/** An instruction of the program that the devices ran. */
export interface Operation {
  readonly name: string;
  readonly source: Source | null;
  readonly op: string;
  readonly collective: number;
  readonly trips: readonly number[];
  readonly known: boolean;
}

/** An order that is written out: columns over all tasks, rank by rank, in the order in which a rank runs them. */
export interface Order {
  readonly counts: Ints;
  readonly stage: Ints;
  readonly task_kind: Ints;
  readonly microbatch: Ints;
  readonly fused: Ints;
  readonly tick: Ints;
  readonly wasted: Ints;
}

/** Where the blocks of a variable come from, if they were only moved, cut, joined and reshaped. */
export interface Origin {
  readonly variable: number;
  readonly positions: Ints;
  readonly axis: number;
}

/** A compiled program's schedule, replayed against a chip's figures. Every time is an estimate in seconds. */
export interface Overlap {
  readonly mesh: Mesh;
  readonly compute: number;
  readonly exposed: number;
  readonly overlapped: number;
  readonly transfers: readonly Transfer[];
  readonly lines: readonly LineWork[];
  readonly intervals: readonly Interval[];
  readonly loops: readonly Loop[];
  readonly flops: number;
  readonly bytes: number;
  readonly links: number;
  readonly bound: "compute" | "memory" | "links" | "";
  readonly chip: string;
  readonly flops_per_second: number;
  readonly bytes_per_second: number;
  readonly link_bytes_per_second: number;
  readonly ridges: readonly [number, number];
  readonly formula: string;
  readonly verdict: string;
  readonly name: string;
  readonly target: string;
  readonly note: string;
  readonly measured: MeasuredCall | null;
  readonly kind: "overlap";
  readonly version: number;
}

/** The verdict on one field. */
export interface Part {
  readonly field: string;
  readonly right: boolean;
  readonly note: string;
  readonly cells: readonly boolean[];
}

/** What a device holds of a value in both traces: cells of one row of its block. */
export interface PartedCells {
  readonly device: number;
  readonly mine: readonly string[];
  readonly reference: readonly string[];
  readonly parted: readonly number[];
  readonly count: number;
  readonly origins: readonly [number, number];
  readonly senders: readonly [number, number];
  readonly operands: readonly [readonly string[], readonly string[]];
}

/** The code of one of the two functions. */
export interface PartedSide {
  readonly name: string;
  readonly file: string;
  readonly first_line: number;
  readonly lines: readonly string[];
  readonly other: readonly number[];
}

/** A step of the first trace, and the value that it makes. */
export interface PartedStep {
  readonly step: number;
  readonly other: number;
  readonly primitive: string;
  readonly name: string;
  readonly total: number;
  readonly parted: number;
  readonly compared: boolean;
  readonly devices: readonly number[];
  readonly shapes: readonly [readonly number[], readonly number[]];
  readonly counterpart: string;
  readonly operands: readonly [string, string];
  readonly at: readonly number[];
  readonly sources: readonly [Source | null, Source | null];
  readonly cells: readonly PartedCells[];
}

/** Where an array's shards live on a mesh. Made without touching the array's data. */
export interface Placement {
  readonly mesh: Mesh;
  readonly shape: readonly number[] | null;
  readonly dims: readonly Dim[];
  readonly dtype: string;
  readonly bits: number;
  readonly name: string;
  readonly type: string;
  readonly sharding: string;
  readonly spec: string | null;
  readonly agreement: "same" | "silent" | "partly" | "differs" | "";
  readonly unreduced: readonly string[];
  readonly unreduced_kind: string;
  readonly reduced: readonly string[];
  readonly memory_kind: string;
  readonly logical_device_ids: Ints | null;
  readonly hlo: string;
  readonly shardy: string;
  readonly state: "live" | "deleted" | "abstract";
  readonly values: Values | null;
  readonly jax_version: string;
  readonly kind: "placement";
  readonly version: number;
}

/** An algorithm of a collective for a group of n ranks: rounds of moves. */
export interface Plan {
  readonly algorithm: "meaning" | "ring" | "bidirectional ring" | "halving-doubling";
  readonly semantics: Semantics;
  readonly n: number;
  readonly rounds: readonly (readonly Move[])[];
}

/** A collective of the compiled program that moves one array. */
export interface PlanCollective {
  readonly kind: string;
  readonly axes: readonly string[];
  readonly bytes_per_device: number;
  readonly total_bytes: number;
}

/** A spec to edit, and JAX's words for what comes of it. */
export interface Playground {
  readonly mesh: Mesh;
  readonly draft: SpecDraft;
  readonly given: readonly MeshAxis[];
  readonly dtypes: readonly DtypeName[];
  readonly terms: Terms;
  readonly name: string;
  readonly array: string;
  readonly fixed: boolean;
  readonly forbids: Forbids | null;
  readonly most_devices: number;
  readonly most_dims: number;
  readonly jax_version: string;
  readonly kind: "playground";
  readonly version: number;
}

/** The collectives of a compiled program. */
export interface Program {
  readonly mesh: Mesh;
  readonly collectives: readonly HloCollective[];
  readonly nests: readonly Nest[];
  readonly plans: readonly Plan[];
  readonly interconnects: readonly string[];
  readonly interconnect: number;
  readonly wraps: readonly boolean[];
  readonly name: string;
  readonly target: string;
  readonly instructions: number;
  readonly memory: MemoryTotals | null;
  readonly work: Work | null;
  readonly listings: readonly Listing[];
  readonly verdicts: readonly string[];
  readonly findings: readonly Finding[];
  readonly unread: readonly string[];
  readonly note: string;
  readonly lowered: boolean;
  readonly timing: Timing | null;
  readonly jax_version: string;
  readonly kind: "program";
  readonly version: number;
}

/** What differs between two programs. Lines are matched by their text, so that they may have moved. */
export interface ProgramDiff {
  readonly mesh: Mesh;
  readonly before: DiffProgram;
  readonly after: DiffProgram;
  readonly rows: readonly DiffRow[];
  readonly interconnect: string;
  readonly verdict: string;
  readonly also: string;
  readonly of: "before and after" | "lowered and compiled";
  readonly lines: readonly DiffLine[];
  readonly why: string;
  readonly kind: "program diff";
  readonly version: number;
}

/** Compiled programs side by side. */
export interface Programs {
  readonly mesh: Mesh;
  readonly programs: readonly Program[];
  readonly kind: "programs";
  readonly version: number;
}

/** One exercise, and the student's progress with it. */
export interface Question {
  readonly name: string;
  readonly task: "read_placement" | "write_spec" | "predict_type" | "predict_error" | "choose_collective" | "fill_block" | "put_specs" | "repair" | "lower_communication" | "read_schedule" | "order_tasks" | "find_leaf" | "shard_tree" | "predict_peak" | "choose_threshold" | "may_overlap" | "find_race" | "add_wait";
  readonly prompt: string;
  readonly mesh: Mesh;
  readonly fields: readonly Field[];
  readonly playground: Playground | null;
  readonly figures: readonly Figure[];
  readonly goal: string;
  readonly target: string;
  readonly hints: readonly string[];
  readonly hints_left: number;
  readonly attempts: number;
  readonly passed: boolean;
  readonly answer: readonly Given[];
  readonly feedback: Feedback | null;
}

/** Why one dimension of a value of a `Comparison` is split over one axis, or is kept whole: one step back. */
export interface Reason {
  readonly row: number;
  readonly value: number;
  readonly dim: number;
  readonly axis: string;
  readonly given: "" | "argument" | "constraint" | "type" | "shard_map" | "jit";
  readonly through: readonly number[];
  readonly back: boolean;
  readonly giver: number;
  readonly step: number;
  readonly lost: readonly number[];
  readonly because: string;
  readonly wanted: number;
  readonly group: number;
}

/** An order that a generator makes. Python and the front end follow the same rules. */
export interface Recipe {
  readonly generator: "gpipe" | "one_f_one_b" | "eager_1f1b" | "interleaved_1f1b" | "zb_h1" | "zb_v" | "dualpipe_v" | "circular";
  readonly stages: number;
  readonly microbatches: number;
  readonly ranks: number;
}

/** What JAX compiled while a function ran. */
export interface Recompiled {
  readonly name: string;
  readonly calls: readonly CompiledCall[];
  readonly operations: number;
  readonly jax_version: string;
  readonly version: number;
  readonly kind: "recompiled";
}

/** A `shard_map` of the program. */
export interface Region {
  readonly name: string;
  readonly mesh: Mesh;
  readonly manual: readonly string[];
  readonly in_specs: readonly string[];
  readonly out_specs: readonly string[];
  readonly check_vma: boolean;
  readonly parent: number;
}

/** The changes of a program that help; a sequence of them, the best first. */
export interface Remedies {
  readonly name: string;
  readonly lowers: "peak" | "communication";
  readonly found: readonly Remedy[];
  readonly tried: number;
  readonly complete: boolean;
  readonly jax_version: string;
  readonly kind: "remedies";
  readonly version: number;
}

/** A change that lowers the peak of memory, or communication, found by compiling the program with it. */
export interface Remedy {
  readonly what: string;
  readonly code: string;
  readonly before: number;
  readonly after: number;
  readonly fix: Fix | null;
  readonly lowers: "peak" | "communication";
  readonly seconds_before: number;
  readonly seconds_after: number;
  readonly memory: number;
  readonly work: number;
  readonly helps: readonly string[];
  readonly other: boolean;
}

/** The plan for moving arrays to another layout: their order, which move together, and what devices hold meanwhile. */
export interface ReshardPlan {
  readonly direction: "spmd_to_mpmd" | "mpmd_to_spmd" | "device_put";
  readonly mesh: Mesh;
  readonly axis: string;
  readonly arrays: readonly MovedArray[];
  readonly order: readonly number[];
  readonly threshold: number;
  readonly target_mesh: Mesh | null;
  readonly flows: readonly Flow[];
  readonly note: string;
  readonly jax_version: string;
  readonly kind: "reshard";
  readonly version: number;
}

/** One equation, or the arguments or the results of the function, or one array. */
export interface Row {
  readonly primitive: string;
  readonly values: readonly Compared[];
  readonly source: Source | null;
  readonly inputs: readonly string[];
  readonly scope: number;
  readonly decision: "" | "reshard" | "with_sharding_constraint" | "out_sharding" | "device_put";
  readonly error: Failure | null;
  readonly collectives: readonly number[];
  readonly remark: string;
  readonly wasted_bytes: number;
  readonly inspected: boolean;
  readonly library: Source | null;
  readonly called_from: Source | null;
}

/** What came of a rule that says how leaves would be split. */
export interface RuleEffect {
  readonly rule: string;
  readonly matches: number;
  readonly counts: number;
  readonly copies: readonly [number, number] | null;
  readonly refused: number;
  readonly refused_path: string;
  readonly error: string;
}

/** Measured calls of a program. */
export interface Run {
  readonly mesh: Mesh;
  readonly name: string;
  readonly target: string;
  readonly seconds: readonly number[];
  readonly begins: readonly number[];
  readonly tick_s: number;
  readonly operations: readonly Operation[];
  readonly lanes: readonly Lane[];
  readonly collectives: readonly MeasuredCollective[];
  readonly lines: readonly ComputedLine[];
  readonly shares: Shares;
  readonly joined: number;
  readonly unjoined: readonly Unjoined[];
  readonly merged_events: number;
  readonly interconnect: string;
  readonly peak: number;
  readonly clocks: readonly Clock[];
  readonly note: string;
  readonly jax_version: string;
  readonly kind: "run";
  readonly version: number;
}

/** Runs side by side, on one time axis. */
export interface Runs {
  readonly mesh: Mesh;
  readonly runs: readonly Run[];
  readonly kind: "runs";
  readonly version: number;
}

/** The best estimate for a number of chips and a size of the batch. */
export interface Scaled {
  readonly chips: number;
  readonly target: string;
  readonly batch: number;
  readonly name: string;
  readonly time_s: number;
  readonly bytes_per_device: number;
}

/** Tasks of a pipeline: which rank runs which stage on which microbatch, in which order. */
export interface Schedule {
  readonly source: Recipe | Order;
  readonly name: string;
  readonly durations: Durations;
  readonly send_bytes: readonly number[];
  readonly mesh: Mesh | null;
  readonly axis: string;
  readonly note: string;
  readonly kind: "schedule";
  readonly version: number;
}

/** Schedules side by side, on one time axis. */
export interface Schedules {
  readonly schedules: readonly Schedule[];
  readonly kind: "schedules";
  readonly version: number;
}

/** A function, named scope, loop or branch that a step of a trace or a row of a comparison is in. */
export interface Scope {
  readonly kind: "function" | "named_scope" | "loop" | "iteration" | "branch" | "region" | "auto_axes" | "explicit_axes";
  readonly name: string;
  readonly parent: number;
  readonly iteration: number;
  readonly times: number | null;
  readonly axis_types: readonly ("Auto" | "Explicit" | "Manual")[];
}

/** Candidates for the sharding of a step, the fastest that fits first. */
export interface Search {
  readonly name: string;
  readonly target: string;
  readonly chips: number;
  readonly candidates: readonly Candidate[];
  readonly specs: readonly string[];
  readonly leaves: readonly SearchLeaf[];
  readonly groups: readonly DimGroup[];
  readonly now_index: number;
  readonly chip: Chip | null;
  readonly planned: number;
  readonly wanted: number;
  readonly left_out: readonly [number, number];
  readonly correlation: number | null;
  readonly ended: "" | "interrupted" | "time";
  readonly notes: readonly string[];
  readonly constraints: readonly Source[];
  readonly objective: string;
  readonly code_lines: readonly string[];
  readonly scaling: readonly Scaled[];
  readonly shortfall: Shortfall | null;
  readonly fits_on: Scaled | null;
  readonly offers: readonly Offer[];
  readonly compiling: number;
  readonly estimating_s: number;
  readonly jax_version: string;
  readonly kind: "search";
  readonly version: number;
}

/** What differs between two searches. Candidates are matched by name, and the user's own with the user's own. */
export interface SearchDiff {
  readonly before: SearchSide;
  readonly after: SearchSide;
  readonly changes: readonly CandidateChange[];
  readonly same: number;
  readonly verdict: string;
  readonly also: string;
  readonly kind: "search diff";
  readonly version: number;
}

/** An array that the step is given. */
export interface SearchLeaf {
  readonly path: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly weight: boolean;
}

/** One of the searches. */
export interface SearchSide {
  readonly name: string;
  readonly target: string;
  readonly chips: number;
  readonly candidates: number;
  readonly best: string;
  readonly any_fits: boolean;
  readonly time_s: number;
  readonly bytes_per_device: number;
  readonly basis: "estimated" | "compiled";
}

/** What a collective does with the blocks of a group; the same in every program. `chunk` is an n-th of a block. */
export interface Semantics {
  readonly sign: string;
  readonly combines: "" | "sum" | "max" | "min";
  readonly starts: "whole" | "own" | "source" | "nothing";
  readonly cuts: "none" | "sent" | "received" | "both";
  readonly by_origin: boolean;
  readonly replicates: boolean;
}

/** Collectives of one kind over the same mesh axes, of a candidate, in one step. */
export interface Sent {
  readonly axes: readonly string[];
  readonly kind: string;
  readonly times: number;
  readonly in_loop: boolean;
  readonly bytes: number;
  readonly seconds: number;
  readonly hidden: boolean;
}

/** How a device spent the time of a call, as the mean over devices and calls. The first four add up to 1. */
export interface Shares {
  readonly compute: number;
  readonly communication: number;
  readonly waiting: number;
  readonly idle: number;
  readonly hidden: number;
}

/** What the candidate that takes least takes too much, where none fits, and what would do. */
export interface Shortfall {
  readonly over: number;
  readonly donation: number;
  readonly growing: number | null;
  readonly words: string;
}

/** A line of the user's program. */
export interface Source {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly function: string;
}

/** What is on screen: an array, a mesh and a spec, which need not fit each other. */
export interface SpecDraft {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly axes: readonly MeshAxis[];
  readonly entries: readonly SpecEntry[];
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
}

/** The entry of a PartitionSpec for one dimension: `None` where there are no axes. */
export interface SpecEntry {
  readonly axes: readonly string[];
  readonly unconstrained: boolean;
}

/** One equation executed, or the start or end of a region. */
export interface Step {
  readonly primitive: string;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly sentence: string;
  readonly source: Source | null;
  readonly begins: "" | "expression" | "statement";
  readonly expression: string;
  readonly params: readonly (readonly [string, string])[];
  readonly literals: readonly string[];
  readonly region: number;
  readonly scope: number;
  readonly collective: Collective | null;
  readonly implicit: boolean;
  readonly shape_only: boolean;
  readonly elementwise: boolean;
  readonly active: Ints | null;
  readonly printed: string;
}

/** The numbers of one block, laid out in rows. */
export interface Table {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/** How this version of JAX spells shardings and words their errors. */
export interface Terms {
  readonly wordings: readonly Wording[];
  readonly spec: string;
  readonly sums: string;
  readonly mesh: string;
  readonly abstract_mesh: string;
  readonly sharding: string;
  readonly abstract_sharding: string;
  readonly hlo_counts_ones: boolean;
}

/** The measured time of one call in seconds, after warm-up. */
export interface Timing {
  readonly seconds: number;
  readonly low: number;
  readonly high: number;
  readonly runs: number;
}

/** A program executed step by step. */
export interface Trace {
  readonly mesh: Mesh;
  readonly steps: readonly Step[];
  readonly variables: readonly Variable[];
  readonly regions: readonly Region[];
  readonly scopes: readonly Scope[];
  readonly listings: readonly Listing[];
  readonly plans: readonly Plan[];
  readonly interconnects: readonly string[];
  readonly name: string;
  readonly engine: "mesh" | "host" | "types";
  readonly note: string;
  readonly error: Failure | null;
  readonly jax_version: string;
  readonly changed: Fix | null;
  readonly kind: "trace";
  readonly version: number;
}

/** Two traces, step by step. */
export interface TraceDiff {
  readonly mesh: Mesh;
  readonly mine: PartedSide;
  readonly reference: PartedSide;
  readonly steps: readonly PartedStep[];
  readonly first: number;
  readonly rtol: number;
  readonly atol: number;
  readonly verdict: string;
  readonly cause: string;
  readonly kind: "trace diff";
  readonly version: number;
}

/** A collective of the schedule, over all its runs in a call. All times are estimates in seconds. */
export interface Transfer {
  readonly kind: string;
  readonly name: string;
  readonly axes: readonly string[];
  readonly times: number | null;
  readonly seconds: number;
  readonly exposed: number;
  readonly asynchronous: boolean;
  readonly between: readonly string[];
  readonly between_s: number;
  readonly source: Source | null;
  readonly backward: boolean;
  readonly ring: "" | "all-gather" | "reduce-scatter";
  readonly operand: string;
}

/** How many of a holder's arrays have one type. */
export interface TypeCount {
  readonly type: string;
  readonly count: number;
  readonly bytes_per_device: number;
}

/** A measured operation that has no source line. */
export interface Unjoined {
  readonly name: string;
  readonly why: string;
  readonly times: number;
  readonly share: number;
}

/** The values that a view asked for, or why there are none. */
export interface Values {
  readonly blocks: readonly Block[];
  readonly note: string;
}

/** A value of the program: inside a region a block on each device, outside a global array. */
export interface Variable {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bits: number;
  readonly region: number;
  readonly varying: readonly string[];
  readonly unreduced: readonly string[];
  readonly reduced: readonly string[];
  readonly dims: readonly Dim[];
  readonly window: Window | null;
  readonly origin: Origin | null;
  readonly drawn: boolean;
}

/** Why a dimension of a value is split over a mesh axis. */
export interface Why {
  readonly name: string;
  readonly dim: number;
  readonly axis: string;
  readonly answer: string;
  readonly given: "" | "argument" | "constraint" | "type" | "shard_map" | "jit";
  readonly chain: readonly Link[];
  readonly lost: readonly Link[];
  readonly also: readonly Link[];
  readonly because: readonly string[];
  readonly collectives: readonly string[];
  readonly ask: string;
  readonly instead: readonly Alternative[];
  readonly steps: number;
  readonly kind: "why";
  readonly version: number;
}

/** The part of a value that the document carries: its leading corner on every device. */
export interface Window {
  readonly shape: readonly number[];
  readonly format: "f4" | "f8" | "i4" | "u4" | "i8" | "u8" | "b1" | "c8" | "c16";
  readonly data: DataView;
  readonly block: Ints;
}

/** JAX's message for one kind of error, with `{fields}` in place of what it was given. */
export interface Wording {
  readonly kind: "states_overlap" | "unreduced_overlap" | "reduced_overlap" | "repeated" | "unknown" | "unconstrained" | "unreduced_unknown" | "unreduced_auto" | "reduced_unknown" | "reduced_auto" | "rank" | "scalar_rank" | "indivisible";
  readonly error: string;
  readonly text: string;
}

/** What one device does in a call, by the compiler's own analysis; -1 for what it does not report. */
export interface Work {
  readonly flops: number;
  readonly bytes_accessed: number;
  readonly seconds: number;
}

export type Document = Algorithms | BaselineDiff | Comparison | ComparisonDiff | Exercises | Kernel | Links | Memory | MemoryDiff | Model | ModelComparison | MpmdPlacement | Namespace | Overlap | Placement | Playground | Program | ProgramDiff | Programs | Recompiled | Remedies | ReshardPlan | Run | Runs | Schedule | Schedules | Search | SearchDiff | Trace | TraceDiff | Why;
