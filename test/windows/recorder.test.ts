/**
 * The recorder itself: an addon that only calls ETW's functions gets the results that Microsoft documents, and each of
 * its calls is logged.
 */
import { describe, expect, it } from 'vitest';
import { callsOf, sectionOf } from './etw-call.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

const PROVIDER = 'b3864c38-4273-58c5-545b-8b3608343471';
const NO_ID = '00000000-0000-0000-0000-000000000000';
const id = (byte: string) =>
  `${byte.repeat(4)}-${byte.repeat(2)}-${byte.repeat(2)}-${byte.repeat(2)}-${byte.repeat(6)}`;

describe.skipIf(skipReason !== undefined)(suiteName('the recorder'), { timeout: 60_000 }, () => {
  it('replaces all functions of ETW that an addon imports', async () => {
    const { calls } = await runProgram('programs/probe-sessions.mjs', { recorder: true });
    expect(calls.map(({ seq }) => seq)).toEqual(calls.map((_, index) => index + 1));
    expect(callsOf(calls, 'hooked')).toEqual([
      {
        seq: 1,
        op: 'hooked',
        thread: expect.any(Number),
        module: 'etwprobe.node',
        functions: [
          'EventActivityIdControl',
          'EventEnabled',
          'EventProviderEnabled',
          'EventRegister',
          'EventSetInformation',
          'EventUnregister',
          'EventWrite',
          'EventWriteEx',
          'EventWriteString',
          'EventWriteTransfer',
        ],
      },
    ]);
  });

  it('passes the requests of sessions to the callbacks, on another thread or inside EventRegister', async () => {
    interface Run {
      readonly early: object[];
      readonly late: object[];
    }
    const { result, calls } = await runProgram<Run>('programs/probe-sessions.mjs', { recorder: true });
    const elsewhere = { sameThread: false, handleIsSet: true };
    const first = { code: 1, level: 4, any: '255', all: '1', filter: 'Interval\x001\0' };
    const captured = { code: 2, level: 0, any: '0', all: '0', filter: '' };
    const widened = { code: 1, level: 5, any: '18446744073709551615', all: '0', filter: '' };
    const disabled = { code: 0, level: 0, any: '0', all: '0', filter: '' };
    const everything = { code: 1, level: 0, any: '0', all: '0', filter: '' };
    expect(result).toEqual({
      early: [first, captured, widened, disabled, everything, disabled].map((command) => ({
        ...elsewhere,
        ...command,
      })),
      late: [
        { sameThread: true, handleIsSet: false, ...first },
        ...[captured, widened, disabled].map((command) => ({ ...elsewhere, ...command })),
      ],
      afterwards: 2,
      other: 0,
      unregistered: [0, 6],
      traits: 0,
      badTraits: 87,
      noHandle: 6,
      mistake: 'no GUID is no GUID.',
    });
    const handles = callsOf(calls, 'register').map(({ handle }) => handle);
    expect(new Set(handles).size).toBe(4);
    const [callback] = callsOf(sectionOf(calls, 'enable'), 'callback');
    expect(callback).toMatchObject({
      handle: handles[0],
      provider: PROVIDER,
      code: 1,
      level: 4,
      any: '0xff',
      all: '0x1',
      filter: Buffer.from('Interval\x001\0').toString('hex'),
    });
    expect(callback?.thread).not.toBe(callsOf(calls, 'register')[0]?.thread);
    expect(callsOf(calls, 'setInformation').map(({ data, status }) => [data, status])).toEqual([
      ['05004d7900', 0],
      ['06004d7900', 87],
      ['384c86b37342c558545b8b3608343471', 6],
    ]);
  });

  it('records every byte of an event, subject to filter, limits and injected failures', async () => {
    const { result, calls } = await runProgram<object>('programs/probe-writes.mjs', { recorder: true });
    const both = (enabled: boolean) => [enabled, enabled];
    expect(result).toEqual({
      unheard: 0,
      // Of levels and keywords as in the program: fits; too verbose; level 0; keyword 0; no bit of any; all missing;
      // both bits
      filtered: [true, false, true, true, false, false, true].flatMap((enabled) => [both(enabled), 0]),
      everything: Array.from({ length: 7 }, () => [both(true), 0]).flat(),
      limits: [0, 87, 0, 534, 534],
      failures: [8, 8, 0, 234, 0],
      registered: [8, 0],
      traits: [87, 0],
      otherWays: [0, 0, 0],
      disabled: 0,
      unregistered: 6,
      never: 6,
    });
    const writes = (text: string) => callsOf(sectionOf(calls, text), 'write');
    expect(writes('nobody listens').map(({ delivered }) => delivered)).toEqual([false]);
    expect(writes('bytes')).toEqual([
      {
        seq: expect.any(Number),
        thread: expect.any(Number),
        op: 'write',
        function: 'EventWriteTransfer',
        handle: callsOf(calls, 'register')[0]?.handle,
        provider: PROVIDER,
        descriptor: '0000000b040000000200000000000000',
        activityId: id('aa'),
        relatedActivityId: id('bb'),
        threadActivityId: NO_ID,
        count: 4,
        data: [
          { type: 2, size: 5, bytes: '05004d7900' },
          { type: 1, size: 9, bytes: '0900004561676c6500' },
          { type: 0, size: 7, bytes: '68c3a96c6c6f00' },
          { type: 0, size: 0, bytes: '' },
        ],
        delivered: true,
        status: 0,
      },
    ]);
    expect(writes('filter').map(({ delivered }) => delivered)).toEqual([
      true,
      false,
      true,
      true,
      false,
      false,
      true,
    ]);
    expect(writes('limits').map(({ count, data }) => [count, data.length])).toEqual([
      [128, 128],
      [129, 0],
      [1, 1],
      [1, 1],
      [2, 2],
    ]);
    expect(writes('failures').map(({ delivered }) => delivered)).toEqual([false, false, true, false, true]);
    expect(writes('other ways').map((write) => [write.function, write.data.length])).toEqual([
      ['EventWrite', 0],
      ['EventWriteEx', 0],
      ['EventWriteString', 1],
    ]);
    expect(writes('end').map(({ delivered }) => delivered)).toEqual([false, false, false]);
  });

  it('keeps an activity id for each thread, with all five control codes', async () => {
    const { result, calls } = await runProgram<object>('programs/probe-activity-ids.mjs', { recorder: true });
    const bytes = (byte: string) => byte.repeat(16);
    const inEachThread = [
      bytes('00'),
      bytes('11'),
      bytes('11'),
      bytes('11'),
      bytes('22'),
      2,
      bytes('22'),
      bytes('22'),
      false,
      87,
      87,
      87,
    ];
    expect(result).toEqual({ inMain: inEachThread, inWorker: inEachThread, after: bytes('33') });
    expect(callsOf(calls, 'write')[0]).toMatchObject({ activityId: null, threadActivityId: id('33') });
    expect(callsOf(calls, 'activityIdControl')[3]).toMatchObject({ code: 4, in: id('22'), out: id('11') });
  });
});
