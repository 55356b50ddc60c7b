/** Reads a block in order, and never past its end. */

import { ByteCursor } from '../../base/byte-cursor.ts';
import { bigUint } from '../../base/bytes.ts';
import { decodeUtf8 } from '../text.ts';
import { TraceError, type TraceErrorCode } from '../trace-error.ts';
import { utf16Text } from '../utf16.ts';
import type { Block } from './block.ts';

/** 2 to the 32nd. */
const WORD = 0x1_0000_0000;

const NO_END = 'A variable-length integer has no end.';

export class Cursor extends ByteCursor {
  readonly block: Block;
  /** The two halves of the last value read by `readWords` and `readVarUint64`: unsigned, and signed. */
  low = 0;
  high = 0;

  constructor(block: Block, start = 0, end: number = block.bytes.length) {
    super(block.bytes, block.view, start, end);
    this.block = block;
  }

  int8(): number {
    return this.view.getInt8(this.advance(1));
  }

  int16(): number {
    return this.view.getInt16(this.advance(2), true);
  }

  int32(): number {
    return this.view.getInt32(this.advance(4), true);
  }

  int64(): bigint {
    return this.view.getBigInt64(this.advance(8), true);
  }

  float(): number {
    return this.view.getFloat32(this.advance(4), true);
  }

  double(): number {
    return this.view.getFloat64(this.advance(8), true);
  }

  /** 64 bits as `low` and `high`. */
  readWords(): void {
    const at = this.advance(8);
    this.low = this.view.getUint32(at, true);
    this.high = this.view.getInt32(at + 4, true);
  }

  /** A signed 64-bit integer that identifies something; rounded beyond 2^53. */
  id64(): number {
    this.readWords();
    return this.high * WORD + this.low;
  }

  /** A u64 that is an id; see `id64`. */
  varId64(): number {
    this.readVarUint64();
    return this.high * WORD + this.low;
  }

  /** 7 bits per byte, lowest first; bit 7 is set in all but the last byte. */
  varUint32(): number {
    const bytes = this.memory;
    let at = this.offset;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (at >= this.end) return this.fail(NO_END);
      const byte = bytes[at++] as number;
      if (byte < 0x80) {
        if (shift === 28 && byte > 0x0f) break;
        this.offset = at;
        return (value | (byte << shift)) >>> 0;
      }
      value |= (byte & 0x7f) << shift;
    }
    return this.fail('A variable-length integer has more than 32 bits.');
  }

  /** Reads 64 bits into `low` and `high`. */
  readVarUint64(): void {
    const bytes = this.memory;
    let at = this.offset;
    // 28 bits, 28 bits and 8 bits: what 32-bit operators can handle.
    let first = 0;
    let second = 0;
    for (let i = 0; i < 10; i++) {
      if (at >= this.end) this.fail(NO_END);
      const byte = bytes[at++] as number;
      const bits = byte & 0x7f;
      if (i < 4) first |= bits << (7 * i);
      else if (i < 8) second |= bits << (7 * (i - 4));
      else if (i === 8) this.high = bits << 24;
      else if (bits > 1) break;
      else this.high |= bits << 31;
      if (byte < 0x80) {
        this.low = (first | (second << 28)) >>> 0;
        this.high = (i < 8 ? 0 : this.high) | (second >>> 4);
        this.offset = at;
        return;
      }
    }
    this.fail('A variable-length integer has more than 64 bits.');
  }

  varUint64(): bigint {
    this.readVarUint64();
    return bigUint(this.high, this.low);
  }

  /** Signed: 0, -1, 1, -2 and so on are written as 0, 1, 2, 3. */
  varInt64(): bigint {
    const zigZag = this.varUint64();
    return BigInt.asIntN(64, (zigZag >> 1n) ^ -(zigZag & 1n));
  }

  /** A part of `size` bytes, to be read separately; this cursor then continues after it. */
  part(size: number): Cursor {
    const start = this.advance(size);
    return new Cursor(this.block, start, start + size);
  }

  /** UTF-8 after its length in bytes: text in version 6. */
  utf8(): string {
    return decodeUtf8(this.take(this.varUint32()));
  }

  /** UTF-16 up to a NUL, which is skipped: text in versions 3 and 4, and in payloads. */
  utf16(): string {
    const start = this.offset;
    let end = start;
    while (end + 2 <= this.end && (this.memory[end] !== 0 || this.memory[end + 1] !== 0)) end += 2;
    if (end + 2 > this.end) return this.fail('A text has no end.');
    this.offset = end + 2;
    return utf16Text(this.memory, start, end);
  }

  override fail(reason: string, code: TraceErrorCode = 'malformed'): never {
    throw new TraceError(code, this.block.position + this.offset, reason);
  }
}
