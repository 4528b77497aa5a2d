/** Paints a scene on a 2-D canvas. */
import type { BarsMark, FieldMark, LineMark, Mark, RectMark, Span, Stroke, StrokesMark, TextMark } from "../marks";
import { arrowHead, COPIES, gridPath, HATCH, IDLE, signPath } from "./shapes";
import { resolve, type Theme } from "./theme";

type Context = CanvasRenderingContext2D;

export function paintCanvas(ctx: Context, marks: readonly Mark[], theme: Theme): void {
  for (const mark of marks) {
    ctx.globalAlpha = ("alpha" in mark ? mark.alpha : undefined) ?? 1;
    switch (mark.kind) {
      case "rect":
        paintRect(ctx, mark, theme);
        break;
      case "line":
        paintLine(ctx, mark, theme);
        break;
      case "text":
        paintText(ctx, mark, theme);
        break;
      case "grid":
        setStroke(ctx, { color: mark.color, width: 1 }, theme);
        ctx.stroke(new Path2D(gridPath(mark)));
        break;
      case "field":
        paintField(ctx, mark);
        break;
      case "bars":
        if (DRAWS_BYTES) paintBars(ctx, mark, theme);
        break;
      case "strokes":
        if (DRAWS_BYTES) paintStrokes(ctx, mark, theme);
        break;
      case "disc": {
        const color = resolve(mark.color, theme);
        const ground = resolve("bg", theme);
        ctx.beginPath();
        ctx.arc(mark.x, mark.y, mark.r, 0, 2 * Math.PI);
        ctx.fillStyle = mark.hollow ? ground : color;
        ctx.fill();
        setStroke(ctx, { color: mark.color, width: 1.8 }, theme);
        ctx.stroke();
        ctx.strokeStyle = mark.hollow ? color : ground;
        ctx.stroke(new Path2D(signPath(mark)));
        break;
      }
    }
  }
  ctx.globalAlpha = 1;
}

function paintRect(ctx: Context, m: RectMark, theme: Theme): void {
  const path = () => {
    ctx.beginPath();
    if (m.r) ctx.roundRect(m.x, m.y, m.w, m.h, m.r);
    else ctx.rect(m.x, m.y, m.w, m.h);
  };
  if (DRAWS_BYTES && m.copies) paintCopies(ctx, m, theme);
  if (m.fill) {
    path();
    ctx.fillStyle = resolve(m.fill, theme);
    const lines = DRAWS_BYTES && !m.hatch && m.lines;
    if (m.hatch || lines) {
      ctx.save();
      ctx.clip();
      if (m.hatch) {
        const alpha = ctx.globalAlpha;
        ctx.globalAlpha = alpha * 0.5;
        ctx.fillRect(m.x, m.y, m.w, m.h);
        ctx.globalAlpha = alpha;
      }
      paintStripes(ctx, m, lines ? IDLE : HATCH, lines ? -1 : 1);
      ctx.restore();
    } else ctx.fill();
  }
  if (m.stroke) {
    path();
    setStroke(ctx, m.stroke, theme);
    ctx.stroke();
  }
}

function paintCopies(ctx: Context, m: RectMark, theme: Theme): void {
  const alpha = ctx.globalAlpha;
  ctx.fillStyle = resolve("cpb", theme);
  ctx.fillRect(m.x, m.y, m.w, m.h);
  ctx.save();
  ctx.beginPath();
  ctx.rect(m.x, m.y, m.w, m.h);
  ctx.clip();
  ctx.fillStyle = resolve("cph", theme);
  const first = Math.floor(m.y / COPIES.height) * COPIES.height;
  for (const [offset, strength] of COPIES.lines) {
    ctx.globalAlpha = alpha * strength;
    for (let y = first + offset; y < m.y + m.h; y += COPIES.height) ctx.fillRect(m.x, y, m.w, COPIES.width);
  }
  ctx.restore();
}

/**
 * Stripes that fall to the left (1) or to the right (-1). They start at multiples of the pitch of the page, so that they
 * run on from tile to tile.
 */
function paintStripes(ctx: Context, m: RectMark, { pitch, width }: typeof HATCH | typeof IDLE, way: 1 | -1): void {
  ctx.strokeStyle = ctx.fillStyle;
  ctx.setLineDash([]);
  ctx.lineWidth = width;
  ctx.beginPath();
  const step = pitch * Math.SQRT2;
  const [top, bottom] = [way * m.y, way * (m.y + m.h)];
  const last = m.x + m.w + Math.max(top, bottom) + step;
  for (let s = Math.floor((m.x + Math.min(top, bottom)) / step) * step; s <= last; s += step) {
    ctx.moveTo(s - top, m.y);
    ctx.lineTo(s - bottom, m.y + m.h);
  }
  ctx.stroke();
}

function paintLine(ctx: Context, m: LineMark, theme: Theme): void {
  setStroke(ctx, m.stroke, theme);
  ctx.beginPath();
  // Native corners: an animation draws hundreds of lines in each frame.
  m.points.forEach(([x, y], i) => {
    const next = m.points[i + 1];
    if (i > 0 && next && m.r) ctx.arcTo(x, y, next[0], next[1], m.r);
    else ctx.lineTo(x, y);
  });
  ctx.stroke();
  if (!m.arrow) return;
  ctx.fillStyle = resolve(m.stroke.color, theme);
  ctx.fill(new Path2D(`M${arrowHead(m)}`));
}

function paintText(ctx: Context, m: TextMark, theme: Theme): void {
  const family = m.mono ? theme.mono : theme.ui;
  const dress = (s: Span) => {
    ctx.font = `${s.weight ?? m.weight ?? 400} ${m.size}px ${family}`;
    ctx.fillStyle = resolve(s.color ?? m.color, theme);
  };
  // A state that is saved and restored for each text forgets its font, and to set one takes as long as to paint.
  if (m.turned) {
    ctx.save();
    ctx.translate(m.x, m.y);
    ctx.rotate(-Math.PI / 2);
  }
  const [left, y] = m.turned ? [0, 0] : [m.x, m.y];
  const [only] = m.spans;
  if (m.spans.length === 1 && only) {
    // Measuring is expensive, and the canvas can align a single run itself.
    ctx.textAlign = m.anchor === "middle" ? "center" : (m.anchor ?? "start");
    dress(only);
    ctx.fillText(only.text, left, y);
  } else {
    ctx.textAlign = "start";
    const widths = m.spans.map((s) => {
      dress(s);
      return ctx.measureText(s.text).width;
    });
    const total = widths.reduce((a, b) => a + b, 0);
    let x = left - (m.anchor === "middle" ? total / 2 : m.anchor === "end" ? total : 0);
    m.spans.forEach((s, i) => {
      dress(s);
      ctx.fillText(s.text, x, y);
      x += widths[i] ?? 0;
    });
  }
  if (m.turned) ctx.restore();
}

function paintBars(ctx: Context, { x, y, boxes, color }: BarsMark, theme: Theme): void {
  ctx.fillStyle = resolve(color, theme);
  for (let i = 0; i < boxes.length; i += 4) {
    ctx.fillRect(x + (boxes[i] ?? 0), y + (boxes[i + 1] ?? 0), boxes[i + 2] ?? 0, boxes[i + 3] ?? 0);
  }
}

function paintStrokes(ctx: Context, { x, y, segments, color, width }: StrokesMark, theme: Theme): void {
  setStroke(ctx, { color, width }, theme);
  ctx.beginPath();
  for (let i = 0; i < segments.length; i += 4) {
    ctx.moveTo(x + (segments[i] ?? 0), y + (segments[i + 1] ?? 0));
    ctx.lineTo(x + (segments[i + 2] ?? 0), y + (segments[i + 3] ?? 0));
  }
  ctx.stroke();
}

function paintField(ctx: Context, m: FieldMark): void {
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(fieldCanvas(m.columns, m.rows, m.rgb), m.x, m.y, m.w, m.h);
}

/** A canvas of one pixel a cell. */
export function fieldCanvas(columns: number, rows: number, rgb: Uint8Array): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  const image = new ImageData(columns, rows);
  const { data } = image;
  data.fill(255);
  // A schedule that is zoomed paints one in every frame: a loop takes a tenth of what callbacks take.
  for (let i = 0; i < rgb.length; i++) data[i + Math.floor(i / 3)] = rgb[i] as number;
  context(canvas).putImageData(image, 0, 0);
  return canvas;
}

function setStroke(ctx: Context, s: Stroke, theme: Theme): void {
  ctx.strokeStyle = resolve(s.color, theme);
  ctx.lineWidth = s.width;
  ctx.setLineDash(s.dash ? [...s.dash] : []);
}

/** The canvas's 2-D context, in which letters are as wide everywhere, as they are in a card. */
export function context(canvas: HTMLCanvasElement): Context {
  const ctx = canvas.getContext("2d") as Context;
  ctx.textRendering = "geometricPrecision";
  return ctx;
}
