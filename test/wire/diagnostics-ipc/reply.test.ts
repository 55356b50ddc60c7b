/** Replies of the diagnostics IPC protocol, and the identity of a process, byte by byte. */
import { describe, expect, it } from 'vitest';
import {
  ADVERTISE_SIZE,
  decodeAdvertise,
  encodeAdvertise,
} from '../../../lib/wire/diagnostics-ipc/advertise.ts';
import { ErrorCode } from '../../../lib/wire/diagnostics-ipc/constants.ts';
import type { MessageCursor } from '../../../lib/wire/diagnostics-ipc/message-cursor.ts';
import { type ProcessInfo, readProcessInfo } from '../../../lib/wire/diagnostics-ipc/process-info.ts';
import {
  decodeReply,
  encodeEnvironment,
  encodeError,
  encodeOk,
  encodeProcessInfoReply,
  encodeSessionReply,
  errorCodeText,
} from '../../../lib/wire/diagnostics-ipc/reply.ts';
import { bytesOf, hexOf, messageOf } from './bytes.ts';
import { decodeEnvironment, readEnvironmentSize } from './read-environment.ts';

const COOKIE = '00112233-4455-6677-8899-aabbccddeeff';
const COOKIE_BYTES = '33221100 5544 7766 8899aabbccddeeff';

function payloadOf(message: Uint8Array): MessageCursor {
  const reply = decodeReply(message);
  if (!reply.isOk) throw new Error('The reply is an error.');
  return reply.payload;
}

describe('a reply', () => {
  it('of success has 24 bytes, the last four 0', () => {
    expect(hexOf(encodeOk())).toBe(hexOf(messageOf(0xff, 0, '00000000')));
    expect(encodeOk()).toHaveLength(24);
  });

  it('for a session has 28 bytes, the last eight its id', () => {
    const reply = encodeSessionReply(0x0123456789abcdefn);
    expect(hexOf(reply)).toBe(hexOf(messageOf(0xff, 0, 'efcdab8967452301')));
    expect(payloadOf(reply).uint64()).toBe(0x0123456789abcdefn);
  });

  it('for an error has 24 bytes', () => {
    const bytes = bytesOf('444f544e45545f4950435f563100 1800 ff ff 0000 85131380');
    expect(hexOf(encodeError(ErrorCode.UnknownCommand))).toBe(hexOf(bytes));
    expect(decodeReply(bytes)).toEqual({ isOk: false, code: 0x80131385, message: undefined });
  });

  it('for an error may have a text, as for a dump', () => {
    const reply = encodeError(ErrorCode.Fail, 'no disk');
    expect(decodeReply(reply)).toEqual({ isOk: false, code: 0x80004005, message: 'no disk' });
  });

  it('belongs to the Server command set, and nothing else', () => {
    for (const message of [messageOf(0xff, 1), messageOf(4, 0)]) {
      expect(() => decodeReply(message)).toThrow(expect.objectContaining({ code: 'malformed' }));
    }
  });

  it('for an error is described in words if its code is known', () => {
    expect(errorCodeText(0x80131385)).toBe('0x80131385 (UnknownCommand)');
    expect(errorCodeText(5)).toBe('0x00000005');
  });
});

describe('ProcessInfo', () => {
  const info: ProcessInfo = {
    processId: 4711n,
    runtimeCookie: COOKIE,
    commandLine: 'a b',
    operatingSystem: 'L',
    architecture: 'x',
    entryAssembly: 'm',
    productVersion: '9',
    runtimeIdentifier: 'r',
  };
  const letter = (code: string) => `02000000 ${code}00 0000`;
  const first = `6712000000000000 ${COOKIE_BYTES} 04000000 6100200062000000 ${letter('4c')} ${letter('78')}`;
  const second = `${first} ${letter('6d')} ${letter('39')}`;
  const third = `01000000 ${second} ${letter('72')}`;

  it.each([
    [1, first, ['entryAssembly', 'productVersion', 'runtimeIdentifier']],
    [2, second, ['runtimeIdentifier']],
    [3, third, []],
  ] as const)('version %i is written and read', (version, payload, absent) => {
    const message = messageOf(0xff, 0, payload);
    expect(hexOf(encodeProcessInfoReply(version, info))).toBe(hexOf(message));
    const expected = Object.fromEntries(
      Object.entries(info).filter(([name]) => !(absent as readonly string[]).includes(name)),
    );
    expect(readProcessInfo(payloadOf(message), version)).toEqual(expected);
  });

  it('writes absent strings as empty ones, because .NET throws for absent ones', () => {
    const { entryAssembly: _, ...unnamed } = info;
    const message = encodeProcessInfoReply(2, unnamed);
    expect(readProcessInfo(payloadOf(message), 2).entryAssembly).toBe('');
  });

  it('is rejected if it is cut off', () => {
    const whole = bytesOf(third);
    for (let size = 0; size < whole.length; size++) {
      const payload = payloadOf(messageOf(0xff, 0, hexOf(whole.subarray(0, size))));
      expect(() => readProcessInfo(payload, 3)).toThrow(expect.objectContaining({ code: 'malformed' }));
    }
  });
});

describe('ProcessEnvironment', () => {
  const body = '02000000 04000000 41003d0031000000 03000000 42003d000000';
  const reply = hexOf(messageOf(0xff, 0, '1a000000 0000'));

  it('is a reply with the size, and the variables after it', () => {
    expect(hexOf(encodeEnvironment(['A=1', 'B=']))).toBe(reply + hexOf(bytesOf(body)));
    expect(readEnvironmentSize(payloadOf(bytesOf(reply)))).toBe(26);
    expect(decodeEnvironment(bytesOf(body))).toEqual(['A=1', 'B=']);
  });

  it('may be longer than any message', () => {
    const variables = Array.from({ length: 1000 }, (_, i) => `V${i}=${'x'.repeat(100)}`);
    const bytes = encodeEnvironment(variables);
    expect(decodeEnvironment(bytes.subarray(26))).toEqual(variables);
  });

  it('is rejected if its size is wrong', () => {
    expect(() => decodeEnvironment(bytesOf(`${body} 00`))).toThrow('1 bytes follow the last variable.');
    expect(() => decodeEnvironment(bytesOf('ffffffff'))).toThrow('There cannot be 4294967295 variables');
    const size = payloadOf(messageOf(0xff, 0, 'ffffffff 0000'));
    expect(() => readEnvironmentSize(size)).toThrow('An environment cannot have 4294967295 bytes.');
  });
});

describe('the advertise message', () => {
  const bytes = bytesOf(`41445652 5f563100 ${COOKIE_BYTES} 6712000000000000 0000`);

  it('has 34 bytes', () => {
    expect(bytes).toHaveLength(ADVERTISE_SIZE);
    expect(hexOf(encodeAdvertise({ runtimeCookie: COOKIE, processId: 4711n }))).toBe(hexOf(bytes));
    expect(decodeAdvertise(bytes)).toEqual({ runtimeCookie: COOKIE, processId: 4711n });
  });

  it('is rejected if it is a different message, or cut off', () => {
    expect(() => decodeAdvertise(bytes.subarray(0, 33))).toThrow('34 bytes, not 33');
    expect(() => decodeAdvertise(bytes.map((byte, i) => (i === 6 ? 0x32 : byte)))).toThrow(
      expect.objectContaining({ code: 'unknown-magic' }),
    );
  });
});
