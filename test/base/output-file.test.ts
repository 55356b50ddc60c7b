/** Files that are written in folders where others may have planted what they like. */
import {
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  nameOfPartial,
  OutputError,
  OutputFile,
  openOwnFile,
  replacingFile,
  writeOutput,
} from '../../lib/base/output-file.ts';
import { missingOnWindows, named } from '../platforms.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
  file = join(folder, 'trace');
});
afterEach(() => rmSync(folder, { recursive: true }));

const contents = () =>
  Object.fromEntries(
    readdirSync(folder, { withFileTypes: true }).map((entry) => [
      entry.name,
      entry.isFile() ? readFileSync(join(folder, entry.name), 'utf8') : 'folder',
    ]),
  );
const opened = (text: string) => () => {
  writeFileSync(file, text);
  return openSync(file, 'r');
};
const refused = () => {
  throw new Error('refused');
};

describe('a replaced file', () => {
  it('keeps the previous one, and no older one', () => {
    for (const text of ['1', '2', '3']) closeSync(replacingFile(file, opened(text), closeSync));
    expect(contents()).toEqual({ trace: '3', 'trace.old': '2' });
  });

  it('is unchanged if the new one cannot be opened, and so is the older one', () => {
    expect(() => replacingFile(file, refused, () => {})).toThrow('refused');
    expect(contents()).toEqual({});
    writeFileSync(file, '2');
    writeFileSync(`${file}.old`, '1');
    expect(() => replacingFile(file, refused, () => {})).toThrow('refused');
    expect(contents()).toEqual({ trace: '2', 'trace.old': '1' });
    // One that began to write, such as a session whose provider is refused.
    const begun = () => {
      writeFileSync(file, 'new');
      return refused();
    };
    expect(() => replacingFile(file, begun, () => {})).toThrow('refused');
    expect(contents()).toEqual({ trace: '2', 'trace.old': '1' });
  });

  it('is closed and unchanged if FILE.old cannot be replaced', () => {
    writeFileSync(file, '2');
    mkdirSync(`${file}.old`);
    const discarded: number[] = [];
    const discard = (descriptor: number) => {
      discarded.push(descriptor);
      closeSync(descriptor);
    };
    expect(() => replacingFile(file, opened('3'), discard)).toThrow(/^E/);
    expect(discarded).toHaveLength(1);
    expect(contents()).toEqual({ trace: '2', 'trace.old': 'folder' });
  });
});

const noLinks = missingOnWindows('links for everybody');
const isRoot = process.geteuid?.() === 0;

describe.skipIf(noLinks !== undefined)(named('an output file', noLinks), () => {
  const victim = () => join(folder, 'victim');
  beforeEach(() => writeFileSync(victim(), 'precious', { mode: 0o644 }));
  const isUntouched = () => {
    expect(readFileSync(victim(), 'utf8')).toBe('precious');
    expect(statSync(victim()).mode & 0o777).toBe(0o644);
  };

  it('has its name when it is complete, and is for its owner alone', () => {
    const output = new OutputFile(file);
    output.write(Buffer.from('new'));
    expect(lstatSync(file, { throwIfNoEntry: false })).toBeUndefined();
    const [partial = ''] = readdirSync(folder).filter((name) => name !== 'victim');
    expect(nameOfPartial(partial)).toBe('trace');
    output.commit();
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['trace', 'victim']);
  });

  it('has a name that nobody can guess until then', () => {
    const outputs = Array.from({ length: 20 }, () => new OutputFile(file));
    expect(readdirSync(folder)).toHaveLength(21);
    for (const output of outputs) output.abandon();
    expect(readdirSync(folder)).toEqual(['victim']);
  });

  it.each([
    ['a link to a file', () => symlinkSync(victim(), file)],
    ['a link to nothing', () => symlinkSync(join(folder, 'nothing'), file)],
    ['a second name of a file', () => linkSync(victim(), file)],
    [
      'a file that all may write',
      () => {
        writeFileSync(file, 'old');
        chmodSync(file, 0o666);
      },
    ],
  ])('replaces %s, and follows nothing', (_, plant) => {
    plant();
    writeOutput(file, 'new');
    isUntouched();
    expect(lstatSync(file).isFile()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file)).toMatchObject({ uid: process.geteuid?.(), nlink: 1 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).not.toContain('nothing');
  });

  const noRoot = isRoot ? undefined : 'only root has files of other users';
  it.skipIf(noRoot !== undefined)(
    named('replaces a file of another user, who keeps it where it is open', noRoot),
    () => {
      writeFileSync(file, '');
      chmodSync(file, 0o666);
      chownSync(file, 65534, 65534);
      const his = openSync(file, 'r');
      const output = new OutputFile(file);
      output.take();
      output.write(Buffer.from('secret'));
      output.commit();
      expect(readFileSync(his, 'utf8')).toBe('');
      closeSync(his);
      expect(statSync(file)).toMatchObject({ uid: 0 });
    },
  );

  it('is refused where there is a folder, or a link to one', () => {
    mkdirSync(file);
    expect(() => new OutputFile(file)).toThrow(`${file} cannot be written (it is a folder).`);
    rmSync(file, { recursive: true });
    symlinkSync(folder, file);
    expect(() => new OutputFile(file)).toThrow(OutputError);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it('is written directly if it is a device', () => {
    const output = new OutputFile('/dev/null');
    output.write(Buffer.from('gone'));
    output.commit();
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
    const full = new OutputFile('/dev/full');
    expect(() => full.write(Buffer.from('too much'))).toThrow('/dev/full cannot be written (ENOSPC).');
    full.abandon();
    expect(lstatSync('/dev/full').isCharacterDevice()).toBe(true);
  });

  it('leaves nothing behind if its name cannot be taken', () => {
    const output = new OutputFile(file);
    mkdirSync(file);
    expect(() => output.commit()).toThrow(`${file} cannot be written (E`);
    expect(readdirSync(folder).sort()).toEqual(['trace', 'victim']);
  });

  it('that was left behind is opened only if it is ours, and has one name', () => {
    const own = join(folder, 'own');
    writeFileSync(own, 'x');
    closeSync(openOwnFile(own));
    symlinkSync(own, file);
    expect(() => openOwnFile(file)).toThrow('ELOOP');
    linkSync(own, join(folder, 'second'));
    expect(() => openOwnFile(own)).toThrow('it has other names, too');
    if (!isRoot) return;
    rmSync(join(folder, 'second'));
    chownSync(own, 65534, 65534);
    expect(() => openOwnFile(own)).toThrow('it belongs to another user, 65534');
  });
});
