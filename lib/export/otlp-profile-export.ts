/**
 * The CPU samples of a trace as profiles of OpenTelemetry, one per process, linked to the spans that an export of its
 * activities has.
 */
import type { CodeMappings } from '../trace/code-mappings.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import type { FrameNames } from '../view/cpu/frame-names.ts';
import { Interned } from '../view/report/interned.ts';
import type { AnyValue } from '../wire/otlp.ts';
import { encodeProfiles, type OtlpProfilesRequest, type OtlpSample } from '../wire/otlp-profiles.ts';
import type { ExportedEnd, ExportedPiece, ExportedTrace, Exporter } from './exporter.ts';
import { attributesOf, resourceAttributes } from './otlp-values.ts';
import { ProfileFunctions, ProfileSamples, type SampleLabels } from './profile-samples.ts';
import { cpuNsOf, type SampleSum, SampleSums } from './sample-sums.ts';
import { type SpanId, SpanIds } from './span-ids.ts';

/** Codecs may expect ids of this length also for none. */
const NO_SPAN: SpanId = { traceId: '0'.repeat(32), spanId: '0'.repeat(16) };

export class OtlpProfileExport implements Exporter {
  readonly notices: string[] = [];
  /** The export is never full: functions may be named after the samples. */
  readonly isFull: boolean = false;
  readonly #encoding: 'json' | 'protobuf';
  readonly #trace: ExportedTrace;
  /** It is undefined if the spans are of another session, which derives other ids. */
  readonly #ids: SpanIds | undefined;
  readonly #samples: ProfileSamples;
  #sums = new SampleSums();
  #dropped = 0;
  /** The end of the last profile. */
  #fromNs = 0;

  /** @param hasSpans whether the activities of the same trace become spans */
  constructor(encoding: 'json' | 'protobuf', trace: ExportedTrace, names: FrameNames, hasSpans = true) {
    this.#encoding = encoding;
    this.#trace = trace;
    this.#ids = hasSpans ? new SpanIds(trace.info.startTime) : undefined;
    this.#samples = new ProfileSamples(names, (sample) => this.#sums.add(sample));
  }

  add(event: TraceEvent): void {
    const change = this.#samples.add(event);
    if (change?.boundary === 'Start') this.#ids?.start(change.activity);
  }

  /** Whether there is anything to take. */
  get hasPending(): boolean {
    return this.#sums.size > 0;
  }

  get hasSwitches(): boolean {
    return this.#samples.hasSwitches;
  }

  get contents(): string {
    return this.#samples.contents;
  }

  /** Charges the last samples: no more events follow. */
  close(): void {
    this.#samples.end();
  }

  /** A request with the samples since the last one. */
  take(mappings?: CodeMappings): ExportedPiece {
    const request = this.#request(mappings);
    this.#dropped += this.#sums.dropped;
    this.#sums = new SampleSums();
    this.#samples.forgetStacks();
    this.#fromNs = this.#samples.nowNs;
    return this.#encoding === 'json' ? `${JSON.stringify(request)}\n` : encodeProfiles(request);
  }

  *end({ mappings }: ExportedEnd): Generator<ExportedPiece, void> {
    this.close();
    yield this.take(mappings);
    this.notices.push(...this.#samples.notices(this.#dropped), ...this.#samples.labelNotices());
    if (!this.#trace.info.hasWallTime)
      this.notices.push('The trace does not contain the time of day: the profile begins in 1970.');
  }

  #request(mappings: CodeMappings | undefined): OtlpProfilesRequest {
    const tables = new Tables(new ProfileFunctions((stack) => this.#samples.framesOf(stack, mappings)));
    const { intervalNs, nowNs } = this.#samples;
    const processes = new Map<number | undefined, OtlpSample[]>();
    for (const sum of this.#sums) {
      const stackIndex = tables.stack(sum);
      const ns = cpuNsOf(sum, intervalNs);
      if (stackIndex === undefined || ns === 0) continue;
      const { processId } = sum.stack;
      const samples = processes.get(processId) ?? [];
      processes.set(processId, samples);
      const { span, ...labels } = this.#samples.labelsOf(sum.run);
      const activity = sum.run?.activity;
      const linked = this.#ids === undefined ? span : activity && this.#ids.of(activity);
      samples.push({
        stackIndex,
        attributeIndices: tables.attributes(attributesOfSample(sum, labels)),
        linkIndex: tables.link(linked),
        values: [String(ns)],
      });
    }
    const cpu = { typeStrindex: tables.text('cpu'), unitStrindex: tables.text('nanoseconds') };
    const profile = {
      sampleType: cpu,
      timeUnixNano: String(this.#trace.info.startTime + BigInt(this.#fromNs)),
      durationNano: String(nowNs - this.#fromNs),
      periodType: cpu,
      period: String(intervalNs),
    };
    return {
      resourceProfiles: Array.from(processes, ([processId, samples]) => ({
        resource: { attributes: resourceAttributes(this.#trace, processId) },
        scopeProfiles: [{ scope: { name: 'tracewright' }, profiles: [{ ...profile, samples }] }],
      })),
      dictionary: tables.dictionary(),
    };
  }
}

function attributesOfSample({ threadId }: SampleSum, { route, activity, path }: SampleLabels): object {
  return {
    'thread.id': threadId,
    'tracewright.route': route,
    'tracewright.activity.name': activity,
    'tracewright.activity.path': path,
  };
}

/** What the samples of a request refer to; the first entry of each table stands for none. */
class Tables {
  readonly #code: ProfileFunctions;
  readonly #texts = new Interned<string>();
  readonly #links = new Interned<SpanId>();
  readonly #attributes = new Interned<{ readonly keyStrindex?: number; readonly value?: AnyValue }>();
  readonly #stacks = new Interned<{ readonly locationIndices?: readonly number[] }>();

  constructor(code: ProfileFunctions) {
    this.#code = code;
    this.text('');
    this.link(NO_SPAN);
    this.#attributes.indexOf('', () => ({}));
    this.#stacks.indexOf('', () => ({}));
  }

  text(value: string): number {
    return this.#texts.indexOf(value, () => value);
  }

  link(span: SpanId | undefined): number {
    return span === undefined ? 0 : this.#links.indexOf(`${span.traceId} ${span.spanId}`, () => span);
  }

  attributes(fields: object): number[] {
    return attributesOf(fields).map(({ key, value }) =>
      this.#attributes.indexOf(`${key} ${JSON.stringify(value)}`, () => ({
        keyStrindex: this.text(key),
        value,
      })),
    );
  }

  /** Returns undefined for an idle thread. */
  stack({ stack }: SampleSum): number | undefined {
    const locationIndices = this.#code.of(stack)?.map((index) => index + 1);
    return locationIndices && this.#stacks.indexOf(locationIndices.join(), () => ({ locationIndices }));
  }

  /** Call this last. */
  dictionary(): OtlpProfilesRequest['dictionary'] {
    const functions = this.#code.functions.values;
    return {
      mappingTable: [{}],
      locationTable: [
        {},
        ...functions.map(({ place }, index) => ({
          lines: [
            { functionIndex: index + 1, line: String(place?.line ?? 0), column: String(place?.column ?? 0) },
          ],
        })),
      ],
      functionTable: [
        {},
        ...functions.map(({ name, module, place }) => ({
          nameStrindex: this.text(name),
          filenameStrindex: this.text(place?.file ?? module),
          startLine: String(place?.line ?? 0),
        })),
      ],
      linkTable: this.#links.values,
      attributeTable: this.#attributes.values,
      stackTable: this.#stacks.values,
      stringTable: this.#texts.values,
    };
  }
}
