/** Names and definitions of tracepoints, which the decoder can parse again. */
import { describe, expect, it } from 'vitest';
import {
  tracepointDefinition,
  tracepointName,
  tracepointProviderName,
} from '../../../lib/wire/eventheader/tracepoint-name.ts';
import { parseTracepointName } from '../../../lib/wire/eventheader/tracepoint-name-parse.ts';

describe('the name of a tracepoint', () => {
  it.each([
    ['MyProvider', 4, 1n, '', 'MyProvider_L4K1'],
    ['MyProv', 4, 0x1fn, 'grp', 'MyProv_L4K1fGgrp'],
    ['TestProviderC', 1, 0xf123456789abcdefn, '', 'TestProviderC_L1Kf123456789abcdef'],
    ['P', 255, 0xffffffffffffffffn, 'g', 'P_LffKffffffffffffffffGg'],
    ['P', 5, 0n, '', 'P_L5K0'],
  ])('of %s, level %d, keyword %d and group "%s" is %s', (provider, level, keyword, group, expected) => {
    const name = tracepointName(provider, level, keyword, group);
    expect(name).toBe(expected);
    expect(parseTracepointName(name)).toEqual({
      provider,
      level,
      keyword,
      options: group === '' ? '' : `G${group}`,
    });
  });

  it('fits into 255 characters with the longest possible provider name', () => {
    const name = tracepointName(tracepointProviderName('9'.repeat(233)), 255, 0xffffffffffffffffn);
    expect(name).toHaveLength(255);
    expect(parseTracepointName(name)).toBeDefined();
  });
});

describe('the definition of a tracepoint', () => {
  it('is identical to the one that other writers register', () => {
    expect(tracepointDefinition('P_L5K0')).toBe(
      'P_L5K0 u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; u8 level',
    );
    expect(tracepointDefinition('')).toHaveLength(1 + 70);
  });

  it('fits into the 512 bytes that the kernel accepts', () => {
    expect(tracepointDefinition('x'.repeat(255)).length).toBeLessThan(512);
  });
});

describe("a provider's name in a tracepoint", () => {
  it.each([
    ['MyCompany_2', 'MyCompany_2'],
    ['My-Company.Service', 'My_Company_Service'],
    ['a b:c', 'a_b_c'],
    ['Ünïcode', '_n_code'],
    ['2fast', '_2fast'],
  ])(
    '%s becomes %s: perf accepts letters, digits and _, without a digit at the start',
    (provider, expected) => {
      expect(tracepointProviderName(provider)).toBe(expected);
    },
  );
});
