/** What is known about the providers of Windows, held against the facts it is made of and against a real log. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { windowsProvider } from '../../lib/known/windows-provider.ts';
import { WindowsProviders } from '../../lib/known/windows-providers.ts';
import { dataFolder, SKIP_REASON } from '../conformance/data-folder.ts';
import { readEtl } from '../trace/etl/read-etl.ts';

const KERNEL_PROCESS = '22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716';

describe('the providers of Windows', () => {
  it('have their events with names, fields and types', () => {
    expect(windowsProvider(KERNEL_PROCESS)?.event(2, 0)).toMatchObject({
      provider: 'Microsoft-Windows-Kernel-Process',
      name: 'ProcessStop/Stop',
      taskName: 'ProcessStop',
      opcodeName: 'Stop',
      fields: [
        { name: 'ProcessID', type: 'uint32' },
        { name: 'CreateTime', type: 'filetime' },
        { name: 'ExitTime', type: 'filetime' },
        { name: 'ExitCode', type: 'uint32' },
        { name: 'TokenElevationType', type: 'uint32' },
        { name: 'HandleCount', type: 'uint32' },
        { name: 'CommitCharge', type: 'uint64' },
        { name: 'CommitPeak', type: 'uint64' },
        { name: 'ImageName', type: 'ansi' },
      ],
    });
  });

  it('describe a version that is newer than all known ones like the newest', () => {
    const newest = windowsProvider(KERNEL_PROCESS)?.event(1, 3);
    expect(newest?.fields.map(({ name }) => name)).toContain('ImageName');
    expect(windowsProvider(KERNEL_PROCESS)?.event(1, 200)).toEqual(newest);
  });

  it('do not describe what they do not have', () => {
    expect(windowsProvider(KERNEL_PROCESS)?.event(60_000, 0)).toBeUndefined();
    expect(windowsProvider('00000000-0000-0000-0000-000000000000')).toBeUndefined();
    expect(new WindowsProviders('').find(KERNEL_PROCESS)).toBeUndefined();
  });

  it('distinguish the length of texts and bytes from the number of elements', () => {
    const columns = ['A', '7 0', '', '', 'N:UInt32,S:AnsiString[N],B:Binary[16],V:UInt16[N],X:31'];
    const provider = new WindowsProviders(`guid\t${columns[0]}\t1\0${columns.slice(1).join('\0')}`).find(
      'guid',
    );
    expect(provider?.event(7, 0)).toEqual({
      provider: 'A',
      name: 'EventID(7)',
      opcodeName: 'Info',
      fields: [
        { name: 'N', type: 'uint32' },
        { name: 'S', type: 'ansi', length: 'N' },
        { name: 'B', type: 'binary', length: 16 },
        { name: 'V', type: 'uint16', count: 'N' },
        { name: 'X', type: 'unknown', typeName: '31' },
      ],
    });
  });
});

describe.skipIf(dataFolder === undefined)(`the providers of Windows in the facts (${SKIP_REASON})`, () => {
  const lines = (name: string, read = (bytes: Buffer) => bytes) =>
    read(readFileSync(join(dataFolder ?? '', 'windows-providers', name)))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('all have names', () => {
    const names = lines('names.jsonl') as [string, string][];
    expect(names.map(([guid]) => windowsProvider(guid)?.name)).toEqual(names.map(([, name]) => name));
  });

  it('have every event, with every field', () => {
    for (const { guid, events } of lines('common.jsonl.gz', gunzipSync)) {
      // A few providers have two events with the same id and version.
      const all = new Map<string, string[]>();
      for (const { id, version, fields } of events) {
        const key = `${id} ${version}`;
        all.set(key, [...(all.get(key) ?? []), fields.map(([name]: [string]) => name).join()]);
      }
      for (const [key, fields] of all) {
        const [id = 0, version = 0] = key.split(' ').map(Number);
        const found = windowsProvider(guid)?.event(id, version);
        expect(fields, `${guid} ${key}`).toContain(found?.fields.map(({ name }) => name).join());
      }
    }
  });

  it('describe a log of Windows as its manifest does', async () => {
    const bytes = readFileSync(join(dataFolder ?? '', 'etl/HTTP_Server.etl'));
    const manifest = readFileSync(join(dataFolder ?? '', 'etl/HTTP_Server.man'), 'utf8');
    const [known, described] = [await readEtl(bytes), await readEtl(bytes, [manifest])];
    for (const [index, event] of known.events.entries()) {
      const other = described.events[index];
      // The facts have names without spaces.
      expect(event.name).toBe(other?.name.replaceAll(' ', ''));
      expect(event.payload).toEqual(other?.payload);
      expect(event.payloadProblem).toBeUndefined();
    }
  });
});
