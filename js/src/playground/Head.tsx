/** The head of a playground: the type that the spec gives, what a device holds, bytes and copies; the spec itself is below it. */
import { summarize } from "../array/public";
import { Head } from "../card/Head";
import { Says } from "../card/Says";
import { Tokens } from "../card/Tokens";
import type { PlacementModel } from "../core/placement";
import { axisTokens, type Badge, sentenceTokens } from "../core/text";
import type { SpecEditor } from "./editor";
import { heldText } from "./model/words";
import { noteOf } from "./Sheet";

interface Props {
  editor: SpecEditor;
  model: PlacementModel;
  /** Whether there is little room for badges. */
  narrow: boolean;
  /** Shows where the copies are. */
  go: () => void;
}

export function PlaygroundHead({ editor, model, narrow, go }: Props) {
  const { doc } = editor;
  const refusal = editor.refusal();
  return (
    <Head
      name={doc.name}
      title={<Tokens tokens={axisTokens(model.doc.type, model)} />}
      badges={narrow ? few(summarize(model).badges) : summarize(model).badges}
      go={go}
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

/** At most three, which say the first of what they say: `8 copies over x` of `8 copies over x · 3.5 KiB spent on replicas`. */
function few(badges: readonly Badge[]): Badge[] {
  const shown = badges.filter(({ tone }, k) => badges.length < 4 || k !== 1 || tone !== "plain");
  return shown.map((b) => ({ ...b, text: b.text.replace(/ · .*/, ""), title: `${b.strong} ${b.text}` }));
}
