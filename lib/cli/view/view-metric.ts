/** `tracewright view FILE --metric EVENT[:FIELD]`: events, or the sum of a field, by activity. */
import type { Trace } from '../../trace/trace.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { MetricActivities } from '../../view/cpu/metric-activities.ts';
import { thousands } from '../../view/number-text.ts';
import { warn } from '../messages.ts';
import type { Output } from '../output.ts';
import { ValueKind } from '../parse-options.ts';
import { type TableColumn, TerminalTable } from '../terminal/terminal-table.ts';
import { eventFilter } from '../trace/event-filter.ts';
import { indented, percent } from './view-functions.ts';
import type { Selection } from './view-selection.ts';

const COLUMNS: readonly TableColumn[] = [
  { title: 'TOTAL', align: 'right' },
  { title: 'TOTAL_%', align: 'right' },
  { title: 'SELF', align: 'right', dropOrder: 2 },
  { title: 'SELF_%', align: 'right', dropOrder: 0 },
  { title: 'EVENTS', align: 'right', dropOrder: 1 },
  { title: 'COUNT', align: 'right', dropOrder: 3 },
  { title: 'Activity Name', cut: 'start' },
];

type MetricArgument = {
  readonly event: string;
  readonly field: string | undefined;
};

export const METRIC = new ValueKind<MetricArgument>('E[:F]', 'EVENT or EVENT:FIELD', (given) => {
  const { event, field } = /^(?<event>.+?)(?::(?<field>[^:]+))?$/s.exec(given)?.groups ?? {};
  return event === undefined ? undefined : { event, field };
});

export class MetricView {
  trace: Trace | undefined = undefined;
  readonly #asked: MetricArgument;
  readonly #metric: MetricActivities;

  constructor(asked: MetricArgument, { isRoot }: Selection) {
    this.#asked = asked;
    this.#metric = new MetricActivities(eventFilter({ event: [asked.event] }), asked.field, isRoot);
  }

  add(event: TraceEvent): void {
    this.#metric.add(event);
  }

  print(output: Output, isJson: boolean): void {
    this.#metric.end();
    const all = this.#metric.activities.all.ns;
    const table = new TerminalTable(COLUMNS, output);
    for (const metric of this.#metric.metrics()) {
      if (isJson) {
        output.json(metric);
        continue;
      }
      const { activity, nobody = '', inside, activities, total, self, totalEvents, selfEvents } = metric;
      const hasOwn = selfEvents > 0;
      table.row([
        figure(total),
        percent(total, all),
        hasOwn ? figure(self) : '',
        hasOwn ? percent(self, all) : '',
        thousands(totalEvents),
        activity === undefined ? '' : thousands(activities),
        indented(activity ?? nobody, inside.length),
      ]);
    }
    table.end();
  }

  /** Says what the output does not. */
  finish(files: string): void {
    const { activities, withoutField } = this.#metric;
    const { samples } = activities.all;
    if (samples === 0) warn(`${files} has no event ${this.#asked.event}.`);
    if (withoutField > 0) {
      warn(`${thousands(withoutField)} of ${thousands(samples)} events have no number ${this.#asked.field}.`);
    }
  }
}

/** Shows at most three decimals. */
function figure(value: number): string {
  return Number.isInteger(value) ? thousands(value) : value.toFixed(3);
}
