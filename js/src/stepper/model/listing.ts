/** The lines of a function as they are shown: without the indentation that all share. */

/** Lines without their common indentation; blank lines are ignored. */
export function dedented(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const common = indents.length > 0 ? Math.min(...indents) : 0;
  return lines.map((line) => line.slice(Math.min(common, line.length - line.trimStart().length)));
}
