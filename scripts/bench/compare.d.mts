interface Figure {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  readonly median: number;
  readonly best: number;
}

interface ReadingRow {
  readonly title: string;
  readonly headers: { readonly eventsPerSecond: number };
  readonly payloads: { readonly eventsPerSecond: number };
  readonly timesScan: number;
}

interface Report {
  readonly groups: readonly { readonly figures: readonly Figure[] }[];
  readonly reading: { readonly rows?: readonly ReadingRow[]; readonly reason?: string };
}

interface Comparison {
  readonly changes: readonly { readonly title: string; readonly growth: number; readonly isSame: boolean }[];
  readonly missing: readonly string[];
}

export function compareReports(before: Report, after: Report): Comparison;
export function comparisonText(comparison: Comparison): string;
