import { describe, expect, it } from 'vitest';
import { readAttr } from '../../../lib/wire/perf-data/attr.ts';
import { Cursor } from '../../../lib/wire/perf-data/cursor.ts';
import { eventNameOf } from '../../../lib/wire/perf-data/event-name.ts';
import { Piece } from '../../../lib/wire/perf-data/piece.ts';
import { Bytes } from './file-bytes.ts';

const [USER, KERNEL, HV, HOST, GUEST] = [4, 5, 6, 19, 20];
const PRECISE = [15, 16];

interface Recorded {
  readonly type: number;
  readonly config?: bigint;
  /** Numbers of the flags that are set. */
  readonly flags?: readonly number[];
  readonly breakpoint?: readonly [type: number, address: bigint];
}

/** As perf reads it out of a file of the byte order. */
function nameOf(littleEndian: boolean, recorded: Recorded): string {
  const { type, config = 0n, flags = [GUEST ?? 0], breakpoint = [0, 0n] } = recorded;
  const bits = flags.map((bit) => 1n << BigInt(littleEndian ? bit : 63 - bit));
  const bytes = new Bytes(littleEndian).u32(type).u32(64).u64(config).u64(1).u64(0).u64(0);
  bytes
    .u64(bits.reduce((word, bit) => word | bit, 0n))
    .u32(0)
    .u32(breakpoint[0])
    .u64(breakpoint[1]);
  const cursor = new Cursor(new Piece(bytes.done(), 0), littleEndian, 'the attribute');
  return eventNameOf({ ...readAttr(cursor), ids: [] });
}

/** What `perf script` of Linux 6.1 prints for files with these attributes and no names. */
const NAMES: readonly (readonly [string, Recorded])[] = [
  ['cycles', { type: 0 }],
  ['instructions', { type: 0, config: 1n }],
  ['ref-cycles', { type: 0, config: 9n }],
  ['unknown-hardware', { type: 0, config: 10n }],
  ['cycles', { type: 0, config: 1n << 32n }],
  ['cpu-clock', { type: 1 }],
  ['page-faults', { type: 1, config: 2n }],
  ['dummy', { type: 1, config: 9n }],
  ['unknown-software', { type: 1, config: 12n }],
  ['unknown tracepoint', { type: 2, config: 5n }],
  ['L1-dcache-loads', { type: 3 }],
  ['L1-dcache-load-misses', { type: 3, config: 0x10000n }],
  ['LLC-store-misses', { type: 3, config: 0x10102n }],
  ['dTLB-prefetches', { type: 3, config: 0x203n }],
  ['branch-load-misses', { type: 3, config: 0x10005n }],
  ['node-stores', { type: 3, config: 0x106n }],
  ['invalid-cache', { type: 3, config: 0x101n }],
  ['invalid-cache', { type: 3, config: 0x204n }],
  ['unknown-ext-hardware-cache-type', { type: 3, config: 7n }],
  ['unknown-ext-hardware-cache-op', { type: 3, config: 0x300n }],
  ['unknown-ext-hardware-cache-result', { type: 3, config: 0x20000n }],
  ['raw 0x1a8', { type: 4, config: 0x1a8n }],
  ['mem:0x1234:', { type: 5, breakpoint: [0, 0x1234n] }],
  ['mem:0x1234:rw', { type: 5, breakpoint: [3, 0x1234n] }],
  ['mem:0x1234:rwx', { type: 5, breakpoint: [7, 0x1234n] }],
  ['unknown attr type: 9', { type: 9, config: 4n }],
];

/** The same, by the flags of a count of cycles. */
const MODIFIERS: readonly (readonly [string, readonly (number | undefined)[]])[] = [
  ['cycles:HG', []],
  ['cycles:uH', [KERNEL, HV, GUEST]],
  ['cycles:kH', [USER, HV, GUEST]],
  ['cycles:khH', [USER, GUEST]],
  ['cycles:hH', [USER, KERNEL, GUEST]],
  ['cycles:uh', [KERNEL]],
  ['cycles:u', [KERNEL, HV]],
  ['cycles:pp', [PRECISE[1]]],
  ['cycles:ppH', [PRECISE[1], GUEST]],
  ['cycles:uppp', [...PRECISE, KERNEL, HV]],
  ['cycles:G', [HOST]],
  ['cycles', [HOST, GUEST]],
];

describe.each([true, false])('an event without a name (little-endian: %s)', (littleEndian) => {
  it.each(NAMES)('is named %s, as by perf', (name, recorded) => {
    expect(nameOf(littleEndian, recorded)).toBe(name);
  });

  it.each(MODIFIERS)('is named by what was counted: %s', (name, flags) => {
    const set = flags.filter((bit) => bit !== undefined);
    // The two bits of a number are the other way round on big-endian machines.
    const stored = littleEndian ? set : set.map((bit) => (bit === 16 && set.length < 4 ? 15 : bit));
    expect(nameOf(littleEndian, { type: 0, flags: stored })).toBe(name);
  });
});
