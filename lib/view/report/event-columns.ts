/** The events of a report, one column per property. */

import type { TraceEvent } from '../../trace/trace-event.ts';
import { CountedFirst, isCpuSample } from '../cpu/cpu-profile.ts';
import type { FrameNames } from '../cpu/frame-names.ts';
import { eventName } from '../event-names.ts';
import { isActivityCode, isActivityRun } from '../explain/loop-runs.ts';
import { PayloadColumns } from './payload-columns.ts';
import { ReportColumn } from './report-column.ts';
import type { EventKind } from './report-header.ts';
import type { ReportNames } from './report-names.ts';
import { StackColumns } from './stack-columns.ts';
import { TrackColumns } from './track-columns.ts';

interface LastKind extends Pick<TraceEvent, 'provider' | 'opcode' | 'taskName' | 'id' | 'version' | 'level'> {
  readonly kind: number;
}

const MAX_LAST_KINDS = 10_000;

export class EventColumns {
  readonly time: ReportColumn = new ReportColumn();
  readonly kind: ReportColumn = new ReportColumn();
  readonly thread: ReportColumn = new ReportColumn();
  readonly activity: ReportColumn = new ReportColumn();
  readonly id: ReportColumn = new ReportColumn();
  readonly relatedId: ReportColumn = new ReportColumn();
  readonly payloads: PayloadColumns = new PayloadColumns();
  readonly stacks: StackColumns;
  readonly tracks: TrackColumns;
  count = 0;
  /** The number of the last event among the CPU samples, if it is one. */
  lastSample: number | undefined = undefined;
  /** Names of samples that count something else than the first. */
  readonly otherSamples = new Set<string>();
  readonly #counted = new CountedFirst();
  readonly #names: ReportNames;
  /** The key is an event's name, the value the last kind with that name. */
  readonly #lastKinds = new Map<string, LastKind>();
  #lastNs: number | undefined;

  /** @param frames the names of functions */
  constructor(names: ReportNames, frames: FrameNames) {
    this.#names = names;
    this.stacks = new StackColumns(frames);
    this.tracks = new TrackColumns(names);
  }

  /**
   * @param timeNs not before that of the previous event
   * @param activity its index in the report
   * @returns the event's index
   */
  add(event: TraceEvent, timeNs: number, activity: number | undefined): number {
    this.time.varUint(timeNs - (this.#lastNs ?? timeNs));
    this.#lastNs = timeNs;
    const kind = this.#kindOf(event);
    this.kind.varUint(kind);
    this.thread.varUint(this.#names.thread(event.processId, event.threadId));
    this.activity.optionalVarUint(activity);
    this.id.optionalVarUint(this.#names.eventId(event));
    this.relatedId.optionalVarUint(this.#names.relatedId(event));
    this.payloads.add(event, kind);
    this.tracks.add(event, timeNs, kind);
    const isSample = this.#names.kinds.values[kind]?.isSample === true;
    this.lastSample = this.stacks.add(event, timeNs, isSample);
    return this.count++;
  }

  #kindOf(event: TraceEvent): number {
    const { provider, name, opcode, taskName, id, version, level } = event;
    const last = this.#lastKinds.get(name);
    if (
      last !== undefined &&
      last.id === id &&
      last.version === version &&
      last.level === level &&
      last.opcode === opcode &&
      last.taskName === taskName &&
      last.provider === provider
    ) {
      return last.kind;
    }
    const kind = this.#newKindOf(event);
    if (this.#lastKinds.size === MAX_LAST_KINDS) this.#lastKinds.clear();
    this.#lastKinds.set(name, { provider, opcode, taskName, id, version, level, kind });
    return kind;
  }

  #newKindOf(event: TraceEvent): number {
    const { provider, name, opcode, taskName, id, version, level } = event;
    const key = `${id} ${version} ${level} ${opcode} ${provider}\0${name}\0${taskName ?? ''}`;
    return this.#names.kinds.indexOf(key, (): EventKind => {
      const shown = this.#names.name(eventName(event).slice(provider.length + 1));
      const isAnySample = isCpuSample({ provider, name, threadId: undefined, payload: {} });
      const isSample = isAnySample && this.#counted.has(event);
      if (isAnySample && !isSample) this.otherSamples.add(name);
      const about = { provider: this.#names.provider(provider), name: shown, id, version, level };
      return {
        ...about,
        ...(isSample ? { isSample } : {}),
        ...(isActivityRun(event) ? { isRun: true } : {}),
        ...(isActivityCode(event) ? { isCode: true } : {}),
      };
    });
  }
}
