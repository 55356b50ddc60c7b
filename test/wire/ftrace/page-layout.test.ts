/** How a kernel describes the start of its pages. */

import { describe, expect, it } from 'vitest';
import { parsePageLayout } from '../../../lib/wire/ftrace/page-layout.ts';
import { TraceError } from '../../../lib/wire/trace-error.ts';
import { HEADER_PAGE } from './page-bytes.ts';

describe('the page layout', () => {
  it('is the one in the text', () => {
    expect(parsePageLayout(HEADER_PAGE)).toEqual({
      timeOffset: 0,
      commitOffset: 8,
      commitSize: 8,
      dataOffset: 16,
      size: 4096,
    });
  });

  it('of a 32-bit kernel has a shorter header', () => {
    const text = HEADER_PAGE.replace('offset:8;\tsize:8', 'offset:8;\tsize:4').replace(
      'offset:16;\tsize:4080',
      'offset:12;\tsize:4084',
    );
    expect(parsePageLayout(text)).toMatchObject({ commitSize: 4, dataOffset: 12, size: 4096 });
  });

  it.each([
    ['no text', '', 'has no field timestamp'],
    ['no data', HEADER_PAGE.replace('char data', 'char other'), 'has no field data'],
    [
      'a commit of two bytes',
      HEADER_PAGE.replace('offset:8;\tsize:8', 'offset:8;\tsize:2'),
      'is not supported',
    ],
    ['a header in its data', HEADER_PAGE.replace('offset:16', 'offset:12'), 'is not supported'],
    ['pages of gigabytes', HEADER_PAGE.replace('size:4080', 'size:4294967296'), 'is not supported'],
  ])('with %s is rejected', (_, text, message) => {
    expect(() => parsePageLayout(text)).toThrow(TraceError);
    expect(() => parsePageLayout(text)).toThrow(message);
  });
});
