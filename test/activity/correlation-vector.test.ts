/** The correlation vector, in the words of its specification. */
import { describe, expect, it } from 'vitest';
import { CorrelationVector } from '../../lib/activity/correlation-vector.ts';

const LONG =
  'CgOLQOn9Gkmd4pM720ciZA.1.15.3226329855.4111101367.10.23.8.3226332926.1671828776.2345.12.3.243.544.3226336576.' +
  '3422508575.23.1.34';
const extended = (text: string) => CorrelationVector.parse(text)?.extend().toString();
const incremented = (text: string) => CorrelationVector.parse(text)?.increment();

describe('a correlation vector', () => {
  it.each([
    [undefined, /^[A-Za-z\d+/]{21}[AQgw]\.0$/],
    [2, /^[A-Za-z\d+/]{21}[AQgw]\.0$/],
    [1, /^[A-Za-z\d+/]{16}\.0$/],
  ] as const)('of version %s starts at random', (version, pattern) => {
    const text = CorrelationVector.begin(version).toString();
    expect(text).toMatch(pattern);
    expect(text).not.toBe(CorrelationVector.begin(version).toString());
    expect(CorrelationVector.parse(text)?.toString()).toBe(text);
  });

  it.each([
    ['PmvzQKgYek6Sdk/T5sWaqw.1', 'PmvzQKgYek6Sdk/T5sWaqw.1.0'],
    ['e8iECJiOvUGPvOVtchxG9g.1.23', 'e8iECJiOvUGPvOVtchxG9g.1.23.0'],
    ['tul4NUsfs9Cl7mOf.1', 'tul4NUsfs9Cl7mOf.1.0'],
  ])('received with a message is extended: %s', (text, expected) => {
    expect(extended(text)).toBe(expected);
  });

  it.each([
    ['PmvzQKgYek6Sdk/T5sWaqw.0', 'PmvzQKgYek6Sdk/T5sWaqw.1'],
    ['e8iECJiOvUGPvOVtchxG9g.1.23', 'e8iECJiOvUGPvOVtchxG9g.1.24'],
    [LONG, LONG.replace(/34$/, '35')],
  ])('is incremented before each message sent: %s', (text, expected) => {
    expect(incremented(text)).toBe(expected);
  });

  it('counts the messages of one piece of work', () => {
    const vector = CorrelationVector.parse('tul4NUsfs9Cl7mOf.1')?.extend();
    expect([vector?.increment(), vector?.increment()]).toEqual([
      'tul4NUsfs9Cl7mOf.1.1',
      'tul4NUsfs9Cl7mOf.1.2',
    ]);
  });

  it.each([
    [`${'A'.repeat(22)}${'.1234567890'.repeat(9)}.12345`, 127],
    [`${'A'.repeat(16)}${'.1234567890'.repeat(4)}.1`, 63],
  ])('that would become too long ends with an exclamation mark, and stays unchanged', (start, most) => {
    const full = start.padEnd(most, '1');
    expect(extended(full)).toBe(`${full}!`);
    expect(extended(`${full}!`)).toBe(`${full}!`);
    expect(incremented(`${full}!`)).toBe(`${full}!`);
    const nines = full.replace(/\d+$/, (digits) => '9'.repeat(digits.length));
    expect(incremented(nines)).toBe(`${nines}!`);
  });

  it('ends when its number cannot grow', () => {
    expect(incremented('PmvzQKgYek6Sdk/T5sWaqw.4294967295')).toBe('PmvzQKgYek6Sdk/T5sWaqw.4294967295!');
  });

  it.each([
    [undefined],
    [''],
    ['PmvzQKgYek6Sdk/T5sWaqw'],
    ['PmvzQKgYek6Sdk/T5sWaqw.'],
    ['PmvzQKgYek6Sdk/T5sWaqw.x'],
    ['PmvzQKgYek6Sdk/T5sWaqw.-1'],
    ['PmvzQKgYek6Sdk/T5sWaqw.4294967296'],
    ['PmvzQKgYek6Sdk/T5sWa.1'],
    ['PmvzQKgYek6Sdk_T5sWaqw.1'],
    ['PmvzQKgYek6Sdk/T5sWaqw.1\n'],
    [`tul4NUsfs9Cl7mOf${'.1234567890'.repeat(5)}`],
    [`PmvzQKgYek6Sdk/T5sWaqw${'.1'.repeat(1e6)}`],
  ])('rejects %s', (text) => {
    expect(CorrelationVector.parse(text)).toBeUndefined();
  });
});
