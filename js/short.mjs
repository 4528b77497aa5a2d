// Functions of the language that bundles call often, by names that become one letter, see build.mjs.
export const { max: mathMax, min: mathMin, floor: mathFloor, ceil: mathCeil, abs: mathAbs, round: mathRound } = Math;
export const { from: arrayFrom } = Array;
