/** The published types under TypeScript's versions and modes, strict and without `skipLibCheck`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { named } from '../platforms.ts';
import { Application, installedTools, reasonOf } from './application.ts';

const tools = installedTools({
  '@opentelemetry/api': '^1.9.0',
  '@types/node': '^20.19.0',
  pino: '^10.4.0',
  'prom-client': '^15.1.3',
  rxjs: '^7.8.0',
  'typescript-5.4': 'npm:typescript@~5.4.5',
  'typescript-5': 'npm:typescript@^5.9.0',
  'typescript-7': 'npm:typescript@^7.0.0',
  winston: '^3.19.0',
});

const program = `
import { defineEventSource, event, Level, listen } from 'tracewright';
import { EventCounter, Meter } from 'tracewright/counters';
import { enableDiagnostics } from 'tracewright/diagnostics';
import { meterProvider } from 'tracewright/opentelemetry-metrics';
import { showRegistry } from 'tracewright/prom-client';
import { activityMixin, eventStream } from 'tracewright/pino';
import { Playback } from 'tracewright/playback';
import { enableRuntimeEvents } from 'tracewright/runtime';
import { openTrace } from 'tracewright/trace';
import { TraceActivities } from 'tracewright/view';
import { activityMeta, EventTransport } from 'tracewright/winston';
import { consoleEvents } from 'tracewright/console';
import { pino } from 'pino';
import { createLogger } from 'winston';

export const log = defineEventSource('MyCompany-MyService', {
  RequestStart: event({ url: 'string' }),
  RequestStop: event({ success: 'bool', errorMessage: 'string' }),
  CacheMiss: event({ key: 'string', size: 'uint32' }, { level: Level.Verbose }),
});
export const identity = log.CacheMiss.identity;
export const counters = [new EventCounter(log, 'requests'), new Meter('MyCompany.Meter')];
export const loggers = [
  pino({ mixin: activityMixin() }, pino.multistream([{ level: 'trace', stream: eventStream() }])),
  createLogger({ defaultMeta: activityMeta(), transports: [new EventTransport({ level: 'debug' })] }),
];
export const others = { consoleEvents, enableDiagnostics, meterProvider, showRegistry, Playback, enableRuntimeEvents };
export const subscription = listen(log, (written) => console.log(written.name));
export function handle(url: string) {
  return log.activity('Request', { url }, async () => log.CacheMiss({ key: url, size: 1 }));
}
export async function read(file: string) {
  const trace = await openTrace(file);
  return { trace, tracker: new TraceActivities() };
}
`;

const modes = {
  nodenext: ['--module', 'nodenext', '--moduleResolution', 'nodenext', 'module.mts', 'script.cts'],
  node16: ['--module', 'node16', '--moduleResolution', 'node16', 'module.mts', 'script.cts'],
  bundler: ['--module', 'esnext', '--moduleResolution', 'bundler', 'module.mts'],
  'bundler, to CommonJS': ['--module', 'commonjs', '--moduleResolution', 'bundler', 'file.ts'],
  // pino's own types need the interop.
  'node10, CommonJS': [
    ...['--module', 'commonjs', '--moduleResolution', 'node10', '--esModuleInterop'],
    'file.ts',
  ],
};

/** TypeScript 7 has no node10, and those before cannot combine bundler and CommonJS. */
const combinations: readonly (readonly [string, keyof typeof modes])[] = [
  ...(['typescript-5.4', 'typescript-5'] as const).flatMap((version) =>
    (['nodenext', 'node16', 'bundler', 'node10, CommonJS'] as const).map((mode) => [version, mode] as const),
  ),
  ...(['nodenext', 'node16', 'bundler', 'bundler, to CommonJS'] as const).map(
    (mode) => ['typescript-7', mode] as const,
  ),
];

describe.skipIf('reason' in tools)(named('the published types', reasonOf(tools)), () => {
  let application: Application;
  beforeAll(() => {
    application = new Application('folder' in tools ? tools.folder : '');
    for (const file of ['module.mts', 'script.cts', 'file.ts']) application.write(file, program);
  }, 120_000);
  afterAll(() => application?.remove());

  it.each(combinations)('compile with %s in the mode %s', { timeout: 120_000 }, (version, mode) => {
    const compiler = `${application.folder}/node_modules/${version}/bin/tsc`;
    const options = [
      '--strict',
      '--declaration',
      '--outDir',
      'out',
      '--target',
      'es2022',
      '--skipLibCheck',
      'false',
    ];
    const { status, output } = application.run(process.execPath, [compiler, ...options, ...modes[mode]]);
    expect(output).toBe('');
    expect(status).toBe(0);
  });

  it.each([
    [
      "log.activity('Reqest', { url: '/' }, async () => {});",
      'There is no activity "Reqest". The activities are: ',
    ],
    ["log.activity('Lone', {}, async () => {});", 'The event "LoneStart" has no "LoneStop".'],
    [
      "log.activity('Query', {}, async () => {});",
      'The event "QueryStop" has fields that tracewright cannot fill: pass { stop: (outcome) => payload } before the work.',
    ],
    [
      "defineEventSource('P', { A: event({}, { keywords: 'Nett' }) }, { keywords: { Net: 0x1n } });",
      'There is no keyword "Nett": name it in the options\' keywords.',
    ],
  ])('explain %s', { timeout: 120_000 }, (line, sentence) => {
    application.write(
      'mistake.mts',
      `import { defineEventSource, event } from 'tracewright';
       const log = defineEventSource('MyCompany-MyService', {
         RequestStart: event({ url: 'string' }), RequestStop: event({ success: 'bool' }),
         QueryStart: event(), QueryStop: event({ rows: 'int32' }), LoneStart: event(),
       });
       ${line}`,
    );
    for (const version of ['typescript-5.4', 'typescript-5', 'typescript-7']) {
      const compiler = `${application.folder}/node_modules/${version}/bin/tsc`;
      const args = [
        compiler,
        '--strict',
        '--noEmit',
        '--target',
        'es2022',
        '--module',
        'nodenext',
        'mistake.mts',
      ];
      const { status, output } = application.run(process.execPath, args);
      expect(output.replaceAll('\\"', '"')).toContain(sentence);
      expect(status).not.toBe(0);
    }
  });
});
