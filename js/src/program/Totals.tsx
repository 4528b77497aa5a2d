/** What the collectives come to by mesh axis, as parts of one bar. */

import { AxisBar } from "../card/Cell";
import { axesOf } from "../core/cells";
import { bytes, duration } from "../core/format";
import { some } from "../core/text";
import { AXIS_DASH } from "../draw/marks";
import type { ProgramModel } from "./model/program";
import { nestText, totalName } from "./model/words";

/** `bar`: whether the parts are drawn, where no timeline shows them. */
export function Totals({ model, interconnect, bar }: { model: ProgramModel; interconnect: number; bar: boolean }) {
  const { mesh } = model;
  const totals = model.totals(interconnect);
  const whole = totals.reduce((sum, t) => sum + t.seconds, 0);
  const loops = [...new Set(model.doc.nests.map(nestText))];
  return (
    <div class="totals">
      {bar && (
        <div class="whole">
          {totals.map((t) => (
            <AxisBar axes={axesOf(mesh, t.axes)} share={whole > 0 ? t.seconds / whole : 0} key={totalName(t)} />
          ))}
        </div>
      )}
      <ul>
        {totals.map((t) => (
          <li key={totalName(t)}>
            {t.axes.length > 0
              ? t.axes.map((name, i) => (
                  <b class={`mono cut ink${mesh.axisOf(name) % AXIS_DASH.length}`} key={name}>
                    {i > 0 && ", "}
                    {name}
                  </b>
                ))
              : totalName(t)}{" "}
            <span class="soft">
              {duration(t.seconds)}, {bytes(t.bytes)}/device
            </span>
          </li>
        ))}
        {loops.length > 0 && <li class="soft">inside {some(loops, 4)}</li>}
      </ul>
    </div>
  );
}
