/** The command line as a user types it, on the built package. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseManifest } from '../wire/manifest/parse-manifest.ts';
import { resourcesOf } from '../wire/manifest/resource/read-dll.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function tracewright(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/cjs/cli.cjs'), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function module(name: string, code: string): string {
  const library = JSON.stringify(join(root, 'dist/cjs/index.mjs'));
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

  const noisy = `import { writeSync } from 'node:fs';
    console.log('by console'); writeSync(1, 'by descriptor\\n');
    defineEventSource('Company-Server', { Tick: event({ n: 'uint32' }) });`;

  it("ends even if the module would not, and prints none of the module's output", () => {
    const file = module('server.mjs', `${noisy} setInterval(() => console.log('later'), 1e6);`);
    const { status, stdout, stderr } = tracewright('manifest', file);
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'by console\nby descriptor\n' });
    expect(stdout).toMatch(/^<instrumentationManifest/);
    expect(parseManifest(stdout).name).toBe('Company-Server');
  });

  it('prints the sources of a module that ends its process, or waits forever', () => {
    for (const [name, end] of [
      ['ends.mjs', 'process.exit(3)'],
      ['waits.mjs', 'await new Promise(() => {})'],
    ] as const) {
      const { status, stdout } = tracewright('manifest', module(name, `${noisy} ${end};`));
      expect({ status, name: parseManifest(stdout).name }).toEqual({ status: 0, name: 'Company-Server' });
    }
  });

  it('says that a module was ended', () => {
    const file = module('killed.mjs', `process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});`);
    const { status, stdout, stderr } = tracewright('manifest', file);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^tracewright: killed\.mjs ended .* before its event sources could be read\.\n$/);
  });

  it('says in a sentence what is wrong', () => {
    const structs = module('structs.mjs', `defineEventSource('P', { E: event({ a: { b: 'bool' } }) });`);
    expect(tracewright('manifest', structs)).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'tracewright: P.E: the field "a" is a struct, which events with a manifest cannot have; ' +
        'make its members fields of the event, or use self-describing events.\n',
    });
    expect(tracewright('manifest', module('none.mjs', ''))).toEqual({
      status: 1,
      stdout: '',
      stderr: 'tracewright: none.mjs defines no event source.\n',
    });
    expect(tracewright('manifest', 'missing.mjs')).toMatchObject({ status: 1, stdout: '' });
  });

  it('writes what installs manifests in Windows, one of each source', () => {
    const file = module(
      'orders.mjs',
      `defineEventSource('Company Orders', {
         Placed: event({ id: 'uint32' }, { channel: 17, message: 'Order {0}' }),
       }, { etwFormat: 'manifest', messages: { de: { event_Placed: 'Bestellung {0}' } } });
       defineEventSource('Other', {});`,
    );
    expect(tracewright('manifest', file, '--resources', 'out/res')).toEqual({
      status: 0,
      stdout: '',
      stderr:
        'Wrote Company_Orders.man, Company_Orders.dll, Other.man, Other.dll, install.cmd, uninstall.cmd to out/res.\n',
    });
    const read = (name: string) => readFileSync(join(folder, 'out/res', name), 'utf8');
    const printed = tracewright('manifest', file).stdout;
    expect(`${read('Company_Orders.man')}\n${read('Other.man')}\n`).toBe(printed);
    expect(printed).toContain('<resources culture="de">');
    const steps = (name: string) =>
      read(name)
        .split('\r\n')
        .filter((line) => line.includes('Company_Orders'));
    const resources = resourcesOf(readFileSync(join(folder, 'out/res/Company_Orders.dll')));
    expect(resources.map(({ type, language }) => [type, language])).toEqual([
      ['WEVT_TEMPLATE', 0x409],
      [11, 0x7],
      [11, 0x409],
    ]);
    expect(resources[1]?.data.toString('utf16le')).toContain('Bestellung %1\r\n');
    expect(steps('install.cmd')).toEqual([
      'wevtutil um Company_Orders.man 2> nul',
      'wevtutil im Company_Orders.man /rf:"%~dp0Company_Orders.dll" /mf:"%~dp0Company_Orders.dll"',
    ]);
    expect(steps('uninstall.cmd')).toEqual(['wevtutil um Company_Orders.man']);
  });

  it('writes no file if Windows cannot have a language of the messages', () => {
    const file = module(
      'artificial.mjs',
      `defineEventSource('Company-Orders', { Placed: event({}, { message: 'Placed' }) },
         { messages: { 'tlh-QQ': { event_Placed: 'lanta' } } });`,
    );
    expect(tracewright('manifest', file, '--resources', 'artificial')).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'tracewright: Company-Orders: The manifest has messages of tlh-QQ, for which Windows has no number.\n',
    });
    expect(existsSync(join(folder, 'artificial'))).toBe(false);
  });

  it('does not write two manifests to one file', () => {
    const file = module('twins.mjs', `defineEventSource('a b', {}); defineEventSource('A_b', {});`);
    expect(tracewright('manifest', file, '--resources', 'twins').stderr).toBe(
      'tracewright: The event sources "a b" and "A_b" would have the same file, A_b.man: define them in different modules.\n',
    );
  });

  it('prints its usage', () => {
    expect(tracewright('manifest', '--help')).toMatchObject({ status: 0, stderr: '' });
    expect(tracewright('--help').stdout).toContain('manifest FILE');
    expect(tracewright('manifest')).toMatchObject({ status: 2, stdout: '' });
    expect(tracewright('manifest', '--hlep')).toMatchObject({ status: 2, stdout: '' });
    expect(tracewright('constructor').stderr).toContain('There is no command "constructor".');
  });
});
