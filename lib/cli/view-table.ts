/** `tracewright view FILE --table`: events in the table of "EventSource Activity Support". */
import { jsonValue, type TraceEvent } from '../trace/trace-event.ts';
import { EVENT_ALIGNMENT, EVENT_COLUMNS, type EventRow, eventCells, eventRow } from '../view/event-row.ts';
import { TraceActivities } from '../view/trace-activities.ts';
import type { Output } from './output.ts';
import { type TableColumn, TerminalTable } from './terminal-table.ts';

const LAYOUT: Readonly<Record<string, Pick<TableColumn, 'cut' | 'dropOrder'>>> = {
  'Event Name': { cut: 'start' },
  RelatedActivityID: { dropOrder: 1 },
  ThreadID: { dropOrder: 2 },
};

const COLUMNS: readonly TableColumn[] = EVENT_COLUMNS.map((title, i) => ({
  title,
  align: EVENT_ALIGNMENT[i] ?? 'left',
  ...LAYOUT[title],
}));

/** Prints the selected events as they are read. */
export class EventsTable {
  readonly #tracker = new TraceActivities();
  readonly #isWanted: (event: TraceEvent) => boolean;
  readonly #output: Output;
  readonly #isJson: boolean;
  readonly #table: TerminalTable;

  constructor(isWanted: (event: TraceEvent) => boolean, output: Output, isJson: boolean) {
    this.#isWanted = isWanted;
    this.#output = output;
    this.#isJson = isJson;
    this.#table = new TerminalTable(COLUMNS, output);
  }

  add(event: TraceEvent): void {
    const change = this.#tracker.add(event);
    if (!this.#isWanted(event)) return;
    const row = eventRow(event, change);
    if (this.#isJson) this.#output.json({ ...asJson(row), payload: jsonValue(event.payload) });
    else this.#table.row(eventCells(row));
  }

  end(): void {
    this.#table.end();
  }
}

function asJson({ timeNs, durationNs, ...row }: EventRow): Record<string, unknown> {
  return {
    ...row,
    timeMSec: timeNs / 1e6,
    durationMSec: durationNs === undefined ? undefined : durationNs / 1e6,
  };
}
