/** `EtwSession`: what its options mean is tested with Windows' functions, in test/windows; here, what they may not be. */
import { describe, expect, it } from 'vitest';
import { type EtwProviderOptions, enableRequest } from '../../lib/record/etw-provider-options.ts';
import { EtwSession } from '../../lib/record/etw-session.ts';
import { type EtwSessionOptions, sessionProperties } from '../../lib/record/etw-session-options.ts';
import { named } from '../platforms.ts';

const messageOf = (run: () => unknown): string => {
  try {
    run();
    return 'accepted';
  } catch (error) {
    return String(error);
  }
};

describe('the options of an ETW session', () => {
  it.each<[Partial<EtwSessionOptions> & Record<string, unknown>, string]>([
    [{ name: '' }, "TypeError: An ETW session's name must have 1 to 1023 characters, not be ''."],
    [{ mode: 'ring' as 'memory' }, "must be sequential, circular, newFile or memory, not 'ring'."],
    [{}, 'An ETW session of mode sequential needs a file; without one, it is in memory or in real time.'],
    [{ mode: 'circular', realTime: true }, 'An ETW session of mode circular needs a file; without one'],
    [
      { mode: 'circular', file: 'a.etl' },
      "An ETW session of mode circular needs a maxFileBytes for 'a.etl'.",
    ],
    [{ file: 'a.etl', preallocate: true }, 'that preallocates its file needs a maxFileBytes'],
    [
      { mode: 'newFile', file: 'a.etl', maxFileBytes: 2 ** 20 },
      "An ETW session of mode newFile needs a %d in its file, which the file's number replaces: 'a.etl' has none.",
    ],
    [
      { mode: 'newFile', file: 'a%d.etl' },
      "An ETW session of mode newFile needs a maxFileBytes for 'a%d.etl'.",
    ],
    [
      { mode: 'memory', file: 'a.etl' },
      "An ETW session in memory takes no file ('a.etl'): flush writes its events into a file, and maxBuffers limits " +
        'their size.',
    ],
    [{ mode: 'memory', realTime: true }, 'An ETW session in memory takes no realTime (true)'],
    [
      { file: 'a.etl', maxFileBytes: -1 },
      'RangeError: The maxFileBytes of an ETW session must be from 1 to 4398046510080, not -1.',
    ],
    [{ file: 'a.etl', private: 'P', realTime: true }, "of 'P', cannot be combined with realTime."],
    [{ file: 'a.etl', private: 'P', independent: true }, "of 'P', cannot be combined with independent."],
    [
      { file: 'a%d.etl', private: 'P', mode: 'newFile', maxFileBytes: 2 ** 20 },
      "A private ETW session, here of 'P', cannot be combined with mode newFile.",
    ],
    [
      { file: 'a.etl', bufferBytes: 3000 },
      'RangeError: The option bufferBytes of an ETW session must be a multiple of 1024 from 4096 to 16777216, not 3000.',
    ],
    [
      { file: 'a.etl', flushIntervalMs: 1500 },
      'flushIntervalMs of an ETW session must be a multiple of 1000 from 0 to 4294967295000, not 1500.',
    ],
    [
      { file: 'a.etl', buffers: 8, maxBuffers: 7 },
      'maxBuffers of an ETW session must be an integer from 8 to',
    ],
    [
      { file: 'a.etl', system: { events: ['disk' as 'diskIo'] } },
      "The kernel has no events 'disk' for an ETW",
    ],
    [
      { file: 'a.etl', system: { events: [] } },
      "The kernel's events of an ETW session must be a list, not [].",
    ],
    [
      { file: 'a.etl', system: { events: ['profile'], sampleIntervalMs: 0.1 } },
      'RangeError: The sampleIntervalMs of an ETW session must be from 0.125 to 1000, not 0.1.',
    ],
  ])('%o are refused', (options, message) => {
    expect(messageOf(() => EtwSession.start({ name: 'S', ...options }))).toContain(message);
  });

  it('have a size in KiB where it is not in whole MiB', () => {
    const { numbers } = sessionProperties({ name: 'S', file: 'a.etl', maxFileBytes: 1.5 * 2 ** 20 });
    expect(numbers).toMatchObject({ maximumFileSize: 1536, mode: 0x2001 });
  });

  const onWindows = process.platform === 'win32' ? 'Windows has them' : undefined;
  it.skipIf(onWindows !== undefined)(named('are of use on Windows only', onWindows), () => {
    const message = 'RecorderError: ETW sessions exist only on Windows.';
    expect(messageOf(() => EtwSession.start({ name: 'S', realTime: true }))).toBe(message);
    expect(messageOf(() => EtwSession.open('S'))).toBe(message);
  });
});

describe('the options of a provider', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, id) => id);

  it.each<[EtwProviderOptions, string]>([
    [{ level: 256 }, 'RangeError: The level of P must be an integer from 0 to 255, not 256.'],
    [{ keywords: -1n }, 'RangeError: Keywords of P must be a bigint of 64 bits, not -1n.'],
    [{ processIds: ids(9) }, 'RangeError: The option processIds of P takes 1 to 8 ids, not 9.'],
    [{ eventIds: ids(65) }, 'RangeError: The option eventIds of P takes 1 to 64 ids, not 65.'],
    [{ exceptEventIds: [] }, 'RangeError: The option exceptEventIds of P takes 1 to 64 ids, not 0.'],
    [{ eventIds: [65_536] }, 'RangeError: The option eventIds of P takes ids from 0 to 65535, not 65536.'],
    [
      { eventIds: [1], exceptEventIds: [2] },
      'TypeError: The options eventIds ([ 1 ]) and exceptEventIds ([ 2 ]) of P exclude each other.',
    ],
    [{ eventNames: ['a'], exceptEventNames: ['b'] }, 'of P exclude each other.'],
    [{ eventNames: ['a\0'] }, "TypeError: The option eventNames of P takes a list of names, not 'a\\x00'."],
    [{ executables: ['a;b'] }, "TypeError: The option executables of P takes a list of names, not 'a;b'."],
    [
      { executables: ['x'.repeat(512)] },
      'RangeError: The option executables of P has 1026 bytes; an ETW session takes 1024.',
    ],
    [{ stacks: [-1] }, 'RangeError: The option stacks of P takes ids from 0 to 65535, not -1.'],
    [{ stacks: { level: -1 } }, 'RangeError: The level of P must be an integer from 0 to 255, not -1.'],
  ])('%o are refused', (options, message) => {
    expect(messageOf(() => enableRequest('P', options))).toContain(message);
  });

  it('may be the maximum', () => {
    const { filters } = enableRequest('P', { processIds: ids(8), eventIds: ids(64), stacks: ids(64) });
    expect(filters.map(({ data }) => data.length)).toEqual([32, 132, 132]);
  });

  it('take a GUID in braces, too', () => {
    const guid = 'b3864c38-4273-58c5-545b-8b3608343471';
    expect(enableRequest(`{${guid}}`, {}).provider).toBe(guid);
    expect(messageOf(() => enableRequest('', {}))).toBe(
      "TypeError: An ETW provider must be a name or a GUID, not ''.",
    );
  });
});
