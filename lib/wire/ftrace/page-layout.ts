/**
 * How the pages of ftrace's ring buffer begin on this kernel: the text of tracefs's `events/header_page`. Source: Linux
 * `kernel/trace/ring_buffer.c`, `ring_buffer_print_page_header`.
 */
import { TraceError } from '../trace-error.ts';

export interface PageLayout {
  /** The position of the page's time, 8 bytes. */
  readonly timeOffset: number;
  /** The position of the field that says how much of the page is used, and whether events were lost before it. */
  readonly commitOffset: number;
  /** The size of the kernel's `long`. */
  readonly commitSize: 4 | 8;
  /** The events start here. */
  readonly dataOffset: number;
  /** The size of the whole page. */
  readonly size: number;
}

/** The kernel's largest sub-buffer is far smaller. */
const SIZE_LIMIT = 1 << 24;

/** @throws TraceError */
export function parsePageLayout(headerPage: string): PageLayout {
  const time = field(headerPage, 'timestamp');
  const commit = field(headerPage, 'commit');
  const data = field(headerPage, 'data');
  const size = data.offset + data.size;
  const isWhole =
    time.size === 8 &&
    time.offset + time.size <= data.offset &&
    commit.offset + commit.size <= data.offset &&
    size <= SIZE_LIMIT;
  if (!isWhole || (commit.size !== 4 && commit.size !== 8)) {
    throw new TraceError('unsupported', 0, `This page header is not supported: ${headerPage.trim()}.`);
  }
  return {
    timeOffset: time.offset,
    commitOffset: commit.offset,
    commitSize: commit.size,
    dataOffset: data.offset,
    size,
  };
}

function field(headerPage: string, name: string): { readonly offset: number; readonly size: number } {
  const found = new RegExp(`\\b${name};\\s*offset:(\\d+);\\s*size:(\\d+);`).exec(headerPage);
  if (found === null) {
    throw new TraceError('malformed', 0, `The page header has no field ${name}.`);
  }
  return { offset: Number(found[1]), size: Number(found[2]) };
}
