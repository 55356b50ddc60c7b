/** The functions with which applications write a source's events. */
import type { SharedActivities } from '../activity/shared.ts';
import { NOTICED_BITS, WANTED_BITS } from '../listen/audience.ts';
import type { EnabledWord } from '../platform/tracer.ts';
import type { ActivityEvents } from './activity-events.ts';
import type { EventWriter, WriteOptions } from './event-writer.ts';
import type { LazyPayload } from './lazy-payload.ts';
import type { Provider } from './source-context.ts';

type AnyEventFunction = (payload?: LazyPayload, options?: WriteOptions) => unknown;

/** The key under which an event function has its enabled word, for `enabled`. */
const WORD: unique symbol = Symbol('tracewright.word');
interface HasWord {
  readonly [WORD]: EnabledWord;
}

/** Returns the writer of a plain event that is written on behalf of other code, whose activity it has. */
export function writerOf(event: object): EventWriter {
  return (event as { readonly [WORD]: EventWriter })[WORD];
}

/**
 * All functions share this: with its own getter, V8 would turn a function into a dictionary, and the check would take
 * 30 ns more.
 */
const ENABLED: PropertyDescriptor = {
  get(this: HasWord) {
    const word = this[WORD];
    return ((word.words[word.index] as number) & WANTED_BITS) !== 0;
  },
};

// The three functions below are all that runs while an event is disabled: a load and a test. The word is read each
// time, because it points elsewhere once the source is closed. They get the event's name at creation, because V8 turns
// a renamed function into a dictionary. Profiles show the name of the object around them.

function plainFunction(name: string, writer: EventWriter, shared: SharedActivities): AnyEventFunction {
  const { flow, tracker } = shared;
  const writeEvent: Record<string, AnyEventFunction> = {
    [name](payload, options) {
      if (((writer.words[writer.index] as number) & NOTICED_BITS) === 0) return;
      writer.write(payload, tracker.currentActivityId(flow.context), undefined, options);
    },
  };
  return writeEvent[name] as AnyEventFunction;
}

function startFunction(name: string, writer: EventWriter, activity: ActivityEvents): AnyEventFunction {
  const { unheard } = activity;
  const startActivity: Record<string, AnyEventFunction> = {
    [name](payload, options) {
      if (((writer.words[writer.index] as number) & NOTICED_BITS) === 0) return unheard;
      return activity.start(payload, options);
    },
  };
  return startActivity[name] as AnyEventFunction;
}

function stopFunction(name: string, writer: EventWriter, activity: ActivityEvents): AnyEventFunction {
  const stopActivity: Record<string, AnyEventFunction> = {
    [name](payload, options) {
      if (((writer.words[writer.index] as number) & NOTICED_BITS) === 0) return;
      activity.stop(payload, options);
    },
  };
  return stopActivity[name] as AnyEventFunction;
}

export function eventFunction(
  provider: Provider,
  writer: EventWriter,
  activity: ActivityEvents | undefined,
  shared: SharedActivities,
): AnyEventFunction {
  const { schema } = writer;
  const name = `${provider.name}.${schema.name}`;
  const write =
    activity === undefined
      ? plainFunction(name, writer, shared)
      : activity.startSchema === schema
        ? startFunction(name, writer, activity)
        : stopFunction(name, writer, activity);
  const identity = { provider: provider.name, providerGuid: provider.guid, name: schema.name, id: schema.id };
  return Object.defineProperties(write, {
    [WORD]: { value: writer },
    enabled: ENABLED,
    identity: { value: Object.freeze(identity) },
  });
}
