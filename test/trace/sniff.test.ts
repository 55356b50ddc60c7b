import { describe, expect, it } from 'vitest';
import { openTrace } from '../../lib/trace/open-trace.ts';
import { formatOf } from '../../lib/trace/sniff.ts';

/** The header of an ETW buffer of type 4, and the start of a 64-bit SYSTEM record. */
function etlHead(marker = 0xc002): Buffer {
  const head = Buffer.alloc(128);
  head.writeUInt32LE(65_536, 0);
  head.writeUInt16LE(4, 0x36);
  head.writeUInt16LE(2, 0x48);
  head.writeUInt16LE(marker, 0x4a);
  return head;
}

describe('the format of a trace', () => {
  it.each([
    ['perf.data', Buffer.from('PERFILE2h\0\0\0')],
    ['perf.data', Buffer.from('2ELIFREP\0\0\0\0')],
    ['nettrace', Buffer.from('Nettrace\x14\0\0\0!FastSerialization.1')],
    ['nettrace', Buffer.from('Nettrace\0\0\0\0\x06\0\0\0')],
    ['netperf', Buffer.from('\x14\0\0\0!FastSerialization.1\x04')],
    ['etl', etlHead()],
    ['etl', etlHead(0xc001)],
    [undefined, etlHead(0xc003)],
    [undefined, Buffer.alloc(128)],
    [undefined, Buffer.from('Nettrac')],
    [undefined, Buffer.alloc(0)],
  ])('is recognised as %s by its first bytes', (format, head) => {
    expect(formatOf(head)).toBe(format);
  });
});

describe('a file that is not a trace', () => {
  it('is rejected with a sentence that shows its first bytes', async () => {
    await expect(openTrace(Buffer.from('not a recording'))).rejects.toMatchObject({
      code: 'unrecognized',
      message:
        'the given bytes is not a supported trace (.etl, .nettrace, .netperf, perf.data, trace.dat, .pftrace, plain or in gzip, zstd or zip): it starts with 6e 6f 74 20 61 20 72 65. (at byte 0)',
    });
  });

  it('may be empty', async () => {
    await expect(openTrace(Buffer.alloc(0))).rejects.toThrow('the given bytes is empty.');
  });
});
