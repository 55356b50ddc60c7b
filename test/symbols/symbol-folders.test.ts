import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SymbolFolders } from '../../lib/symbols/symbol-folders.ts';
import { missingOnWindows, named } from '../platforms.ts';
import { elfBytes } from '../wire/elf/elf-bytes.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'symbols-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, content: string | Uint8Array) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
};
const functions = [
  { name: 'main', address: 0x40_1000, size: 0x20 },
  { name: 'late', address: 0x40_1040, size: 0x20 },
];

describe('the functions of a program', () => {
  it('are found by position in the file', () => {
    write('usr/bin/app', elfBytes({ functions }));
    const file = new SymbolFolders([root]).file('/usr/bin/app', undefined);
    expect([0x1000, 0x101f, 0x1020, 0x1050, 0x9000].map((at) => file?.nameAt(at))).toEqual([
      'main',
      'main',
      undefined,
      'late',
      undefined,
    ]);
  });

  it('are found by file name alone, and in debug symbol files', () => {
    write('app', elfBytes({ functions: [], isStripped: true, buildId: [0xab, 0xcd, 0xef] }));
    write('.build-id/ab/cdef.debug', elfBytes({ functions, buildId: [0xab, 0xcd, 0xef] }));
    expect(new SymbolFolders([root]).file('/opt/app', 'abcdef')?.nameAt(0x1000)).toBe('main');
  });

  it('are not those of a different build', () => {
    write('app', elfBytes({ functions, buildId: [1, 2] }));
    expect(new SymbolFolders([root]).file('/app', '0102')?.nameAt(0x1000)).toBe('main');
    expect(new SymbolFolders([root]).file('/app', '0103')).toBeUndefined();
  });

  it('are those that perf chooses among several at one address', () => {
    const at = 0x40_1000;
    const chosen = (...all: { name: string; size?: number; binding?: number }[]) => {
      write('app', elfBytes({ functions: all.map((each) => ({ size: 8, ...each, address: at })) }));
      return new SymbolFolders([root]).file('/app', undefined)?.nameAt(0x1000);
    };
    expect(chosen({ name: 'label', size: 0 }, { name: 'f' })).toBe('f');
    expect(chosen({ name: 'weak', binding: 2 }, { name: 'f' })).toBe('f');
    expect(chosen({ name: 'local', binding: 0 }, { name: 'f' })).toBe('f');
    expect(chosen({ name: '__long' }, { name: '_f' })).toBe('_f');
    expect(chosen({ name: 'f' }, { name: 'longer' })).toBe('longer');
    expect(chosen({ name: 'C1' }, { name: 'C2' })).toBe('C1');
  });

  it('have names in proportion to the file, although each has the same long one', () => {
    const many = Array.from({ length: 200_000 }, (_, at) => ({
      name: 'x'.repeat(4000),
      address: 16 * at,
      size: 16,
    }));
    write('app', elfBytes({ functions: many, address: 0 }));
    const before = process.memoryUsage().heapUsed;
    expect(new SymbolFolders([root]).file('/app', undefined)?.nameAt(0x1010)).toMatch(/^x+$/);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(400 << 20);
  });

  it('are only read from the given folders', () => {
    write('outside/app', elfBytes({ functions }));
    mkdirSync(join(root, 'inside'));
    const folders = new SymbolFolders([join(root, 'inside')]);
    expect(folders.file('/../outside/app', undefined)).toBeUndefined();
    expect(folders.file('', undefined)).toBeUndefined();
    expect(folders.file('/a\0b', undefined)).toBeUndefined();
    expect(new SymbolFolders([]).file(join(root, 'outside/app'), undefined)).toBeUndefined();
  });

  const noLinks = missingOnWindows('links for every user');
  it.skipIf(noLinks !== undefined)(named('are not behind a link that leads elsewhere', noLinks), () => {
    write('outside/app', elfBytes({ functions }));
    mkdirSync(join(root, 'inside'));
    symlinkSync(join(root, 'outside/app'), join(root, 'inside/app'));
    expect(new SymbolFolders([join(root, 'inside')]).file('/app', undefined)).toBeUndefined();
    symlinkSync('/dev/zero', join(root, 'zero'));
    expect(new SymbolFolders(['/']).file(join(root, 'zero'), undefined)).toBeUndefined();
  });
});

describe('the map of a process', () => {
  it('names its functions, by the last line for an address', () => {
    write('perf-42.map', '1000 20 JS:*a file:///x.js:1:2\nnonsense\n1010 30 JS:*b\n1000 8 JS:*c\n');
    const map = new SymbolFolders([root]).perfMap(42);
    expect([0x1000, 0x1008, 0x1010, 0x103f, 0x1040].map((at) => map?.nameAt(at))).toEqual([
      'JS:*c',
      'JS:*a file:///x.js:1:2',
      'JS:*b',
      'JS:*b',
      undefined,
    ]);
    expect(new SymbolFolders([root]).perfMap(43)).toBeUndefined();
  });

  it("is also read from the system's temporary folder", () => {
    write('tmp/perf-42.map', '1000 20 f\n');
    expect(new SymbolFolders([root]).perfMap(42)?.nameAt(0x1001)).toBe('f');
  });
});

describe('the map of a process in a folder of everybody', () => {
  const NOBODY = 65_534;
  const OTHER = 65_533;
  const noUsers = process.getuid?.() === 0 ? undefined : 'only root can give files to others';
  const mapOf = (processId: number, uid: number, mode: number) => {
    const path = `tmp/perf-${processId}.map`;
    write(path, '1000 20 planted\n');
    chownSync(join(root, path), uid, uid);
    chmodSync(join(root, 'tmp'), mode);
    return new SymbolFolders([root]).perfMap(processId)?.nameAt(0x1001);
  };

  it.skipIf(noUsers !== undefined)(named('is that of its user, of ours or of root', noUsers), async () => {
    const gone = 2 ** 22 + 1;
    expect(mapOf(gone, 0, 0o1777)).toBe('planted');
    expect(mapOf(gone, NOBODY, 0o1777)).toBeUndefined();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { uid: NOBODY });
    await once(child, 'spawn');
    try {
      expect(mapOf(child.pid as number, NOBODY, 0o1777)).toBe('planted');
      expect(mapOf(child.pid as number, OTHER, 0o1777)).toBeUndefined();
    } finally {
      child.kill();
      await once(child, 'exit');
    }
    // Nobody else can have put it there.
    expect(mapOf(gone, NOBODY, 0o755)).toBe('planted');
  });
});

describe('the functions of the kernel', () => {
  it('end where the next one starts', () => {
    write('proc/kallsyms', 'ffffffff81000000 T first\nffffffff81000100 t second\t[module]\n');
    const kernel = new SymbolFolders([root]).kernel();
    expect(kernel?.nameAt(Number(BigInt.asIntN(64, 0xffff_ffff_8100_00ffn)))).toBe('first');
    expect(kernel?.nameAt(Number(BigInt.asIntN(64, 0xffff_ffff_8100_0100n)))).toBe('second');
  });

  it('have the last name in the list, like in perf, if they have several', () => {
    write('kallsyms', 'ffffffff81000000 T memcpy\nffffffff81000000 T __memcpy\nffffffff81000100 t next\n');
    const kernel = new SymbolFolders([root]).kernel();
    expect(kernel?.nameAt(Number(BigInt.asIntN(64, 0xffff_ffff_8100_0000n)))).toBe('__memcpy');
  });

  it('have no addresses for users who may not see them', () => {
    write('kallsyms', '0000000000000000 T first\n0000000000000000 t second\n');
    expect(new SymbolFolders([root]).kernel()).toBeUndefined();
  });
});

/** Only root may make a container of its own, as far as the system allows. */
const container = spawnSync('unshare', ['--pid', '--mount', '--fork', 'true']);
const noContainer =
  container.status === 0 ? undefined : `unshare: ${container.error?.message ?? String(container.stderr)}`;

it.skipIf(noContainer !== undefined)(
  named('the map of a running process in a container is found there, by its inner id', noContainer),
  async () => {
    const script =
      'mount -t tmpfs none /tmp && echo "1000 10 JS:~inner" > /tmp/perf-$$.map && echo $$ && read line';
    const child = spawn('unshare', ['--pid', '--mount', '--fork', 'sh', '-c', script]);
    try {
      const [line] = await once(child.stdout, 'data');
      expect(String(line)).toBe('1\n');
      const inner = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
      expect(new SymbolFolders([]).perfMap(Number(inner))?.nameAt(0x1008)).toBe('JS:~inner');
      // Left by an earlier process with its id.
      rmSync(`/tmp/perf-${child.pid}.map`, { force: true });
      expect(new SymbolFolders([]).perfMap(child.pid ?? 0)).toBeUndefined();
    } finally {
      child.stdin.end('end\n');
      await once(child, 'close');
    }
  },
);
