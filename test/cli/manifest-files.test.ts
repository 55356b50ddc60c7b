/** `--manifest`: files, and folders of many, whose contents are remembered. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { manifestFinder } from '../../lib/cli/trace/manifest-files.ts';
import { missingOnWindows, named } from '../platforms.ts';

const GUID = '7ef5932c-c0f3-4c8b-a0f7-7cfae9c60b0e';
const OTHER = 'cd75d1d2-a19b-4c81-a8a9-629fcd2fd998';
const provider = (guid: string, events = '') =>
  `<provider name="A" guid="{${guid}}"><events>${events}</events></provider>`;

let folder: string;
let cache: string;
let warnings: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-manifests-'));
  cache = mkdtempSync(join(tmpdir(), 'tracewright-cache-'));
  cachesIn(cache);
  warnings = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => warnings.push(String(text)) > 0);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  for (const path of [folder, cache]) rmSync(path, { recursive: true });
});

/** On any system. */
function cachesIn(path: string): void {
  for (const name of ['XDG_CACHE_HOME', 'LOCALAPPDATA']) vi.stubEnv(name, path);
}

const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);

describe('a folder of manifests', () => {
  it('has the manifests of a provider, in its subfolders, too', async () => {
    mkdirSync(join(folder, 'more'));
    write('a.man', provider(GUID));
    write('more/b.XML', provider(GUID.toUpperCase()));
    write('c.man', provider(OTHER));
    const find = await manifestFinder([folder]);
    expect(find(GUID)).toEqual([provider(GUID), provider(GUID.toUpperCase())]);
    expect(find(OTHER)).toEqual([provider(OTHER)]);
    expect(find('00000000-0000-0000-0000-000000000000')).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('is read in UTF-16, with and without a byte order mark', async () => {
    write('a.man', Buffer.from(provider(GUID), 'utf16le'));
    write('b.man', Buffer.from(`\ufeff${provider(OTHER)}`, 'utf16le'));
    const find = await manifestFinder([folder]);
    expect([find(GUID), find(OTHER)]).toEqual([[provider(GUID)], [provider(OTHER)]]);
  });

  it('skips a manifest that cannot be read, says which and why, and says so again later', async () => {
    write('a.man', provider(GUID));
    write('broken.man', provider('nope'));
    const sentence = `tracewright: Skipped the manifest ${join(folder, 'broken.man')}: The <provider> A has the guid "nope", which is not a GUID. (at character 0)\n`;
    for (const _ of [1, 2]) {
      warnings = [];
      const find = await manifestFinder([folder]);
      expect(find(GUID)).toEqual([provider(GUID)]);
      expect(warnings).toEqual([sentence]);
    }
  });

  it('keeps a manifest with bad events, unless it has no other', async () => {
    const [good, bad] = ['<event value="1"/>', '<event value="2" template="none"/>'];
    write('mixed.man', provider(GUID, good + bad));
    write('bad.man', provider(OTHER, bad));
    const find = await manifestFinder([folder]);
    expect(find(GUID)).toHaveLength(1);
    expect(find(OTHER)).toEqual([]);
    expect(warnings.join('')).toContain(
      'bad.man: An <event> has the template "none", which is not declared.',
    );
  });

  it('accepts what describes performance counters only, as manifests of Windows do', async () => {
    write(
      'counters.man',
      '<instrumentationManifest><counters><provider providerGuid="{x}"/></counters></instrumentationManifest>',
    );
    write('a.man', provider(GUID));
    await manifestFinder([folder]);
    expect(warnings).toEqual([]);
  });

  it('is read again where it has changed', async () => {
    write('a.man', provider(GUID));
    await manifestFinder([folder]);
    write('a.man', `${provider(OTHER)} `);
    const find = await manifestFinder([folder]);
    expect([find(GUID), find(OTHER)]).toEqual([[], [`${provider(OTHER)} `]]);
  });

  it('does without a cache that is damaged or cannot be written', async () => {
    write('a.man', provider(GUID));
    await manifestFinder([folder]);
    const [file] = readdirSync(join(cache, 'tracewright'));
    writeFileSync(join(cache, 'tracewright', file ?? ''), '{"version":1,"files":');
    expect((await manifestFinder([folder]))(GUID)).toHaveLength(1);
    cachesIn(join(folder, 'a.man'));
    expect((await manifestFinder([folder]))(GUID)).toHaveLength(1);
  });

  const reason = missingOnWindows('links that any user may make');
  it.skipIf(reason !== undefined)(named('does not follow links', reason), async () => {
    write('a.man', provider(GUID));
    symlinkSync('/etc/passwd', join(folder, 'b.man'));
    await manifestFinder([folder]);
    expect(warnings).toEqual([]);
  });

  it('must have one', async () => {
    await expect(manifestFinder([folder])).rejects.toThrow(
      `The folder "${folder}" has no manifest (.man, .xml).`,
    );
  });
});

describe('a manifest file', () => {
  it('must be readable as a whole', async () => {
    write('a.man', provider(GUID, '<event value="1"/><event value="2" template="none"/>'));
    await expect(manifestFinder([join(folder, 'a.man')])).rejects.toThrow(
      `${join(folder, 'a.man')}: An <event> has the template "none", which is not declared. (at character 91)`,
    );
  });
});
