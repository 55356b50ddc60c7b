import { closeSync, fstatSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { describe, expect, it } from 'vitest';
import { UserEventsSession } from '../../../lib/eventpipe/user-events/user-events-session.ts';
import { OwnedDescriptor } from '../../../lib/platform/owned-descriptor.ts';
import { ErrorCode } from '../../../lib/wire/diagnostics-ipc/constants.ts';
import { RefusedError } from '../../../lib/wire/diagnostics-ipc/error.ts';
import type { TracepointConfig, UserEventsProvider } from '../../../lib/wire/diagnostics-ipc/tracing.ts';
import { linuxOnly, named } from '../../platforms.ts';

const set = (name: string, ...ids: number[]) => ({ name, ids });

function providerOf(tracepoints: Partial<TracepointConfig>, rest: Partial<UserEventsProvider> = {}) {
  return {
    name: 'Demo',
    keywords: 1n,
    level: 4,
    arguments: undefined,
    tracepoints: { defaultName: undefined, sets: [], ...tracepoints },
    ...rest,
  };
}

/** The reply's code and the sentence, of a session with this descriptor; it has been closed. */
function refusalOf(providers: readonly UserEventsProvider[], descriptor = openSync(devNull, 'r+')) {
  try {
    const owned = new OwnedDescriptor(descriptor);
    UserEventsSession.start({ sessionType: 'user_events', rundownKeyword: 0n, providers }, owned);
  } catch (error) {
    expect(error).toBeInstanceOf(RefusedError);
    expect(() => fstatSync(descriptor)).toThrow();
    return [(error as RefusedError).replyCode, (error as Error).message];
  }
  throw new Error('It was started.');
}

describe('a session of user_events is refused', () => {
  const all = { defaultName: 'All' };

  it.each([
    ['without providers', [], 'A session must request events of at least one provider.'],
    ['without tracepoints', [providerOf({})], 'Demo has neither a default tracepoint nor sets of events.'],
    [
      'with a set of no events, and no default',
      [providerOf({ sets: [set('Set', 1), set('Empty')] })],
      'The tracepoint Empty of Demo has no events.',
    ],
    [
      'with an event in two sets',
      [providerOf({ ...all, sets: [set('One', 1, 2, 2), set('Two', 3, 2)] })],
      'Event 2 of Demo has two tracepoints.',
    ],
    [
      'with a tracepoint that the kernel would take for another',
      [providerOf(all), providerOf({ defaultName: 'All u8 version' })],
      "'All u8 version' of Demo cannot be the name of a tracepoint.",
    ],
    [
      'with a level that is none',
      [providerOf(all, { level: 256 })],
      "The session's provider Demo: A listener's level must be an integer from 0 to 255, not 256.",
    ],
  ])('%s', (_, providers, message) => {
    expect(refusalOf(providers)).toEqual([ErrorCode.BadEncoding, message]);
  });

  it.skipIf(linuxOnly('user_events') !== undefined)(
    named('with a descriptor of something else', linuxOnly('user_events')),
    () => {
      const kept = openSync(devNull, 'r+');
      closeSync(kept);
      expect(refusalOf([providerOf(all)], kept)).toEqual([
        ErrorCode.BadEncoding,
        `The descriptor ${kept} cannot be used (EBADF).`,
      ]);
      expect(refusalOf([providerOf({ ...all, sets: [set('Empty')] })])).toEqual([
        ErrorCode.Fail,
        'The file given as user_events_data is a different kind of file (ENOTTY).',
      ]);
      const readOnly = openSync(devNull, 'r');
      expect(refusalOf([providerOf(all)], readOnly)).toEqual([
        ErrorCode.BadEncoding,
        `The descriptor ${readOnly} is read-only, but events must be written through it.`,
      ]);
    },
  );

  const hasThem = process.platform === 'linux' ? 'Linux has them' : undefined;
  it.skipIf(hasThem !== undefined)(named('where there are no user_events', hasThem), () => {
    expect(refusalOf([providerOf(all)])[0]).toBe(ErrorCode.NotSupported);
  });
});
