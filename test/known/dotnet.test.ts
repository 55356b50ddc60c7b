/** The known events of .NET's runtime. */
import { describe, expect, it } from 'vitest';
import { DOTNET_TABLES, dotnetEvent, dotnetProviderName } from '../../lib/known/dotnet.ts';
import { allEvents } from '../../lib/known/event-table.ts';
import { decodePacked } from '../../lib/wire/packed/decode.ts';
import type { PackedField } from '../../lib/wire/packed/field.ts';
import { fixedSizeOf } from '../../lib/wire/packed/value.ts';

const RUNTIME = 'e13c0d23-ccbc-4e12-931b-d9cc2eee27e4';
const PRIVATE = '763fd754-7086-4dfe-95eb-c01a46faf4ca';

const SIZED_TYPES = ['utf16', 'ansi', 'utf8', 'binary', 'struct'];

function allFields(fields: readonly PackedField[]): PackedField[] {
  return fields.flatMap((field) => [field, ...allFields(field.fields ?? [])]);
}

describe('a .NET provider', () => {
  it('has a name', () => {
    expect(dotnetProviderName(RUNTIME)).toBe('Microsoft-Windows-DotNETRuntime');
    expect(dotnetProviderName('00000000-0000-0000-0000-000000000000')).toBeUndefined();
  });

  it.each([...DOTNET_TABLES.values()].map((table) => [table.provider, table] as const))(
    '%s has events with existing fields, and lengths that earlier fields contain',
    (provider, table) => {
      const events = allEvents(table);
      expect(events.length).toBeGreaterThan(0);
      for (const event of events) {
        expect(event.provider).toBe(provider);
        expect(event.name).toMatch(/^\w+(\/\w+)?$/);
        for (const { name, type } of allFields(event.fields)) {
          expect(
            fixedSizeOf(type, 8) !== undefined || SIZED_TYPES.includes(type),
            `${event.name}.${name}`,
          ).toBe(true);
        }
        // Bytes of 0 are a payload of empty texts and arrays: a name that no field has would be a problem.
        const { payload, problem } = decodePacked(event.fields, new Uint8Array(4096), 8);
        expect(problem, event.name).toBeUndefined();
        expect(Object.keys(payload).length).toBe(event.fields.filter(({ hidden }) => hidden !== true).length);
      }
    },
  );

  it('has each event once', () => {
    for (const table of DOTNET_TABLES.values()) {
      const heads = table.entries.match(/^\w+ v\d+ [^:]*(?=:)/gm) ?? [];
      const keys = heads.flatMap((head) => {
        const [, version, ...names] = head.split(/\s+/);
        return names.map((name) => `${version} ${name.split('=')[1]}`);
      });
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
});

describe('a .NET event', () => {
  it('has the name that PerfView shows', () => {
    expect(dotnetEvent(RUNTIME, 9, 1)).toMatchObject({
      provider: 'Microsoft-Windows-DotNETRuntime',
      name: 'GC/SuspendEEStart',
      taskName: 'GC',
      opcodeName: 'SuspendEEStart',
    });
    expect(dotnetEvent(PRIVATE, 80, 1)?.name).toBe('Startup/EEStartupStart');
    expect(dotnetEvent(PRIVATE, 123, 1)?.name).toBe('Startup/SecurityCatchCallStop');
  });

  it('has the fields of its version, as far as the payload contains them', () => {
    const names = (version: number, bytes: number) => {
      const fields = dotnetEvent(RUNTIME, 1, version)?.fields ?? [];
      return Object.keys(decodePacked(fields, new Uint8Array(bytes), 8).payload);
    };
    expect(names(0, 8)).toEqual(['Count', 'Reason']);
    expect(names(1, 18)).toEqual(['Count', 'Depth', 'Reason', 'Type', 'ClrInstanceID']);
    expect(names(2, 26)).toEqual([
      'Count',
      'Depth',
      'Reason',
      'Type',
      'ClrInstanceID',
      'ClientSequenceNumber',
    ]);
    expect(names(9, 26)).toEqual(names(2, 26));
  });

  it('has names for its numbers', () => {
    const reason = dotnetEvent(RUNTIME, 35, 0)?.fields.find(({ name }) => name === 'Reason');
    expect(reason?.map?.names.get(1)).toBe('Induced');
    const flags = dotnetEvent(RUNTIME, 143, 2)?.fields.find(({ name }) => name === 'MethodFlags');
    expect(flags?.map).toMatchObject({ kind: 'bits' });
    expect(flags?.map?.names.get(8)).toBe('Jitted');
  });

  it('is unknown if the provider does not have it', () => {
    expect(dotnetEvent(RUNTIME, 9999, 0)).toBeUndefined();
    expect(dotnetEvent('00000000-0000-0000-0000-000000000000', 1, 0)).toBeUndefined();
  });
});
