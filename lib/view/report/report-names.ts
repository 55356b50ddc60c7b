/** The names that a report stores once: of providers, events, tasks and threads, and activity ids. */

import { ByteWriter } from '../../base/byte-writer.ts';
import { activityKey } from '../activity-key.ts';
import { Interned, shortened } from './interned.ts';
import type { EventKind, ReportTask, ReportThread } from './report-header.ts';

/** The maximum total length of names, in characters; further names become `NAME_TOO_MANY`. */
const MAX_NAMES_LENGTH = 32 << 20;
const NAME_TOO_MANY = '(too many names)';

export class ReportNames {
  readonly kinds: Interned<EventKind> = new Interned();
  readonly #providers = new Interned<string>();
  readonly #tasks = new Interned<ReportTask>();
  readonly #threads = new Interned<Omit<ReportThread, 'processName'>>();
  readonly #ids = new Interned<undefined>();
  /** By raw id: most events have the same id as a recent event. */
  readonly #idsByGuid = new Map<string, number | undefined>();
  readonly idSize: ByteWriter = new ByteWriter();
  readonly idTexts: ByteWriter = new ByteWriter();
  #length = 0;

  get providers(): readonly string[] {
    return this.#providers.values;
  }

  get tasks(): readonly ReportTask[] {
    return this.#tasks.values;
  }

  name(text: string): string {
    const name = this.#length > MAX_NAMES_LENGTH ? NAME_TOO_MANY : shortened(text);
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
    return this.#threads.indexOf(`${processId} ${threadId}`, () => ({ processId, threadId }));
  }

  threads(processNames: ReadonlyMap<number, string>): ReportThread[] {
    return this.#threads.values.map((thread) => {
      const name = thread.processId === undefined ? undefined : processNames.get(thread.processId);
      return { ...thread, processName: name === undefined ? undefined : shortened(name) };
    });
  }

  /** The index of an activity's path, or of its GUID if it is not a path; undefined without an id. */
  activityId(id: string | undefined, processId: number | undefined): number | undefined {
    if (id === undefined) return undefined;
    const guid = `${processId} ${id}`;
    const known = this.#idsByGuid.get(guid);
    if (known !== undefined || this.#idsByGuid.has(guid)) return known;
    if (this.#idsByGuid.size >= MAX_CACHED_IDS) this.#idsByGuid.clear();
    const text = activityKey(id, processId)?.text;
    const index = text === undefined ? undefined : this.#ids.indexOf(text, () => this.#appendId(text));
    this.#idsByGuid.set(guid, index);
    return index;
  }

  #appendId(text: string): undefined {
    const bytes = Buffer.from(shortened(text));
    this.idSize.varUint(bytes.length);
    this.idTexts.bytes(bytes);
  }
}

const MAX_CACHED_IDS = 10_000;
