/** Malformed messages: each is answered with the protocol's error code, and does no harm. */
import { expect, it } from 'vitest';
import { ByteConnection, exchange } from './byte-client.ts';
import {
  array,
  DONE,
  EVENT_PIPE,
  errorReply,
  header,
  message,
  NET_TRACE,
  NO_TEXT,
  PROCESS,
  provider,
  SERVER,
  stopTracing,
  text,
  u8,
  u32,
  u64,
} from './byte-messages.ts';
import { describePorts, target } from './byte-target.ts';
import {
  WORKED_2,
  WORKED_3,
  WORKED_4,
  WORKED_5,
  WORKED_6,
  WORKED_USER_EVENTS,
} from './byte-worked-messages.ts';

const answerTo = async (request: Uint8Array) => exchange((await target()).address, request);

const MB = u32(10);
const ONE = provider({ name: 'P' });
const unknownMagic = Buffer.from('DOTNET_IPC_V2\0', 'latin1');
const collect2 = (...parts: Buffer[]) => message(EVENT_PIPE, 0x03, ...parts);
const collect2Of = (count: number) =>
  collect2(MB, NET_TRACE, u8(0), array(Array.from({ length: count }, () => ONE)));
const withName = (name: Buffer) =>
  collect2(MB, NET_TRACE, u8(0), array([Buffer.concat([u64(0n), u32(4), name, NO_TEXT])]));
const setVariable = (...parts: Buffer[]) => message(PROCESS, 0x03, ...parts);
/** The message without its last bytes, and a header that tells its length. */
const without = (bytes: Buffer, count: number) =>
  message(bytes[16] ?? 0, bytes[17] ?? 0, bytes.subarray(20, bytes.length - count));

describePorts('a message to a diagnostic port', (hasAddon) => {
  it.each([
    ['another version of the protocol', header(PROCESS, 0x01, 20, unknownMagic)],
    ['nothing but zeros', Buffer.alloc(20)],
    ['a request by HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
  ])('has an unknown magic: %s', async (_, request) => {
    expect(await answerTo(request)).toEqual(errorReply('UNKNOWN_MAGIC'));
  });

  it.each([0, 1, 19])('is malformed: a size of %d', async (size) => {
    expect(await answerTo(header(PROCESS, 0x01, size))).toEqual(errorReply('BAD_ENCODING'));
  });

  it.each<[string, Buffer]>([
    ['no size of the buffer', collect2(u32(0), NET_TRACE, u8(0), array([ONE]))],
    ['format 2', collect2(MB, u32(2), u8(0), array([ONE]))],
    ['format 0xFFFFFFFF', collect2(MB, u32(0xffff_ffff), u8(0), array([ONE]))],
    ['level 6', collect2(MB, NET_TRACE, u8(0), array([provider({ name: 'P', level: 6 })]))],
    ['an empty name', withName(text(''))],
    ['an absent name', withName(NO_TEXT)],
    ['no providers', collect2Of(0)],
    ['1001 providers', collect2Of(1001)],
    ['more providers than there are', collect2(MB, NET_TRACE, u8(0), u32(2), ONE)],
    ['four billion providers', collect2(MB, NET_TRACE, u8(0), u32(0xffff_ffff), ONE)],
    ['a text that is longer than the message', withName(Buffer.concat([u32(100), text('P')]))],
    ['a text of four billion units', withName(u32(0xffff_ffff))],
    ['a text whose bytes are 2^32 and 4', withName(Buffer.concat([u32(0x8000_0002), text('P').subarray(4)]))],
    ['a text without its NUL', withName(Buffer.concat([u32(1), Buffer.from('P', 'utf16le')]))],
    ['a session of an unknown type', message(EVENT_PIPE, 0x06, u32(2), WORKED_5.subarray(24))],
    ['a filter of four billion ids', message(EVENT_PIPE, 0x06, WORKED_5.subarray(20, -12), u32(0xffff_ffff))],
    ['a CollectTracing6 without its mode', without(WORKED_6, 4)],
    ['a variable without a value', setVariable(text('A'))],
    ['a variable without anything', setVariable()],
    ['EnablePerfMap without a type', message(PROCESS, 0x05)],
    ['EnablePerfMap with half a type', message(PROCESS, 0x05, u8(3))],
    ['StopTracing with half an id', without(stopTracing(1n), 4)],
    ['StopTracing without an id', without(stopTracing(1n), 8)],
    ['a size of 65535, and so much of nothing', header(EVENT_PIPE, 0x03, 65535)],
  ])('is malformed: %s', async (_, request) => {
    const size = request.readUInt16LE(14);
    const whole = Buffer.concat([request, Buffer.alloc(size - request.length, 0xff)]);
    expect(await answerTo(whole)).toEqual(errorReply('BAD_ENCODING'));
  });

  it.each([
    ['CollectTracing2', WORKED_2],
    ['CollectTracing3', WORKED_3],
    ['CollectTracing4', WORKED_4],
    ['CollectTracing5', WORKED_5],
    ['CollectTracing6', WORKED_6],
    ['CollectTracing5 of user_events', WORKED_USER_EVENTS],
  ])('is malformed: a %s cut off at any point', async (_, request) => {
    for (let missing = 1; missing <= request.length - 20; missing++) {
      expect(await answerTo(without(request, missing))).toEqual(errorReply('BAD_ENCODING'));
    }
  });

  it('that requests NetPerf, the format before nettrace, is refused', async () => {
    const netPerf = collect2(MB, u32(0), u8(0), array([ONE]));
    expect(await answerTo(netPerf)).toEqual(errorReply('FAIL'));
  });

  it('is refused without a descriptor for user_events', async () => {
    const refusal = errorReply(hasAddon ? 'BAD_ENCODING' : 'NOT_SUPPORTED');
    expect(await answerTo(Buffer.concat([WORKED_USER_EVENTS, u8(0)]))).toEqual(refusal);
  });

  it.each([
    ['CollectTracing2', WORKED_2],
    ['CollectTracing4', WORKED_4],
    ['CollectTracing5', WORKED_5],
    ['CollectTracing6', WORKED_6],
    ['CollectTracing5 of user_events', WORKED_USER_EVENTS],
    ['SetEnvironmentVariable', setVariable(text('A'), text('1'))],
  ])('is answered: a %s with any of its bytes changed', async (_, request) => {
    const { address } = await target();
    for (let position = 0; position < request.length; position++) {
      // The size alone decides how much is waited for.
      if (position === 14 || position === 15) continue;
      for (const change of [0x01, 0xff]) {
        const changed = Buffer.from(request);
        changed[position] = (changed[position] ?? 0) ^ change;
        // The byte after it is where a descriptor would come.
        const connection = await ByteConnection.open(address);
        const reply = await connection.send(Buffer.concat([changed, u8(0)])).take(20);
        expect(reply.subarray(0, 14)).toEqual(request.subarray(0, 14));
        expect(reply[16]).toBe(SERVER);
        connection.destroy();
      }
    }
  });

  it('leaves no session, and a process in the same state as before', async () => {
    await expect.poll(async () => (await (await target()).state()).enabled).toBe(0);
    expect((await (await target()).state()).payloads).toBe(0);
    expect(await answerTo(message(PROCESS, 0x01))).toEqual(DONE);
  });
});
