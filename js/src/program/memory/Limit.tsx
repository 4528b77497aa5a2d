/** The chip whose memory the peak is compared with, or a number of one's own. */
import { Select } from "../../card/Tools";
import { bytes } from "../../core/format";
import { type MemoryPage, NONE, OWN } from "./page";

export function Limit({ page }: { page: MemoryPage }) {
  const { doc } = page.shown()?.model ?? {};
  if (!doc) return null;
  const chip = page.now.chip ?? doc.chip ?? NONE;
  return (
    <span class="group">
      <label>
        compare with{" "}
        <Select
          of={[
            [NONE, "nothing"],
            ...doc.chips.map((c, k) => [k, `${c.name}, ${bytes(c.bytes)}`, { title: c.source }] as const),
            [OWN, "own number …"],
          ]}
          value={chip}
          choose={(chosen) => page.set({ chip: chosen })}
        />
      </label>
      {chip === OWN && (
        <label>
          <input
            type="number"
            aria-label="memory of a device, GiB"
            min="0"
            step="any"
            value={page.now.own}
            onInput={(e) => page.set({ own: Number(e.currentTarget.value) })}
          />{" "}
          GiB
        </label>
      )}
    </span>
  );
}
