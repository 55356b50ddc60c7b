/** The functions of a source that applications call to write its events. */
import type { SharedActivities } from '../activity/shared.ts';
import { NOTICED_BITS } from '../listen/audience.ts';
import type { ActivityEvents } from './activity-events.ts';
import type { EventWriter, WriteOptions } from './event-writer.ts';
import type { LazyPayload } from './lazy-payload.ts';
import type { Provider } from './source-context.ts';

export type AnyEventFunction = (payload?: LazyPayload, options?: WriteOptions) => unknown;

// The three functions below are all that runs while nobody listens: a load and a test. The word itself is looked at
// each time, because it points elsewhere when the source is closed.

function plainFunction(writer: EventWriter, { flow, tracker }: SharedActivities): AnyEventFunction {
  const { word } = writer;
  return function writeEvent(payload, options) {
    if (((word.words[word.index] as number) & NOTICED_BITS) === 0) return;
    writer.write(payload, tracker.currentActivityId(flow.context), undefined, options);
  };
}

function startFunction(writer: EventWriter, activity: ActivityEvents): AnyEventFunction {
  const { word } = writer;
  const { unheard } = activity;
  return function startActivity(payload, options) {
    if (((word.words[word.index] as number) & NOTICED_BITS) === 0) return unheard;
    return activity.start(payload, options);
  };
}

function stopFunction(writer: EventWriter, activity: ActivityEvents): AnyEventFunction {
  const { word } = writer;
  return function stopActivity(payload, options) {
    if (((word.words[word.index] as number) & NOTICED_BITS) === 0) return;
    activity.stop(payload, options);
  };
}

export function eventFunction(
  { name, guid }: Provider,
  writer: EventWriter,
  activity: ActivityEvents | undefined,
  shared: SharedActivities,
): AnyEventFunction {
  const { schema } = writer;
  const write =
    activity === undefined
      ? plainFunction(writer, shared)
      : activity.startSchema === schema
        ? startFunction(writer, activity)
        : stopFunction(writer, activity);
  const identity = { provider: name, providerGuid: guid, name: schema.name, id: schema.id };
  return Object.defineProperties(write, {
    // For stacks, heap snapshots and debuggers; profiles show what the function is called in the code below.
    name: { value: `${name}.${schema.name}` },
    enabled: { get: () => writer.enabled },
    identity: { value: Object.freeze(identity) },
  });
}
