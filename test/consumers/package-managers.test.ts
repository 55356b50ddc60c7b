/** The package installed by other package managers, and on every supported version of Node.js. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { named } from '../platforms.ts';
import { Application, installedTools, reasonOf } from './application.ts';

const tools = installedTools({
  '@yarnpkg/cli-dist': '^4.0.0',
  'node-20': `npm:node-${process.platform}-${process.arch}@^20.19.0`,
  'node-22': `npm:node-${process.platform}-${process.arch}@^22.0.0`,
  'node-24': `npm:node-${process.platform}-${process.arch}@^24.0.0`,
  'node-26': `npm:node-${process.platform}-${process.arch}@^26.0.0`,
  pnpm: '^10.0.0',
});

const body = `
const log = defineEventSource('Installed-Application', { Tick: event({ n: 'uint32' }) });
listen(log, (written) => console.log(written.name, written.payload.n));
log.Tick({ n: 7 });
console.log(log.status.reason);
openTrace('no-such-trace').catch((error) => console.log(error.code));
`;
const imported = `
import { defineEventSource, event, listen } from 'tracewright';
import { openTrace } from 'tracewright/trace';${body}`;
const required = `
const { defineEventSource, event, listen } = require('tracewright');
const { openTrace } = require('tracewright/trace');${body}`;

function expectEvents({ status, output }: { status: number | null; output: string }) {
  expect(output).toContain('Tick 7\n');
  expect(output).toContain('ENOENT');
  expect(output).not.toContain('could not be loaded');
  expect(output).not.toMatch(/warning/i);
  expect(status).toBe(0);
}

describe.skipIf('reason' in tools)(named('installed', reasonOf(tools)), () => {
  let application: Application;
  beforeAll(() => {
    application = new Application('folder' in tools ? tools.folder : '');
    application.write('app.mjs', imported);
    application.write('app.cjs', required);
  }, 120_000);
  afterAll(() => application?.remove());

  it.each(['20', '22', '24', '26'])('Node.js %s can import and require it', (version) => {
    const node = `${application.folder}/node_modules/node-${version}/bin/node`;
    expect(application.run(node, ['--version']).output).toMatch(`v${version}.`);
    expectEvents(application.run(node, ['app.mjs']));
    expectEvents(application.run(node, ['app.cjs']));
  });

  const manifest = (extra = '') =>
    `{ "private": true, ${extra} "dependencies": { "tracewright": "file:../${'PACKAGE'}" } }`.replace(
      'PACKAGE',
      application.tarball.split('/').at(-1) as string,
    );

  it('installed by pnpm', { timeout: 120_000 }, () => {
    application.write('pnpm/package.json', manifest());
    application.write('pnpm/app.mjs', imported);
    application.write('pnpm/app.cjs', required);
    const cwd = `${application.folder}/pnpm`;
    const pnpm = `${application.folder}/node_modules/pnpm/bin/pnpm.cjs`;
    const installed = application.run(process.execPath, [pnpm, 'install', '--store-dir', `${cwd}/store`], {
      cwd,
    });
    expect(installed.status, installed.output).toBe(0);
    expectEvents(application.run(process.execPath, ['app.mjs'], { cwd }));
    expectEvents(application.run(process.execPath, ['app.cjs'], { cwd }));
  });

  it("installed by Yarn, with Plug'n'Play", { timeout: 120_000 }, () => {
    application.write('yarn/package.json', manifest());
    application.write('yarn/yarn.lock', '');
    application.write(
      'yarn/.yarnrc.yml',
      'nodeLinker: pnp\nenableTelemetry: false\nenableGlobalCache: false\n',
    );
    application.write('yarn/app.mjs', imported);
    application.write('yarn/app.cjs', required);
    const cwd = `${application.folder}/yarn`;
    const yarn = `${application.folder}/node_modules/@yarnpkg/cli-dist/bin/yarn.js`;
    const registry = execFileSync('npm', ['config', 'get', 'registry', '--loglevel=error']).toString().trim();
    const env = {
      YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, ''),
      YARN_UNSAFE_HTTP_WHITELIST: new URL(registry).hostname,
    };
    const installed = application.run(process.execPath, [yarn, 'install', '--no-immutable'], { cwd, env });
    expect(installed.status, installed.output).toBe(0);
    expect(readFileSync(`${cwd}/.pnp.cjs`, 'utf8')).toContain('tracewright');
    expectEvents(application.run(process.execPath, [yarn, 'node', 'app.mjs'], { cwd, env }));
    expectEvents(application.run(process.execPath, [yarn, 'node', 'app.cjs'], { cwd, env }));
  });
});
