/** The programs of docs/examples, run with the packed package: recorded and shown as documented. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { named } from '../platforms.ts';
import { Application, installedTools } from './application.ts';

const tools = installedTools({
  '@opentelemetry/api': '^1.10.0',
  '@opentelemetry/context-async-hooks': '^3.1.1',
  '@opentelemetry/sdk-trace': '^3.1.1',
  express: '^5.3.0',
  fastify: '^5.12.0',
  pino: '^10.4.0',
});
const skipReason = 'reason' in tools ? tools.reason : undefined;
const folder = fileURLToPath(new URL('../../docs/examples', import.meta.url));
const CLI = 'node_modules/tracewright/dist/cjs/cli.cjs';

/** By program: the tree of its activities, without connections, and what it prints. */
const EXPECTED: Readonly<Record<string, readonly [tree: readonly string[], printed: string]>> = {
  'http.mjs': [['ClientRequest', '  Request', '    ClientRequest', '      Request'], 'It costs 7.'],
  'express.mjs': [
    [
      'ClientRequest',
      '  Request',
      '    Handler',
      '      Price',
      'ClientRequest',
      '  Request',
      '    Handler',
      '      Price',
    ],
    '{"id":"2","price":4}',
  ],
  'fastify.mjs': [
    [
      'ClientRequest',
      '  Request',
      '    Handler',
      '      Price',
      'ClientRequest',
      '  Request',
      '    Handler',
      '      Price',
    ],
    '"message":"No such order"',
  ],
  'worker-pool.mjs': [['Upload', '  Resize', '  Resize', 'Upload', '  Resize', '  Resize'], 'dog.png'],
  'queue.mjs': [['Send', '  Deliver', 'Send', '  Deliver'], 'bob'],
  'pino.mjs': [['ClientRequest', '  Request', 'ClientRequest', '  Request'], 'order placed'],
  'channels.mjs': [['Activity1', 'Activity1'], 'Activity1Stop sql=SELECT name FROM drinks rows=2'],
  'opentelemetry.mjs': [['ClientRequest', '  Request', '    Span', '      Span'], 'paid'],
};

describe.skipIf(skipReason !== undefined)(named('an example', skipReason), () => {
  let application: Application;
  beforeAll(() => {
    application = new Application('folder' in tools ? tools.folder : '');
    for (const name of Object.keys(EXPECTED)) {
      application.write(name, readFileSync(join(folder, name), 'utf8'));
    }
  }, 120_000);
  afterAll(() => application?.remove());

  const run = (...args: string[]) => application.run(process.execPath, args);
  const tracewright = (...args: string[]) => run(CLI, ...args);

  it('is in the guide, and here', () => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
    expect(names.sort()).toEqual(Object.keys(EXPECTED).sort());
    const guide = readFileSync(join(folder, 'README.md'), 'utf8');
    for (const name of names) expect(guide).toContain(`[${name}](${name})`);
  });

  it.each(Object.entries(EXPECTED))('%s', { timeout: 60_000 }, (name, [tree, printed]) => {
    const collected = tracewright('collect', '-o', 'example.nettrace', '--', process.execPath, name);
    expect(collected.status, collected.output).toBe(0);
    expect(collected.output).toContain(printed);
    const { output } = tracewright('view', 'example.nettrace', '--json');
    const activities = output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { depth: number; name: string });
    const shown = activities
      .map((activity) => `${'  '.repeat(activity.depth)}${activity.name.split('(')[0]}`)
      .filter((text) => !/Connect$|Worker$/.test(text));
    expect(shown).toEqual(tree);
  });

  it('of pino has ids even while nobody records', { timeout: 60_000 }, () => {
    const { output } = run('pino.mjs');
    const lines = output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    expect(lines.map(({ url, activityPath }) => [url, typeof activityPath])).toEqual([
      ['/tea', 'string'],
      ['/milk', 'string'],
    ]);
    expect(new Set(lines.map(({ activityPath }) => activityPath)).size).toBe(2);
    expect(new Set(lines.map(({ trace_id: traceId }) => traceId)).size).toBe(2);
  });
});
