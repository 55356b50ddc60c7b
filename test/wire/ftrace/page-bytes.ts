/** Pages of ftrace's ring buffer, assembled by hand, for 64-bit kernels with pages of 4096 bytes. */
import { type PageLayout, parsePageLayout } from '../../../lib/wire/ftrace/page-layout.ts';

/** As Linux 6.12 prints it. */
export const HEADER_PAGE = `\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: char overwrite;\toffset:8;\tsize:1;\tsigned:0;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;
`;

export const LAYOUT: PageLayout = parsePageLayout(HEADER_PAGE);
export const PAGE_TIME = 1_000_000n;

export const LOST_EVENTS = 0x8000_0000;
export const LOST_COUNT_STORED = 0x4000_0000;

/** The first word of an entry. */
export const entryHead = (kind: number, delta: number) => ((delta << 5) | kind) >>> 0;

export interface PageParts {
  readonly time?: bigint;
  readonly flags?: number;
  readonly lost?: bigint;
  /** Bytes in use, if it is to be another number than there are. */
  readonly used?: number;
}

/** @param words what the entries are made of */
export function pageOf(words: readonly number[], parts: PageParts = {}): Uint8Array {
  const page = new Uint8Array(LAYOUT.size);
  const view = new DataView(page.buffer);
  view.setBigUint64(0, parts.time ?? PAGE_TIME, true);
  view.setUint32(8, ((parts.used ?? 4 * words.length) | (parts.flags ?? 0)) >>> 0, true);
  for (const [index, word] of words.entries()) view.setUint32(16 + 4 * index, word, true);
  if (parts.lost !== undefined) view.setBigUint64(16 + 4 * words.length, parts.lost, true);
  return page;
}
