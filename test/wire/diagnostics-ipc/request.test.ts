/** The other commands of the diagnostics IPC protocol, byte by byte, and invalid messages. */
import { describe, expect, it } from 'vitest';
import { DiagnosticsIpcError } from '../../../lib/wire/diagnostics-ipc/error.ts';
import { decodeRequest, encodeRequest, type Request } from '../../../lib/wire/diagnostics-ipc/request.ts';
import { bytesOf, hexOf, messageOf } from './bytes.ts';

const GUID = '00112233-4455-6677-8899-aabbccddeeff';
/** In struct order. */
const GUID_BYTES = '33221100 5544 7766 8899aabbccddeeff';
const PATH_A = '02000000 61000000';

const REQUESTS: readonly [Request, commandSet: number, commandId: number, payload: string][] = [
  [
    { command: 'GenerateCoreDump', version: 1, path: 'a', dumpType: 4, flags: 1 },
    1,
    1,
    `${PATH_A} 04000000 01000000`,
  ],
  [
    { command: 'GenerateCoreDump', version: 2, path: 'a', dumpType: 2, flags: 3 },
    1,
    2,
    `${PATH_A} 02000000 03000000`,
  ],
  [
    { command: 'GenerateCoreDump', version: 3, path: 'a', dumpType: 1, flags: 0 },
    1,
    3,
    `${PATH_A} 01000000 00000000`,
  ],
  [{ command: 'StopTracing', sessionId: 0x0123456789abcdefn }, 2, 1, 'efcdab8967452301'],
  [{ command: 'CaptureState', sessionId: 0x0123456789abcdefn }, 2, 0x80, 'efcdab8967452301'],
  [
    { command: 'AttachProfiler', timeoutMs: 1000, profilerGuid: GUID, path: 'a', data: bytesOf('0102') },
    3,
    1,
    `e8030000 ${GUID_BYTES} ${PATH_A} 02000000 0102`,
  ],
  [{ command: 'StartupProfiler', profilerGuid: GUID, path: 'a' }, 3, 2, `${GUID_BYTES} ${PATH_A}`],
  [{ command: 'ProcessInfo', version: 1 }, 4, 0, ''],
  [{ command: 'ResumeRuntime' }, 4, 1, ''],
  [{ command: 'ProcessEnvironment' }, 4, 2, ''],
  [{ command: 'SetEnvironmentVariable', name: 'a', value: '' }, 4, 3, `${PATH_A} 01000000 0000`],
  [{ command: 'SetEnvironmentVariable', name: 'a', value: undefined }, 4, 3, `${PATH_A} 00000000`],
  [{ command: 'ProcessInfo', version: 2 }, 4, 4, ''],
  [{ command: 'EnablePerfMap', mapType: 3 }, 4, 5, '03000000'],
  [{ command: 'DisablePerfMap' }, 4, 6, ''],
  [{ command: 'ApplyStartupHook', path: 'a' }, 4, 7, PATH_A],
  [{ command: 'ProcessInfo', version: 3 }, 4, 8, ''],
];

/** Of CollectTracing5: all that a request may hold. */
const TRACING = `01000000 0000000000000000 01000000 0300000000000000 04000000 05000000 440065006d006f000000 00000000
  01 02000000 01000000 02000000 02000000 41000000 01000000 02000000 42000000 01000000 01000000`;

describe.each(REQUESTS)('%o', (request, commandSet, commandId, payload) => {
  const message = messageOf(commandSet, commandId, payload);

  it('is written', () => {
    expect(hexOf(encodeRequest(request))).toBe(hexOf(message));
  });

  it('is read', () => {
    expect(decodeRequest(message)).toEqual(request);
  });

  it('is rejected if its payload is cut off', () => {
    for (let size = 20; size < message.length; size++) {
      const cut = message.slice(0, size);
      new DataView(cut.buffer).setUint16(14, size, true);
      expect(() => decodeRequest(cut)).toThrow(expect.objectContaining({ code: 'malformed' }));
    }
  });
});

describe('a message that is not a request', () => {
  it.each([
    ['a set', 5, 0, 'The command set 5 has no command 0. (at byte 16)'],
    ['a command of EventPipe', 2, 8, 'The command set 2 has no command 8. (at byte 16)'],
    ['a command of Dump', 1, 0, 'The command set 1 has no command 0. (at byte 16)'],
    ['a command of Profiler', 3, 3, 'The command set 3 has no command 3. (at byte 16)'],
    ['a command of Process', 4, 9, 'The command set 4 has no command 9. (at byte 16)'],
  ])('with %s receives UNKNOWN_COMMAND', (_, commandSet, commandId, message) => {
    expect(() => decodeRequest(messageOf(commandSet, commandId))).toThrow(
      expect.objectContaining({ code: 'unknown-command', replyCode: 0x80131385, message }),
    );
  });

  it('with an unknown magic receives UNKNOWN_MAGIC', () => {
    const message = messageOf(4, 0);
    message[12] = 0x32;
    expect(() => decodeRequest(message)).toThrow(
      expect.objectContaining({ code: 'unknown-magic', replyCode: 0x80131386 }),
    );
  });

  it('with a wrong size receives BAD_ENCODING', () => {
    const short = messageOf(4, 0);
    short[14] = 19;
    const long = messageOf(4, 0);
    long[14] = 21;
    for (const message of [short, long, short.slice(0, 10), new Uint8Array()]) {
      expect(() => decodeRequest(message)).toThrow(
        expect.objectContaining({ code: 'malformed', replyCode: 0x80131384 }),
      );
    }
  });

  it('with an unknown type of perf map receives BAD_ENCODING', () => {
    expect(() => decodeRequest(messageOf(4, 5, '04000000'))).toThrow('The perf map type 4 does not exist.');
  });
});

describe('a request', () => {
  it('may be as long as its size can express, and no longer', () => {
    // The header, the count and the NUL beside the characters, of two bytes each.
    const longest = (0xffff - 20 - 4 - 2 - 1) / 2;
    const hook = (length: number) => encodeRequest({ command: 'ApplyStartupHook', path: 'x'.repeat(length) });
    expect(hook(longest)).toHaveLength(0xfffe);
    expect(() => hook(longest + 1)).toThrow(
      expect.objectContaining({
        code: 'too-long',
        message: 'A message has at most 65535 bytes; this one would have 65536. (at byte 65535)',
      }),
    );
  });

  it('keeps text of all planes, at any alignment', () => {
    const request = {
      command: 'SetEnvironmentVariable',
      name: 'häß\u{1f600}',
      value: 'ö'.repeat(100),
    } as const;
    expect(decodeRequest(encodeRequest(request))).toEqual(request);
  });
});

describe('arbitrary bytes', () => {
  /** The same on every run: Lehmer's generator. */
  let state = 4711;
  const random = (below: number): number => {
    state = (state * 48271) % 0x7fffffff;
    return state % below;
  };

  it('are a request, or rejected with an error of this protocol', () => {
    const outcomes = { read: 0, refused: 0 };
    for (let round = 0; round < 20_000; round++) {
      const [, set, id, payload] = REQUESTS[random(REQUESTS.length)] as (typeof REQUESTS)[number];
      const message = round % 2 === 0 ? messageOf(2, 2 + random(6), TRACING) : messageOf(set, id, payload);
      for (let changes = random(4); changes > 0; changes--) {
        message[14 + random(message.length - 14)] = random(3) === 0 ? 0xff : random(256);
      }
      try {
        decodeRequest(message);
        outcomes.read++;
      } catch (error) {
        expect(error).toBeInstanceOf(DiagnosticsIpcError);
        outcomes.refused++;
      }
    }
    expect(outcomes.read).toBeGreaterThan(1000);
    expect(outcomes.refused).toBeGreaterThan(1000);
  });
});
