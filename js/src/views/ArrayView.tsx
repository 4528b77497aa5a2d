/** The card of one placement: head, picture, notes, foot. A failure takes its place, never an empty cell. */
import { Component, type ComponentChildren } from "preact";
import { Failure } from "./Failure";
import { Foot } from "./Foot";
import { Head, Notes } from "./Head";
import type { Layers } from "./layers";
import { Picture } from "./Picture";
import { asError, type ViewState } from "./state";

export function ArrayView({ state, layers }: { state: ViewState; layers: Layers }) {
  const broken = state.now.broken;
  const theme = state.now.theme;
  if (broken) return <Card state={state}>{<Failure error={broken} />}</Card>;
  if (!theme || state.now.width === 0) return null;
  return (
    <Card state={state}>
      <Guard key={state.now.generation}>
        <Head state={state} />
        <Picture state={state} layers={layers} />
        <Notes state={state} />
        <Foot state={state} />
        <div class="hidden" aria-live="polite">
          {state.now.announced}
        </div>
      </Guard>
    </Card>
  );
}

function Card({ state, children }: { state: ViewState; children: ComponentChildren }) {
  const theme = state.now.theme;
  const tokens = Object.entries(theme?.tokens ?? {}).map(([name, color]) => [`--${name}`, color] as const);
  const fonts = theme ? { "--ui": theme.ui, "--mono": theme.mono } : {};
  return (
    <section
      class={`card ${theme?.scheme ?? "light"}`}
      aria-label="sharding"
      style={{ ...Object.fromEntries(tokens), ...fonts }}
    >
      {children}
    </section>
  );
}

/** Catches what throws while drawing. */
class Guard extends Component<{ children: ComponentChildren }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static override getDerivedStateFromError(error: unknown) {
    return { error: asError(error) };
  }

  override render() {
    return this.state.error ? <Failure error={this.state.error} /> : this.props.children;
  }
}
