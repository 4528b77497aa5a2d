/** Text in which code stands between backquotes and mesh axes take their colour. */

import { Tokens } from "../card/Tokens";
import type { MeshModel } from "../core/mesh";
import { axisTokens } from "../core/text";
import { codeRuns } from "./model/exercise";

export function Prose({ text, mesh }: { text: string; mesh: MeshModel }) {
  return (
    <>
      {codeRuns(text).map((run, i) =>
        run.code ? (
          <code key={i}>
            <Tokens tokens={axisTokens(run.text, mesh)} />
          </code>
        ) : (
          <Named text={run.text} mesh={mesh} key={i} />
        ),
      )}
    </>
  );
}

/** Words of a sentence that name an axis beside its size: `x=4`. */
function Named({ text, mesh }: { text: string; mesh: MeshModel }) {
  const known = new Map(mesh.axes.map((a, i) => [a.name, i]));
  const tokens = text.split(/(\b\w+(?==\d))/).map((word) => ({ text: word, axis: known.get(word) ?? null }));
  return <Tokens tokens={tokens} />;
}
