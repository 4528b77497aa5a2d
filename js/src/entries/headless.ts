/** The picture without a page: what Python runs in a bare V8 to write an SVG. */

import { Course, decodeAlgorithms } from "../model/algorithms";
import { codeOf } from "../model/code";
import type { Scheme } from "../model/color";
import { type Choices, ComparisonModel, decodeComparison } from "../model/comparison";
import type { Algorithm, Network, SpecDraft } from "../model/document.gen";
import { decodeExercises } from "../model/exercise";
import { decodeMemory, MemoryModel } from "../model/memory";
import { decodeMpmd, MpmdModel } from "../model/mpmd";
import { decodeNamespace, NamespaceModel } from "../model/namespace";
import { decodePlacement, PlacementModel } from "../model/placement";
import { decodePlayground, placementOf } from "../model/playground";
import { decodePrograms, ProgramModel, type Sort } from "../model/program";
import { refusalOf } from "../model/refusal";
import { decodeReshard, PlanModel } from "../model/reshard";
import { titleOf } from "../model/reshard/words";
import { decodeRuns, RunModel } from "../model/run";
import { reviveBytes } from "../model/saved";
import { decodeSchedules, ScheduleModel } from "../model/schedule/schedule";
import { highlightOf, type Selection } from "../model/selection";
import { decodeTrace, TraceModel } from "../model/trace";
import { decodeModel, TreeModel } from "../model/tree";
import { COMPARED_SORTS, ComparedModel, decodeModelComparison, listCompared } from "../model/tree/compared";
import { SORTS } from "../model/tree/rows";
import { paintAnimated } from "../paint/animated";
import { paintFrames } from "../paint/frames";
import { pngDataUri } from "../paint/png";
import { paintSvg } from "../paint/svg";
import { theme } from "../paint/theme";
import { algorithmsScene } from "../scene/algorithms";
import { cardScene } from "../scene/card";
import { comparisonScene } from "../scene/comparison";
import { exerciseScene } from "../scene/exercisecard";
import { WHOLE } from "../scene/faces";
import type { Film } from "../scene/film/film";
import { pipelineFilm, programFilm, stepFilm } from "../scene/film/films";
import { memoryScene } from "../scene/memorycard";
import { modelScene } from "../scene/modelcard";
import { mpmdScene } from "../scene/mpmdcard";
import { namespaceScene } from "../scene/namespacecard";
import type { ColorBy } from "../scene/paints";
import { pipelineScene } from "../scene/pipelinecard";
import { type ProgramPicture, programScene } from "../scene/programcard";
import { openedScene, programsScene } from "../scene/programscard";
import { reshardScene } from "../scene/reshardcard";
import { runScene } from "../scene/runcard";
import type { Scene } from "../scene/scene";
import { stepScene } from "../scene/stepcard";
import { treesScene } from "../scene/treescard";

export interface SvgOptions {
  width: number;
  theme: "light" | "dark";
}

export interface FilmOptions extends SvgOptions {
  /** For a trace: the first and the last step. */
  steps?: readonly [number, number] | null;
  /** Speed, relative to the widget. */
  speed: number;
  /** Pictures per second, where they are written one by one. */
  rate?: number;
}

/** JSON of a widget's state (bytes as `{"$bytes": base64}`) and JSON of options to the text of an SVG. */
export function svg(stateJson: string, optionsJson: string): string {
  const [state, { width, theme: ground }] = read<SvgOptions>(stateJson, optionsJson);
  const scheme = schemeOf(state, ground);
  const draw =
    {
      algorithms: algorithmsOf,
      exercises: exercisesOf,
      trace: stepOf,
      comparison: comparisonOf,
      program: programOf,
      programs: programOf,
      run: runOf,
      runs: runOf,
      memory: memoryOf,
      model: modelOf,
      "model comparison": treesOf,
      mpmd: mpmdOf,
      namespace: namespaceOf,
      reshard: reshardOf,
      schedule: scheduleOf,
      schedules: scheduleOf,
    }[String(state._document.kind)] ?? cardOf;
  const [scene, title] = draw(state, width, scheme);
  return paintSvg(scene, theme(scheme), title, pngDataUri);
}

/** The same for what moves: an SVG that plays; empty where nothing moves. */
export function animated(stateJson: string, optionsJson: string): string {
  const [state, options] = read<FilmOptions>(stateJson, optionsJson);
  const scheme = schemeOf(state, options.theme);
  const [film, title] = filmIn(state, options, scheme);
  const drawn = film ? paintAnimated(film, theme(scheme), title, pngDataUri) : "";
  return drawn.includes("@keyframes") ? drawn : "";
}

/** The same one by one, see `Frames`, as JSON; empty where nothing moves. */
export function frames(stateJson: string, optionsJson: string): string {
  const [state, options] = read<FilmOptions>(stateJson, optionsJson);
  const scheme = schemeOf(state, options.theme);
  const [film, title] = filmIn(state, options, scheme);
  const drawn = film && paintFrames(film, options.rate ?? 20, theme(scheme), title, pngDataUri);
  return drawn && drawn.parts.length > 0 ? JSON.stringify(drawn) : "";
}

function read<Options>(stateJson: string, optionsJson: string): readonly [State, Options] {
  return [reviveBytes(JSON.parse(stateJson)) as State, JSON.parse(optionsJson) as Options];
}

function schemeOf(state: State, ground: "light" | "dark"): Scheme {
  return state._look?.palette === "colorblind" ? `${ground}-safe` : ground;
}

interface State {
  _document: { kind: unknown };
  _look?: { palette?: unknown };
  color_by?: ColorBy;
  row_dim?: number | null;
  column_dim?: number | null;
  /** For a placement, its selection; for a program, the index of a collective. */
  selection?: Selection | number | null;
  axis?: string | null;
  /** For a program or a tree. */
  sort?: string;
  search?: string;
  step?: number;
  /** For a measured run. */
  call?: number | null;
  watch?: readonly string[];
  choices?: Choices;
  /** For trees side by side. */
  differs?: boolean;
  /** For a program: the page, and the memory of each by index. */
  page?: string;
  opened?: number | null;
  _memories?: Readonly<Record<string, object>>;
  follow?: number | null;
  moment?: number;
  /** Of exercises; null for all of them. */
  current?: number | null;
  /** Of a reshard plan. */
  chunk?: number;
  threshold?: number;
  /** For two algorithms. */
  nbytes?: number;
  pair?: readonly string[];
}

function cardOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  const model = new PlacementModel(decodePlacement(state._document));
  const scene = cardScene(model, {
    width,
    scheme,
    colorBy: state.color_by ?? "position",
    choice: { ...WHOLE, rowDim: state.row_dim ?? null, columnDim: state.column_dim ?? null },
    highlight: highlightOf(model, typeof state.selection === "object" ? state.selection : null),
  });
  return [scene, `${model.doc.name} ${model.doc.type} ${model.doc.spec ?? ""}`.trim()];
}

function exercisesOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  const sheet = decodeExercises(state._document);
  const current = state.current ?? null;
  const title = sheet.name || (sheet.questions[0]?.name ?? "");
  return [exerciseScene(sheet, { width, scheme, current }), title];
}

function stepOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  const trace = new TraceModel(decodeTrace(state._document));
  const picture = { width, scheme, watch: state.watch ?? [] };
  return [stepScene(trace, { step: state.step ?? 0, phase: 1 }, picture), trace.doc.name];
}

/** The film of what moves in a state; null where nothing does. */
function filmIn(
  state: State,
  { width, speed, steps }: FilmOptions,
  scheme: Scheme,
): readonly [film: Film | null, title: string] {
  switch (state._document.kind) {
    case "trace": {
      const trace = new TraceModel(decodeTrace(state._document));
      const at = state.step ?? 0;
      const picture = { width, scheme, watch: state.watch ?? [] };
      return [stepFilm(trace, steps ?? [at, at], speed, picture), trace.doc.name];
    }
    case "program":
    case "programs": {
      const [models, model, draw] = programsIn(state);
      if (!model || state.page === "memory") return [null, ""];
      const film = programFilm(model, speed, programPicture(state, width, scheme), (picture) => draw(model, picture));
      return [film, models.map((m) => m.doc.name).join(", ")];
    }
    case "schedule":
    case "schedules": {
      const [models, picture, title] = schedulePicture(state, width, scheme);
      return [pipelineFilm(models, speed, picture), title];
    }
    default:
      return [null, ""];
  }
}

function comparisonOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  const model = new ComparisonModel(decodeComparison(state._document), state.choices ?? {});
  return [comparisonScene(model, { width, scheme }), model.doc.name];
}

/** JSON of a playground and of a draft to JSON of all that a page says of it, so that it can be compared with JAX. */
export function draft(playgroundJson: string, draftJson: string): string {
  const doc = decodePlayground(reviveBytes(JSON.parse(playgroundJson)));
  const given = JSON.parse(draftJson) as SpecDraft;
  const refusal = refusalOf(given, doc);
  if (refusal) return JSON.stringify({ ...refusal, places: [...refusal.notes.keys()] });
  const model = new PlacementModel(placementOf(given, doc));
  const { type, spec, hlo, shardy } = model.doc;
  const slices = [...model.tileAt].map((tile) => model.parts(tile).map((part, d) => model.bounds(d, part)));
  const shard = model.tileShape(0);
  const ids = [...model.ids];
  return JSON.stringify({
    type,
    spec,
    hlo,
    shardy,
    slices,
    shard,
    ids,
    copies: model.copies,
    code: codeOf(given, doc),
  });
}

function modelOf(state: State, width: number): readonly [Scene, string] {
  const tree = new TreeModel(decodeModel(state._document));
  const sort = SORTS.find((name) => name === state.sort) ?? "tree";
  return [modelScene(tree, { width, sort, search: state.search ?? "" }), tree.doc.name];
}

function treesOf(state: State, width: number): readonly [Scene, string] {
  const model = new ComparedModel(decodeModelComparison(state._document));
  const sort = COMPARED_SORTS.find((name) => name === state.sort) ?? "tree";
  const lines = listCompared(model, sort, state.search ?? "", state.differs === true);
  return [treesScene(model, lines, width), model.doc.trees.map((tree) => tree.name).join(", ")];
}

function namespaceOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  return [namespaceScene(new NamespaceModel(decodeNamespace(state._document)), { width, scheme }), "arrays"];
}

function reshardOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  const model = new PlanModel(decodeReshard(state._document), state.threshold || null);
  return [reshardScene(model, { width, scheme, chunk: state.chunk ?? 0 }), titleOf(model)];
}

function mpmdOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  const model = new MpmdModel(decodeMpmd(state._document));
  const { group = null } = (state.selection ?? {}) as { group?: number };
  return [mpmdScene(model, { width, scheme, group }), `${model.doc.name} ${model.doc.type}`.trim()];
}

function programOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  const [models, model, draw] = programsIn(state);
  const memory = state.page === "memory" && model && state._memories?.[String(models.indexOf(model))];
  if (memory && "kind" in memory) {
    return [memoryScene(memoryModel(memory, model), { width, scheme }), model.doc.name];
  }
  const picture = programPicture(state, width, scheme);
  return [model ? draw(model, picture) : programsScene(models, width), models.map((m) => m.doc.name).join(", ")];
}

/** The programs of a state, the one that is open, and how that one is drawn. */
function programsIn(state: State) {
  const { programs, sideBySide } = decodePrograms(state._document);
  const models = programs.map((p) => new ProgramModel(p));
  const model = models[sideBySide ? (state.opened ?? -1) : 0];
  const draw = (of: ProgramModel, picture: ProgramPicture) =>
    sideBySide ? openedScene(models, of, picture) : programScene(of, picture);
  return [models, model, draw] as const;
}

function programPicture(state: State, width: number, scheme: Scheme): ProgramPicture {
  const selection = typeof state.selection === "number" ? state.selection : null;
  return { width, scheme, selection, axis: state.axis ?? null, sort: (state.sort ?? "time") as Sort };
}

function memoryModel(memory: unknown, program?: ProgramModel): MemoryModel {
  return new MemoryModel(decodeMemory(memory), new Map(program?.collectives.map((c) => [c.name, c.axes])));
}

function memoryOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  const model = memoryModel(state._document);
  return [memoryScene(model, { width, scheme }), model.doc.name];
}

function algorithmsOf(state: State, width: number): readonly [Scene, string] {
  const doc = decodeAlgorithms(state._document);
  const nbytes = state.nbytes ?? doc.nbytes;
  const [a, b] = (state.pair ?? []).map((name) => doc.algorithms.find(({ plan }) => plan.algorithm === name));
  const course = (one = doc.algorithms[0]) => new Course(doc, one as Algorithm, doc.networks[0] as Network, nbytes);
  return [algorithmsScene([course(a), course(b)], nbytes, width), `algorithms of ${doc.collective}`];
}

function scheduleOf(state: State, width: number, scheme: Scheme): readonly [Scene, string] {
  const [models, picture, title] = schedulePicture(state, width, scheme);
  return [pipelineScene(models, picture), title];
}

function schedulePicture(state: State, width: number, scheme: Scheme) {
  const models = decodeSchedules(state._document).schedules.map((doc) => new ScheduleModel(doc));
  const picture = { width, scheme, follow: state.follow ?? null, moment: state.moment ?? 0 };
  return [models, picture, models.map((m) => m.doc.name).join(", ")] as const;
}

function runOf(state: State, width: number): readonly [Scene, string] {
  const { runs } = decodeRuns(state._document);
  const selection = typeof state.selection === "number" ? state.selection : null;
  const scene = runScene(
    runs.map((run) => new RunModel(run)),
    { width, call: state.call ?? null, selection },
  );
  return [scene, runs.map((run) => run.name).join(", ")];
}

(globalThis as { shardwidget?: object }).shardwidget = { svg, animated, frames, draft };
