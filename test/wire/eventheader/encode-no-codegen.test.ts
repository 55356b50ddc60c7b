/** Where code generation from strings is disabled, events have the same bytes. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventHeaderEncoder } from '../../../lib/wire/eventheader/encode.ts';
import { encode, schemaOf } from './encoded-event.ts';
import { RandomEvents } from './random-events.ts';

const dist = fileURLToPath(new URL('../../../dist', import.meta.url));
const program = fileURLToPath(new URL('encode-samples.mjs', import.meta.url));

describe('with --disallow-code-generation-from-strings', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tracewright-no-codegen-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('300 random events have the same bytes as without it', () => {
    const events = new RandomEvents(7);
    const samples = Array.from({ length: 300 }, () => {
      const { fields, payload } = events.next();
      return { schema: schemaOf(fields), payload };
    });
    const samplesFile = join(folder, 'samples');
    writeFileSync(samplesFile, serialize(samples));
    const flags = ['--disallow-code-generation-from-strings'];
    const output = execFileSync(process.execPath, [...flags, program, dist, samplesFile], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    const expected = samples.map(({ schema, payload }) =>
      Buffer.from(encode(new EventHeaderEncoder(schema), payload)).toString('hex'),
    );
    expect(output.trimEnd().split('\n')).toEqual(['disallowed', ...expected]);
  });
});
