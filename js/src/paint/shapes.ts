/** Shapes that every painter draws alike. */

/** Strokes of `=` and `+` about the centre of a disc. */
export function signStrokes(sign: "=" | "+", r: number): readonly (readonly [number, number, number, number])[] {
  const a = r * 0.45;
  const b = r * 0.25;
  return sign === "+"
    ? [
        [-a, 0, a, 0],
        [0, -a, 0, a],
      ]
    : [
        [-a, -b, a, -b],
        [-a, b, a, b],
      ];
}

/** Distance of hatch stripes across their direction, and their width. */
export const HATCH = { pitch: 8, width: 4 } as const;

/** Corners of an arrow head whose point is at `head`. */
export function arrowHead(tail: readonly [number, number], head: readonly [number, number]) {
  const angle = Math.atan2(head[1] - tail[1], head[0] - tail[0]);
  const at = (along: number, across: number): readonly [number, number] => [
    head[0] + along * Math.cos(angle) - across * Math.sin(angle),
    head[1] + along * Math.sin(angle) + across * Math.cos(angle),
  ];
  return [at(2, 0), at(-7, -4.5), at(-7, 4.5)];
}
