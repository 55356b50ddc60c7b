/** The events of a report, one column per property. */

import { ByteWriter } from '../../base/byte-writer.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { eventName } from '../event-names.ts';
import { PayloadColumns } from './payload-columns.ts';
import type { EventKind } from './report-header.ts';
import type { ReportNames } from './report-names.ts';

export class EventColumns {
  readonly time: ByteWriter = new ByteWriter();
  readonly kind: ByteWriter = new ByteWriter();
  readonly thread: ByteWriter = new ByteWriter();
  readonly activity: ByteWriter = new ByteWriter();
  readonly id: ByteWriter = new ByteWriter();
  readonly relatedId: ByteWriter = new ByteWriter();
  readonly payloads: PayloadColumns = new PayloadColumns();
  count = 0;
  readonly #names: ReportNames;
  #lastNs: number | undefined;

  constructor(names: ReportNames) {
    this.#names = names;
  }

  /**
   * @param timeNs not before that of the previous event
   * @param activity its index in the report
   * @returns the event's index
   */
  add(event: TraceEvent, timeNs: number, activity: number | undefined): number {
    this.time.varUint(timeNs - (this.#lastNs ?? timeNs));
    this.#lastNs = timeNs;
    this.kind.varUint(this.#kindOf(event));
    this.thread.varUint(this.#names.thread(event.processId, event.threadId));
    this.activity.optionalVarUint(activity);
    this.id.optionalVarUint(this.#names.activityId(event.activityId, event.processId));
    this.relatedId.optionalVarUint(this.#names.activityId(event.relatedActivityId, event.processId));
    this.payloads.add(event);
    return this.count++;
  }

  #kindOf(event: TraceEvent): number {
    const { provider, name, opcode, taskName, id, version, level } = event;
    const key = `${id} ${version} ${level} ${opcode} ${provider}\0${name}\0${taskName ?? ''}`;
    return this.#names.kinds.indexOf(key, (): EventKind => {
      const shown = this.#names.name(eventName(event).slice(provider.length + 1));
      return { provider: this.#names.provider(provider), name: shown, id, version, level };
    });
  }
}
