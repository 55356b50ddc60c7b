import { describe, expect, it } from 'vitest';
import type { ByteSource } from '../../../lib/trace/byte-source.ts';
import { openNetTrace } from '../../../lib/trace/nettrace/open-nettrace.ts';
import { MemorySource } from '../../../lib/trace/source/memory-source.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import type { TraceError } from '../../../lib/wire/trace-error.ts';
import {
  type Bytes,
  block,
  compressedEventV4,
  fastSerialized,
  flat,
  guid,
  headV4,
  metadataBlock,
  metadataBlockV4,
  metadataRow,
  metadataV4,
  START_TIME_MS,
  sized,
  threadRow,
  traceBlock,
  u16,
  u32,
  u64,
  uncompressedBlock,
  uncompressedEvent,
  utf8,
  utf16,
  v6Start,
  v6Trace,
  varuint,
} from '../../wire/nettrace/nettrace-bytes.ts';

async function read(bytes: Uint8Array) {
  const reader = await openNetTrace(new MemorySource(bytes));
  const events: TraceEvent[] = [];
  let error: TraceError | undefined;
  try {
    for await (const batch of reader.batches()) events.push(...batch);
  } catch (thrown) {
    error = thrown as TraceError;
  }
  return { reader, events, error };
}

/** A row of metadata whose provider is given. */
const described = (
  id: number,
  provider: string,
  name: string,
  fields: Bytes = u16(0),
  optional: Bytes = [],
  eventId = 5,
) => sized(u16)(varuint(id), utf8(provider), varuint(eventId), utf8(name), fields, sized(u16)(optional));

/** The first event of the trace, which is of the metadata with id 2 of these. */
async function eventOf(
  rows: Bytes,
  event: Partial<Parameters<typeof uncompressedEvent>[0]> = {},
  ...before: Bytes
) {
  const bytes = v6Trace(
    metadataBlock(rows),
    before,
    uncompressedBlock(uncompressedEvent({ time: 1, metadataId: 2, ...event })),
  );
  const { events, error } = await read(bytes);
  expect(error).toBeUndefined();
  return events[0] as TraceEvent;
}

describe('a nettrace', () => {
  it('describes itself', async () => {
    const properties = { ProcessId: '1234', HardwareThreadCount: '16', Ponies: 'many' };
    const { reader } = await read(flat(v6Start, traceBlock(properties), u32(0)));
    expect(reader.info).toEqual({
      format: 'nettrace',
      formatVersion: 6,
      startTime: BigInt(START_TIME_MS) * 1_000_000n,
      hasWallTime: true,
      pointerSize: 8,
      processors: 16,
      processId: 1234,
      properties,
    });
    expect((await read(fastSerialized(3))).reader.info).toMatchObject({
      format: 'netperf',
      formatVersion: 3,
    });
  });

  it('has times in nanoseconds, exactly', async () => {
    const event = await eventOf(described(2, 'P', 'Event'), { time: 0x7fff_ffff_ffff_ffffn });
    expect(event.timeSinceStart).toBe(0x7fff_ffff_ffff_ffffn * 1_000_000n);
    expect(event.timestamp).toBe(BigInt(START_TIME_MS) * 1_000_000n + event.timeSinceStart);
  });

  it('counts what is lost, and what has been read', async () => {
    const bytes = v6Trace(uncompressedBlock(uncompressedEvent({ time: 1, sequence: 4 })));
    const { reader } = await read(bytes);
    expect(reader.progress).toMatchObject({ lostEvents: 3, lostBuffers: 0, bytesRead: bytes.length });
  });

  it('that ends early delivers its events, then says where', async () => {
    const bytes = v6Trace(uncompressedBlock(uncompressedEvent({ time: 1 })));
    const { events, error } = await read(bytes.subarray(0, -1));
    expect(events.length).toBe(1);
    expect(error).toMatchObject({ name: 'TraceError', code: 'truncated', offset: bytes.length - 1 });
    expect(error?.message).toBe(`The trace is truncated. (at byte ${bytes.length - 1})`);
  });

  it('without a complete head cannot be opened', async () => {
    const opened = openNetTrace(new MemorySource(v6Trace().subarray(0, 30)));
    await expect(opened).rejects.toMatchObject({ name: 'TraceError', code: 'truncated', offset: 30 });
  });

  it('that is still being written delivers what is final', async () => {
    const bytes = v6Trace(
      uncompressedBlock(uncompressedEvent({ time: 1, isSorted: true })),
      uncompressedBlock(uncompressedEvent({ time: 2, sequence: 2, isSorted: true })),
    );
    let isClosed = false;
    async function* chunks() {
      try {
        yield bytes.subarray(0, -8);
        await new Promise(() => {});
      } finally {
        isClosed = true;
      }
    }
    const source: ByteSource = { name: 'pipe', size: undefined, chunks, seekable: () => Promise.reject() };
    const reader = await openNetTrace(source);
    for await (const batch of reader.batches()) {
      expect(batch.length).toBe(1);
      break;
    }
    expect(isClosed).toBe(true);
  });
});

describe('the name of an event', () => {
  it.each([
    ['RequestStart', [], 1, 'Request', 'Start'],
    ['RequestSTOP', [], 2, 'Request', 'Stop'],
    ['Request', [], 0, 'Request', 'Info'],
    ['Start', [], 0, 'Start', 'Info'],
    ['RequestStart', [1, 0], 0, 'RequestStart', 'Info'],
    ['Request', [1, 1], 1, 'Request', 'Start'],
    ['Request', [1, 9], 9, 'Request', 'Send'],
  ])('%s with opcode %j', async (name, opcodeEntry, opcode, taskName, opcodeName) => {
    const event = await eventOf(described(2, 'P', name, u16(0), opcodeEntry));
    expect(event).toMatchObject({ name, opcode, taskName, opcodeName });
  });

  it.each([
    ['Microsoft-Windows-DotNETRuntime', 9, 'GC/SuspendEEStart', 'GC', 'SuspendEEStart', 0],
    ['Microsoft-Windows-DotNETRuntime', 1, 'GC/Start', 'GC', 'Start', 1],
    ['Microsoft-DotNETCore-SampleProfiler', 0, 'Thread/Sample', 'Thread', 'Sample', 0],
  ])('that %s does not give event %i is known', async (provider, id, name, taskName, opcodeName, opcode) => {
    const event = await eventOf(described(2, provider, '', u16(0), [], id));
    expect(event).toMatchObject({ name, taskName, opcodeName, opcode });
  });

  it('that has none is derived from its id', async () => {
    expect(await eventOf(described(2, 'P', ''))).toMatchObject({
      name: 'EventID(5)',
      taskName: 'EventID(5)',
    });
  });
});

describe('the provider of an event', () => {
  it.each([
    ['Microsoft-Windows-DotNETRuntime', 'e13c0d23-ccbc-4e12-931b-d9cc2eee27e4'],
    ['System.Threading.Tasks.TplEventSource', '2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5'],
    ['TestProvider', '97c801ee-c28b-5bb6-2ae4-11e18fe6137a'],
  ])('%s has a GUID', async (provider, providerGuid) => {
    expect(await eventOf(described(2, provider, 'Event'))).toMatchObject({ provider, providerGuid });
  });

  it('has the GUID in the trace, if there is one', async () => {
    const event = await eventOf(described(2, 'TestProvider', 'Event', u16(0), [7, guid(9)]));
    expect(event.providerGuid).toBe('00000009-0000-0000-0000-000000000000');
  });
});

describe('an event', () => {
  const label = (...labels: Bytes) => block(8, u32(1), u32(1), labels);

  it('has what its labels contain', async () => {
    const labels = label(
      [1, guid(1)],
      [3, Array(16).fill(0xab)],
      [4, u64(5)],
      [5, utf8('k'), utf8('v')],
      [7, 2],
      [8, u64(0xf0)],
      [9, 1],
      [0x8a, 3],
    );
    const event = await eventOf(described(2, 'P', 'RequestStop', u16(0), [8, 4]), { labels: 1 }, labels);
    expect(event).toMatchObject({ opcode: 2, keywords: 0xf0n, level: 1, version: 3, taskName: 'Request' });
    expect({ ...event.labels }).toEqual({ TraceId: 'ab'.repeat(16), SpanId: '0000000000000005', k: 'v' });
    expect(event.toJSON().labels).toEqual({ ...event.labels });
  });

  it('without labels besides its activity has none', async () => {
    const event = await eventOf(described(2, 'P', 'Event'), { labels: 1 }, label(0x81, guid(1)));
    expect(event.labels).toBeUndefined();
    expect(event.activityId).toBe('00000001-0000-0000-0000-000000000000');
  });

  it('has its payload, and says so if nothing describes it', async () => {
    const field = [u16(1), sized(u16)(utf8('a'), 9)];
    const event = await eventOf(described(2, 'P', 'Event', field), { payload: u32(7) });
    expect({ ...event.payload }).toEqual({ a: 7 });
    expect(event.payloadProblem).toBeUndefined();
    const other = await eventOf(described(2, 'P', 'Event'), { payload: u32(7) });
    expect(other.payload).toEqual(Object.create(null));
    expect(other.payloadProblem).toBe('Nothing in the trace describes the fields of this event.');
    expect(other.payloadBytes).toEqual(flat(u32(7)));
  });

  it.each([
    ['a DiagnosticSource', 'Event', 'EventName'],
    ['an ActivitySource', 'ActivityStart', 'ActivityName'],
  ])('of %s has fields that its metadata cannot describe', async (_, name, nameField) => {
    const payload = [utf16('Source'), utf16('Name'), u16(1), utf16('key'), utf16('value')];
    const described4 = metadataBlockV4([
      u32(1),
      utf16('Microsoft-Diagnostics-DiagnosticSource'),
      u32(2),
      utf16(name),
      u64(0),
      u32(0),
      u32(4),
      u32(0),
    ]);
    const bytes = fastSerialized(4, described4, [
      'EventBlock',
      headV4(1),
      compressedEventV4({ time: 1, payload }),
    ]);
    const { events } = await read(bytes);
    expect(JSON.stringify(events[0]?.payload)).toBe(
      `{"SourceName":"Source","${nameField}":"Name","Arguments":[{"Key":"key","Value":"value"}]}`,
    );
  });

  it('of version 4 has process, thread and processor', async () => {
    const bytes = fastSerialized(4, metadataBlockV4(metadataV4(1, 15, 'Event')), [
      'EventBlock',
      headV4(1),
      compressedEventV4({ time: 1, thread: 7, processor: 2 }),
    ]);
    expect((await read(bytes)).events[0]).toMatchObject({ processId: 1234, threadId: 7, processor: 2 });
  });
});

describe('names of processes', () => {
  it('are known when a process is created', async () => {
    const fields = [u16(2), sized(u16)(utf8('NamespaceId'), 21), sized(u16)(utf8('Name'), 19, 23)];
    const bytes = v6Trace(
      block(6, threadRow(3, 4321, 4321)),
      metadataBlock(described(2, 'Universal.System', 'ProcessCreate', fields)),
      uncompressedBlock(
        uncompressedEvent({
          time: 1,
          metadataId: 2,
          thread: 3,
          payload: [varuint(9), u16(4), Array.from(Buffer.from('node'))],
        }),
      ),
    );
    expect([...(await read(bytes)).reader.progress.processNames]).toEqual([[4321, 'node']]);
  });

  it.each([
    ['/usr/bin/dotnet run', 'dotnet'],
    ['"C:\\Program Files\\app\\My App.exe" --x', 'My App'],
    ['  app', 'app'],
  ])('are in the command line %s', async (commandLine, name) => {
    const fields = [u16(1), sized(u16)(utf8('CommandLine'), 18)];
    const bytes = v6Trace(
      metadataBlock(described(2, 'Microsoft-DotNETCore-EventPipe', 'ProcessInfo', fields)),
      uncompressedBlock(uncompressedEvent({ time: 1, metadataId: 2, payload: utf16(commandLine) })),
    );
    expect([...(await read(bytes)).reader.progress.processNames]).toEqual([[84, name]]);
  });

  it('are not taken from other events, nor from an empty command line', async () => {
    const fields = [u16(1), sized(u16)(utf8('CommandLine'), 18)];
    const bytes = v6Trace(
      metadataBlock(
        described(2, 'Microsoft-DotNETCore-EventPipe', 'ProcessInfo', fields),
        metadataRow(3, 1, 'ProcessInfo', [[utf8('CommandLine'), 18]]),
      ),
      uncompressedBlock(
        uncompressedEvent({ time: 1, metadataId: 2, payload: utf16('') }),
        uncompressedEvent({ time: 1, metadataId: 3, sequence: 2, payload: utf16('x') }),
      ),
    );
    expect([...(await read(bytes)).reader.progress.processNames]).toEqual([]);
  });
});
