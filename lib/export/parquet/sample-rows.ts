/** The CPU samples of a trace as rows, each with the activity that its thread ran, and its time on a processor. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import { type ChargedSample, ChargedSamples, processorTime } from '../../view/cpu/charged-samples.ts';
import type { FrameNames } from '../../view/cpu/frame-names.ts';
import type { ActivityRows } from './activity-rows.ts';
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

interface SampleRowsOptions {
  readonly files: TableFiles<SampleTable>;
  /** What a sample stands for that has no time of its own. */
  readonly usualWeight: number;
  readonly activities: ActivityRows;
  readonly names: FrameNames;
}

export class SampleRows {
  readonly #options: SampleRowsOptions;
  readonly #charged: ChargedSamples<Sample | undefined>;

  constructor(options: SampleRowsOptions) {
    this.#options = options;
    this.#charged = new ChargedSamples(options.activities, options.names, (sample) => {
      if (sample.subject !== undefined) this.#put(sample.subject, sample);
    });
  }

  /** Takes any event in time order that is not a sample: it may say what a thread ran. */
  addEvent(event: TraceEvent): void {
    this.#charged.addEvent(event);
  }

  /** @param row undefined if the thread was idle: the sample ends the one before it */
  add(event: TraceEvent, row: Pick<Sample, 'day' | 'service' | 'time' | 'stackId'> | undefined): void {
    const { processId, threadId, processor, activityId } = event;
    this.#charged.addSample(event, row && { ...row, processId, threadId, processor, activityId });
  }

  /** Writes those of which not everything is known yet. */
  end(): void {
    this.#charged.end();
  }

  #put(sample: Sample, charged: ChargedSample<unknown>): void {
    const { files, usualWeight } = this.#options;
    const { run } = charged;
    const table = files.row(sample.day, sample.service, 0);
    table.ts.add(sample.time);
    table.tsNs.add(sample.time);
    table.pid.add(sample.processId);
    table.tid.add(sample.threadId);
    table.cpu.add(sample.processor);
    table.activityId.add(sample.activityId ?? run?.activityId);
    table.activitySeq.add(run?.activity?.index);
    table.stackId.add(sample.stackId);
    table.weight.add(Math.round(processorTime(charged, usualWeight)));
  }
}
