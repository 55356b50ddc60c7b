/**
 * The CPU samples of a trace as a profile of pprof, with the activity that each is charged to as labels.
 *
 * All labels are texts: pprof shows numbers with a unit, and selects them by ranges.
 */
import { gzipSync } from 'node:zlib';
import type { SampledStack } from '../view/cpu/cpu-profile.ts';
import type { FrameNames } from '../view/cpu/frame-names.ts';
import { Interned } from '../view/report/interned.ts';
import { encodePprof, type PprofSample } from '../wire/pprof.ts';
import type { ExportedEnd, ExportedTrace, Exporter } from './exporter.ts';
import { ProfileFunctions, ProfileSamples } from './profile-samples.ts';
import { cpuNsOf, type SampleSum, SampleSums } from './sample-sums.ts';

export class PprofExport implements Exporter {
  readonly notices: string[] = [];
  /** The export is never full: functions may be named after the samples. */
  readonly isFull: boolean = false;
  readonly #trace: ExportedTrace;
  readonly #sums = new SampleSums();
  readonly #samples: ProfileSamples;

  constructor(trace: ExportedTrace, names: FrameNames) {
    this.#trace = trace;
    this.#samples = new ProfileSamples(names, (sample) => this.#sums.add(sample));
  }

  add(event: Parameters<Exporter['add']>[0]): void {
    this.#samples.add(event);
  }

  take(): string {
    return '';
  }

  get contents(): string {
    return this.#samples.contents;
  }

  *end(end: ExportedEnd): Generator<Uint8Array, void> {
    this.#samples.end();
    this.notices.push(...this.#samples.notices(this.#sums.dropped), ...this.#samples.labelNotices());
    yield gzipSync(this.#encode(end));
  }

  #encode({ processNames, mappings }: ExportedEnd): Uint8Array {
    const { info } = this.#trace;
    const texts = new Interned<string>();
    const text = (value: string) => texts.indexOf(value, () => value);
    // The first text stands for none.
    text('');
    const { intervalNs, nowNs } = this.#samples;
    const code = new ProfileFunctions((stack) => this.#samples.framesOf(stack, mappings));
    const sample: PprofSample[] = [];
    // What is lost or won by rounding is carried on, so that the samples of a call, which follow each other, add up.
    let left = 0;
    for (const { sum, frames } of sortedByCalls(this.#sums, code)) {
      const exact = sum.onCpu + left;
      const count = Math.max(0, Math.round(exact));
      left = exact - count;
      sample.push({
        locationId: frames.map((index) => index + 1),
        value: [count, cpuNsOf(sum, intervalNs)],
        label: this.#labelsOf(sum, processNames).flatMap(([key, value]) =>
          value === undefined ? [] : [{ key: text(key), str: text(String(value)) }],
        ),
      });
    }
    const functions = code.functions.values.map(({ name, module, place }, index) => ({
      id: index + 1,
      name: text(name),
      systemName: text(place?.name ?? name),
      filename: text(place?.file ?? module),
      startLine: place?.line ?? 0,
    }));
    const cpu = { type: text('cpu'), unit: text('nanoseconds') };
    return encodePprof({
      sampleType: [{ type: text('samples'), unit: text('count') }, cpu],
      sample,
      location: functions.map(({ id, startLine }) => ({ id, line: [{ functionId: id, line: startLine }] })),
      function: functions,
      timeNanos: info.hasWallTime ? info.startTime : 0n,
      durationNanos: nowNs,
      periodType: cpu,
      period: intervalNs,
      defaultSampleType: cpu.type,
      stringTable: texts.values,
    });
  }

  #labelsOf(
    { stack: { processId }, threadId, run }: SampleSum,
    processNames: ReadonlyMap<number, string>,
  ): readonly (readonly [key: string, value: string | number | undefined])[] {
    const { route, activity, path, span } = this.#samples.labelsOf(run);
    return [
      ['process', processId === undefined ? undefined : processNames.get(processId)],
      ['process_id', processId],
      ['thread_id', threadId],
      ['route', route],
      ['activity', activity],
      ['activity_path', path],
      ['trace_id', span?.traceId],
      ['span_id', span?.spanId],
    ];
  }
}

/** Those in the same calls, from the outermost, follow each other; without idle threads. */
function sortedByCalls(sums: SampleSums, code: ProfileFunctions) {
  const keys = new Map<SampledStack, string>();
  const found: { sum: SampleSum; frames: readonly number[]; key: string }[] = [];
  for (const sum of sums) {
    const frames = code.of(sum.stack);
    if (frames === undefined) continue;
    const key = keys.get(sum.stack) ?? frames.toReversed().join(' ');
    keys.set(sum.stack, key);
    found.push({ sum, frames, key });
  }
  return found.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
}
