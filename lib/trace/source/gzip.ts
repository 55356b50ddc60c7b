/** A trace compressed with gzip (RFC 1952). */

import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { thrownMessage } from '../../base/value-text.ts';
import { TraceError } from '../../wire/trace-error.ts';
import type { OpenedSource } from '../byte-source.ts';
import { openStream } from './stream-source.ts';

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b && head[2] === 8;
}

/** The contents. A damaged archive results in a TraceError after the bytes before the damage. */
export function openGzip(source: OpenedSource): Promise<OpenedSource> {
  return openStream(unzipped(source), source.name, () => source.close());
}

async function* unzipped(source: OpenedSource): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 1 << 16 });
  // Its errors reach whoever reads `gunzip` below.
  pipeline(Readable.from(source.chunks(), { objectMode: false }), gunzip, () => {});
  let length = 0;
  try {
    for await (const chunk of gunzip) {
      length += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw damagedArchive('gzip', source.name, length, error);
  }
}

/** The archive cannot be read beyond `length` bytes of its contents. */
export function damagedArchive(kind: string, name: string, length: number, cause: unknown): TraceError {
  if (cause instanceof TraceError) return cause;
  const reason = thrownMessage(cause);
  const code = /unexpected end/i.test(reason) ? 'truncated' : 'malformed';
  return new TraceError(code, length, `The ${kind} archive ${name} cannot be read further: ${reason}.`, {
    cause,
  });
}
