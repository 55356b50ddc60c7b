import { describe, expect, it } from 'vitest';
import { parseProcessorList } from '../../lib/record/processors.ts';

describe('a list of processors', () => {
  it('consists of numbers and ranges', () => {
    expect(parseProcessorList('0')).toEqual([0]);
    expect(parseProcessorList('0-3,8,10-11')).toEqual([0, 1, 2, 3, 8, 10, 11]);
  });
});
