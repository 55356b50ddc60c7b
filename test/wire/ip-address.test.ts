/** Parsing and formatting IP addresses, compared with Node's own validation. */
import { isIPv4, isIPv6 } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ipAddressText, parseIpAddress } from '../../lib/wire/ip-address.ts';
import { hex, randomNumbers } from './eventheader/event-bytes.ts';

/** As they stand behind other bytes, and before others, which stay. */
function parsed(text: string): Uint8Array | undefined {
  const target = new Uint8Array(32).fill(0xee);
  const size = parseIpAddress(text, target, 3);
  if (size === 0) return undefined;
  expect(Buffer.from(target.subarray(0, 3)).toString('hex')).toBe('eeeeee');
  expect(target.subarray(3 + size).every((byte) => byte === 0xee)).toBe(true);
  return target.slice(3, 3 + size);
}

const bytesOf = (text: string) => {
  const bytes = parsed(text);
  return bytes && Buffer.from(bytes).toString('hex');
};

describe('an IPv4 address', () => {
  it('is four bytes in network order', () => {
    expect(bytesOf('127.0.0.1')).toBe('7f000001');
    expect(bytesOf('255.254.0.10')).toBe('fffe000a');
  });

  it.each(['', '1.2.3', '1.2.3.4.5', '256.0.0.1', '01.2.3.4', '1.2.3.-4', '1.2.3.4 ', '1..3.4', '0x1.2.3.4'])(
    'cannot be "%s"',
    (text) => {
      expect(parsed(text)).toBeUndefined();
    },
  );
});

describe('an IPv6 address', () => {
  it.each([
    ['::', '00000000000000000000000000000000'],
    ['::1', '00000000000000000000000000000001'],
    ['1::', '00010000000000000000000000000000'],
    ['2001:db8::8a2e:370:7334', '20010db80000000000008a2e03707334'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['1:2:3:4:5:6:7::', '00010002000300040005000600070000'],
    ['::FFFF:1.2.3.4', '00000000000000000000ffff01020304'],
    ['1:2:3:4:5:6:1.2.3.4', '00010002000300040005000601020304'],
    ['fe80::1%eth0', 'fe800000000000000000000000000001'],
  ])('%s is %s', (text, expected) => {
    expect(bytesOf(text)).toBe(expected);
  });

  it.each([
    ':',
    ':::',
    '1',
    ':1',
    '1:',
    '1::2::3',
    '12345::',
    'g::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4::5:6:7:8',
    '1.2.3.4::',
    '1.2.3.4::1',
    '::1.2.3.4:5',
    '::1.2.3',
    '::01.2.3.4',
    '[::1]',
  ])('cannot be "%s"', (text) => {
    expect(isIPv6(text)).toBe(false);
    expect(parsed(text)).toBeUndefined();
  });

  it('is accepted as by Node, for 20,000 random texts', () => {
    const random = randomNumbers(6);
    const pieces = ['::', ':', '1', 'ab', 'ffff', '0', '1.2.3.4', '::', ':'];
    let valid = 0;
    for (let round = 0; round < 20_000; round++) {
      let text = '';
      for (let count = 1 + random(15); count > 0; count--) text += pieces[random(pieces.length)];
      const bytes = parsed(text);
      expect(bytes?.length, text).toBe(isIPv4(text) ? 4 : isIPv6(text) ? 16 : undefined);
      if (bytes === undefined) continue;
      valid++;
      // Text of the same address in another form comes to the same bytes.
      expect(parsed(ipAddressText(bytes)), text).toEqual(bytes);
    }
    expect(valid).toBeGreaterThan(500);
  });
});

// Expected: inet_ntop(3) of glibc.
it.each([
  ['7f000001', '127.0.0.1'],
  ['00000000 00000000 00000000 00000000', '::'],
  ['00000000 00000000 00000000 00000001', '::1'],
  ['fe800000 00000000 00000000 00000001', 'fe80::1'],
  ['20010db8 00000001 00000000 00000001', '2001:db8:0:1::1'],
  ['20010db8 00000001 00010001 00010001', '2001:db8:0:1:1:1:1:1'],
  ['00010000 00000002 00000000 00030000', '1::2:0:0:3:0'],
  ['00000000 00000000 0000ffff 7f000001', '::ffff:127.0.0.1'],
  ['00000000 00000000 00000000 7f000001', '::127.0.0.1'],
])('%s is shown as %s', (digits, text) => {
  expect(ipAddressText(hex(digits))).toBe(text);
});
