/** `--tmf`: TMF files, PDBs, and folders of both. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventText } from '../../lib/cli/dump/event-text.ts';
import { tmfFinder } from '../../lib/cli/trace/tmf-files.ts';
import { openTraceArgument, readWithProgress } from '../../lib/cli/trace/trace-argument.ts';
import { guidBytes } from '../../lib/wire/guid.ts';
import { bufferBytes, etlBytes, messageRecord } from '../wire/etl/etl-bytes.ts';
import { pdbBytes } from '../wire/pdb/pdb-bytes.ts';

const GUID = '1606d1a7-1682-57d1-65f7-36693800e096';
const OTHER = '2606d1a7-1682-57d1-65f7-36693800e096';
const LINES = [
  'app // SRC=a.c MJ= MN=',
  '#typev a_c3 1 "%0n=%10!d!" // FUNC=Run',
  '{',
  'n, ItemLong -- 10',
  '}',
];
const tmf = (guid: string) => `${guid} ${LINES.join('\n')}\n`;

let folder: string;
let warnings: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-tmf-'));
  warnings = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => warnings.push(String(text)) > 0);
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function pdb(guid: string): Uint8Array {
  return pdbBytes({
    guid: guidBytes(OTHER),
    age: 1,
    sections: [0x1000],
    procedures: [{ name: 'Run', section: 1, offset: 0, size: 16 }],
    publics: [],
    annotations: [
      ['TMC:', OTHER, 'AppControl', 'FLAG_ONE'],
      ['TMF:', `${guid} ${LINES[0]}`, ...LINES.slice(1), 'PUBLIC_TMF:'],
      ['TMF:', `${guid} ${LINES[0]}`, '#typev a_c9 2 "%0two\nlines" // FUNC=Run', '{', '}'],
    ],
  });
}

describe('a folder', () => {
  it('has files by the GUID of their messages, of which the others are not read', async () => {
    mkdirSync(join(folder, 'more'));
    write(`more/${GUID.toUpperCase()}.TMF`, tmf(GUID));
    write(`${OTHER}.tmf`, 'broken');
    const find = await tmfFinder([folder]);
    expect(find(GUID)).toEqual([tmf(GUID)]);
    expect(find('00000000-0000-0000-0000-000000000000')).toEqual([]);
    expect(warnings).toEqual([]);
    expect(find(OTHER)).toEqual([]);
    expect(warnings.join('')).toContain(
      `Skipped ${join(folder, `${OTHER}.tmf`)}: ${join(folder, `${OTHER}.tmf`)}:1: "broken" is neither a GUID and a name nor #typev.`,
    );
  });

  it('has other TMF files and PDBs, with one that is bad named and skipped', async () => {
    write('app.tmf', tmf(GUID));
    write('app.pdb', pdb(OTHER));
    write('bad.pdb', 'no');
    const find = await tmfFinder([folder]);
    expect([find(GUID).length, find(OTHER).length]).toEqual([1, 1]);
    expect(warnings.join('')).toBe(
      `tracewright: Skipped ${join(folder, 'bad.pdb')}: ${join(folder, 'bad.pdb')} is not a PDB.\n`,
    );
  });

  it('must have one', async () => {
    await expect(tmfFinder([folder])).rejects.toThrow(`The folder "${folder}" has no .tmf file and no PDB.`);
  });
});

describe('a file', () => {
  it('is read in UTF-16, too', async () => {
    const find = await tmfFinder([write('a.tmf', Buffer.from(`\ufeff${tmf(GUID)}`, 'utf16le'))]);
    expect(find(GUID)).toEqual([tmf(GUID)]);
  });

  it('lacks its bad messages, which are named', async () => {
    const path = write('a.tmf', `${tmf(GUID)}#typev bad\n`);
    expect((await tmfFinder([path]))(GUID)).toHaveLength(1);
    expect(warnings).toEqual([
      `tracewright: Skipped a message: ${path}:6: "#typev bad" is not #typev with a name, a number and a text.\n`,
    ]);
  });

  it('must describe messages', async () => {
    await expect(tmfFinder([write('a.tmf', '// PDB: a.pdb\n')])).rejects.toThrow(
      'a.tmf describes no WPP messages.',
    );
  });
});

describe('a command', () => {
  const trace = () =>
    write(
      'a.etl',
      etlBytes([
        bufferBytes([
          messageRecord(1, 2, [...guidBytes(GUID), 7, 0, 0, 0]),
          messageRecord(2, 2, guidBytes(GUID)),
          messageRecord(1, 2, [...guidBytes(OTHER), 0xab]),
        ]),
      ]),
    );

  async function lines(tmfPaths: readonly string[]): Promise<string[]> {
    const opened = await openTraceArgument({ file: trace(), member: undefined }, { tmf: tmfPaths });
    const texts: string[] = [];
    for await (const batch of readWithProgress(opened)) texts.push(...batch.map(eventText));
    return texts.map((text) => text.trim().replace(/^[\d.]+\s+/, ''));
  }

  it('shows the texts that a PDB describes, and says what is missing', async () => {
    expect(await lines([write('app.pdb', pdb(GUID))])).toEqual([
      'app/Run  -  "n=7"',
      String.raw`app/Run  -  "two\nlines"`,
      `${OTHER}/Message(1)  -  Arguments="ab" (Nothing describes message 1 (WPP) of ${OTHER}: pass the TMF file or the PDB of its program (--tmf).)`,
    ]);
    expect(warnings.join('')).toBe(
      'tracewright: Nothing describes 1 WPP message: pass the TMF files or PDBs of its program with --tmf.\n',
    );
  });

  it('says which file is not there', async () => {
    await expect(lines([join(folder, 'none.tmf')])).rejects.toThrow(
      `There is no file "${join(folder, 'none.tmf')}".`,
    );
  });
});
