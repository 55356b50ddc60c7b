/**
 * The descriptions of WPP messages given to a command: .tmf files, PDBs, and folders of both. Tracepdb names a .tmf
 * file after the GUID of its messages, so of a folder's only those of messages in the trace are read.
 */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { thrownMessage } from '../../base/value-text.ts';
import type { TmfFinder } from '../../trace/trace-reader.ts';
import { isGuidText } from '../../wire/guid.ts';
import { PdbFile } from '../../wire/pdb/pdb-file.ts';
import { decodeTextFile } from '../../wire/text.ts';
import { parseTmf, type TmfMessage } from '../../wire/wpp/tmf.ts';
import { warn } from '../messages.ts';

const TMF_FILE = /\.(?:tmf|pdb)$/i;
const MAX_FILES = 100_000;
const MAX_FILE_BYTES = 64e6;
/** No program's messages have more text. */
const MAX_PDB_TEXT = 256e6;

/**
 * Finds the texts of a message's GUID.
 *
 * @throws Error if a file cannot be read; those of folders are skipped, with a warning
 */
export async function tmfFinder(paths: readonly string[]): Promise<TmfFinder> {
  const byGuid = new Map<string, string[]>();
  /** Files to read when their GUID is asked for. */
  const later = new Map<string, string[]>();
  for (const path of paths) {
    if (!(await stat(path)).isDirectory()) {
      addFile(path, byGuid);
      continue;
    }
    for (const file of await tmfFiles(path)) {
      const guid = basename(file)
        .replace(/\.tmf$/i, '')
        .toLowerCase();
      if (isGuidText(guid)) later.set(guid, [...(later.get(guid) ?? []), file]);
      else tryAddFile(file, byGuid);
    }
  }
  return (guid) => {
    for (const file of later.get(guid) ?? []) tryAddFile(file, byGuid);
    later.delete(guid);
    return byGuid.get(guid) ?? [];
  };
}

/** Links are not followed. */
async function tmfFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && TMF_FILE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new Error(`The folder "${folder}" has no .tmf file and no PDB.`);
  if (files.length > MAX_FILES)
    throw new Error(
      `The folder "${folder}" has ${files.length} .tmf files and PDBs, more than ${MAX_FILES}.`,
    );
  return files;
}

function tryAddFile(path: string, byGuid: Map<string, string[]>): void {
  try {
    addFile(path, byGuid);
  } catch (error) {
    warn(`Skipped ${path}: ${thrownMessage(error)}`);
  }
}

function addFile(path: string, byGuid: Map<string, string[]>): void {
  const text = /\.pdb$/i.test(path) ? textOfPdb(path) : textOfFile(path);
  const { messages, problems } = parseTmf(text, path);
  if (messages.length === 0) throw new Error(problems[0] ?? `${path} describes no WPP messages.`);
  for (const problem of problems) warn(`Skipped a message: ${problem}`);
  for (const guid of new Set(messages.map((message: TmfMessage) => message.guid)))
    byGuid.set(guid, [...(byGuid.get(guid) ?? []), text]);
}

function textOfFile(path: string): string {
  if (statSync(path).size > MAX_FILE_BYTES) throw new Error(`${path} is larger than 64 MB.`);
  return decodeTextFile(readFileSync(path));
}

/** A PDB has the lines of each message as an annotation, `TMF:` before them. */
function textOfPdb(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    const file = PdbFile.open((offset, size) => {
      const bytes = Buffer.alloc(size);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, size, offset));
    });
    if (file === undefined) throw new Error(`${path} is not a PDB.`);
    const texts: string[] = [];
    let size = 0;
    for (const [kind, ...lines] of file.annotations()) {
      if (kind !== 'TMF:') continue;
      const text = lines.map((line) => line.replace(/\r?\n/g, '%n')).join('\n');
      size += text.length;
      if (size > MAX_PDB_TEXT) throw new Error(`${path} has more than 256 MB of descriptions.`);
      texts.push(text);
    }
    return texts.join('\n');
  } finally {
    closeSync(descriptor);
  }
}
