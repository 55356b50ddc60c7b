import { describe, expect, it } from 'vitest';
import { openBuffer, positionOf } from '../../../lib/wire/etl/buffer.ts';
import { isBlankHeader } from '../../../lib/wire/etl/buffer-header.ts';
import { TraceError } from '../../../lib/wire/trace-error.ts';
import { bufferOf } from './etl-bytes.ts';

const BODY = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]);
/** One word of flags, a byte "a", and a match that repeats it 6 times. */
const COMPRESSED = Uint8Array.from([0, 0, 0, 0x40, 0x61, 3, 0]);

function errorOf(open: () => unknown): TraceError {
  try {
    open();
  } catch (error) {
    expect(error).toBeInstanceOf(TraceError);
    return error as TraceError;
  }
  throw new Error('no error was thrown');
}

describe('a buffer', () => {
  it('contains records up to its fill level', () => {
    const buffer = openBuffer(bufferOf(BODY, { size: 0x100 }), 0x2000);
    expect([...buffer.bytes.subarray(0x48)]).toEqual([...BODY]);
    expect(buffer.header).toMatchObject({ size: 0x100, end: 0x50, isCompressed: false, sequence: 1n });
    expect(buffer.problem).toBeUndefined();
    expect(positionOf(buffer, 0x48)).toBe(0x2048);
  });

  it('is filled at most to its end, whatever it says', () => {
    expect(openBuffer(bufferOf(BODY, { filled: 0xffff_ffff }), 0).bytes.length).toBe(0x50);
  });

  it('is filled up to SavedOffset if FilledBytes is 0', () => {
    expect(openBuffer(bufferOf(BODY, { filled: 0, savedOffset: 0x4c }), 0).bytes.length).toBe(0x4c);
    expect(openBuffer(bufferOf(BODY, { filled: 0, savedOffset: 0 }), 0).bytes.length).toBe(0x48);
  });

  it('has the processor in 8 bits, or in 11 if a flag says so', () => {
    expect(openBuffer(bufferOf(BODY, { processor: 0x0803 }), 0).header.processor).toBe(3);
    expect(openBuffer(bufferOf(BODY, { processor: 0x0803, flags: 0x20 }), 0).header.processor).toBe(3);
    expect(openBuffer(bufferOf(BODY, { processor: 0x0123, flags: 0x20 }), 0).header.processor).toBe(0x123);
  });

  it('reports that events or buffers before it were lost', () => {
    expect(openBuffer(bufferOf(BODY, { flags: 2 }), 0).header).toMatchObject({
      hasLostEvents: true,
      hasLostBuffers: false,
    });
    expect(openBuffer(bufferOf(BODY, { flags: 4 }), 0).header.hasLostBuffers).toBe(true);
  });

  it('may be compressed; its records keep their positions', () => {
    const buffer = openBuffer(bufferOf(COMPRESSED, { flags: 0x40, filled: 0x4c }), 0x2000);
    expect(Buffer.from(buffer.bytes.subarray(0x48)).toString()).toBe('aaaa');
    expect(buffer.problem).toBeUndefined();
    expect(positionOf(buffer, 0x4a)).toBe(0x2000);
  });

  it('delivers what precedes damage in compressed data', () => {
    const buffer = openBuffer(bufferOf(COMPRESSED, { flags: 0x40, filled: 0x60 }), 0x2000);
    expect(buffer.bytes.length).toBe(0x48 + 7);
    expect(buffer.problem).toMatchObject({ code: 'malformed', offset: 0x2000 });
    expect(buffer.problem?.sentence).toBe(
      'A compressed buffer is damaged. It contains 79 bytes instead of 96.',
    );
  });

  it('that is cut off by the end of the file delivers what is there', () => {
    const buffer = openBuffer(bufferOf(BODY, { size: 0x100 }).subarray(0, 0x4c), 0x2000);
    expect(buffer.bytes.length).toBe(0x4c);
    expect(buffer.problem?.message).toBe(
      'The file ends inside a buffer, after 76 of its 256 bytes. (at byte 8192)',
    );
    expect(buffer.problem?.code).toBe('truncated');
  });

  it('cannot be read without its complete header', () => {
    const error = errorOf(() => openBuffer(bufferOf(BODY).subarray(0, 0x47), 16));
    expect([error.code, error.offset]).toEqual(['truncated', 16]);
  });

  it.each([0, 0x47, 0x0100_0001, 0xffff_ffff])('cannot have %i bytes', (size) => {
    const bytes = bufferOf(BODY);
    new DataView(bytes.buffer).setUint32(0, size, true);
    expect(errorOf(() => openBuffer(bytes, 16))).toMatchObject({
      code: 'malformed',
      offset: 16,
      sentence: `A buffer cannot have ${size} bytes.`,
    });
  });

  it('that is all zeros was never written', () => {
    expect(isBlankHeader(new Uint8Array(0x48))).toBe(true);
    expect(isBlankHeader(bufferOf(BODY))).toBe(false);
    expect(isBlankHeader(new Uint8Array(0x47))).toBe(false);
  });
});
