/** The names that a report stores once: of providers, events, tasks and threads, and activity ids. */

import type { TraceEvent } from '../../trace/trace-event.ts';
import { type ActivityKey, ActivityKeys } from '../activity-key.ts';
import type { TracedActivity } from '../traced-activity.ts';
import { Interned, MAX_NAME_LENGTH, shortened, shortenedTo } from './interned.ts';
import { ReportColumn } from './report-column.ts';
import type { EventKind, ReportTask, ReportThread } from './report-header.ts';

/** The maximum total length of names, in characters; further names become `NAME_TOO_MANY`. */
const MAX_NAMES_LENGTH = 32 << 20;
const MAX_LABELS = 20_000;
const NAME_TOO_MANY = '(too many names)';

interface LastThread {
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  readonly index: number;
}

export class ReportNames {
  readonly kinds: Interned<EventKind> = new Interned();
  readonly #providers = new Interned<string>();
  readonly #tasks = new Interned<ReportTask>();
  readonly #labels = new Interned<string>();
  readonly #threads = new Interned<Omit<ReportThread, 'processName'>>();
  readonly #keys: ActivityKeys;
  /** The ids of recent events; an id that returns much later is stored again. */
  #ids = new Map<string, number>();
  #idCount = 0;
  #lastThread: LastThread | undefined;
  readonly idSize: ReportColumn = new ReportColumn();
  readonly idTexts: ReportColumn = new ReportColumn();
  #length = 0;

  /** @param keys those of whoever else asks about the same events */
  constructor(keys: ActivityKeys = new ActivityKeys()) {
    this.#keys = keys;
  }

  get providers(): readonly string[] {
    return this.#providers.values;
  }

  get tasks(): readonly ReportTask[] {
    return this.#tasks.values;
  }

  get labels(): readonly string[] {
    return this.#labels.values;
  }

  /** It is undefined if there are too many. */
  label(label: string): number | undefined {
    if (this.#labels.values.length >= MAX_LABELS && !this.#labels.has(label)) return undefined;
    return this.#labels.indexOf(label, () => this.name(label));
  }

  /** @param length the maximum, in characters */
  name(text: string, length = MAX_NAME_LENGTH): string {
    const name = this.#length > MAX_NAMES_LENGTH ? NAME_TOO_MANY : shortenedTo(length, text);
    this.#length += name.length;
    return name;
  }

  provider(name: string): number {
    return this.#providers.indexOf(name, () => this.name(name));
  }

  task(provider: string, task: string): number {
    return this.#tasks.indexOf(`${provider}\0${task}`, () => ({
      provider: this.provider(provider),
      name: this.name(task),
    }));
  }

  thread(processId: number | undefined, threadId: number | undefined): number {
    const last = this.#lastThread;
    if (last !== undefined && last.processId === processId && last.threadId === threadId) return last.index;
    const index = this.#threads.indexOf(`${processId} ${threadId}`, () => ({ processId, threadId }));
    this.#lastThread = { processId, threadId, index };
    return index;
  }

  threads(processNames: ReadonlyMap<number, string>): ReportThread[] {
    return this.#threads.values.map((thread) => {
      const name = thread.processId === undefined ? undefined : processNames.get(thread.processId);
      return { ...thread, processName: name === undefined ? undefined : shortened(name) };
    });
  }

  eventId(event: TraceEvent): number | undefined {
    return this.#indexOf(this.#keys.ofEvent(event));
  }

  relatedId(event: TraceEvent): number | undefined {
    return this.#indexOf(this.#keys.relatedOf(event));
  }

  activityId({ id, processId }: TracedActivity): number | undefined {
    return this.#indexOf(this.#keys.of(id, processId));
  }

  /** The index of an activity's path, or of its GUID if it is not a path; undefined without an id. */
  #indexOf(key: ActivityKey | undefined): number | undefined {
    if (key === undefined) return undefined;
    const known = this.#ids.get(key.text);
    if (known !== undefined) return known;
    if (this.#ids.size === MAX_CACHED_IDS) this.#ids = new Map();
    const index = this.#idCount++;
    this.#ids.set(key.text, index);
    const text = shortened(key.text);
    const size = Buffer.byteLength(text);
    this.idSize.varUint(size);
    this.idTexts.text(text, size);
    return index;
  }
}

const MAX_CACHED_IDS = 50_000;
