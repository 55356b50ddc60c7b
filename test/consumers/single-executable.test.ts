/** Applications that Node.js itself packs: a single executable (SEA), and one that starts from a snapshot. */
import { copyFileSync, cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Application, installedTools } from './application.ts';

const tools = installedTools({ esbuild: '^0.28.0', postject: '1.0.0-alpha.6' });
/** Node.js looks for it in its own program, to know that an application follows. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const BODY = `
  const log = defineEventSource('Packed-App', { Hit: event({ n: 'int32' }) });
  const session = startSession({ output: 'session.nettrace', providers: 'Packed-App' });
  log.Hit({ n: 1 });
  session.close().then(({ events, problem }) => {
    console.log(JSON.stringify({ events, problem: problem ?? null, reason: log.status.reason ?? '' }));
  });`;

describe.skipIf('reason' in tools)(`an application${'reason' in tools ? ` (${tools.reason})` : ''}`, () => {
  let application: Application;
  beforeAll(() => {
    application = new Application('folder' in tools ? tools.folder : '');
  }, 120_000);
  afterAll(() => application?.remove());

  const node = (...args: string[]) => application.run(process.execPath, args);
  const result = ({ output }: { output: string }) => JSON.parse(output) as Record<string, unknown>;

  it('that is a single executable has sessions, and its addon from beside it', { timeout: 120_000 }, () => {
    const { folder } = application;
    application.write(
      'sea.cjs',
      `const { defineEventSource, event, startSession } = require('tracewright');${BODY}`,
    );
    const bundle = ['sea.cjs', '--bundle', '--platform=node', '--format=cjs', '--outfile=out/sea.cjs'];
    expect(application.tool('esbuild', bundle).status).toBe(0);
    application.write('sea.json', JSON.stringify({ main: 'out/sea.cjs', output: 'app.blob' }));
    expect(node('--experimental-sea-config', 'sea.json').status).toBe(0);
    const app = join(folder, 'app');
    copyFileSync(process.execPath, app);
    const inject = ['app', 'NODE_SEA_BLOB', 'app.blob', '--sentinel-fuse', FUSE];
    const { status, output } = application.tool('postject', inject);
    expect(status, output).toBe(0);

    const quiet = { env: { NODE_NO_WARNINGS: '1' } };
    const without = application.run(app, [], quiet);
    expect(result(without)).toMatchObject({ events: 1, problem: null });
    expect(without.output).toContain('could not be loaded');
    cpSync(join(folder, 'node_modules/tracewright/prebuilds'), join(folder, 'prebuilds'), {
      recursive: true,
    });
    const beside = application.run(app, [], quiet);
    expect(result(beside)).toMatchObject({ events: 1, problem: null });
    expect(beside.output).not.toContain('could not be loaded');
    expect(readdirSync(folder)).toContain('session.nettrace');
  });

  it('that starts from a snapshot loads the package when it starts', { timeout: 60_000 }, () => {
    application.write(
      'snapshot.cjs',
      `require('node:v8').startupSnapshot.setDeserializeMainFunction(() => {
        const load = require('node:module').createRequire(${JSON.stringify(join(application.folder, 'x.cjs'))});
        const { defineEventSource, event, startSession } = load('tracewright');${BODY}
      });`,
    );
    expect(node('--snapshot-blob', 'app.snapshot', '--build-snapshot', 'snapshot.cjs')).toEqual({
      status: 0,
      output: '',
    });
    expect(result(node('--snapshot-blob', 'app.snapshot', 'main.cjs'))).toMatchObject({
      events: 1,
      problem: null,
    });
  });

  it('whose snapshot would contain the package is told so, and not ended by V8', { timeout: 60_000 }, () => {
    application.write('contained.cjs', `require('tracewright');`);
    const bundle = [
      'contained.cjs',
      '--bundle',
      '--platform=node',
      '--format=cjs',
      '--outfile=out/contained.cjs',
    ];
    expect(application.tool('esbuild', bundle).status).toBe(0);
    const { status, output } = node(
      '--snapshot-blob',
      'no.snapshot',
      '--build-snapshot',
      'out/contained.cjs',
    );
    expect(status).toBe(1);
    expect(output).toContain('A startup snapshot cannot contain tracewright: load it in the function that ');
  });
});
