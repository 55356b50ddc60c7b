/** The gates of a release: the prebuilt addons, the library versions that they require, the tag. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { binaryTarget, compareVersions, newestVersions } from '../../scripts/ci/binary-target.mjs';
import { versionProblems } from '../../scripts/ci/check-glibc.mjs';
import { prebuildProblems } from '../../scripts/ci/check-prebuilds.mjs';
import { releaseProblems } from '../../scripts/ci/check-release.mjs';
import { prebuildTargets } from '../../scripts/lib/prebuild-targets.mjs';
import { releasedChangelog } from '../../scripts/try-release.mjs';

function elf(machine: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.write('\x7fELF', 'latin1');
  bytes.writeUInt16LE(machine, 18);
  return bytes;
}

function pe(machine: number): Buffer {
  const bytes = Buffer.alloc(256);
  bytes.write('MZ', 'latin1');
  bytes.writeUInt32LE(128, 60);
  bytes.write('PE\0\0', 128, 'latin1');
  bytes.writeUInt16LE(machine, 132);
  return bytes;
}

function machO(cpuType: number): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32LE(0xfeedfacf, 0);
  bytes.writeUInt32LE(cpuType, 4);
  return bytes;
}

/** The first bytes of a binary for each target, as the formats have them. */
const binaries = new Map([
  ['linux-x64', elf(62)],
  ['linux-arm64', elf(183)],
  ['win32-x64', pe(0x8664)],
  ['win32-arm64', pe(0xaa64)],
  ['darwin-x64', machO(0x01000007)],
  ['darwin-arm64', machO(0x0100000c)],
]);

describe('a native binary', () => {
  for (const [target, bytes] of binaries) {
    it(`for ${target} is recognised by its first bytes`, () => {
      expect(binaryTarget(bytes)).toBe(target);
    });
  }

  it('for another processor or of another format is named in the error', () => {
    expect(() => binaryTarget(elf(40))).toThrow('The file is for linux, machine 0x28.');
    expect(() => binaryTarget(Buffer.from('#!/bin/sh\n'))).toThrow('The file begins with 23212f62');
  });

  it('that runs this process is for this machine', () => {
    const head = readFileSync(process.execPath).subarray(0, 4096);
    expect(binaryTarget(head)).toBe(`${process.platform}-${process.arch}`);
  });
});

describe('the library versions that a binary requires', () => {
  it("are the newest of each library in objdump's output", () => {
    const symbols = `
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.2.5) free
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.14)  memcpy
0000000000000000      DF *UND*  0000000000000000 (GLIBCXX_3.4.9) _ZNSo9_M_insertIbEERSoT_
0000000000000000      DO *UND*  0000000000000000 (CXXABI_1.3)  _ZTVN10__cxxabiv117__class_type_infoE
0000000000004a10 g    DF .text  0000000000000040  Base        napi_register_module_v1`;
    expect([...newestVersions(symbols)]).toEqual([
      ['GLIBC', '2.14'],
      ['GLIBCXX', '3.4.9'],
      ['CXXABI', '1.3'],
    ]);
  });

  it('are compared number by number', () => {
    expect(compareVersions('2.9', '2.14')).toBeLessThan(0);
    expect(compareVersions('2.28', '2.28')).toBe(0);
    expect(compareVersions('3.4', '3.4.1')).toBeLessThan(0);
  });

  it('may be those of RHEL 8, but not newer', () => {
    const oldest = new Map([
      ['GLIBC', '2.28'],
      ['GLIBCXX', '3.4.25'],
      ['CXXABI', '1.3.11'],
    ]);
    expect(versionProblems('tracewright.glibc.node', oldest)).toEqual([]);
    expect(versionProblems('tracewright.glibc.node', new Map([['GLIBC', '2.34']]))).toEqual([
      'tracewright.glibc.node requires GLIBC_2.34; the newest allowed is 2.28.',
    ]);
  });

  it('may not include glibc in a binary for musl', () => {
    expect(versionProblems('tracewright.musl.node', new Map())).toEqual([]);
    expect(versionProblems('tracewright.musl.node', new Map([['GLIBC', '2.17']]))).toEqual([
      'tracewright.musl.node is for musl but requires GLIBC_2.17.',
    ]);
  });
});

describe('the prebuilt addons of a release', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
    for (const name of prebuildTargets) write(name, binaries.get(dirname(name)) ?? Buffer.alloc(0));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function write(name: string, bytes: Buffer): void {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }

  it('are complete', () => {
    expect(prebuildProblems(folder)).toEqual([]);
  });

  it('are rejected if one is missing, superfluous, or for another processor', () => {
    rmSync(join(folder, 'win32-arm64/tracewright.node'));
    write('linux-ia32/tracewright.glibc.node', elf(3));
    write('linux-arm64/tracewright.musl.node', elf(62));
    expect(prebuildProblems(folder)).toEqual([
      'win32-arm64/tracewright.node is missing.',
      'linux-ia32/tracewright.glibc.node is not expected.',
      'linux-arm64/tracewright.musl.node is for linux-x64.',
    ]);
    expect(prebuildProblems(join(folder, 'nowhere'))).toEqual([
      `There is no folder ${join(folder, 'nowhere')}.`,
    ]);
  });
});

describe('npm pack', () => {
  it('fails without the code, and warns loudly without prebuilt addons', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
    try {
      const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
      for (const part of ['package.json', 'scripts'])
        cpSync(join(root, part), join(folder, part), { recursive: true });
      const prepack = () =>
        spawnSync(process.execPath, [join(folder, 'scripts/prepack.mjs')], { encoding: 'utf8' });
      const fresh = prepack();
      expect(fresh.status).toBe(1);
      expect(fresh.stderr).toContain('dist/cjs');
      expect(fresh.stderr).toContain('run npm run build:ts first');
      // A `!` begins what is left out.
      for (const name of files.filter((file) => !file.startsWith('!'))) {
        const isThere = name === 'prebuilds' || existsSync(join(folder, name));
        if (!isThere) mkdirSync(join(folder, name), { recursive: true });
      }
      const built = prepack();
      expect(built.status).toBe(0);
      expect(built.stderr).toContain('WARNING: a package without them reaches no tracer there.');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the changelog of a release', () => {
  it('has what was unreleased under the version and its date', () => {
    const text =
      '# Changelog\n\n## [Unreleased]\n\nThis becomes 0.1.0, the first release.\n\n### Added\n\n- x\n\n## [0.0.1]\n';
    expect(releasedChangelog(text, '0.1.0', '2026-01-31')).toBe(
      '# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-31\n\n### Added\n\n- x\n\n## [0.0.1]\n',
    );
  });

  it('is refused if nothing changed', () => {
    const text = '## [Unreleased]\n\n## [0.1.0] - 2026-01-31\n';
    expect(() => releasedChangelog(text, '0.1.1', '2026-02-01')).toThrow('has nothing under');
  });
});

describe('the tag of a release', () => {
  const manifest = {
    version: '1.2.3',
    repository: { url: 'git+https://github.com/somebody/tracewright.git' },
  };

  it("names package.json's version, in the repository that package.json names", () => {
    expect(releaseProblems(manifest, 'v1.2.3', 'somebody/tracewright')).toEqual([]);
    const short = { version: '1.2.3', repository: 'github:somebody/tracewright' };
    expect(releaseProblems(short, 'v1.2.3', 'somebody/tracewright')).toEqual([]);
  });

  it('is rejected for another version or repository', () => {
    expect(releaseProblems(manifest, 'v1.2.4', 'somebody/tracewright')).toEqual([
      'The tag is v1.2.4, but package.json has version 1.2.3.',
    ]);
    expect(releaseProblems(manifest, 'v1.2.3', 'else/tracewright')).toHaveLength(1);
  });

  it('passes without a repository in package.json, with one sentence about it', () => {
    expect(releaseProblems({ version: '1.2.3' }, 'v1.2.3', 'somebody/tracewright')).toEqual([
      'package.json has no "repository": add "github:somebody/tracewright", or npm refuses the provenance.',
    ]);
  });
});
