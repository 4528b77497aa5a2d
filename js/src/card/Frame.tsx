/** The frame around every view, and what replaces a view that fails. */
import { Component, type ComponentChildren } from "preact";
import { isDark } from "../core/color";
import { Failure } from "./Failure";
import type { CardState } from "./state";
import { asError } from "./store";

interface Props {
  state: CardState<object>;
  children: ComponentChildren;
}

/** The frame: border, theme tokens, fonts, and a name of its own. A failure takes the view's place, never an empty cell. */
export function Card({ state, children }: Props) {
  const { theme, generation, width } = state.now;
  const [name, broken] = named(state);
  if (!broken && (!theme || width === 0)) return null;
  const tokens = Object.entries(theme?.tokens ?? {}).map(([name, color]) => [`--${name}`, color] as const);
  const fonts = theme ? { "--ui": theme.ui, "--mono": theme.mono } : {};
  return (
    <section
      class={`card ${theme && isDark(theme.scheme) ? "dark" : "light"}`}
      aria-label={name}
      style={{ ...Object.fromEntries(tokens), ...fonts }}
    >
      {broken ? <Failure error={broken} /> : <Guard generation={generation}>{children}</Guard>}
    </section>
  );
}

/** What the card is called, and why it cannot be drawn: from some documents not even its name can be made. */
function named(state: CardState<object>): [name: string, broken: Error | null] {
  try {
    return [state.name(), state.failure()];
  } catch (error) {
    return ["", state.failure() ?? asError(error)];
  }
}

interface Guarded {
  generation: number;
  children: ComponentChildren;
}

/** Catches errors while drawing, and tries again with every new document; the focused element keeps the focus. */
class Guard extends Component<Guarded, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static override getDerivedStateFromError(error: unknown) {
    return { error: asError(error) };
  }

  override componentDidUpdate(before: Guarded) {
    if (this.state.error && before.generation !== this.props.generation) this.setState({ error: null });
  }

  override render() {
    return this.state.error ? <Failure error={this.state.error} /> : this.props.children;
  }
}
