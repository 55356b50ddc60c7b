/** The addon cross-built for Windows: its imports and exports, and the message if it cannot be built. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildForWindows } from '../../scripts/windows/build.mjs';
import { runProgram, skipReason, suiteName } from './run-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = fileURLToPath(new URL('../../scripts/windows/build.mjs', import.meta.url));

describe.skipIf(skipReason !== undefined)(suiteName('the built addon'), { timeout: 60_000 }, () => {
  let addon: string;
  let description: string;
  beforeAll(() => {
    addon = buildForWindows().addon;
    description = execFileSync('x86_64-w64-mingw32-objdump', ['-p', addon]).toString();
  }, 60_000);

  it('is where the package looks for it', () => {
    expect(readFileSync(`${root}/prebuilds/win32-x64/tracewright.node`)).toEqual(readFileSync(addon));
  });

  it('needs only DLLs that every Windows has; Node-API is bound on the first call', () => {
    const imported = [...description.matchAll(/DLL Name: (.*)/g)].map(([, name]) => name?.toLowerCase());
    expect(imported.sort()).toEqual(['advapi32.dll', 'kernel32.dll', 'msvcrt.dll']);
  });

  it('exports only what Node.js needs', () => {
    const [, names = ''] = /\[Ordinal\/Name Pointer\] Table\n(.*?)\n\n/s.exec(description) ?? [];
    expect([...names.matchAll(/\] (\w+)$/gm)].map(([, name]) => name).sort()).toEqual([
      'napi_register_module_v1',
      'node_api_module_get_api_version_v1',
    ]);
  });

  it('contains no date', () => {
    const file = readFileSync(addon);
    const header = file.readUInt32LE(0x3c);
    expect(file.readUInt32LE(header + 8)).toBe(0);
  });

  it('loads in a program not named node.exe', async () => {
    const { result } = await runProgram<{ status: object }>('programs/renamed-host.mjs');
    expect(result.status).toMatchObject({ backend: 'etw' });
  });
});

describe('building for Windows', () => {
  it('says in one sentence what is missing, and how to get it', () => {
    const nothing = { env: { PATH: '' }, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], nothing);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe(
      'The addon cannot be built for Windows, because this is missing: x86_64-w64-mingw32-g++-posix, ' +
        'cmake, make, flock; on Debian and Ubuntu, scripts/windows/install-tools.sh installs it.\n',
    );
  });
});
