/** The defaults for what a definition omits, as in .NET. */
import { describe, expect, it } from 'vitest';
import { defineEventSource, event, Level, Opcode } from '../../lib/index.ts';
import { eventSchemas } from '../../lib/source/event-schemas.ts';

const schemasOf = (events: Parameters<typeof eventSchemas>[1]) => eventSchemas('P', events, {}, []);

describe('an event without options', () => {
  it('is informational, without keywords, tag or version', () => {
    expect(schemasOf({ E: event() })).toEqual([
      {
        name: 'E',
        id: 1,
        version: 0,
        level: Level.Informational,
        keywords: 0n,
        opcode: Opcode.Info,
        task: 65533,
        tag: 0,
        fields: [],
      },
    ]);
  });

  it('has the id after that of the previous event', () => {
    const ids = schemasOf({ A: event(), B: event({}, { id: 40 }), C: event() }).map((schema) => schema.id);
    expect(ids).toEqual([1, 40, 41]);
  });

  it('has the task 65534 minus its id', () => {
    const tasks = schemasOf({ A: event(), B: event({}, { id: 40 }) }).map((schema) => schema.task);
    expect(tasks).toEqual([65533, 65494]);
  });
});

describe('an opcode', () => {
  it('is Start or Stop if the name ends that way, which is case-sensitive', () => {
    const schemas = schemasOf({ WorkStart: event(), WorkStop: event(), Nonstop: event(), Restart: event() });
    expect(schemas.map((schema) => schema.opcode)).toEqual([
      Opcode.Start,
      Opcode.Stop,
      Opcode.Info,
      Opcode.Info,
    ]);
  });

  it('that is explicit applies, whatever the name', () => {
    const [schema] = schemasOf({ ColdStart: event({}, { opcode: Opcode.Info }) });
    expect(schema?.opcode).toBe(Opcode.Info);
  });
});

describe('the task of a Stop', () => {
  it("is its Start's, wherever that was defined", () => {
    const schemas = schemasOf({ WorkStart: event(), Other: event(), WorkStop: event() });
    expect(schemas.map((schema) => schema.task)).toEqual([65533, 65532, 65533]);
  });

  it("is its Start's explicit one, if it has one", () => {
    const schemas = schemasOf({ WorkStart: event({}, { task: 5 }), WorkStop: event() });
    expect(schemas.map((schema) => schema.task)).toEqual([5, 5]);
  });

  it('pairs a Start and a Stop whose names do not end that way', () => {
    const schemas = schemasOf({
      Begin: event({}, { opcode: Opcode.Start, task: 5 }),
      End: event({}, { opcode: Opcode.Stop, task: 5 }),
    });
    expect(schemas).toHaveLength(2);
  });
});

describe('keywords', () => {
  it("can be given by the source's names for them", () => {
    const source = defineEventSource(
      'Keywords.ByName',
      { A: event({}, { keywords: 'Net' }), B: event({}, { keywords: ['Net', 'Disk'] }) },
      { keywords: { Net: 0x1n, Disk: 0x10n } },
    );
    expect(source.tracepoints).toEqual(['Keywords_ByName_L4K1', 'Keywords_ByName_L4K11']);
  });
});

describe('an event source', () => {
  it('has one tracepoint for each level and keyword, not for each event', () => {
    const source = defineEventSource('Acme-Shop.2', {
      A: event(),
      B: event({ size: 'uint32' }),
      C: event({}, { level: Level.Error, keywords: 0xabcn }),
    });
    expect(source.name).toBe('Acme-Shop.2');
    expect(source.tracepoints).toEqual(['Acme_Shop_2_L4K0', 'Acme_Shop_2_L2Kabc']);
  });

  it('cannot be modified', () => {
    const source = defineEventSource('P', { A: event() });
    expect(Object.isFrozen(source)).toBe(true);
    expect(Object.isFrozen(source.tracepoints)).toBe(true);
  });

  it('is not a thenable, so that it can be returned from an async function', async () => {
    const source = defineEventSource('P', { A: event() });
    expect(await Promise.resolve(source)).toBe(source);
  });

  it('can be defined twice, as when two copies of a package are installed', () => {
    const first = defineEventSource('Twice', { A: event() });
    const second = defineEventSource('Twice', { A: event() });
    expect(second.tracepoints).toEqual(first.tracepoints);
  });
});
