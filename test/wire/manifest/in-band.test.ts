/** The manifest as events of the trace: splitting it into chunks, and reassembling them. */
import { describe, expect, it } from 'vitest';
import { ManifestEncoder } from '../../../lib/wire/manifest/encode.ts';
import {
  encodeManifestChunk,
  MANIFEST_DESCRIPTOR,
  MAX_CHUNK_SIZE,
  ManifestAssembly,
  MIN_CHUNK_SIZE,
  manifestChunks,
} from '../../../lib/wire/manifest/in-band.ts';
import { partsOf, write } from '../etw/written-event.ts';
import { schemaOf } from '../eventheader/encoded-event.ts';
import { hex } from '../eventheader/event-bytes.ts';

/** What comes of each chunk. */
const assembled = (chunks: readonly Uint8Array[], assembly = new ManifestAssembly()) =>
  chunks.map((chunk) => assembly.add(chunk));

describe('the manifest event', () => {
  it('has the descriptor of .NET', () => {
    expect(MANIFEST_DESCRIPTOR).toEqual(hex('feff 01 00 00 fe feff ffffffffffffff00'));
  });

  it('is the envelope and the document', () => {
    expect(manifestChunks('<é/>')).toEqual([hex('01 01 00 5b 0100 0000 3cc3a92f3e')]);
  });

  it('is one of several if the document is larger than a chunk', () => {
    expect(manifestChunks('abcde', 2)).toEqual([
      hex('01 01 00 5b 0300 0000 6162'),
      hex('01 01 00 5b 0300 0100 6364'),
      hex('01 01 00 5b 0300 0200 65'),
    ]);
    const sizes = manifestChunks('x'.repeat(MAX_CHUNK_SIZE + 1)).map(({ length }) => length - 8);
    expect(sizes).toEqual([0xff00, 1]);
  });

  it('is placed in the scratch buffer like any other, and the next event is complete', () => {
    const encoder = new ManifestEncoder(schemaOf({ n: 'uint16' }));
    const before = write(encoder, { n: 1 });
    const [chunk] = manifestChunks('x'.repeat(MAX_CHUNK_SIZE));
    const size = encodeManifestChunk(chunk as Uint8Array);
    expect(size).toBe(36 + 8 + MAX_CHUNK_SIZE);
    expect(size).toBeLessThanOrEqual(65536);
    expect(partsOf(size)).toEqual({
      idFlags: 0,
      activityId: new Uint8Array(16),
      relatedActivityId: new Uint8Array(16),
      metadata: hex(''),
      payload: chunk,
    });
    expect(write(encoder, { n: 1 })).toEqual(before);
  });
});

describe('reassembling chunks', () => {
  const xml = '<é€😀/>'.repeat(100);
  const chunks = manifestChunks(xml, MIN_CHUNK_SIZE);
  const nothing = chunks.slice(1).map(() => undefined);

  it('yields the document with the last of them, even if characters were split', () => {
    expect(chunks.length).toBeGreaterThan(3);
    expect(assembled(chunks)).toEqual([...nothing, xml]);
    expect(assembled(manifestChunks(xml, 1)).at(-1)).toBe(xml);
  });

  it('yields it again each time it was written', () => {
    expect(assembled([...chunks, ...chunks])).toEqual([...nothing, xml, ...nothing, xml]);
  });

  it('starts over with the first chunk', () => {
    expect(assembled([...chunks.slice(0, 2), ...chunks])).toEqual([undefined, undefined, ...nothing, xml]);
  });

  it.each([
    ['lacks one', chunks.toSpliced(1, 1)],
    ['has one twice', chunks.toSpliced(1, 0, chunks[1] as Uint8Array)],
    ['has one of another document', chunks.toSpliced(1, 1, manifestChunks('ab', 1)[1] as Uint8Array)],
    ['lacks the first', chunks.slice(1)],
  ])('yields nothing for a run that %s, and then the next', (_, run) => {
    const assembly = new ManifestAssembly();
    expect(assembled(run, assembly).filter((document) => document !== undefined)).toEqual([]);
    expect(assembled(chunks, assembly).at(-1)).toBe(xml);
  });

  it.each([
    ['', 'is too short'],
    ['01 01 00 5b 0100 00', 'is too short'],
    ['02 01 00 5b 0100 0000 61', 'has another format'],
    ['01 02 00 5b 0100 0000 61', 'has another version'],
    ['01 01 00 5c 0100 0000 61', 'has another magic'],
    ['01 01 00 5b 0000 0000 61', 'is one of none'],
    ['01 01 00 5b 0100 0100 61', 'is past the last'],
  ])('yields nothing for the payload %s, which %s', (payload) => {
    expect(new ManifestAssembly().add(hex(payload))).toBeUndefined();
  });

  it('yields the document of a later minor version', () => {
    expect(new ManifestAssembly().add(hex('01 01 07 5b 0100 0000 61'))).toBe('a');
  });
});
