import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replacingFile } from '../../lib/record/replacing-file.ts';

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
