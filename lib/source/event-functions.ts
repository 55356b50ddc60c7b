/** The functions with which applications write a source's events. */
import type { SharedActivities } from '../activity/shared.ts';
import { NOTICED_BITS, WANTED_BITS } from '../listen/audience.ts';
import type { ActivityEvents } from './activity-events.ts';
import type { EventWriter, WriteOptions } from './event-writer.ts';
import type { LazyPayload } from './lazy-payload.ts';
import type { Provider } from './source-context.ts';

type AnyEventFunction = (payload?: LazyPayload, options?: WriteOptions) => unknown;

/** The key under which an event function has its writer. */
const WRITER: unique symbol = Symbol('tracewright.writer');
interface HasWriter {
  readonly [WRITER]: EventWriter;
}

/** Returns the writer of a plain event that is written on behalf of other code, whose activity it has. */
export function writerOf(event: object): EventWriter {
  return (event as HasWriter)[WRITER];
}

/**
 * All functions share these: with its own getter, V8 would turn a function into a dictionary, and the check would take
 * 30 ns more.
 */
const ENABLED: PropertyDescriptor = {
  get(this: HasWriter) {
    const { words, index } = this[WRITER];
    return ((words[index] as number) & WANTED_BITS) !== 0;
  },
};
const IDENTITY: PropertyDescriptor = {
  get(this: HasWriter) {
    return this[WRITER].identity;
  },
};

// The three functions below are all that runs while an event is disabled: a load and a test. The word is read each
// time, because it points elsewhere once the source is closed. They get the event's name at creation, because V8 turns
// a renamed function into a dictionary, and of objects without a prototype, for which it makes no hidden class for each
// name. Profiles show the name of the object around them.

interface EventFunctions {
  readonly __proto__: null;
  readonly [name: string]: AnyEventFunction | null;
}

function plainFunction(name: string, writer: EventWriter, shared: SharedActivities): AnyEventFunction {
  const { flow, tracker } = shared;
  const writeEvent: EventFunctions = {
    __proto__: null,
    [name](payload, options) {
      if (((writer.words[writer.index] as number) & NOTICED_BITS) === 0) return;
      writer.write(payload, tracker.currentActivityId(flow.context), undefined, options);
    },
  };
  return writeEvent[name] as AnyEventFunction;
}

function startFunction(name: string, writer: EventWriter, activity: ActivityEvents): AnyEventFunction {
  const { unheard } = activity;
  const startActivity: EventFunctions = {
    __proto__: null,
    [name](payload, options) {
      if (((writer.words[writer.index] as number) & NOTICED_BITS) === 0) return unheard;
      return activity.start(payload, options);
    },
  };
  return startActivity[name] as AnyEventFunction;
}

function stopFunction(name: string, writer: EventWriter, activity: ActivityEvents): AnyEventFunction {
  const stopActivity: EventFunctions = {
    __proto__: null,
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
  return Object.defineProperties(write, {
    [WRITER]: { value: writer },
    enabled: ENABLED,
    identity: IDENTITY,
  });
}
