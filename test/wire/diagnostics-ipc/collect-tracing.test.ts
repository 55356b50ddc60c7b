/**
 * CollectTracing in every version, compared with bytes sent by .NET's own client (Microsoft.Diagnostics.NETCore.Client)
 * and, for user_events, with bytes worked out by hand from the protocol's document.
 */
import { describe, expect, it } from 'vitest';
import { BufferMode, DEFAULT_RUNDOWN_KEYWORD } from '../../../lib/wire/diagnostics-ipc/constants.ts';
import { decodeRequest, encodeRequest } from '../../../lib/wire/diagnostics-ipc/request.ts';
import {
  leastVersion,
  type StreamingTracing,
  type Tracing,
  type TracingProvider,
  type TracingVersion,
  type UserEventsTracing,
} from '../../../lib/wire/diagnostics-ipc/tracing.ts';
import { bytesOf, hexOf, messageOf } from './bytes.ts';

const MY_EVENT_SOURCE =
  '6400000000000000 02000000 0e000000 4d0079004500760065006e00740053006f0075007200630065000000 01000000 0000';

function streaming(provider: Partial<TracingProvider>, rest: Partial<StreamingTracing>): StreamingTracing {
  return {
    sessionType: 'streaming',
    bufferMegabytes: 10,
    format: 1,
    rundownKeyword: 0n,
    collectsStacks: true,
    bufferMode: BufferMode.Drop,
    providers: [{ name: 'Demo', keywords: 3n, level: 4, arguments: '', ...provider }],
    ...rest,
  };
}

const myEventSource = { name: 'MyEventSource', keywords: 0x64n, level: 2 };
const passAll = { filter: { isAllowList: false, ids: [] } };

const userEvents: UserEventsTracing = {
  sessionType: 'user_events',
  rundownKeyword: 0n,
  providers: [
    {
      name: 'Demo',
      keywords: 3n,
      level: 4,
      arguments: undefined,
      filter: { isAllowList: true, ids: [1, 2] },
      tracepoints: { defaultName: 'Demo_All', sets: [{ name: 'Demo_Req', ids: [1] }] },
    },
  ],
};

interface Worked {
  readonly version: TracingVersion;
  readonly says: string;
  readonly tracing: Tracing;
  /** The payload, or, of the one worked out by hand, the whole. */
  readonly payload: string;
}

const WORKED: readonly Worked[] = [
  {
    version: 1,
    says: 'always with rundown and stacks',
    tracing: streaming(myEventSource, { bufferMegabytes: 250, rundownKeyword: DEFAULT_RUNDOWN_KEYWORD }),
    payload: `fa000000 01000000 01000000 ${MY_EVENT_SOURCE}`,
  },
  {
    version: 2,
    says: 'without rundown',
    tracing: streaming(myEventSource, { bufferMegabytes: 250 }),
    payload: `fa000000 01000000 00 01000000 ${MY_EVENT_SOURCE}`,
  },
  {
    version: 3,
    says: 'without stacks',
    tracing: streaming(myEventSource, { collectsStacks: false }),
    payload: `0a000000 01000000 00 00 01000000 ${MY_EVENT_SOURCE}`,
  },
  {
    version: 4,
    says: 'with a rundown of its own',
    tracing: streaming({ name: 'P', keywords: 1n }, { bufferMegabytes: 256, rundownKeyword: 1n }),
    payload: '0001000001000000010000000000000001010000000100000000000000040000000200000050000000010000000000',
  },
  {
    version: 5,
    says: 'with events denied',
    tracing: streaming(
      { arguments: 'EventCounterIntervalSec=1', filter: { isAllowList: false, ids: [4, 5] } },
      {},
    ),
    payload: `00000000 0a000000 01000000 0000000000000000 01 01000000
      0300000000000000 04000000 05000000 440065006d006f000000
      1a000000 4500760065006e00740043006f0075006e0074006500720049006e00740065007200760061006c005300650063003d0031000000
      00 02000000 04000000 05000000`,
  },
  {
    version: 6,
    says: 'that waits when its buffers are full',
    tracing: streaming(passAll, { bufferMode: BufferMode.Block }),
    payload: `000000000a000000010000000000000000000000010100000003000000000000000400000005000000440065006d006f
      000000010000000000 00 00000000 01000000`,
  },
];

describe.each(WORKED)('CollectTracing $version, $says', ({ version, tracing, payload }) => {
  const message = messageOf(2, version + 1, payload);

  it("is written as .NET's client writes it", () => {
    expect(hexOf(encodeRequest({ command: 'CollectTracing', version, tracing }))).toBe(hexOf(message));
  });

  it('is read', () => {
    expect(decodeRequest(message)).toEqual({ command: 'CollectTracing', version, tracing });
  });

  it('is the lowest version that can express it', () => {
    expect(leastVersion(tracing)).toBe(version);
  });

  it('is rejected if it is cut off anywhere', () => {
    for (let size = 20; size < message.length; size++) {
      const cut = message.slice(0, size);
      new DataView(cut.buffer).setUint16(14, size, true);
      expect(() => decodeRequest(cut)).toThrow(expect.objectContaining({ code: 'malformed' }));
    }
  });

  if (version === 1) return;
  it('cannot be expressed by an earlier version', () => {
    const earlier = (version - 1) as TracingVersion;
    expect(() => encodeRequest({ command: 'CollectTracing', version: earlier, tracing })).toThrow(
      /^CollectTracing \d cannot express this request/,
    );
  });
});

describe('CollectTracing 5 for user_events', () => {
  const message = bytesOf(`444f544e45545f4950435f563100 8700 02060000 01000000 0000000000000000 01000000
    0300000000000000 04000000 05000000440065006d006f000000 00000000
    01 02000000 01000000 02000000
    09000000 440065006d006f005f0041006c006c000000 01000000
    09000000 440065006d006f005f005200650071000000 01000000 01000000`);

  it('has 135 bytes, byte for byte as worked out by hand', () => {
    expect(hexOf(encodeRequest({ command: 'CollectTracing', version: 5, tracing: userEvents }))).toBe(
      hexOf(message),
    );
  });

  it('is read', () => {
    expect(decodeRequest(message)).toEqual({ command: 'CollectTracing', version: 5, tracing: userEvents });
  });

  it('is the same in version 6', () => {
    const sixth = encodeRequest({ command: 'CollectTracing', version: 6, tracing: userEvents });
    expect(hexOf(sixth.subarray(20))).toBe(hexOf(message.subarray(20)));
    expect(decodeRequest(sixth)).toMatchObject({ version: 6, tracing: userEvents });
  });

  it.each([
    ['no tracepoint', { defaultName: undefined, sets: [] }, 'A provider has no tracepoint.'],
    [
      'an empty set and no default',
      { defaultName: undefined, sets: [{ name: 'A', ids: [] }] },
      'Tracepoint A has no events.',
    ],
    [
      'an event in two sets',
      {
        defaultName: undefined,
        sets: [
          { name: 'A', ids: [7] },
          { name: 'B', ids: [7] },
        ],
      },
      'Event 7 has two tracepoints.',
    ],
  ])('is rejected with %s', (_, tracepoints, sentence) => {
    const providers = userEvents.providers.map((provider) => ({ ...provider, tracepoints }));
    const wrong = encodeRequest({
      command: 'CollectTracing',
      version: 5,
      tracing: { ...userEvents, providers },
    });
    expect(() => decodeRequest(wrong)).toThrow(sentence);
  });

  it('may have an empty set in addition to a default', () => {
    const tracepoints = { defaultName: 'All', sets: [{ name: 'A', ids: [] }] };
    const providers = userEvents.providers.map((provider) => ({ ...provider, tracepoints }));
    const request = {
      command: 'CollectTracing',
      version: 5,
      tracing: { ...userEvents, providers },
    } as const;
    expect(decodeRequest(encodeRequest(request))).toEqual(request);
  });
});

describe('CollectTracing is rejected, as by the runtime,', () => {
  const provider = '0100000000000000 04000000 02000000 50000000 00000000';
  it.each([
    [
      'a buffer of no size',
      2,
      `00000000 01000000 01000000 ${provider}`,
      'A session cannot have a buffer of 0 MB.',
    ],
    ['an unknown format', 2, `01000000 02000000 01000000 ${provider}`, 'The format 2 does not exist.'],
    ['no providers', 2, '01000000 01000000 00000000', 'A session has 1 to 1000 providers, not 0.'],
    [
      'more than 1000 providers',
      2,
      `01000000 01000000 e9030000 ${provider.repeat(1001)}`,
      'A session has 1 to 1000 providers, not 1001.',
    ],
    [
      'a level above 5',
      2,
      '01000000 01000000 01000000 0100000000000000 06000000 02000000 50000000 00000000',
      'The level 6 does not exist.',
    ],
    [
      'a provider without a name',
      2,
      '01000000 01000000 01000000 0100000000000000 04000000 01000000 0000 00000000',
      "There is no provider's name.",
    ],
    [
      'a text without a NUL',
      2,
      '01000000 01000000 01000000 0100000000000000 04000000 01000000 5000 00000000',
      'A text has no NUL at its end.',
    ],
    [
      'an unknown type of session',
      6,
      '02000000 0000000000000000 00000000',
      'The session type 2 does not exist.',
    ],
    [
      'an unknown buffer mode',
      7,
      `00000000 01000000 01000000 0000000000000000 01 01000000 ${provider} 00 00000000 02000000`,
      'The buffer mode 2 does not exist.',
    ],
    [
      'more providers than there are bytes for',
      2,
      '01000000 01000000 ffffffff',
      'There cannot be 4294967295 providers in 0 bytes.',
    ],
  ])('with %s', (_, commandId, payload, sentence) => {
    const message = messageOf(2, commandId, payload);
    expect(() => decodeRequest(message)).toThrow(
      expect.objectContaining({
        code: 'malformed',
        replyCode: 0x80131384,
        message: expect.stringContaining(sentence),
      }),
    );
  });

  it('but not with arguments that are absent rather than empty', () => {
    const message = messageOf(2, 2, `01000000 01000000 01000000 ${provider}`);
    expect(decodeRequest(message)).toMatchObject({ tracing: { providers: [{ arguments: undefined }] } });
  });
});
