/** The changes that make a program run, in rows: what changes, what it does and gives, what it sends. */
import { Component, createRef } from "preact";
import type { Fix, Listing } from "../../core/document.gen";
import { bytes } from "../../core/format";
import { count } from "../../core/text";
import { changedLines } from "../model/why";
import { NARROW } from "../sizes";
import type { StepperState } from "../state";
import { Copy } from "./Copy";

interface Props {
  state: StepperState;
  fixes: readonly Fix[];
  listings: readonly Listing[];
}

/** In wide cards as many as stand beside everything else that is said; the others come in their place. */
export class Fixes extends Component<Props, Room> {
  override state: Room = { most: this.props.fixes.length, height: 0, behind: false };
  readonly #list = createRef<HTMLOListElement>();

  override componentDidMount() {
    const list = this.#list.current;
    const said = list?.closest<HTMLElement>(".trouble");
    const over = (said?.offsetHeight ?? 0) + MARGIN - (said?.closest(".view")?.clientHeight ?? 0);
    if (!list || over <= 0 || this.props.state.now.width < NARROW) return;
    const height = list.offsetHeight - over - 1;
    const ends = [...list.querySelectorAll<HTMLElement>(".fix")].map((row) => row.offsetTop + row.offsetHeight);
    const room = height - MORE + list.offsetTop;
    this.setState({ most: Math.max(1, ends.filter((end) => end <= room).length), height });
  }

  override render({ state, fixes, listings }: Props, { most, height, behind }: Room) {
    const ran = fixes.some((fix) => fix.row.length > 0);
    const first = fixes.findIndex((fix) => fix.value === "same");
    const others = fixes.length - most;
    const shown = behind ? fixes.slice(most) : fixes.slice(0, most);
    return (
      <ol class={ran ? "fixes ran" : "fixes"} style={others > 0 ? { height: `${height}px` } : {}} ref={this.#list}>
        {ran && (
          <li class="heads" aria-hidden="true">
            <span class="code">change</span>
            <span class="does">gives</span>
            <span class="row">first row</span>
            <span class="sent">sends</span>
          </li>
        )}
        {shown.map((fix) => {
          const k = fixes.indexOf(fix);
          return <Row state={state} fix={fix} k={k} listings={listings} ran={ran} first={k === first} key={fix.code} />;
        })}
        {others > 0 && (
          <li class="others">
            <button type="button" aria-expanded={behind} onClick={() => this.setState({ behind: !behind })}>
              {behind ? `▴ the first ${count(most, "change")}` : `▾ ${count(others, "more change")}`}
            </button>
          </li>
        )}
      </ol>
    );
  }
}

interface Room {
  /** How many changes stand in the list at once. */
  most: number;
  /** Its height, where not all do. */
  height: number;
  /** Whether the others are shown. */
  behind: boolean;
}

/** Over what is said in red. */
const MARGIN = 12;
/** Height of the line that opens the others. */
const MORE = 29;

interface RowProps {
  state: StepperState;
  fix: Fix;
  /** Its index. */
  k: number;
  listings: readonly Listing[];
  /** Whether any change was run. */
  ran: boolean;
  /** Whether it is the first that gives what was meant. */
  first: boolean;
}

function Row({ state, fix, k, listings, ran, first }: RowProps) {
  const gives = fix.value && givenBy(fix);
  return (
    <li class={fix.value === "same" ? "fix meant" : "fix"} style={{ "--rank": `"${k + 1}"` }}>
      <code class="code" title={fix.code}>
        {changedLines(fix, listings).map(({ line, pieces }, i) => (
          <span key={`${i}`}>
            {line > 0 && <span class="soft">line {line}: </span>}
            {pieces.map(({ text, changed }, i) =>
              changed ? (
                <mark key={`${i}`}>{breaking(text)}</mark>
              ) : (
                breaking(pieces.length > 1 ? cut(text, i > 0, i < pieces.length - 1) : text)
              ),
            )}
          </span>
        ))}
      </code>
      <span class="does" title={`${fix.title}; ${gives}`}>
        {fix.title}
        {gives && <span class={fix.value === "same" ? "gives" : "warns"}>{gives}</span>}
      </span>
      {ran && (
        <span class="row mono">
          {fix.row.join(" ")}
          {fix.row_size > fix.row.length && <span class="soft"> … of {fix.row_size}</span>}
        </span>
      )}
      {ran && (
        <span class="sent mono" title={fix.communication}>
          {fix.communication ? bytes(fix.bytes_per_device) : "–"}
        </span>
      )}
      <span class="acts">
        {state.usable() && (
          <button
            type="button"
            class={first ? "use primary" : "use"}
            disabled={state.now.asked !== null}
            title="show the program with this change; your code stays as it is"
            onClick={() => state.useFix(k)}
          >
            {state.now.asked === k ? "…" : "Use"}
          </button>
        )}
        <Copy text={fix.code} />
      </span>
    </li>
  );
}

/** Code that stays, beside what changes: with the words next to that alone where it is long. */
function cut(text: string, first: boolean, last: boolean): string {
  const parts = text.split(/(?<=[(,=])/);
  if (text.length <= BESIDE * (Number(first) + Number(last))) return text;
  const near = (all: readonly string[]) => {
    const kept = all.filter((_, i) => all.slice(0, i + 1).join("").length <= BESIDE);
    return kept.length > 0 ? kept : all.slice(0, 1);
  };
  const [head, tail] = [first ? near(parts) : [], last ? near(parts.toReversed()).toReversed() : []];
  return head.length + tail.length < parts.length ? `${head.join("")}…${tail.join("")}` : text;
}

/** Most characters of code that stays at one side of what changes. */
const BESIDE = 24;

/** Code goes on in another line after its commas, brackets and signs. */
function breaking(text: string) {
  return text.split(/(?<=[(,=@])/).map((part) => [part, <wbr key={part} />]);
}

/** What the program gives with a fix, beside what the function gives on the whole array. */
function givenBy({ value, effect }: Fix): string {
  if (value === "same") return "✓ the whole array’s value";
  return value === "other" ? effect : "what it gives was not compared";
}
