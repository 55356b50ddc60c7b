import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { numberedFiles, recordingsIn } from '../../lib/cli/trace/recording-files.ts';
import { at } from '../trace/etl/read-etl.ts';
import { bufferBytes, etlBytes, type HeaderParts, START_TIME } from '../wire/etl/etl-bytes.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-recording-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, header: HeaderParts = {}) =>
  writeFileSync(join(folder, name), etlBytes([bufferBytes([at(1)])], header));
const OTHER_BOOT = { bootTime: START_TIME - 5n };

/** The names of the files of each trace, and the messages, without the folder. */
async function joined(...names: string[]) {
  const recordings = await recordingsIn(
    names.map((name) => ({ file: join(folder, name) })),
    {},
  );
  const bare = (text: string) => text.replaceAll(join(folder, '/'), '');
  return {
    traces: recordings.joined.map(({ file, others = [] }) => [file, ...others].map(bare)),
    messages: recordings.messages.map(bare),
  };
}

describe('an .etl is one trace', () => {
  it('with those that PerfView writes beside it', async () => {
    const names = ['X.etl', 'X.clrRundown.etl', 'X.kernel.etl', 'X.kernelRundown.etl', 'X.userMode.etl'];
    for (const name of [...names, 'Y.kernel.etl', 'X.other.etl', 'X.kernel.txt']) write(name);
    expect(await joined('X.etl')).toEqual({
      traces: [names],
      messages: [`${names.join(', ')}: read as one recording.`],
    });
  });

  it('with those given with it, if they are on one clock', async () => {
    write('kernel.etl');
    write('user.etl');
    write('elsewhere.etl', OTHER_BOOT);
    write('later.etl', { frequency: 3_000_000n });
    expect((await joined('user.etl', 'elsewhere.etl', 'kernel.etl', 'later.etl')).traces).toEqual([
      ['user.etl', 'kernel.etl'],
      ['elsewhere.etl'],
      ['later.etl'],
    ]);
  });

  it('without a sibling of another recording, or a broken one, which a message says', async () => {
    write('X.etl');
    write('X.kernel.etl', OTHER_BOOT);
    writeFileSync(join(folder, 'X.user.etl'), 'broken');
    const { traces, messages } = await joined('X.etl');
    expect(traces).toEqual([['X.etl']]);
    expect(messages).toEqual([
      'X.kernel.etl is not read: its clock is not that of X.etl.',
      expect.stringMatching(/^X\.user\.etl is not read: X\.user\.etl is not a supported trace/),
    ]);
  });

  it('alone, if nothing belongs to it', async () => {
    write('X.etl');
    expect(await joined('X.etl')).toEqual({ traces: [['X.etl']], messages: [] });
    expect(await joined('X.nettrace')).toEqual({ traces: [['X.nettrace']], messages: [] });
  });
});

it('the files of a session that starts a new one at a size are found by its name for them', async () => {
  for (const number of [1, 2, 10]) write(`app_${number}.etl`);
  write('app_old.etl');
  const found = async (name: string) =>
    (await numberedFiles(join(folder, name))).map((path) => path.slice(folder.length + 1));
  expect(await found('app_%d.etl')).toEqual(['app_1.etl', 'app_2.etl', 'app_10.etl']);
  expect(await found('APP_*.etl')).toEqual(['app_1.etl', 'app_2.etl', 'app_10.etl', 'app_old.etl']);
  expect(await found('none_%d.etl')).toEqual([]);
});
