/** What stands around every picture, and in place of one that fails. */
import { Component, type ComponentChildren } from "preact";
import type { Theme } from "../../paint/theme";
import { Failure } from "./Failure";
import { asError } from "./store";

/** The frame of every picture: border, theme tokens, fonts. */
export function Card({ theme, children }: { theme: Theme | null; children: ComponentChildren }) {
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
export class Guard extends Component<{ children: ComponentChildren }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static override getDerivedStateFromError(error: unknown) {
    return { error: asError(error) };
  }

  override render() {
    return this.state.error ? <Failure error={this.state.error} /> : this.props.children;
  }
}
