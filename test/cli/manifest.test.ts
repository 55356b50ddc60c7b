/** The command line as a user types it, on the built package. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseManifest } from '../../lib/wire/manifest/parse.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function tracewright(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function module(name: string, code: string): string {
  const library = JSON.stringify(join(root, 'dist/index.js'));
  writeFileSync(join(folder, name), `import { defineEventSource, event } from ${library};\n${code}`);
  return name;
}

describe('tracewright manifest', () => {
  it('prints the manifest of each source that the module defines', () => {
    const file = module(
      'app.mjs',
      `defineEventSource('Company-Files', { CopyStart: event({ path: 'string' }), CopyStop: event() });`,
    );
    const { status, stdout, stderr } = tracewright('manifest', file);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const manifest = parseManifest(stdout);
    expect(manifest.name).toBe('Company-Files');
    expect(manifest.events.map((event) => event.symbol)).toEqual([
      'EventSourceMessage',
      'CopyStart',
      'CopyStop',
    ]);
  });

  it('says in a sentence what is wrong', () => {
    const structs = module('structs.mjs', `defineEventSource('P', { E: event({ a: { b: 'bool' } }) });`);
    expect(tracewright('manifest', structs)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'tracewright: P.E: the field "a" is a struct, which events with a manifest cannot have; ' +
        'give its members as fields of the event, or describe events by themselves.\n',
    });
    expect(tracewright('manifest', module('none.mjs', ''))).toEqual({
      status: 1,
      stdout: '',
      stderr: 'tracewright: none.mjs defines no event source.\n',
    });
    expect(tracewright('manifest', 'missing.mjs')).toMatchObject({ status: 1, stdout: '' });
  });

  it('tells how it is used', () => {
    expect(tracewright('manifest', '--help')).toMatchObject({ status: 0, stderr: '' });
    expect(tracewright('--help').stdout).toContain('manifest FILE');
    expect(tracewright('manifest')).toMatchObject({ status: 2, stdout: '' });
    expect(tracewright('manifest', '--hlep')).toMatchObject({ status: 2, stdout: '' });
    expect(tracewright('constructor').stderr).toContain('There is no command "constructor".');
  });
});
