/** Compiled programs as Python wrote them: `python -m tests.fixtures`. */
import type { HloCollective, Program, Programs } from "../../src/core/document.gen";
import { reviveBytes } from "../../src/core/saved";
import { decodePrograms, ProgramModel } from "../../src/program/model/program";
import programs from "./programs.json";

export type ProgramName = keyof typeof programs;
export const PROGRAMS = Object.keys(programs) as ProgramName[];
/** Those that are one program. */
export const SINGLE = PROGRAMS.filter((name) => programs[name].kind === "program");

/** A wire document of its own. */
export function wire(name: ProgramName): Program | Programs {
  return reviveBytes(programs[name]) as unknown as Program | Programs;
}

export function program(name: ProgramName): Program {
  return wire(name) as Program;
}

export function model(name: ProgramName): ProgramModel {
  return modelOf(program(name));
}

export function modelOf(doc: Program): ProgramModel {
  return new ProgramModel(decodePrograms(doc).programs[0] as Program);
}

/** A program without collectives. */
export function silent(): Program {
  const verdicts = ["No collectives: no device sends anything"];
  return { ...program("training"), name: "silent", collectives: [], findings: [], verdicts };
}

/** The first collective of a kind, over an axis. */
export function find(m: ProgramModel, kind: HloCollective["kind"], ...axes: string[]): HloCollective {
  const found = m.collectives.find((c) => c.kind === kind && axes.join() === c.axes.join());
  if (!found) throw new Error(`no ${kind} over ${axes}`);
  return found;
}

/** Groups that were pasted: what is sent is not known. */
export function groupsAlone(): Program {
  const base = program("training");
  const [first] = modelOf(base).collectives;
  if (!first) throw new Error("it has no collective");
  const c = {
    ...first,
    kind: "groups",
    shapes: [],
    bytes_per_device: 0,
    latency: [],
    bandwidth: [],
    plans: [],
    nest: -1,
  };
  return { ...base, collectives: [c], plans: [], nests: [], interconnects: [], memory: null, work: null };
}

/** A program of so many collectives. */
export function many(count: number): Program {
  const base = program("training");
  return {
    ...base,
    collectives: Array.from({ length: count }, (_, i) => {
      const c = base.collectives[i % base.collectives.length] as HloCollective;
      // Each of its own line: equal ones would be one group.
      const source = c.source && { ...c.source, line: 1000 + i };
      return { ...c, source, op: `${c.op}/${i}`, name: `op.${i}`, times: 1 + (i % 7) };
    }),
  };
}

/** So many equal collectives, beside those of a training step. */
export function repeated(count: number): Program {
  const base = program("training");
  const [first] = base.collectives;
  if (!first) throw new Error("no collective");
  return { ...base, collectives: [...base.collectives, ...Array.from({ length: count - 1 }, () => ({ ...first }))] };
}

/** A mesh of `n` × `across` chips in place of the pod's. */
export function pod(n: number, across: number): Program {
  const base = program("pod");
  const size = n * across;
  const grid = (strides: number[]) => ({
    start: 0,
    shape: [n, across],
    strides,
    raw: new DataView(new ArrayBuffer(0)),
    raw_bytes: 4 as const,
  });
  const axes = base.mesh.axes.map((a, i) => ({ ...a, size: [n, across][i] ?? 1 }));
  const column = { ...grid([1, n === 1 ? 1 : across]), shape: [across, n] };
  return {
    ...base,
    mesh: {
      ...base.mesh,
      axes,
      device_ids: grid([across, 1]),
      process: grid([0, 0]),
      coords: [grid([1, 0]), grid([0, 1])],
    },
    plans: [],
    collectives: [
      { ...(base.collectives[0] as HloCollective), positions: column, group_size: n, plans: [] },
      { ...(base.collectives[1] as HloCollective), positions: grid([across, 1]), group_size: across, plans: [] },
      {
        ...(base.collectives[2] as HloCollective),
        positions: { ...grid([1]), shape: [size] },
        group_size: size,
        plans: [],
      },
    ],
  };
}
