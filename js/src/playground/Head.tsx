/** The head of a playground: the type that the spec gives, what a device holds, bytes and copies; the spec itself is below it. */
import { summarize } from "../array/public";
import { Head } from "../card/Head";
import { Says } from "../card/Says";
import { Tokens } from "../card/Tokens";
import type { PlacementModel } from "../core/placement";
import { axisTokens, sentenceTokens } from "../core/text";
import type { SpecEditor } from "./editor";
import { heldText } from "./model/words";
import { noteOf } from "./Sheet";

export function PlaygroundHead({ editor, model }: { editor: SpecEditor; model: PlacementModel }) {
  const { doc } = editor;
  const [valid, refusal] = [editor.valid(), editor.refusal()];
  return (
    <Head
      name={doc.name}
      title={<Tokens tokens={axisTokens(model.doc.type, model)} />}
      badges={valid ? summarize(model).badges : []}
      says={
        <Says also={refusal ? "" : noteOf(editor, model)}>
          {refusal ? (
            `Not valid: JAX raises ${refusal.error}`
          ) : (
            <Tokens tokens={sentenceTokens(heldText(editor.draft(), doc), model)} />
          )}
        </Says>
      }
    />
  );
}
