/** The CPU samples of a trace as rows, each with the activity that its thread ran. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import { ActivityCharges } from '../../view/cpu/activity-charges.ts';
import type { TracedActivity } from '../../view/traced-activity.ts';
import type { TableFiles } from './table-files.ts';
import type { SampleTable } from './tables.ts';

interface Sample {
  readonly day: number;
  readonly service: string;
  readonly time: bigint;
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  readonly processor: number | undefined;
  readonly activityId: string | undefined;
  readonly stackId: number | undefined;
}

export interface SampleRowsOptions {
  readonly files: TableFiles<SampleTable>;
  /** What each sample stands for. */
  readonly weight: number;
  readonly activityOf: (event: TraceEvent) => TracedActivity | undefined;
}

export class SampleRows {
  readonly #options: SampleRowsOptions;
  readonly #charges: ActivityCharges<TracedActivity | undefined, Sample>;

  constructor(options: SampleRowsOptions) {
    this.#options = options;
    this.#charges = new ActivityCharges(options.activityOf, (sample, run) =>
      this.#put(sample, run?.activityId, run?.activity),
    );
  }

  /** Takes any event in time order: it may say which activity a thread runs. */
  addSwitch(event: TraceEvent): void {
    this.#charges.addSwitch(event);
  }

  add(event: TraceEvent, row: Pick<Sample, 'day' | 'service' | 'time' | 'stackId'>): void {
    const { processId, threadId, processor, activityId } = event;
    this.#charges.addSample(event, { ...row, processId, threadId, processor, activityId });
  }

  /** Writes those whose activity is not known yet. */
  end(): void {
    this.#charges.end();
  }

  #put(sample: Sample, activityId: string | undefined, activity: TracedActivity | undefined): void {
    const { files, weight } = this.#options;
    const table = files.row(sample.day, sample.service, 0);
    table.ts.add(sample.time);
    table.tsNs.add(sample.time);
    table.pid.add(sample.processId);
    table.tid.add(sample.threadId);
    table.cpu.add(sample.processor);
    table.activityId.add(sample.activityId ?? activityId);
    table.activitySeq.add(activity?.index);
    table.stackId.add(sample.stackId);
    table.weight.add(weight);
  }
}
