/** The costliest lines against the chip: operations a second over operations for each byte, both on log scales. */
import { bytes, duration } from "../../../core/format";
import { rule } from "../../../draw/bands";
import { BOLD, label, type Mark, MONO, PAD } from "../../../draw/marks";
import { fit } from "../../../draw/measure";
import { type OverlapModel, pointOf } from "../model/overlap";

const HEIGHT = 224;
const LINE = 20;
const WIDE = 760;

export function rooflineHeight(model: OverlapModel, width: number): number {
  const list = 30 + LINE * model.doc.lines.length;
  return width < WIDE ? HEIGHT + list : Math.max(HEIGHT, list);
}

export function rooflineMarks(model: OverlapModel, width: number): Mark[] {
  const wide = width >= WIDE;
  const chart = wide ? Math.round(width * 0.44) : width;
  const list = wide ? { x: chart, y: 0, w: width - chart } : { x: 0, y: HEIGHT, w: width };
  return [...chartMarks(model, chart), ...listMarks(model, list)];
}

function chartMarks(model: OverlapModel, width: number): Mark[] {
  const { doc } = model;
  const [memory, links] = doc.ridges;
  // What does no products has no place here; it is in the list.
  const points = doc.lines.map((line, k) => ({ ...pointOf(line), k })).filter(({ rate }) => rate > 0);
  const finite = points.map((p) => p.intensity).filter(Number.isFinite);
  const low = Math.log10(Math.min(memory / 30, ...finite)) - 0.2;
  const high = Math.log10(Math.max(links * 4, ...finite)) + 0.2;
  const box = { left: PAD + 46, right: width - PAD, top: 26, bottom: HEIGHT - 34 };
  const x = (intensity: number) => {
    const at = Math.min(high, Math.max(low, Math.log10(Math.max(intensity, 1e-12))));
    return box.left + ((at - low) / (high - low)) * (box.right - box.left);
  };
  const least = Math.log10(doc.flops_per_second) - 3;
  const y = (rate: number) => {
    const at = Math.max(least, Math.log10(Math.max(rate, 1)));
    return box.top + ((Math.log10(doc.flops_per_second) - at) / 3) * (box.bottom - box.top);
  };
  const roof = (perByte: number, ridge: number) => {
    const from = Math.max(10 ** low, 10 ** least / perByte);
    return [
      [x(from), y(from * perByte)],
      [x(ridge), y(doc.flops_per_second)],
      [box.right, y(doc.flops_per_second)],
    ] as const;
  };
  const marks: Mark[] = [
    label(PAD, 16, `${tera(doc.flops_per_second)} TFLOP/s on ${doc.chip}`, 11.5, "muted"),
    label(box.left, HEIGHT - 6, "FLOP for each byte", 11.5, "muted"),
    { kind: "line", points: roof(doc.bytes_per_second, memory), stroke: { color: "ink", width: 1.6 } },
    {
      kind: "line",
      points: roof(doc.link_bytes_per_second, links),
      stroke: { color: "muted", width: 1.2, dash: [5, 3] },
    },
  ];
  for (const [name, at] of [
    ["memory", memory],
    ["a link", links],
  ] as const) {
    const down = [
      [x(at), box.top],
      [x(at), box.bottom],
    ] as const;
    marks.push({ kind: "line", points: down, stroke: { color: "line", width: 1 } });
    marks.push(label(x(at), HEIGHT - 20, `${name} ${Math.round(at)}`, 11, "ink", { anchor: "middle" }));
  }
  for (const below of [0, 1, 2])
    marks.push(
      label(
        box.left - 6,
        y(doc.flops_per_second / 10 ** below) + 4,
        tera(doc.flops_per_second / 10 ** below),
        10.5,
        "muted",
        { ...MONO, anchor: "end" },
      ),
    );
  const numbers: { x: number; y: number }[] = [];
  for (const { intensity, rate, k } of points) {
    const [px, py] = [x(intensity), y(rate)];
    const at = { x: px, y: py + 17 };
    while (numbers.some((n) => Math.abs(n.x - at.x) < 14 && Math.abs(n.y - at.y) < 13)) at.y += 13;
    numbers.push(at);
    marks.push({
      kind: "rect",
      x: px - 4,
      y: py - 4,
      w: 8,
      h: 8,
      r: 4,
      fill: "ink",
      stroke: { color: "bg", width: 1 },
    });
    marks.push(label(at.x, at.y, String(k + 1), 11, "ink", { ...BOLD, anchor: "middle" }));
  }
  return marks;
}

function listMarks({ doc }: OverlapModel, { x, y, w }: { x: number; y: number; w: number }): Mark[] {
  const end = x + w - PAD;
  const [time, by, memory, flops] = [end, end - 72, end - 136, end - 206];
  const right = { ...MONO, anchor: "end" } as const;
  const marks: Mark[] = [
    label(x + PAD, y + 16, "costliest lines", 11.5, "muted"),
    ...(w >= 480
      ? [
          label(flops, y + 16, "GFLOP", 11.5, "muted", { anchor: "end" }),
          label(memory, y + 16, "memory", 11.5, "muted", { anchor: "end" }),
        ]
      : []),
    label(by, y + 16, "bound by", 11.5, "muted", { anchor: "end" }),
    label(time, y + 16, "takes", 11.5, "muted", { anchor: "end" }),
    rule(x + PAD, y + 24, w - 2 * PAD),
  ];
  doc.lines.forEach((line, k) => {
    const base = y + 41 + k * LINE;
    const code = line.source ? `${line.source.line}: ${line.source.text}` : "line not known";
    const room = (w >= 480 ? flops - 60 : by - 62) - x - PAD - 20;
    marks.push(
      label(x + PAD, base, String(k + 1), 11, "ink", BOLD),
      label(x + PAD + 20, base, fit(code, room, 11.5, true), 11.5, "ink", MONO),
    );
    if (w >= 480) {
      marks.push(label(flops, base, significant(line.flops / 1e9), 11.5, "muted", right));
      marks.push(label(memory, base, bytes(line.bytes), 11.5, "muted", right));
    }
    marks.push(
      label(by, base, line.bound, 11.5, "muted", { anchor: "end" }),
      label(time, base, duration(line.seconds), 11.5, "ink", right),
    );
  });
  return marks;
}

function tera(perSecond: number): string {
  return significant(perSecond / 1e12);
}

function significant(value: number): string {
  return String(Number(value.toPrecision(3)));
}
