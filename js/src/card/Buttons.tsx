/** First, back, play, forward, last: the buttons of whatever plays, with their keys. */

/** What has steps one after another, and plays them. */
interface Player {
  now: Readonly<{ playing: boolean }>;
  jump(to: number): void;
  back(): void;
  forward(): void;
  toggle(): void;
}

/** `of` is what there is one after another: step, chunk. */
export function Buttons({ state, of, last }: { state: Player; of: string; last: number }) {
  return (
    <div class="buttons">
      <Button name={`first ${of}`} keys="Home" icon="M5 4v12M16 4l-8 6 8 6z" go={() => state.jump(0)} />
      <Button name="back" keys="," icon="M14 4l-8 6 8 6z" go={() => state.back()} />
      <PlayButton state={state} />
      <Button name="forward" keys="." icon="M6 4l8 6-8 6z" go={() => state.forward()} />
      <Button name={`last ${of}`} keys="End" icon="M15 4v12M4 4l8 6-8 6z" go={() => state.jump(last)} />
    </div>
  );
}

interface PlayProps {
  state: Pick<Player, "now" | "toggle">;
  keys?: string;
}

/** The one that plays and pauses, also where there are no others. */
export function PlayButton({ state, keys = "Space" }: PlayProps) {
  const { playing } = state.now;
  const icon = playing ? "M6 4h3v12H6zM12 4h3v12h-3z" : "M6 4l10 6-10 6z";
  return <Button name={playing ? "pause" : "play"} keys={keys} icon={icon} go={() => state.toggle()} look="play" />;
}

interface ButtonProps {
  name: string;
  keys: string;
  icon: string;
  go: () => void;
  look?: string;
}

function Button({ name, keys, icon, go, look }: ButtonProps) {
  return (
    <button type="button" class={look} aria-label={name} title={`${name} (${keys})`} onClick={go}>
      <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
        <path d={icon} fill="currentColor" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" />
      </svg>
    </button>
  );
}
