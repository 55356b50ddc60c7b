/** `tracewright view FILE --table`: events in the table of "EventSource Activity Support". */
import { jsonValue, type TraceEvent } from '../../trace/trace-event.ts';
import { type ActivityFields, activityFields } from '../../view/activity-fields.ts';
import { EVENT_ALIGNMENT, EVENT_COLUMNS, type EventRow, eventCells, eventRow } from '../../view/event-row.ts';
import { type ActivityChange, TraceActivities } from '../../view/trace-activities.ts';
import type { Output } from '../output.ts';
import { type Cell, type TableColumn, TerminalTable } from '../terminal/terminal-table.ts';
import type { Selection } from './view-selection.ts';

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
  readonly #activities = new TraceActivities();
  readonly #isWanted: Selection['isWanted'];
  readonly #fields: ActivityFields | undefined;
  readonly #output: Output;
  readonly #isJson: boolean;
  readonly #table: TerminalTable;

  /** @param selection by what is known of an activity when an event arrives */
  constructor(
    {
      isWanted,
      where,
      isFailed,
    }: Pick<Selection, 'isWanted'> & Partial<Pick<Selection, 'where' | 'isFailed'>>,
    output: Output,
    isJson: boolean,
  ) {
    this.#isWanted = isWanted;
    this.#fields = activityFields({ where, isFailed });
    this.#output = output;
    this.#isJson = isJson;
    this.#table = new TerminalTable(COLUMNS, output);
  }

  add(event: TraceEvent): void {
    const change = this.#activities.add(event);
    if (!this.#hasFields(event, change) || !this.#isWanted(event)) return;
    const row = eventRow(event, change);
    if (this.#isJson) this.#output.json({ ...asJson(row), payload: jsonValue(event.payload) });
    else this.#table.row(cells(row, change));
  }

  #hasFields(event: TraceEvent, change: ActivityChange | undefined): boolean {
    if (this.#fields === undefined) return true;
    const activity = change?.activity ?? this.#activities.activityOf(event);
    this.#fields.take(event, activity);
    return activity !== undefined && this.#fields.matches(activity);
  }

  end(): void {
    this.#table.end();
  }
}

/** A failed stop is red. */
function cells(row: EventRow, change: ActivityChange | undefined): Cell[] {
  const texts = eventCells(row);
  const isFailed = change?.boundary === 'Stop' && change.activity.isFailed;
  return isFailed ? texts.map((text): Cell => [text, 'red']) : texts;
}

function asJson({ timeNs, durationNs, ...row }: EventRow): Record<string, unknown> {
  return {
    ...row,
    timeMSec: timeNs / 1e6,
    durationMSec: durationNs === undefined ? undefined : durationNs / 1e6,
  };
}
