import { describe, expect, it } from 'vitest';
import { parseTracepointName } from '../../../lib/wire/eventheader/tracepoint-name-parse.ts';

describe('a tracepoint name', () => {
  it.each([
    ['MyProvider_L4K1', { provider: 'MyProvider', level: 4, keyword: 1n, options: '' }],
    [
      'My_Prov_L5Kf123456789abcdefGgrp1',
      { provider: 'My_Prov', level: 5, keyword: 0xf123456789abcdefn, options: 'Ggrp1' },
    ],
    ['P_LffKffffffffffffffffGg', { provider: 'P', level: 255, keyword: 2n ** 64n - 1n, options: 'Gg' }],
    ['_L5K1', { provider: '', level: 5, keyword: 1n, options: '' }],
    ['P_L05K1', { provider: 'P', level: 5, keyword: 1n, options: '' }],
    ['P_L5KFF', { provider: 'P', level: 5, keyword: 0n, options: 'FF' }],
    ['P_L5K1ffffffffffffffff', { provider: 'P', level: 5, keyword: 2n ** 64n - 1n, options: '' }],
  ])('%s is parsed', (name, parts) => {
    expect(parseTracepointName(name)).toEqual(parts);
  });

  it.each([
    'sched_switch',
    'L5K1',
    'P_L5',
    'P_K1L5',
    'P_L5K1gabc',
    'P_L5K1G_x',
    'P_L5K1.abc',
    'P\0_L5K1',
    '',
  ])('%j does not belong to an EventHeader tracepoint', (name) => {
    expect(parseTracepointName(name)).toBeUndefined();
  });

  it('has at most 255 bytes', () => {
    expect(parseTracepointName(`${'x'.repeat(250)}_L5K1`)).toBeDefined();
    expect(parseTracepointName(`${'x'.repeat(251)}_L5K1`)).toBeUndefined();
    expect(parseTracepointName(`${'é'.repeat(126)}_L5K1`)).toBeUndefined();
  });
});
