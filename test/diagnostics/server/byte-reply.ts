/** Replies of a diagnostic port, read byte by byte, with every rule of the protocol enforced. */
import { expect } from 'vitest';
import { OK, SERVER } from './byte-messages.ts';

export class ByteReply {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Reads the header of a message that says that all went well, and is as long as it says. */
  static ok(bytes: Buffer, size: number = bytes.length): ByteReply {
    const reply = new ByteReply(bytes);
    expect(reply.bytes(14).toString('latin1')).toBe('DOTNET_IPC_V1\0');
    expect(reply.u16()).toBe(size);
    expect([reply.u8(), reply.u8()]).toEqual([SERVER, OK]);
    expect(reply.u16()).toBe(0);
    return reply;
  }

  bytes(count: number): Buffer {
    expect(this.left).toBeGreaterThanOrEqual(count);
    this.#position += count;
    return this.#bytes.subarray(this.#position - count, this.#position);
  }

  u8 = (): number => this.bytes(1).readUInt8();
  u16 = (): number => this.bytes(2).readUInt16LE();
  u32 = (): number => this.bytes(4).readUInt32LE();
  u64 = (): bigint => this.bytes(8).readBigUInt64LE();

  /** .NET's client cannot read one of no units: even an empty text has its NUL. */
  text(): string {
    const units = this.u32();
    expect(units).toBeGreaterThanOrEqual(1);
    const value = this.bytes(units * 2).toString('utf16le');
    expect(value.indexOf('\0')).toBe(units - 1);
    return value.slice(0, -1);
  }

  get left(): number {
    return this.#bytes.length - this.#position;
  }
}
