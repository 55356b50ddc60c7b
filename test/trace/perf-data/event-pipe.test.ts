/** EventPipe events in tracepoints, described by the first one of each kind. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { Bytes, fileBytes, sample } from '../../wire/perf-data/file-bytes.ts';
import { readBytes } from './read.ts';

const FIELDS = ['u8 version', 'u16 event_id', '__rel_loc u8[] extension', '__rel_loc u8[] payload']
  .map((field, i) => `\tfield:${field};\toffset:${[8, 9, 11, 15][i]};\tsize:${[1, 2, 4, 4][i]};\tsigned:0;\n`)
  .join('');
const utf16 = (value: string) => [...Buffer.from(`${value}\0`, 'utf16le')];

/** Level 4, keywords 3. @param fields each of its type's code and its name */
function metadata(
  provider: string,
  id: number,
  name: string,
  version = 0,
  fields: readonly (readonly [code: number, name: string])[] = [],
): number[] {
  const bytes = new Bytes(true).raw(utf16(provider)).u32(id).raw(utf16(name)).u64(3).u32(version).u32(4);
  bytes.u32(fields.length);
  for (const [code, field] of fields) bytes.u32(code).raw(utf16(field));
  return [...bytes.done()];
}

const label = (description: readonly number[]) => [
  1,
  ...new Bytes(true).u32(description.length).done(),
  ...description,
];

function event(id: number, extension: readonly number[], payload: readonly number[]): number[] {
  const bytes = new Bytes(true).raw([1]).u16(id);
  bytes.u16(4).u16(extension.length).u16(extension.length).u16(payload.length);
  return [...bytes.raw(extension).raw(payload).done()];
}

async function read(...payloads: readonly (readonly number[])[]): Promise<readonly TraceEvent[]> {
  const records = payloads.map((payload, i) => sample(true, { timeNs: BigInt(i + 1), payload }));
  return (await readBytes(fileBytes({ fields: FIELDS, records }))).events;
}

describe('EventPipe events in tracepoints', () => {
  const REQ_STOP = metadata('Demo', 1, 'ReqStop', 0, [[9, 'ms']]);
  const SEVEN = [7, 0, 0, 0];

  it('are described by the first one of their kind', async () => {
    const [first, later] = await read(
      event(1, label(REQ_STOP), SEVEN),
      event(1, [2, ...new Array(16).fill(0x11)], SEVEN),
    );
    const expected = {
      provider: 'Demo',
      // Made from the name.
      providerGuid: expect.stringMatching(/^[-0-9a-f]{36}$/),
      name: 'ReqStop',
      id: 1,
      level: 4,
      keywords: 3n,
      opcode: 2,
      opcodeName: 'Stop',
      taskName: 'Req',
      payload: { ms: 7 },
      payloadProblem: undefined,
    };
    expect(first).toMatchObject(expected);
    expect(later).toMatchObject({ ...expected, activityId: '11111111-1111-1111-1111-111111111111' });
  });

  it('take the opcode that follows the fields in their metadata', async () => {
    const [only] = await read(
      event(1, label([...REQ_STOP, ...new Bytes(true).u32(1).raw([1, 9]).done()]), SEVEN),
    );
    expect(only).toMatchObject({ name: 'ReqStop', opcode: 9, opcodeName: 'Send' });
  });

  it("of .NET's runtime itself, whose metadata has neither names nor fields, have the known ones", async () => {
    const provider = 'Microsoft-Windows-DotNETRuntime';
    const payload = new Bytes(true).u32(5).u32(2).u32(1).u32(0).u16(9).u64(77).done();
    const [gc] = await read(event(1, label(metadata(provider, 1, '', 2)), [...payload]));
    expect(gc).toMatchObject({
      provider,
      providerGuid: 'e13c0d23-ccbc-4e12-931b-d9cc2eee27e4',
      name: 'GC/Start',
      id: 1,
      version: 2,
      opcode: 1,
      opcodeName: 'Start',
      taskName: 'GC',
      payloadProblem: undefined,
    });
    expect(gc?.payload).toMatchObject({ Count: 5, Depth: 2, ClrInstanceID: 9, ClientSequenceNumber: 77n });
  });

  it('without a name or description are named by their id, and say so', async () => {
    const [unknown] = await read(event(7, label(metadata('Demo', 7, '')), SEVEN));
    expect(unknown).toMatchObject({ name: 'EventID(7)', id: 7, payload: {} });
    expect(unknown?.payloadProblem).toBe('Nothing in the trace describes the fields of this event.');
  });

  it('without metadata yet have the name of their tracepoint', async () => {
    const [early] = await read(event(1, [], SEVEN));
    expect(early).toMatchObject({ provider: 'user_events', name: 'P_L5K1', id: 1, payload: {} });
    expect(early?.payloadProblem).toBe('No metadata that describes the event has been recorded yet.');
  });

  it('of an unsupported version say so', async () => {
    const [other] = await read([2, ...new Array(12)]);
    expect(other).toMatchObject({ provider: 'user_events', name: 'P_L5K1', payload: {} });
    expect(other?.payloadProblem).toContain('format version 2');
  });
});
