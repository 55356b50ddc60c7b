/** Groups of providers and tags of events and fields: as defined, as bytes for each tracer, and read back. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DefinitionError, defineEventSource, event, type SourceOptions } from '../../lib/index.ts';
import { eventSchemas } from '../../lib/source/event-schemas.ts';
import { openTrace } from '../../lib/trace/open-trace.ts';
import { TraceLoggingEncoder } from '../../lib/wire/tracelogging/encode.ts';
import { encodeProviderTraits } from '../../lib/wire/tracelogging/provider-traits.ts';
import { readEtl } from '../trace/etl/read-etl.ts';
import { bufferBytes, etlBytes, eventRecord, type ItemParts, RAW_START } from '../wire/etl/etl-bytes.ts';
import { write } from '../wire/etw/written-event.ts';
import { hex } from '../wire/eventheader/event-bytes.ts';
import { RecordedEvent } from './recorded-event.ts';

const GROUP = '00112233-4455-6677-8899-aabbccddeeff';
const { TRACEWRIGHT_DATA = '' } = process.env;

let names = 0;
const tracepoints = (options: SourceOptions, name = `Groups-${++names}`) => {
  using log = defineEventSource(
    name,
    { A: event({}, { keywords: 1n }), B: event({}, { level: 5 }) },
    options,
  );
  log.isEnabled(2, 3n);
  return log.tracepoints;
};
const mistake = (define: () => unknown) => {
  try {
    define();
  } catch (error) {
    if (error instanceof DefinitionError) return error.message;
  }
  return undefined;
};

describe('a group on Linux', () => {
  it('is in the name of each tracepoint, also of events without a definition', () => {
    expect(tracepoints({ groupName: 'my2group' }, 'My-Provider')).toEqual([
      'My_Provider_L4K1Gmy2group',
      'My_Provider_L5K0Gmy2group',
      'My_Provider_L2K3Gmy2group',
    ]);
  });

  it.each(['', 'My', 'a_b', 'ä', 7, 'x'.repeat(250)])('cannot be named %j', (groupName) => {
    expect(mistake(() => tracepoints({ groupName: groupName as string }, 'P'))).toMatch(
      /^P: the groupName must be lower-case letters and digits, at most \d+, not .+\.$/,
    );
  });

  it.skipIf(TRACEWRIGHT_DATA === '')(
    'is read from a recording (skipped unless TRACEWRIGHT_DATA is set)',
    async () => {
      const trace = await openTrace(join(TRACEWRIGHT_DATA, 'perf-data/perf.data'));
      const groups = new Map<string, unknown>();
      for await (const batch of trace.batches()) {
        for (const { name, labels } of batch) groups.set(name, labels?.ProviderGroup);
      }
      expect(groups.get('EventCG')).toBe('msft');
      expect(groups.get('CScalars1')).toBeUndefined();
    },
  );
});

describe('tags', () => {
  const fields = { plain: 'uint8', tagged: 'uint8', mask: 'hex8' } as const;

  it.each([
    [0x0fe0_0000, '7f'],
    [0x0ff0_0000, 'ff40'],
    [0x0fff_c000, 'ff7f'],
    [0x0fff_ffff, 'ffffff7f'],
    [1, '80808001'],
    [0x0020_0000, '01'],
    [0, '00'],
  ])('in TraceLogging: %i is %s, for an event and a field', (tag, bytes) => {
    const options = { tag, fieldTags: { tagged: tag, mask: tag } };
    const [schema] = eventSchemas('P', { E: event(fields, options) }, {}, []);
    if (schema === undefined) throw new Error('There is no schema.');
    const { metadata } = write(new TraceLoggingEncoder(schema), { plain: 1, tagged: 2, mask: 3 });
    const name = (text: string) => Buffer.from(`${text}\0`).toString('hex');
    const [tagged, mask] = tag === 0 ? ['04', '8404'] : [`8480${bytes}`, `8484${bytes}`];
    const rest = `${bytes}${name('E')}${name('plain')}04${name('tagged')}${tagged}${name('mask')}${mask}`;
    expect(Buffer.from(metadata.subarray(2)).toString('hex')).toBe(rest);
  });

  it('in EventHeader have their lower 16 bits', () => {
    const recorded = new RecordedEvent(fields, { tag: 0x0fe1_2345, fieldTags: { tagged: 0x1_0021 } });
    recorded.write({ plain: 1, tagged: 2, mask: 3 });
    expect(recorded.decoded).toMatchObject({
      tag: 0x2345,
      fields: [
        { name: 'plain', tag: 0, value: 1 },
        { name: 'tagged', tag: 0x21, value: 2 },
        { name: 'mask', tag: 0 },
      ],
    });
  });

  it('and the group are labels of an event that is read from an .etl', async () => {
    const options = { tag: 0x0fff_ffff, fieldTags: { mask: 0x21 } };
    const [schema] = eventSchemas('P', { E: event(fields, options) }, {}, []);
    if (schema === undefined) throw new Error('There is no schema.');
    const { metadata, payload } = write(new TraceLoggingEncoder(schema), { plain: 1, tagged: 2, mask: 3 });
    const traits = { type: 12, data: encodeProviderTraits({ name: 'P', groupGuid: GROUP }) };
    const record = (time: bigint, items: readonly ItemParts[]) =>
      eventRecord({ time: RAW_START + time, items, payload });
    const { events } = await readEtl(
      etlBytes([
        bufferBytes([
          record(1n, [{ type: 11, data: metadata }, traits]),
          // As the kernel adds it to an event that a manifest describes.
          record(2n, [traits]),
          record(3n, [{ type: 12, data: hex('0100') }]),
        ]),
      ]),
    );
    expect(events.map(({ labels }) => labels)).toEqual([
      { ProviderGroup: GROUP, EventTag: '0xfffffff', 'FieldTag.mask': '0x21' },
      { ProviderGroup: GROUP },
      undefined,
    ]);
    expect(events[0]?.toJSON()).toMatchObject({ name: 'E', labels: { EventTag: '0xfffffff' } });
  });

  it.each([
    [
      { tagged: 1 << 28 },
      'P.E: the tag of the field "tagged" must be an integer from 0 to 268435455, not 268435456.',
    ],
    [{ other: 1 }, 'P.E: fieldTags has a tag for "other", but there is no such field.'],
    [7, 'P.E: fieldTags must be an object of names and tags, not 7.'],
  ])('cannot be %j', (fieldTags, problem) => {
    const options = { fieldTags: fieldTags as Record<string, number> };
    expect(mistake(() => eventSchemas('P', { E: event(fields, options) }, {}, []))).toBe(problem);
  });

  it('belong to the identity of an event: the same event with another tag has another id', () => {
    const name = `Tags-${++names}`;
    using first = defineEventSource(name, { E: event(fields, { fieldTags: { mask: 1 } }) });
    using second = defineEventSource(name, { E: event(fields, { fieldTags: { mask: 2 } }) });
    expect([first.E.identity.id, second.E.identity.id]).toEqual([1, 2]);
  });
});
