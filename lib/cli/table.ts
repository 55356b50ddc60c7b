/** Columns of text. */

/** Characters of a column: what is longer puts its own line out of step, not all lines. */
const MAX_WIDTH = 60;

/** The head and the rows, each as a line in which the columns stand below each other. */
export function columns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignment: readonly ('left' | 'right')[],
): string[] {
  const lines = [head, ...rows];
  const widths = head.map((_, column) =>
    lines.reduce((width, line) => Math.min(MAX_WIDTH, Math.max(width, line[column]?.length ?? 0)), 0),
  );
  return lines.map((line) =>
    line
      .map((cell, column) => {
        const width = widths[column] as number;
        return alignment[column] === 'right' ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
