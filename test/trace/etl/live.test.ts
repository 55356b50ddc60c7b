/** The stream of an ETW session in real time: marks, losses, and descriptions that come on the way. */
import { describe, expect, it } from 'vitest';
import { openTrace } from '../../../lib/trace/open-trace.ts';
import { liveHeaderBuffer } from '../../../lib/wire/etl/live-header.ts';
import { guidBytes } from '../../../lib/wire/guid.ts';
import { manifestChunks } from '../../../lib/wire/manifest/in-band.ts';
import {
  ACTIVITY,
  bufferBytes,
  classicRecord,
  eventRecord,
  logFileHeader,
  messageRecord,
  PROVIDER,
  START_NS,
  START_TIME,
} from '../../wire/etl/etl-bytes.ts';

/** TRACE_LOGFILE_HEADER without the record around it, and the names behind it. */
const HEADER = logFileHeader({ names: [] }).subarray(0x20);
const LOST_EVENT = '6a399ae0-4bc6-4de9-870b-3657f8947e7e';
const PROCESS_CLASS = '3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c';

interface MarkParts {
  readonly eventsLost?: number;
  readonly buffersLost?: number;
}

/** @param units of 100 ns since the start */
const mark = (units: number, { eventsLost = 0, buffersLost = 0 }: MarkParts = {}) =>
  liveHeaderBuffer({
    header: HEADER,
    startTime: START_TIME,
    mark: START_TIME + BigInt(units),
    eventsLost,
    buffersLost,
  });
const time = (units: number) => START_TIME + BigInt(units);
const at = (units: number, id = units) => eventRecord({ time: time(units), id });

async function read(pieces: readonly Uint8Array[]) {
  async function* chunks() {
    yield* pieces;
  }
  const trace = await openTrace(chunks());
  const batches: number[][] = [];
  const events = [];
  for await (const batch of trace.batches()) {
    batches.push(batch.map(({ id }) => id));
    // What describes them now.
    for (const event of batch) events.push({ provider: event.provider, name: event.name, event });
  }
  return { trace, batches, events };
}

describe('a live stream', () => {
  it('is read as an .etl with system time', async () => {
    const { trace, events } = await read([
      mark(0),
      bufferBytes([eventRecord({ time: time(25), activityId: ACTIVITY })], { processor: 3, flags: 0x20 }),
    ]);
    expect(trace.info).toMatchObject({
      format: 'etl',
      startTime: START_NS,
      hasWallTime: true,
      processors: 4,
    });
    expect(events[0]?.event).toMatchObject({
      timeSinceStart: 2500n,
      timestamp: START_NS + 2500n,
      processor: 3,
      activityId: ACTIVITY,
    });
  });

  it('delivers what the marks cover, in the order of time, and the rest at its end', async () => {
    const { batches, trace } = await read([
      mark(0),
      bufferBytes([at(10), at(40)], { processor: 1 }),
      bufferBytes([at(20), at(30)]),
      mark(30),
      bufferBytes([at(35)]),
      mark(30),
      bufferBytes([at(50)]),
    ]);
    expect(batches).toEqual([
      [10, 20, 30],
      [35, 40, 50],
    ]);
    expect(trace.lateEvents).toBe(0);
  });

  it('may be cut anywhere', async () => {
    const bytes = Buffer.concat([mark(0), bufferBytes([at(1)]), mark(5), bufferBytes([at(6)])]);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) =>
      bytes.subarray(7 * i, 7 * i + 7),
    );
    expect((await read(pieces)).batches).toEqual([[1], [6]]);
  });

  it('counts events that come after their mark', async () => {
    const { batches, trace } = await read([mark(0), bufferBytes([at(20)]), mark(20), bufferBytes([at(10)])]);
    expect(batches).toEqual([[20], [10]]);
    expect(trace.lateEvents).toBe(1);
  });

  it('counts what the session, or an event of ETW itself, says is lost', async () => {
    const lost = (opcode: number) => classicRecord({ time: time(1), guid: LOST_EVENT, opcode });
    const { trace, batches } = await read([mark(0), bufferBytes([lost(32), lost(33), lost(32), at(2)])]);
    expect(batches).toEqual([[2]]);
    expect([trace.lostEvents, trace.lostBuffers]).toEqual([2, 1]);
    const counted = await read([
      mark(0),
      bufferBytes([lost(32)]),
      mark(1, { eventsLost: 7, buffersLost: 3 }),
    ]);
    expect([counted.trace.lostEvents, counted.trace.lostBuffers]).toEqual([7, 3]);
  });

  it('has events of the kernel and of WPP, as Windows passes them on', async () => {
    const { events } = await read([
      mark(0),
      bufferBytes([
        classicRecord({ time: time(1), guid: PROCESS_CLASS, opcode: 2, version: 4 }),
        messageRecord(12, 2 | 8 | 0x20 | 0x80, [
          ...guidBytes(PROVIDER),
          ...new Uint8Array(new BigInt64Array([time(2)]).buffer),
          ...[11, 0, 0, 0, 10, 0, 0, 0],
        ]),
      ]),
    ]);
    expect(events.map(({ name }) => name)).toEqual(['Process/Stop', 'Message(12)']);
    expect(events.map(({ event }) => event.timeSinceStart)).toEqual([100n, 200n]);
  });

  it('names the events of a provider as soon as it has written its manifest, in any number of parts', async () => {
    const xml = `<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events"><instrumentation><events>
      <provider name="Late-Provider" guid="{${PROVIDER}}" symbol="P"><events><event value="5" version="1" symbol="Told"/>
      </events></provider></events></instrumentation></instrumentationManifest>`;
    const [first, ...others] = manifestChunks(xml, 256).map((payload, index) =>
      eventRecord({ time: time(10 + index), id: 0xfffe, payload }),
    );
    const { events } = await read([
      mark(0),
      bufferBytes([at(1, 5), first as Uint8Array]),
      mark(10),
      bufferBytes([...others, at(30, 5)]),
      mark(30),
    ]);
    expect([events.at(0), events.at(-1)].map((told) => [told?.provider, told?.name])).toEqual([
      [PROVIDER, 'EventID(5)'],
      ['Late-Provider', 'Told'],
    ]);
  });

  it.each([
    ['inside a buffer', [mark(0), bufferBytes([at(1)]).subarray(0, 100)], 'The stream ends inside a buffer'],
    [
      'inside its first one',
      [mark(0).subarray(0, 300)],
      'The stream ends inside a buffer, after 300 bytes of it.',
    ],
    [
      'with a record that is none',
      [mark(0), bufferBytes([at(1), Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)])],
      'A record',
    ],
  ])('is damaged if it ends %s', async (_, pieces, sentence) => {
    await expect(read(pieces)).rejects.toThrow(sentence);
  });

  it('is no file: one with the same mode is read as such', async () => {
    const file = Buffer.concat([
      bufferBytes([logFileHeader({ mode: 0x100 })], { type: 4 }),
      bufferBytes([at(2)]),
    ]);
    const trace = await openTrace(file);
    expect(trace.info.properties.logFileName).toBe('C:\\trace.etl');
    await trace.close();
  });

  it('needs a header as Windows has it', () => {
    expect(() =>
      liveHeaderBuffer({ header: new Uint8Array(8), startTime: 0n, mark: 0n, eventsLost: 0, buffersLost: 0 }),
    ).toThrow('A TRACE_LOGFILE_HEADER has 272 or 280 bytes, not 8.');
  });
});
