/** `tracewright view FILE --stats`: durations by activity name, or also by a field. */
import { printable } from '../../base/printable.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { ActivityStats, NameStats, SelectedStats } from '../../view/activity-stats.ts';
import { ChargedSamples, processorTime } from '../../view/cpu/charged-samples.ts';
import { isCpuSample } from '../../view/cpu/cpu-profile.ts';
import { FrameNames } from '../../view/cpu/frame-names.ts';
import { milliseconds, thousands } from '../../view/number-text.ts';
import type { Output } from '../output.ts';
import { cut } from '../terminal/terminal.ts';
import { type Cell, type TableColumn, TerminalTable } from '../terminal/terminal-table.ts';

const NAME: TableColumn = { title: 'Activity Name', cut: 'start' };

const CPU = 'CPU_MSEC';

const COLUMNS: readonly TableColumn[] = [
  NAME,
  { title: 'COUNT', align: 'right' },
  { title: 'TOTAL_MSEC', align: 'right' },
  { title: 'SELF_MSEC', align: 'right', dropOrder: 4 },
  { title: CPU, align: 'right', dropOrder: 6 },
  { title: 'MIN_MSEC', align: 'right', dropOrder: 2 },
  { title: 'MEAN_MSEC', align: 'right', dropOrder: 5 },
  { title: 'P50_MSEC', align: 'right', dropOrder: 3 },
  { title: 'P95_MSEC', align: 'right', dropOrder: 6 },
  { title: 'P99_MSEC', align: 'right', dropOrder: 1 },
  { title: 'MAX_MSEC', align: 'right' },
  { title: 'FAILED', align: 'right', dropOrder: 8 },
  { title: 'NO_STOP', align: 'right', dropOrder: 7 },
  { title: 'NO_START', align: 'right', dropOrder: 0 },
];

/** The width counts columns of the terminal. */
const MAX_GROUP_WIDTH = 32;

/** Reads events into statistics, with the CPU time of the activities if the trace has samples and activity switches. */
export class CpuStats {
  readonly #stats: SelectedStats;
  readonly #names = new FrameNames();
  readonly #charged: ChargedSamples<undefined>;

  constructor(stats: SelectedStats) {
    this.#stats = stats;
    this.#charged = new ChargedSamples(stats.activities, this.#names, (sample) => {
      const activity = sample.run?.activity;
      if (sample.isBusy && activity !== undefined) {
        stats.addCpu(activity, processorTime(sample, this.#charged.intervalNs));
      }
    });
  }

  add(event: TraceEvent): void {
    this.#stats.add(event);
    if (!isCpuSample(event)) {
      this.#names.add(event);
      this.#charged.addEvent(event);
    } else this.#charged.addSample(event, undefined);
  }

  end(): void {
    this.#charged.end();
  }
}

/** @param by the field that the activities are grouped by */
export function printStats(
  stats: ActivityStats,
  output: Output,
  by: string | undefined,
  isJson: boolean,
): void {
  if (isJson) {
    for (const name of stats.names) {
      const group =
        by === undefined ? {} : { by, value: name.group ?? null, isRest: name.isRest || undefined };
      output.json({ name: name.name, ...group, ...asJson(name) });
    }
    return;
  }
  const groupColumns: readonly TableColumn[] = by === undefined ? [] : [{ title: by }];
  const columns = [...groupColumns, ...COLUMNS];
  const hasCpu = stats.names.some(({ cpuNs }) => cpuNs > 0);
  const isShown = (_: unknown, index: number) => hasCpu || columns[index]?.title !== CPU;
  const table = new TerminalTable(columns.filter(isShown), output);
  for (const stat of stats.names) {
    const cells: Cell[] = [
      ...(by === undefined ? [] : [groupCell(stat)]),
      stat.name,
      thousands(stat.started),
      milliseconds(stat.totalNs),
      milliseconds(stat.selfNs),
      milliseconds(stat.cpuNs),
      ...[
        stat.durations.at(0),
        stat.meanNs,
        ...[0.5, 0.95, 0.99, 1].map((share) => stat.durations.at(share)),
      ].map(shownMilliseconds),
      stat.failed === 0 ? '' : [thousands(stat.failed), 'red'],
      stat.unstopped === 0 ? '' : [thousands(stat.unstopped), 'red'],
      stat.unstarted === 0 ? '' : [thousands(stat.unstarted), 'yellow'],
    ];
    table.row(cells.filter(isShown));
  }
  table.end();
}

/** A value from the trace, cut like a name; or what stands for none. */
function groupCell({ group, isRest }: NameStats): Cell {
  if (isRest) return ['(others)', 'yellow'];
  return group === undefined ? ['(none)', 'dim'] : cut(printable(group), MAX_GROUP_WIDTH, 'end');
}

function shownMilliseconds(ns: number | undefined): string {
  return ns === undefined ? '' : milliseconds(ns);
}

/** Durations in milliseconds. */
function asJson(stats: NameStats): Record<string, number | undefined> {
  const { durations, meanNs } = stats;
  const at = (share: number) => inMilliseconds(durations.at(share));
  return {
    count: stats.started,
    failed: stats.failed,
    totalMSec: stats.totalNs / 1e6,
    selfMSec: stats.selfNs / 1e6,
    cpuMSec: stats.cpuNs === 0 ? undefined : stats.cpuNs / 1e6,
    minMSec: at(0),
    meanMSec: inMilliseconds(meanNs),
    p50MSec: at(0.5),
    p95MSec: at(0.95),
    p99MSec: at(0.99),
    maxMSec: at(1),
    noStop: stats.unstopped,
    noStart: stats.unstarted,
  };
}

function inMilliseconds(ns: number | undefined): number | undefined {
  return ns === undefined ? undefined : ns / 1e6;
}
