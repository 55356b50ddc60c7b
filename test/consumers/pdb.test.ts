/** Symbols of Windows programs as Microsoft's linker writes them: those that node-pty ships with its binaries. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SymbolFolders } from '../../lib/symbols/symbol-folders.ts';
import { guidText } from '../../lib/wire/guid.ts';
import { isRequired } from '../../scripts/lib/require.mjs';
import { named } from '../platforms.ts';

const version = '1.1.0';
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tracewright/node-pty', version);
const folder = join(cache, 'package/prebuilds/win32-x64');

function fetched(): string | undefined {
  if (existsSync(folder)) return undefined;
  mkdirSync(cache, { recursive: true });
  const packed = spawnSync('npm', ['pack', `node-pty@${version}`, '--silent'], {
    cwd: cache,
    encoding: 'utf8',
  });
  const file = packed.stdout.trim();
  const { status } = spawnSync('tar', ['xzf', file], { cwd: cache });
  if (packed.status === 0 && status === 0) return undefined;
  if (isRequired('registry')) throw new Error(`npm pack node-pty failed: ${packed.stderr}`);
  return 'npm could not fetch node-pty';
}

const reason = fetched();

/** The id of an image's PDB, and its exported functions: Microsoft, "PE Format". */
function readImage(path: string) {
  const bytes = readFileSync(path);
  const pe = bytes.readUInt32LE(0x3c);
  const sectionsAt = pe + 24 + bytes.readUInt16LE(pe + 20);
  const sections = Array.from({ length: bytes.readUInt16LE(pe + 6) }, (_, index) => {
    const at = sectionsAt + 40 * index;
    return {
      address: bytes.readUInt32LE(at + 12),
      size: bytes.readUInt32LE(at + 8),
      file: bytes.readUInt32LE(at + 20),
    };
  });
  const fileOffset = (address: number) => {
    const section = sections.find((each) => address >= each.address && address < each.address + each.size);
    return address - (section?.address ?? 0) + (section?.file ?? 0);
  };
  const text = (at: number) => bytes.toString('latin1', at, bytes.indexOf(0, at));
  const table = fileOffset(bytes.readUInt32LE(pe + 24 + 112));
  const [functions = 0, names = 0, ordinals = 0] = [28, 32, 36].map((at) =>
    fileOffset(bytes.readUInt32LE(table + at)),
  );
  const exported = Array.from({ length: bytes.readUInt32LE(table + 24) }, (_, index) => {
    const ordinal = bytes.readUInt16LE(ordinals + 2 * index);
    return {
      name: text(fileOffset(bytes.readUInt32LE(names + 4 * index))),
      address: bytes.readUInt32LE(functions + 4 * ordinal),
    };
  });
  const rsds = bytes.indexOf('RSDS');
  return {
    exported,
    debugId: {
      filename: text(rsds + 24),
      guid: guidText(bytes.subarray(rsds + 4, rsds + 20)),
      age: bytes.readUInt32LE(rsds + 20),
    },
  };
}

describe.skipIf(reason !== undefined)(named("PDBs of Microsoft's linker", reason), () => {
  it('name the exported functions of their images, to the last byte', () => {
    const { exported, debugId } = readImage(join(folder, 'winpty.dll'));
    expect(exported.length).toBeGreaterThan(10);
    const symbols = new SymbolFolders([folder]).pdb(debugId);
    for (const { name, address } of exported) {
      expect(symbols?.nameAt(address)).toBe(name);
      expect(symbols?.nameAt(address + 1)).toBe(name);
    }
  });

  it('are not used for images of another build', () => {
    const { debugId } = readImage(join(folder, 'winpty.dll'));
    const folders = new SymbolFolders([folder]);
    expect(folders.pdb({ ...debugId, age: debugId.age + 1 })).toBeUndefined();
    expect(folders.pdb({ ...debugId, guid: '00000000-0000-0000-0000-000000000000' })).toBeUndefined();
    expect(folders.pdb({ ...debugId, filename: '..\\..\\winpty.pdb' })).toBeDefined();
  });
});
