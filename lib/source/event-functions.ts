/** The functions of a source that applications call to write its events. */
import type { SharedActivities } from '../activity/shared.ts';
import { NOTICED_BITS, WANTED_BITS } from '../listen/audience.ts';
import type { EnabledWord } from '../platform/tracer.ts';
import type { ActivityEvents } from './activity-events.ts';
import type { EventWriter, WriteOptions } from './event-writer.ts';
import type { LazyPayload } from './lazy-payload.ts';
import type { Provider } from './source-context.ts';

export type AnyEventFunction = (payload?: LazyPayload, options?: WriteOptions) => unknown;

/** Under this key an event's function has its enabled word, for `enabled`. */
const WORD: unique symbol = Symbol('tracewright.word');
interface HasWord {
  readonly [WORD]: EnabledWord;
}

/** One for all functions: with a getter of its own V8 makes a function a dictionary, and asking takes 30 ns more. */
const ENABLED: PropertyDescriptor = {
  get(this: HasWord) {
    const word = this[WORD];
    return ((word.words[word.index] as number) & WANTED_BITS) !== 0;
  },
};

// The three functions below are all that runs while nobody listens: a load and a test. The word itself is looked at
// each time, because it points elsewhere when the source is closed. They get the event's name when they are made,
// because V8 makes a function that is renamed a dictionary. Profiles show what the object around them is called.

function plainFunction(name: string, writer: EventWriter, shared: SharedActivities): AnyEventFunction {
  const { word } = writer;
  const { flow, tracker } = shared;
  const writeEvent: Record<string, AnyEventFunction> = {
    [name](payload, options) {
      if (((word.words[word.index] as number) & NOTICED_BITS) === 0) return;
      writer.write(payload, tracker.currentActivityId(flow.context), undefined, options);
    },
  };
  return writeEvent[name] as AnyEventFunction;
}

function startFunction(name: string, writer: EventWriter, activity: ActivityEvents): AnyEventFunction {
  const { word } = writer;
  const { unheard } = activity;
  const startActivity: Record<string, AnyEventFunction> = {
    [name](payload, options) {
      if (((word.words[word.index] as number) & NOTICED_BITS) === 0) return unheard;
      return activity.start(payload, options);
    },
  };
  return startActivity[name] as AnyEventFunction;
}

function stopFunction(name: string, writer: EventWriter, activity: ActivityEvents): AnyEventFunction {
  const { word } = writer;
  const stopActivity: Record<string, AnyEventFunction> = {
    [name](payload, options) {
      if (((word.words[word.index] as number) & NOTICED_BITS) === 0) return;
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
    [WORD]: { value: writer.word },
    enabled: ENABLED,
    identity: { value: Object.freeze(identity) },
  });
}
