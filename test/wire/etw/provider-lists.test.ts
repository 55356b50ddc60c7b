/** The lists of providers as Windows returns them, and everything that a damaged one can contain. */
import { describe, expect, it } from 'vitest';
import {
  parseGuidList,
  parseProviderEnumeration,
  parseProviderInstances,
} from '../../../lib/wire/etw/provider-lists.ts';
import { sessionModeWords } from '../../../lib/wire/etw/session-properties.ts';
import { guidBytes } from '../../../lib/wire/guid.ts';

const FIRST = '22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716';
const SECOND = 'c32b511d-c5d7-56bf-48d9-c96bbd9ed1e8';

const u32 = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
const u64 = (value: bigint) => Buffer.from(BigUint64Array.of(value).buffer);

/** PROVIDER_ENUMERATION_INFO with two providers, the second without a name. */
const ENUMERATION = Buffer.concat([
  u32(2, 0),
  ...[guidBytes(FIRST), u32(0, 56)],
  ...[guidBytes(SECOND), u32(1, 0)],
  Buffer.from('Kernel-Ω\0', 'utf16le'),
]);

/** TRACE_ENABLE_INFO of session 0x29, level 5, property 4. */
const enabling = (isEnabled = 1) =>
  Buffer.concat([u32(isEnabled, 0x0029_0005, 4, 0), u64(0x10n), u64(0x8000_0000_0000_0000n)]);
/** TRACE_GUID_INFO: process 812 has two sessions, of which one is over, process 4 has none. */
const INSTANCES = Buffer.concat([
  u32(2, 0),
  ...[u32(80, 2, 812, 0), enabling(), enabling(0)],
  u32(0, 0, 4, 1),
]);

describe('a list of registered providers', () => {
  it('has their GUIDs, names and sources', () => {
    expect(parseProviderEnumeration(ENUMERATION)).toEqual({
      entries: [
        { guid: FIRST, name: 'Kernel-Ω', schemaSource: 0 },
        { guid: SECOND, name: undefined, schemaSource: 1 },
      ],
      isWhole: true,
    });
  });

  it('yields what is whole wherever it is cut', () => {
    for (let length = 0; length < ENUMERATION.length; length++) {
      const { entries, isWhole } = parseProviderEnumeration(ENUMERATION.subarray(0, length));
      const count = length < 8 ? 0 : Math.min(2, Math.floor((length - 8) / 24));
      expect(entries).toHaveLength(count);
      expect(isWhole).toBe(length === 0 || count === 2);
    }
  });

  it('survives a name outside of the list and a count of billions', () => {
    const bytes = Buffer.from(ENUMERATION);
    bytes.writeUInt32LE(0xffff_ffff, 0);
    bytes.writeUInt32LE(0xffff_fffe, 28);
    const { entries, isWhole } = parseProviderEnumeration(bytes);
    expect(isWhole).toBe(false);
    expect(entries[0]).toEqual({ guid: FIRST, name: undefined, schemaSource: 0 });
  });
});

describe('a list of running providers', () => {
  it('has their GUIDs', () => {
    const bytes = Buffer.concat([guidBytes(FIRST), guidBytes(SECOND)]);
    expect(parseGuidList(bytes)).toEqual({ entries: [FIRST, SECOND], isWhole: true });
    expect(parseGuidList(bytes.subarray(0, 31))).toEqual({ entries: [FIRST], isWhole: false });
  });
});

describe('the instances of a provider', () => {
  const session = {
    sessionId: 0x29,
    level: 5,
    properties: 4,
    anyKeyword: 0x10n,
    allKeyword: 0x8000_0000_0000_0000n,
  };

  it('are its processes, each with the sessions that have it enabled', () => {
    expect(parseProviderInstances(INSTANCES)).toEqual({
      entries: [
        { processId: 812, flags: 0, enabledBy: [session] },
        { processId: 4, flags: 1, enabledBy: [] },
      ],
      isWhole: true,
    });
    expect(parseProviderInstances(u32(0, 0))).toEqual({ entries: [], isWhole: true });
  });

  it('are those that are whole wherever the list is cut', () => {
    for (let length = 0; length < INSTANCES.length; length++) {
      const { entries, isWhole } = parseProviderInstances(INSTANCES.subarray(0, length));
      expect(isWhole).toBe(false);
      expect(entries).toHaveLength(length < 24 ? 0 : 1);
      expect(entries[0]?.enabledBy ?? []).toHaveLength(length < 56 ? 0 : 1);
    }
  });

  it.each([
    ['back to itself', 0],
    ['into itself', 79],
    ['behind the end', 0xffff_fff0],
  ])('end where one points %s', (_, next) => {
    const bytes = Buffer.from(INSTANCES);
    bytes.writeUInt32LE(next, 8);
    const { entries, isWhole } = parseProviderInstances(bytes);
    expect(entries).toHaveLength(1);
    expect(isWhole).toBe(false);
  });

  it('survive counts of billions', () => {
    const bytes = Buffer.from(INSTANCES);
    bytes.writeUInt32LE(0xffff_ffff, 0);
    bytes.writeUInt32LE(0xffff_ffff, 12);
    expect(parseProviderInstances(bytes)).toMatchObject({ isWhole: false });
  });
});

describe('the mode of a session', () => {
  it.each([
    [0, ''],
    [0x0800_0101, 'sequential file, real time, independent'],
    [0x0200_0400, 'in memory, system'],
    [0x0402_0822, 'circular file, preallocated, compressed, private, in process'],
    [8, 'new file at a size'],
    [0xffff_ffff, expect.stringMatching(/^sequential file, .*, stops on hybrid shutdown$/)],
  ])('0x%x is shown in words', (mode, words) => {
    expect(sessionModeWords(mode).join(', ')).toEqual(words);
  });
});
