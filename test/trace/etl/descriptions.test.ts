import { describe, expect, it } from 'vitest';
import { eventText } from '../../../lib/cli/dump/event-text.ts';
import { bitMap, valueMap } from '../../../lib/source/field-maps.ts';
import { generateManifest } from '../../../lib/wire/manifest/generate.ts';
import { manifestChunks } from '../../../lib/wire/manifest/in-band.ts';
import {
  bufferBytes,
  classicRecord,
  etlBytes,
  eventRecord,
  type ItemParts,
  PROVIDER,
  RAW_START,
} from '../../wire/etl/etl-bytes.ts';
import { schemaOf } from '../../wire/eventheader/encoded-event.ts';
import { Bytes } from '../../wire/perf-data/file-bytes.ts';
import { readEtl } from './read-etl.ts';

/** A manifest that describes event 5: `field` of a type, and `name` as its symbol. */
const manifest = (name: string, type: string, more = '') => `<?xml version="1.0"?>
<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events"><instrumentation><events>
<provider name="My-Provider" guid="{${PROVIDER}}" symbol="My">
<tasks><task name="${name}" value="3"/></tasks>
<events><event value="5" version="1" level="win:Informational" symbol="${name}" task="${name}" opcode="win:Info" template="T"/>${more}</events>
<templates><template tid="T"><data name="field" inType="${type}"/></template></templates>
</provider></events></instrumentation></instrumentationManifest>`;

const at = (ticks: number) => RAW_START + BigInt(ticks);
const event = (ticks: number, payload: number[] = [7, 0, 0, 0]) =>
  eventRecord({ time: at(ticks), opcode: 0, payload });
const chunk = (ticks: number, payload: Uint8Array) =>
  eventRecord({ time: at(ticks), id: 0xfffe, opcode: 0xfe, payload });

describe('events described by a manifest', () => {
  it('have its names and fields', async () => {
    const { events } = await readEtl(etlBytes([bufferBytes([event(1)])]), [manifest('Given', 'win:UInt32')]);
    expect(events[0]).toMatchObject({
      provider: 'My-Provider',
      providerGuid: PROVIDER,
      name: 'Given',
      payload: { field: 7 },
      payloadProblem: undefined,
    });
  });

  it('of a source have the names of its numbers, from the manifest in the trace', async () => {
    const fields = {
      status: valueMap('Status', { Idle: 0, Busy: 1 }, 'uint8'),
      access: bitMap('Access', { Read: 1, Write: 2, Delete: 4 }),
    };
    const events = [schemaOf(fields, { name: 'Opened', id: 5, version: 1, task: 3, message: '{0}: {1}' })];
    const xml = generateManifest({ name: 'My-Provider', guid: PROVIDER, events, keywordNames: {} });
    const payloads = [
      [1, 5, 0, 0, 0],
      [9, 0x12, 0, 0, 0],
    ];
    const records = payloads.map((payload, index) => event(1 + index, payload));
    const bytes = etlBytes([bufferBytes([...records, chunk(9, manifestChunks(xml)[0] as Uint8Array)])]);
    const [first, second] = (await readEtl(bytes)).events;
    expect(first?.payload).toEqual({ status: 1, access: 5 });
    expect([first, second].map((found) => found && eventText(found).split('  ').at(-1))).toEqual([
      'status=Busy access=Read|Delete',
      'status=9 access=Write|0x10',
    ]);
    expect(first?.message).toBe('Busy: Read|Delete');
  });

  it('may find it in chunks of two processes that write at the same time', async () => {
    const [own, other] = ['Own', 'Other'].map((name) =>
      manifestChunks(manifest(name, 'win:UInt32', ' '.repeat(9)), 200),
    );
    const parts = (own as Uint8Array[]).flatMap((payload, index) => [
      eventRecord({ time: at(2 * index + 1), id: 0xfffe, opcode: 0xfe, payload, processId: 10 }),
      eventRecord({
        time: at(2 * index + 2),
        id: 0xfffe,
        opcode: 0xfe,
        payload: other?.[index] ?? [],
        processId: 20,
      }),
    ]);
    const { events } = await readEtl(etlBytes([bufferBytes([...parts, event(1000)])]));
    expect(parts.length).toBeGreaterThan(5);
    expect(['Own', 'Other']).toContain(events.at(-1)?.name);
    expect(events.at(-1)?.payload).toEqual({ field: 7 });
  });

  it('may find it later in the trace, in chunks that are out of order', async () => {
    const xml = manifest('InBand', 'win:UInt32');
    const [first, second, third] = manifestChunks(xml, Math.ceil(xml.length / 3)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    const bytes = etlBytes([
      bufferBytes([event(1), chunk(5, third)], { processor: 1 }),
      bufferBytes([chunk(3, first), chunk(4, second)], { processor: 2 }),
    ]);
    const { events } = await readEtl(bytes);
    expect(events.map(({ name }) => name)).toEqual([
      'InBand',
      'ManifestData',
      'ManifestData',
      'ManifestData',
    ]);
    expect(events[0]?.payload).toEqual({ field: 7 });
    expect(events[1]?.payload).toMatchObject({ Format: 1, TotalChunks: 3, ChunkNumber: 0 });
  });

  it('prefer the manifest given by the caller to the one in the trace', async () => {
    const inBand = chunk(2, manifestChunks(manifest('InBand', 'win:UInt32'))[0] as Uint8Array);
    const bytes = etlBytes([bufferBytes([event(1), inBand])]);
    expect((await readEtl(bytes, [manifest('Given', 'win:UInt32')])).events[0]?.name).toBe('Given');
  });

  it('use the one of several that describes more', async () => {
    const more = '<event value="9" version="0" level="win:Informational" symbol="Other"/>';
    const texts = [manifest('Rich', 'win:UInt32', more), manifest('Poor', 'win:UInt32')];
    const chunks = texts.map((text, i) => chunk(2 + i, manifestChunks(text)[0] as Uint8Array));
    expect((await readEtl(etlBytes([bufferBytes([event(1), ...chunks])]))).events[0]?.name).toBe('Rich');
  });

  it('use that of another definition if the one that describes more does not know them', async () => {
    const rich = manifest('Rich', 'win:UInt32', '<event value="9" version="0" symbol="Other"/>');
    const four = manifest('Four', 'win:UInt32').replace('value="5"', 'value="4"');
    const chunks = [rich, four].map((text, i) => chunk(2 + i, manifestChunks(text)[0] as Uint8Array));
    const ofFour = eventRecord({ time: at(1), id: 4, opcode: 0, payload: [7, 0, 0, 0] });
    const { events } = await readEtl(etlBytes([bufferBytes([ofFour, ...chunks])]));
    expect(events[0]?.name).toBe('Four');
  });

  it('are undescribed if the manifest in the trace is damaged', async () => {
    const damaged = chunk(2, manifestChunks('<instrumentationManifest')[0] as Uint8Array);
    const { events, error } = await readEtl(etlBytes([bufferBytes([event(1), damaged])]));
    expect([events[0]?.name, error]).toEqual(['EventID(5)', undefined]);
  });

  it('cannot be read if a given manifest is damaged', async () => {
    await expect(readEtl(etlBytes([]), ['<instrumentationManifest'])).rejects.toThrow('at character');
  });

  it("have pointers of their writer's size", async () => {
    const bytes = etlBytes([
      bufferBytes([
        eventRecord({ type: 0x12, time: at(1), payload: [1, 0, 0, 0] }),
        eventRecord({ type: 0x13, time: at(2), payload: [1, 0, 0, 0, 0, 0, 0, 1] }),
      ]),
    ]);
    const { events } = await readEtl(bytes, [manifest('Given', 'win:Pointer')]);
    expect(events.map(({ payload }) => payload)).toEqual([{ field: 1 }, { field: 0x0100_0000_0000_0001n }]);
  });
});

describe('events that describe themselves', () => {
  /** TraceLogging: provider "P", event "E" with a u32 "n". */
  const traits: ItemParts = { type: 12, data: [4, 0, 0x50, 0] };
  const schema: ItemParts = { type: 11, data: [8, 0, 0, 0x45, 0, 0x6e, 0, 8] };

  it('take their names and fields from their metadata', async () => {
    const record = eventRecord({ time: at(1), id: 0, items: [traits, schema], payload: [1, 2, 0, 0] });
    const { events } = await readEtl(etlBytes([bufferBytes([record, record])]));
    for (const found of events) {
      expect(found).toMatchObject({
        provider: 'P',
        providerGuid: PROVIDER,
        name: 'E',
        payload: { n: 0x201 },
      });
      expect(found.payloadProblem).toBeUndefined();
    }
  });

  it('report damage to their payload or their metadata', async () => {
    const broken: ItemParts = { type: 11, data: [9, 0, 0, 0x45, 0, 0x6e, 0, 8] };
    const records = [
      eventRecord({ time: at(1), items: [traits, schema], payload: [1, 2] }),
      eventRecord({ time: at(2), items: [broken], payload: [1, 2] }),
    ];
    const { events } = await readEtl(etlBytes([bufferBytes(records)]));
    expect(events.map(({ provider, name, payload }) => [provider, name, payload])).toEqual([
      ['P', 'E', {}],
      [PROVIDER, 'EventID(5)', {}],
    ]);
    expect(events[0]?.payloadProblem).toMatch(/^The payload ends inside field "n"/);
    expect(events[1]?.payloadProblem).toMatch(/^The event metadata gives its size as 9 of 8 bytes/);
  });

  it('report damage to an extended item', async () => {
    const record = eventRecord({ time: at(1), items: [schema], payload: [1, 2, 3, 4] });
    record[0x50] = 3;
    const { events } = await readEtl(etlBytes([bufferBytes([record])]));
    expect(events[0]?.payloadProblem).toBe('An extended item of the event is damaged.');
  });
});

describe('records that describe events', () => {
  it('that are damaged describe nothing', async () => {
    const guid = 'bbccf6c1-6cd1-48c4-80ff-839482e37671';
    const payload = new Bytes(true).u64(1).u64(2).done();
    const records = [32, 33].map((opcode) =>
      classicRecord({ opcode, guid, time: at(1), version: 0, payload }),
    );
    const { events, error } = await readEtl(etlBytes([bufferBytes([...records, event(2)])]));
    expect([events.length, events[2]?.name, error]).toEqual([3, 'EventID(5)', undefined]);
  });
});
