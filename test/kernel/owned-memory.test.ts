/**
 * If the embedder lets JavaScript access only memory that V8 owns, as Electron does, the kernel gets addresses in such
 * memory. The addon is built for this test with a Node-API that behaves so.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildAddon } from './build-addon.ts';
import { programs, runScript, skipReason, suiteName } from './guest.ts';

describe.skipIf(skipReason('uml') !== undefined)(suiteName('without external memory', 'uml'), () => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync('/tmp/tracewright-test-');
    buildAddon(copy, { CXXFLAGS: `-include ${join(programs, 'no-external-memory.h')} -Wno-error` });
  }, 60_000);
  afterAll(() => {
    rmSync(copy, { recursive: true });
  });

  const run = async (program: string, ...args: string[]) => {
    const output = await runScript(`node ${join(copy, 'test/kernel/programs', program)} ${args.join(' ')}`);
    return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');
  };

  it('the words are an array of each thread, and the kernel writes to it', async () => {
    expect(await run('owned-words.mjs')).toEqual({ words: 4096, followed: 20, written: 10, lines: 10 });
  });

  it('threads come and go', async () => {
    expect(await run('worker-only.mjs')).toMatchObject({
      followed: 20,
      lines: 12,
      stats: { written: 10, dropped: {} },
    });
    expect(await run('workers.mjs', '10')).toMatchObject({ stats: { written: 10, dropped: {} } });
  });
});
