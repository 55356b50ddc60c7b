/** Self-describing events: `source.write(name, payload)`. .NET: EventSource.Write. */
import { ActivityOptions, activityName } from '../activity/activity.ts';
import type { SharedActivities } from '../activity/shared.ts';
import { shown } from '../base/value-text.ts';
import { Audience } from '../listen/audience.ts';
import type { KeywordNames, Keywords } from '../listen/filter.ts';
import type { EnabledWord } from '../platform/tracer.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import { ActivityEvents } from './activity-events.ts';
import { Level, Opcode } from './constants.ts';
import { integerOption } from './definition-checks.ts';
import { DefinitionError } from './definition-error.ts';
import type { EventOptions } from './event.ts';
import { checkEventName, defaultOpcode, keywordsOf, MAX_TAG } from './event-schemas.ts';
import { EventWriter, type WriteOptions } from './event-writer.ts';
import { fieldSchemas } from './field-schemas.ts';
import type { FieldDefinitions } from './fields.ts';
import { type LazyPayload, payloadOf } from './lazy-payload.ts';
import { definitionsText, parseDefinitions } from './payload-definitions.ts';
import type { SourceContext } from './source-context.ts';
import { registerEvent, type TracerFormat } from './tracer-format.ts';

/** The options of `write` for an event. The default level is Verbose. */
export type SelfDescribingOptions = WriteOptions &
  Pick<EventOptions, 'level' | 'keywords' | 'opcode' | 'tag' | 'activityOptions'>;

/**
 * The maximum number of combinations of level, keywords and opcode that are registered with the tracer: each takes an
 * enabled word.
 */
export const MAX_AUDIENCES = 64;
/** The number of cached descriptions; beyond it, the oldest are recreated on demand. */
export const MAX_DESCRIPTIONS = 1000;

/** A payload with the definitions of its fields. */
export interface Typed {
  readonly definitions: FieldDefinitions;
  readonly payload: Payload;
}

/** The key under which an event source has its self-describing events. */
export const SELF_DESCRIBING: unique symbol = Symbol('tracewright.selfDescribing');

/** Like `source.write`, with given field types instead of inferred ones. */
export function writeTyped(source: object, name: string, typed: Typed, options: SelfDescribingOptions): void {
  const events = (source as { [SELF_DESCRIBING]?: SelfDescribingEvents })[SELF_DESCRIBING];
  events?.write(name, typed.payload, options, JSON.stringify(typed.definitions));
}

const NO_OPTIONS: SelfDescribingOptions = Object.freeze({});
/** Events distinguished by name and fields have this id. */
const NO_ID = 0;

interface Described {
  readonly writer: EventWriter;
  /** Present for a Start or a Stop. */
  readonly activity: ActivityEvents | undefined;
}

/** The self-describing events of one level, keywords and opcode. */
class Kind extends Audience {
  readonly opcode: number;
  /** Separate from all other events of the source. */
  readonly number: number;

  constructor(word: EnabledWord, level: number, keywords: bigint, opcode: number, number: number) {
    super(word, level, keywords);
    this.opcode = opcode;
    this.number = number;
  }
}

export class SelfDescribingEvents {
  readonly #context: SourceContext;
  readonly #format: TracerFormat;
  readonly #keywordNames: KeywordNames;
  readonly #processId: number;
  readonly #shared: SharedActivities;
  /** They are so few that a linear search is the fastest. */
  #kinds: Kind[] = [];
  readonly #described = new Map<string, Described>();

  /** @param processId for activity ids; 0 for those of the 2016 form */
  constructor(
    context: SourceContext,
    format: TracerFormat,
    keywordNames: KeywordNames,
    processId: number,
    shared: SharedActivities,
  ) {
    this.#context = context;
    this.#format = format;
    this.#keywordNames = keywordNames;
    this.#processId = processId;
    this.#shared = shared;
  }

  /** The tracer's names for the events: one schema for each kind. */
  get schemas(): readonly EventSchema[] {
    return this.#kinds.map(schemaOfKind);
  }

  get isStartWanted(): boolean {
    return this.#kinds.some((kind) => kind.opcode === Opcode.Start && kind.isThere);
  }

  /** Whether events of this level and keywords are enabled. */
  isWanted(level: number, keywords: Keywords): boolean {
    if (this.#context.subscriptions.isClosed) return false;
    return this.#kindOf(level, keywords, Opcode.Info).isThere;
  }

  /** @param definitions of the fields, from `definitionsText`; inferred if omitted */
  write(
    name: string,
    payload?: LazyPayload,
    options: SelfDescribingOptions = NO_OPTIONS,
    definitions?: string,
  ): void {
    if (this.#context.subscriptions.isClosed) {
      this.#context.account.dropLate(this.#place);
      return;
    }
    try {
      if (typeof name !== 'string') {
        throw new DefinitionError(this.#place, `an event's name must be a string, not ${shown(name)}.`);
      }
      const { level = Level.Verbose, keywords = 0n, opcode = defaultOpcode(name) } = options;
      const kind = this.#kindOf(level, keywords, opcode);
      if (kind.isThere) this.#write(kind, name, payload, options, definitions);
    } catch (error) {
      if (!(error instanceof DefinitionError) || this.#context.throwOnErrors) throw error;
      this.#context.account.drop('notDescribable');
      this.#context.account.tell(error.message, () => error.message);
    }
  }

  /** Later writes are only counted. Call this once the subscriptions are closed. */
  close(): void {
    for (const kind of this.#kinds) this.#context.tracer.release(kind);
    this.#kinds = [];
    this.#described.clear();
  }

  /** @throws DefinitionError */
  #kindOf(level: number, keywords: Keywords, opcode: number): Kind {
    const bits =
      typeof keywords === 'bigint' ? keywords : keywordsOf(this.#place, keywords, this.#keywordNames);
    for (const kind of this.#kinds) {
      if (kind.level === level && kind.keywords === bits && kind.opcode === opcode) return kind;
    }
    return this.#newKind(level, bits, opcode);
  }

  #newKind(level: number, keywords: bigint, opcode: number): Kind {
    integerOption(this.#place, 'level', level, 1, 0xff);
    keywordsOf(this.#place, keywords, this.#keywordNames);
    integerOption(this.#place, 'opcode', opcode, 0, 0xff);
    const { tracer, account, subscriptions } = this.#context;
    const number = this.#kinds.length;
    if (number === MAX_AUDIENCES) {
      account.tell(
        'kinds',
        () =>
          `${this.#place}: only the first ${MAX_AUDIENCES} combinations of level, keywords and opcode reach the ` +
          'kernel; events of others go to listeners alone.',
      );
      const kind = new Kind({ words: new Uint32Array(1), index: 0 }, level, keywords, opcode, number);
      subscriptions.fill(kind);
      return kind;
    }
    const kind = new Kind(tracer.allocate(), level, keywords, opcode, number);
    registerEvent(this.#context, kind, this.#format, schemaOfKind(kind));
    this.#kinds.push(kind);
    subscriptions.add(kind);
    return kind;
  }

  #write(
    kind: Kind,
    name: string,
    lazyPayload: LazyPayload | undefined,
    options: SelfDescribingOptions,
    given: string | undefined,
  ): void {
    let payload: Payload;
    let definitions: string;
    try {
      payload = payloadOf(lazyPayload);
      definitions = given ?? definitionsText(payload);
    } catch (error) {
      this.#context.account.dropThrown(`${this.#context.provider.name}.${name}`, error);
      return;
    }
    const { writer, activity } = this.#describedAs(kind, name, options, definitions);
    if (activity === undefined) {
      const { flow, tracker } = this.#shared;
      writer.write(payload, tracker.currentActivityId(flow.context), undefined, options);
    } else if (kind.opcode === Opcode.Start) {
      activity.start(payload, options);
    } else {
      activity.stop(payload, options);
    }
  }

  /** The event with this name and these fields, described on first use. */
  #describedAs(
    kind: Kind,
    name: string,
    { tag = 0, activityOptions = ActivityOptions.None }: SelfDescribingOptions,
    definitions: string,
  ): Described {
    const key = `${kind.number} ${tag} ${activityOptions} ${definitions}${name}`;
    const known = this.#described.get(key);
    if (known !== undefined) return known;
    const place = `${this.#context.provider.name}.${name}`;
    checkEventName(this.#context.provider.name, name);
    const schema: EventSchema = {
      ...schemaOfKind(kind),
      name,
      tag: integerOption(place, 'tag', tag, 0, MAX_TAG),
      fields: fieldSchemas(place, parseDefinitions(definitions)),
    };
    integerOption(place, 'activityOptions', activityOptions, 0, 0xf);
    const writer = new EventWriter(this.#context, schema, this.#format, kind);
    const described = { writer, activity: this.#activityOf(writer, activityOptions) };
    if (kind.number === MAX_AUDIENCES) return described;
    const [oldest] = this.#described.keys();
    if (this.#described.size === MAX_DESCRIPTIONS && oldest !== undefined) this.#described.delete(oldest);
    this.#described.set(key, described);
    return described;
  }

  #activityOf(writer: EventWriter, options: number): ActivityEvents | undefined {
    const { name, opcode } = writer.schema;
    if (opcode !== Opcode.Start && opcode !== Opcode.Stop) return undefined;
    const activity = activityName(this.#context.provider.name, name, 0);
    // A Start uses only its start, a Stop only its stop.
    return new ActivityEvents(writer, writer, activity, options, this.#processId, this.#shared);
  }

  get #place(): string {
    return `${this.#context.provider.name}.write`;
  }
}

function schemaOfKind({ level, keywords, opcode }: Kind): EventSchema {
  return { name: '', id: NO_ID, version: 0, level, keywords, opcode, task: 0, tag: 0, fields: [] };
}
