/** docs/opentelemetry.md with the packed package: its program does what the guide says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { named } from '../platforms.ts';
import { Application, installedTools, reasonOf } from './application.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/opentelemetry.md'), 'utf8');
const program = [...guide.matchAll(/^```js\n(.*?)^```$/gms)]
  .map(([, code = '']) => code)
  // Needs a collector: see integrations/otlp.test.ts.
  .filter((code) => !code.includes('tracewright/otlp'))
  .join('');
const tools = installedTools({
  '@opentelemetry/api': '^1.10.0',
  '@opentelemetry/context-async-hooks': '^3.1.1',
  '@opentelemetry/sdk-trace': '^3.1.1',
});

/** The activities of the program's trace as spans, in the order of their starts. */
const RECORDING = `
import { startSession } from 'tracewright';
const session = startSession({ providers: 'OpenTelemetry,MyCompany-Shop', output: 'spans.nettrace' });
`;
const END = 'await session.close();\n';

describe.skipIf('reason' in tools)(named('docs/opentelemetry.md', reasonOf(tools)), () => {
  let application: Application;
  beforeAll(() => {
    application = new Application('folder' in tools ? tools.folder : '');
    application.write('guide.mjs', RECORDING + program + END);
  }, 120_000);
  afterAll(() => application?.remove());

  it('forms one program, whose spans and activities nest, and are exported as one trace', {
    timeout: 60_000,
  }, () => {
    const { status, output } = application.run(process.execPath, ['guide.mjs']);
    expect(status, output).toBe(0);
    expect(output).toMatch(/^\/\/1\/1\/1 00-[\da-f]{32}-[\da-f]{16}-0[13]\n$/);
    const cli = join(application.folder, 'node_modules/tracewright/dist/cjs/cli.cjs');
    const exported = application.run(process.execPath, [
      cli,
      'export',
      '--format',
      'otlp',
      'spans.nettrace',
      '-o',
      '-',
    ]);
    const spans = exported.output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .flatMap((line) => JSON.parse(line).resourceSpans[0].scopeSpans)
      .flatMap(
        (scope: { spans: { name: string; spanId: string; traceId: string; parentSpanId?: string }[] }) =>
          scope.spans,
      );
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    expect(
      spans.map(({ name, parentSpanId = '' }) => `${name} in ${byId.get(parentSpanId)?.name}`).sort(),
    ).toEqual(['Order in checkout', 'checkout in undefined', 'pay in Order', 'ship in Order']);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  });
});
