/** What `sessions` and `providers` have in common: the overview of this system, its name filter, and how it is shown. */
import { glob } from '../../base/glob.ts';
import { RecorderError } from '../../platform/recorder-error.ts';
import { etwOverview } from '../../record/etw-overview.ts';
import type { OverviewEnabling, OverviewProcess, TraceOverview } from '../../record/trace-overview.ts';
import { tracefsOverview } from '../../record/tracefs-overview.ts';
import { thousands } from '../../view/number-text.ts';
import type { Output } from '../output.ts';
import { type TableColumn, TerminalTable } from '../terminal/terminal-table.ts';

/** Level 255, and 0 in ETW. */
const ALL_LEVELS: ReadonlySet<number> = new Set([0, 255]);
const ALL_KEYWORDS: ReadonlySet<bigint> = new Set([0n, 0xffff_ffff_ffff_ffffn]);

/**
 * @param pattern whose text may be the name of a provider that Windows does not know
 * @throws RecorderError if this system has no such lists, or does not let this user see them
 */
export function readOverview(pattern: string): TraceOverview {
  if (process.platform === 'win32') return etwOverview(pattern.includes('*') ? [] : [pattern]);
  if (process.platform === 'linux') return tracefsOverview();
  throw new RecorderError(
    `Only Linux and Windows have sessions and providers to list, not ${process.platform}.`,
  );
}

/** Those of a name, or of a GUID if they have one. */
export function matching<Entry extends { readonly name: string; readonly guid?: string }>(
  entries: readonly Entry[],
  pattern: string,
): readonly Entry[] {
  const matches = glob(pattern);
  return entries.filter(({ name, guid }) => matches(name) || (guid !== undefined && matches(guid)));
}

/** What a session lets through; of a tracepoint, that of its events. */
export function levelText({ level, tracepoint }: OverviewEnabling): string {
  if (level === undefined) return '';
  return tracepoint === undefined && ALL_LEVELS.has(level) ? 'all' : String(level);
}

/** `0x6`, or with bits that an event must have all of: `0x6, all of 0x2`. */
export function keywordsText({ keywords, allKeywords = 0n, tracepoint }: OverviewEnabling): string {
  if (keywords === undefined) return '';
  const any = tracepoint === undefined && ALL_KEYWORDS.has(keywords) ? 'all' : hex(keywords);
  return allKeywords === 0n ? any : `${any}, all of ${hex(allKeywords)}`;
}

/** `node.exe (812)` */
export function processText({ processId, name }: OverviewProcess): string {
  return name === undefined ? String(processId) : `${name} (${processId})`;
}

export function lostText(events = 0, buffers = 0): string {
  const texts = [
    ...(events > 0 || buffers === 0 ? [thousands(events)] : []),
    ...(buffers > 0 ? [`${thousands(buffers)} buffers`] : []),
  ];
  return texts.join(', ');
}

/** An entry for JSON: keywords as in the JSON of events. */
export function asJson(entry: object): object {
  return JSON.parse(
    JSON.stringify(entry, (_, value: unknown) => (typeof value === 'bigint' ? hex(value) : value)),
  );
}

function hex(bits: bigint): string {
  return `0x${bits.toString(16)}`;
}

/** Omits the columns that are empty in every row: this system does not know them. */
export function printTable(
  output: Output,
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
): void {
  const isShown = columns.map((_, index) => rows.some((row) => row[index] !== ''));
  const table = new TerminalTable(
    columns.filter((_, index) => isShown[index]),
    output,
  );
  for (const row of rows) table.row(row.filter((_, index) => isShown[index]));
  table.end();
}
