/** The cells of tables in a page. */
import type { AxisName, Cell as Lines, Piece } from "../core/cells";
import { AXIS_DASH } from "../draw/marks";
import { Chip } from "./Chip";
import { Tokens } from "./Tokens";

export function Cell({ of: [first = [], ...below] }: { of: Lines }) {
  return (
    <>
      {pieces(first)}
      {below.map(
        (line, i) =>
          line.some(says) && (
            <span class="small" key={i}>
              {pieces(line)}
            </span>
          ),
      )}
    </>
  );
}

function says(piece: Piece): boolean {
  return !("text" in piece) || piece.text !== "";
}

function pieces(line: readonly Piece[]) {
  return line.filter(says).map((piece, i) => [i > 0 && " ", written(piece, i)]);
}

function written(piece: Piece, key: number) {
  if ("axis" in piece) {
    const { name, axis, says } = piece;
    return (
      <Chip name={name} axis={axis} title={name} key={key}>
        {says}
      </Chip>
    );
  }
  if ("times" in piece) {
    const bars = piece.times.map((bar, i) => <AxisBar {...bar} key={i} />);
    return (
      <span class="meter" aria-hidden="true" key={key}>
        {bars}
      </span>
    );
  }
  if ("held" in piece) {
    const { held, own } = piece;
    return (
      <span class="meter" aria-hidden="true" key={key}>
        <span class="own" style={{ width: `${100 * own}%` }} />
        <span class="more" style={{ width: `${100 * Math.max(0, held - own)}%` }} />
      </span>
    );
  }
  const { text, mono, strong, tone, title, tokens } = piece;
  const Tag = strong ? "b" : "span";
  return (
    <Tag class={[mono && "mono", tone].filter(Boolean).join(" ")} title={title} key={key}>
      {tokens ? parted(text).map((part, i) => [i > 0 && <wbr />, <Tokens tokens={tokens(part)} key={i} />]) : text}
    </Tag>
  );
}

/** A type, parted where a line of it may end: behind a dimension. */
export function parted(type: string): string[] {
  return type.split(/(?<=,)(?=\d)/);
}

/** A bar in the colours of mesh axes, one beside the other; grey where there are none. */
export function AxisBar({ axes, share }: { axes: readonly AxisName[]; share: number }) {
  const colors = axes.map(({ axis }) => `var(--axis${axis % AXIS_DASH.length})`);
  const stripes = colors.map((color, i) => `${color} ${i * STRIPE}px ${(i + 1) * STRIPE}px`).join(", ");
  const background = colors.length > 1 ? `repeating-linear-gradient(90deg, ${stripes})` : (colors[0] ?? "var(--muted)");
  return <span class="bar" style={{ width: `${Math.max(1, 100 * share)}%`, background }} />;
}

const STRIPE = 3;
