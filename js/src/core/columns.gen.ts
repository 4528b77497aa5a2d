// Generated from shardwidget/document/columns.py by js/generate_types.py. Do not edit.

/** A column of a table. */
export interface Column {
  readonly key: string;
  readonly head: string;
  readonly note?: string;
  readonly unit?: "text" | "bytes" | "seconds" | "rate" | "share";
  readonly room?: number;
  readonly gives_way?: number;
}

/** The collectives of a compiled program. */
export const COLLECTIVES = [
  { key: "op", head: "collective" },
  { key: "axes", head: "mesh axes" },
  { key: "sent", head: "sent/device", unit: "bytes" },
  { key: "runs", head: "runs" },
  { key: "source", head: "caused by" },
  { key: "time", head: "estimate/call", unit: "seconds" },
] as const satisfies Column[];

/** The candidates of a search for a sharding. */
export const CANDIDATES = [
  { key: "candidate", head: "candidate" },
  { key: "time", head: "a step", unit: "seconds" },
  { key: "compute", head: "compute", unit: "seconds" },
  { key: "exposed", head: "exposed", unit: "seconds" },
  { key: "hidden", head: "hidden", unit: "seconds" },
  { key: "memory", head: "memory/device", unit: "bytes" },
  { key: "fits", head: "fits" },
  { key: "basis", head: "known by" },
] as const satisfies Column[];

/** A program as it is, and as it would be otherwise. */
export const INSTEAD = [
  { key: "what", head: "instead" },
  { key: "code", head: "written" },
  { key: "gives", head: "gives" },
  { key: "collectives", head: "collectives" },
  { key: "sent", head: "sent/device", unit: "bytes" },
  { key: "work", head: "work/device" },
] as const satisfies Column[];

/** What differs from a baseline. */
export const BASELINE = [
  { key: "change", head: "" },
  { key: "of", head: "what" },
  { key: "before", head: "before" },
  { key: "now", head: "now" },
] as const satisfies Column[];

/** The lines of a program whose collectives take time, the most exposed first. */
export const TRANSFERS = [
  { key: "op", head: "collective" },
  { key: "axes", head: "mesh axes" },
  { key: "source", head: "caused by" },
  { key: "between", head: "runs between -start and -done" },
  { key: "whole", head: "takes", unit: "seconds" },
  { key: "exposed", head: "exposed", unit: "seconds" },
  { key: "measured", head: "measured", unit: "seconds" },
  { key: "measured_exposed", head: "exposed then", unit: "seconds" },
] as const satisfies Column[];

/** What the cores of a Pallas kernel do. */
export const KERNEL_OPS = [
  { key: "moment", head: "moment" },
  { key: "device", head: "device" },
  { key: "does", head: "" },
  { key: "what", head: "what" },
  { key: "line", head: "line" },
] as const satisfies Column[];

/** What the collectives of a compiled program come to, by mesh axes and part of a training step. */
export const TOTALS = [
  { key: "axes", head: "over" },
  { key: "phase", head: "" },
  { key: "runs", head: "runs" },
  { key: "sent", head: "sent/device", unit: "bytes" },
  { key: "time", head: "estimate/call", unit: "seconds" },
] as const satisfies Column[];

/** What differs between two compiled programs. */
export const DIFFERENCES = [
  { key: "change", head: "what" },
  { key: "op", head: "collective" },
  { key: "axes", head: "mesh axes" },
  { key: "source", head: "caused by" },
  { key: "before", head: "before" },
  { key: "after", head: "after" },
  { key: "difference", head: "a call" },
] as const satisfies Column[];

/** What is alive at the peaks of two programs. */
export const MEMORY_DIFFERENCES = [
  { key: "change", head: "what" },
  { key: "name", head: "value" },
  { key: "type", head: "type" },
  { key: "source", head: "made by" },
  { key: "before", head: "before", unit: "bytes" },
  { key: "after", head: "after", unit: "bytes" },
  { key: "difference", head: "at the peak" },
] as const satisfies Column[];

/** What differs between two comparisons of types with shardings. */
export const COMPARISON_DIFFERENCES = [
  { key: "change", head: "what" },
  { key: "name", head: "operation" },
  { key: "source", head: "line" },
  { key: "of", head: "of it" },
  { key: "before", head: "before" },
  { key: "after", head: "after" },
] as const satisfies Column[];

/** What differs between two searches for a sharding. */
export const SEARCH_DIFFERENCES = [
  { key: "change", head: "what" },
  { key: "name", head: "candidate" },
  { key: "before", head: "a step before", unit: "seconds" },
  { key: "after", head: "a step after", unit: "seconds" },
  { key: "ratio", head: "speed" },
  { key: "memory", head: "memory/device" },
  { key: "fits", head: "fits" },
  { key: "basis", head: "compared" },
] as const satisfies Column[];

/** The steps at which two traces differ. */
export const STEP_DIFFERENCES = [
  { key: "step", head: "step" },
  { key: "primitive", head: "" },
  { key: "name", head: "value" },
  { key: "parted", head: "differ" },
  { key: "source", head: "line" },
  { key: "reference", head: "line of the reference" },
] as const satisfies Column[];

/** Compiled programs side by side. */
export const PROGRAMS = [
  { key: "name", head: "program" },
  { key: "found", head: "collectives" },
  { key: "sent", head: "sent/device", unit: "bytes" },
  { key: "estimate", head: "estimate/call", unit: "seconds" },
  { key: "measured", head: "measured/call", unit: "seconds" },
  { key: "memory", head: "memory/device", unit: "bytes" },
] as const satisfies Column[];

/** The calls for which JAX compiled a function. */
export const COMPILED_CALLS = [
  { key: "function", head: "compiled" },
  { key: "source", head: "called from" },
  { key: "time", head: "compiler", unit: "seconds" },
  { key: "why", head: "why" },
] as const satisfies Column[];

/** Changes of a program that help; of the figures, those that it is about. */
export const REMEDIES = [
  { key: "sent", head: "sent/device", unit: "bytes" },
  { key: "estimate", head: "estimate/call", unit: "seconds" },
  { key: "peak", head: "peak", unit: "bytes" },
  { key: "less", head: "less", unit: "share" },
  { key: "memory", head: "memory/device" },
  { key: "work", head: "work/device", unit: "share" },
  { key: "what", head: "change" },
  { key: "helps", head: "for" },
  { key: "code", head: "code" },
] as const satisfies Column[];

/** The collectives of a measured run. A card shows mesh axes and source with the collective. */
export const MEASURED = [
  { key: "op", head: "collective", room: 240 },
  { key: "axes", head: "mesh axes" },
  { key: "sent", head: "sent/device", unit: "bytes", room: 90, gives_way: 3 },
  { key: "time", head: "time after the last arrival", unit: "seconds", room: 160 },
  { key: "spread", head: "10–90 %" },
  { key: "wait", head: "wait", unit: "seconds", room: 84, gives_way: 4 },
  { key: "estimate", head: "estimate", unit: "seconds", room: 80, gives_way: 1 },
  { key: "rate", head: "achieved", unit: "rate", room: 90, gives_way: 2 },
  { key: "source", head: "caused by" },
] as const satisfies Column[];

/** The lines of a measured run that devices computed for. */
export const COMPUTED_LINES = [
  { key: "source", head: "line" },
  { key: "time", head: "computes/call", unit: "seconds" },
  { key: "share", head: "of a call", unit: "share" },
] as const satisfies Column[];

/** Measured runs side by side. */
export const RUNS = [
  { key: "name", head: "run" },
  { key: "call", head: "a call, median", unit: "seconds" },
  { key: "ratio", head: "against the first" },
  { key: "compute", head: "compute", unit: "share" },
  { key: "collectives", head: "in collectives", unit: "share" },
  { key: "waiting", head: "waiting", unit: "share" },
  { key: "idle", head: "no event", unit: "share" },
] as const satisfies Column[];

/** The leaves of a tree of arrays. A card names the device. */
export const LEAVES = [
  { key: "path", head: "path" },
  { key: "type", head: "type" },
  { key: "all", head: "in all", unit: "bytes" },
  { key: "here", head: "on a device", unit: "bytes" },
  { key: "copies", head: "copies" },
] as const satisfies Column[];

/** What is alive in a program. */
export const BUFFERS = [
  { key: "bytes", head: "bytes", unit: "bytes" },
  { key: "name", head: "name" },
  { key: "type", head: "type" },
  { key: "axes", head: "mesh axes" },
  { key: "kind", head: "what" },
  { key: "source", head: "line" },
  { key: "steps", head: "steps" },
] as const satisfies Column[];

/** The names of a session that hold arrays. */
export const NAMES = [
  { key: "name", head: "name" },
  { key: "type", head: "type" },
  { key: "here", head: "on a device", unit: "bytes" },
  { key: "change", head: "last cell" },
] as const satisfies Column[];

/** The chunks of a reshard plan. */
export const CHUNKS = [
  { key: "chunk", head: "chunk" },
  { key: "weight", head: "of the threshold", unit: "bytes" },
  { key: "adds", head: "made on a device", unit: "bytes" },
  { key: "most", head: "most held" },
  { key: "arrays", head: "arrays" },
  { key: "collectives", head: "collectives" },
] as const satisfies Column[];

/** Who sends how much to whom in a `device_put`. */
export const FLOWS = [
  { key: "source", head: "from device" },
  { key: "target", head: "to device" },
  { key: "bytes", head: "bytes", unit: "bytes" },
] as const satisfies Column[];

/** Pipeline schedules side by side. */
export const SCHEDULES = [
  { key: "name", head: "schedule" },
  { key: "idle", head: "idle, of all ranks' time", unit: "share" },
  { key: "kept", head: "most kept, by rank" },
  { key: "sends", head: "sends" },
  { key: "length", head: "length" },
] as const satisfies Column[];

/** The values of a comparison. The head of what is compiled says from which mesh. */
export const VALUES = [
  { key: "source", head: "source", note: "line and primitive" },
  { key: "explicit", head: "Explicit mesh", note: "the type says where data is" },
  { key: "auto", head: "Auto mesh", note: "the type is silent" },
  { key: "concrete", head: "compiled", note: "where it is" },
  { key: "verdict", head: "type vs compiled" },
] as const satisfies Column[];

/** The same of arrays, which are on one mesh. */
export const ARRAYS = [
  { key: "source", head: "array", note: "name" },
  { key: "explicit", head: "type", note: "jax.typeof(x): what the type says" },
  { key: "auto", head: "" },
  { key: "concrete", head: "sharding", note: "x.sharding: where data really is" },
  { key: "verdict", head: "type vs sharding" },
] as const satisfies Column[];

/** The steps of a trace. */
export const STEPS = [
  { key: "at", head: "" },
  { key: "step", head: "step" },
  { key: "gives", head: "gives" },
  { key: "sent", head: "communication" },
  { key: "source", head: "source" },
] as const satisfies Column[];

/** Transfers on the links between chips. */
export const CROSSINGS = [
  { key: "order", head: "devices in the order of" },
  { key: "axes", head: "transfers over" },
  { key: "hop", head: "links a hop" },
  { key: "busiest", head: "hops on the busiest link" },
  { key: "wraparound", head: "wraparound" },
  { key: "hosts", head: "hosts of a group" },
  { key: "sent", head: "bytes on it, a call", unit: "bytes" },
] as const satisfies Column[];

/** Exercises. */
export const EXERCISES = [
  { key: "at", head: "" },
  { key: "exercise", head: "exercise" },
  { key: "asks", head: "asks" },
  { key: "answer", head: "last answer" },
  { key: "state", head: "state" },
] as const satisfies Column[];
